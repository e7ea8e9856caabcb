/* timeline.c - see timeline/timeline.h.
 *
 * The open slice finds its entries by hash; closed ones are plain arrays: nobody looks them up,
 * folds only walk them. Rejected: decaying counts in place (perf top): rows that only call others
 * lose their history at every refresh.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/timeline.h"

#define ROLL_UP_1_AFTER_NS  (120 * SLICE_NS)
#define ROLL_UP_1_LENGTH_NS (10 * SLICE_NS)
#define ROLL_UP_2_AFTER_NS  (600 * SLICE_NS)
#define ROLL_UP_2_LENGTH_NS (60 * SLICE_NS)
#define KEEP_AROUND_NS	    (10 * SLICE_NS)	/* the longest step of a key */

_Static_assert(sizeof(struct slice_entry) == 24, "the budget of the history counts with it");
_Static_assert(TICK_TOTALS_EVENTS >= EVENT_OF_VALUES, "all that has samples or hits has totals");

static uint64_t hash_of(const struct slice_entry *entry)
{
	const uint64_t place = (uint64_t)entry->cpu << 19 | (uint64_t)entry->event << 8 |
			       entry->bucket;

	return id_map_mix(((uint64_t)entry->stack << 32 | entry->task) ^
			  place * 0x9e3779b97f4a7c15ull);
}

static uint64_t entry_hash(const void *owner, uint32_t id)
{
	return hash_of(&((const struct entry_set *)owner)->entries[id]);
}

static bool is_same_key(const struct slice_entry *a, const struct slice_entry *b)
{
	return a->stack == b->stack && a->task == b->task && a->cpu == b->cpu &&
	       a->event == b->event && a->bucket == b->bucket;
}

/* Returns the entry with @wanted's key, or NULL. Needs an id_set_reserve() before. */
static struct slice_entry *find(const struct entry_set *set, const struct slice_entry *wanted,
				uint64_t hash)
{
	uint32_t id;

	for (uint32_t slot = id_set_first(&set->index, hash);
	     (id = id_set_at(&set->index, &slot, hash)) != ID_SET_NONE;
	     slot = id_set_next(&set->index, slot))
		if (is_same_key(&set->entries[id], wanted))
			return &set->entries[id];
	return NULL;
}

/* 0 or -ENOMEM. */
static int append(struct entry_set *set, const struct slice_entry *entry)
{
	if (set->count == set->capacity) {
		uint32_t capacity = set->capacity ? set->capacity * 2 : 1024;
		struct slice_entry *bigger = realloc(set->entries, capacity * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		set->entries = bigger;
		set->capacity = capacity;
	}
	set->entries[set->count++] = *entry;
	return 0;
}

/* Adds the weight of @entry to @found, which has its key. */
static void add_weight(struct slice_entry *found, const struct slice_entry *entry)
{
	const int64_t weight = (int64_t)entry->weight, before = (int64_t)found->weight;

	if (found->event == EVENT_OF_MINS)
		found->weight = (uint64_t)(weight < before ? weight : before);
	else if (found->event == EVENT_OF_MAXES)
		found->weight = (uint64_t)(weight > before ? weight : before);
	else
		found->weight += entry->weight;
}

int entry_set_add(struct entry_set *set, const struct slice_entry *entry)
{
	const uint64_t hash = hash_of(entry);
	struct slice_entry *found;
	int err;

	if (id_set_reserve(&set->index, entry_hash, set))
		return -ENOMEM;
	found = find(set, entry, hash);
	if (found && found->count <= UINT32_MAX - entry->count) {
		found->count += entry->count;
		add_weight(found, entry);
		return 0;
	}
	err = append(set, entry);
	if (err)
		return err;
	if (!found) {
		id_set_add(&set->index, hash, set->count - 1);
		return 0;
	}
	/* The found entry's count is full: it stays, but the key now finds the new entry. */
	found = find(set, entry, hash);
	set->entries[set->count - 1] = *found;
	*found = *entry;
	return 0;
}

void entry_set_shrink(struct entry_set *set)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < set->count; i++)
		if (set->entries[i].count)
			kept++;
	if (kept > set->count / 2)
		return;
	kept = 0;
	for (uint32_t i = 0; i < set->count; i++)
		if (set->entries[i].count)
			set->entries[kept++] = set->entries[i];
	set->count = kept;
	id_set_rebuild(&set->index, kept, entry_hash, set);	/* fewer rows: can't fail */
}

