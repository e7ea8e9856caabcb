/* publisher.c - see analyzer/publisher.h. */
#include "analyzer/publisher.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "fold/fold.h"
#include "fold/window_fold.h"
#include "ingest/loss_sums.h"
#include "probe_draft.h"
#include "proc/task_list.h"
#include "snapshot_build.h"
#include "snapshot_losses.h"

#define BASELINE_SHARE	4	/* 1/4 of all memory: its stacks take as much again */
#define NO_EVENT	UINT32_MAX		/* nothing is sampled, and no probe is there yet */
/* Shorter times have the cost of a single fold, as snapshots for keys come in quick succession.
 * Half of the shortest interval. */
#define OWN_COST_MIN_NS (50 * CLOCK_NS_PER_MS)

int publisher_init(struct publisher *publisher, const struct analyzer_config *config,
		   struct ingest *ingest)
{
	*publisher = (struct publisher){ .config = config, .ingest = ingest };
	publisher->failure = snapshot_create_failure();
	compare_init(&publisher->compare, ingest);
	task_stats_init(&publisher->task_stats, config->reader);
	source_lines_init(&publisher->source_lines, config->line_server, ingest);
	return publisher->failure ? 0 : -ENOMEM;
}

void publisher_finish(struct publisher *publisher)
{
	live_window_finish(&publisher->window);
	compare_finish(&publisher->compare);
	busy_finish(&publisher->busy);
	loss_history_finish(&publisher->losses);
	task_stats_finish(&publisher->task_stats);
	source_lines_finish(&publisher->source_lines);
	snapshot_destroy(publisher->failure);
	publisher->failure = NULL;
}

void publisher_start(struct publisher *publisher, uint64_t begin_ns)
{
	const uint64_t now_ns = clock_now_ns();

	publisher->own_cpu_ns = clock_own_cpu_ns();
	publisher->own_cpu_at_ns = now_ns;
	if (publisher->config->ingest.is_replay)
		return;		/* its time begins with its first sample */
	publisher->history_ns = publisher->published_ns = begin_ns;
	busy_read(&publisher->busy, now_ns);
}

uint64_t publisher_due_ns(const struct publisher *publisher)
{
	if (!publisher->config->has_busy || publisher->is_ended)
		return UINT64_MAX;
	return busy_due_ns(&publisher->busy);
}

void publisher_tick(struct publisher *publisher, uint64_t now_ns)
{
	if (now_ns >= publisher_due_ns(publisher))
		busy_read(&publisher->busy, now_ns);
}

void publisher_note_losses(struct publisher *publisher)
{
	uint64_t sums[LOSS_CAUSES];

	publisher->ingest->clock.stolen_ns = busy_stolen_ns(&publisher->busy);
	loss_sums_read(publisher->ingest, sums);
	loss_history_note(&publisher->losses, publisher->ingest->watermark_ns, sums);
}

void publisher_renumbered(struct publisher *publisher)
{
	live_window_reset(&publisher->window);
	compare_forget(&publisher->compare);
	source_lines_forget_gone(&publisher->source_lines);
}

void publisher_switch(struct publisher *publisher, uint64_t begin_ns, bool had_busy)
{
	live_window_reset(&publisher->window);
	if (publisher->ingest->baseline.is_set)
		baseline_forget(&publisher->ingest->baseline,
				"the baseline is gone: what is sampled now can't be compared with "
				"it; mark another");
	if (!had_busy) {	/* a reading from long ago would stand for all the time since */
		busy_finish(&publisher->busy);
		busy_read(&publisher->busy, clock_now_ns());
	}
	publisher->busy.gone_count = 0;	/* what is online now is sampled */
	publisher->history_ns = publisher->published_ns = begin_ns;
	publisher->zero_ns = 0;
	publisher->published_seq = publisher->ingest->timeline.open_slice.seq;
	publisher->event = 0;
	publisher_freeze(publisher, 0, 0);
	publisher->is_ended = false;
}

