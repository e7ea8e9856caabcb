/* unwind_source.c - see unwind_source.h.
 *
 * The files that share a table are chosen as in symbols/table_source.c. Nothing is on disk: libc's
 * rows are made in 2 ms, and reading a table that is ten times as large as a file's entries from a
 * disk takes no less. */
#include "unwind_source.h"

#include <errno.h>
#include <unistd.h>

#include "symbols/debug_file.h"

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

/* A damaged debug file must not cost the object its own rows. */
static int compile(struct unwind_source *source, const struct table_request *request,
		   const struct flat_header *names, struct unwind_table *table,
		   struct sandbox_bytes *bytes, struct diag *why)
{
	const struct debug_search search = {
		.object = request->file->version, .build_id = names->build_id,
		.link = names->debug_link, .object_path = request->path,
		.has_safe_path = request->root->is_ours && request->file->is_trusted,
	};
	struct object_file debug;
	int err = debug_file_open(&debug, &search);

	if (!err) {
		err = compile_with(source, request->file->fd, debug.fd, table, bytes, why);
		close(debug.fd);
	}
	return err ? compile_with(source, request->file->fd, -1, table, bytes, why) : 0;
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
	if (!object_file_is_unchanged(request->file))
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
	if (kept->why.err)
		return;
	kept->given++;
	reply->unwind = kept->table;
	reply->unwind_number = number;
	reply->is_ready = true;
}
