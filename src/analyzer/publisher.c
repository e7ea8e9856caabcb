/* publisher.c - see publisher.h. */
#include "publisher.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "capture/stack_copy.h"
#include "fold/fold.h"
#include "ingest/losses.h"
#include "probe_builder.h"
#include "proc/process_stat.h"
#include "snapshot_build.h"
#include "window_fold.h"

#define BASELINE_SHARE	4	/* 1/4 of all memory: its stacks take as much again */
/* These have three quarters of what a decaying window weighs. */
#define DECAY_COUNTED_NS (10 * CLOCK_NS_PER_S)
#define NO_EVENT	UINT32_MAX		/* nothing is sampled, and no probe is there yet */

int publisher_init(struct publisher *publisher, const struct analyzer_config *config,
		   struct ingest *ingest)
{
	*publisher = (struct publisher){ .config = config, .ingest = ingest };
	publisher->failure = snapshot_create_failure();
	compare_init(&publisher->compare, ingest);
	wait_stacks_init(&publisher->waits, &ingest->trie, &ingest->names, ingest->waits);
	task_stats_init(&publisher->task_stats, config->reader);
	source_lines_init(&publisher->source_lines, config->line_server, ingest);
	listing_builder_init(&publisher->listings, config->listing_server, ingest);
	publisher->sample_hold.lines = &publisher->source_lines;
	return publisher->failure ? 0 : -ENOMEM;
}

void publisher_finish(struct publisher *publisher)
{
	live_window_finish(&publisher->window);
	compare_finish(&publisher->compare);
	wait_stacks_finish(&publisher->waits);
	busy_finish(&publisher->busy);
	loss_history_finish(&publisher->losses);
	task_stats_finish(&publisher->task_stats);
	source_lines_finish(&publisher->source_lines);
	listing_builder_finish(&publisher->listings);
	sample_hold_drop(&publisher->sample_hold);
	counter_history_finish(&publisher->counters);
	snapshot_destroy(publisher->failure);
	publisher->failure = NULL;
}

void publisher_start(struct publisher *publisher, uint64_t begin_ns)
{
	const uint64_t now_ns = clock_now_ns();

	own_cost_begin(&publisher->own_cost, now_ns);
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
	uint64_t sums[SUMS];

	publisher->ingest->losses->clock.stolen_ns = busy_stolen_ns(&publisher->busy);
	loss_sums_read(publisher->ingest, sums);
	loss_history_note(&publisher->losses, publisher->ingest->watermark_ns, sums);
}

uint32_t publisher_look_at_conditions(struct publisher *publisher)
{
	const struct analyzer_config *config = publisher->config;

	if (!config->conditions.count || publisher->is_ended || config->ingest.is_replay ||
	    !condition_watch_is_due(&publisher->conditions, publisher->ingest))
		return 0;
	if (config->has_busy)	/* so that readings are of whole seconds, about */
		busy_read(&publisher->busy, clock_now_ns());
	return condition_watch_look(&publisher->conditions, &config->conditions,
				    publisher->ingest, config->has_busy ? &publisher->busy : NULL);
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
	publisher->busy.gone_count = 0;	/* all CPUs that are online now are sampled */
	publisher->history_ns = publisher->published_ns = begin_ns;
	publisher->zero_ns = 0;
	publisher->published_seq = publisher->ingest->timeline.open_slice.seq;
	publisher->event = 0;
	publisher_freeze(publisher, 0, 0);
	publisher->is_ended = publisher->has_asked_last = false;
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
	const struct window_request request = {
		.kind = publisher->config->window, .length_ns = publisher->config->window_ns,
		.known_ns = history_begin_ns(publisher), .zero_ns = publisher->zero_ns,
		.zero_seq = publisher->ingest->timeline.border_seq,
		.newest_ns = publisher->ingest->watermark_ns, .frozen_ns = publisher->frozen_ns,
		.chosen_ns = publisher->chosen_ns,
		.since_ns = publisher->published_ns, .since_seq = publisher->published_seq,
	};

	return window_span_choose(&publisher->ingest->timeline, &request);
}

void publisher_mark(struct publisher *publisher, uint64_t begin_ns, uint64_t end_ns,
		    bool is_around)
{
	struct ingest *ingest = publisher->ingest;
	const struct window_request request = {
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
		&ingest->baseline, &ingest->timeline, &request, ingest->hits, "",
		publisher->config->memory_bytes / BASELINE_SHARE);
}

int publisher_mark_all(struct publisher *publisher, const char *label)
{
	struct ingest *ingest = publisher->ingest;
	struct window_request request = { .kind = WINDOW_ALL, .newest_ns = ingest->watermark_ns };

	if (timeline_cut(&ingest->timeline, ingest->watermark_ns))
		return -ENOMEM;
	request.known_ns = history_begin_ns(publisher);
	request.zero_ns = publisher->zero_ns;
	request.zero_seq = ingest->timeline.border_seq;
	return baseline_take(&ingest->baseline, &ingest->timeline, &request, ingest->hits, label,
			     SIZE_MAX);
}