void publisher_zero(struct publisher *publisher)
{
	struct ingest *ingest = publisher->ingest;

	timeline_set_border(&ingest->timeline, ingest->watermark_ns);
	live_window_reset(&publisher->window);
	publisher->zero_ns = publisher->published_ns = ingest->watermark_ns;
	publisher->published_seq = ingest->timeline.open_slice.seq;
	publisher_freeze(publisher, 0, 0);
}

/* Keeps the ends of a frozen window from being rolled up. A window since start has only one. */
static void keep_frozen(struct publisher *publisher)
{
	const uint64_t end_ns = publisher->frozen_ns, length_ns = publisher->config->window_ns;
	uint64_t begin_ns = publisher->chosen_ns;

	if (!begin_ns && publisher->config->window == WINDOW_SECONDS && end_ns > length_ns)
		begin_ns = end_ns - length_ns;
	timeline_keep_ticks(&publisher->ingest->timeline, begin_ns, end_ns);
}

void publisher_freeze(struct publisher *publisher, uint64_t begin_ns, uint64_t end_ns)
{
	publisher->frozen_ns = end_ns;
	publisher->chosen_ns = end_ns ? begin_ns : 0;
	keep_frozen(publisher);
}

/* Returns the begin of history: nothing counted earlier is left. */
static uint64_t history_begin_ns(const struct publisher *publisher)
{
	const struct timeline *timeline = &publisher->ingest->timeline;
	uint64_t begin_ns = publisher->history_ns;

	if (!begin_ns && timeline->count)
		begin_ns = timeline->slices[0].start_ns;
	return timeline->evicted_until_ns > begin_ns ? timeline->evicted_until_ns : begin_ns;
}

static struct window_span choose_span(const struct publisher *publisher)
{
	const struct window_wish wish = {
		.kind = publisher->config->window, .length_ns = publisher->config->window_ns,
		.known_ns = history_begin_ns(publisher), .zero_ns = publisher->zero_ns,
		.zero_seq = publisher->ingest->timeline.border_seq,
		.newest_ns = publisher->ingest->watermark_ns, .frozen_ns = publisher->frozen_ns,
		.chosen_ns = publisher->chosen_ns,
		.since_ns = publisher->published_ns, .since_seq = publisher->published_seq,
	};

	return window_span_choose(&publisher->ingest->timeline, &wish);
}

void publisher_mark(struct publisher *publisher, uint64_t begin_ns, uint64_t end_ns,
		    bool is_around)
{
	struct ingest *ingest = publisher->ingest;
	const struct window_wish wish = {
		.kind = WINDOW_ALL,	/* from the start, if there is no begin */
		.known_ns = history_begin_ns(publisher), .zero_ns = publisher->zero_ns,
		.zero_seq = ingest->timeline.border_seq, .newest_ns = ingest->watermark_ns,
		.chosen_ns = begin_ns, .frozen_ns = end_ns,
	};

	if (!end_ns || begin_ns > end_ns) {
		baseline_forget(&ingest->baseline, "");
		return;
	}
	/* The newest part of a live window may be in the open slice. */
	if (timeline_cut(&ingest->timeline, ingest->watermark_ns))
		return;
	(is_around ? baseline_take_around : baseline_take)(
		&ingest->baseline, &ingest->timeline, &wish, ingest->hits, "",
		publisher->config->memory_bytes / BASELINE_SHARE);
}

int publisher_mark_all(struct publisher *publisher, const char *label)
{
	struct ingest *ingest = publisher->ingest;
	struct window_wish wish = { .kind = WINDOW_ALL, .newest_ns = ingest->watermark_ns };

	if (timeline_cut(&ingest->timeline, ingest->watermark_ns))
		return -ENOMEM;
	wish.known_ns = history_begin_ns(publisher);
	wish.zero_ns = publisher->zero_ns;
	wish.zero_seq = ingest->timeline.border_seq;
	return baseline_take(&ingest->baseline, &ingest->timeline, &wish, ingest->hits, label,
			     SIZE_MAX);
}

void publisher_next_recording(struct publisher *publisher)
{
	publisher_renumbered(publisher);
	publisher_freeze(publisher, 0, 0);
	loss_history_clear(&publisher->losses);
	publisher->history_ns = publisher->zero_ns = publisher->published_ns = 0;
	publisher->published_seq = publisher->ingest->timeline.open_slice.seq;
	publisher->event = 0;
	publisher->is_ended = false;
}

