/* flat_builder.c - see symbols/flat_builder.h.
 *
 * Steps: 1. sort by address (symbols/flat_sort.h); 2. keep one entry per address and give sizeless
 * ones their end; 3. name the PLT slots that only know their resolver; 4. write rows and names.
 *
 * Names are not copied before the last step: a large library has 20 MB of them, and half are those
 * of data, of undefined symbols and of aliases.
 *
 * Invariant: what leaves here passes flat_table_check().
 */
#include "symbols/flat_builder.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/flat_sort.h"

#define CHUNK_BYTES	 65536u
#define UNWIND_PREFIX	 "fn_"
#define UNWIND_BYTES_MAX (sizeof(UNWIND_PREFIX) - 1 + 16)
#define PLT_SUFFIX	 "@plt"
#define PLT_SUFFIX_BYTES (sizeof(PLT_SUFFIX) - 1)

enum { BOUNDARY = FLAT_KINDS };	/* in the place of a kind: no row */

enum named_by { BY_TEXT, BY_VADDR, BY_RESOLVER };

struct entry {
	uint64_t start, size;	/* size 0: sizeless */
	union {
		const char *text;
		uint64_t number;	/* virtual address, or the resolver's start */
	} name;
	const char *object_name;	/* or NULL */
	uint32_t name_bytes;	/* of the text */
	uint8_t kind;		/* enum flat_kind or BOUNDARY; the lower is the more trusted */
	uint8_t named_by;	/* enum named_by */
	uint8_t rank;
};

/* Copied texts. Chunks never move, so names can point into them. */
struct chunk {
	struct chunk *next;
	size_t used, bytes;
	char texts[];
};

struct flat_builder {
	struct entry *entries;	/* owned */
	uint32_t count, capacity;
	struct flat_place *places;	/* owned; the rows, once they are chosen */
	uint32_t row_count;
	struct chunk *chunks;	/* owned */
	size_t name_bytes;	/* of all names added */
	const char *last_object_name;	/* neighbours mostly share it: kept once */
	struct flat_header header;	/* what was set of it */
};

struct flat_builder *flat_builder_create(void)
{
	return calloc(1, sizeof(struct flat_builder));
}

void flat_builder_destroy(struct flat_builder *builder)
{
	if (!builder)
		return;
	while (builder->chunks) {
		struct chunk *chunk = builder->chunks;

		builder->chunks = chunk->next;
		free(chunk);
	}
	free(builder->places);
	free(builder->entries);
	free(builder);
}

void flat_builder_set_build_id(struct flat_builder *builder, const struct build_id *id)
{
	builder->header.build_id = *id;
}

void flat_builder_set_symtab(struct flat_builder *builder, bool has_symtab)
{
	builder->header.has_symtab = has_symtab;
}

void flat_builder_set_debug_link(struct flat_builder *builder, struct flat_name debug_link,
				 uint32_t crc)
{
	if (debug_link.bytes >= sizeof(builder->header.debug_link))
		return;
	memcpy(builder->header.debug_link, debug_link.text, debug_link.bytes);
	builder->header.debug_link_crc = crc;
}

static int copy_text(struct flat_builder *builder, const char *text, size_t bytes,
		     const char **copy)
{
	struct chunk *chunk = builder->chunks;

	if (bytes >= FLAT_BYTES_MAX)
		return -E2BIG;
	if (!chunk || bytes + 1 > chunk->bytes - chunk->used) {
		size_t capacity = bytes + 1 > CHUNK_BYTES ? bytes + 1 : CHUNK_BYTES;

		chunk = malloc(sizeof(*chunk) + capacity);
		if (!chunk)
			return -ENOMEM;
		*chunk = (struct chunk){ .next = builder->chunks, .bytes = capacity };
		builder->chunks = chunk;
	}
	*copy = memcpy(chunk->texts + chunk->used, text, bytes);
	chunk->texts[chunk->used + bytes] = '\0';
	chunk->used += bytes + 1;
	return 0;
}

