/* flat_builder.c - see elf/flat_builder.h.
 *
 * Steps: 1. collect, here; 2. sort by address (flat_sort.h); 3. keep one entry per address
 * and compute the size of sizeless ones; 4. write.
 */
#include "elf/flat_builder.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "flat_sort.h"
#include "large_block.h"

enum { FLAT_BOUNDARY = FLAT_KINDS };	/* flat_entry.kind of a boundary: makes no row */

enum flat_named_by {
	FLAT_BY_TEXT,
	FLAT_BY_VADDR,		/* "fn_<number in hex>" */
	FLAT_BY_RESOLVER,	/* named like the row that starts at `number` */
};

struct flat_entry {	/* 32 bytes: there can be 4 million */
	uint64_t start;
	union {
		const char *text;	/* BORROWED, not terminated */
		uint64_t number;
	} name;
	uint32_t size;		/* bytes, cut to 32 bits as in flat_row; 0: sizeless */
	uint32_t name_bytes;	/* length of name.text */
	uint32_t dso;		/* index in DSOs, or FLAT_NONE */
	uint8_t kind;		/* enum flat_kind or FLAT_BOUNDARY: lower is more trusted */
	uint8_t named_by;	/* enum flat_named_by */
	uint8_t rank;
};

struct flat_entries {
	struct flat_entry *entries;
	uint32_t count, capacity;
	const char **dsos;	/* names; consecutive entries of one DSO share an element */
	uint32_t dso_count;
	struct flat_place *places;	/* sorted; only those of rows after flat_choice_make() */
	uint32_t row_count;
};

/* Returns the entry of @row, after flat_choice_make(). */
static inline struct flat_entry *flat_entry_of_row(const struct flat_entries *all, uint32_t row)
{
	return &all->entries[all->places[row].index];
}

/* Prefetches the entry of a place that is soon needed: entries lie in the order in which they were
 * added, so nearly every access would be a cache miss. */
static inline void flat_entry_prefetch(const struct flat_entries *all, uint32_t place)
{
	if (place < all->count)
		__builtin_prefetch(&all->entries[all->places[place].index]);
}

/* One pass over the sorted places, which tracks two ends: that of the sized rows so far (entries
 * that start before it are covered) and that of the unwind entries so far (a sizeless symbol can't
 * extend past it).
 */

#define AHEAD 16	/* prefetch distance in places or rows: takes as long as a cache miss */

static size_t count_underscores(const struct flat_entry *entry)
{
	size_t count = 0;

	while (count < entry->name_bytes && entry->name.text[count] == '_')
		count++;
	return count;
}

/* Best of the entries at one address so far. */
struct choice {
	struct flat_entry *best;
	size_t underscores;	/* leading underscores of best's name; SIZE_MAX: not counted */
};

/* Compares names like perf: fewer leading underscores, then longer. Counts those of the best only
 * once: a hostile file can have a million aliases of nothing but underscores. */
static void choose_by_name(struct choice *choice, struct flat_entry *entry)
{
	size_t underscores = count_underscores(entry);

	if (choice->underscores == SIZE_MAX)
		choice->underscores = count_underscores(choice->best);
	if (underscores != choice->underscores ? underscores > choice->underscores :
						 entry->name_bytes <= choice->best->name_bytes)
		return;
	*choice = (struct choice){ entry, underscores };
}

/* Updates @choice with @entry, which was added later than all entries seen so far. */
static void choose(struct choice *choice, struct flat_entry *entry)
{
	const struct flat_entry *best = choice->best;
	bool is_better;

	if (!best || entry->kind != best->kind)
		is_better = !best || entry->kind < best->kind;
	else if (!entry->size || !best->size)
		is_better = entry->size || !best->size;
	else if (entry->rank != best->rank)
		is_better = entry->rank > best->rank;
	else if (entry->named_by != FLAT_BY_TEXT || best->named_by != FLAT_BY_TEXT)
		is_better = false;
	else
		return choose_by_name(choice, entry);
	if (is_better)
		*choice = (struct choice){ entry, SIZE_MAX };
}

static bool has_same_dso(const struct flat_entries *all, const struct flat_entry *a,
			 const struct flat_entry *b)
{
	if (a->dso == b->dso || a->dso == FLAT_NONE || b->dso == FLAT_NONE)
		return a->dso == b->dso;
	return strcmp(all->dsos[a->dso], all->dsos[b->dso]) == 0;
}

