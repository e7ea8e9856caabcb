/* listing.c - see listing/listing.h. */
#include "listing/listing.h"

#include <stdlib.h>
#include <string.h>

/* True for the name of a part of @name: "NAME.cold", "NAME.part.0", "NAME.cold.17". */
static bool is_part_of(const char *name, const char *part)
{
	const size_t len = strlen(name);

	return !strncmp(part, name, len) &&
	       (!strncmp(part + len, ".cold", 5) || !strncmp(part + len, ".part.", 6));
}

/* Several static functions may have one name: then nobody knows whose the parts are. */
static void find_parts(struct listing_function *out, const struct flat_table *table, uint32_t row)
{
	const char *name = flat_table_name(table, row);
	uint32_t equal = 0;

	if (!name[0])
		return;
	for (uint32_t i = 0; i < table->header->row_count; i++) {
		const struct flat_row *other = &table->rows[i];
		const char *text = flat_table_name(table, i);

		if (text[0] != name[0] || text[1] != name[1])
			continue;
		equal += !strcmp(text, name);
		if (i != row && is_part_of(name, text) &&
		    out->section_count < LISTING_SECTIONS_MAX)
			out->sections[out->section_count++] = (struct listing_section){
				other->start, other->start + other->size,
			};
	}
	if (equal > 1)
		out->section_count = 1;
}

/* FNV-1a. */
static uint64_t hash_of(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
	return hash;
}

bool listing_function_find(struct listing_function *out, const struct dso_table *dsos, uint32_t dso,
			   uint64_t address)
{
	const struct dso *of = dso < dsos->count ? &dsos->dsos[dso] : NULL;
	uint64_t bias;
	uint32_t row;

	*out = (struct listing_function){ .dso = dso };
	if (!of || !of->table.header)
		return false;
	out->serial = of->serial;
	bias = of->is_run_time ? of->bias : 0;
	row = flat_table_find(&of->table, address + bias);
	if (row == FLAT_NONE)
		return false;
	out->sections[out->section_count++] = (struct listing_section){
		of->table.rows[row].start - bias,
		of->table.rows[row].start - bias + of->table.rows[row].size,
	};
	if (of->is_run_time)
		out->name_hash = hash_of(flat_table_name(&of->table, row));
	if (of->table.rows[row].kind == FLAT_SYMBOL && !of->is_run_time)
		find_parts(out, &of->table, row);
	return true;
}

bool listing_function_is_equal(const struct listing_function *a, const struct listing_function *b)
{
	if (a->dso != b->dso || a->serial != b->serial || a->name_hash != b->name_hash ||
	    a->section_count != b->section_count)
		return false;
	for (uint32_t i = 0; i < a->section_count; i++)
		if (a->sections[i].begin != b->sections[i].begin ||
		    a->sections[i].end != b->sections[i].end)
			return false;
	return true;
}

uint32_t listing_function_section(const struct listing_function *function, uint64_t address)
{
	for (uint32_t i = 0; i < function->section_count; i++)
		if (address >= function->sections[i].begin && address < function->sections[i].end)
			return i;
	return UINT32_MAX;
}

struct listing_document *listing_document_get(struct listing_document *document)
{
	/* Whoever calls this has a reference, so the count cannot become 0 meanwhile. */
	atomic_fetch_add_explicit(&document->references, 1, memory_order_relaxed);
	return document;
}

/* Frees the document's own parts, not its earlier version. */
static void free_document(struct listing_document *document)
{
	sandbox_bytes_finish(&document->code_bytes);
	sandbox_bytes_finish(&document->line_bytes);
	free(document->own_lines);
	for (uint32_t i = 0; i < document->own_source_count; i++)
		source_file_destroy(document->own_sources[i].file);
	free(document->own_sources);
	free(document);
}

void listing_document_release(struct listing_document *document)
{
	struct listing_document *version;

	while (document) {
		/* Release and acquire: what others read is read before the last one frees it. */
		if (atomic_fetch_sub_explicit(&document->references, 1, memory_order_acq_rel) > 1)
			return;
		version = document->before;
		free_document(document);
		document = version;
	}
}

void listing_destroy(struct listing *listing)
{
	if (!listing)
		return;
	listing_document_release(listing->document);
	free((void *)listing->addresses);
	free((void *)listing->targets);
	free((void *)listing->callees);
	free(listing->texts);
	free(listing);
}

/* Addresses and targets both begin with the address that they are sorted by. */
static const void *find(const void *first, uint32_t count, size_t bytes, uint64_t address)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		const uint64_t *at = (const void *)((const char *)first + middle * bytes);

		if (*at == address)
			return at;
		if (*at < address)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct listing_address *listing_find(const struct listing *listing, uint64_t address)
{
	return find(listing->addresses, listing->address_count, sizeof(*listing->addresses),
		    address);
}

const struct listing_target *listing_find_target(const struct listing *listing, uint64_t address)
{
	return find(listing->targets, listing->target_count, sizeof(*listing->targets), address);
}

const struct line_range *listing_range(const struct listing *listing, uint64_t address)
{
	const struct line_ranges *lines = &listing->document->lines;
	uint32_t low = 0, high;

	if (!listing->document->has_lines)
		return NULL;
	high = lines->header->range_count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (lines->ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < lines->header->range_count && lines->ranges[low].begin <= address
	       ? &lines->ranges[low] : NULL;
}