void publisher_next_recording(struct publisher *publisher)
{
	publisher_renumbered(publisher);
	sample_hold_drop(&publisher->sample_hold);
	publisher_freeze(publisher, 0, 0);
	loss_history_clear(&publisher->losses);
	publisher->history_ns = publisher->zero_ns = publisher->published_ns = 0;
	publisher->published_seq = publisher->ingest->timeline.open_slice.seq;
	publisher->event = 0;
	publisher->is_ended = publisher->is_cut_short = false;
	publisher->reading = (struct queue_read){ 0 };
}

/* Fills @folds with the window; returns the kinds of its stacks. */
/* Folds minima and maxima of groups of hits, which a window that is kept incrementally lacks. */
static void fold_extremes(struct publisher *publisher, struct window_fold *folds,
			  struct window_span span)
{
	struct hit_group_fold *groups = folds->probes ? &folds->probes->groups : NULL;
	struct slice *slices;
	uint32_t count;

	if (!groups || !groups->has_extremes)
		return;
	if (window_span_slices(&span, &publisher->ingest->timeline, &slices, &count)) {
		folds->rows.is_out_of_memory = true;
		return;
	}
	for (uint32_t s = 0; s < count; s++)
		hit_group_fold_add(groups, slices[s].entries, slices[s].count, true);
	free(slices);
}

/* Folds the hits of the probe shown as publisher->projection says; counts of probes as they are. */
static struct stack_counts fold_projected(struct publisher *publisher, struct window_fold *folds,
					  struct window_span span)
{
	struct probe_fold *probes = folds->probes;
	struct stack_counts stacks = { 0 };
	struct slice *slices, *shown;
	uint32_t count, made = 0;

	if (window_span_slices(&span, &publisher->ingest->timeline, &slices, &count)) {
		folds->rows.is_out_of_memory = true;
		return stacks;
	}
	shown = calloc(count + 1, sizeof(*shown));
	hit_projection_choose(&publisher->projection, slices, count);
	while (shown && made < count &&
	       !hit_projection_apply(&publisher->projection, &slices[made], &shown[made]))
		made++;
	for (uint32_t s = 0; s < count; s++) {
		stack_counts_add(&stacks, &slices[s].stacks);
		if (probes)
			probe_fold_add(probes, slices[s].entries, slices[s].count);
	}
	folds->probes = NULL;
	if (publisher->config->window == WINDOW_DECAY && !span.is_chosen)
		window_fold_add_decaying(folds, shown, made, span.end_ns);
	else
		window_fold_add(folds, shown, made);
	folds->probes = probes;
	folds->rows.is_out_of_memory |= made < count;
	while (made)
		hit_projection_free(&shown[--made]);
	free(shown);
	free(slices);
	return stacks;
}

/* The entries of the baseline, as they are shown. */
static struct slice base_of(const struct publisher *publisher)
{
	const struct baseline *baseline = &publisher->ingest->baseline;

	return publisher->projection.is_on
	       ? publisher->projection.base
	       : (struct slice){ .entries = baseline->entries, .count = baseline->count };
}

static struct stack_counts fold_window(struct publisher *publisher, struct window_fold *folds,
				       struct window_span span)
{
	const struct timeline *timeline = &publisher->ingest->timeline;
	const struct analyzer_config *config = publisher->config;
	struct stack_counts stacks = { 0 };
	struct slice *slices;
	uint32_t count;

