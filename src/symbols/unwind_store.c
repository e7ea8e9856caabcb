/* unwind_store.c - see unwind_store.h. Which files share a table is decided as for symbol
 * tables, see symbols/table_source.c: a stranger's file must not unwind the code of another. Equal
 * symbol tables are no reason either: their files may differ in the entries. */
#include "unwind_store.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbols/dso_file.h"

#define NEXT_OF_ROW ((uint64_t)1 << 32)

static uint64_t build_id_hash(const struct build_id *id, const struct file_version *file)
{
	uint64_t hash = file_version_copy_hash(file) ^ id->count;

	for (unsigned int i = 0; i < id->count; i++)
		hash = id_map_mix(hash ^ id->bytes[i]);
	return hash;
}

static struct kept_unwind *row_of(const struct unwind_store *store, uint64_t number)
{
	return store->tables[(uint32_t)number - 1];
}

void unwind_store_finish(struct unwind_store *store)
{
	for (uint32_t i = 0; i < store->table_count; i++) {
		sandbox_bytes_finish(&store->tables[i]->bytes);
		free(store->tables[i]);
	}
	free(store->tables);
	free(store->files);
	id_map_finish(&store->by_file);
	id_map_finish(&store->by_build_id);
	*store = (struct unwind_store){ .tables = NULL };
}

static bool is_stale(const struct unwind_store *store, const struct known_unwind *known)
{
	return row_of(store, known->number)->number != known->number;
}

static uint64_t find_file(const struct unwind_store *store, const struct file_version *file)
{
	uint32_t row = id_map_get(&store->by_file, file_version_hash(file));
	const struct known_unwind *known;

	if (row == ID_MAP_NONE)
		return 0;
	known = &store->files[row];
	return !is_stale(store, known) && file_version_is_equal(&known->file, file)
	       ? known->number : 0;
}

static uint64_t find_build_id(const struct unwind_store *store, const struct build_id *id,
			      const struct file_version *file)
{
	uint32_t row = id->count ? id_map_get(&store->by_build_id, build_id_hash(id, file))
				 : ID_MAP_NONE;
	const struct kept_unwind *found;

	if (row == ID_MAP_NONE)
		return 0;
	found = row_of(store, row);
	return build_id_is_equal(&found->shared_as, id) &&
	       file_version_is_copy(&found->shared_of, file) ? found->number : 0;
}

/* Can't run out of memory: the map had more entries before. */
static void drop_stale_files(struct unwind_store *store)
{
	uint32_t kept = 0;

	id_map_clear(&store->by_file);
	for (uint32_t i = 0; i < store->file_count; i++) {
		const struct known_unwind known = store->files[i];

		if (is_stale(store, &known))
			continue;
		store->files[kept] = known;
		id_map_put(&store->by_file, file_version_hash(&known.file), kept++);
	}
	store->file_count = kept;
	store->stale_files = 0;
}

/* No memory: the file is compiled again next time. */
static void name_file(struct unwind_store *store, const struct file_version *file, uint64_t number)
{
	if (store->file_count == store->file_capacity &&
	    store->stale_files > store->file_capacity / 4)
		drop_stale_files(store);
	if (store->file_count == store->file_capacity) {
		uint32_t capacity = 2 * store->file_capacity + 64;
		struct known_unwind *grown = realloc(store->files, capacity * sizeof(*grown));

		if (!grown)
			return;
		store->files = grown;
		store->file_capacity = capacity;
	}
	if (id_map_put(&store->by_file, file_version_hash(file), store->file_count))
		return;
	store->files[store->file_count++] = (struct known_unwind){ *file, number };
	row_of(store, number)->names++;
}

uint64_t unwind_store_find(struct unwind_store *store, const struct file_version *file,
			   const struct build_id *shared_as)
{
	uint64_t number = find_file(store, file);

	if (number)
		return number;
	number = find_build_id(store, shared_as, file);
	if (number)
		name_file(store, file, number);
	return number;
}

static void begin_idle(struct unwind_store *store, struct kept_unwind *kept)
{
	if (kept->is_idle)
		return;
	if (!store->idle.tqh_last)
		TAILQ_INIT(&store->idle);
	TAILQ_INSERT_TAIL(&store->idle, kept, idle);
	kept->is_idle = true;
	store->idle_count++;
}

