/* config_columns.c - see config_columns.h. */
#include "config_columns.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/near_name.h"
#include "ui/column_changes.h"

#define NAME_BYTES 24

static const char *name_of_column(enum column_id id, char *out)
{
	const char *title = columns_name(id);
	size_t used = 0;

	for (; *title && *title != '%' && used < NAME_BYTES - 1; title++)
		out[used++] = (char)(*title == ' ' ? '-' : tolower((unsigned char)*title));
	out[used] = '\0';
	return out;
}

static const char *name_of_view(enum view_kind kind, char *out)
{
	const char *title = table_specs[kind].title;
	size_t used = 0;

	while (used < NAME_BYTES - 1 && title[used]) {
		out[used] = (char)tolower((unsigned char)title[used]);
		used++;
	}
	out[used] = '\0';
	return out;
}

/* enum view_kind or -EINVAL. */
static int find_view(const char *name, struct diag *why)
{
	char known[VIEW_TABLES][NAME_BYTES];
	struct near_name near;

	near_name_start(&near, name);
	for (int kind = 0; kind < VIEW_TABLES; kind++) {
		if (!strcmp(name, name_of_view((enum view_kind)kind, known[kind])))
			return kind;
		near_name_try(&near, known[kind]);
	}
	if (near.nearest)
		return diag_set(why, -EINVAL, "no view \"%s\": did you mean %s?", name,
				near.nearest);
	return diag_set(why, -EINVAL, "no view \"%s\"", name);
}

/* enum column_id or -EINVAL. */
static int find_column(const struct table_spec *spec, const char *name, struct diag *why)
{
	char known[COL_COUNT][NAME_BYTES];
	struct near_name near;

	near_name_start(&near, name);
	for (size_t i = 0; spec->columns[i] != COL_COUNT; i++) {
		if (!strcmp(name, name_of_column(spec->columns[i], known[i])))
			return (int)spec->columns[i];
		near_name_try(&near, known[i]);
	}
	if (near.nearest)
		return diag_set(why, -EINVAL, "no column \"%s\" in %s: did you mean %s?", name,
				spec->title, near.nearest);
	return diag_set(why, -EINVAL, "no column \"%s\" in %s", name, spec->title);
}

/* Cuts the next name off the list at *@at, into @out[NAME_BYTES]; the list goes on at *@at, NULL:
 * it was the last. */
static void cut_name(const char **at, char *out)
{
	const char *begin = *at + strspn(*at, " \t");
	const char *comma = strchr(begin, ',');
	size_t length = comma ? (size_t)(comma - begin) : strlen(begin);

	*at = comma ? comma + 1 : NULL;
	while (length > 0 && isspace((unsigned char)begin[length - 1]))
		length--;
	if (length > NAME_BYTES - 1)
		length = NAME_BYTES - 1;	/* longer than any: it will not be found */
	memcpy(out, begin, length);
	out[length] = '\0';
}

int config_columns_parse(const char *view, const char *names, struct column_choice *choice,
			 struct diag *why)
{
	const int kind = find_view(view, why);
	const struct table_spec *spec;
	unsigned int shown, hidden = 0;
	char name[NAME_BYTES];

	if (kind < 0)
		return kind;
	spec = &table_specs[kind];
	if (!names[0]) {
		choice->hidden[kind] = columns_at_first.hidden[kind];
		return 0;
	}
	shown = 1u << spec->fill;
	while (names) {
		int id;

		cut_name(&names, name);
		id = find_column(spec, name, why);
		if (id < 0)
			return id;
		shown |= 1u << id;
	}
	for (size_t i = 0; spec->columns[i] != COL_COUNT; i++)
		hidden |= 1u << spec->columns[i];
	if (!(shown & COLUMN_CHANGES))	/* a list of before there were any */
		shown |= COLUMN_CHANGES & ~columns_at_first.hidden[kind];
	choice->hidden[kind] = hidden & ~shown;
	return 0;
}

void config_columns_print(FILE *out, enum view_kind kind, const struct column_choice *choice)
{
	const struct table_spec *spec = &table_specs[kind];
	const char *comma = "";
	char name[NAME_BYTES];

	fprintf(out, "%s = ", name_of_view(kind, name));
	for (size_t i = 0; spec->columns[i] != COL_COUNT; i++) {
		if (choice->hidden[kind] & (1u << spec->columns[i]))
			continue;
		fprintf(out, "%s%s", comma, name_of_column(spec->columns[i], name));
		comma = ", ";
	}
	fputc('\n', out);
}
