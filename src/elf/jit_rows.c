/* jit_rows.c - see elf/file_jobs.h.
 *
 * Steps: 1. sort the words (entries of the log) by address; 2. sweep over their starts and ends
 * with a heap of the current words, the latest on top: each stretch belongs to the top; 3. build a
 * flat table of the stretches, and an unwind table of those whose word has rows. Row addresses are
 * 32-bit offsets from the lowest such code: code 4 GiB above it has no rows.
 *
 * Rejected: keeping rows sorted while adding (a million words move a million rows each); checking
 * the rows before an address at each look-up (overlapping rows are the rule here, not a rarity).
 */
#include "elf/file_jobs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/id_map.h"
#include "base/whole_io.h"
#include "cfi_program.h"
#include "elf/flat_builder.h"

#define TEXT_BYTES_MAX FLAT_BYTES_MAX

_Static_assert(sizeof(struct jit_reply) % _Alignof(struct unwind_header) == 0 &&
	       sizeof(struct unwind_header) % _Alignof(struct flat_header) == 0 &&
	       sizeof(struct unwind_row) % _Alignof(struct flat_header) == 0,
	       "the tables after it are aligned");

struct word {
	uint64_t start, end;
	uint32_t name;		/* offset in texts */
	uint32_t order;		/* position in the log: of two words the larger one wins */
	uint32_t first_rule, rule_count;	/* range of rows in jit_rows.rules */
	uint64_t rules_start;	/* address that the starts of these rows are relative to */
};

struct jit_rows {
	struct word *words;	/* owned */
	uint32_t count, capacity;
	char *texts;		/* owned; NUL-terminated names */
	size_t texts_used, texts_capacity;
	struct cfi_rows rules;	/* owned; the machine's: enum machine */
	uint8_t machine;
	bool was_added;		/* the latest code was not skipped: it is words[count - 1] */
	struct id_map last_at;	/* start -> word added last at that start */
	uint64_t skipped;
};

struct jit_rows *jit_rows_create(void)
{
	return calloc(1, sizeof(struct jit_rows));
}

void jit_rows_destroy(struct jit_rows *rows)
{
	if (!rows)
		return;
	free(rows->words);
	free(rows->texts);
	free(rows->rules.rows);
	id_map_finish(&rows->last_at);
	free(rows);
}

void jit_rows_skip(struct jit_rows *rows)
{
	rows->skipped++;
	rows->was_added = false;
}

static int add_text(struct jit_rows *rows, const char *name, size_t len, uint32_t *offset)
{
	if (len > TEXT_BYTES_MAX - 1 - rows->texts_used)
		return -E2BIG;
	if (rows->texts_used + len + 1 > rows->texts_capacity) {
		size_t capacity = 2 * rows->texts_capacity + len + 4096;
		char *grown = realloc(rows->texts, capacity);

		if (!grown)
			return -ENOMEM;
		rows->texts = grown;
		rows->texts_capacity = capacity;
	}
	*offset = (uint32_t)rows->texts_used;
	memcpy(rows->texts + rows->texts_used, name, len);
	rows->texts[rows->texts_used + len] = '\0';
	rows->texts_used += len + 1;
	return 0;
}