	fold_extremes(publisher, folds, span);
	if (publisher->projection.is_on)
		return fold_projected(publisher, folds, span);
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

/* Whether rows can have that of short waits. Nobody knows whose they are, so a filter leaves them
 * out. */
static bool has_short_waits(const struct fold *fold, const struct query *query,
			    const struct snapshot *head)
{
	return head->is_of_waits && !query->filter.count && !head->is_compared &&
	       head->window != WINDOW_DECAY && !(fold->keys & KEY_EVENT);
}

static void put_stats(const struct publisher *publisher, const struct fold *fold,
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
	if (!has_short_waits(fold, query, head))
		head->waits.short_ns = 0;
	head->weight += (double)head->waits.short_ns;
	head->shown_weight += (double)head->waits.short_ns;
	head->busy_pct = config->has_busy ? busy_pct(&publisher->busy, span.begin_ns, span.end_ns)
					  : -1;
	if (head->window == WINDOW_ALL)
		head->evicted_samples = publisher->ingest->timeline.evicted_samples;
	snapshot_head_put_window_losses(head);
}

/* Up to now, whatever the window; so are the events that have samples. */
static void put_activity(struct publisher *publisher, struct snapshot *head, uint32_t event,
			 bool wants_heat)
{
	struct activity *activity = &publisher->activity;
	const struct ingest *ingest = publisher->ingest;
	const struct probe_row *probe = probe_hits_of_event(ingest->hits, event);
	struct activity_span span = {
		.begin_ns = history_begin_ns(publisher), .end_ns = ingest->watermark_ns,
		.event = event, .is_only_event = head->event_count == 1 && !ingest->hits,
		.is_whole = publisher->config->ingest.is_replay,
	};

	if (probe && (!probe->first_ns || probe->first_ns > span.begin_ns))
		span.begin_ns = probe->first_ns ? probe->first_ns : span.end_ns;
	if (publisher->config->has_busy && !probe)
		activity_from_busy(activity, &publisher->busy);
	else
		activity_from_timeline(activity, &ingest->timeline, &span);
	head->next_shown = tick_totals_next(&ingest->timeline.totals, event, head->event_count);
	head->activity_kind = activity->kind;
	head->activity_count = activity->count;
	head->activity_step_s = activity->step_s;
	head->activity_end_ns = activity->end_ns;
	head->activity = activity->points;
	if (wants_heat)
		activity_heat(activity, &ingest->timeline, &span);
	head->heat = activity->has_heat ? activity->heat : NULL;
	head->heat_most = activity->has_heat ? activity->heat_most : 0;
}

/* Returns whether a snapshot has the values and groups of all probes. */
static bool has_all_probes(const struct publisher *publisher, const struct query *query)
{
	return publisher->config->wants_all_events || query->all_probes;
}

/* Begins to fold the hits of probes, and the groups of those that a snapshot of @query has. 0 or
 * -ENOMEM. The caller must call probe_fold_finish() in both cases. */
static int start_probes(const struct publisher *publisher, const struct query *query,
			struct probe_fold *out)
{
	const uint32_t grouped = has_all_probes(publisher, query) ? PROBE_ALL : query->probe;
	const struct probe_hits *hits = publisher->ingest->hits;

	return probe_fold_init(out, hits) || hit_group_fold_init(&out->groups, hits, grouped)
	       ? -ENOMEM : 0;
}

/* Fills the probes of the window, once in a chain of snapshots. */
static int build_probes(struct publisher *publisher, const struct probe_fold *fold,
			const struct query *query, struct window_span span,
			struct probe_builder *out)
{
	struct ingest *ingest = publisher->ingest;
	struct probe_fold base = { .buckets = NULL };
	struct probe_builder_span builder_span = {
		.begin_ns = span.begin_ns, .end_ns = span.end_ns, .is_chosen = span.is_chosen,
		.known_ns = history_begin_ns(publisher), .now_ns = clock_now_ns(),
		.detail = query->probe, .wants_values = has_all_probes(publisher, query),
		.hit_probe = query->hit_probe, .hit = query->hit, .raw_names = query->raw_names,
		.hit_order = query->hit_order, .hit_weight = query->hit_weight,
		.is_hit_order_reversed = query->is_hit_order_reversed,
	};
	int err;