void entry_set_subtract(struct entry_set *set, const struct slice_entry *entry)
{
	struct slice_entry *found;

	assert(set->count);
	found = find(set, entry, hash_of(entry));
	assert(found);
	found->count -= entry->count;
	found->weight -= entry->weight;
}

void entry_set_clear(struct entry_set *set)
{
	set->count = 0;
	id_set_clear(&set->index);
}

void entry_set_finish(struct entry_set *set)
{
	free(set->entries);
	id_set_finish(&set->index);
	memset(set, 0, sizeof(*set));
}

void stack_counts_add(struct stack_counts *sum, const struct stack_counts *more)
{
	sum->truncated += more->truncated;
	sum->user += more->user;
	sum->complete += more->complete;
	sum->cut += more->cut;
	sum->outgrown += more->outgrown;
	sum->no_map += more->no_map;
}

void stack_counts_subtract(struct stack_counts *sum, const struct stack_counts *less)
{
	sum->truncated -= less->truncated;
	sum->user -= less->user;
	sum->complete -= less->complete;
	sum->cut -= less->cut;
	sum->outgrown -= less->outgrown;
	sum->no_map -= less->no_map;
}

int timeline_init(struct timeline *timeline, uint32_t event_count)
{
	*timeline = (struct timeline){ .event_count = event_count };
	timeline->open_slice.ticks = calloc(SLICE_TICKS, sizeof(struct slice_tick));
	return timeline->open_slice.ticks ? 0 : -ENOMEM;
}

static void slice_finish(struct slice *slice)
{
	free(slice->entries);
	free(slice->ticks);
	memset(slice, 0, sizeof(*slice));
}

/* Begins an empty open slice. */
static void begin_open(struct timeline *timeline, uint64_t seq, uint64_t start_ns)
{
	struct slice *open = &timeline->open_slice;

	entry_set_clear(&timeline->open);
	memset(open->ticks, 0, SLICE_TICKS * sizeof(*open->ticks));
	*open = (struct slice){
		.seq = seq, .start_ns = start_ns, .ticks = open->ticks, .entries = open->entries,
	};
}

void timeline_finish(struct timeline *timeline)
{
	for (uint32_t i = 0; i < timeline->count; i++)
		slice_finish(&timeline->slices[i]);
	free(timeline->slices);
	slice_finish(&timeline->open_slice);
	tick_totals_finish(&timeline->totals);
	entry_set_finish(&timeline->open);
	memset(timeline, 0, sizeof(*timeline));
}

uint32_t timeline_open_count(const struct timeline *timeline)
{
	return timeline->open_slice.count + timeline->open.count;
}

