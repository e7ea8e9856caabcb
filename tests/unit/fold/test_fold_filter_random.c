/* Random samples through random filters, against a fold written for being obvious: it asks every
 * part of every frame by the names that rows show, and finds rows by text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model_fixture.h"
#include "random_numbers.h"
#include "unit_tests.h"

enum { ENTRIES = 60, ROWS = 400, DEPTH = 8, ROUNDS = 3000 };

struct plain_row {
	char name[128];
	uint64_t self, total;
	double self_weight, total_weight;
	uint32_t seen;	/* the last entry added to total */
};

struct plain_fold {
	struct plain_row rows[ROWS];
	uint32_t count;
	uint64_t shown;
	uint32_t entry;
};

static struct model_fixture model;

static const char *text_of(struct str_id id)
{
	return strpool_get(model.strings, id);
}

static const struct symbol *symbol_of(uint32_t frame)
{
	return &model.names.symbols[symbol_names_of_frame(&model.names, &model.trie, frame)];
}

static bool says(const struct filter_part *part, const struct slice_entry *entry, uint32_t frame)
{
	const struct task *task = &model.tasks.tasks[entry->task];
	const struct symbol *symbol = symbol_of(frame);
	const struct cgroup_names *in = task_table_cgroup(&model.tasks, entry->task);

	switch (part->field) {
	case FILTER_TEXT:
		return strstr(text_of(symbol->name), part->text) ||
		       strstr(text_of(symbol->dso_name), part->text) ||
		       strstr(text_of(task->comm), part->text);
	case FILTER_COMMAND: return !strcmp(text_of(task->comm), part->text);
	case FILTER_DSO:  return !strcmp(text_of(symbol->dso_path), part->text);
	case FILTER_SYMBOL:
		return !strcmp(text_of(symbol->name), part->text) &&
		       (!part->number ||
			part->number == filter_hash(text_of(symbol->dso_path)));
	case FILTER_PID:     return task->pid == part->number;
	case FILTER_TID:     return task->tid == part->number;
	case FILTER_CPU:     return entry->cpu == part->number;
	case FILTER_CGROUP:  return !strcmp(text_of(in->path), part->text);
	case FILTER_UNIT:    return !strcmp(text_of(in->unit), part->text);
	case FILTER_CONTAINER: return !strcmp(text_of(in->container), part->text);
	case FILTER_POD:     return !strcmp(text_of(in->pod), part->text);
	case FILTER_KERNEL:  return symbol->mode == MODE_KERNEL;
	case FILTER_USER:    return symbol->mode == MODE_USER;
	case FILTER_WAIT:
	case FILTER_STATE:
	case FILTER_WAKER:
	case FILTER_BY:
		break;		/* no sample is a wait or a hit */
	}
	return false;
}

static bool matches(const struct filter *filter, const struct slice_entry *entry, uint32_t frame)
{
	for (uint32_t i = 0; i < filter->count; i++)
		if (says(&filter->parts[i], entry, frame) == filter->parts[i].is_negated)
			return false;
	return true;
}

/* The values of the keys as one text, the others left out. */
static void name_row(char *out, size_t cap, unsigned int keys, const struct symbol *symbol,
		     uint64_t address, const char *comm, const uint32_t ids[3], bool is_idle)
{
	const bool has_code = keys & (KEY_DSO | KEY_SYMBOL | KEY_ADDRESS);

	snprintf(out, cap, "%s|%s|%llx|%s|%u|%u|%u|%d|%d", keys & KEY_SYMBOL
		 ? text_of(symbol->name) : "",
		 keys & KEY_DSO ? text_of(symbol->dso_path) : "",
		 keys & KEY_ADDRESS ? (unsigned long long)address : 0ull,
		 keys & KEY_COMM ? comm : "", keys & KEY_PID ? ids[0] : 0,
		 keys & KEY_TID ? ids[1] : 0, keys & KEY_CPU ? ids[2] : 0,
		 has_code ? (int)symbol->mode : -1, is_idle);
}

static struct plain_row *row_named(struct plain_fold *fold, const char *name)
{
	for (uint32_t i = 0; i < fold->count; i++)
		if (!strcmp(fold->rows[i].name, name))
			return &fold->rows[i];
	assert_true(fold->count < ROWS);
	fold->rows[fold->count] = (struct plain_row){ .seen = UINT32_MAX };
	strcpy(fold->rows[fold->count].name, name);
	return &fold->rows[fold->count++];
}

