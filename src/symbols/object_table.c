/* object_table.c - see symbols/object_table.h. */
#include "symbols/object_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/vdso_image.h"

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

/* Returns whether the row that was released first may be reused. */
static bool has_rested_row(const struct object_table *table)
{
	return table->free_count &&
	       table->now_ns - table->objects[table->free_first].freed_ns >= OBJECT_REST_NS;
}

/* Returns a released row that may be reused; NULL: none. */
static struct object *take_free(struct object_table *table)
{
	struct object *object;

	if (!has_rested_row(table))
		return NULL;
	object = &table->objects[table->free_first];
	table->free_first = object->next_free;
	table->free_count--;
	return object;
}

static struct object *append(struct object_table *table)
{
	struct object *object = take_free(table);
	uint32_t id;

	if (!object && table->count == OBJECT_TABLE_ROWS)
		return NULL;
	if (!object && table->count == table->capacity) {
		uint32_t capacity = table->capacity ? table->capacity * 2 : 64;
		struct object *bigger = realloc(table->objects, capacity * sizeof(*bigger));

		if (!bigger)
			return NULL;
		table->objects = bigger;
		table->capacity = capacity;
	}
	id = object ? (uint32_t)(object - table->objects) : table->count++;
	object = &table->objects[id];
	memset(object, 0, sizeof(*object));
	object->canonical = id;
	object->serial = ++table->last_serial;
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
	return strpool_intern_passing(strings, slash + 1, strlen(slash + 1));
}

/* Returns the size of its path and name, which may be one text. */
static size_t text_bytes_of(const struct object_table *table, const struct object *object)
{
	return strlen(strpool_get(table->strings, object->path)) +
	       (object->name.v == object->path.v
		? 0 : strlen(strpool_get(table->strings, object->name)));
}

/* Returns whether @key can't have a new object now; its path must not be interned then. */
static bool is_full_for(const struct object_table *table, const struct object_key *key)
{
	const uint32_t rows_left = OBJECT_TABLE_ROWS - table->count + table->free_count;

	return (table->count == OBJECT_TABLE_ROWS && !has_rested_row(table)) ||
	       table->text_bytes >= OBJECT_TABLE_TEXT_BYTES || key->had > rows_left / 4;
}

uint32_t object_table_intern(struct object_table *table, const struct object_key *key, bool *is_new)
{
	const bool is_full = is_full_for(table, key);
	const struct str_id path =
		is_full ? strpool_find(table->strings, key->path, key->path_len)
			: strpool_intern_passing(table->strings, key->path, key->path_len);
	const uint64_t hash = key_hash(path, key);
	uint32_t id = id_map_get(&table->by_key, hash);
	struct object *object;

	*is_new = false;
	if (id != ID_MAP_NONE)
		return object_table_current(table, id);
	object = is_full || id_map_reserve(&table->by_key, table->by_key.used + 1) ? NULL
										   : append(table);
	if (!object) {
		table->refused++;
		table->is_full = true;
		return OBJECT_UNKNOWN;
	}
	id = object->canonical;
	id_map_put(&table->by_key, hash, id);	/* has room */
	object->key_hash = hash;
	object->path = path;
	object->name = short_name(table->strings, path);
	table->text_bytes += text_bytes_of(table, object);
	object->build_id = key->build_id;
	object->device = key->device;
	object->inode = key->inode;
	object->inode_generation = key->inode_generation;
	object->mode = key->mode;
	*is_new = true;
	return id;
}

bool object_table_set_started(struct object_table *table, uint32_t id, const char *name)
{
	struct object *object = &table->objects[id];
	const struct str_id before = object_shown_name(object);
	const struct str_id text = strpool_intern_passing(table->strings, name, strlen(name));

	if (object->starts == OBJECT_NOT_STARTED) {
		object->starts = OBJECT_ONE_NAME;
		object->started_as = text;
	} else if (object->started_as.v != text.v) {
		object->starts = OBJECT_SEVERAL_NAMES;
	}
	return object_shown_name(object).v != before.v;
}

/* Returns another object with the same table, path, mode and build-id; NULL: none. */
static const struct object *find_copy(const struct object_table *table, uint32_t id)
{
	const struct object *object = &table->objects[id];

	for (uint32_t i = 0; i < table->count; i++) {
		const struct object *other = &table->objects[i];

		if (i != id && other->state == OBJECT_READY && other->path.v == object->path.v &&
		    other->mode == object->mode && other->table.header == object->table.header &&
		    build_id_is_equal(&other->build_id, &object->build_id))
			return other;
	}
	return NULL;
}

static void replace_canonical(struct object_table *table, uint32_t before, uint32_t now)
{
	for (uint32_t i = 0; i < table->count; i++)
		if (table->objects[i].canonical == before)
			table->objects[i].canonical = now;
}

/* Invariant: copies that are ready have one `canonical`. It is the oldest's, so that it stays the
 * same however often tables go and come back. */
bool object_table_set_ready(struct object_table *table, uint32_t id, const struct flat_table *flat,
			    const struct build_id *build_id)
{
	struct object *object = &table->objects[id];
	const struct object *copy;
	uint32_t theirs;
	bool is_older;

	object->state = OBJECT_READY;
	object->is_run_time = false;
	object->is_wanted = false;
	object->needed_round = table->round;
	object->table = *flat;
	object->build_id = *build_id;
	object->debug_link = strpool_intern_passing(table->strings, flat->header->debug_link,
						    strlen(flat->header->debug_link));
	copy = find_copy(table, id);
	if (!copy || copy->canonical == object->canonical)
		return false;
	theirs = copy->canonical;
	is_older = table->objects[object->canonical].serial < table->objects[theirs].serial;
	if (is_older)
		replace_canonical(table, theirs, object->canonical);
	else
		replace_canonical(table, object->canonical, theirs);
	return is_older;
}

