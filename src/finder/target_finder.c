/* target_finder.c - see finder/targets.h.
 *
 *   ui --newest question--> finder --requests--> loader (target_loader.h)
 *      <--newest reply----        <--indexes----
 *
 * Problem: a key every 50 ms, a search over all names for each, and none of these may wait: the ui
 * for a search, a search for an outdated one, or any of them for a file.
 *
 * Idea: questions and replies go through mailboxes, which keep only the newest. A search checks now
 * and then whether its number is still the newest. When the loader delivers an index, the same
 * question is answered again, which is cheap: in the other indexes only past matches are searched.
 */
#include "finder/targets.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/name_match.h"
#include "base/sanitize.h"
#include "base/service.h"
#include "base/thread.h"
#include "capture/event.h"
#include "finder/one_liner.h"
#include "finder/presets.h"
#include "probe/probe_spec.h"
#include "probe/probe_section.h"
#include "sandbox/probe_names.h"
#include "target_index.h"
#include "target_loader.h"
#include "target_match.h"

#define PATHS_MAX 8	/* files named in queries that stay loaded */

struct question {
	uint64_t number;
	pid_t pid;
	char text[TARGET_QUERY_BYTES];
};

/* A file that a query named. */
struct named_file {
	char path[TARGET_QUERY_BYTES];
	char failure[TARGET_NOTE_BYTES];	/* ""; or why it could not be read */
};

struct target_finder {
	struct service *service;
	struct mailbox questions, replies;
	_Atomic uint64_t newest;	/* target_finder_ask() stores, searches load: a hint */
	_Atomic bool is_outdated;	/* target_finder_renew() sets, serve() clears */
	struct target_reply *held;	/* owned; BORROWED by the requesting thread */

	/* The fields below belong to the finder's thread. */
	pid_t pid;			/* process of the question; 0: none */
	struct presets *own_presets;	/* owned; NULL: the caller gave some */
	const struct presets *presets;
	struct target_loader *loader;
	struct target_index **indexes;	/* owned, with the indexes themselves */
	size_t count, room;
	uint32_t requests;		/* number of requests the loader has not finished */
	bool is_loaded;			/* everything was requested, but events */
	bool has_events, are_events_loaded;	/* events are wanted; were requested */
	bool wants_path;		/* request the file of the query */
	bool wants_leftovers;		/* request the leftovers */
	struct named_file paths[PATHS_MAX];
	size_t next_path;		/* next of `paths` to replace */
	struct target_query query;
	uint64_t number;		/* number of the question; 0: none yet */
	bool needs_search;
	struct target_match_work work;
	struct target_ranking ranking;
};

static void wake(void *context)
{
	struct target_finder *finder = context;

	service_wake(finder->service);
}

static struct named_file *find_path(struct target_finder *finder, const char *path)
{
	for (size_t i = 0; i < PATHS_MAX; i++)
		if (finder->paths[i].path[0] && strcmp(finder->paths[i].path, path) == 0)
			return &finder->paths[i];
	return NULL;
}

static bool has_index(const struct target_finder *finder, const char *path)
{
	for (size_t i = 0; i < finder->count; i++)
		if (strcmp(target_index_path(finder->indexes[i]), path) == 0)
			return true;
	return false;
}

static void forget_path(struct target_finder *finder, const char *path)
{
	size_t kept = 0;

	for (size_t i = 0; i < finder->count; i++)
		if (strcmp(target_index_path(finder->indexes[i]), path) != 0)
			finder->indexes[kept++] = finder->indexes[i];
		else
			target_index_destroy(finder->indexes[i]);
	finder->count = kept;
}

/* Requests a file; drops the one that was named first if there are too many. False: too many
 * requests wait, try again when some of them are done. */
static bool request_path(struct target_finder *finder, const char *path)
{
	struct named_file *file = &finder->paths[finder->next_path];

	if (find_path(finder, path) || has_index(finder, path))
		return true;
	if (!target_loader_request(finder->loader, path))
		return false;
	if (file->path[0])
		forget_path(finder, file->path);
	finder->next_path = (finder->next_path + 1) % PATHS_MAX;
	snprintf(file->path, sizeof(file->path), "%s", path);
	file->failure[0] = '\0';
	finder->requests++;
	return true;
}

/* Makes @path absolute, as in maps. A path that would be too long, or does not exist, stays as
 * typed. */
static void make_absolute(char path[TARGET_QUERY_BYTES])
{
	char *whole = path[0] && path[0] != '/' ? realpath(path, NULL) : NULL;

	if (whole && strlen(whole) < TARGET_QUERY_BYTES)
		memcpy(path, whole, strlen(whole) + 1);
	free(whole);
}

