/* fold.c - see fold/fold.h.
 *
 * Problem: a sample counts once for every different row on its stack, and recursion must not count
 * twice. Idea: a running number per entry, stamped into the rows it was added to.
 */
#include "fold/fold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_GROUPED (KEY_PID | KEY_TID | KEY_GROUP)

static uint64_t identity_of(const struct task *task)
{
	return id_set_mix(id_set_mix((uint64_t)task->pid << 32 | task->tid, task->comm.v),
			  task->cgroup);
}

/* An exec that keeps the name gives a task a second, equal entry, if its cgroup was read later. */
uint32_t fold_same_task(struct fold *fold, uint32_t task)
{
	const uint32_t count = fold->tasks->task_count;
	uint64_t identity;
	uint32_t same;

	if (!fold->same_task) {
		fold->same_task = malloc(count * sizeof(*fold->same_task));
		if (!fold->same_task) {
			fold->is_out_of_memory = true;
			return task;
		}
		memset(fold->same_task, 0xff, count * sizeof(*fold->same_task));
	}
	if (fold->same_task[task] != ID_MAP_NONE)
		return fold->same_task[task];
	identity = identity_of(&fold->tasks->tasks[task]);
	same = id_map_get(&fold->by_identity, identity);
	if (same == ID_MAP_NONE) {
		same = task;
		fold->is_out_of_memory |= id_map_put(&fold->by_identity, identity, task) != 0;
	}
	return fold->same_task[task] = same;
}

#define STEPS_UNASKED 8192	/* entries: 2 ms, most live windows are shorter */
#define PREFETCH_AHEAD 8	/* entries: their stacks lie all over memory */
#define KEYS_SYMBOL (KEY_DSO | KEY_SYMBOL)
#define KEYS_CODE   (KEYS_SYMBOL | KEY_ADDRESS)

void fold_init(struct fold *fold, struct stack_trie *trie, struct symbol_names *names,
	       const struct task_table *tasks, unsigned int keys, uint32_t event,
	       const struct filter *filter)
{
	*fold = (struct fold){
		.trie = trie, .names = names, .tasks = tasks, .keys = keys, .event = event,
	};
	/* Its texts have been checked: what can fail is memory. */
	if (fold_filter_init(&fold->filter, filter, names, tasks))
		fold->is_out_of_memory = true;
	if (!(keys & KEY_EVENT))
		return;
	fold->wholes = calloc(TIMELINE_NUMBERS, sizeof(*fold->wholes));
	fold->is_out_of_memory |= !fold->wholes;
}

void fold_set_waits(struct fold *fold, const struct wait_stacks *waits)
{
	fold->waits = fold->filter.waits = waits;
}

void fold_finish(struct fold *fold)
{
	fold_filter_finish(&fold->filter);
	free(fold->rows);
	free(fold->wholes);
	free(fold->by_symbol[0]);
	free(fold->by_symbol[1]);
	id_set_finish(&fold->by_key);
	id_map_finish(&fold->task_pairs);
	free(fold->same_task);
	id_map_finish(&fold->by_identity);
	memset(fold, 0, sizeof(*fold));
}

static uint64_t key_hash(const struct fold_key *key)
{
	return id_set_mix(key->code ^ id_map_mix(key->address + key->event) ^
				  id_set_mix(key->from, key->from_dso),
			  id_set_mix((uint64_t)key->comm << 32 | key->pid,
				     (uint64_t)key->tid << 32 | key->cpu_and_idle));
}

static uint64_t row_hash(const void *owner, uint32_t id)
{
	return key_hash(&((const struct fold *)owner)->rows[id].key);
}

static struct fold_row *append_row(struct fold *fold, const struct fold_key *key, uint32_t symbol)
{
	struct fold_row *row;

