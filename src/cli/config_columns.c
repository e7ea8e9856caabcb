/* config_columns.c - see config_columns.h. */
#include "config_columns.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/name_match.h"
#include "ui/views.h"

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

/* The columns of several events are one list for all views: EVENT_LIST. */
#define EVENT_LIST VIEW_TABLES
#define NO_COLUMN  "none"	/* a view has always one: that which fills the line */

static const enum column_id event_columns[] = { COLUMN_EVENT_IDS, COL_COUNT };

static const char *title_of(unsigned int list)
{
	return list == EVENT_LIST ? "events" : view_specs[list].title;
}

static const char *name_of_list(unsigned int list, char *out)
{
	size_t used = 0;

	for (const char *title = title_of(list); *title && used < NAME_BYTES - 1; title++)
		out[used++] = (char)tolower((unsigned char)*title);
	out[used] = '\0';
	return out;
}

static bool is_listed(unsigned int list, enum column_id id)
{
	return list == EVENT_LIST || !(COLUMNS_OF_EVENTS & COLUMN_BIT(id));
}

static const enum column_id *columns_of(unsigned int list)
{
	return list == EVENT_LIST ? event_columns : view_specs[list].columns;
}

static uint64_t *hidden_of(unsigned int list, struct column_choice *choice)
{
	return list == EVENT_LIST ? &choice->events_hidden : &choice->hidden[list];
}

uint64_t config_columns_hidden(unsigned int list, const struct column_choice *choice)
{
	return list == EVENT_LIST ? choice->events_hidden : choice->hidden[list];
}

/* Returns the name of a view or column of that @name: DSOs were called objects in earlier files. */
static const char *current_name(const char *name)
{
	if (!strcmp(name, "objects"))
		return "dsos";
	return strcmp(name, "object") ? name : "dso";
}

/* A list or -EINVAL. */
static int find_list(const char *name, struct diag *why)
{
	char known[CONFIG_COLUMN_LISTS][NAME_BYTES];
	struct near_name near;

	near_name_start(&near, name);
	for (unsigned int list = 0; list < CONFIG_COLUMN_LISTS; list++) {
		if (!strcmp(current_name(name), name_of_list(list, known[list])))
			return (int)list;
		near_name_try(&near, known[list]);
	}
	if (near.nearest)
		return diag_set(why, -EINVAL, "no view \"%s\": did you mean %s?", name,
				near.nearest);
	return diag_set(why, -EINVAL, "no view \"%s\"", name);
}

/* enum column_id or -EINVAL. */
static int find_column(unsigned int list, const char *name, struct diag *why)
{
	char known[COL_COUNT][NAME_BYTES];
	struct near_name near;

	near_name_start(&near, name);
	for (const enum column_id *id = columns_of(list); *id != COL_COUNT; id++) {
		if (!is_listed(list, *id))
			continue;
		if (!strcmp(current_name(name), name_of_column(*id, known[*id])))
			return (int)*id;
		near_name_try(&near, known[*id]);
	}
	if (near.nearest)
		return diag_set(why, -EINVAL, "no column \"%s\" in %s: did you mean %s?", name,
				title_of(list), near.nearest);
	return diag_set(why, -EINVAL, "no column \"%s\" in %s", name, title_of(list));
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
	const int found = find_list(view, why);
	const unsigned int list = (unsigned int)found;
	uint64_t shown = 0, hidden = 0;
	char name[NAME_BYTES];

	if (found < 0)
		return found;
	if (!names[0]) {
		*hidden_of(list, choice) = config_columns_hidden(list, &columns_at_first);
		return 0;
	}
	if (list != EVENT_LIST)
		shown = COLUMN_BIT(view_specs[list].fill);
	else if (!strcmp(names, NO_COLUMN))
		names = NULL;
	while (names) {
		int id;

		cut_name(&names, name);
		id = find_column(list, name, why);
		if (id < 0)
			return id;
		shown |= COLUMN_BIT(id);
	}
	for (const enum column_id *id = columns_of(list); *id != COL_COUNT; id++)
		hidden |= is_listed(list, *id) ? COLUMN_BIT(*id) : 0;
	if (!(shown & COLUMN_CHANGES))	/* a list of before there were any */
		shown |= COLUMN_CHANGES & ~config_columns_hidden(list, &columns_at_first);
	*hidden_of(list, choice) = hidden & ~shown;
	return 0;
}

void config_columns_print(FILE *out, unsigned int list, const struct column_choice *choice)
{
	const char *comma = "";
	char name[NAME_BYTES];

	fprintf(out, "%s = ", name_of_list(list, name));
	for (const enum column_id *id = columns_of(list); *id != COL_COUNT; id++) {
		if (!is_listed(list, *id) ||
		    config_columns_hidden(list, choice) & COLUMN_BIT(*id))
			continue;
		fprintf(out, "%s%s", comma, name_of_column(*id, name));
		comma = ", ";
	}
	if (!comma[0])
		fputs(NO_COLUMN, out);
	fputc('\n', out);
}
