/* target_loader.c - see target_loader.h.
 *
 * Problem: a worker may need seconds for one file; a key that is pressed meanwhile must be answered
 * with the names that are loaded.
 *
 * Idea: reading and searching are two threads. This one hands over each index when it is complete,
 * and reads its requests between two files.
 *
 * Dynamic events have a directory below events/ as tracepoints have. Their definitions have their
 * names, so these are read first, and the directories with these names are skipped.
 *
 * Source: Documentation/trace/events.rst; capture/tracefs.h.
 */
#include "target_loader.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/service.h"
#include "capture/event.h"
#include "capture/tracefs.h"
#include "finder/presets.h"
#include "probe/probe_spec.h"
#include "finder/targets.h"
#include "probe/probe_engine.h"
#include "target_dsos.h"
#include "target_index.h"
#include "target_kernel.h"

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

/* Loads dynamic events of others and of dead instances, as definitions "p:probe/foo vfs_read". They
 * are no targets: only stale ones can be chosen, for removal. 0 with *@out, the caller's. */
static int read_leftovers(struct target_index **out, struct diag *why)
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

/* Loads all tracepoints except dynamic events. @abilities: see target_kernel_load(). */
static int read_tracepoints(struct target_index **out, const struct probe_abilities *abilities,
			    struct diag *why)
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

/* Events to be sampled: an index for each kind. */

/* Returns why an event can't be chosen, for target_name; 0: it can. */
static unsigned int refusal_of(struct target_index *index, const struct event_entry *entry)
{
	if (entry->kind == EVENT_FORM)	/* so that what it is stays in view */
		return 0;
	if (entry->state == EVENT_REFUSED)
		return target_index_reason(index, entry->reason);
	return 0;
}

/* Adds a line for all tracepoints, which can't be listed. */
static int add_missing(struct target_index *index, const struct diag *why)
{
	const struct target_name name = {
		.raw = "GROUP:NAME", .note = "tracepoints of the kernel",
		.reason = target_index_reason(index, why->text),
	};

	return target_index_add(index, &name);
}

static int load_event_kind(struct target_index **out, const struct event_catalogue *catalogue,
			   enum event_kind kind)
{
	static const enum target_kind_found kinds[EVENT_KINDS] = {
		[EVENT_HARDWARE] = TARGET_HARDWARE_EVENT,
		[EVENT_SOFTWARE] = TARGET_SOFTWARE_EVENT, [EVENT_CACHE] = TARGET_CACHE_EVENT,
		[EVENT_PMU] = TARGET_PMU_EVENT, [EVENT_FORM] = TARGET_EVENT_FORM,
		[EVENT_TRACEPOINT] = TARGET_TRACEPOINT_EVENT,
	};
	struct target_index *index = target_index_create(kinds[kind], "", "");
	int err = index ? 0 : -ENOMEM;

	for (size_t i = 0; i < catalogue->count && !err; i++) {
		const struct event_entry *entry = &catalogue->list[i];
		const struct target_name name = {
			.raw = entry->name, .note = entry->sentence,
			.aliases = entry->aliases[0] ? entry->aliases : NULL,
			.reason = entry->kind == kind ? refusal_of(index, entry) : 0,
			.is_counted = entry->cost == EVENT_COUNTS,
		};

		if (entry->kind == kind)
			err = target_index_add(index, &name);
	}
	if (!err && kind == EVENT_TRACEPOINT && catalogue->no_tracepoints.err)
		err = add_missing(index, &catalogue->no_tracepoints);
	if (err)
		target_index_destroy(index);
	*out = err ? NULL : index;
	return err;
}

#define REQUEST_BYTES 4096	/* room for 15 requests */
#define LOADED_BYTES  (1u << 20)	/* room for 2,000: exceeds files and requests */
#define NAMES_MAX_BYTES (256u << 20)	/* room for two million names */

enum load_kind { LOAD_SYSTEM, LOAD_LEFTOVERS, LOAD_EVENTS, LOAD_PATH };

struct load_request {
	enum load_kind kind;
	char path[TARGET_QUERY_BYTES];
};

struct target_loader {
	struct service *service;
	struct target_config config;
	struct probe_abilities abilities;	/* used if the config has none */
	void (*wake)(void *context);
	void *context;
	struct target_dsos dsos;	/* private to the thread, down to `bytes` */
	size_t next_dso;		/* index of the next one to load */
	size_t bytes;			/* size of all indexes so far */
};

static void hand_over(struct target_loader *loader, const struct target_loaded *loaded)
{
	struct target_loaded *slot = spsc_reserve(&loader->service->replies, sizeof(*slot));

	if (!slot) {
		target_index_destroy(loaded->index);
		return;
	}
	if (loaded->index)
		loader->bytes += target_index_bytes(loaded->index);
	*slot = *loaded;
	spsc_commit(&loader->service->replies);
	loader->wake(loader->context);
}