/* Ends of the entries so far. */
struct reach {
	uint64_t sized_end;	/* end of sized rows: sizeless entries before it are covered */
	uint64_t unwind_end;	/* end of unwind entries: sizeless symbols don't extend past it */
};

static uint64_t later_end(uint64_t end, const struct flat_entry *entry)
{
	uint64_t own = entry->size > UINT64_MAX - entry->start ? UINT64_MAX :
							       entry->start + entry->size;

	return own > end ? own : end;
}

/* Returns the size of a sizeless @entry. @next: an entry of the next address, or NULL. */
static uint64_t sizeless_size(const struct flat_entries *all, const struct flat_entry *entry,
			      const struct flat_entry *next, const struct reach *reach,
			      uint64_t cap)
{
	uint64_t size = cap;

	if (next && (has_same_dso(all, entry, next) || next->start - entry->start < cap))
		size = next->start - entry->start;
	if (reach->unwind_end > entry->start && reach->unwind_end - entry->start < size)
		size = reach->unwind_end - entry->start;
	return size < UINT32_MAX ? size : UINT32_MAX;
}

/* Returns whether @row becomes a row of the table; then its size is not 0 and does not wrap. */
static bool close_row(const struct flat_entries *all, struct flat_entry *row,
		      const struct flat_entry *next, struct reach *reach, uint64_t cap)
{
	bool is_covered = row->start < reach->sized_end;
	bool is_sized = row->size && row->kind != FLAT_UNWIND;

	if (row->kind == FLAT_BOUNDARY || (is_covered && !is_sized))
		return false;
	if (!row->size)
		row->size = (uint32_t)sizeless_size(all, row, next, reach, cap);
	if (row->size > UINT64_MAX - row->start)
		row->size = (uint32_t)(UINT64_MAX - row->start);
	if (is_sized)
		reach->sized_end = later_end(reach->sized_end, row);
	return row->size != 0;
}

/* Returns the entry that names the address of place @first; *@end: first place after it. */
static struct flat_entry *choose_alias(const struct flat_entries *all, uint32_t first,
				       uint32_t *end, struct reach *reach)
{
	const struct flat_place *places = all->places;
	struct choice choice = { .best = NULL };
	uint32_t i;

	for (i = first; i < all->count && places[i].start == places[first].start; i++) {
		struct flat_entry *entry = &all->entries[places[i].index];

		flat_entry_prefetch(all, i + AHEAD);
		choose(&choice, entry);
		if (entry->kind == FLAT_UNWIND)
			reach->unwind_end = later_end(reach->unwind_end, entry);
	}
	*end = i;
	return choice.best;
}

/* Chooses the rows. Returns how many of them take their name from a resolver's row. */
static uint32_t choose_rows(struct flat_entries *all, uint64_t sizeless_cap)
{
	struct reach reach = { .sized_end = 0 };
	uint32_t unnamed = 0, end;

	for (uint32_t first = 0; first < all->count; first = end) {
		struct flat_entry *row = choose_alias(all, first, &end, &reach);
		const struct flat_entry *next =
			end < all->count ? &all->entries[all->places[end].index] : NULL;

		if (!close_row(all, row, next, &reach, sizeless_cap))
			continue;
		unnamed += row->named_by == FLAT_BY_RESOLVER;
		all->places[all->row_count++] = (struct flat_place){
			.start = row->start, .index = (uint32_t)(row - all->entries),
		};
	}
	return unnamed;
}

/* Returns the row that starts at @start, or NULL. */
static const struct flat_entry *find_row(const struct flat_entries *all, uint64_t start)
{
	uint32_t row = flat_sort_find(all->places, all->row_count, start);

	return row == FLAT_NONE ? NULL : flat_entry_of_row(all, row);
}

/* Names rows after their resolver's row; drops those whose resolver has no row. */
static void name_by_resolvers(struct flat_entries *all)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < all->row_count; i++) {
		struct flat_entry *row = flat_entry_of_row(all, i);
		const struct flat_entry *resolver;

		if (row->named_by == FLAT_BY_RESOLVER) {
			resolver = find_row(all, row->name.number);
			if (!resolver || resolver->kind == FLAT_PLT)
				continue;
			row->name = resolver->name;
			row->name_bytes = resolver->name_bytes;
			row->named_by = resolver->named_by;
		}
		all->places[kept++] = all->places[i];	/* always sorted, for find_row() */
	}
	all->row_count = kept;
}