static int add_entry(struct flat_builder *builder, const struct entry *entry)
{
	if (builder->count == FLAT_BUILDER_MAX_SYMBOLS ||
	    entry->name_bytes > FLAT_BYTES_MAX - builder->name_bytes)
		return -E2BIG;
	if (builder->count == builder->capacity) {
		uint32_t capacity = 2 * builder->capacity + 256;
		struct entry *grown = realloc(builder->entries, capacity * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		builder->entries = grown;
		builder->capacity = capacity;
	}
	builder->name_bytes += entry->name_bytes;
	builder->entries[builder->count++] = *entry;
	return 0;
}

static int copy_object_name(struct flat_builder *builder, const char *object_name,
			    const char **copy)
{
	const char *last = builder->last_object_name;
	int err = 0;

	if (object_name && (!last || strcmp(last, object_name) != 0))
		err = copy_text(builder, object_name, strlen(object_name),
				&builder->last_object_name);
	*copy = object_name ? builder->last_object_name : NULL;
	return err;
}

int flat_builder_add(struct flat_builder *builder, uint64_t start, uint64_t size, const char *name,
		     const char *object_name, unsigned int rank)
{
	struct entry entry = { .start = start, .size = size, .rank = (uint8_t)rank };
	size_t bytes = strlen(name);
	int err;

	assert(rank <= UINT8_MAX);
	err = copy_text(builder, name, bytes, &entry.name.text);
	if (!err)
		err = copy_object_name(builder, object_name, &entry.object_name);
	entry.name_bytes = (uint32_t)bytes;
	return err ? err : add_entry(builder, &entry);
}

int flat_builder_add_borrowed(struct flat_builder *builder, uint64_t start, uint64_t size,
			      struct flat_name name, unsigned int rank)
{
	assert(rank <= UINT8_MAX);
	if (name.bytes >= FLAT_BYTES_MAX)
		return -E2BIG;
	return add_entry(builder, &(struct entry){
		.start = start, .size = size, .name.text = name.text,
		.name_bytes = (uint32_t)name.bytes, .rank = (uint8_t)rank,
	});
}

int flat_builder_add_unwind(struct flat_builder *builder, uint64_t start, uint64_t size,
			    uint64_t vaddr)
{
	return add_entry(builder, &(struct entry){
		.start = start, .size = size, .name.number = vaddr, .kind = FLAT_UNWIND,
		.named_by = BY_VADDR,
	});
}

int flat_builder_add_plt(struct flat_builder *builder, uint64_t start, uint64_t size,
			 struct flat_name name)
{
	if (name.bytes >= FLAT_BYTES_MAX)
		return -E2BIG;
	return add_entry(builder, &(struct entry){
		.start = start, .size = size, .name.text = name.text,
		.name_bytes = (uint32_t)name.bytes, .kind = FLAT_PLT,
	});
}

int flat_builder_add_plt_of(struct flat_builder *builder, uint64_t start, uint64_t size,
			    uint64_t resolver)
{
	return add_entry(builder, &(struct entry){
		.start = start, .size = size, .name.number = resolver, .kind = FLAT_PLT,
		.named_by = BY_RESOLVER,
	});
}

int flat_builder_add_boundary(struct flat_builder *builder, uint64_t address,
			      const char *object_name)
{
	struct entry entry = { .start = address, .kind = BOUNDARY };
	int err = copy_object_name(builder, object_name, &entry.object_name);

	return err ? err : add_entry(builder, &entry);
}

static size_t count_underscores(const struct entry *entry)
{
	size_t count = 0;

	while (count < entry->name_bytes && entry->name.text[count] == '_')
		count++;
	return count;
}

/* What stays of the entries at one address, as far as it is known. */
struct choice {
	struct entry *best;
	size_t underscores;	/* of its name; SIZE_MAX: not counted yet */
};

/* Names as perf compares them: fewer leading underscores, then longer. The best's are counted once:
 * a hostile file can have a million aliases that are nothing but underscores. */
static void choose_by_name(struct choice *choice, struct entry *entry)
{
	size_t underscores = count_underscores(entry);

	if (choice->underscores == SIZE_MAX)
		choice->underscores = count_underscores(choice->best);
	if (underscores != choice->underscores ? underscores > choice->underscores :
						 entry->name_bytes <= choice->best->name_bytes)
		return;
	*choice = (struct choice){ entry, underscores };
}

/* @entry was added later than all that were looked at. */
static void choose(struct choice *choice, struct entry *entry)
{
	const struct entry *best = choice->best;
	bool is_better;

	if (!best || entry->kind != best->kind)
		is_better = !best || entry->kind < best->kind;
	else if (!entry->size || !best->size)
		is_better = entry->size || !best->size;
	else if (entry->rank != best->rank)
		is_better = entry->rank > best->rank;
	else if (entry->named_by != BY_TEXT || best->named_by != BY_TEXT)
		is_better = false;
	else
		return choose_by_name(choice, entry);
	if (is_better)
		*choice = (struct choice){ entry, SIZE_MAX };
}

static bool has_same_object(const struct entry *a, const struct entry *b)
{
	if (!a->object_name || !b->object_name)
		return a->object_name == b->object_name;
	return strcmp(a->object_name, b->object_name) == 0;
}

/* @next: an entry of the next address, or NULL. @unwind_end: how far the unwind entries reach that
 * start here or before. */
static uint64_t sizeless_size(const struct entry *entry, const struct entry *next,
			      uint64_t unwind_end, uint64_t cap)
{
	uint64_t size = cap;

	if (next && (has_same_object(entry, next) || next->start - entry->start < cap))
		size = next->start - entry->start;
	if (unwind_end > entry->start && unwind_end - entry->start < size)
		size = unwind_end - entry->start;
	return size;
}

static uint64_t later_end(uint64_t end, const struct entry *entry)
{
	uint64_t own = entry->size > UINT64_MAX - entry->start ? UINT64_MAX :
							       entry->start + entry->size;

	return own > end ? own : end;
}

/* Whether @row gets into the table; then its size neither wraps nor exceeds flat_row.size. */
static bool close_row(struct entry *row, const struct entry *next, uint64_t sized_end,
		      uint64_t unwind_end, uint64_t cap)
{
	bool is_covered = row->start < sized_end;

	if (row->kind == BOUNDARY || (is_covered && (!row->size || row->kind == FLAT_UNWIND)))
		return false;
	if (!row->size)
		row->size = sizeless_size(row, next, unwind_end, cap);
	if (row->size > UINT64_MAX - row->start)
		row->size = UINT64_MAX - row->start;
	if (row->size > UINT32_MAX)
		row->size = UINT32_MAX;
	return row->size != 0;
}

/* Leaves of the places those of the rows. */
static void choose_rows(struct flat_builder *builder, uint64_t sizeless_cap)
{
	struct flat_place *places = builder->places;
	uint64_t sized_end = 0, unwind_end = 0;
	uint32_t first = 0, end;

	for (; first < builder->count; first = end) {
		struct choice choice = { .best = NULL };
		const struct entry *next;
		bool is_sized;

		for (end = first;
		     end < builder->count && places[end].start == places[first].start; end++) {
			struct entry *entry = &builder->entries[places[end].index];

			choose(&choice, entry);
			if (entry->kind == FLAT_UNWIND)
				unwind_end = later_end(unwind_end, entry);
		}
		next = end < builder->count ? &builder->entries[places[end].index] : NULL;
		is_sized = choice.best->size && choice.best->kind != FLAT_UNWIND;
		if (!close_row(choice.best, next, sized_end, unwind_end, sizeless_cap))
			continue;
		if (is_sized)
			sized_end = later_end(sized_end, choice.best);
		places[builder->row_count++] = (struct flat_place){
			.start = choice.best->start,
			.index = (uint32_t)(choice.best - builder->entries),
		};
	}
}

static struct entry *row_entry(const struct flat_builder *builder, uint32_t row)
{
	return &builder->entries[builder->places[row].index];
}

/* The row that starts at @start, or NULL. */
static const struct entry *find_row(const struct flat_builder *builder, uint64_t start)
{
	uint32_t row = flat_sort_find(builder->places, builder->row_count, start);

	return row == FLAT_NONE ? NULL : row_entry(builder, row);
}

/* Those without a row at their resolver are left out. */
static void name_by_resolvers(struct flat_builder *builder)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < builder->row_count; i++) {
		struct entry *row = row_entry(builder, i);
		const struct entry *resolver;

		if (row->named_by == BY_RESOLVER) {
			resolver = find_row(builder, row->name.number);
			if (!resolver || resolver->kind == FLAT_PLT)
				continue;
			row->name = resolver->name;
			row->name_bytes = resolver->name_bytes;
			row->named_by = resolver->named_by;
		}
		builder->places[kept++] = builder->places[i];
	}
	builder->row_count = kept;
}

