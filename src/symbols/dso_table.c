/* dso_table.c - see symbols/dso_table.h. */
#include "symbols/dso_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/process_memory.h"

/* Paths as perf-script(1) prints them, so that exports can be compared and joined. */
static const struct {
	const char *name, *path;
	enum cpu_mode mode;
} fixed_dsos[DSO_FIXED_COUNT] = {
	[DSO_UNKNOWN] = { "[unknown]", "[unknown]", MODE_USER },
	[DSO_KERNEL] = { "[kernel]", "[kernel.kallsyms]", MODE_KERNEL },
	[DSO_UNKNOWN_KERNEL] = { "[unknown]", "[unknown]", MODE_KERNEL },
	[DSO_HYPERVISOR] = { "[hypervisor]", "[unknown]", MODE_HYPERVISOR },
	[DSO_GUEST_KERNEL] = { "[guest.kernel]", "[guest.kernel.kallsyms]", MODE_GUEST_KERNEL },
	[DSO_GUEST_USER] = { "[guest]", "[guest]", MODE_GUEST_USER },
	[DSO_VSYSCALL] = { "[vsyscall]", "[vsyscall]", MODE_USER },
};

/* Returns whether the row that was released first may be reused. */
static bool has_rested_row(const struct dso_table *table)
{
	return table->free_count &&
	       table->now_ns - table->dsos[table->free_first].freed_ns >= DSO_REST_NS;
}

/* Returns a released row that may be reused; NULL: none. */
static struct dso *take_free(struct dso_table *table)
{
	struct dso *dso;

	if (!has_rested_row(table))
		return NULL;
	dso = &table->dsos[table->free_first];
	table->free_first = dso->next_free;
	table->free_count--;
	return dso;
}

static struct dso *append(struct dso_table *table)
{
	struct dso *dso = take_free(table);
	uint32_t id;

	if (!dso && table->count == DSO_TABLE_ROWS)
		return NULL;
	if (!dso && table->count == table->capacity) {
		uint32_t capacity = table->capacity ? table->capacity * 2 : 64;
		struct dso *bigger = realloc(table->dsos, capacity * sizeof(*bigger));

		if (!bigger)
			return NULL;
		table->dsos = bigger;
		table->capacity = capacity;
	}
	id = dso ? (uint32_t)(dso - table->dsos) : table->count++;
	dso = &table->dsos[id];
	memset(dso, 0, sizeof(*dso));
	dso->canonical = id;
	dso->serial = ++table->last_serial;
	return dso;
}

int dso_table_init(struct dso_table *table, struct strpool *strings)
{
	*table = (struct dso_table){ .strings = strings };
	for (int i = 0; i < DSO_FIXED_COUNT; i++) {
		struct dso *dso = append(table);

		if (!dso)
			return -ENOMEM;
		dso->mode = fixed_dsos[i].mode;
		dso->path = strpool_intern(strings, fixed_dsos[i].path,
					   strlen(fixed_dsos[i].path));
		dso->name = strpool_intern(strings, fixed_dsos[i].name,
					   strlen(fixed_dsos[i].name));
	}
	table->dsos[DSO_VSYSCALL].table = vdso_image_vsyscall_table();
	table->dsos[DSO_VSYSCALL].state = DSO_READY;
	return 0;
}

void dso_table_finish(struct dso_table *table)
{
	for (uint32_t id = 0; id < table->count; id++)
		free(table->dsos[id].other);
	free(table->dsos);
	id_map_finish(&table->by_key);
	memset(table, 0, sizeof(*table));
}

static uint64_t key_hash(struct str_id path, const struct dso_key *key)
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
static size_t text_bytes_of(const struct dso_table *table, const struct dso *dso)
{
	return strlen(strpool_get(table->strings, dso->path)) +
	       (dso->name.v == dso->path.v
		? 0 : strlen(strpool_get(table->strings, dso->name)));
}

/* Returns whether @key can't have a new DSO now; its path must not be interned then. */
static bool is_full_for(const struct dso_table *table, const struct dso_key *key)
{
	const uint32_t rows_left = DSO_TABLE_ROWS - table->count + table->free_count;

	return (table->count == DSO_TABLE_ROWS && !has_rested_row(table)) ||
	       table->text_bytes >= DSO_TABLE_TEXT_BYTES || key->had > rows_left / 4;
}