/* Reduces the sorted all->places to those of rows and sets row_count. Afterwards the entries of
 * rows have a name, and a size that is not 0 and does not wrap. */
static void flat_choice_make(struct flat_entries *all, uint64_t sizeless_cap)
{
	if (choose_rows(all, sizeless_cap))
		name_by_resolvers(all);
}

/* Names are copied only here, once: a large library has 20 MB of them, and half belong to data,
 * undefined symbols and aliases.
 *
 * Invariant: the written table passes flat_table_check().
 */

#define UNWIND_BYTES_MAX (sizeof(FLAT_UNWIND_PREFIX) - 1 + 16)
#define PLT_SUFFIX	 "@plt"
#define PLT_SUFFIX_BYTES (sizeof(PLT_SUFFIX) - 1)

struct strings {
	char *at;	/* BORROWED: room for all */
	size_t used;
};

/* Writes at most UNWIND_BYTES_MAX bytes; returns their number. printf() would take half of the time
 * of the whole table of a stripped library. */
static size_t write_unwind_name(char *out, uint64_t vaddr)
{
	size_t bytes = sizeof(FLAT_UNWIND_PREFIX) - 1;
	int digits = 1;

	memcpy(out, FLAT_UNWIND_PREFIX, bytes);
	while (digits < 16 && vaddr >> (4 * digits))
		digits++;
	while (digits)
		out[bytes++] = "0123456789abcdef"[vaddr >> (4 * --digits) & 15];
	return bytes;
}

/* Both functions append a NUL-terminated name and return its offset. */
static uint32_t put_name(struct strings *strings, const struct flat_entry *entry)
{
	char *to = strings->at + strings->used;
	size_t offset = strings->used, bytes = entry->name_bytes;

	if (entry->named_by == FLAT_BY_TEXT)
		memcpy(to, entry->name.text, bytes);
	else
		bytes = write_unwind_name(to, entry->name.number);
	if (entry->kind == FLAT_PLT) {
		memcpy(to + bytes, PLT_SUFFIX, PLT_SUFFIX_BYTES);
		bytes += PLT_SUFFIX_BYTES;
	}
	to[bytes] = '\0';
	strings->used += bytes + 1;
	return (uint32_t)offset;
}

static uint32_t put_dso_name(struct strings *strings, const char *name)
{
	size_t offset = strings->used, bytes = strlen(name) + 1;

	memcpy(strings->at + offset, name, bytes);
	strings->used += bytes;
	return (uint32_t)offset;
}

/* Prefetches an entry like flat_entry_prefetch(), and the name of the entry half as far ahead. */
static void prefetch(const struct flat_entries *all, uint32_t row)
{
	const struct flat_entry *entry;

	flat_entry_prefetch(all, row + 2 * AHEAD);
	if (row + AHEAD >= all->row_count)
		return;
	entry = flat_entry_of_row(all, row + AHEAD);
	if (entry->named_by == FLAT_BY_TEXT)
		__builtin_prefetch(entry->name.text);
}

static void write_rows(const struct flat_entries *all, struct flat_row *rows,
		       struct strings *strings)
{
	uint32_t dso = FLAT_NONE, dso_name = FLAT_NONE;

	for (uint32_t i = 0; i < all->row_count; i++) {
		const struct flat_entry *entry = flat_entry_of_row(all, i);

		prefetch(all, i);
		if (entry->dso != dso) {
			dso = entry->dso;
			dso_name = dso == FLAT_NONE ? FLAT_NONE :
				      put_dso_name(strings, all->dsos[dso]);
		}
		rows[i] = (struct flat_row){
			.start = entry->start,
			.size = entry->size,
			.name = put_name(strings, entry) & (FLAT_BYTES_MAX - 1),
			.kind = entry->kind & 15u,
			.dso_name = dso_name,
		};
		rows[i].outer = flat_table_outer(rows, i);
	}
}

