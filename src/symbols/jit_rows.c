/* jit_rows.c - see symbols/jit_rows.h.
 *
 * Steps: 1. sort the words by address; 2. sweep over their starts and ends with a heap of those
 * that hold here, the last word on top: each stretch goes to the top; 3. a flat table of that.
 *
 * Rejected: keeping rows sorted while adding (a million words move a million rows each); asking
 * the rows before an address at each look-up (those that overlap are the rule here, not a rarity).
 */
#include "symbols/jit_rows.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/id_map.h"
#include "base/whole_io.h"
#include "symbols/flat_builder.h"

#define TEXT_BYTES_MAX FLAT_BYTES_MAX

_Static_assert(sizeof(struct jit_answer) % _Alignof(struct flat_header) == 0,
	       "the table behind it is aligned");

struct word {
	uint64_t start, end;
	uint32_t name;		/* offset in texts */
	uint32_t order;		/* its place among the words: the larger one holds */
};

struct jit_rows {
	struct word *words;	/* owned */
	uint32_t count, capacity;
	char *texts;		/* owned; terminated names */
	size_t texts_used, texts_capacity;
	struct id_map last_at;	/* start -> the word last added there */
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
	id_map_finish(&rows->last_at);
	free(rows);
}

void jit_rows_skip(struct jit_rows *rows)
{
	rows->skipped++;
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
	return 0;
}

/* A row holds 32 bits of size, and no code is larger. */
static bool is_code(uint64_t start, uint64_t size)
{
	return size && size <= UINT32_MAX && size <= UINT64_MAX - start;
}

int jit_rows_add(struct jit_rows *rows, uint64_t start, uint64_t size, const char *name,
		 size_t name_len)
{
	const size_t len = strnlen(name, name_len < JIT_NAME_BYTES ? name_len : JIT_NAME_BYTES);
	struct word word = { .start = start, .end = start + size };
	int err;

	if (!is_code(start, size) || !len) {
		rows->skipped++;
		return 0;
	}
	err = add_text(rows, name, len, &word.name);
	return err ? err : add_word(rows, word);
}

int jit_rows_add_moved(struct jit_rows *rows, uint64_t from, uint64_t to, uint64_t size)
{
	const uint32_t at = id_map_get(&rows->last_at, from);
	struct word word = { .start = to, .end = to + size };

	if (at == ID_MAP_NONE || !is_code(to, size)) {
		rows->skipped++;
		return 0;
	}
	word.name = rows->words[at].name;
	return add_word(rows, word);
}

/* The whole file, malloc'd; NULL: it can't be read. */
static char *read_answer(int fd, size_t *count)
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

static int add_table(struct jit_rows *rows, const struct flat_table *table)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < table->header->row_count; i++) {
		const char *name = flat_table_name(table, i);

		err = jit_rows_add(rows, table->rows[i].start, table->rows[i].size, name,
				   strlen(name));
	}
	return err;
}

int jit_rows_add_answer(struct jit_rows *rows, int fd, struct diag *why)
{
	const struct jit_answer *answer = NULL;
	struct flat_table table;
	size_t count;
	char *bytes;
	int err;

	if (fd < 0)
		return 0;
	bytes = read_answer(fd, &count);
	if (!bytes)
		return diag_set(why, -EBADMSG, "cannot read what was known before");
	err = jit_answer_check(&answer, &table, bytes, count, why);
	if (!err) {
		rows->skipped += answer->skipped;
		err = add_table(rows, &table);
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

/* Those words that have begun, as indices; the last word on top. Some have ended already. */
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

/* A stretch that one word holds; it grows as long as the same one goes on. */
struct stretch {
	const struct word *word;	/* NULL: none yet */
	uint64_t start, end;
};

static int put_stretch(struct flat_builder *builder, const struct jit_rows *rows,
		       const struct stretch *stretch)
{
	if (!stretch->word)
		return 0;
	return flat_builder_add(builder, stretch->start, stretch->end - stretch->start,
				rows->texts + stretch->word->name, NULL, 0);
}

/* Steps 2 and 3. The words are sorted. */
static int sweep(const struct jit_rows *rows, struct heap *heap, struct flat_builder *builder)
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
			err = put_stretch(builder, rows, &open);
			open = (struct stretch){ &words[heap->items[0]], at, at };
		}
		open.end = at = until;
	}
	return err ? err : put_stretch(builder, rows, &open);
}

/* The answer of a table. */
static int put_answer(const struct jit_rows *rows, uint64_t read_bytes, const void *table,
		      size_t table_bytes, void **bytes, size_t *bytes_count)
{
	const struct jit_answer answer = { .read_bytes = read_bytes, .skipped = rows->skipped };

	*bytes = malloc(sizeof(answer) + table_bytes);
	if (!*bytes)
		return -ENOMEM;
	memcpy(*bytes, &answer, sizeof(answer));
	memcpy((char *)*bytes + sizeof(answer), table, table_bytes);
	*bytes_count = sizeof(answer) + table_bytes;
	return 0;
}

int jit_rows_finish(struct jit_rows *rows, uint64_t read_bytes, void **bytes, size_t *bytes_count)
{
	struct heap heap = { .words = rows->words,
			     .items = malloc((rows->count + 1) * sizeof(*heap.items)) };
	struct flat_builder *builder = flat_builder_create();
	size_t table_bytes = 0;
	void *table = NULL;
	int err = heap.items && builder ? 0 : -ENOMEM;

	*bytes = NULL;
	if (rows->count)
		qsort(rows->words, rows->count, sizeof(*rows->words), by_start);
	if (!err)
		err = sweep(rows, &heap, builder);
	if (!err)
		err = flat_builder_finish(builder, 1, &table, &table_bytes);
	flat_builder_destroy(builder);
	free(heap.items);
	if (!err)
		err = put_answer(rows, read_bytes, table, table_bytes, bytes, bytes_count);
	free(table);
	return err;
}

int jit_answer_check(const struct jit_answer **answer, struct flat_table *table, const void *bytes,
		     size_t bytes_count, struct diag *why)
{
	if (bytes_count < sizeof(**answer))
		return diag_set(why, -EBADMSG, "names of run-time code without their header");
	*answer = bytes;
	return flat_table_check(table, (const char *)bytes + sizeof(**answer),
				bytes_count - sizeof(**answer), why);
}