static bool is_of_events(const struct target_query *query)
{
	return !strcmp(query->prefix, TARGET_EVENTS);
}

/* Takes a new question. False: there is none. */
static bool take_question(struct target_finder *finder)
{
	struct question *question = mailbox_take(&finder->questions);

	if (!question)
		return false;
	finder->number = question->number;
	finder->pid = question->pid;
	target_query_make(&finder->query, question->text);
	make_absolute(finder->query.path);
	free(question);
	if (!is_of_events(&finder->query) && !finder->is_loaded &&
	    target_loader_request(finder->loader, "")) {
		finder->is_loaded = true;
		finder->requests++;
	}
	if (finder->has_events && !finder->are_events_loaded &&
	    target_loader_request_events(finder->loader)) {
		finder->are_events_loaded = true;
		finder->requests++;
	}
	finder->wants_path = finder->query.path[0];
	return true;
}

static bool is_pair(const struct target_index *a, const struct target_index *b)
{
	const char *path = target_index_path(a);

	return path[0] && target_index_kind(a) == target_index_kind(b) &&
	       strcmp(path, target_index_path(b)) == 0;
}

/* False: no leftovers were loaded yet. */
static bool replace_leftovers(struct target_finder *finder, struct target_index *index)
{
	for (size_t i = 0; i < finder->count; i++) {
		if (target_index_kind(finder->indexes[i]) != TARGET_LEFTOVER)
			continue;
		target_index_destroy(finder->indexes[i]);
		finder->indexes[i] = index;
		return true;
	}
	return false;
}

static void add_index(struct target_finder *finder, struct target_index *index)
{
	if (target_index_kind(index) == TARGET_LEFTOVER && replace_leftovers(finder, index))
		return;
	for (size_t i = 0; i < finder->count; i++) {
		if (!is_pair(index, finder->indexes[i]))
			continue;
		target_index_destroy(index);	/* a query named it before it was found mapped */
		return;
	}
	if (finder->count == finder->room) {
		const size_t room = finder->room ? 2 * finder->room : 64;
		void *grown = reallocarray(finder->indexes, room, sizeof(*finder->indexes));

		if (!grown) {
			target_index_destroy(index);
			return;
		}
		finder->indexes = grown;
		finder->room = room;
	}
	finder->indexes[finder->count++] = index;
}

static bool take_loaded(struct target_finder *finder)
{
	struct target_loaded loaded;
	struct named_file *file;
	bool is_any = false;

	while (target_loader_take(finder->loader, &loaded)) {
		is_any = true;
		if (loaded.index)
			add_index(finder, loaded.index);
		if (!loaded.is_end)
			continue;
		finder->requests--;
		if (!loaded.path[0])
			continue;
		file = find_path(finder, loaded.path);
		if (file)
			memcpy(file->failure, loaded.failure, sizeof(file->failure));
		else
			forget_path(finder, loaded.path);	/* it was dropped meanwhile */
	}
	return is_any;
}

static bool is_meant(const struct target_query *query, const struct target_index *index)
{
	if (!(query->kinds >> target_index_kind(index) & 1))
		return false;
	return !query->path[0] || strcmp(query->path, target_index_path(index)) == 0;
}

/* Order among equal matches: rare ones made for the question, then those that every system has. */
static uint32_t order_of(enum target_kind_found kind, size_t index)
{
	enum { OF_FILES = 11 };
	static const uint32_t orders[] = {
		[TARGET_TYPED] = 0, [TARGET_PRESET] = 1, [TARGET_LEFTOVER] = 2,
		[TARGET_HARDWARE_EVENT] = 3, [TARGET_SOFTWARE_EVENT] = 4, [TARGET_CACHE_EVENT] = 5,
		[TARGET_PMU_EVENT] = 6, [TARGET_EVENT_FORM] = 7, [TARGET_TRACEPOINT] = 8,
		[TARGET_TRACEPOINT_EVENT] = 9, [TARGET_KERNEL_FUNCTION] = 10,
		[TARGET_USDT] = OF_FILES, [TARGET_USER_FUNCTION] = OF_FILES,
	};

	return orders[kind] < OF_FILES ? orders[kind] : OF_FILES + (uint32_t)index;
}