	if (fold->row_count == fold->row_capacity) {
		uint32_t capacity = fold->row_capacity ? fold->row_capacity * 2 : 256;

		row = realloc(fold->rows, capacity * sizeof(*row));
		if (!row)
			return NULL;
		fold->rows = row;
		fold->row_capacity = capacity;
	}
	row = &fold->rows[fold->row_count++];
	*row = (struct fold_row){
		.key = *key, .symbol = symbol, .from_symbol = ID_SET_NONE, .address = key->address,
		.comm = FOLD_NONE, .pid = FOLD_NONE, .tid = FOLD_NONE, .cpu = FOLD_NONE,
		.cgroup = FOLD_NONE, .task = FOLD_NONE, .is_idle = key->cpu_and_idle & 1,
	};
	return row;
}

/* Returns where a symbol's row is cached, if rows are keyed by code alone: an array, no hash. NULL:
 * out of memory. */
static uint32_t *cached_row(struct fold *fold, uint32_t symbol, bool is_idle)
{
	const uint32_t count = fold->names->capacity;

	if (symbol < fold->by_symbol_count)
		return &fold->by_symbol[is_idle][symbol];
	for (int i = 0; i < 2; i++) {
		uint32_t *bigger = realloc(fold->by_symbol[i], count * sizeof(*bigger));

		if (!bigger)
			return NULL;
		memset(bigger + fold->by_symbol_count, 0xff,
		       (count - fold->by_symbol_count) * sizeof(*bigger));
		fold->by_symbol[i] = bigger;
	}
	fold->by_symbol_count = count;
	return &fold->by_symbol[is_idle][symbol];
}

static struct fold_row *row_of_symbol(struct fold *fold, uint32_t symbol, bool is_idle)
{
	struct fold_key key = { .code = symbol, .cpu_and_idle = is_idle };
	uint32_t *noted = cached_row(fold, symbol, is_idle);
	struct fold_row *row;

	if (!noted)
		return NULL;
	if (*noted != ID_SET_NONE)
		return &fold->rows[*noted];
	row = append_row(fold, &key, symbol);
	if (row)
		*noted = fold->row_count - 1;
	return row;
}

static struct fold_row *row_of_key(struct fold *fold, const struct fold_key *key, uint32_t symbol)
{
	const uint64_t hash = key_hash(key);
	struct fold_row *row;
	uint32_t id;

	if (id_set_reserve(&fold->by_key, row_hash, fold))
		return NULL;
	for (uint32_t slot = id_set_first(&fold->by_key, hash);
	     (id = id_set_at(&fold->by_key, &slot, hash)) != ID_SET_NONE;
	     slot = id_set_next(&fold->by_key, slot))
		if (!memcmp(&fold->rows[id].key, key, sizeof(*key)))
			return &fold->rows[id];
	row = append_row(fold, key, symbol);
	if (row)
		id_set_add(&fold->by_key, hash, fold->row_count - 1);
	return row;
}

const struct fold_row *fold_find_row(const struct fold *fold, const struct fold_key *key)
{
	const bool is_idle = key->cpu_and_idle & 1;
	const uint64_t hash = key_hash(key);
	uint32_t id = ID_SET_NONE;

	if (fold->keys == KEYS_SYMBOL) {
		if (key->code < fold->by_symbol_count)
			id = fold->by_symbol[is_idle][key->code];
		return id == ID_SET_NONE ? NULL : &fold->rows[id];
	}
	if (!fold->by_key.slot_count)
		return NULL;
	for (uint32_t slot = id_set_first(&fold->by_key, hash);
	     (id = id_set_at(&fold->by_key, &slot, hash)) != ID_SET_NONE;
	     slot = id_set_next(&fold->by_key, slot))
		if (!memcmp(&fold->rows[id].key, key, sizeof(*key)))
			return &fold->rows[id];
	return NULL;
}

#define HAS_NO_NAME ((uint64_t)1 << 63)	/* beside keys that begin with a name */

/* Kernel and user functions of one name stay separate. Symbols without a name, which are shown by
 * address, are separate, too: several DSOs may have that address. */
