/* filter.c - see model/filter.h. */
#include "model/filter.h"

#include <ctype.h>
#include <string.h>

static bool has_upper_case(const char *text)
{
	for (; *text; text++)
		if (isupper((unsigned char)*text))
			return true;
	return false;
}

static bool matches_text(const char *text, const struct snapshot_row *row)
{
	char *(*find)(const char *, const char *) = has_upper_case(text) ? strstr : strcasestr;

	return find(row->symbol, text) || find(row->object, text) || find(row->comm, text);
}

static bool is_kernel_mode(enum cpu_mode mode)
{
	return mode == MODE_KERNEL || mode == MODE_GUEST_KERNEL || mode == MODE_HYPERVISOR;
}

static bool is_user_mode(enum cpu_mode mode)
{
	return mode == MODE_USER || mode == MODE_GUEST_USER;
}

bool filter_matches(const struct filter *filter, const struct snapshot_row *row)
{
	if (row->is_idle && !filter->show_idle)
		return false;
	if (filter->hide_kernel && is_kernel_mode(row->mode))
		return false;
	if (filter->hide_user && is_user_mode(row->mode))
		return false;
	return filter->text[0] == '\0' || matches_text(filter->text, row);
}