static void add_frame(struct plain_fold *fold, unsigned int keys, const struct slice_entry *entry,
		      uint32_t frame, bool is_idle, bool is_leaf)
{
	const struct task *task = &model.tasks.tasks[entry->task];
	const uint32_t ids[] = { task->pid, task->tid, entry->cpu };
	struct plain_row *row;
	char name[128];

	name_row(name, sizeof(name), keys, symbol_of(frame), model.trie.frames.address[frame],
		 text_of(task->comm), ids, is_idle);
	row = row_named(fold, name);
	if (is_leaf) {
		row->self += entry->count;
		row->self_weight += (double)entry->weight;
		fold->shown += is_idle ? 0 : entry->count;
	}
	if (row->seen != fold->entry) {
		row->total += entry->count;
		row->total_weight += (double)entry->weight;
	}
	row->seen = fold->entry;
}

static void fold_plainly(struct plain_fold *fold, unsigned int keys, const struct filter *filter,
			 const struct slice_entry *entries, uint32_t count)
{
	fold->count = 0;
	fold->shown = 0;
	for (fold->entry = 0; fold->entry < count; fold->entry++) {
		const struct slice_entry *entry = &entries[fold->entry];
		const uint32_t leaf = model.trie.stacks.frame[entry->stack];
		const bool is_idle = symbol_of(leaf)->is_idle ||
				     !model.tasks.tasks[entry->task].pid;

		if (matches(filter, entry, leaf))
			add_frame(fold, keys, entry, leaf, is_idle, true);
		for (uint32_t node = model.trie.stacks.node[entry->stack]; node;
		     node = model.trie.nodes.parent[node])
			if (matches(filter, entry, model.trie.nodes.frame[node]))
				add_frame(fold, keys, entry, model.trie.nodes.frame[node], is_idle,
					  false);
	}
}

static void compare(const struct fold *fold, struct plain_fold *plain)
{
	uint64_t shown = 0;

	assert_int_equal(fold->row_count, plain->count);
	for (uint32_t i = 0; i < fold->row_count; i++) {
		const struct fold_row *row = &fold->rows[i];
		const struct fold_key *key = &row->key;
		const uint32_t ids[] = { key->pid, key->tid, key->cpu_and_idle >> 1 };
		const struct plain_row *same;
		char name[128];

		name_row(name, sizeof(name), fold->keys, &model.names.symbols[row->symbol],
			 key->address, text_of((struct str_id){ key->comm }), ids, row->is_idle);
		same = row_named(plain, name);
		assert_int_equal(row->stats.self.samples, same->self);
		assert_int_equal(row->stats.total.samples, same->total);
		assert_true(row->stats.self.weight == same->self_weight);
		assert_true(row->stats.total.weight == same->total_weight);
		assert_true(row->stats.total.samples >= row->stats.self.samples &&
			    row->stats.total.samples);
		shown += row->is_idle ? 0 : row->stats.self.samples;
	}
	assert_int_equal(fold->row_count, plain->count);	/* row_named() made none */
	assert_int_equal(fold->shown_samples, plain->shown);
	assert_int_equal(fold->shown_samples, shown);
}

/* Without keys: the sums of @fold alone. */
static void compare_sums(const struct fold *fold, const struct fold *sums)
{
	assert_int_equal(sums->row_count, 0);
	assert_int_equal(sums->samples, fold->samples);
	assert_int_equal(sums->idle_samples, fold->idle_samples);
	assert_int_equal(sums->unresolved, fold->unresolved);
	assert_int_equal(sums->shown_samples, fold->shown_samples);
	assert_true(sums->weight == fold->weight && sums->idle_weight == fold->idle_weight);
	assert_true(sums->shown_weight == fold->shown_weight);
}

static struct filter random_filter(uint64_t *seed)
{
	static const char *const comms[] = { "one", "two", "swapper", "none" };
	static const char *const paths[] = { "/bin/app", "/lib/late.so", "[ext4]", "//anon" };
	static const char *const names[] = { "f", "main", "ext4_read", "0x1", "" };
	static const char *const places[] = { "/lxc/web", "web", "/ab.service", "ab.service", "" };
	static const char *const texts[] = { "a", "o", "ma", "late", "4", "nowhere" };
	struct filter filter = { .count = 0 };

