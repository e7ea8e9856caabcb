/* config_columns.c - see config_columns.h. */
#include "config_columns.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/near_name.h"

static const char *const views[] = { "symbols", "objects", "commands", "tasks", "cpus" };
#define VIEW_COUNT (sizeof(views) / sizeof(views[0]))

/* The bar has no title: its place is beside SELF%. */
char *config_columns_name(enum column_id id, char *out)
{
	const char *title = id == COL_BAR ? "bar" : columns[id].title;
	size_t used = 0;

	for (; *title && *title != '%' && used < CONFIG_COLUMN_BYTES - 1; title++)
		out[used++] = (char)(*title == ' ' ? '-' : tolower((unsigned char)*title));
	out[used] = '\0';
	return out;
}

static int check_view(const char *view, struct diag *why)
{
	struct near_name near;

	near_name_start(&near, view);
	for (size_t i = 0; i < VIEW_COUNT; i++) {
		if (!strcmp(view, views[i]))
			return 0;
		near_name_try(&near, views[i]);
	}
	if (near.nearest)
		return diag_set(why, -EINVAL, "no view \"%s\": did you mean %s?", view,
				near.nearest);
	return diag_set(why, -EINVAL, "no view \"%s\"", view);
}

static int check_column(const char *name, struct diag *why)
{
	char known[COL_COUNT][CONFIG_COLUMN_BYTES];
	struct near_name near;

	near_name_start(&near, name);
	for (int id = 0; id < COL_COUNT; id++) {
		config_columns_name((enum column_id)id, known[id]);
		if (!strcmp(name, known[id]))
			return 0;
		near_name_try(&near, known[id]);
	}
	if (near.nearest)
		return diag_set(why, -EINVAL, "no column \"%s\": did you mean %s?", name,
				near.nearest);
	return diag_set(why, -EINVAL, "no column \"%s\"", name);
}

int config_columns_check(const char *view, const char *names, struct diag *why)
{
	char name[CONFIG_COLUMN_BYTES];
	int err = check_view(view, why);

	while (!err) {
		size_t length;

		names += strspn(names, " \t");
		length = strcspn(names, ",");
		while (length > 0 && isspace((unsigned char)names[length - 1]))
			length--;
		if (length >= sizeof(name))
			return diag_set(why, -EINVAL, "no column \"%.*s\"", (int)length, names);
		memcpy(name, names, length);
		name[length] = '\0';
		err = check_column(name, why);
		names += strcspn(names, ",");
		if (!*names++)
			break;
	}
	return err;
}

void config_columns_print(FILE *out)
{
	char name[CONFIG_COLUMN_BYTES];

	for (size_t i = 0; i < VIEW_COUNT; i++) {
		fprintf(out, "#%s = ", views[i]);
		for (int id = 0; id < COL_COUNT; id++)
			fprintf(out, "%s%s", id ? ", " : "",
				config_columns_name((enum column_id)id, name));
		fputc('\n', out);
	}
}
