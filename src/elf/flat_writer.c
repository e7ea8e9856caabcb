/* flat_writer.c - see flat_writer.h.
 *
 * Names are copied only here, once: a large library has 20 MB of them, and half belong to data,
 * undefined symbols and aliases.
 *
 * Invariant: the written table passes flat_table_check().
 */
#include "flat_writer.h"

#include <errno.h>
#include <string.h>

#include "sandbox/large_block.h"

#define UNWIND_BYTES_MAX (sizeof(FLAT_UNWIND_PREFIX) - 1 + 16)
#define PLT_SUFFIX	 "@plt"
#define PLT_SUFFIX_BYTES (sizeof(PLT_SUFFIX) - 1)
#define AHEAD		 16	/* prefetch distance in rows: takes as long as a cache miss */

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

static uint32_t put_object_name(struct strings *strings, const char *name)
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
	uint32_t object = FLAT_NONE, object_name = FLAT_NONE;

	for (uint32_t i = 0; i < all->row_count; i++) {
		const struct flat_entry *entry = flat_entry_of_row(all, i);

		prefetch(all, i);
		if (entry->object != object) {
			object = entry->object;
			object_name = object == FLAT_NONE ? FLAT_NONE :
				      put_object_name(strings, all->objects[object]);
		}
		rows[i] = (struct flat_row){
			.start = entry->start,
			.size = entry->size,
			.name = put_name(strings, entry) & (FLAT_BYTES_MAX - 1),
			.kind = entry->kind & 15u,
			.object_name = object_name,
		};
		rows[i].outer = flat_table_outer(rows, i);
	}
}

/* Returns an upper limit for the string bytes of write_rows(); at least 1, for the empty string. */
static size_t strings_limit(const struct flat_entries *all)
{
	uint32_t object = FLAT_NONE;
	size_t bytes = 1;

	for (uint32_t i = 0; i < all->row_count; i++) {
		const struct flat_entry *entry = flat_entry_of_row(all, i);

		flat_entry_prefetch(all, i + AHEAD);
		bytes += entry->named_by == FLAT_BY_TEXT ? entry->name_bytes : UNWIND_BYTES_MAX;
		bytes += entry->kind == FLAT_PLT ? PLT_SUFFIX_BYTES + 1 : 1;
		if (entry->object != object && entry->object != FLAT_NONE)
			bytes += strlen(all->objects[entry->object]) + 1;
		object = entry->object;
	}
	return bytes;
}

int flat_writer_write(const struct flat_entries *all, const struct flat_header *header,
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