	if (query->compare && ingest->baseline.is_set) {
		if (start_probes(publisher, query, &base)) {
			probe_fold_finish(&base);
			return -ENOMEM;
		}
		probe_fold_add(&base, ingest->baseline.entries, ingest->baseline.count);
		builder_span.base = &base;
		builder_span.baseline = &ingest->baseline;
	}
	err = probe_builder_fill(out, ingest, fold, &builder_span);
	probe_fold_finish(&base);
	return err;
}

/* Requests lines that the trees lack: the screen has no rows for which it could request them. */
static void request_lines(struct publisher *publisher, const struct window_fold *folds)
{
	struct source_request requests[SOURCE_REQUESTS_MAX];
	uint32_t count = 0;

	if (folds->tree && folds->tree->chains)
		count = tree_fold_requests(folds->tree, &publisher->source_lines, requests);
	if (!count && folds->groups)
		count = group_fold_requests(folds->groups, requests);
	if (count)
		source_lines_request(&publisher->source_lines, requests, count);
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

/* Returns whether a key may end the fold: the screen asks for its result again. */
static bool can_be_stopped(const struct publisher *publisher, const struct query *query)
{
	return query == &publisher->config->query || query == &publisher->part_query;
}

/* Returns the event whose waits @query shows while @event is shown; NO_EVENT: none. */
static uint32_t wait_event_of(const struct publisher *publisher, const struct query *query,
			      uint32_t event)
{
	const struct ingest_config *config = &publisher->ingest->config;

	if (event < config->event_count && config->events[event]->counts_waits)
		return event;
	for (uint32_t i = 0; i < config->event_count; i++)
		if (config->events[i]->counts_waits &&
		    (query->keys & KEY_EVENT ||
		     (query->group_count && query->groups[0] == GROUP_EVENT)))
			return i;
	return NO_EVENT;
}

/* Classifies the stacks of all waits in history and baseline. *@out: NULL if @query shows none.
 * 0 or -ENOMEM. */
static int prepare_waits(struct publisher *publisher, const struct query *query, uint32_t event,
			 const struct wait_stacks **out)
{
	const struct ingest *ingest = publisher->ingest;
	const struct timeline *timeline = &ingest->timeline;
	const uint32_t of = wait_event_of(publisher, query, event);
	int err;

	*out = of == NO_EVENT ? NULL : &publisher->waits;
	if (!*out)
		return 0;
	err = wait_stacks_begin(&publisher->waits, of, ingest->config.events[of]->is_wall,
				query->raw_waits);
	for (uint32_t s = 0; s < timeline->count && !err; s++)
		err = wait_stacks_prepare(&publisher->waits, timeline->slices[s].entries,
					  timeline->slices[s].count);
	return err ? err : wait_stacks_prepare(&publisher->waits, ingest->baseline.entries,
					       ingest->baseline.count);
}

static struct group_value hit_value(const void *owner, uint32_t tuple, uint32_t stack,
				    uint32_t index)
{
	const struct publisher *publisher = owner;
	const struct probe_row *row = publisher->projection.row;
	const struct hit_tuple *of = &publisher->ingest->hits->tuples.rows[tuple];
	const bool is_known = index < row->spec->key_count;
	const uint32_t id = is_known ? hit_group_key(publisher->ingest, of->keys[index])
				     : GROUP_VALUE_NONE;

	if (!is_known)
		return (struct group_value){ 0, GROUP_VALUE_NONE };
	return (struct group_value){
		hit_group_value(publisher->ingest, row, of, stack, index),
		id == HIT_KEY_OTHER ? GROUP_VALUE_UNKNOWN
		: row->spec->keys[index].kind >= PROBE_KEY_STACK ? stack : id,
	};
}

static struct str_id hit_text(const void *owner, uint32_t of, uint32_t index)
{
	const struct publisher *publisher = owner;

	return probe_builder_key(publisher->ingest, publisher->projection.row, of, index);
}

static void start_groups(struct publisher *publisher, struct group_fold *fold,
			 const struct query *query, uint32_t event,
			 const struct wait_stacks *waits)
{
	struct ingest *ingest = publisher->ingest;
	const bool is_compared = groups_are_compared(publisher, query, event);
	const struct group_sources sources = {
		.trie = &ingest->trie, .names = &ingest->names, .tasks = &ingest->tasks,
		.pairs = is_compared ? compare_pairs(&publisher->compare)
			 : query == &publisher->part_query ? publisher->part_pairs : NULL,
		.lines = &publisher->source_lines,
		.sockets = publisher->config->sockets,
		.socket_count = publisher->config->socket_count,
		.pmus = publisher->config->pmus, .waits = waits,
		.event_name = name_of_event, .owner = publisher,
		.hit_value = publisher->projection.has_tuples ? hit_value : NULL,
		.hit_text = hit_text, .is_hit_by_stack = publisher->projection.is_by_stack,
	};

	group_fold_init(fold, &sources, query, event);
	fold->baseline = is_compared ? &ingest->baseline : NULL;
	if (can_be_stopped(publisher, query))
		fold->stop = publisher->stop;
}

static void sum_groups(const struct publisher *publisher, struct group_fold *groups)
{
	const struct slice base = base_of(publisher);

	if (!groups)
		return;
	groups->tuples = base.tuples;
	if (groups->baseline)
		group_fold_add_base(groups, base.entries, base.count);
	group_fold_sum(groups);
}

/* NULL: no memory. */
static char *make_notice(const struct publisher *publisher)
{
	const char *asked = publisher->config->notice ? publisher->config->notice : "";
	char *all = busy_notice(&publisher->busy, asked);
	char *joined = all ? compare_notice(&publisher->compare, all) : NULL;

	free(all);
	return joined;
}

/* A tree and its query: the snapshot's, with one direction, as TREE_BOTH is two trees. */
struct tree_part {
	struct query query;
	struct tree_fold fold;
};

static struct tree_fold *start_tree(struct publisher *publisher, struct tree_part *part,
				    const struct query *query, enum tree_direction direction,
				    uint32_t event, const struct fold *rows)
{
	struct ingest *ingest = publisher->ingest;

	part->query = *query;
	part->query.tree = direction;
	tree_fold_init(&part->fold, &ingest->trie, &ingest->names, &ingest->tasks, &part->query,
		       event);
	part->fold.pairs = rows->pairs;
	tree_fold_set_waits(&part->fold, wait_stacks_of(rows->waits, event));
	part->fold.stop = rows->stop;
	if (query->tree_inlined)
		tree_fold_inline(&part->fold, &publisher->source_lines.inlined);
	return &part->fold;
}

static struct tree_fold *sum_tree(struct publisher *publisher, struct tree_fold *tree,
				  bool is_compared)
{
	const struct slice base = base_of(publisher);

	if (!tree)
		return NULL;
	if (is_compared)
		tree_fold_add_base(tree, base.entries, base.count);
	tree_fold_sum(tree);
	return tree;
}

/* Returns whether functions of these rows may be listed later, or are now. */
static bool can_be_listed(const struct publisher *publisher, const struct query *query)
{
	return query->keys & KEY_SYMBOL &&
	       (!publisher->config->wants_all_events || query->listing_name[0]);
}

static bool has_listing(const struct query *query)
{
	return query->listing.dso || query->listing_name[0];
}

/* Lists the function that the query chooses, by the samples of the window. NULL: no memory, or a
 * key has stopped it. */
static struct listing *make_listing(struct publisher *publisher, const struct query *query,
				    struct window_span span, uint32_t event,
				    uint32_t event_count, const struct fold *rows,
				    bool is_compared)
{
	struct ingest *ingest = publisher->ingest;
	const struct listing_sources sources = {
		.query = query, .rows = rows, .event = event, .event_count = event_count,
		.event_name = name_of_event, .owner = publisher, .is_compared = is_compared,
		.waits = rows->waits,
	};
	struct listing_function function;
	struct listing_fold fold;
	struct window_fold folds = { .listing = &fold };
	const struct slice base = base_of(publisher);
	struct listing *listing = NULL;

	if (!listing_builder_begin(&publisher->listings, &sources, &function, &fold, &listing))
		return listing;
	fold.stop = rows->stop;
	fold_init(&folds.rows, &ingest->trie, &ingest->names, &ingest->tasks, 0, event,
		  &query->filter);
	fold_set_waits(&folds.rows, rows->waits);
	fold_window(publisher, &folds, span);
	if (is_compared)
		listing_fold_add_base(&fold, base.entries, base.count);
	listing_fold_sort(&fold);
	if (window_fold_is_whole(&folds))
		listing = listing_builder_make(&publisher->listings, &sources, &fold);
	fold_finish(&folds.rows);
	listing_fold_finish(&fold);
	return listing;
}

/* Adds the listing, if the query has one. False: there is none, and the snapshot is not whole. */
static bool add_listing(struct publisher *publisher, struct snapshot *snapshot,
			const struct query *query, struct window_span span, uint32_t event,
			const struct fold *rows)
{
	if (can_be_listed(publisher, query))
		listing_builder_keep(&publisher->listings, rows);
	if (has_listing(query)) {
		snapshot->listing = make_listing(publisher, query, span, event,
						 snapshot->event_count, rows,
						 snapshot->is_compared);
		return snapshot->listing;
	}
	if (query == &publisher->config->query)
		listing_builder_close(&publisher->listings);
	return true;
}

/* Returns whose counters the query asks for: where one process is sampled, its own are those of
 * all. */
static struct counter_scope scope_of(const struct publisher *publisher, const struct query *query)
{
	const struct analyzer_config *config = publisher->config;
	struct counter_scope scope = { query->counters, query->counters_id,
				       query->counters_by_cgroup, config->counted_events };

	if (!config->can_count)
		scope.of = COUNTERS_NONE;
	if (scope.of != COUNTERS_OF_ALL)
		return scope;
	if (config->target_pid) {
		scope.of = COUNTERS_OF_PROCESS;
		scope.id = config->target_pid;
	}
	return scope;
}

/* Adds the counters of the window, if the query has some. A decaying window is about the last
 * seconds. */
static void add_counters(struct publisher *publisher, struct snapshot *snapshot,
			 const struct query *query, struct window_span span)
{
	const struct counter_scope scope = scope_of(publisher, query);
	uint64_t begin_ns = span.begin_ns;

	if (scope.of == COUNTERS_NONE)
		return;
	if (snapshot->window == WINDOW_DECAY && span.end_ns - begin_ns > DECAY_COUNTED_NS)
		begin_ns = span.end_ns - DECAY_COUNTED_NS;
	snapshot->counters = counter_history_make(&publisher->counters, scope, begin_ns,
						  span.end_ns, query->counter_rows);
	if (snapshot->counters)
		snapshot->counters->is_of_more = scope.of == COUNTERS_OF_ALL &&
						 !publisher->config->has_everything;
}

/* Adds listing and counters, if the query has them. Returns @snapshot, which may be NULL; NULL: it
 * was not whole without the listing, and is destroyed. */
static struct snapshot *add_details(struct publisher *publisher, struct snapshot *snapshot,
				    const struct query *query, struct window_span span,
				    uint32_t event, const struct fold *rows)
{
	if (!snapshot)
		return NULL;
	if (!add_listing(publisher, snapshot, query, span, event, rows)) {
		snapshot_destroy(snapshot);
		return NULL;
	}
	add_counters(publisher, snapshot, query, span);
	return snapshot;
}

static void put_stacks(const struct stack_counts *stacks, struct snapshot *head)
{
	head->truncated_stacks = stacks->truncated;
	head->user_stacks = stacks->user;
	head->complete_stacks = stacks->complete;
	head->cut_stacks = stacks->cut;
	head->no_map_stacks = stacks->no_map;
}

/* Returns the keys of the rows of @event: those of the query, but branches are told apart by their
 * addresses where functions are asked for. With KEY_EVENT the first of a chain of snapshots has the
 * rows of all events. */
static unsigned int keys_of(const struct publisher *publisher, const struct query *query,
			    uint32_t event)
{
	const bool is_branches = event && event == publisher->config->ingest.branch_event;

	if (query->keys & KEY_EVENT && publisher->config->wants_all_events && event &&
	    event < publisher->config->ingest.event_count)
		return 0;
	return is_branches && query->keys == (KEY_DSO | KEY_SYMBOL) ? KEYS_BRANCH : query->keys;
}

static void finish_folds(struct window_fold *folds)
{
	fold_finish(&folds->rows);
	if (folds->tree)
		tree_fold_finish(folds->tree);
	if (folds->callees)
		tree_fold_finish(folds->callees);
	if (folds->groups)
		group_fold_finish(folds->groups);
	if (folds->samples)
		sample_fold_finish(folds->samples);
}

static struct sample_fold *start_samples(struct publisher *publisher, struct sample_fold *fold,
					 const struct query *query, uint32_t event,
					 const struct wait_stacks *waits)
{
	struct ingest *ingest = publisher->ingest;

	sample_fold_init(fold, &ingest->trie, &ingest->names, &ingest->tasks, query, event);
	sample_fold_set_waits(fold, wait_stacks_of(waits, event));
	return fold;
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
		.is_relative = query->is_relative, .event_name = name_of_event,
		.owner = publisher,
	};
	const bool is_part = query == &publisher->part_query;
	const unsigned int keys = is_part ? query->keys : keys_of(publisher, query, event);
	struct snapshot *snapshot = NULL;
	struct stack_counts stacks;
	const bool is_compared = compare_is_wanted(&publisher->compare, query, event);
	struct tree_part tree, callees;
	struct group_fold groups = { .baseline = NULL };
	struct sample_fold samples;
	char *notice;
	struct window_fold folds = { .tree = NULL, .probes = probes };
	struct probe_builder builder = { .list = NULL };
	const struct wait_stacks *waits;

	if (prepare_waits(publisher, query, event, &waits) ||
	    hit_projection_begin(&publisher->projection, ingest, query, event))
		return NULL;
	fold_init(&folds.rows, &ingest->trie, &ingest->names, &ingest->tasks, keys, event,
		  &query->filter);
	fold_set_waits(&folds.rows, waits);
	if (can_be_stopped(publisher, query))
		folds.rows.stop = publisher->stop;
	if (is_part)
		folds.rows.pairs = publisher->part_pairs;
	if (is_compared) {
		folds.rows.pairs = compare_pairs(&publisher->compare);
		sources.base = compare_rows(&publisher->compare, query, keys, event,
					    folds.rows.waits, base_of(publisher),
					    &folds.rows.stop);
	}
	if (query->tree != TREE_NONE)
		folds.tree = start_tree(publisher, &tree, query,
					query->tree == TREE_BOTH ? TREE_CALLERS : query->tree,
					event, &folds.rows);
	if (query->tree == TREE_BOTH)
		folds.callees = start_tree(publisher, &callees, query, TREE_CALLEES, event,
					   &folds.rows);
	if (wants_groups(publisher, query, event)) {
		start_groups(publisher, &groups, query, event, waits);
		sources.groups = folds.groups = &groups;
	}
	if (query->stack_samples)
		folds.samples = start_samples(publisher, &samples, query, event, waits);
	stacks = fold_window(publisher, &folds, span);
	snapshot_head_put_event(&publisher->config->ingest, ingest->hits, event, &head);
	put_stacks(&stacks, &head);
	hit_projection_describe(&publisher->projection, &head);
	sources.tree = sum_tree(publisher, folds.tree, is_compared);
	sources.callees = sum_tree(publisher, folds.callees, is_compared);
	sum_groups(publisher, folds.groups);
	if (!is_part)
		request_lines(publisher, &folds);
	sources.probes = probes ? &builder : NULL;
	compare_describe(&publisher->compare, sources.base, &head);
	head.notice = notice = make_notice(publisher);
	if (window_fold_is_whole(&folds) && notice && is_compared == (sources.base != NULL) &&
	    (!probes || !build_probes(publisher, probes, query, span, &builder))) {
		put_stats(publisher, &folds.rows, span, query, &head);
		put_activity(publisher, &head, event, query->heat);
		snapshot = snapshot_build(&head, &folds.rows, &sources);
		if (!snapshot)
			log_warn("no memory for a refresh: what is shown is older");
	}
	if (!is_part)
		snapshot = add_details(publisher, snapshot, query, span, event, &folds.rows);
	snapshot = sample_hold_fill(snapshot, folds.samples, base_of(publisher), ingest, event);
	free(notice);
	hit_projection_finish(&publisher->projection);
	finish_folds(&folds);
	probe_builder_finish(&builder);
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

/* Chooses what the snapshot of each event needs to have, to be joined with that of the event
 * shown. */
static void choose_part_query(struct publisher *publisher, uint32_t shown)
{
	struct query *query = &publisher->part_query;

	*query = publisher->config->query;
	query->keys = keys_of(publisher, query, shown);
	query->compare = query->heat = false;
	query->tree_limit_pct = -1;
	if (query->keys & KEY_EVENT)
		query->keys = 0;
	if (query->group_count && query->groups[0] == GROUP_EVENT)
		query->group_count = 0;
}

/* Adds the loads of the other events to the rows and nodes of @snapshot, which is of @event. False:
 * no memory, or a key has stopped it. */
static bool add_event_columns(struct publisher *publisher, struct snapshot *snapshot,
			      const struct snapshot *head, struct window_span span, uint32_t event)
{
	const uint32_t count = snapshot->event_columns.count;
	const struct snapshot *parts[EVENT_COLUMNS];
	struct snapshot *made[EVENT_COLUMNS] = { NULL };
	bool is_whole = true;

	choose_part_query(publisher, event);
	publisher->part_pairs =
		snapshot->is_compared ? compare_pairs(&publisher->compare) : NULL;
	for (uint32_t i = 0; i < count && is_whole; i++) {
		if (i != event)
			made[i] = make_one(publisher, *head, &publisher->part_query, span, i,
					   NULL);
		parts[i] = i == event ? snapshot : made[i];
		is_whole = parts[i];
	}
	is_whole = is_whole && !snapshot_build_join_events(snapshot, parts);
	for (uint32_t i = 0; i < count; i++)
		snapshot_destroy(made[i]);
	return is_whole;
}

/* Makes the snapshot of the event shown. NULL: no memory, or a key has stopped it. */
static struct snapshot *make_shown(struct publisher *publisher, const struct snapshot *head,
				   struct window_span span, struct probe_fold *probes)
{
	const struct query *query = &publisher->config->query;
	const uint32_t event = shown_event(publisher, head->event_count);
	struct snapshot *snapshot = make_one(publisher, *head, query, span, event, probes);

	if (!snapshot || !query->event_columns || !head->event_columns.count ||
	    add_event_columns(publisher, snapshot, head, span, event))
		return snapshot;
	snapshot_destroy(snapshot);
	return NULL;
}

/* Chooses what REQUEST_STACKS adds: the samples are those of the query, in all that it says of
 * them. @by_task: samples by task in place of a tree. */
static struct query stacks_query(const struct publisher *publisher, bool by_task)
{
	const unsigned int wanted = publisher->stacks_wanted;
	struct query query = publisher->config->query;

	query.heat = query.event_columns = false;
	query.counters = COUNTERS_NONE;
	query.tree_limit_pct = -1;	/* also what a screen has no room for */
	if (wanted & STACKS_AS_SHOWN) {
		query.tree = query.tree == TREE_BOTH ? TREE_CALLEES : query.tree;
		query.all_probes = true;
		if (!query.keys && query.tree == TREE_NONE && !query.group_count &&
		    !query.listing.dso)
			query.keys = KEY_DSO | KEY_SYMBOL;	/* beside the list of probes */
		return query;
	}
	query.stack_samples = by_task;
	query.keys = wanted & STACKS_WITH_ROWS ? KEY_DSO | KEY_SYMBOL : KEY_COMM;
	query.tree = query.stack_samples ? TREE_NONE : TREE_CALLEES;
	query.tree_commands = true;
	query.tree_inlined |= (wanted & STACKS_INLINED) != 0;
	query.tree_idle = wanted & STACKS_WITH_IDLE;
	query.group_count = 0;
	query.listing.dso = 0;
	query.listing_name[0] = '\0';
	return query;
}

/* Makes the snapshot of @query, in batch mode one per event; the first has the probes. NULL: no
 * memory, or a key has stopped it. */
static struct snapshot *make_chain(struct publisher *publisher, const struct snapshot *head,
				   const struct query *query, struct window_span span,
				   struct probe_fold *probes)
{
	const bool is_chain = publisher->config->wants_all_events && head->event_count;
	const uint32_t shown = shown_event(publisher, head->event_count);
	struct snapshot *first = NULL, **next = &first;

	for (uint32_t event = 0; !event || (is_chain && event < head->event_count); event++) {
		*next = make_one(publisher, *head, query, span, is_chain ? event : shown,
				 event ? NULL : probes);
		if (!*next) {
			snapshot_destroy(first);
			return NULL;
		}
		next = &(*next)->next_event;
	}
	return first;
}

/* Makes the snapshot for REQUEST_STACKS. NULL: no memory; it is requested again then. */
static struct snapshot *make_stacks(struct publisher *publisher, const struct snapshot *head,
				    struct window_span span, bool by_task)
{
	const struct query query = stacks_query(publisher, by_task);
	const bool has_probes = query.all_probes && publisher->ingest->hits;
	struct probe_fold probes = { .buckets = NULL };
	struct snapshot *made = NULL, asked = *head;

	publisher->wants_stacks = false;
	asked.stacks_wanted = publisher->stacks_wanted;
	if (!has_probes || !start_probes(publisher, &query, &probes))
		made = make_chain(publisher, &asked, &query, span, has_probes ? &probes : NULL);
	probe_fold_finish(&probes);
	return made;
}

/* Adds what REQUEST_STACKS wants to @snapshot, once it has its source lines. They say what is
 * inlined, and samples by task know which ones are needed: a tree is made after these. */
static void add_stacks(struct publisher *publisher, struct snapshot *snapshot,
		       const struct snapshot *head, struct window_span span)
{
	struct sample_hold *hold = &publisher->sample_hold;
	const bool has_lines = publisher->stacks_wanted & (STACKS_BY_TASK | STACKS_INLINED);
	struct snapshot *stacks = NULL;

	if (publisher->wants_stacks)
		stacks = make_stacks(publisher, head, span, has_lines);
	if (stacks && stacks->stack_samples) {
		sample_hold_put(hold, stacks, clock_now_ns());
		stacks = NULL;
	}
	if (!stacks)
		stacks = sample_hold_release(hold, clock_now_ns());
	if (stacks && stacks->stack_samples && publisher->stacks_wanted & STACKS_INLINED) {
		snapshot_destroy(stacks);
		stacks = make_stacks(publisher, head, span, false);
	}
	snapshot->folded = stacks;
}

bool publisher_want_stacks(struct publisher *publisher, unsigned int wanted)
{
	struct sample_hold *hold = &publisher->sample_hold;

	if (hold->snapshot && wanted == publisher->stacks_wanted &&
	    hold->snapshot->query == publisher->config->query.number)
		return false;
	sample_hold_drop(hold);
	publisher->wants_stacks = true;
	publisher->stacks_wanted = wanted;
	return true;
}

/* Returns the number of events that can have samples of their own. */
static uint32_t shown_events(const struct analyzer_config *config)
{
	uint32_t count = config->ingest.event_count;

	while (count && event_desc_is_hidden(config->ingest.events[count - 1]))
		count--;
	return count;
}

/* Makes a snapshot per event; the first has the probes. */
static struct snapshot *make_all(struct publisher *publisher, const struct snapshot *head,
				 struct window_span span, struct probe_fold *probes)
{
	const struct query *query = &publisher->config->query;
	struct snapshot *first = make_chain(publisher, head, query, span, probes);

	if (first && query->event_columns && head->event_columns.count &&
	    snapshot_build_join_chain(first)) {
		snapshot_destroy(first);
		return NULL;
	}
	return first;
}

static void put_conditions(const struct publisher *publisher, struct snapshot *head)
{
	const struct analyzer_config *config = publisher->config;

	head->condition_count = config->conditions.count;
	for (uint32_t i = 0; i < config->conditions.count; i++)
		head->conditions[i] = (struct snapshot_condition){
			&config->conditions.list[i], publisher->conditions.states[i],
		};
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
		.is_reading = config->ingest.is_replay && !publisher->is_ended,
		.is_cut_short = publisher->is_cut_short,
		.read_bytes = publisher->reading.bytes,
		.read_total_bytes = publisher->reading.total_bytes,
		.is_target_gone = publisher->is_ended && !config->ingest.is_replay,
		.end_err = is_last ? end_why->err : 0, .end_reason = is_last ? end_why->text : "",
		.event_count = shown_events(config), .seq = publisher->seq + 1,
		.is_frozen = publisher->frozen_ns, .is_selected = publisher->chosen_ns,
		.asked_begin_ns = publisher->chosen_ns,
		.asked_end_ns = publisher->chosen_ns ? publisher->frozen_ns : 0,
	};
	struct probe_fold probes = { .buckets = NULL }, *counts = ingest->hits ? &probes : NULL;
	struct window_span span;

	put_conditions(publisher, &head);
	event_columns_describe(&head.event_columns, config->ingest.events, head.event_count);
	keep_frozen(publisher);		/* its length may be another one now */
	/* A chosen window may end in what is the open slice. */
	if ((!publisher->frozen_ns || publisher->chosen_ns) &&
	    timeline_cut(&ingest->timeline, ingest->watermark_ns))
		return NULL;
	if (config->has_busy && !publisher->is_ended && !publisher->frozen_ns)
		busy_read(&publisher->busy, clock_now_ns());
	task_stats_take(&publisher->task_stats);
	counter_history_want(&publisher->counters, scope_of(publisher, &config->query));
	span = choose_span(publisher);
	snapshot_head_put_cost(&publisher->own_cost, !publisher->seq, &head);
	head.begin_ns = span.begin_ns;
	head.time_ns = span.end_ns;
	head.window = span.is_chosen ? WINDOW_SECONDS : config->window;
	ingest->losses->clock.stolen_ns = busy_stolen_ns(&publisher->busy);
	snapshot_head_put_losses(ingest, &publisher->losses, &head);
	if (counts && start_probes(publisher, &config->query, counts)) {
		probe_fold_finish(counts);
		return NULL;
	}
	snapshot = config->wants_all_events
		   ? make_all(publisher, &head, span, counts)
		   : make_shown(publisher, &head, span, counts);
	probe_fold_finish(&probes);
	if (!snapshot)
		return NULL;
	add_stacks(publisher, snapshot, &head, span);
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
		snapshot = publisher->failure;	/* each request has a reply, if there is memory */
		publisher->failure = snapshot_create_failure();
	}
	return snapshot;
}