/* Fills @folds with the window; returns the kinds of its stacks. */
static struct stack_counts fold_window(struct publisher *publisher, struct window_fold *folds,
				       struct window_span span)
{
	const struct timeline *timeline = &publisher->ingest->timeline;
	const struct analyzer_config *config = publisher->config;
	struct stack_counts stacks = { 0 };
	struct slice *slices;
	uint32_t count;

	if (config->window == WINDOW_SECONDS && config->window_ns <= LIVE_WINDOW_MAX_NS &&
	    span.first < span.end && !publisher->frozen_ns &&
	    !live_window_update(&publisher->window, timeline, timeline->slices[span.first].seq)) {
		const struct slice sum = { .entries = publisher->window.sum.entries,
					   .count = publisher->window.sum.count };

		window_fold_add(folds, &sum, 1);
		return publisher->window.stacks;
	}
	if (window_span_slices(&span, timeline, &slices, &count)) {
		folds->rows.is_out_of_memory = true;
		return stacks;
	}
	if (config->window == WINDOW_DECAY && !span.is_chosen)
		window_fold_add_decaying(folds, slices, count, span.end_ns);
	else
		window_fold_add(folds, slices, count);
	for (uint32_t s = 0; s < count; s++)
		stack_counts_add(&stacks, &slices[s].stacks);
	free(slices);
	return stacks;
}

static uint64_t own_rss_bytes(void)
{
	unsigned long long total, resident = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file)
		return 0;
	if (fscanf(file, "%llu %llu", &total, &resident) != 2)
		resident = 0;
	fclose(file);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void put_own_cost(struct publisher *publisher, struct snapshot *head)
{
	const uint64_t now_ns = clock_now_ns(), cpu_ns = clock_own_cpu_ns();
	const uint64_t least_ns = publisher->seq ? OWN_COST_MIN_NS : 1;

	if (now_ns >= publisher->own_cpu_at_ns + least_ns) {
		publisher->own_cpu_pct = 100.0 * (double)(cpu_ns - publisher->own_cpu_ns) /
					 (double)(now_ns - publisher->own_cpu_at_ns);
		publisher->own_cpu_ns = cpu_ns;
		publisher->own_cpu_at_ns = now_ns;
	}
	head->own_cpu_pct = publisher->own_cpu_pct;
	head->own_rss_bytes = own_rss_bytes();
}

static void put_figures(const struct publisher *publisher, const struct fold *fold,
			struct window_span span, const struct query *query, struct snapshot *head)
{
	const struct analyzer_config *config = publisher->config;

	head->event_index = fold->event == NO_EVENT ? 0 : fold->event;
	head->newest_ns = publisher->ingest->watermark_ns;
	head->known_ns = history_begin_ns(publisher);
	head->is_history_cut = publisher->ingest->timeline.evicted_until_ns > publisher->history_ns;
	head->window_s = (double)(span.end_ns - span.begin_ns) / 1e9;
	head->keys = fold->keys;
	head->query = query->number;
	head->is_relative = query->is_relative;
	head->samples = fold->samples;
	head->samples_per_s = snapshot_per_s(fold->samples, head->window_s);
	if (config->offers_children && head->samples_per_s * 100 <= (double)head->freq_hz)
		head->target_children = task_list_count_children((pid_t)config->target_pid);
	head->idle_samples = fold->idle_samples;
	head->weight = fold->weight;
	head->idle_weight = fold->idle_weight;
	head->shown_samples = fold->shown_samples;
	head->shown_weight = fold->shown_weight;
	head->unresolved = fold->unresolved;
	head->busy_pct = config->has_busy ? busy_pct(&publisher->busy, span.begin_ns, span.end_ns)
					  : -1;
	if (head->window == WINDOW_ALL)
		head->evicted_samples = publisher->ingest->timeline.evicted_samples;
	snapshot_losses_put_window(head);
}