uint32_t dso_table_intern(struct dso_table *table, const struct dso_key *key, bool *is_new)
{
	const bool is_full = is_full_for(table, key);
	const struct str_id path =
		is_full ? strpool_find(table->strings, key->path, key->path_len)
			: strpool_intern_passing(table->strings, key->path, key->path_len);
	const uint64_t hash = key_hash(path, key);
	uint32_t id = id_map_get(&table->by_key, hash);
	struct dso *dso;

	*is_new = false;
	if (id != ID_MAP_NONE)
		return dso_table_current(table, id);
	dso = is_full || id_map_reserve(&table->by_key, table->by_key.used + 1) ? NULL
										   : append(table);
	if (!dso) {
		table->refused++;
		table->is_full = true;
		return DSO_UNKNOWN;
	}
	id = dso->canonical;
	id_map_put(&table->by_key, hash, id);	/* has room */
	dso->key_hash = hash;
	dso->path = path;
	dso->name = short_name(table->strings, path);
	table->text_bytes += text_bytes_of(table, dso);
	dso->build_id = key->build_id;
	dso->device = key->device;
	dso->inode = key->inode;
	dso->inode_generation = key->inode_generation;
	dso->mode = key->mode;
	*is_new = true;
	return id;
}

bool dso_table_set_started(struct dso_table *table, uint32_t id, const char *name)
{
	struct dso *dso = &table->dsos[id];
	const struct str_id before = dso_shown_name(dso);
	const struct str_id text = strpool_intern_passing(table->strings, name, strlen(name));

	if (dso->starts == DSO_NOT_STARTED) {
		dso->starts = DSO_ONE_NAME;
		dso->started_as = text;
	} else if (dso->started_as.v != text.v) {
		dso->starts = DSO_SEVERAL_NAMES;
	}
	return dso_shown_name(dso).v != before.v;
}

/* Returns another DSO with the same table, path, mode and build-id; NULL: none. */
static const struct dso *find_copy(const struct dso_table *table, uint32_t id)
{
	const struct dso *dso = &table->dsos[id];

	for (uint32_t i = 0; i < table->count; i++) {
		const struct dso *other = &table->dsos[i];

		if (i != id && other->state == DSO_READY && other->path.v == dso->path.v &&
		    other->mode == dso->mode && other->table.header == dso->table.header &&
		    build_id_is_equal(&other->build_id, &dso->build_id))
			return other;
	}
	return NULL;
}

static void replace_canonical(struct dso_table *table, uint32_t before, uint32_t now)
{
	for (uint32_t i = 0; i < table->count; i++)
		if (table->dsos[i].canonical == before)
			table->dsos[i].canonical = now;
}

/* Invariant: copies that are ready have one `canonical`. It is the oldest's, so that it stays the
 * same however often tables go and come back. */
bool dso_table_set_ready(struct dso_table *table, uint32_t id, const struct flat_table *flat,
			 const struct build_id *build_id)
{
	struct dso *dso = &table->dsos[id];
	const struct dso *copy;
	uint32_t theirs;
	bool is_older;

	dso->state = DSO_READY;
	dso->is_run_time = false;
	dso->is_wanted = false;
	dso->needed_round = table->round;
	dso->table = *flat;
	dso->build_id = *build_id;
	dso->debug_link = strpool_intern_passing(table->strings, flat->header->debug_link,
						 strlen(flat->header->debug_link));
	copy = find_copy(table, id);
	if (!copy || copy->canonical == dso->canonical)
		return false;
	theirs = copy->canonical;
	is_older = table->dsos[dso->canonical].serial < table->dsos[theirs].serial;
	if (is_older)
		replace_canonical(table, theirs, dso->canonical);
	else
		replace_canonical(table, dso->canonical, theirs);
	return is_older;
}

void dso_table_let_go(struct dso_table *table, uint32_t id)
{
	struct dso *dso = &table->dsos[id];

	dso->state = DSO_LET_GO;
	dso->table = (struct flat_table){ .header = NULL };
	dso->table_number = 0;
}

bool dso_table_set_run_time(struct dso_table *table, uint32_t id,
			    const struct flat_table *flat)
{
	struct dso *dso = &table->dsos[id];

	if ((dso->state == DSO_READY || dso->state == DSO_LET_GO) &&
	    !dso->is_run_time)
		return false;
	dso->state = DSO_READY;
	dso->is_run_time = true;
	dso->table_number = 0;
	dso->table = *flat;
	return true;
}

