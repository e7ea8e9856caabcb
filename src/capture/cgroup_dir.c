/* cgroup_dir.c - see cgroup_dir.h. */
#include "cgroup_dir.h"

#include <ctype.h>
#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/name_match.h"
#include "capture/event.h"

#define ID_DIGITS_MIN 12	/* as docker ps shows */

/* Decodes octal escapes in place, as "\040" for a blank. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at; to++) {
		unsigned int byte;

		if (sscanf(at, "\\%3o", &byte) == 1 && strspn(at + 1, "01234567") >= 3) {
			*to = (char)byte;
			at += 4;
		} else {
			*to = *at++;
		}
	}
	*to = '\0';
}

static bool has_option(const char *options, const char *name)
{
	const size_t len = strlen(name);

	for (const char *at = options; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, name, len) && (at[len] == ',' || !at[len]))
			return true;
	}
	return false;
}

/* Parses "36 35 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw". Returns the
 * preference of the mount for perf events, 0: unusable, and its mount point in @at[@room]. */
static int read_mount(const char *line, char *at, size_t room)
{
	const char *rest = strstr(line, " - ");
	char type[32], options[512], place[PATH_MAX];

	if (!rest || sscanf(line, "%*s %*s %*s %*s %4095s", place) != 1 ||
	    sscanf(rest + 3, "%31s %*s %511s", type, options) != 2)
		return 0;
	snprintf(at, room, "%s", place);
	if (!strcmp(type, "cgroup") && has_option(options, "perf_event"))
		return 2;
	return !strcmp(type, "cgroup2");
}

char *cgroup_dir_parse_mounts(const char *text)
{
	char line[2 * PATH_MAX], at[PATH_MAX], best[PATH_MAX] = "";
	int best_worth = 0;

	for (const char *next = text; *next; next += *next == '\n') {
		const size_t len = strcspn(next, "\n");
		int worth;

		snprintf(line, sizeof(line), "%.*s", (int)(len < INT_MAX ? len : 0), next);
		next += len;
		worth = read_mount(line, at, sizeof(at));
		if (worth <= best_worth)
			continue;
		best_worth = worth;
		memcpy(best, at, sizeof(best));
	}
	if (!best_worth)
		return NULL;
	unescape(best);
	return strdup(best);
}