/* Up to now, whatever the window; so are the events that have samples. */
static void put_strip(struct publisher *publisher, struct snapshot *head, uint32_t event,
		      bool wants_heat)
{
	struct strip *strip = &publisher->strip;
	const struct ingest *ingest = publisher->ingest;
	const struct probe_row *probe = probe_hits_of_event(ingest->hits, event);
	struct strip_span span = {
		.begin_ns = history_begin_ns(publisher), .end_ns = ingest->watermark_ns,
		.event = event, .is_only_event = head->event_count == 1 && !ingest->hits,
		.is_whole = publisher->config->ingest.is_replay,
	};

	if (probe && (!probe->first_ns || probe->first_ns > span.begin_ns))
		span.begin_ns = probe->first_ns ? probe->first_ns : span.end_ns;
	if (publisher->config->has_busy && !probe)
		strip_from_busy(strip, &publisher->busy);
	else
		strip_from_timeline(strip, &ingest->timeline, &span);
	head->next_shown = tick_totals_next(&ingest->timeline.totals, event, head->event_count);
	head->strip_kind = strip->kind;
	head->strip_count = strip->count;
	head->strip_step_s = strip->step_s;
	head->strip_end_ns = strip->end_ns;
	head->strip = strip->points;
	if (wants_heat)
		strip_heat(strip, &ingest->timeline, &span);
	head->heat = strip->has_heat ? strip->heat : NULL;
	head->heat_most = strip->has_heat ? strip->heat_most : 0;
}

static enum stack_kind stack_kind_of(const struct record_format *format)
{
	return format->sample_type & PERF_SAMPLE_STACK_USER ? STACKS_COPIED
	     : format->sample_type & PERF_SAMPLE_CALLCHAIN ? STACKS_CHAINED : STACKS_OFF;
}

static void describe_probe(const struct probe_row *row, struct snapshot *head)
{
	const struct probe_reading *reading = row->generations[row->newest].reading;

	head->event = row->name;
	head->stacks = !reading ? STACKS_OFF
				: stack_kind_of(row->spec->edge == PROBE_RETURN
						? &reading->leave.format : &reading->entry.format);
}

/* If only probes are sampled, the first one may not be attached yet. */
static void describe_event(const struct publisher *publisher, uint32_t event,
			   struct snapshot *head)
{
	const struct ingest_config *config = &publisher->config->ingest;
	const struct probe_row *row = probe_hits_of_event(publisher->ingest->hits, event);

	if (row) {
		describe_probe(row, head);
	} else if (event < head->event_count) {
		head->event = config->events[event]->name;
		head->freq_hz = config->events[event]->freq_hz;
		head->fixed_period = config->events[event]->fixed_period;
		head->stacks = stack_kind_of(&config->events[event]->format);
		head->stack_copy_bytes = config->events[event]->copy_bytes;
	} else {
		head->event = "";
		head->stacks = STACKS_OFF;
	}
}

/* Fills the probes of the window, once in a chain of snapshots. */
static int draft_probes(struct publisher *publisher, const struct probe_fold *fold,
			const struct query *query, struct window_span span, struct probe_draft *out)
{
	struct ingest *ingest = publisher->ingest;
	struct probe_fold base = { .buckets = NULL };
	struct probe_draft_span draft_span = {
		.begin_ns = span.begin_ns, .end_ns = span.end_ns, .is_chosen = span.is_chosen,
		.known_ns = history_begin_ns(publisher), .now_ns = clock_now_ns(),
		.detail = query->probe, .wants_values = publisher->config->wants_all_events,
		.hit_probe = query->hit_probe, .hit = query->hit, .raw_names = query->raw_names,
	};
	int err;

	if (query->compare && ingest->baseline.is_set) {
		if (probe_fold_init(&base, ingest->hits))
			return -ENOMEM;
		probe_fold_add(&base, ingest->baseline.entries, ingest->baseline.count);
		draft_span.base = &base;
		draft_span.baseline = &ingest->baseline;
	}
	err = probe_draft_fill(out, ingest, fold, &draft_span);
	probe_fold_finish(&base);
	return err;
}

