/* fold_filter.c - see fold/fold_filter.h.
 *
 * Problem: a window has millions of frames, and a part compares text.
 *
 * Idea: each part is a bit. The parts that a task, a CPU or a symbol satisfies are a mask, computed
 * once per task and symbol; a frame matches when ((task | CPU | symbol) ^ negated) has all bits.
 * The masks live as long as the fold, so names that arrive later are never missed.
 *
 * Without memory for a mask it is computed again each time: slower, with equal results.
 */
#include "fold/fold_filter.h"

#include <stdlib.h>
#include <string.h>

#define IS_KNOWN (1u << 31)	/* in of_task and of_symbol; there are fewer parts */

_Static_assert(FILTER_PARTS < 31, "a bit per part");

static void describe_part(struct fold_filter *filter, const struct filter_part *part, uint32_t bit)
{
	filter->all |= bit;
	if (part->is_negated)
		filter->negated |= bit;
	switch (part->field) {
	case FILTER_TEXT:
		filter->by_task |= bit;
		filter->by_code |= bit;
		break;
	case FILTER_COMMAND:
	case FILTER_PID:
	case FILTER_TID:
	case FILTER_CGROUP:
	case FILTER_UNIT:
	case FILTER_CONTAINER:
	case FILTER_POD:
		filter->by_task |= bit;
		break;
	case FILTER_CPU:
		filter->by_cpu |= bit;
		break;
	case FILTER_WAIT:
	case FILTER_STATE:
	case FILTER_WAKER:
		filter->by_wait |= bit;
		break;
	case FILTER_BY:
		filter->by_hit |= bit;
		break;
	case FILTER_DSO:
	case FILTER_SYMBOL:
	case FILTER_KERNEL:
	case FILTER_USER:
		filter->by_code |= bit;
		break;
	}
	if ((filter->by_code & bit) && (part->is_negated || part->field == FILTER_KERNEL ||
					part->field == FILTER_USER))
		filter->hiding |= bit;
}

int fold_filter_init(struct fold_filter *out, const struct filter *filter,
		     const struct symbol_names *names, const struct task_table *tasks)
{
	*out = (struct fold_filter){ .filter = filter, .names = names, .tasks = tasks };
	for (uint32_t i = 0; i < filter->count; i++) {
		const struct filter_part *part = &filter->parts[i];
		int err = part->field == FILTER_TEXT
			  ? filter_text_init(&out->texts[i], part->text, NULL) : 0;

		if (err)
			return err;
		describe_part(out, part, 1u << i);
	}
	return 0;
}

void fold_filter_finish(struct fold_filter *filter)
{
	for (uint32_t i = 0; i < FILTER_PARTS; i++)
		if (filter->texts[i].text)
			filter_text_finish(&filter->texts[i]);
	free(filter->of_task);
	free(filter->of_symbol);
	memset(filter, 0, sizeof(*filter));
}

static bool is_kernel_mode(enum cpu_mode mode)
{
	return mode == MODE_KERNEL || mode == MODE_GUEST_KERNEL || mode == MODE_HYPERVISOR;
}

static bool is_user_mode(enum cpu_mode mode)
{
	return mode == MODE_USER || mode == MODE_GUEST_USER;
}

static bool task_satisfies(const struct fold_filter *filter, uint32_t index,
			   const struct task *task)
{
	const struct filter_part *part = &filter->filter->parts[index];
	const struct strpool *strings = filter->names->strings;
	const char *comm = strpool_get(strings, task->comm);
	const struct cgroup_names *in = cgroup_table_get(&filter->tasks->cgroups, task->cgroup);

	switch (part->field) {
	case FILTER_TEXT:    return filter_text_matches(&filter->texts[index], comm);
	case FILTER_COMMAND: return filter_hash(comm) == part->hash;
	case FILTER_PID:     return task->pid == part->number;
	case FILTER_TID:     return task->tid == part->number;
	case FILTER_CGROUP:  return strpool_hash(strings, in->path) == part->hash;
	case FILTER_UNIT:    return strpool_hash(strings, in->unit) == part->hash;
	case FILTER_CONTAINER:
		return strpool_hash(strings, in->container) == part->hash;
	case FILTER_POD:     return strpool_hash(strings, in->pod) == part->hash;
	default:	     return false;
	}
}

static bool symbol_satisfies(const struct fold_filter *filter, uint32_t index,
			     const struct symbol *symbol)
{
	const struct filter_part *part = &filter->filter->parts[index];
	const struct filter_text *text = &filter->texts[index];
	const struct strpool *strings = filter->names->strings;
	const struct str_id shown = symbol_names_shown(filter->names, symbol);
	const char *raw_name = strpool_get(strings, symbol->name);

	switch (part->field) {
	case FILTER_TEXT:
		return filter_text_matches(text, strpool_get(strings, shown)) ||
		       filter_text_matches(text, raw_name) ||
		       filter_text_matches(text, strpool_get(strings, symbol->dso_name));
	case FILTER_DSO:
		return strpool_hash(strings, symbol->dso_path) == part->hash;
	case FILTER_SYMBOL:
		return filter_hash(raw_name) == part->hash &&
		       (!part->number ||
			strpool_hash(strings, symbol->dso_path) == part->number);
	case FILTER_KERNEL:
		return is_kernel_mode(symbol->mode);
	case FILTER_USER:
		return is_user_mode(symbol->mode);
	default:
		return false;
	}
}