static char *read_mounts(void)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char *text = NULL;
	size_t room = 0;

	if (!file)
		return NULL;
	if (getdelim(&text, &room, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

/* A search for a directory by its own name. */
struct search {
	const char *name;
	bool is_id;
	char *found, *second;		/* owned; the first two */
	size_t count;
	struct near_name near;
	char nearest[NAME_MAX + 1];
	bool is_out_of_memory;
};

static bool is_id(const char *name)
{
	const size_t digits = strspn(name, "0123456789abcdef");

	return digits >= ID_DIGITS_MIN && !name[digits];
}

static bool is_meant(const struct search *search, const char *own)
{
	const char *at = search->is_id ? strstr(own, search->name) : NULL;

	return !strcmp(own, search->name) || (at && (at == own || !isxdigit(at[-1])));
}

static void look_at(struct search *search, const FTSENT *entry)
{
	char **free_slot = search->count ? &search->second : &search->found;

	if (!is_meant(search, entry->fts_name)) {
		near_name_try(&search->near, entry->fts_name);
		if (search->near.nearest == entry->fts_name) {	/* copy it: fts reuses the memory */
			snprintf(search->nearest, sizeof(search->nearest), "%s", entry->fts_name);
			search->near.nearest = search->nearest;
		}
		return;
	}
	if (search->count++ > 1)
		return;
	*free_slot = strdup(entry->fts_path);
	search->is_out_of_memory |= !*free_slot;
}

/* Searches below @root, but not below matches: a container's cgroup contains others. */
static int walk(struct search *search, const char *root, struct diag *why)
{
	char *own_root = strdup(root);
	char *roots[] = { own_root, NULL };
	FTS *tree = own_root ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
	FTSENT *entry;

	while (tree && (entry = fts_read(tree)) != NULL) {
		const size_t before = search->count;

		if (entry->fts_info != FTS_D || entry->fts_level == 0)
			continue;
		look_at(search, entry);
		if (search->count > before)
			fts_set(tree, entry, FTS_SKIP);
	}
	if (tree)
		fts_close(tree);
	free(own_root);
	if (!tree || search->is_out_of_memory)
		return diag_set(why, -ENOMEM, "no memory to look for a cgroup");
	return 0;
}

static int judge(const struct search *search, const char *root, struct diag *why)
{
	if (search->count == 1)
		return 0;
	if (search->count > 1)
		return diag_set(why, -EINVAL, "%zu cgroups are called \"%s\": give the path of "
				"one, as %s or %s", search->count, search->name,
				search->found + strlen(root), search->second + strlen(root));
	if (search->near.nearest)
		return diag_set(why, -ENOENT, "no cgroup \"%s\" in %s: did you mean %s?",
				search->name, root, search->near.nearest);
	return diag_set(why, -ENOENT, "no cgroup \"%s\" in %s (systemd-cgls shows all)",
			search->name, root);
}

static int find_by_name(char **out, const char *root, const char *name, struct diag *why)
{
	struct search search = { .name = name, .is_id = is_id(name) };
	int err;

	near_name_start(&search.near, name);
	err = walk(&search, root, why);
	if (!err)
		err = judge(&search, root, why);
	free(search.second);
	if (err)
		free(search.found);
	else
		*out = search.found;
	return err;
}

static bool is_below(const char *root, const char *path)
{
	const size_t len = strlen(root);

	return !strncmp(path, root, len) && (path[len] == '/' || !path[len]);
}

/* Returns the real path of the directory @front/@name, or NULL. */
static char *find_path(const char *front, const char *name)
{
	char path[PATH_MAX];
	struct stat file;

	if (snprintf(path, sizeof(path), "%s%s%s", front, *front && *name != '/' ? "/" : "",
		     name) >= (int)sizeof(path) ||
	    stat(path, &file) || !S_ISDIR(file.st_mode))
		return NULL;
	return realpath(path, NULL);
}

int cgroup_dir_find_below(char **out, const char *root, const char *name, struct diag *why)
{
	char *path = *name ? find_path(root, name) : NULL;

	*out = NULL;
	if (!path && name[0] == '/')
		path = find_path("", name);
	if (!path && (!*name || strchr(name, '/')))
		return diag_set(why, -ENOENT, "no cgroup \"%s\" in %s (systemd-cgls shows all)",
				name, root);
	if (!path)
		return find_by_name(out, root, name, why);
	if (!is_below(root, path)) {
		free(path);
		return diag_set(why, -EINVAL, "%s is not a cgroup that events can be counted for:"
				" those are in %s", name, root);
	}
	*out = path;
	if (strcmp(path, root) != 0)
		return 0;
	free(path);		/* the root cgroup: its name is the slash */
	if (asprintf(out, "%s/", root) < 0) {
		*out = NULL;
		return diag_set(why, -ENOMEM, "no memory for the name of a cgroup");
	}
	return 0;
}

int cgroup_dir_find(char **out, const char *name, struct diag *why)
{
	char *mounts = read_mounts();
	char *root = mounts ? cgroup_dir_parse_mounts(mounts) : NULL;
	int err;

	*out = NULL;
	free(mounts);
	if (!root)
		return diag_set(why, -ENODEV, "no cgroups are mounted here: sudo mount -t cgroup2"
				" none /sys/fs/cgroup");
	err = cgroup_dir_find_below(out, root, name, why);
	free(root);
	return err;
}

/* A cgroup that has tasks. */
struct used_cgroup {
	char *path;			/* owned */
	unsigned long long used_us;	/* CPU time; 0 with cgroup v1, which does not tell */
};

struct used_cgroups {
	struct used_cgroup *list;	/* owned */
	size_t count;
};

static bool has_tasks(const char *path)
{
	char file[PATH_MAX];
	FILE *tasks;
	bool has_one;

	snprintf(file, sizeof(file), "%s/cgroup.procs", path);
	tasks = fopen(file, "re");
	has_one = tasks && fgetc(tasks) != EOF;
	if (tasks)
		fclose(tasks);
	return has_one;
}

static unsigned long long read_used_us(const char *path)
{
	unsigned long long used_us = 0;
	char file[PATH_MAX];
	FILE *stat;

	snprintf(file, sizeof(file), "%s/cpu.stat", path);
	stat = fopen(file, "re");
	if (stat && fscanf(stat, "usage_usec %llu", &used_us) != 1)
		used_us = 0;
	if (stat)
		fclose(stat);
	return used_us;
}

static int add_used(struct used_cgroups *cgroups, const char *path, const char *name)
{
	struct used_cgroup *grown = realloc(cgroups->list, (cgroups->count + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	cgroups->list = grown;
	grown[cgroups->count] = (struct used_cgroup){ strdup(name), read_used_us(path) };
	if (!grown[cgroups->count].path)
		return -ENOMEM;
	cgroups->count++;
	return 0;
}

/* Lists the cgroups below @root that have tasks and whose names can stand in a list. */
static int list_used(struct used_cgroups *cgroups, const char *root)
{
	char *own_root = strdup(root);
	char *roots[] = { own_root, NULL };
	FTS *tree = own_root ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
	int err = tree ? 0 : -ENOMEM;
	FTSENT *entry;

	while (!err && (entry = fts_read(tree)) != NULL)
		if (entry->fts_info == FTS_D && entry->fts_level > 0 &&
		    has_tasks(entry->fts_path) && !strpbrk(entry->fts_path, ",*?["))
			err = add_used(cgroups, entry->fts_path, entry->fts_path + strlen(root));
	if (tree)
		fts_close(tree);
	free(own_root);
	return err;
}

static int compare_use(const void *a, const void *b)
{
	const struct used_cgroup *left = a, *right = b;

	return (left->used_us < right->used_us) - (left->used_us > right->used_us);
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct used_cgroup *)a)->path, ((const struct used_cgroup *)b)->path);
}

/* Writes the paths with commas between them. NULL: no memory. */
static char *join_paths(struct used_cgroup *list, size_t count)
{
	char *out = NULL;

	qsort(list, count, sizeof(*list), compare_paths);
	for (size_t i = 0; i < count; i++)
		if (event_names_append(&out, list[i].path, strlen(list[i].path))) {
			free(out);
			return NULL;
		}
	return out;
}

int cgroup_dir_find_used(char **out, size_t most, size_t *found, struct diag *why)
{
	struct used_cgroups cgroups = { .count = 0 };
	char *root;
	int err = cgroup_dir_find(&root, "/", why);

	*out = NULL;
	if (err)
		return err;
	root[strlen(root) - 1] = '\0';	/* it ends in a slash */
	err = list_used(&cgroups, root);
	free(root);
	*found = cgroups.count;
	if (!err && cgroups.count) {
		qsort(cgroups.list, cgroups.count, sizeof(*cgroups.list), compare_use);
		*out = join_paths(cgroups.list, *found < most ? *found : most);
	}
	for (size_t i = 0; i < cgroups.count; i++)
		free(cgroups.list[i].path);
	free(cgroups.list);
	if (*out)
		return 0;
	return !err && !*found ? diag_set(why, -ENOENT, "no cgroup but the root has tasks")
			       : diag_set(why, -ENOMEM, "no memory for the cgroups");
}

void cgroup_dir_format(const char *path, char *out, size_t room)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash && slash[1] ? slash + 1 : "/";
	size_t used = 0;

	for (size_t digits; *name && used + 1 < room; name++) {
		digits = strspn(name, "0123456789abcdef");
		if (digits >= 2 * ID_DIGITS_MIN) {
			used += (size_t)snprintf(out + used, room - used, "%.*s", ID_DIGITS_MIN,
						 name);
			name += digits - 1;
		} else {
			out[used++] = *name;
		}
		if (used >= room)
			used = room - 1;
	}
	out[used] = '\0';
}