/* Requests lines that the trees lack: the screen has no rows for which it could request them. */
static void wish_lines(struct publisher *publisher, const struct window_fold *folds)
{
	struct source_wish wishes[SOURCE_WISHES_MAX];
	uint32_t count = 0;

	if (folds->tree && folds->tree->chains)
		count = tree_fold_wishes(folds->tree, &publisher->source_lines, wishes);
	if (!count && folds->groups)
		count = group_fold_wishes(folds->groups, wishes);
	if (count)
		source_lines_wish(&publisher->source_lines, wishes, count);
}

static const char *name_of_event(const void *owner, uint32_t event)
{
	const struct publisher *publisher = owner;
	const struct ingest_config *config = &publisher->config->ingest;
	const struct probe_row *row = probe_hits_of_event(publisher->ingest->hits, event);

	if (row)
		return row->name;
	return event < config->event_count ? config->events[event]->name : "";
}

/* If groups have events as a level, a chain of snapshots has them only once. */
static bool wants_groups(const struct publisher *publisher, const struct query *query,
			 uint32_t event)
{
	const bool is_first = !publisher->config->wants_all_events || !event ||
			      event >= publisher->config->ingest.event_count;

	for (uint32_t i = 0; i < query->group_count; i++)
		if (query->groups[i] == GROUP_EVENT)
			return is_first;
	return query->group_count;
}

/* If events are groups, some may be in the baseline even if the one shown is not. */
static bool groups_are_compared(const struct publisher *publisher, const struct query *query,
				uint32_t event)
{
	for (uint32_t i = 0; i < query->group_count; i++)
		if (query->groups[i] == GROUP_EVENT)
			return query->compare && publisher->ingest->baseline.is_set;
	return compare_is_wanted(&publisher->compare, query, event);
}

static void start_groups(struct publisher *publisher, struct group_fold *fold,
			 const struct query *query, uint32_t event)
{
	struct ingest *ingest = publisher->ingest;
	const bool is_compared = groups_are_compared(publisher, query, event);
	const struct group_sources sources = {
		.trie = &ingest->trie, .names = &ingest->names, .tasks = &ingest->tasks,
		.twins = is_compared ? compare_twins(&publisher->compare) : NULL,
		.lines = &publisher->source_lines,
		.sockets = publisher->config->sockets,
		.socket_count = publisher->config->socket_count,
		.event_name = name_of_event, .owner = publisher,
	};

	group_fold_init(fold, &sources, query, event);
	fold->baseline = is_compared ? &ingest->baseline : NULL;
	if (query == &publisher->config->query)
		fold->stop = publisher->stop;
}

/* The kernel ends the events of a CPU that goes offline, and does not begin them again when it
 * comes back. NULL: no memory. */
static char *make_notice(const struct publisher *publisher)
{
	const struct busy *busy = &publisher->busy;
	const char *asked = publisher->config->notice ? publisher->config->notice : "";
	const size_t bytes = strlen(asked) + 256;
	char more[32] = "", *all, *joined;

	if (!busy->gone_count)
		return compare_notice(&publisher->compare, asked);
	if (busy->gone_count > 1)
		snprintf(more, sizeof(more), " and %" PRIu32 " more", busy->gone_count - 1);
	all = malloc(bytes);
	if (!all)
		return NULL;
	snprintf(all, bytes,
		 "%s%sCPU %" PRIu32 "%s went offline and is not sampled since, also when it is "
		 "back, until the events are opened anew: another rate (f) or target (t)",
		 asked, asked[0] ? "\n" : "", busy->gone[0], more);
	joined = compare_notice(&publisher->compare, all);
	free(all);
	return joined;
}

static struct snapshot *make_one(struct publisher *publisher, struct snapshot head,
				 const struct query *query, struct window_span span, uint32_t event,
				 struct probe_fold *probes)
{
	struct ingest *ingest = publisher->ingest;
	struct row_sources sources = {
		.tasks = head.is_replay ? NULL : &publisher->task_stats,
		.busy = publisher->config->has_busy ? &publisher->busy : NULL,
		.since_ns = span.begin_ns, .until_ns = span.end_ns, .is_past = span.is_chosen,
		.lines = &publisher->source_lines,
		.raw_names = query->raw_names, .by_total = query->by_total,
	};
	struct snapshot *snapshot = NULL;
	struct stack_counts stacks;
	const bool is_compared = compare_is_wanted(&publisher->compare, query, event);
	struct tree_fold tree = { .trie = NULL };
	struct group_fold groups = { .baseline = NULL };
	char *notice;
	struct window_fold folds = { .tree = NULL, .probes = probes };
	struct probe_draft draft = { .list = NULL };