static void end_idle(struct unwind_store *store, struct kept_unwind *kept)
{
	if (!kept->is_idle)
		return;
	TAILQ_REMOVE(&store->idle, kept, idle);
	kept->is_idle = false;
	store->idle_count--;
}

static struct kept_unwind *use_again(struct unwind_store *store)
{
	struct kept_unwind *kept = TAILQ_FIRST(&store->idle);
	const uint64_t hash = build_id_hash(&kept->shared_as, &kept->shared_of);

	end_idle(store, kept);
	if (kept->shared_as.count &&
	    id_map_get(&store->by_build_id, hash) == (uint32_t)kept->number)
		id_map_remove(&store->by_build_id, hash);
	store->stale_files += kept->names;
	*kept = (struct kept_unwind){ .given = kept->given, .number = kept->number + NEXT_OF_ROW };
	return kept;
}

static struct kept_unwind *new_row(struct unwind_store *store)
{
	struct kept_unwind *kept;

	if (store->idle_count >= UNWIND_STORE_IDLE_MAX)
		return use_again(store);
	if (store->table_count == store->table_capacity) {
		uint32_t capacity = 2 * store->table_capacity + 64;
		struct kept_unwind **grown = realloc(store->tables, capacity * sizeof(*grown));

		if (!grown)
			return NULL;
		store->tables = grown;
		store->table_capacity = capacity;
	}
	kept = calloc(1, sizeof(*kept));
	if (!kept)
		return NULL;
	store->tables[store->table_count++] = kept;
	kept->number = store->table_count;
	return kept;
}

uint64_t unwind_store_add(struct unwind_store *store, const struct file_version *file,
			  const struct build_id *shared_as)
{
	struct kept_unwind *kept = new_row(store);

	if (!kept || !file)
		return kept ? kept->number : 0;
	name_file(store, file, kept->number);
	if (shared_as->count && !id_map_put(&store->by_build_id, build_id_hash(shared_as, file),
					    (uint32_t)kept->number)) {
		kept->shared_as = *shared_as;
		kept->shared_of = *file;
	}
	return kept->number;
}

struct kept_unwind *unwind_store_get(struct unwind_store *store, uint64_t number)
{
	return row_of(store, number);
}

void unwind_store_fill(struct unwind_store *store, uint64_t number,
		       const struct unwind_table *table, const struct sandbox_bytes *bytes)
{
	struct kept_unwind *kept = row_of(store, number);

	end_idle(store, kept);
	kept->table = *table;
	kept->bytes = *bytes;
	store->bytes += bytes->count;
}

void unwind_store_fail(struct unwind_store *store, uint64_t number, const struct diag *why)
{
	struct kept_unwind *kept = row_of(store, number);

	kept->why = *why;
	begin_idle(store, kept);
}

void unwind_store_drop(struct unwind_store *store, uint64_t number, uint32_t returned)
{
	struct kept_unwind *kept = row_of(store, number);

	if (kept->number != number || kept->given != returned || !kept->table.header)
		return;
	store->bytes -= kept->bytes.count;
	sandbox_bytes_finish(&kept->bytes);
	kept->table = (struct unwind_table){ .header = NULL };
	begin_idle(store, kept);
}

/* The files that share a table are chosen as in symbols/table_source.c. Nothing is on disk: libc's
 * rows are made in 2 ms, and reading a table that is ten times as large as a file's entries from a
 * disk takes no less. */
void unwind_source_finish(struct unwind_source *source)
{
	unwind_store_finish(&source->store);
}

static int compile_with(struct unwind_source *source, int fd, int debug_fd,
			struct unwind_table *table, struct sandbox_bytes *bytes, struct diag *why)
{
	const struct sandbox_request request = {
		.kind = SANDBOX_UNWIND, .inputs = { fd, debug_fd },
		.input_count = debug_fd >= 0 ? 2 : 1,
	};
	int err = sandbox_run(source->sandbox, &request, bytes, why);

