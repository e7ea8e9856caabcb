/* object_table.c - see symbols/object_table.h. */
#include "symbols/object_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/vdso_image.h"

/* Paths as perf-script(1) prints them, so that exports can be compared and joined. */
static const struct {
	const char *name, *path;
	enum cpu_mode mode;
} fixed_objects[OBJECT_FIXED_COUNT] = {
	[OBJECT_UNKNOWN] = { "[unknown]", "[unknown]", MODE_USER },
	[OBJECT_KERNEL] = { "[kernel]", "[kernel.kallsyms]", MODE_KERNEL },
	[OBJECT_UNKNOWN_KERNEL] = { "[unknown]", "[unknown]", MODE_KERNEL },
	[OBJECT_HYPERVISOR] = { "[hypervisor]", "[unknown]", MODE_HYPERVISOR },
	[OBJECT_GUEST_KERNEL] = { "[guest.kernel]", "[guest.kernel.kallsyms]", MODE_GUEST_KERNEL },
	[OBJECT_GUEST_USER] = { "[guest]", "[guest]", MODE_GUEST_USER },
	[OBJECT_VSYSCALL] = { "[vsyscall]", "[vsyscall]", MODE_USER },
};

static struct object *append(struct object_table *table)
{
	struct object *object;

	if (table->count == table->capacity) {
		uint32_t capacity = table->capacity ? table->capacity * 2 : 64;
		struct object *bigger = realloc(table->objects, capacity * sizeof(*bigger));

		if (!bigger)
			return NULL;
		table->objects = bigger;
		table->capacity = capacity;
	}
	object = &table->objects[table->count];
	memset(object, 0, sizeof(*object));
	object->canonical = table->count++;
	return object;
}

int object_table_init(struct object_table *table, struct strpool *strings)
{
	*table = (struct object_table){ .strings = strings };
	for (int i = 0; i < OBJECT_FIXED_COUNT; i++) {
		struct object *object = append(table);

		if (!object)
			return -ENOMEM;
		object->mode = fixed_objects[i].mode;
		object->path = strpool_intern(strings, fixed_objects[i].path,
					      strlen(fixed_objects[i].path));
		object->name = strpool_intern(strings, fixed_objects[i].name,
					      strlen(fixed_objects[i].name));
	}
	table->objects[OBJECT_VSYSCALL].table = vdso_image_vsyscall_table();
	table->objects[OBJECT_VSYSCALL].state = OBJECT_READY;
	return 0;
}

void object_table_finish(struct object_table *table)
{
	for (uint32_t id = 0; id < table->count; id++)
		free(table->objects[id].other);
	free(table->objects);
	id_map_finish(&table->by_key);
	memset(table, 0, sizeof(*table));
}

static uint64_t key_hash(struct str_id path, const struct object_key *key)
{
	uint64_t hash = id_map_mix(path.v | (uint64_t)key->mode << 32);

	if (key->place)
		hash = id_map_mix(hash ^ id_map_mix(key->place));
	if (!key->build_id.count)
		return id_map_mix(id_map_mix(hash ^ id_map_mix(key->device + 1) ^ key->inode) ^
				  key->inode_generation);
	for (unsigned int i = 0; i < key->build_id.count; i++)
		hash = id_map_mix(hash ^ key->build_id.bytes[i]);
	return hash;
}

/* "/usr/lib/libc.so.6" -> "libc.so.6"; names without a slash, and "[...]", stay. */
static struct str_id short_name(struct strpool *strings, struct str_id path)
{
	const char *text = strpool_get(strings, path);
	const char *slash = text[0] == '/' ? strrchr(text, '/') : NULL;

	if (!strcmp(text, "//anon"))
		return strpool_intern(strings, "[anon]", 6);
	if (!slash || !slash[1])
		return path;
	return strpool_intern(strings, slash + 1, strlen(slash + 1));
}

uint32_t object_table_intern(struct object_table *table, const struct object_key *key, bool *is_new)
{
	const struct str_id path = strpool_intern(table->strings, key->path, key->path_len);
	const uint64_t hash = key_hash(path, key);
	uint32_t id = id_map_get(&table->by_key, hash);
	struct object *object;

	*is_new = false;
	if (id != ID_MAP_NONE)
		return object_table_current(table, id);
	object = append(table);
	if (!object)
		return OBJECT_UNKNOWN;
	id = object->canonical;
	if (id_map_put(&table->by_key, hash, id)) {
		table->count--;
		return OBJECT_UNKNOWN;
	}
	object->path = path;
	object->name = short_name(table->strings, path);
	object->build_id = key->build_id;
	object->device = key->device;
	object->inode = key->inode;
	object->inode_generation = key->inode_generation;
	object->mode = key->mode;
	*is_new = true;
	return id;
}

void object_table_set_ready(struct object_table *table, uint32_t id, const struct flat_table *flat,
			    const struct build_id *build_id)
{
	struct object *object = &table->objects[id];

	object->state = OBJECT_READY;
	object->is_run_time = false;
	object->table = *flat;
	object->build_id = *build_id;
	for (uint32_t i = 0; i < table->count; i++) {
		const struct object *other = &table->objects[i];

		if (i != id && other->canonical == i && other->state == OBJECT_READY &&
		    other->path.v == object->path.v && other->mode == object->mode &&
		    other->table.header == flat->header &&
		    build_id_is_equal(&other->build_id, &object->build_id)) {
			object->canonical = i;
			return;
		}
	}
}

bool object_table_set_run_time(struct object_table *table, uint32_t id,
			       const struct flat_table *flat)
{
	struct object *object = &table->objects[id];

	if (object->state == OBJECT_READY && !object->is_run_time)
		return false;
	object->state = OBJECT_READY;
	object->is_run_time = true;
	object->table = *flat;
	return true;
}

uint32_t object_table_succeed(struct object_table *table, uint32_t id)
{
	struct object *successor = append(table), *object = &table->objects[id];

	if (!successor)
		return id;
	successor->path = object->path;
	successor->name = object->name;
	successor->device = object->device;
	successor->inode = object->inode;
	successor->inode_generation = object->inode_generation;
	successor->mode = object->mode;
	successor->asked_ns = object->asked_ns;
	object->successor = successor->canonical;
	table->successions++;
	return object->successor;
}

uint32_t object_table_current(const struct object_table *table, uint32_t id)
{
	while (table->objects[id].successor)
		id = table->objects[id].successor;
	return id;
}

void object_table_set_unreadable(struct object_table *table, uint32_t id, const char *reason)
{
	struct object *object = &table->objects[id];

	object->state = OBJECT_UNREADABLE;
	object->reason = strpool_intern(table->strings, reason, strlen(reason));
}
