/* flat_builder.c - see elf/flat_builder.h.
 *
 * Steps: 1. collect, here; 2. sort by address (elf/flat_sort.h); 3. keep one entry per address
 * and compute the size of sizeless ones (elf/flat_choice.h); 4. write (elf/flat_writer.h).
 */
#include "elf/flat_builder.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flat_choice.h"
#include "flat_entry.h"
#include "flat_writer.h"
#include "sandbox/large_block.h"

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
	free(builder->all.objects);
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

/* Sets *@number to the index of the object's name; reuses the last one if it is equal. */
static int add_object(struct flat_builder *builder, const char *name, uint32_t *number)
{
	struct flat_entries *all = &builder->all;
	const char **grown;
	int err;

	*number = FLAT_NONE;
	if (!name)
		return 0;
	if (!all->object_count || strcmp(all->objects[all->object_count - 1], name) != 0) {
		grown = realloc(all->objects, (all->object_count + 1) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		all->objects = grown;
		err = copy_text(builder, name, strlen(name), &all->objects[all->object_count]);
		if (err)
			return err;
		all->object_count++;
	}
	*number = all->object_count - 1;
	return 0;
}

int flat_builder_add(struct flat_builder *builder, uint64_t start, uint64_t size, const char *name,
		     const char *object_name, unsigned int rank)
{
	struct flat_entry entry = { .start = start, .rank = (uint8_t)rank };
	size_t bytes = strlen(name);
	int err;

	assert(rank <= UINT8_MAX);
	err = copy_text(builder, name, bytes, &entry.name.text);
	if (!err)
		err = add_object(builder, object_name, &entry.object);
	entry.name_bytes = (uint32_t)bytes;
	return err ? err : add_entry(builder, entry, size);
}

int flat_builder_add_borrowed(struct flat_builder *builder, uint64_t start, uint64_t size,
			      struct flat_name name, unsigned int rank)
{
	struct flat_entry entry = {
		.start = start, .name.text = name.text, .name_bytes = (uint32_t)name.bytes,
		.object = FLAT_NONE, .kind = FLAT_SYMBOL, .rank = (uint8_t)rank,
	};

	assert(rank <= UINT8_MAX);
	return name.bytes < FLAT_BYTES_MAX ? add_entry(builder, entry, size) : -E2BIG;
}

int flat_builder_add_unwind(struct flat_builder *builder, uint64_t start, uint64_t size,
			    uint64_t vaddr)
{
	struct flat_entry entry = {
		.start = start, .name.number = vaddr, .object = FLAT_NONE, .kind = FLAT_UNWIND,
		.named_by = FLAT_BY_VADDR,
	};

	return add_entry(builder, entry, size);
}

int flat_builder_add_plt(struct flat_builder *builder, uint64_t start, uint64_t size,
			 struct flat_name name)
{
	struct flat_entry entry = {
		.start = start, .name.text = name.text, .name_bytes = (uint32_t)name.bytes,
		.object = FLAT_NONE, .kind = FLAT_PLT,
	};

	return name.bytes < FLAT_BYTES_MAX ? add_entry(builder, entry, size) : -E2BIG;
}

int flat_builder_add_plt_of(struct flat_builder *builder, uint64_t start, uint64_t size,
			    uint64_t resolver)
{
	struct flat_entry entry = {
		.start = start, .name.number = resolver, .object = FLAT_NONE, .kind = FLAT_PLT,
		.named_by = FLAT_BY_RESOLVER,
	};

	return add_entry(builder, entry, size);
}

int flat_builder_add_boundary(struct flat_builder *builder, uint64_t address,
			      const char *object_name)
{
	struct flat_entry entry = { .start = address, .kind = FLAT_BOUNDARY };
	int err = add_object(builder, object_name, &entry.object);

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