static int add_word(struct jit_rows *rows, struct word word)
{
	if (rows->count == FLAT_BUILDER_MAX_SYMBOLS)
		return -E2BIG;
	if (rows->count == rows->capacity) {
		uint32_t capacity = 2 * rows->capacity + 256;
		struct word *grown = realloc(rows->words, capacity * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		rows->words = grown;
		rows->capacity = capacity;
	}
	if (id_map_put(&rows->last_at, word.start, rows->count))
		return -ENOMEM;
	word.order = rows->count;
	rows->words[rows->count++] = word;
	rows->was_added = true;
	return 0;
}

/* Returns whether the range can be a row: flat_row.size has 32 bits, and no code is larger. */
static bool is_code(uint64_t start, uint64_t size)
{
	return size && size <= UINT32_MAX && size <= UINT64_MAX - start;
}

int jit_rows_add(struct jit_rows *rows, uint64_t start, uint64_t size, const char *name,
		 size_t name_len)
{
	const size_t len = strnlen(name, name_len < JIT_NAME_BYTES ? name_len : JIT_NAME_BYTES);
	struct word word = { .start = start, .end = start + size, .rules_start = start };
	int err;

	if (!is_code(start, size) || !len) {
		jit_rows_skip(rows);
		return 0;
	}
	err = add_text(rows, name, len, &word.name);
	return err ? err : add_word(rows, word);
}

int jit_rows_add_moved(struct jit_rows *rows, uint64_t from, uint64_t to, uint64_t size)
{
	const uint32_t at = id_map_get(&rows->last_at, from);
	struct word word = { .start = to, .end = to + size, .rules_start = to };

	if (at == ID_MAP_NONE || !is_code(to, size)) {
		jit_rows_skip(rows);
		return 0;
	}
	word.name = rows->words[at].name;
	word.first_rule = rows->words[at].first_rule;
	word.rule_count = rows->words[at].rule_count;
	word.rules_start += rows->words[at].rules_start - from;
	return add_word(rows, word);
}

int jit_rows_add_unwind(struct jit_rows *rows, enum machine machine,
			const struct unwind_row *unwind, uint32_t count)
{
	struct word *word;
	int err = 0;

	if (!rows->was_added || (rows->rules.count && rows->machine != machine))
		return 0;
	rows->machine = (uint8_t)machine;
	word = &rows->words[rows->count - 1];
	word->first_rule = rows->rules.count;
	for (uint32_t i = 0; !err && i < count; i++)
		err = cfi_rows_append(&rows->rules, unwind[i]);
	word->rule_count = rows->rules.count - word->first_rule;
	return err;
}

/* Returns the whole file, malloc'd for the caller; NULL: it can't be read. */
static char *read_reply(int fd, size_t *count)
{
	struct stat status;
	char *bytes;

	if (fstat(fd, &status) || status.st_size > FLAT_BYTES_MAX)
		return NULL;
	*count = (size_t)status.st_size;
	bytes = malloc(*count + 1);
	if (bytes && whole_pread(fd, bytes, *count, 0) != status.st_size) {
		free(bytes);
		bytes = NULL;
	}
	return bytes;
}

/* Copies the unwind rows that @tables has for the code added last. */
static int add_known_rules(struct jit_rows *rows, const struct jit_tables *tables)
{
	const struct unwind_table *unwind = &tables->unwind;
	struct word *word = &rows->words[rows->count - 1];
	const uint64_t from = word->start - tables->reply->unwind_base;
	const struct unwind_row *row = unwind_table_find(unwind, from);
	const struct unwind_row *end = unwind->rows + unwind->header->row_count;
	int err = 0;

	rows->machine = unwind->header->machine;
	if (row->kind == UNWIND_GAP || word->start < tables->reply->unwind_base ||
	    from > UINT32_MAX)
		return 0;
	word->rules_start = tables->reply->unwind_base;
	word->first_rule = rows->rules.count;
	for (; !err && row < end && row->start < from + (word->end - word->start); row++)
		err = cfi_rows_append(&rows->rules, *row);
	word->rule_count = rows->rules.count - word->first_rule;
	return err;
}

static int add_tables(struct jit_rows *rows, const struct jit_tables *tables)
{
	const struct flat_table *table = &tables->names;
	int err = 0;

	for (uint32_t i = 0; !err && i < table->header->row_count; i++) {
		const char *name = flat_table_name(table, i);

		err = jit_rows_add(rows, table->rows[i].start, table->rows[i].size, name,
				   strlen(name));
		if (!err && rows->was_added)
			err = add_known_rules(rows, tables);
	}
	return err;
}

int jit_rows_add_reply(struct jit_rows *rows, int fd, struct diag *why)
{
	struct jit_tables tables;
	size_t count;
	char *bytes;
	int err;

	if (fd < 0)
		return 0;
	bytes = read_reply(fd, &count);
	if (!bytes)
		return diag_set(why, -EBADMSG, "cannot read what was known before");
	err = jit_reply_check(&tables, bytes, count, why);
	if (!err) {
		rows->skipped += tables.reply->skipped;
		err = add_tables(rows, &tables);
		rows->was_added = false;
		if (err)
			diag_set(why, err, "no memory for what was known before");
	}
	free(bytes);
	return err;
}

static int by_start(const void *left, const void *right)
{
	const struct word *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* Indices of the words that have started where the sweep is, the latest word on top. Some of them
 * may have ended already. */
struct heap {
	const struct word *words;
	uint32_t *items;	/* owned */
	uint32_t count;
};

static bool is_later(const struct heap *heap, uint32_t a, uint32_t b)
{
	return heap->words[heap->items[a]].order > heap->words[heap->items[b]].order;
}

static void swap_items(struct heap *heap, uint32_t a, uint32_t b)
{
	uint32_t item = heap->items[a];

	heap->items[a] = heap->items[b];
	heap->items[b] = item;
}

static void heap_push(struct heap *heap, uint32_t word)
{
	uint32_t at = heap->count++;

	heap->items[at] = word;
	for (; at && is_later(heap, at, (at - 1) / 2); at = (at - 1) / 2)
		swap_items(heap, at, (at - 1) / 2);
}

static void heap_pop(struct heap *heap)
{
	uint32_t at = 0, child;

	heap->items[0] = heap->items[--heap->count];
	while ((child = 2 * at + 1) < heap->count) {
		if (child + 1 < heap->count && is_later(heap, child + 1, child))
			child++;
		if (!is_later(heap, child, at))
			break;
		swap_items(heap, at, child);
		at = child;
	}
}

/* An address range that belongs to one word; it grows while that word stays on top. */
struct stretch {
	const struct word *word;	/* NULL: none yet */
	uint64_t start, end;
};

/* Results of the sweep. */
struct made {
	struct flat_builder *names;	/* owned */
	struct cfi_rows unwind;		/* owned */
	uint64_t base;		/* address that the rows' starts are relative to */
	uint64_t covered;	/* address up to which the rows apply */
};

static int append_rule(struct made *made, struct unwind_row row, uint64_t start)
{
	const struct cfi_rows *unwind = &made->unwind;

	if (unwind->count && unwind_row_is_same_rule(&unwind->rows[unwind->count - 1], &row))
		return 0;
	row.start = (uint32_t)(start - made->base);
	return cfi_rows_append(&made->unwind, row);
}

/* Appends a gap at `covered`, after which no rules apply. */
static int end_rules(struct made *made)
{
	return made->unwind.count ? append_rule(made, (struct unwind_row){ .kind = UNWIND_GAP },
						made->covered) : 0;
}

static int put_rules(struct made *made, const struct jit_rows *rows, const struct stretch *stretch)
{
	const struct word *word = stretch->word;
	const struct unwind_row *rules;
	int err = 0;

	if (!word->rule_count)
		return 0;
	rules = &rows->rules.rows[word->first_rule];
	if (!made->unwind.count)
		made->base = made->covered = stretch->start;
	if (stretch->end - made->base > UINT32_MAX)
		return 0;
	if (stretch->start > made->covered)
		err = end_rules(made);
	for (uint32_t i = 0; !err && i < word->rule_count; i++) {
		const uint64_t start = word->rules_start + rules[i].start;
		const uint64_t end = i + 1 < word->rule_count
				     ? word->rules_start + rules[i + 1].start : stretch->end;

		if (start < stretch->end && end > stretch->start)
			err = append_rule(made, rules[i],
					  start > stretch->start ? start : stretch->start);
	}
	made->covered = stretch->end;
	return err;
}

static int put_stretch(struct made *made, const struct jit_rows *rows,
		       const struct stretch *stretch)
{
	int err;

	if (!stretch->word)
		return 0;
	err = flat_builder_add(made->names, stretch->start, stretch->end - stretch->start,
			       rows->texts + stretch->word->name, NULL, 0);
	return err ? err : put_rules(made, rows, stretch);
}

/* Does steps 2 and 3; the words must be sorted. */
static int sweep(const struct jit_rows *rows, struct heap *heap, struct made *made)
{
	const struct word *words = rows->words;
	struct stretch open = { .word = NULL };
	uint64_t at = 0, until;
	uint32_t next = 0;
	int err = 0;

	while (!err && (next < rows->count || heap->count)) {
		if (!heap->count)
			at = words[next].start;
		while (next < rows->count && words[next].start <= at)
			heap_push(heap, next++);
		while (heap->count && words[heap->items[0]].end <= at)
			heap_pop(heap);
		if (!heap->count)
			continue;
		until = words[heap->items[0]].end;
		if (next < rows->count && words[next].start < until)
			until = words[next].start;
		if (open.word != &words[heap->items[0]] || open.end != at) {
			err = put_stretch(made, rows, &open);
			open = (struct stretch){ &words[heap->items[0]], at, at };
		}
		open.end = at = until;
	}
	if (!err)
		err = put_stretch(made, rows, &open);
	return err ? err : end_rules(made);
}

/* Writes the reply: struct jit_reply, unwind table, flat table. */
static int put_reply(const struct jit_rows *rows, uint64_t read_bytes, const struct made *made,
		     const void *names, size_t names_bytes, void **bytes, size_t *bytes_count)
{
	const size_t rows_bytes = made->unwind.count * sizeof(struct unwind_row);
	const struct unwind_header header = {
		.magic = UNWIND_TABLE_MAGIC, .version = UNWIND_TABLE_VERSION,
		.row_count = made->unwind.count,
		.machine = made->unwind.count ? rows->machine : MACHINE_UNKNOWN,
	};
	const struct jit_reply reply = {
		.read_bytes = read_bytes, .skipped = rows->skipped, .unwind_base = made->base,
		.unwind_bytes = sizeof(header) + rows_bytes,
	};
	char *at;

	*bytes_count = sizeof(reply) + sizeof(header) + rows_bytes + names_bytes;
	*bytes = at = malloc(*bytes_count);
	if (!at)
		return -ENOMEM;
	memcpy(at, &reply, sizeof(reply));
	at += sizeof(reply);
	memcpy(at, &header, sizeof(header));
	at += sizeof(header);
	if (rows_bytes)
		memcpy(at, made->unwind.rows, rows_bytes);
	memcpy(at + rows_bytes, names, names_bytes);
	return 0;
}

int jit_rows_finish(struct jit_rows *rows, uint64_t read_bytes, void **bytes, size_t *bytes_count)
{
	struct heap heap = { .words = rows->words,
			     .items = malloc((rows->count + 1) * sizeof(*heap.items)) };
	struct made made = { .names = flat_builder_create() };
	size_t names_bytes = 0;
	void *names = NULL;
	int err = heap.items && made.names ? 0 : -ENOMEM;

	*bytes = NULL;
	if (rows->count)
		qsort(rows->words, rows->count, sizeof(*rows->words), by_start);
	if (!err)
		err = sweep(rows, &heap, &made);
	if (!err)
		err = flat_builder_finish(made.names, 1, &names, &names_bytes);
	if (!err)
		err = put_reply(rows, read_bytes, &made, names, names_bytes, bytes, bytes_count);
	flat_builder_destroy(made.names);
	free(made.unwind.rows);
	free(heap.items);
	free(names);
	return err;
}

int jit_reply_check(struct jit_tables *tables, const void *bytes, size_t bytes_count,
		    struct diag *why)
{
	const struct jit_reply *reply = bytes;
	const char *at = bytes;
	uint64_t left;
	int err;

	if (bytes_count < sizeof(*reply))
		return diag_set(why, -EBADMSG, "names of run-time code without their header");
	at += sizeof(*reply);
	left = bytes_count - sizeof(*reply);
	if (reply->unwind_bytes > left || reply->unwind_bytes % 8)
		return diag_set(why, -EBADMSG, "names of run-time code that end in their rows");
	tables->reply = reply;
	left -= reply->unwind_bytes;
	err = unwind_table_check(&tables->unwind, at, (size_t)reply->unwind_bytes, why);
	return err ? err : flat_table_check(&tables->names, at + reply->unwind_bytes,
					    (size_t)left, why);
}
