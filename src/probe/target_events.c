/* target_events.c - see target_events.h.
 *
 * Dynamic events have a directory below events/ as tracepoints have. Their definitions have their
 * names, so these are read first, and the directories with these names are skipped.
 */
#include "target_events.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/tracefs.h"
#include "probe/trace_group.h"

#define NAME_BYTES (2 * TRACE_NAME_BYTES)	/* "group:name" */

/* Names and definitions of all dynamic events. */
struct dynamic_events {
	char (*names)[NAME_BYTES];	/* owned, sorted: "group:name" each */
	size_t count, room;
	struct target_index *index;	/* BORROWED; NULL: not wanted */
	unsigned int foreign;		/* number of the reason for those of others */
	int err;
};

/* "p:probe/foo vfs_read", "r8:kprobes/bar ..." -> "probe:foo", "kprobes:bar". */
static bool read_name(const char *line, char out[NAME_BYTES])
{
	const char *colon = strchr(line, ':');
	char *slash;

	if (!colon)
		return false;
	snprintf(out, NAME_BYTES, "%.*s", (int)strcspn(colon + 1, " \t\n"), colon + 1);
	slash = strchr(out, '/');
	if (slash)
		*slash = ':';
	return slash;
}

static int add_leftover(struct dynamic_events *events, const char *line, const char *name,
			bool is_ours, bool is_stale)
{
	const struct target_name target = {
		.raw = name, .shown = line, .is_stale = is_stale,
		.note = is_stale ? "left by a flametop that died: Enter removes those" : NULL,
		.reason = is_stale ? 0 : events->foreign,
	};

	return is_ours && !is_stale ? 0 : target_index_add(events->index, &target);
}

static void take_event(void *context, const char *line, bool is_ours, bool is_stale)
{
	struct dynamic_events *events = context;
	char name[NAME_BYTES];

	if (events->err || !read_name(line, name))
		return;
	if (events->count == events->room) {
		const size_t room = events->room ? 2 * events->room : 64;
		void *grown = reallocarray(events->names, room, sizeof(*events->names));

		if (!grown) {
			events->err = -ENOMEM;
			return;
		}
		events->names = grown;
		events->room = room;
	}
	memcpy(events->names[events->count++], name, sizeof(name));
	if (events->index)
		events->err = add_leftover(events, line, name, is_ours, is_stale);
}

static int read_dynamic_events(struct dynamic_events *events, struct diag *why)
{
	int err = trace_group_list_all(take_event, events, why);

	return err < 0 ? err : events->err;
}

int target_events_load_leftovers(struct target_index **out, struct diag *why)
{
	struct dynamic_events events = {
		.index = target_index_create(TARGET_LEFTOVER, "", "dynamic event"),
	};
	int err = -ENOMEM;

	*out = NULL;
	if (events.index) {
		events.foreign = target_index_reason(events.index, "another tool's: perf probe -d "
						     "removes it, if nobody needs it");
		err = read_dynamic_events(&events, why);
	}
	free(events.names);
	if (err) {
		target_index_destroy(events.index);
		return err;
	}
	*out = events.index;
	return 0;
}

/* Lists directories below @path of @dir, sorted; the caller frees each and the list, or -errno. */
static int list_directories(int dir, const char *path, struct dirent ***out)
{
	int count = scandirat(dir, path, out, NULL, alphasort), kept = 0;

	if (count < 0)
		return -errno;
	for (int i = 0; i < count; i++) {
		struct dirent *entry = (*out)[i];

		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			(*out)[kept++] = entry;
		else
			free(entry);
	}
	return kept;
}

static int compare_names(const void *one, const void *other)
{
	return strcmp(one, other);
}

static int add_tracepoint(struct target_index *index, const struct dynamic_events *events,
			  const char *group, const char *event, unsigned int unable)
{
	char name[NAME_BYTES];
	const struct target_name target = { .raw = name, .reason = unable };

	snprintf(name, sizeof(name), "%s:%s", group, event);
	if (events->count &&
	    bsearch(name, events->names, events->count, sizeof(*events->names), compare_names))
		return 0;
	return target_index_add(index, &target);
}

/* True: the group's events are parts of ftrace itself and can't be sampled. */
static bool is_ftrace(const char *group)
{
	return strcmp(group, "ftrace") == 0;
}

static int add_group(struct target_index *index, const struct dynamic_events *events, int dir,
		     const char *group, unsigned int unable)
{
	char path[TARGET_TEXT_BYTES + 16];
	struct dirent **entries;
	int count, err = 0;

	snprintf(path, sizeof(path), "events/%s", group);
	count = list_directories(dir, path, &entries);
	for (int i = 0; i < count; i++) {
		if (!err)
			err = add_tracepoint(index, events, group, entries[i]->d_name, unable);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return err;
}

static int add_groups(struct target_index *index, const struct dynamic_events *events,
		      unsigned int unable, struct diag *why)
{
	struct dirent **groups;
	int dir = tracefs_open(why), count, err = 0;

	if (dir < 0)
		return dir;
	count = list_directories(dir, "events", &groups);
	if (count < 0)
		err = diag_set(why, count, "cannot list the tracepoints: %s", strerror(-count));
	for (int i = 0; i < count; i++) {
		if (!err && !is_ftrace(groups[i]->d_name))
			err = add_group(index, events, dir, groups[i]->d_name, unable);
		free(groups[i]);
	}
	if (count >= 0)
		free(groups);
	close(dir);
	return err;
}

int target_events_load_tracepoints(struct target_index **out,
				   const struct probe_abilities *abilities, struct diag *why)
{
	struct target_index *index = target_index_create(TARGET_TRACEPOINT, "", "tracepoint");
	struct dynamic_events events = { .count = 0 };
	unsigned int unable = 0;
	int err = index ? 0 : -ENOMEM;

	*out = NULL;
	if (!err && read_dynamic_events(&events, NULL) == -ENOMEM)
		err = -ENOMEM;	/* other errors: there are none, or this kernel can't have them */
	if (!err && abilities && !abilities->list[PROBE_CAN_TRACEPOINT].is_there)
		unable = target_index_reason(index, abilities->list[PROBE_CAN_TRACEPOINT].reason);
	if (!err) {
		if (events.count)
			qsort(events.names, events.count, sizeof(*events.names), compare_names);
		err = add_groups(index, &events, unable, why);
	}
	free(events.names);
	if (err)
		target_index_destroy(index);
	else
		*out = index;
	return err;
}