uint64_t fold_code_key(const struct fold *fold, uint32_t symbol_id)
{
	const struct symbol *symbol = &fold->names->symbols[symbol_id];

	if ((fold->keys & KEYS_SYMBOL) == KEYS_SYMBOL)
		return symbol_id;
	if ((fold->keys & KEY_SYMBOL) && symbol_is_bare(symbol))
		return HAS_NO_NAME | symbol_id;
	if (fold->keys & KEY_SYMBOL)
		return (uint64_t)symbol->name.v << 8 | symbol->mode;
	if (fold->keys & KEY_DSO)
		return (uint64_t)symbol->dso_path.v << 8 | symbol->mode;
	return fold->keys & KEY_ADDRESS ? symbol->mode : 0;
}

/* Returns the row of a DSO, or of all symbols of a name: many symbols are one row. */
static struct fold_row *row_of_code(struct fold *fold, uint32_t symbol, bool is_idle)
{
	uint32_t *noted = cached_row(fold, symbol, is_idle);
	struct fold_key key = { .cpu_and_idle = is_idle };
	struct fold_row *row;

	if (!noted)
		return NULL;
	if (*noted != ID_SET_NONE)
		return &fold->rows[*noted];
	key.code = fold_code_key(fold, symbol);
	row = row_of_key(fold, &key, symbol);
	if (row)
		*noted = (uint32_t)(row - fold->rows);
	return row;
}

struct fold_row *fold_row_of_symbol(struct fold *fold, uint32_t symbol)
{
	if (symbol == ID_SET_NONE)
		return NULL;
	return fold->keys == KEYS_SYMBOL ? row_of_symbol(fold, symbol, false)
					 : row_of_code(fold, symbol, false);
}

/* What the rows of one entry share. */
struct sample {
	const struct slice_entry *entry;
	uint32_t stack;		/* stack that it is shown with */
	const struct wait_stacks *waits;	/* NULL: it is no wait */
	const struct task *task;
	double weight;
	bool is_idle;
};

/* Adds the caller of the leaf of @stack to @key. Returns its symbol; ID_SET_NONE: there is none, or
 * out of memory, noted. */
static uint32_t add_caller(struct fold *fold, uint32_t stack, struct fold_key *key)
{
	const uint32_t node = fold->trie->stacks.node[stack];
	const uint32_t frame = fold->trie->nodes.frame[node];
	uint32_t symbol;

	if (node == STACK_NODE_ROOT)
		return ID_SET_NONE;
	symbol = fold_symbol_of(fold, frame);
	if (symbol == ID_SET_NONE) {
		fold->is_out_of_memory = true;
		return ID_SET_NONE;
	}
	key->from = fold->trie->frames.address[frame];
	key->from_dso = (uint64_t)fold->names->symbols[symbol].dso + 1;
	return symbol;
}

static struct fold_row *row_of(struct fold *fold, uint32_t frame, const struct sample *sample)
{
	const struct slice_entry *entry = sample->entry;
	const struct task *task = sample->task;
	const bool is_idle = sample->is_idle;
	uint32_t from_symbol = ID_SET_NONE;
	struct fold_row *row;
	const uint32_t symbol = fold_symbol_of(fold, frame);
	const unsigned int keys = fold->keys;
	struct fold_key key;

	if (symbol == ID_SET_NONE)
		return NULL;
	if (keys == KEYS_SYMBOL)
		return row_of_symbol(fold, symbol, is_idle);
	if ((keys | KEYS_SYMBOL) == KEYS_SYMBOL)
		return row_of_code(fold, symbol, is_idle);
	memset(&key, 0, sizeof(key));
	key.code = fold_code_key(fold, symbol);
	if (keys & KEY_ADDRESS)
		key.address = fold->trie->frames.address[frame];
	if (keys & KEY_COMM)
		key.comm = task->comm.v;
	if (keys & KEY_PID)
		key.pid = task->pid;
	if (keys & KEY_TID)
		key.tid = task->tid;
	if (keys & KEY_FROM)
		from_symbol = add_caller(fold, sample->stack, &key);
	if (keys & KEY_EVENT)
		key.event = entry->event;
	key.cpu_and_idle = (uint32_t)is_idle | (keys & KEY_CPU ? (uint32_t)entry->cpu << 1 : 0);
	row = row_of_key(fold, &key, symbol);
	if (row && from_symbol != ID_SET_NONE)
		row->from_symbol = from_symbol;
	return row;
}