/* At most UNWIND_BYTES_MAX; returns how many. By hand: printf() would take half of the time that
 * the whole table of a stripped library takes. */
static size_t write_unwind_name(char *out, uint64_t vaddr)
{
	size_t bytes = sizeof(UNWIND_PREFIX) - 1;
	int digits = 1;

	memcpy(out, UNWIND_PREFIX, bytes);
	while (digits < 16 && vaddr >> (4 * digits))
		digits++;
	while (digits)
		out[bytes++] = "0123456789abcdef"[vaddr >> (4 * --digits) & 15];
	return bytes;
}

/* Appends a terminated name at *@used and returns its offset. */
static uint32_t put_name(char *strings, size_t *used, const struct entry *entry)
{
	size_t offset = *used, bytes = entry->name_bytes;

	if (entry->named_by == BY_TEXT)
		memcpy(strings + offset, entry->name.text, bytes);
	else
		bytes = write_unwind_name(strings + offset, entry->name.number);
	if (entry->kind == FLAT_PLT) {
		memcpy(strings + offset + bytes, PLT_SUFFIX, PLT_SUFFIX_BYTES);
		bytes += PLT_SUFFIX_BYTES;
	}
	strings[offset + bytes] = '\0';
	*used += bytes + 1;
	return (uint32_t)offset;
}