/* Appends the entries of the newest tick to open_slice, which has those of the ticks before. */
static int close_tick(struct timeline *timeline)
{
	struct slice *slice = &timeline->open_slice;
	const uint32_t count = timeline_open_count(timeline);

	if (count > timeline->open_capacity) {
		const uint32_t capacity = count * 2;
		struct slice_entry *bigger = realloc(slice->entries, capacity * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		slice->entries = bigger;
		timeline->open_capacity = capacity;
	}
	if (timeline->open.count)
		memcpy(slice->entries + slice->count, timeline->open.entries,
		       timeline->open.count * sizeof(*slice->entries));
	slice->count = count;
	slice->ticks[slice->tick_count - 1].end = count;
	entry_set_clear(&timeline->open);
	return 0;
}

/* Makes the tick of @time_ns the newest one, if it is later. */
static int enter_tick(struct timeline *timeline, uint64_t time_ns)
{
	const uint32_t tick = (uint32_t)(time_ns % SLICE_NS / TICK_NS);
	struct slice *slice = &timeline->open_slice;
	int err;

	if (!timeline_open_count(timeline)) {
		slice->first_tick = tick;
		slice->tick_count = 1;
		return 0;
	}
	if (time_ns / SLICE_NS < slice->start_ns / SLICE_NS ||
	    tick < slice->first_tick + slice->tick_count)
		return 0;
	err = close_tick(timeline);
	while (!err && tick >= slice->first_tick + slice->tick_count)
		slice->ticks[slice->tick_count++].end = slice->count;
	return err;
}

/* An exact copy of the open slice. */
static int copy_open(const struct timeline *timeline, struct slice *copy)
{
	const struct slice *open = &timeline->open_slice;

	*copy = *open;
	copy->entries = malloc(open->count * sizeof(*copy->entries));
	copy->ticks = malloc(open->tick_count * sizeof(*copy->ticks));
	if (!copy->entries || !copy->ticks) {
		slice_finish(copy);
		return -ENOMEM;
	}
	memcpy(copy->entries, open->entries, open->count * sizeof(*copy->entries));
	memcpy(copy->ticks, open->ticks, open->tick_count * sizeof(*copy->ticks));
	return 0;
}

int timeline_cut(struct timeline *timeline, uint64_t now_ns)
{
	struct slice *slice;

	if (!timeline_open_count(timeline))
		return 0;
	if (timeline->count == timeline->capacity) {
		uint32_t capacity = timeline->capacity ? timeline->capacity * 2 : 64;

		slice = realloc(timeline->slices, capacity * sizeof(*slice));
		if (!slice)
			return -ENOMEM;
		timeline->slices = slice;
		timeline->capacity = capacity;
	}
	slice = &timeline->slices[timeline->count];
	if (close_tick(timeline) || copy_open(timeline, slice))
		return -ENOMEM;
	slice->end_ns = slice->start_ns - slice->start_ns % SLICE_NS + SLICE_NS;
	if (slice->end_ns > now_ns)	/* else what came after it was quiet */
		slice->end_ns = now_ns;
	timeline->count++;
	begin_open(timeline, slice->seq + 1, now_ns);
	return 0;
}

/* Enters the slice and the tick of @time_ns. Not needed for times before the newest tick's end. */
static int enter_time(struct timeline *timeline, uint64_t time_ns)
{
	struct slice *open = &timeline->open_slice;
	int err;

	if (timeline_open_count(timeline) && time_ns / SLICE_NS > open->start_ns / SLICE_NS) {
		err = timeline_cut(timeline, time_ns - time_ns % SLICE_NS);
		if (err)
			return err;
	}
	if (!timeline_open_count(timeline))
		open->start_ns = time_ns;
	timeline->open_tick_end_ns = time_ns - time_ns % TICK_NS + TICK_NS;
	err = enter_tick(timeline, time_ns);
	if (err)
		timeline->open_tick_end_ns = 0;
	return err;
}

int timeline_add(struct timeline *timeline, uint64_t time_ns, const struct slice_entry *entry,
		 const struct stack_counts *stack)
{
	struct slice *open = &timeline->open_slice;
	int err;

	if (time_ns >= timeline->open_tick_end_ns || !timeline_open_count(timeline)) {
		err = enter_time(timeline, time_ns);
		if (err)
			return err;
	}
	err = entry_set_add(&timeline->open, entry);
	if (err)
		return err;
	if (slice_entry_is_sample(entry))
		open->samples += entry->count;
	if (stack) {
		stack_counts_add(&open->stacks, stack);
		stack_counts_add(&open->ticks[open->tick_count - 1].stacks, stack);
	}
	return 0;
}

void timeline_set_border(struct timeline *timeline, uint64_t now_ns)
{
	timeline_cut(timeline, now_ns);
	timeline->border_seq = timeline->open_slice.seq;
	timeline->evicted_samples = 0;
}

/* Keeps the entries that stay; returns how many those are. */
static uint32_t drop_entries(struct slice *slice, struct slice_entry *entries, uint32_t count,
			     timeline_choice *is_dropped, const void *context)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (!is_dropped(context, &entries[i]))
			entries[kept++] = entries[i];
		else if (slice_entry_is_sample(&entries[i]))
			slice->samples -= entries[i].count;
	}
	return kept;
}