/* Returns an upper limit for the string bytes of write_rows(); at least 1, for the empty string. */
static size_t strings_limit(const struct flat_entries *all)
{
	uint32_t dso = FLAT_NONE;
	size_t bytes = 1;

	for (uint32_t i = 0; i < all->row_count; i++) {
		const struct flat_entry *entry = flat_entry_of_row(all, i);

		flat_entry_prefetch(all, i + AHEAD);
		bytes += entry->named_by == FLAT_BY_TEXT ? entry->name_bytes : UNWIND_BYTES_MAX;
		bytes += entry->kind == FLAT_PLT ? PLT_SUFFIX_BYTES + 1 : 1;
		if (entry->dso != dso && entry->dso != FLAT_NONE)
			bytes += strlen(all->dsos[entry->dso]) + 1;
		dso = entry->dso;
	}
	return bytes;
}

/* Writes a copy of @header, with its counts filled in, then the rows. *@bytes is malloc'd for the
 * caller. Returns 0, -ENOMEM or -E2BIG: more than FLAT_BYTES_MAX. */
static int flat_writer_write(const struct flat_entries *all, const struct flat_header *header,
			     void **bytes, size_t *bytes_count)
{
	size_t before_strings = sizeof(*header) + all->row_count * sizeof(struct flat_row);
	size_t limit = before_strings + strings_limit(all);
	struct flat_header *out;
	struct strings strings;

	if (limit > FLAT_BYTES_MAX)
		return -E2BIG;
	out = large_block_alloc(limit);
	if (!out)
		return -ENOMEM;
	strings = (struct strings){ .at = (char *)out + before_strings };
	strings.at[strings.used++] = '\0';	/* the empty string */
	write_rows(all, (struct flat_row *)(out + 1), &strings);
	*out = *header;
	out->magic = FLAT_TABLE_MAGIC;
	out->version = FLAT_TABLE_VERSION;
	out->row_count = all->row_count;
	out->string_bytes = strings.used;
	*bytes = out;
	*bytes_count = before_strings + strings.used;
	return 0;
}

#define CHUNK_BYTES 65536u

/* Copied texts. Chunks never move, so names can point into them. */
struct chunk {
	struct chunk *next;
	size_t used, bytes;
	char texts[];
};

