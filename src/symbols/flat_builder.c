/* flat_builder.c - see symbols/flat_builder.h.
 *
 * Steps: 1. sort by address, the alias to keep first; 2. keep one per address; 3. give sizeless
 * rows their end; 4. write rows and only the names that are still used.
 *
 * Invariant: what leaves here passes flat_table_check().
 */
#include "symbols/flat_builder.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct symbol {
	uint64_t start, size;	/* size 0: sizeless */
	uint32_t name;		/* offset in texts; FLAT_NONE: a boundary */
	uint32_t object_name;	/* offset in texts, or FLAT_NONE */
	uint32_t rank, order;
};

struct flat_builder {
	struct symbol *symbols;	/* owned */
	uint32_t count, capacity;
	char *texts;		/* owned */
	size_t texts_used, texts_capacity;
	uint32_t last_object_name;	/* neighbours mostly share it: kept once */
	struct build_id build_id;
};

struct flat_builder *flat_builder_create(void)
{
	struct flat_builder *builder = calloc(1, sizeof(*builder));

	if (builder)
		builder->last_object_name = FLAT_NONE;
	return builder;
}

void flat_builder_destroy(struct flat_builder *builder)
{
	if (!builder)
		return;
	free(builder->symbols);
	free(builder->texts);
	free(builder);
}

void flat_builder_set_build_id(struct flat_builder *builder, const struct build_id *id)
{
	builder->build_id = *id;
}

static int add_text(struct flat_builder *builder, const char *text, uint32_t *offset)
{
	size_t bytes = strlen(text) + 1;

	if (bytes > FLAT_BYTES_MAX - builder->texts_used)
		return -E2BIG;
	if (builder->texts_used + bytes > builder->texts_capacity) {
		size_t capacity = 2 * builder->texts_capacity + bytes + 4096;
		char *grown = realloc(builder->texts, capacity);

		if (!grown)
			return -ENOMEM;
		builder->texts = grown;
		builder->texts_capacity = capacity;
	}
	*offset = (uint32_t)builder->texts_used;
	memcpy(builder->texts + builder->texts_used, text, bytes);
	builder->texts_used += bytes;
	return 0;
}

static int add_object_name(struct flat_builder *builder, const char *object_name, uint32_t *offset)
{
	int err;

	*offset = FLAT_NONE;
	if (!object_name)
		return 0;
	if (builder->last_object_name == FLAT_NONE ||
	    strcmp(builder->texts + builder->last_object_name, object_name) != 0) {
		err = add_text(builder, object_name, &builder->last_object_name);
		if (err)
			return err;
	}
	*offset = builder->last_object_name;
	return 0;
}

static int add_symbol(struct flat_builder *builder, struct symbol symbol, const char *object_name)
{
	int err;

	if (builder->count == FLAT_BUILDER_MAX_SYMBOLS)
		return -E2BIG;
	if (builder->count == builder->capacity) {
		uint32_t capacity = 2 * builder->capacity + 256;
		struct symbol *grown = realloc(builder->symbols, capacity * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		builder->symbols = grown;
		builder->capacity = capacity;
	}
	err = add_object_name(builder, object_name, &symbol.object_name);
	if (err)
		return err;
	symbol.order = builder->count;
	builder->symbols[builder->count++] = symbol;
	return 0;
}

int flat_builder_add(struct flat_builder *builder, uint64_t start, uint64_t size, const char *name,
		     const char *object_name, unsigned int rank)
{
	struct symbol symbol = { .start = start, .size = size, .rank = rank };
	int err = add_text(builder, name, &symbol.name);

	return err ? err : add_symbol(builder, symbol, object_name);
}

int flat_builder_add_boundary(struct flat_builder *builder, uint64_t address,
			      const char *object_name)
{
	return add_symbol(builder, (struct symbol){ .start = address, .name = FLAT_NONE },
			  object_name);
}

/* Names as perf compares them: fewer leading underscores, then longer. */
static int compare_names(const char *a, const char *b)
{
	size_t underscores_a = strspn(a, "_"), underscores_b = strspn(b, "_");
	size_t length_a = strlen(a), length_b = strlen(b);

	if (underscores_a != underscores_b)
		return underscores_a < underscores_b ? -1 : 1;
	if (length_a != length_b)
		return length_a > length_b ? -1 : 1;
	return 0;
}

/* Which of two symbols at one address comes first, that is: stays. */
static int compare_aliases(const struct symbol *a, const struct symbol *b, const char *texts)
{
	int order = a->order < b->order ? -1 : 1;
	int names;

	if ((a->name == FLAT_NONE) != (b->name == FLAT_NONE))
		return a->name == FLAT_NONE ? 1 : -1;
	if (!a->size != !b->size)
		return a->size ? -1 : 1;
	if (!a->size)
		return -order;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	names = compare_names(texts + a->name, texts + b->name);
	return names ? names : order;
}

static int compare_symbols(const void *left, const void *right, void *texts)
{
	const struct symbol *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return compare_aliases(a, b, texts);
}

static void keep_one_per_address(struct flat_builder *builder)
{
	struct symbol *symbols = builder->symbols;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < builder->count; i++)
		if (kept == 0 || symbols[kept - 1].start != symbols[i].start)
			symbols[kept++] = symbols[i];
	builder->count = kept;
}