static uint32_t mask_of_task(const struct fold_filter *filter, uint32_t id)
{
	uint32_t mask = IS_KNOWN;

	for (uint32_t i = 0; i < filter->filter->count; i++)
		if ((filter->by_task & 1u << i) &&
		    task_satisfies(filter, i, &filter->tasks->tasks[id]))
			mask |= 1u << i;
	return mask;
}

static uint32_t mask_of_symbol(const struct fold_filter *filter, uint32_t id)
{
	uint32_t mask = IS_KNOWN;

	for (uint32_t i = 0; i < filter->filter->count; i++)
		if ((filter->by_code & 1u << i) &&
		    symbol_satisfies(filter, i, &filter->names->symbols[id]))
			mask |= 1u << i;
	return mask;
}

/* Returns the slot for the mask of row @id, 0: not known yet; NULL: out of memory. @capacity: how
 * many rows there can be now. */
static uint32_t *mask_slot(uint32_t **masks, uint32_t *count, uint32_t id, uint32_t capacity)
{
	uint32_t *bigger;

	if (id < *count)
		return &(*masks)[id];
	bigger = realloc(*masks, capacity * sizeof(*bigger));
	if (!bigger)
		return NULL;
	memset(bigger + *count, 0, (capacity - *count) * sizeof(*bigger));
	*masks = bigger;
	*count = capacity;
	return &bigger[id];
}

static uint32_t satisfied_by_task(struct fold_filter *filter, uint32_t id)
{
	uint32_t *slot = mask_slot(&filter->of_task, &filter->task_count, id,
				   filter->tasks->task_capacity);

	if (!slot)
		return mask_of_task(filter, id);
	if (!*slot)
		*slot = mask_of_task(filter, id);
	return *slot;
}

static uint32_t satisfied_by_symbol(struct fold_filter *filter, uint32_t id)
{
	uint32_t *slot = mask_slot(&filter->of_symbol, &filter->symbol_count, id,
				   filter->names->capacity);

	if (!slot)
		return mask_of_symbol(filter, id);
	if (!*slot)
		*slot = mask_of_symbol(filter, id);
	return *slot;
}

static bool wait_satisfies(const struct fold_filter *filter, const struct filter_part *part,
			   const struct slice_entry *entry)
{
	const struct wait_stacks *waits = wait_stacks_of(filter->waits, entry->event);

	if (!waits)
		return false;
	switch (part->field) {
	case FILTER_WAIT:
		return filter_hash(wait_kind_name(wait_stacks_kind(waits, entry))) ==
		       part->hash;
	case FILTER_STATE:
		return filter_hash(wait_state_name(wait_stacks_state(waits, entry))) == part->hash;
	case FILTER_WAKER:
		return strpool_hash(filter->names->strings,
				    wait_stacks_tuple(waits, entry)->waker) == part->hash;
	default:
		return false;
	}
}

static uint32_t satisfied_by_hit(const struct fold_filter *filter, const struct slice_entry *entry)
{
	uint32_t mask = 0, bucket = entry->bucket;

	if (entry->event < PROBE_EVENT_FIRST || !slice_entry_is_sample(entry))
		return 0;
	for (uint32_t i = 0; filter->by_hit >> i; i++) {
		if (!(filter->by_hit & 1u << i))
			continue;
		mask |= bucket & 1 ? 1u << i : 0;
		bucket >>= 1;
	}
	return mask;
}

uint32_t fold_filter_of_sample(struct fold_filter *filter, const struct slice_entry *entry)
{
	uint32_t mask = filter->by_task ? satisfied_by_task(filter, entry->task) : 0;

	for (uint32_t i = 0; filter->by_cpu >> i; i++)
		if ((filter->by_cpu & 1u << i) && filter->filter->parts[i].number == entry->cpu)
			mask |= 1u << i;
	for (uint32_t i = 0; filter->by_wait >> i; i++)
		if ((filter->by_wait & 1u << i) &&
		    wait_satisfies(filter, &filter->filter->parts[i], entry))
			mask |= 1u << i;
	return filter->by_hit ? mask | satisfied_by_hit(filter, entry) : mask;
}

bool fold_filter_shows(struct fold_filter *filter, uint32_t symbol)
{
	const uint32_t hiding = filter->hiding;

	return !hiding ||
	       ((satisfied_by_symbol(filter, symbol) ^ filter->negated) & hiding) == hiding;
}

bool fold_filter_matches(struct fold_filter *filter, uint32_t of_sample, uint32_t symbol)
{
	const uint32_t of_code = filter->by_code ? satisfied_by_symbol(filter, symbol) : 0;

	return (((of_sample | of_code) ^ filter->negated) & filter->all) == filter->all;
}