/* Merges the task and CPU of a sample into its row, once per entry and row. */
static void add_task(struct fold *fold, struct fold_row *row, const struct slice_entry *entry)
{
	const struct task *task = &fold->tasks->tasks[entry->task];
	uint32_t same;
	uint64_t pair;

	row->cpu = fold_merge(row->cpu, entry->cpu);
	if (row->task == entry->task)
		return;
	same = fold_same_task(fold, entry->task);
	if (row->task == same)
		return;
	row->comm = fold_merge(row->comm, task->comm.v);
	row->pid = fold_merge(row->pid, task->pid);
	row->tid = fold_merge(row->tid, task->tid);
	row->cgroup = fold_merge(row->cgroup, task->cgroup);
	if (row->task == FOLD_NONE) {
		row->task = same;
		row->tasks = 1;
		return;
	}
	pair = (uint64_t)(row - fold->rows) << 32 | same;
	if (id_map_get(&fold->task_pairs, pair) != ID_MAP_NONE)
		return;
	if (id_map_put(&fold->task_pairs, pair, 0))
		fold->is_out_of_memory = true;
	row->tasks++;
}

void fold_count(struct fold *fold, uint64_t samples, double weight, bool is_idle, bool is_named)
{
	fold->samples += samples;
	if (is_idle) {
		fold->idle_samples += samples;
		fold->idle_weight += weight;
		return;
	}
	fold->weight += weight;
	if (!is_named)
		fold->unresolved += samples;
}

/* Nobody ended some of the waits, as their tasks were preempted: the others say who. */
static uint32_t merge_wakers(uint32_t a, uint32_t b)
{
	return !a ? b : !b || a == b ? a : FOLD_MIXED;
}

static uint16_t wait_kind_bit(const struct sample *sample)
{
	return (uint16_t)(1u << wait_stacks_kind(sample->waits, sample->entry));
}

static void add_wait(struct fold_row *row, const struct sample *sample)
{
	const struct wait_tuple *tuple = wait_stacks_tuple(sample->waits, sample->entry);

	row->waker = row->wait_kinds ? merge_wakers(row->waker, tuple->waker.v) : tuple->waker.v;
	row->wait_kinds |= wait_kind_bit(sample);
	row->wait_states |= (uint8_t)(1u << wait_stacks_state(sample->waits, sample->entry));
}

static void add_total(struct fold *fold, struct fold_row *row, const struct sample *sample)
{
	if (row->stamp == fold->stamp)
		return;
	row->stamp = fold->stamp;
	row->stats.total.samples += sample->entry->count;
	row->stats.total.weight += sample->weight;
	add_task(fold, row, sample->entry);
	if (sample->waits)
		add_wait(row, sample);
}

void fold_add_self(struct fold *fold, struct fold_row *row, uint64_t samples, double weight)
{
	row->stats.self.samples += samples;
	row->stats.self.weight += weight;
	if (row->is_idle)
		return;
	if (fold->wholes)
		fold->wholes[row->key.event].shown_weight += weight;
	if (fold->wholes && row->key.event != fold->event)
		return;
	fold->shown_samples += samples;
	fold->shown_weight += weight;
}

/* The row that the frame counts for; NULL: out of memory. */
static struct fold_row *add_frame(struct fold *fold, uint32_t frame, const struct sample *sample)
{
	struct fold_row *row = row_of(fold, frame, sample);

	if (row)
		add_total(fold, row, sample);
	else
		fold->is_out_of_memory = true;
	return row;
}