static uint32_t put_object_name(char *strings, size_t *used, const char *object_name)
{
	size_t offset = *used, bytes;

	if (!object_name)
		return FLAT_NONE;
	bytes = strlen(object_name) + 1;
	memcpy(strings + offset, object_name, bytes);
	*used += bytes;
	return (uint32_t)offset;
}

static void write_rows(const struct flat_builder *builder, struct flat_row *rows, char *strings,
		       size_t *used)
{
	const char *object_from = NULL;
	uint32_t object_to = FLAT_NONE;

	for (uint32_t i = 0; i < builder->row_count; i++) {
		const struct entry *entry = row_entry(builder, i);

		if (entry->object_name != object_from) {
			object_from = entry->object_name;
			object_to = put_object_name(strings, used, object_from);
		}
		rows[i] = (struct flat_row){
			.start = entry->start,
			.size = (uint32_t)entry->size,
			.name = put_name(strings, used, entry) & (FLAT_BYTES_MAX - 1),
			.kind = entry->kind & 15u,
			.object_name = object_to,
		};
		rows[i].outer = flat_table_outer(rows, i);
	}
}

/* Upper limit of what write_rows() puts into the strings; at least the 1 byte of an empty blob. */
static size_t strings_limit(const struct flat_builder *builder)
{
	const char *object_name = NULL;
	size_t bytes = 1;

	for (uint32_t i = 0; i < builder->row_count; i++) {
		const struct entry *entry = row_entry(builder, i);

		bytes += entry->named_by == BY_TEXT ? entry->name_bytes : UNWIND_BYTES_MAX;
		bytes += entry->kind == FLAT_PLT ? PLT_SUFFIX_BYTES + 1 : 1;
		if (entry->object_name != object_name && entry->object_name)
			bytes += strlen(entry->object_name) + 1;
		object_name = entry->object_name;
	}
	return bytes;
}

static int write_table(const struct flat_builder *builder, void **bytes, size_t *bytes_count)
{
	size_t before_strings = sizeof(struct flat_header) +
				builder->row_count * sizeof(struct flat_row);
	size_t total = before_strings + strings_limit(builder);
	struct flat_header *header;
	size_t used = 1;	/* offset 0: the empty string */

	if (total > FLAT_BYTES_MAX)
		return -E2BIG;
	header = malloc(total);
	if (!header)
		return -ENOMEM;
	((char *)header)[before_strings] = '\0';
	write_rows(builder, (struct flat_row *)(header + 1), (char *)header + before_strings,
		   &used);
	*header = builder->header;
	header->magic = FLAT_TABLE_MAGIC;
	header->version = FLAT_TABLE_VERSION;
	header->row_count = builder->row_count;
	header->string_bytes = used;
	*bytes = header;
	*bytes_count = before_strings + used;
	return 0;
}

static int sort_entries(struct flat_builder *builder)
{
	builder->places = malloc((builder->count + 1) * sizeof(*builder->places));
	if (!builder->places)
		return -ENOMEM;
	for (uint32_t i = 0; i < builder->count; i++)
		builder->places[i] = (struct flat_place){ builder->entries[i].start, i };
	return flat_sort_by_start(builder->places, builder->count);
}

int flat_builder_finish(struct flat_builder *builder, uint64_t sizeless_cap, void **bytes,
			size_t *bytes_count)
{
	int err;

	assert(sizeless_cap > 0);
	*bytes = NULL;
	err = sort_entries(builder);
	if (err)
		return err;
	choose_rows(builder, sizeless_cap);
	name_by_resolvers(builder);
	return write_table(builder, bytes, bytes_count);
}