/* Searches all indexes. False: interrupted. */
static bool search(struct target_finder *finder)
{
	struct target_search request = {
		.pattern = &finder->query.pattern, .text = finder->query.words,
		.work = &finder->work, .ranking = &finder->ranking, .newest = &finder->newest,
		.number = finder->number,
	};

	finder->ranking.count = finder->ranking.matches = 0;
	for (size_t i = 0; i < finder->count; i++) {
		if (!is_meant(&finder->query, finder->indexes[i]))
			continue;
		request.order = order_of(target_index_kind(finder->indexes[i]), i);
		if (!target_index_search(finder->indexes[i], &request))
			return false;
	}
	return true;
}

static void add_result(struct target_reply *reply, const struct target_result *result)
{
	if (reply->count < TARGET_RESULTS_MAX)
		reply->results[reply->count++] = *result;
	reply->matches++;
}

/* Writes the spec of a source line in the program of @pid; false: there is none, or its path would
 * mean something else in a spec. */
static bool put_own_line(pid_t pid, const struct probe_spec *typed, char out[TARGET_SPEC_BYTES])
{
	char link[32], path[TARGET_QUERY_BYTES];
	struct probe_spec spec;
	ssize_t length;

	if (pid <= 0 || typed->file[0] || !typed->source[0])
		return false;
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0)
		return false;
	path[length] = '\0';
	return snprintf(out, TARGET_SPEC_BYTES, "u:%s:%s", path, typed->text) < TARGET_SPEC_BYTES &&
	       !probe_spec_parse(&spec, out, NULL) && strcmp(spec.file, path) == 0 &&
	       strcmp(spec.source, typed->source) == 0;
}

/* Writes the spec for "FILE:FUNC:LINE", "FILE:SOURCE:LINE" or "FILE:FUNC+OFFSET", places that no
 * name in an index stands for. */
static bool put_line_of_file(const struct target_query *query, char out[TARGET_SPEC_BYTES])
{
	struct probe_spec spec;

	return query->path[0] && query->words[0] && !query->pattern.is_glob &&
	       snprintf(out, TARGET_SPEC_BYTES, "u:%s:%s", query->path, query->words) <
	       TARGET_SPEC_BYTES && !probe_spec_parse(&spec, out, NULL) &&
	       (spec.line || spec.offset || spec.pattern[0]);
}

/* Adds an event that no name in an index stands for: with modifiers or terms, a pattern, a code, an
 * address. One that can't be is added, with the reason, when there is nothing else. */
static void add_typed_event(const struct target_finder *finder, struct target_reply *reply)
{
	struct target_result result = { .kind = TARGET_TYPED, .is_event = true };
	const char *text = finder->query.words;
	struct diag why = { .text = "as typed" };

	if (!text[0] || strchr(text, ' '))
		return;
	result.is_able = !event_check_text(text, &why);
	if (!result.is_able && (finder->ranking.matches || finder->requests))
		return;
	snprintf(result.spec, sizeof(result.spec), "%s", text);
	sanitize_text(result.shown, sizeof(result.shown), text, strlen(text));
	sanitize_text(result.note, sizeof(result.note), why.text, strlen(why.text));
	add_result(reply, &result);
}

/* Adds a spec of a translation, with the reason if it can't be had. */
static void add_translated(struct target_reply *reply, const char *spec, const char *note)
{
	struct target_result result = { .kind = TARGET_TYPED };
	char shown[TARGET_SPEC_BYTES];

	result.is_able = strlen(spec) < sizeof(result.spec);
	if (!result.is_able)
		note = "the spec is too long for this list: --probe takes it";
	else if (!note[0])
		note = "as translated";
	snprintf(result.spec, sizeof(result.spec), "%s", result.is_able ? spec : "");
	snprintf(shown, sizeof(shown), "= %s", spec);
	sanitize_text(result.shown, sizeof(result.shown), shown, strlen(shown));
	sanitize_text(result.note, sizeof(result.note), note, strlen(note));
	add_result(reply, &result);
}

/* Adds what can't be probed as it was typed, with the reason. */
static void add_refused(struct target_reply *reply, const char *text, const struct diag *why)
{
	struct target_result refused = { .kind = TARGET_TYPED };

	sanitize_text(refused.shown, sizeof(refused.shown), text, strlen(text));
	sanitize_text(refused.note, sizeof(refused.note), why->text, strlen(why->text));
	add_result(reply, &refused);
}

/* Adds the specs that ask what a one-liner asks, or why there is none. */
static void add_one_liner(const struct target_finder *finder, struct target_reply *reply)
{
	const char *text = finder->query.text;
	struct one_liner made;
	struct diag why = { .text = "" };

	if (!one_liner_translate(&made, text, &why)) {
		for (uint32_t i = 0; i < made.count; i++)
			add_translated(reply, made.specs[i], made.note);
		return;
	}
	add_refused(reply, text, &why);
}