static void drop_from_slice(struct slice *slice, timeline_choice *is_dropped, const void *context)
{
	uint32_t from = 0, kept = 0;

	for (uint32_t t = 0; slice->ticks && t < slice->tick_count; t++) {
		const uint32_t count = slice->ticks[t].end - from;
		const uint32_t stay = drop_entries(slice, slice->entries + from, count,
						   is_dropped, context);

		if (stay)	/* entries may be NULL */
			memmove(slice->entries + kept, slice->entries + from,
				stay * sizeof(*slice->entries));
		from += count;
		kept += stay;
		slice->ticks[t].end = kept;
	}
	if (!slice->ticks)
		kept = drop_entries(slice, slice->entries, slice->count, is_dropped, context);
	slice->count = kept;
}

void timeline_drop(struct timeline *timeline, timeline_choice *is_dropped, const void *context)
{
	struct slice *open_slice = &timeline->open_slice;
	struct entry_set *open = &timeline->open;

	for (uint32_t s = 0; s < timeline->count; s++)
		drop_from_slice(&timeline->slices[s], is_dropped, context);
	if (!timeline_open_count(timeline))
		return;
	open_slice->ticks[open_slice->tick_count - 1].end = open_slice->count;	/* so far */
	drop_from_slice(open_slice, is_dropped, context);
	open->count = drop_entries(open_slice, open->entries, open->count, is_dropped, context);
	id_set_rebuild(&open->index, open->count, entry_hash, open);	/* fewer rows: can't fail */
	if (!timeline_open_count(timeline))
		begin_open(timeline, open_slice->seq, open_slice->start_ns);
}

/* Merges slices [first, end) into the first. Without memory they stay as they are. A slice of
 * samples that had to wait may be earlier than the slice before it. */
static void merge(struct timeline *timeline, uint32_t first, uint32_t end)
{
	struct entry_set sum = { 0 };
	struct slice *into = &timeline->slices[first];
	struct slice_entry *exact;

	for (uint32_t s = first; s < end; s++)
		for (uint32_t i = 0; i < timeline->slices[s].count; i++)
			if (entry_set_add(&sum, &timeline->slices[s].entries[i]))
				goto out;
	exact = malloc((sum.count ? sum.count : 1) * sizeof(*exact));
	if (!exact)
		goto out;
	memcpy(exact, sum.entries, sum.count * sizeof(*exact));
	free(into->entries);
	free(into->ticks);
	into->entries = exact;
	into->count = sum.count;
	into->ticks = NULL;
	into->first_tick = into->tick_count = 0;
	for (uint32_t s = first + 1; s < end; s++) {
		if (timeline->slices[s].start_ns < into->start_ns)
			into->start_ns = timeline->slices[s].start_ns;
		if (timeline->slices[s].end_ns > into->end_ns)
			into->end_ns = timeline->slices[s].end_ns;
		into->samples += timeline->slices[s].samples;
		stack_counts_add(&into->stacks, &timeline->slices[s].stacks);
		slice_finish(&timeline->slices[s]);
	}
	memmove(into + 1, &timeline->slices[end],
		(timeline->count - end) * sizeof(*into));
	timeline->count -= end - first - 1;
out:
	entry_set_finish(&sum);
}

static bool is_near(const struct slice *slice, uint64_t ns)
{
	return ns && slice->start_ns < ns + KEEP_AROUND_NS && slice->end_ns + KEEP_AROUND_NS > ns;
}

static bool is_kept(const struct timeline *timeline, const struct slice *slice)
{
	return is_near(slice, timeline->kept_begin_ns) || is_near(slice, timeline->kept_end_ns);
}

/* Returns whether @slice is after the border. */
static bool is_after(const struct timeline *timeline, uint32_t slice)
{
	return timeline->slices[slice].seq >= timeline->border_seq;
}