static void add_leaf(struct fold *fold, uint32_t frame, const struct sample *sample)
{
	struct fold_row *row = add_frame(fold, frame, sample);

	if (!row)
		return;
	fold_add_self(fold, row, sample->entry->count, sample->weight);
	if (sample->waits)
		row->self_wait_kinds |= wait_kind_bit(sample);
	if (fold->keys & KEY_FROM && sample->entry->bucket == BRANCH_PREDICTED)
		row->predicted += sample->weight;
	else if (fold->keys & KEY_FROM && sample->entry->bucket == BRANCH_MISPREDICTED)
		row->mispredicted += sample->weight;
}

static bool matches(struct fold *fold, uint32_t of_sample, uint32_t frame)
{
	const uint32_t symbol = symbol_names_of_frame(fold->names, fold->trie, frame);

	if (symbol != ID_SET_NONE)
		return fold_filter_matches(&fold->filter, of_sample, symbol);
	fold->is_out_of_memory = true;
	return false;
}

static void add_matching(struct fold *fold, const struct sample *sample)
{
	const uint32_t of_sample = fold_filter_of_sample(&fold->filter, sample->entry);
	const struct stack_nodes *nodes = &fold->trie->nodes;
	const uint32_t leaf = fold->trie->stacks.frame[sample->stack];

	if (!fold_filter_can_match(&fold->filter, of_sample))
		return;
	if (matches(fold, of_sample, leaf))
		add_leaf(fold, leaf, sample);
	if (fold->keys & KEY_FROM)
		return;
	for (uint32_t n = fold->trie->stacks.node[sample->stack]; n != STACK_NODE_ROOT;
	     n = nodes->parent[n])
		if (matches(fold, of_sample, nodes->frame[n]))
			add_frame(fold, nodes->frame[n], sample);
}

/* Adds all frames, without a filter: this is where a fold spends its time. */
static void add_all(struct fold *fold, const struct sample *sample)
{
	const struct stack_nodes *nodes = &fold->trie->nodes;

	add_leaf(fold, fold->trie->stacks.frame[sample->stack], sample);
	/* Without keys of code the other frames are of the same row. */
	if (!(fold->keys & KEYS_CODE) || fold->keys & KEY_FROM)
		return;
	for (uint32_t n = fold->trie->stacks.node[sample->stack]; n != STACK_NODE_ROOT;
	     n = nodes->parent[n])
		add_frame(fold, nodes->frame[n], sample);
}

/* Counts the samples that pass the filter, in a fold without rows. */
static void count_shown(struct fold *fold, const struct sample *sample)
{
	const uint32_t leaf = fold->trie->stacks.frame[sample->stack];

	if (sample->is_idle ||
	    (fold->filter.all &&
	     !matches(fold, fold_filter_of_sample(&fold->filter, sample->entry), leaf)))
		return;
	fold->shown_samples += sample->entry->count;
	fold->shown_weight += sample->weight;
}

static void add_entry(struct fold *fold, const struct slice_entry *entry, double factor)
{
	const struct wait_stacks *waits = wait_stacks_of(fold->waits, entry->event);
	struct sample sample = { .entry = entry, .task = &fold->tasks->tasks[entry->task],
				 .stack = wait_stacks_cut(waits, entry), .waits = waits,
				 .weight = (double)entry->weight * factor };
	const uint32_t leaf = fold->trie->stacks.frame[sample.stack];
	const uint32_t symbol = symbol_names_of_frame(fold->names, fold->trie, leaf);

	if (symbol == ID_SET_NONE) {
		fold->is_out_of_memory = true;
		return;
	}
	sample.is_idle = fold_is_idle(fold->names, sample.task, symbol) ||
			 wait_stacks_is_idle(waits, entry);
	fold->stamp++;
	if (fold->wholes && !sample.is_idle)
		fold->wholes[entry->event].weight += sample.weight;
	if (entry->event == fold->event)
		fold_count(fold, entry->count, sample.weight, sample.is_idle,
			   fold->names->symbols[symbol].state == SYMBOL_NAMED);
	if (!fold->keys)
		count_shown(fold, &sample);
	else if (fold->filter.all)
		add_matching(fold, &sample);
	else
		add_all(fold, &sample);
}