struct flat_builder {
	struct flat_entries all;	/* its arrays are owned */
	struct chunk *chunks;	/* owned */
	size_t name_bytes;	/* total of all names added */
	struct flat_header header;	/* fields that flat_builder_set_*() have set */
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
	free(builder->all.places);
	free(builder->all.dsos);
	free(builder->all.entries);
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

void flat_builder_set_minidebug(struct flat_builder *builder, enum flat_minidebug minidebug)
{
	builder->header.minidebug = (uint8_t)minidebug;
}

void flat_builder_set_debug_link(struct flat_builder *builder, struct flat_name debug_link,
				 uint32_t crc)
{
	if (!debug_link.bytes || debug_link.bytes >= sizeof(builder->header.debug_link))
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

static int reserve_entry(struct flat_entries *all)
{
	uint32_t capacity = 2 * all->capacity + 256;
	struct flat_entry *grown;

	if (all->count < all->capacity)
		return 0;
	grown = large_block_grow(all->entries, all->count * sizeof(*grown),
				 capacity * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	all->entries = grown;
	all->capacity = capacity;
	return 0;
}

void flat_builder_reserve(struct flat_builder *builder, size_t count)
{
	struct flat_entries *all = &builder->all;
	struct flat_entry *grown;

	if (count > FLAT_BUILDER_MAX_SYMBOLS - all->count)
		count = FLAT_BUILDER_MAX_SYMBOLS - all->count;
	count += all->count;
	if (count <= all->capacity)
		return;
	grown = large_block_grow(all->entries, all->count * sizeof(*grown),
				 count * sizeof(*grown));
	if (!grown)
		return;
	all->entries = grown;
	all->capacity = (uint32_t)count;
}

/* Adds @entry with @size; entry.size is ignored. */
static int add_entry(struct flat_builder *builder, struct flat_entry entry, uint64_t size)
{
	int err;

	if (builder->all.count == FLAT_BUILDER_MAX_SYMBOLS ||
	    entry.name_bytes > FLAT_BYTES_MAX - builder->name_bytes)
		return -E2BIG;
	err = reserve_entry(&builder->all);
	if (err)
		return err;
	entry.size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
	builder->name_bytes += entry.name_bytes;
	builder->all.entries[builder->all.count++] = entry;
	return 0;
}

/* Sets *@number to the index of the DSO's name; reuses the last one if it is equal. */
static int add_dso(struct flat_builder *builder, const char *name, uint32_t *number)
{
	struct flat_entries *all = &builder->all;
	const char **grown;
	int err;

	*number = FLAT_NONE;
	if (!name)
		return 0;
	if (!all->dso_count || strcmp(all->dsos[all->dso_count - 1], name) != 0) {
		grown = realloc(all->dsos, (all->dso_count + 1) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		all->dsos = grown;
		err = copy_text(builder, name, strlen(name), &all->dsos[all->dso_count]);
		if (err)
			return err;
		all->dso_count++;
	}
	*number = all->dso_count - 1;
	return 0;
}

int flat_builder_add(struct flat_builder *builder, uint64_t start, uint64_t size, const char *name,
		     const char *dso_name, unsigned int rank)
{
	struct flat_entry entry = { .start = start, .rank = (uint8_t)rank };
	size_t bytes = strlen(name);
	int err;

	assert(rank <= UINT8_MAX);
	err = copy_text(builder, name, bytes, &entry.name.text);
	if (!err)
		err = add_dso(builder, dso_name, &entry.dso);
	entry.name_bytes = (uint32_t)bytes;
	return err ? err : add_entry(builder, entry, size);
}

int flat_builder_add_borrowed(struct flat_builder *builder, uint64_t start, uint64_t size,
			      struct flat_name name, unsigned int rank)
{
	struct flat_entry entry = {
		.start = start, .name.text = name.text, .name_bytes = (uint32_t)name.bytes,
		.dso = FLAT_NONE, .kind = FLAT_SYMBOL, .rank = (uint8_t)rank,
	};

	assert(rank <= UINT8_MAX);
	return name.bytes < FLAT_BYTES_MAX ? add_entry(builder, entry, size) : -E2BIG;
}

int flat_builder_add_unwind(struct flat_builder *builder, uint64_t start, uint64_t size,
			    uint64_t vaddr)
{
	struct flat_entry entry = {
		.start = start, .name.number = vaddr, .dso = FLAT_NONE, .kind = FLAT_UNWIND,
		.named_by = FLAT_BY_VADDR,
	};

	return add_entry(builder, entry, size);
}

int flat_builder_add_plt(struct flat_builder *builder, uint64_t start, uint64_t size,
			 struct flat_name name)
{
	struct flat_entry entry = {
		.start = start, .name.text = name.text, .name_bytes = (uint32_t)name.bytes,
		.dso = FLAT_NONE, .kind = FLAT_PLT,
	};

	return name.bytes < FLAT_BYTES_MAX ? add_entry(builder, entry, size) : -E2BIG;
}

int flat_builder_add_plt_of(struct flat_builder *builder, uint64_t start, uint64_t size,
			    uint64_t resolver)
{
	struct flat_entry entry = {
		.start = start, .name.number = resolver, .dso = FLAT_NONE, .kind = FLAT_PLT,
		.named_by = FLAT_BY_RESOLVER,
	};

	return add_entry(builder, entry, size);
}

int flat_builder_add_boundary(struct flat_builder *builder, uint64_t address,
			      const char *dso_name)
{
	struct flat_entry entry = { .start = address, .kind = FLAT_BOUNDARY };
	int err = add_dso(builder, dso_name, &entry.dso);

	return err ? err : add_entry(builder, entry, 0);
}

static int sort_entries(struct flat_entries *all)
{
	all->places = large_block_alloc((all->count + 1) * sizeof(*all->places));
	if (!all->places)
		return -ENOMEM;
	for (uint32_t i = 0; i < all->count; i++)
		all->places[i] = (struct flat_place){ all->entries[i].start, i };
	return flat_sort_by_start(all->places, all->count);
}

int flat_builder_finish(struct flat_builder *builder, uint64_t sizeless_cap, void **bytes,
			size_t *bytes_count)
{
	int err;

	assert(sizeless_cap > 0);
	*bytes = NULL;
	err = sort_entries(&builder->all);
	if (err)
		return err;
	flat_choice_make(&builder->all, sizeless_cap);
	return flat_writer_write(&builder->all, &builder->header, bytes, bytes_count);
}