/* False: a value makes one of the preset's specs wrong; @why has the spec's column. */
static bool is_right(const struct preset_use *use, struct diag *why)
{
	for (uint32_t i = 0; i < use->count; i++) {
		struct probe_spec spec;

		if (probe_spec_parse(&spec, use->specs[i], why))
			return false;
	}
	return true;
}

/* Adds a preset that was typed with values for its parameters: "ext4slower 5". */
static void add_typed_preset(const struct target_finder *finder, struct target_reply *reply)
{
	struct target_result result = { .kind = TARGET_PRESET, .is_able = true };
	const char *text = finder->query.text;
	struct preset_use *use = malloc(sizeof(*use));
	struct diag why = { .text = "" };

	if (!use || !strchr(text, ' ') || presets_use(finder->presets, text, use, NULL) ||
	    !use->preset->parameter_count) {
		free(use);
		return;
	}
	if (!is_right(use, &why)) {
		add_refused(reply, text, &why);
	} else if (preset_use_join(use, result.spec, sizeof(result.spec)) < sizeof(result.spec)) {
		sanitize_text(result.shown, sizeof(result.shown), text, strlen(text));
		snprintf(result.note, sizeof(result.note), "%s", use->preset->about);
		add_result(reply, &result);
	}
	free(use);
}

/* Adds the query itself if it is a complete spec. */
static void add_typed(const struct target_finder *finder, struct target_reply *reply)
{
	struct target_result result = { .kind = TARGET_TYPED, .is_able = true };
	const char *text = finder->query.text;
	char of_file[TARGET_SPEC_BYTES];
	struct probe_spec spec;

	if (finder->query.is_one_liner) {
		add_one_liner(finder, reply);
		return;
	}
	if (is_of_events(&finder->query)) {
		add_typed_event(finder, reply);
		return;
	}
	if (put_line_of_file(&finder->query, of_file))
		text = of_file;
	if (!strpbrk(text, ":+%") || probe_spec_parse(&spec, text, NULL))
		return;
	if (!put_own_line(finder->pid, &spec, result.spec))
		snprintf(result.spec, sizeof(result.spec), "%s", text);
	sanitize_text(result.shown, sizeof(result.shown), text, strlen(text));
	snprintf(result.note, sizeof(result.note), "as typed");
	add_result(reply, &result);
}

static void add_failure(struct target_finder *finder, struct target_reply *reply)
{
	const struct named_file *file = find_path(finder, finder->query.path);
	struct target_result result = { .kind = TARGET_USER_FUNCTION };

	if (!file || !file->failure[0])
		return;
	sanitize_text(result.shown, sizeof(result.shown), file->path, strlen(file->path));
	snprintf(result.note, sizeof(result.note), "%s", file->failure);
	add_result(reply, &result);
}

/* Adds the hits. One with the same spec as the query replaces it, since it knows more. */
static void add_hits(struct target_finder *finder, struct target_reply *reply)
{
	const struct target_ranking *ranking = &finder->ranking;
	const bool has_typed = reply->count && reply->results[0].kind == TARGET_TYPED;
	char typed[TARGET_SPEC_BYTES] = "";
	struct target_result result;

	if (has_typed)
		memcpy(typed, reply->results[0].spec, sizeof(typed));

	for (size_t i = 0; i < ranking->count; i++) {
		const struct target_hit *hit = &ranking->hits[i];
		const enum target_kind_found kind = target_index_kind(hit->index);

		target_index_result(hit, &finder->query.pattern, &finder->work,
				    target_query_prefix(&finder->query, kind), &result);
		if (has_typed && (strcmp(result.spec, finder->query.text) == 0 ||
				  (result.is_event && strcmp(result.spec, typed) == 0))) {
			reply->results[0] = result;
			reply->matches--;
		} else if (reply->count < TARGET_RESULTS_MAX) {
			reply->results[reply->count++] = result;
		}
	}
	reply->matches += ranking->matches;
}

/* Adds what is wrong with a spec to which nothing else was found. */
static void add_misspelt(const struct target_finder *finder, struct target_reply *reply)
{
	const char *text = finder->query.text;
	const char *colon = strchr(text, ':'), *blank = strchr(text, ' ');
	struct probe_spec spec;
	struct diag why = { .text = "" };

	if (!reply->count && !reply->matches && !finder->requests && colon && blank &&
	    colon < blank && probe_spec_parse(&spec, text, &why))
		add_refused(reply, text, &why);
}