static bool is_counted(const struct fold *fold, const struct slice_entry *entry)
{
	if (!entry->count)
		return false;
	return entry->event == fold->event || (fold->wholes && slice_entry_is_sample(entry));
}

bool fold_goes_on(struct fold *fold, uint32_t steps)
{
	fold->steps += steps;
	if (fold->stop.is_due && fold->steps >= STEPS_UNASKED) {
		fold->is_stopped |= fold->stop.is_due(fold->stop.owner);
		fold->steps = 0;
	}
	return !fold->is_stopped;
}

void fold_add(struct fold *fold, const struct slice_entry *entries, uint32_t count, double factor)
{
	const uint32_t *frames = fold->trie->stacks.frame;

	for (uint32_t i = 0; i < count; i++) {
		if (count - i > PREFETCH_AHEAD)
			__builtin_prefetch(&frames[entries[i + PREFETCH_AHEAD].stack]);
		if (!is_counted(fold, &entries[i]))
			continue;
		if (!fold_goes_on(fold, 1))
			return;
		add_entry(fold, &entries[i], factor);
	}
}

/* A sample belongs to one thread, and a thread to one process, so sums of rows are exact. With any
 * other key a sample would be in the total of several rows: then there are no groups. */
bool fold_is_grouped(unsigned int keys)
{
	return keys == KEYS_GROUPED;
}

static bool is_one(uint32_t part)
{
	return part != FOLD_MIXED && part != FOLD_NONE;
}

static void start_group(struct fold_group *group, const struct fold_row *row)
{
	*group = (struct fold_group){ .sum = {
		.key = { .pid = row->key.pid, .cpu_and_idle = row->key.cpu_and_idle },
		.symbol = row->symbol, .comm = row->comm, .pid = row->pid, .tid = FOLD_MIXED,
		.cpu = row->cpu, .cgroup = row->cgroup, .task = row->task,
		.is_idle = row->is_idle,
	} };
}

static void add_thread(struct fold_group *group, const struct fold_row *row)
{
	struct fold_row *sum = &group->sum;

	stats_add(&sum->stats, &row->stats);
	sum->waker = sum->wait_kinds ? merge_wakers(sum->waker, row->waker) : row->waker;
	sum->wait_kinds |= row->wait_kinds;
	sum->self_wait_kinds |= row->self_wait_kinds;
	sum->wait_states |= row->wait_states;
	sum->cpu = fold_merge(sum->cpu, row->cpu);
	sum->cgroup = fold_merge(sum->cgroup, row->cgroup);
	if (sum->tasks++)
		sum->task = FOLD_NONE;	/* one of several says nothing of the process */
	if (group->has_own_comm)
		return;
	group->has_own_comm = row->key.tid == row->key.pid && is_one(row->comm);
	sum->comm = group->has_own_comm ? row->comm : fold_merge(sum->comm, row->comm);
}

int fold_groups(const struct fold *fold, struct fold_group **out, uint32_t *count)
{
	struct fold_group *groups = malloc((fold->row_count + 1) * sizeof(*groups));
	struct id_map by_process = { 0 };

	*count = 0;
	*out = groups;
	if (!groups || id_map_reserve(&by_process, fold->row_count)) {
		free(groups);
		*out = NULL;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < fold->row_count; i++) {
		const struct fold_row *row = &fold->rows[i];
		const uint64_t process = (uint64_t)row->key.pid << 1 | row->is_idle;
		uint32_t at = id_map_get(&by_process, process);

		if (at == ID_MAP_NONE) {
			at = (*count)++;
			id_map_put(&by_process, process, at);	/* has room */
			start_group(&groups[at], row);
		}
		add_thread(&groups[at], row);
	}
	id_map_finish(&by_process);
	return 0;
}