static bool has_same_object(const struct flat_builder *builder, const struct symbol *a,
			    const struct symbol *b)
{
	if (a->object_name == FLAT_NONE || b->object_name == FLAT_NONE)
		return a->object_name == b->object_name;
	return strcmp(builder->texts + a->object_name, builder->texts + b->object_name) == 0;
}

static uint64_t sizeless_size(const struct flat_builder *builder, uint32_t index, uint64_t cap)
{
	const struct symbol *symbol = &builder->symbols[index];
	const struct symbol *next = symbol + 1;

	if (index + 1 == builder->count)
		return cap;
	if (has_same_object(builder, symbol, next) || next->start - symbol->start < cap)
		return next->start - symbol->start;
	return cap;
}

/* Leaves rows only: each with a name and a size that neither wraps nor exceeds flat_row.size. */
static void close_rows(struct flat_builder *builder, uint64_t sizeless_cap)
{
	struct symbol *symbols = builder->symbols;
	uint64_t sized_end = 0;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < builder->count; i++) {
		struct symbol row = symbols[i];
		bool is_sizeless = row.size == 0;

		if (row.name == FLAT_NONE || (is_sizeless && row.start < sized_end))
			continue;
		if (is_sizeless)
			row.size = sizeless_size(builder, i, sizeless_cap);
		if (row.size > UINT64_MAX - row.start)
			row.size = UINT64_MAX - row.start;
		if (row.size > UINT32_MAX)
			row.size = UINT32_MAX;
		if (row.size == 0)
			continue;
		if (!is_sizeless && row.start + row.size > sized_end)
			sized_end = row.start + row.size;
		symbols[kept++] = row;	/* kept <= i: what sizeless_size() reads is still there */
	}
	builder->count = kept;
}

/* Appends a text at *@used and returns its offset. */
static uint32_t put_text(char *strings, size_t *used, const char *text)
{
	size_t bytes = strlen(text) + 1;
	size_t offset = *used;

	memcpy(strings + offset, text, bytes);
	*used += bytes;
	return (uint32_t)offset;
}

static void write_rows(const struct flat_builder *builder, struct flat_row *rows, char *strings,
		       size_t *used)
{
	uint32_t object_from = FLAT_NONE, object_to = FLAT_NONE;

	for (uint32_t i = 0; i < builder->count; i++) {
		const struct symbol *symbol = &builder->symbols[i];

		if (symbol->object_name != object_from) {
			object_from = symbol->object_name;
			object_to = object_from == FLAT_NONE ? FLAT_NONE :
				    put_text(strings, used, builder->texts + object_from);
		}
		rows[i] = (struct flat_row){
			.start = symbol->start,
			.size = (uint32_t)symbol->size,
			.name = put_text(strings, used, builder->texts + symbol->name) &
				(FLAT_BYTES_MAX - 1),
			.object_name = object_to,
		};
		rows[i].outer = flat_table_outer(rows, i);
	}
}

/* Upper limit of what write_rows() puts into the strings; at least the 1 byte of an empty blob. */
static size_t strings_limit(const struct flat_builder *builder)
{
	size_t bytes = 1;
	uint32_t object_name = FLAT_NONE;

	for (uint32_t i = 0; i < builder->count; i++) {
		const struct symbol *symbol = &builder->symbols[i];

		bytes += strlen(builder->texts + symbol->name) + 1;
		if (symbol->object_name != object_name && symbol->object_name != FLAT_NONE)
			bytes += strlen(builder->texts + symbol->object_name) + 1;
		object_name = symbol->object_name;
	}
	return bytes;
}

static int write_table(const struct flat_builder *builder, void **bytes, size_t *bytes_count)
{
	size_t before_strings = sizeof(struct flat_header) +
				builder->count * sizeof(struct flat_row);
	size_t total = before_strings + strings_limit(builder);
	struct flat_header *header;
	size_t used = 1;	/* offset 0: the empty string */

	if (total > FLAT_BYTES_MAX)
		return -E2BIG;
	header = calloc(1, total);
	if (!header)
		return -ENOMEM;
	write_rows(builder, (struct flat_row *)(header + 1), (char *)header + before_strings,
		   &used);
	*header = (struct flat_header){
		.magic = FLAT_TABLE_MAGIC,
		.version = FLAT_TABLE_VERSION,
		.row_count = builder->count,
		.string_bytes = used,
		.build_id = builder->build_id,
	};
	*bytes = header;
	*bytes_count = before_strings + used;
	return 0;
}

int flat_builder_finish(struct flat_builder *builder, uint64_t sizeless_cap, void **bytes,
			size_t *bytes_count)
{
	assert(sizeless_cap > 0);
	*bytes = NULL;
	if (builder->count)
		qsort_r(builder->symbols, builder->count, sizeof(*builder->symbols),
			compare_symbols, builder->texts);
	keep_one_per_address(builder);
	close_rows(builder, sizeless_cap);
	return write_table(builder, bytes, bytes_count);
}