	if (!err)
		err = unwind_table_check(table, bytes->bytes, bytes->count, why);
	if (err) {
		diag_prefix(why, "unreadable");
		sandbox_bytes_finish(bytes);
	}
	return err;
}

/* A damaged debug file must not cost the DSO its own rows. Without a header of names only the table
 * tells the build-id by which the debug file is found. */
static int compile(struct unwind_source *source, const struct table_request *request,
		   const struct flat_header *names, struct unwind_table *table,
		   struct sandbox_bytes *bytes, struct diag *why)
{
	struct debug_search search = {
		.dso = request->file->version, .build_id = names->build_id,
		.link = names->debug_link, .dso_path = request->path,
		.has_safe_path = request->root->is_ours && request->file->is_trusted,
	};
	const int fd = request->file->fd;
	struct dso_file debug;
	int err = 0;

	if (!search.build_id.count && !search.link[0]) {
		err = compile_with(source, fd, -1, table, bytes, why);
		if (err || !table->header->build_id.count)
			return err;
		search.build_id = table->header->build_id;
	}
	if (debug_file_open(&debug, &search))
		return bytes->bytes ? 0 : compile_with(source, fd, -1, table, bytes, why);
	sandbox_bytes_finish(bytes);
	err = compile_with(source, fd, debug.fd, table, bytes, why);
	close(debug.fd);
	return err ? compile_with(source, fd, -1, table, bytes, why) : 0;
}

static bool is_kept(struct unwind_source *source, uint64_t number)
{
	const struct kept_unwind *kept;

	if (!number)
		return false;
	kept = unwind_store_get(&source->store, number);
	return kept->table.header || kept->why.err;
}

/* Makes the table; returns its number. 0: @why says why there is none this time. */
static uint64_t make(struct unwind_source *source, const struct table_request *request,
		     const struct flat_header *names, uint64_t number,
		     const struct build_id *shared_as, struct diag *why)
{
	struct unwind_table table;
	struct sandbox_bytes bytes = { .bytes = NULL };
	int err = compile(source, request, names, &table, &bytes, why);
	const struct file_version *version = NULL;

	if (err && !table_source_is_lasting(why))
		return 0;
	if (!dso_file_is_unchanged(request->file))
		number = 0;	/* it may be a mix: no other look-up may find it */
	else
		version = &request->file->version;
	if (!number)
		number = unwind_store_add(&source->store, version, shared_as);
	if (!number) {
		sandbox_bytes_finish(&bytes);
		diag_set(why, -ENOMEM, "no memory for its unwind table");
		return 0;
	}
	if (err)
		unwind_store_fail(&source->store, number, why);
	else
		unwind_store_fill(&source->store, number, &table, &bytes);
	return number;
}

/* A file that was overwritten since it was mapped has another build-id. Where its names were read
 * they have shown that already. */
static bool has_wanted_build_id(const struct table_request *request,
				const struct unwind_header *found, struct diag *why)
{
	if (!request->build_id.count || !found->build_id.count ||
	    build_id_is_equal(&request->build_id, &found->build_id))
		return true;
	diag_set(why, -ESTALE, "replaced: the file has another build-id than was mapped");
	return false;
}

void unwind_source_get(struct unwind_source *source, const struct table_request *request,
		       const struct flat_header *names, uint64_t known, struct open_reply *reply)
{
	const bool is_shareable = request->root->is_ours && request->file->is_trusted;
	const struct build_id shared_as = is_shareable ? names->build_id
						       : (struct build_id){ .count = 0 };
	uint64_t number = unwind_store_find(&source->store, &request->file->version, &shared_as);
	struct kept_unwind *kept;

	if (number && number == known) {
		reply->unwind_number = number;
		reply->is_unchanged = true;
		return;
	}
	reply->is_shared = is_kept(source, number);
	if (!reply->is_shared)
		number = make(source, request, names, number, &shared_as, &reply->why);
	if (!number)
		return;
	kept = unwind_store_get(&source->store, number);
	reply->why = kept->why;
	if (kept->why.err || !has_wanted_build_id(request, kept->table.header, &reply->why))
		return;
	kept->given++;
	reply->unwind = kept->table;
	reply->unwind_number = number;
	reply->is_ready = true;
}