/* Hands over one source of many: an error in one does not stop the others. */
static void hand_over_source(struct target_loader *loader, struct target_index *index, int err,
			     const struct diag *why, const char *what)
{
	const struct target_loaded loaded = { .index = index };

	if (err)
		log_note("finder: no %s: %s", what, why->err ? why->text : strerror(-err));
	else
		hand_over(loader, &loaded);
}

static void hand_over_end(struct target_loader *loader, const char *path, const char *failure)
{
	struct target_loaded loaded = { .is_end = true };

	snprintf(loaded.path, sizeof(loaded.path), "%s", path);
	snprintf(loaded.failure, sizeof(loaded.failure), "%s", failure);
	hand_over(loader, &loaded);
}

/* Returns why probes like @text are impossible here, for target_name; 0: they are possible. */
static unsigned int unable_of(struct target_index *index, const struct probe_abilities *abilities,
			      const char *text)
{
	static const struct {
		enum probe_ability tracefs, pmu;
	} needs[] = {
		[PROBE_KERNEL] = { PROBE_CAN_TRACEFS_KPROBE, PROBE_CAN_KPROBE_PMU },
		[PROBE_USER] = { PROBE_CAN_TRACEFS_UPROBE, PROBE_CAN_UPROBE_PMU },
		[PROBE_USDT] = { PROBE_CAN_TRACEFS_UPROBE, PROBE_CAN_UPROBE_PMU },
		[PROBE_TRACEPOINT] = { PROBE_CAN_TRACEPOINT, PROBE_CAN_TRACEPOINT },
	};
	struct probe_spec spec;

	if (probe_spec_parse(&spec, text, NULL) ||
	    abilities->list[needs[spec.kind].tracefs].is_there ||
	    abilities->list[needs[spec.kind].pmu].is_there)
		return 0;
	return target_index_reason(index, abilities->list[needs[spec.kind].tracefs].reason);
}

static int add_preset(struct target_index *index, const struct preset *preset,
		      const struct probe_abilities *abilities, struct preset_use *use)
{
	char specs[TARGET_SPEC_BYTES], names[PRESET_NAME_BYTES + PRESET_ALSO_BYTES];
	const bool is_whole = preset_use_defaults(preset, use);
	struct target_name name = { .raw = specs, .shown = preset->title, .note = preset->about,
				    .aliases = names };

	if (is_whole)
		preset_use_join(use, specs, sizeof(specs));
	else	/* the user types the rest */
		snprintf(specs, sizeof(specs), "%s", use->specs[0][0] ? use->specs[0] : "t:");
	snprintf(names, sizeof(names), "%s %s", preset->name, preset->also);
	for (uint32_t i = 0; i < use->count && !name.reason; i++)
		name.reason = unable_of(index, abilities, use->specs[i]);
	return target_index_add(index, &name);
}

static int load_presets(struct target_index **out, const struct target_config *config)
{
	struct target_index *index = target_index_create(TARGET_PRESET, "", "");
	struct preset_use *use = malloc(sizeof(*use));
	int err = index && use ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < presets_count(config->presets); i++)
		err = add_preset(index, presets_at(config->presets, i), config->abilities, use);
	if (err)
		target_index_destroy(index);
	free(use);
	*out = err ? NULL : index;
	return err;
}

static void load_leftovers(struct target_loader *loader)
{
	struct target_index *index;
	struct diag why = { .err = 0 };
	int err = read_leftovers(&index, &why);

	hand_over_source(loader, index, err, &why, "leftover events");
}

static void load_events(struct target_loader *loader)
{
	struct event_catalogue catalogue;
	struct target_index *index;
	struct diag why = { .err = 0 };
	int err = event_catalogue_read(&catalogue, NULL);

	if (!err)
		err = event_catalogue_try(&catalogue, NULL);
	for (enum event_kind kind = 0; !err && kind < EVENT_KINDS; kind++) {
		err = load_event_kind(&index, &catalogue, kind);
		hand_over_source(loader, index, err, &why, "events");
	}
	if (catalogue.no_tracepoints.err)
		log_note("finder: no tracepoint to be sampled: %s", catalogue.no_tracepoints.text);
	event_catalogue_finish(&catalogue);
}

static void load_system(struct target_loader *loader)
{
	struct target_index *index;
	struct diag why = { .err = 0 };
	int err;

	if (!loader->config.abilities) {
		probe_abilities_try(&loader->abilities);
		loader->config.abilities = &loader->abilities;
	}
	err = load_presets(&index, &loader->config);
	hand_over_source(loader, index, err, &why, "presets");
	load_leftovers(loader);
	why.err = 0;
	err = read_tracepoints(&index, loader->config.abilities, &why);
	hand_over_source(loader, index, err, &why, "tracepoints");
	why.err = 0;
	err = target_kernel_load(&index, loader->config.abilities,
				 &loader->service->is_stopping, &why);
	hand_over_source(loader, index, err, &why, "kernel functions");
	target_dsos_list(&loader->dsos, loader->config.pid, &loader->service->is_stopping);
	loader->next_dso = 0;
}

static void hand_over_names(struct target_loader *loader, struct target_index *functions,
			    struct target_index *usdt_probes)
{
	const struct target_loaded both[] = { { .index = usdt_probes }, { .index = functions } };