	fold_init(&folds.rows, &ingest->trie, &ingest->names, &ingest->tasks, query->keys, event,
		  &query->filter);
	if (query == &publisher->config->query)
		folds.rows.stop = publisher->stop;
	if (is_compared) {
		folds.rows.twins = compare_twins(&publisher->compare);
		sources.base = compare_rows(&publisher->compare, query, event, &folds.rows.stop);
	}
	if (query->tree != TREE_NONE) {
		tree_fold_init(&tree, &ingest->trie, &ingest->names, &ingest->tasks, query, event);
		folds.tree = &tree;
		tree.twins = folds.rows.twins;
		tree.stop = folds.rows.stop;
	}
	if (wants_groups(publisher, query, event)) {
		start_groups(publisher, &groups, query, event);
		sources.groups = folds.groups = &groups;
	}
	if (folds.tree && query->tree_inlined)
		tree_fold_inline(&tree, &publisher->source_lines.inlined);
	stacks = fold_window(publisher, &folds, span);
	head.truncated_stacks = stacks.truncated;
	describe_event(publisher, event, &head);
	head.user_stacks = stacks.user;
	head.complete_stacks = stacks.complete;
	head.cut_stacks = stacks.cut;
	head.no_map_stacks = stacks.no_map;
	if (folds.tree) {
		if (is_compared)
			tree_fold_add_base(&tree, ingest->baseline.entries,
					   ingest->baseline.count);
		tree_fold_sum(&tree);
		sources.tree = &tree;
	}
	if (folds.groups) {
		if (groups.baseline)
			group_fold_add_base(&groups, ingest->baseline.entries,
					    ingest->baseline.count);
		group_fold_sum(&groups);
	}
	wish_lines(publisher, &folds);
	if (probes)
		sources.probes = &draft;
	compare_describe(&publisher->compare, sources.base, &head);
	head.notice = notice = make_notice(publisher);
	if (window_fold_is_whole(&folds) && notice && is_compared == (sources.base != NULL) &&
	    (!probes || !draft_probes(publisher, probes, query, span, &draft))) {
		put_figures(publisher, &folds.rows, span, query, &head);
		put_strip(publisher, &head, event, query->heat);
		snapshot = snapshot_build(&head, &folds.rows, &sources);
		if (!snapshot)
			log_warn("no memory for a refresh: what is shown is older");
	}
	free(notice);
	fold_finish(&folds.rows);
	probe_draft_finish(&draft);
	if (folds.tree)
		tree_fold_finish(&tree);
	if (folds.groups)
		group_fold_finish(&groups);
	return snapshot;
}

/* Returns the requested event, if it still exists; else the first. */
static uint32_t shown_event(struct publisher *publisher, uint32_t event_count)
{
	struct probe_hits *hits = publisher->ingest->hits;

	if (publisher->event < event_count || probe_hits_of_event(hits, publisher->event))
		return publisher->event;
	if (!event_count && probe_hits_first_event(hits) == NO_EVENT)
		return NO_EVENT;
	publisher->event = event_count ? 0 : probe_hits_first_event(hits);
	return publisher->event;
}

/* Makes the snapshot for REQUEST_STACKS. NULL: out of memory; the screen requests it again. */
static struct snapshot *make_stacks(struct publisher *publisher, struct snapshot head,
				    struct window_span span)
{
	const struct query query = {
		.number = publisher->config->query.number, .keys = KEY_COMM,
		.filter = publisher->config->query.filter,
		.raw_names = publisher->config->query.raw_names, .tree = TREE_CALLEES,
		.tree_inlined = publisher->config->query.tree_inlined,
		.tree_idle = publisher->wants_idle_stacks, .tree_commands = true,
		.tree_limit_pct = -1,
	};