/* Merges neighbours that end before @before_ns and lie in the same stretch of @length_ns. */
static void roll_up_to(struct timeline *timeline, uint64_t before_ns, uint64_t length_ns)
{
	for (uint32_t first = 0; first < timeline->count; first++) {
		const uint64_t stretch = timeline->slices[first].start_ns / length_ns;
		uint32_t end = first + 1;

		if ((stretch + 1) * length_ns > before_ns)
			return;
		if (is_kept(timeline, &timeline->slices[first]))
			continue;
		while (end < timeline->count &&
		       timeline->slices[end].start_ns / length_ns == stretch &&
		       !is_kept(timeline, &timeline->slices[end]) &&
		       is_after(timeline, first) == is_after(timeline, end))
			end++;
		if (end > first + 1 || timeline->slices[first].ticks)
			merge(timeline, first, end);
	}
}

void timeline_roll_up(struct timeline *timeline, uint64_t now_ns)
{
	if (now_ns > ROLL_UP_1_AFTER_NS)
		roll_up_to(timeline, now_ns - ROLL_UP_1_AFTER_NS, ROLL_UP_1_LENGTH_NS);
	if (now_ns > ROLL_UP_2_AFTER_NS)
		roll_up_to(timeline, now_ns - ROLL_UP_2_AFTER_NS, ROLL_UP_2_LENGTH_NS);
}

void timeline_merge_ticks(struct timeline *timeline, uint64_t before_ns)
{
	for (uint32_t s = 0; s < timeline->count; s++) {
		const struct slice *slice = &timeline->slices[s];

		if (slice->ticks && slice->end_ns < before_ns && !is_kept(timeline, slice))
			merge(timeline, s, s + 1);
	}
}

bool timeline_evict_oldest(struct timeline *timeline)
{
	if (!timeline->count)
		return false;
	if (is_after(timeline, 0))
		timeline->evicted_samples += timeline->slices[0].samples;
	if (timeline->slices[0].end_ns > timeline->evicted_until_ns)
		timeline->evicted_until_ns = timeline->slices[0].end_ns;
	tick_totals_forget(&timeline->totals, timeline->evicted_until_ns);
	slice_finish(&timeline->slices[0]);
	timeline->count--;
	memmove(timeline->slices, timeline->slices + 1,
		timeline->count * sizeof(*timeline->slices));
	return true;
}

void timeline_keep_ticks(struct timeline *timeline, uint64_t begin_ns, uint64_t end_ns)
{
	timeline->kept_begin_ns = begin_ns;
	timeline->kept_end_ns = end_ns;
}

size_t timeline_bytes(const struct timeline *timeline)
{
	size_t bytes = (timeline->open.capacity + timeline->open_capacity) *
			       sizeof(struct slice_entry) +
		       id_set_bytes(&timeline->open.index) + timeline->totals.bytes;

	for (uint32_t i = 0; i < timeline->count; i++)
		bytes += timeline->slices[i].count * sizeof(struct slice_entry) +
			 sizeof(struct slice) +
			 timeline->slices[i].tick_count * sizeof(struct slice_tick);
	return bytes;
}

/* A minute is allocated for its first sample, so a rare event costs little, and one that no longer
 * occurs costs nothing in the end. Rejected: totals in the slices, which lose their ticks when they
 * are rolled up after two minutes, while the activity graph shows twenty.
 */

#define EVENTS_FEW 8	/* up to so many events are stepped through one by one */

static struct tick_minute *find_minute(const struct tick_totals *totals, uint32_t event,
				       uint64_t minute)
{
	struct tick_minute *found;

	if (event >= TICK_TOTALS_EVENTS || !totals->events[event])
		return NULL;
	found = totals->events[event][minute % TICK_TOTALS_MINUTES];
	return found && found->minute == minute ? found : NULL;
}

static void release(struct tick_totals *totals, struct tick_minute **minute)
{
	if (!*minute)
		return;
	free(*minute);
	*minute = NULL;
	totals->last.second = NULL;
	totals->bytes -= sizeof(**minute);
}