	for (size_t i = 0; i < 2; i++)
		if (both[i].index)
			hand_over(loader, &both[i]);
}

static void load_next_dso(struct target_loader *loader)
{
	const struct target_dso *dso = &loader->dsos.rows[loader->next_dso++];
	struct target_index *functions, *usdt_probes;
	struct diag why = { .err = 0 };

	if (target_dsos_load(dso, loader->config.sandbox, loader->config.abilities,
			     &functions, &usdt_probes, &why))
		log_note("finder: %s: %s", dso->mapping.path, why.text);
	if (dso->pid == loader->config.pid && functions)
		target_index_prefer(functions);
	if (dso->pid == loader->config.pid && usdt_probes)
		target_index_prefer(usdt_probes);
	hand_over_names(loader, functions, usdt_probes);
	if (loader->next_dso < loader->dsos.count && loader->bytes < NAMES_MAX_BYTES)
		return;
	target_dsos_finish(&loader->dsos);
	hand_over_end(loader, "", "");
}

static void load_path(struct target_loader *loader, const char *path)
{
	struct target_index *functions, *usdt_probes;
	struct diag why = { .err = 0 };

	target_dsos_load_path(path, loader->config.sandbox, loader->config.abilities,
			      &functions, &usdt_probes, &why);
	hand_over_names(loader, functions, usdt_probes);
	hand_over_end(loader, path, why.err ? why.text : "");
}

static void carry_out(struct target_loader *loader, const struct load_request *request)
{
	switch (request->kind) {
	case LOAD_PATH:
		load_path(loader, request->path);
		return;
	case LOAD_LEFTOVERS:
		load_leftovers(loader);
		break;
	case LOAD_EVENTS:
		load_events(loader);
		break;
	case LOAD_SYSTEM:
		load_system(loader);
		if (loader->dsos.count)
			return;		/* the end comes with the last DSO */
		break;
	}
	hand_over_end(loader, "", "");
}

static int serve(void *owner)
{
	struct target_loader *loader = owner;
	const struct load_request *request;
	size_t bytes;

	request = spsc_peek(&loader->service->requests, &bytes);
	if (request) {
		carry_out(loader, request);
		spsc_release(&loader->service->requests);
	} else if (loader->dsos.count) {
		load_next_dso(loader);
	} else {
		return SERVICE_SLEEP;
	}
	return SERVICE_AGAIN;
}

static void interrupt(void *owner)
{
	struct target_loader *loader = owner;

	sandbox_cancel(loader->config.sandbox);
}

int target_loader_create(struct target_loader **out, const struct target_config *config,
			 void (*wake)(void *context), void *context, struct diag *why)
{
	struct target_loader *loader = calloc(1, sizeof(*loader));
	const struct service_plan plan = {
		.name = "flametop-names", .request_bytes = REQUEST_BYTES,
		.reply_bytes = LOADED_BYTES, .serve = serve, .interrupt = interrupt,
		.may_hang = true, .owner = loader,
	};
	int err;

	*out = NULL;
	if (!loader)
		return diag_set(why, -ENOMEM, "no memory to find targets of probes");
	loader->config = *config;
	loader->wake = wake;
	loader->context = context;
	err = service_create(&loader->service, &plan);
	if (err) {
		free(loader);
		return diag_set(why, err, "cannot start the thread that lists targets of probes: "
				"%s", strerror(-err));
	}
	*out = loader;
	return 0;
}

bool target_loader_destroy(struct target_loader *loader)
{
	struct target_loaded loaded;

	if (!loader)
		return true;
	if (!service_stop(loader->service))
		return false;
	while (target_loader_take(loader, &loaded))
		target_index_destroy(loaded.index);
	service_destroy(loader->service);
	target_dsos_finish(&loader->dsos);
	free(loader);
	return true;
}

static bool put_request(struct target_loader *loader, enum load_kind kind, const char *path)
{
	struct load_request *request = spsc_reserve(&loader->service->requests, sizeof(*request));

	if (!request)
		return false;
	request->kind = kind;
	snprintf(request->path, sizeof(request->path), "%s", path);
	spsc_commit(&loader->service->requests);
	service_wake(loader->service);
	return true;
}

bool target_loader_request(struct target_loader *loader, const char *path)
{
	return put_request(loader, path[0] ? LOAD_PATH : LOAD_SYSTEM, path);
}

bool target_loader_request_leftovers(struct target_loader *loader)
{
	return put_request(loader, LOAD_LEFTOVERS, "");
}

bool target_loader_request_events(struct target_loader *loader)
{
	return put_request(loader, LOAD_EVENTS, "");
}

bool target_loader_take(struct target_loader *loader, struct target_loaded *out)
{
	const struct target_loaded *loaded;
	size_t bytes;

	loaded = spsc_peek(&loader->service->replies, &bytes);
	if (!loaded)
		return false;
	*out = *loaded;
	spsc_release(&loader->service->replies);
	return true;
}