	for (uint32_t count = random_below(seed, 4); count > 0; count--) {
		struct filter_part part = {
			.field = (enum filter_field)random_below(seed, FILTER_USER + 1),
			.is_negated = random_below(seed, 2), .number = random_below(seed, 4),
		};

		if (part.field == FILTER_COMMAND)
			strcpy(part.text, comms[random_below(seed, 4)]);
		else if (part.field == FILTER_DSO)
			strcpy(part.text, paths[random_below(seed, 4)]);
		else if (part.field == FILTER_SYMBOL)
			strcpy(part.text, names[random_below(seed, 5)]);
		else if (part.field >= FILTER_CGROUP && part.field <= FILTER_POD)
			strcpy(part.text, places[random_below(seed, 5)]);
		else if (part.field == FILTER_TEXT)
			strcpy(part.text, texts[random_below(seed, 6)]);
		if (part.field == FILTER_SYMBOL && part.number)
			part.number = filter_hash(paths[part.number]);
		part.hash = filter_hash(part.text);
		assert_int_equal(filter_add(&filter, &part, NULL), 0);
	}
	return filter;
}

static uint32_t random_frame(uint64_t *seed, uint32_t late, uint32_t anon)
{
	switch (random_below(seed, 10)) {
	case 0:	 return fixture_kernel_frame(&model, FIXTURE_IDLE_ADDRESS);
	case 1:	 return fixture_kernel_frame(&model, FIXTURE_EXT4_ADDRESS + random_below(seed, 2));
	case 2:	 return stack_trie_frame(&model.trie, late, random_below(seed, 2));
	case 3:	 return stack_trie_frame(&model.trie, anon, random_below(seed, 2));
	default: return fixture_frame(&model, random_below(seed, FN_COUNT), random_below(seed, 2));
	}
}

static void fill(struct slice_entry *entries, uint32_t count, uint64_t *seed)
{
	const uint32_t late = fixture_dso(&model, "/lib/late.so", DSO_LOADING);
	const uint32_t anon = fixture_dso(&model, "//anon", DSO_NO_TABLE);

	static const char *const places[] = { "", "/lxc/web", "/ab.service" };

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t depth = 1 + random_below(seed, DEPTH);
		const uint32_t pid = random_below(seed, 4);
		uint32_t frames[DEPTH];

		for (uint32_t d = 0; d < depth; d++)
			frames[d] = random_frame(seed, late, anon);
		entries[i] = (struct slice_entry){
			.stack = fixture_stack(&model, frames, depth),
			.task = fixture_task_in(&model, pid,
						pid ? pid + random_below(seed, 2) : 0,
						!pid ? "swapper" : pid == 1 ? "one" : "two",
						places[random_below(seed, 3)]),
			.cpu = random_below(seed, 4) & 3, .count = 1 + random_below(seed, 3),
			.weight = random_below(seed, 1000),
		};
	}
}

static void test_filtered_rows_are_those_of_the_plain_fold(void **state)
{
	static const unsigned int keys[] = {
		KEY_DSO | KEY_SYMBOL, KEY_COMM, KEY_DSO, KEY_SYMBOL, KEY_PID | KEY_TID,
		KEY_CPU, KEY_ADDRESS, KEY_COMM | KEY_DSO | KEY_SYMBOL | KEY_PID,
	};
	static struct slice_entry entries[ENTRIES];
	static struct plain_fold plain;
	uint64_t seed = 4;

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		const uint32_t count = random_below(&seed, round % 4 ? 6 : ENTRIES);
		const struct filter filter = random_filter(&seed);
		struct fold fold, sums;

		fixture_init(&model);
		fill(entries, count, &seed);
		fold = fixture_fold_filtered(&model, keys[round % 8], &filter, entries, count);
		fold_plainly(&plain, keys[round % 8], &filter, entries, count);
		compare(&fold, &plain);
		sums = fixture_fold_filtered(&model, 0, &filter, entries, count);
		compare_sums(&fold, &sums);
		fold_finish(&sums);
		fold_finish(&fold);
		fixture_finish(&model);
	}
}

UNIT_TESTS(test_fold_filter_random)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filtered_rows_are_those_of_the_plain_fold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