uint32_t dso_table_succeed(struct dso_table *table, uint32_t id)
{
	struct dso *successor = append(table), *dso = &table->dsos[id];

	if (!successor) {
		table->refused++;
		table->is_full = true;
		return id;
	}
	successor->path = dso->path;
	successor->name = dso->name;
	successor->device = dso->device;
	successor->inode = dso->inode;
	successor->inode_generation = dso->inode_generation;
	successor->mode = dso->mode;
	successor->brought_by = dso->brought_by;
	successor->is_jit = dso->is_jit;
	successor->maker = dso->maker;
	successor->asked_ns = dso->asked_ns;
	dso->successor = successor->canonical;
	table->successions++;
	return dso->successor;
}

uint32_t dso_table_current(const struct dso_table *table, uint32_t id)
{
	struct dso *dsos = table->dsos;
	uint32_t last = id, next;

	while (dsos[last].successor)
		last = dsos[last].successor;
	for (; (next = dsos[id].successor); id = next)
		dsos[id].successor = last;
	return last;
}

void dso_table_set_unreadable(struct dso_table *table, uint32_t id, const char *reason)
{
	struct dso *dso = &table->dsos[id];

	dso->state = DSO_UNREADABLE;
	dso->reason = strpool_intern_passing(table->strings, reason, strlen(reason));
}

/* A DSO stays until its replies have come; one about unwinding goes to its successor. */
static bool is_needed(const struct dso *dso, uint32_t id)
{
	return id < DSO_FIXED_COUNT || dso->is_asked || dso->other ||
	       (dso->unwind == DSO_UNWIND_LOADING && !dso->successor);
}

/* Marks the `canonical` and the newest successor of all DSOs that are marked. */
static void mark_related(const struct dso_table *table, unsigned char *used)
{
	bool has_changed;

	do {
		has_changed = false;
		for (uint32_t id = 0; id < table->count; id++) {
			const uint32_t current = dso_table_current(table, id);
			const uint32_t canonical = table->dsos[id].canonical;

			if (!used[id] || (used[current] && used[canonical]))
				continue;
			used[current] = used[canonical] = 1;
			has_changed = true;
		}
	} while (has_changed);
}

/* Returns the first successor that stays; 0: none. */
static uint32_t kept_successor(const struct dso_table *table, uint32_t id,
			       const unsigned char *used)
{
	do
		id = table->dsos[id].successor;
	while (id && !used[id]);
	return id;
}

/* Lets the identity of a chain of successors lead to the first DSO of the chain that stays. */
static void unlink_unused(struct dso_table *table, uint32_t id, const unsigned char *used)
{
	struct dso *dso = &table->dsos[id];
	const uint32_t next = kept_successor(table, id, used);

	if (used[id]) {
		dso->successor = next;
	} else if (dso->key_hash && next) {
		id_map_put(&table->by_key, dso->key_hash, next);	/* in its place */
		table->dsos[next].key_hash = dso->key_hash;
	} else if (dso->key_hash) {
		id_map_remove(&table->by_key, dso->key_hash);
	}
}

static void give_back(struct dso_table *table, uint32_t id)
{
	struct dso *dso = &table->dsos[id];

	free(dso->other);
	*dso = (struct dso){ .canonical = id, .is_free = true,
				   .freed_ns = table->now_ns };
	if (table->free_count++)
		table->dsos[table->free_last].next_free = id;
	else
		table->free_first = id;
	table->free_last = id;
}

uint32_t dso_table_reclaim(struct dso_table *table, unsigned char *used)
{
	const uint32_t before = table->free_count;

	for (uint32_t id = 0; id < table->count; id++)
		used[id] = !table->dsos[id].is_free &&
			   (used[id] || is_needed(&table->dsos[id], id));
	mark_related(table, used);
	for (uint32_t id = 0; id < table->count; id++)
		unlink_unused(table, id, used);
	for (uint32_t id = 0; id < table->count; id++)
		if (!used[id] && !table->dsos[id].is_free)
			give_back(table, id);
	table->is_full = false;
	table->reclaims += table->free_count != before;
	return table->free_count - before;
}

void dso_table_mark_text(struct dso_table *table, unsigned char *used)
{
	table->text_bytes = 0;
	for (uint32_t id = 0; id < table->count; id++) {
		const struct dso *dso = &table->dsos[id];

		used[dso->path.v] = used[dso->name.v] = used[dso->reason.v] = 1;
		used[dso->debug_link.v] = used[dso->started_as.v] = 1;
		used[dso->maker.v] = 1;
		if (dso->key_hash)
			table->text_bytes += text_bytes_of(table, dso);
	}
}