void object_table_let_go(struct object_table *table, uint32_t id)
{
	struct object *object = &table->objects[id];

	object->state = OBJECT_LET_GO;
	object->table = (struct flat_table){ .header = NULL };
	object->table_number = 0;
}

bool object_table_set_run_time(struct object_table *table, uint32_t id,
			       const struct flat_table *flat)
{
	struct object *object = &table->objects[id];

	if ((object->state == OBJECT_READY || object->state == OBJECT_LET_GO) &&
	    !object->is_run_time)
		return false;
	object->state = OBJECT_READY;
	object->is_run_time = true;
	object->table_number = 0;
	object->table = *flat;
	return true;
}

uint32_t object_table_succeed(struct object_table *table, uint32_t id)
{
	struct object *successor = append(table), *object = &table->objects[id];

	if (!successor) {
		table->refused++;
		table->is_full = true;
		return id;
	}
	successor->path = object->path;
	successor->name = object->name;
	successor->device = object->device;
	successor->inode = object->inode;
	successor->inode_generation = object->inode_generation;
	successor->mode = object->mode;
	successor->brought_by = object->brought_by;
	successor->is_jit = object->is_jit;
	successor->maker = object->maker;
	successor->asked_ns = object->asked_ns;
	object->successor = successor->canonical;
	table->successions++;
	return object->successor;
}

uint32_t object_table_current(const struct object_table *table, uint32_t id)
{
	struct object *objects = table->objects;
	uint32_t last = id, next;

	while (objects[last].successor)
		last = objects[last].successor;
	for (; (next = objects[id].successor); id = next)
		objects[id].successor = last;
	return last;
}

void object_table_set_unreadable(struct object_table *table, uint32_t id, const char *reason)
{
	struct object *object = &table->objects[id];

	object->state = OBJECT_UNREADABLE;
	object->reason = strpool_intern_passing(table->strings, reason, strlen(reason));
}

/* An object stays until its replies have come; one about unwinding goes to its successor. */
static bool is_needed(const struct object *object, uint32_t id)
{
	return id < OBJECT_FIXED_COUNT || object->is_asked || object->other ||
	       (object->unwind == OBJECT_UNWIND_LOADING && !object->successor);
}

/* Marks the `canonical` and the newest successor of all objects that are marked. */
static void mark_related(const struct object_table *table, unsigned char *used)
{
	bool has_changed;

	do {
		has_changed = false;
		for (uint32_t id = 0; id < table->count; id++) {
			const uint32_t current = object_table_current(table, id);
			const uint32_t canonical = table->objects[id].canonical;

			if (!used[id] || (used[current] && used[canonical]))
				continue;
			used[current] = used[canonical] = 1;
			has_changed = true;
		}
	} while (has_changed);
}

/* Returns the first successor that stays; 0: none. */
static uint32_t kept_successor(const struct object_table *table, uint32_t id,
			       const unsigned char *used)
{
	do
		id = table->objects[id].successor;
	while (id && !used[id]);
	return id;
}

/* Lets the identity of a chain of successors lead to the first object of the chain that stays. */
static void unlink_unused(struct object_table *table, uint32_t id, const unsigned char *used)
{
	struct object *object = &table->objects[id];
	const uint32_t next = kept_successor(table, id, used);

	if (used[id]) {
		object->successor = next;
	} else if (object->key_hash && next) {
		id_map_put(&table->by_key, object->key_hash, next);	/* in its place */
		table->objects[next].key_hash = object->key_hash;
	} else if (object->key_hash) {
		id_map_remove(&table->by_key, object->key_hash);
	}
}

static void give_back(struct object_table *table, uint32_t id)
{
	struct object *object = &table->objects[id];

	free(object->other);
	*object = (struct object){ .canonical = id, .is_free = true,
				   .freed_ns = table->now_ns };
	if (table->free_count++)
		table->objects[table->free_last].next_free = id;
	else
		table->free_first = id;
	table->free_last = id;
}

uint32_t object_table_reclaim(struct object_table *table, unsigned char *used)
{
	const uint32_t before = table->free_count;

	for (uint32_t id = 0; id < table->count; id++)
		used[id] = !table->objects[id].is_free &&
			   (used[id] || is_needed(&table->objects[id], id));
	mark_related(table, used);
	for (uint32_t id = 0; id < table->count; id++)
		unlink_unused(table, id, used);
	for (uint32_t id = 0; id < table->count; id++)
		if (!used[id] && !table->objects[id].is_free)
			give_back(table, id);
	table->is_full = false;
	table->reclaims += table->free_count != before;
	return table->free_count - before;
}

void object_table_mark_text(struct object_table *table, unsigned char *used)
{
	table->text_bytes = 0;
	for (uint32_t id = 0; id < table->count; id++) {
		const struct object *object = &table->objects[id];

		used[object->path.v] = used[object->name.v] = used[object->reason.v] = 1;
		used[object->debug_link.v] = used[object->started_as.v] = 1;
		used[object->maker.v] = 1;
		if (object->key_hash)
			table->text_bytes += text_bytes_of(table, object);
	}
}