	publisher->wants_stacks = false;
	return make_one(publisher, head, &query, span, shown_event(publisher, head.event_count),
			NULL);
}

/* Returns the number of events that can have samples: all but the side-band one. */
static uint32_t shown_events(const struct analyzer_config *config)
{
	uint32_t count = config->ingest.event_count;

	while (count && config->ingest.events[count - 1]->is_sideband)
		count--;
	return count;
}

/* Makes a snapshot per event; the first has the probes. */
static struct snapshot *make_all(struct publisher *publisher, const struct snapshot *head,
				 struct window_span span, struct probe_fold *probes)
{
	const uint32_t shown = shown_event(publisher, head->event_count);
	struct snapshot *first = NULL, **next = &first;

	for (uint32_t event = 0; !event || event < head->event_count; event++) {
		*next = make_one(publisher, *head, &publisher->config->query, span,
				 head->event_count ? event : shown, event ? NULL : probes);
		if (!*next) {
			snapshot_destroy(first);
			return NULL;
		}
		next = &(*next)->next_event;
	}
	return first;
}

static struct snapshot *make(struct publisher *publisher, bool is_last,
			     const struct diag *end_why)
{
	struct ingest *ingest = publisher->ingest;
	const struct analyzer_config *config = publisher->config;
	struct snapshot *snapshot, head = {
		.host = config->host, .target = config->target,
		.absent_events = config->absent_events, .target_pid = config->target_pid,
		.cpus = config->cpus, .is_replay = config->ingest.is_replay,
		.is_last = is_last,
		.is_target_gone = publisher->is_ended && !config->ingest.is_replay,
		.end_err = is_last ? end_why->err : 0, .end_reason = is_last ? end_why->text : "",
		.event_count = shown_events(config), .seq = publisher->seq + 1,
		.is_frozen = publisher->frozen_ns, .is_selected = publisher->chosen_ns,
		.asked_begin_ns = publisher->chosen_ns,
		.asked_end_ns = publisher->chosen_ns ? publisher->frozen_ns : 0,
	};
	struct probe_fold probes = { .buckets = NULL }, *told = ingest->hits ? &probes : NULL;
	struct window_span span;

	keep_frozen(publisher);		/* its length may be another one now */
	/* A chosen window may end in what is the open slice. */
	if ((!publisher->frozen_ns || publisher->chosen_ns) &&
	    timeline_cut(&ingest->timeline, ingest->watermark_ns))
		return NULL;
	if (config->has_busy && !publisher->is_ended && !publisher->frozen_ns)
		busy_read(&publisher->busy, clock_now_ns());
	task_stats_take(&publisher->task_stats);
	span = choose_span(publisher);
	put_own_cost(publisher, &head);
	head.begin_ns = span.begin_ns;
	head.time_ns = span.end_ns;
	head.window = span.is_chosen ? WINDOW_SECONDS : config->window;
	ingest->clock.stolen_ns = busy_stolen_ns(&publisher->busy);
	snapshot_losses_put(ingest, &publisher->losses, &head);
	if (told && probe_fold_init(told, ingest->hits))
		return NULL;
	snapshot = config->wants_all_events
		   ? make_all(publisher, &head, span, told)
		   : make_one(publisher, head, &config->query, span,
			      shown_event(publisher, head.event_count), told);
	probe_fold_finish(&probes);
	if (!snapshot)
		return NULL;
	if (publisher->wants_stacks)
		snapshot->folded = make_stacks(publisher, head, span);
	task_stats_ask(&publisher->task_stats, snapshot, clock_now_ns());
	publisher->seq++;
	if (publisher->frozen_ns)
		return snapshot;
	publisher->published_ns = span.end_ns;
	publisher->published_seq = ingest->timeline.open_slice.seq;
	return snapshot;
}

struct snapshot *publisher_make(struct publisher *publisher, bool is_last,
				const struct diag *end_why)
{
	struct snapshot *snapshot = make(publisher, is_last, end_why);

	if (!snapshot && publisher->config->wants_all_events) {
		snapshot = publisher->failure;
		publisher->failure = NULL;
	}
	return snapshot;
}