/* Adds the minute in place of an older one. NULL: no memory, or there is a newer one. */
static struct tick_minute *enter(struct tick_totals *totals, uint32_t event, uint64_t minute)
{
	struct tick_minute **place;

	if (!totals->events[event]) {
		totals->events[event] = calloc(TICK_TOTALS_MINUTES, sizeof(*place));
		if (!totals->events[event])
			return NULL;
		totals->bytes += TICK_TOTALS_MINUTES * sizeof(*place);
	}
	place = &totals->events[event][minute % TICK_TOTALS_MINUTES];
	if (*place && (*place)->minute > minute)
		return NULL;
	if (!*place) {
		*place = malloc(sizeof(**place));
		if (!*place)
			return NULL;
		totals->bytes += sizeof(**place);
	}
	totals->last.second = NULL;
	memset(*place, 0, sizeof(**place));
	(*place)->minute = minute;
	return *place;
}

/* Sets `last` to the place of @time_ns. False: a sample of that time is left out. */
static bool go_to(struct tick_totals *totals, uint32_t event, uint64_t time_ns)
{
	const uint64_t second = time_ns / SLICE_NS;
	struct tick_minute *minute = find_minute(totals, event, second / 60);

	if (!minute && event < TICK_TOTALS_EVENTS)
		minute = enter(totals, event, second / 60);
	if (!minute)
		return false;
	totals->last = (struct tick_place){
		.begin_ns = time_ns - time_ns % TICK_NS, .event = event,
		.second = &minute->seconds[second % 60],
		.tick = &minute->busy[second % 60][time_ns % SLICE_NS / TICK_NS],
	};
	return true;
}

void tick_totals_add(struct tick_totals *totals, uint32_t event, uint64_t time_ns, uint32_t count,
		     bool is_busy)
{
	struct tick_place *last = &totals->last;

	if ((!last->second || last->event != event || time_ns - last->begin_ns >= TICK_NS) &&
	    !go_to(totals, event, time_ns))
		return;
	*last->second += count;
	if (is_busy)
		*last->tick += count;
}

uint32_t tick_totals_second(const struct tick_totals *totals, uint32_t event, uint64_t second)
{
	const struct tick_minute *minute = find_minute(totals, event, second / 60);

	return minute ? minute->seconds[second % 60] : 0;
}

const uint32_t *tick_totals_busy(const struct tick_totals *totals, uint32_t event, uint64_t second)
{
	const struct tick_minute *minute = find_minute(totals, event, second / 60);

	return minute ? minute->busy[second % 60] : NULL;
}

uint32_t tick_totals_next(const struct tick_totals *totals, uint32_t event, uint32_t count)
{
	const uint32_t next = count ? (event + 1) % count : 0;

	if (count <= EVENTS_FEW)
		return next;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t at = (next + i) % count;

		if (at < TICK_TOTALS_EVENTS && totals->events[at])
			return at;
	}
	return next;
}

void tick_totals_drop(struct tick_totals *totals, uint32_t event)
{
	if (event >= TICK_TOTALS_EVENTS || !totals->events[event])
		return;
	for (uint32_t i = 0; i < TICK_TOTALS_MINUTES; i++)
		release(totals, &totals->events[event][i]);
	free(totals->events[event]);
	totals->events[event] = NULL;
	totals->bytes -= TICK_TOTALS_MINUTES * sizeof(struct tick_minute *);
}

void tick_totals_forget(struct tick_totals *totals, uint64_t until_ns)
{
	const uint64_t first = until_ns / SLICE_NS / 60;

	for (uint32_t event = 0; event < TICK_TOTALS_EVENTS; event++)
		for (uint32_t i = 0; totals->events[event] && i < TICK_TOTALS_MINUTES; i++)
			if (totals->events[event][i] && totals->events[event][i]->minute < first)
				release(totals, &totals->events[event][i]);
}

void tick_totals_finish(struct tick_totals *totals)
{
	for (uint32_t event = 0; event < TICK_TOTALS_EVENTS; event++)
		tick_totals_drop(totals, event);
}