static void reply(struct target_finder *finder)
{
	struct target_reply *reply = malloc(sizeof(*reply));

	if (!reply)
		return;		/* the next key sends a new request */
	reply->number = finder->number;
	reply->matches = reply->count = 0;
	reply->is_loading = finder->requests > 0;
	snprintf(reply->words, sizeof(reply->words), "%s", finder->query.words);
	add_typed(finder, reply);
	if (!is_of_events(&finder->query))
		add_typed_preset(finder, reply);
	if (finder->query.path[0])
		add_failure(finder, reply);
	add_hits(finder, reply);
	if (!is_of_events(&finder->query))
		add_misspelt(finder, reply);
	free(mailbox_put(&finder->replies, reply));
	service_notify(finder->service);
}

/* Sends requests, also those that found the queue full before. */
static void request_what_is_wanted(struct target_finder *finder)
{
	if (atomic_exchange(&finder->is_outdated, false))
		finder->wants_leftovers = finder->is_loaded;
	if (finder->wants_leftovers && target_loader_request_leftovers(finder->loader)) {
		finder->wants_leftovers = false;
		finder->requests++;
	}
	if (finder->wants_path)
		finder->wants_path = !request_path(finder, finder->query.path);
}

static int serve(void *owner)
{
	struct target_finder *finder = owner;

	finder->needs_search |= take_question(finder);
	finder->needs_search |= take_loaded(finder);
	request_what_is_wanted(finder);
	if (!finder->needs_search || !finder->number)
		return SERVICE_SLEEP;
	if (search(finder)) {
		finder->needs_search = false;
		reply(finder);
	}
	return SERVICE_AGAIN;
}

int target_finder_create(struct target_finder **out, const struct target_config *config,
			 struct diag *why)
{
	struct target_finder *finder = calloc(1, sizeof(*finder));
	const struct service_plan plan = { .name = "flametop-find", .serve = serve,
					   .owner = finder };
	struct target_config own = *config;
	int err = 0;

	*out = NULL;
	if (!finder)
		return diag_set(why, -ENOMEM, "no memory to find targets of probes");
	finder->has_events = config->has_events;
	if (!config->presets)
		err = presets_create(&finder->own_presets);
	if (err) {
		diag_set(why, err, "no memory for presets");
		free(finder);
		return err;
	}
	if (finder->own_presets)
		own.presets = finder->own_presets;
	finder->presets = own.presets;
	err = target_loader_create(&finder->loader, &own, wake, finder, why);
	if (!err) {
		err = service_create(&finder->service, &plan);
		if (err)
			diag_set(why, err, "cannot start the thread that finds targets of probes:"
				 " %s", strerror(-err));
	}
	if (err) {
		target_finder_destroy(finder);
		return err;
	}
	*out = finder;
	return 0;
}

bool target_finder_destroy(struct target_finder *finder)
{
	if (!finder)
		return true;
	/* The loader ends after the finder, which calls it. The loader wakes the finder's service,
	 * which is freed after it. */
	atomic_store(&finder->newest, UINT64_MAX);
	service_stop(finder->service);
	if (!target_loader_destroy(finder->loader))
		return false;
	service_destroy(finder->service);
	for (size_t i = 0; i < finder->count; i++)
		target_index_destroy(finder->indexes[i]);
	free(finder->indexes);
	free(mailbox_take(&finder->questions));
	free(mailbox_take(&finder->replies));
	free(finder->held);
	presets_destroy(finder->own_presets);
	free(finder);
	return true;
}

void target_finder_ask(struct target_finder *finder, uint64_t number, const char *text, pid_t pid)
{
	struct question *question = malloc(sizeof(*question));

	if (!question)
		return;
	question->number = number;
	question->pid = pid;
	snprintf(question->text, sizeof(question->text), "%s", text);
	free(mailbox_put(&finder->questions, question));
	atomic_store(&finder->newest, number);
	service_wake(finder->service);
}

void target_finder_renew(struct target_finder *finder)
{
	atomic_store(&finder->is_outdated, true);
	service_wake(finder->service);
}

const struct target_reply *target_finder_reply(struct target_finder *finder)
{
	struct target_reply *reply;

	service_quiet(finder->service);
	reply = mailbox_take(&finder->replies);
	if (!reply)
		return NULL;
	free(finder->held);
	finder->held = reply;
	return reply;
}

int target_finder_fd(const struct target_finder *finder)
{
	return service_fd(finder->service);
}
