/* table_source.c - see table_source.h.
 *
 * Problem: all processes use the same few libraries, and compiling them takes the second that the
 * first screen should not wait. But a build-id is only a claim: a stranger's file that carries
 * libc's must not name libc's code, nor be named as libc.
 *
 * Idea: a table is shared by build-id, size and mtime, in memory and on disk, only between files
 * that nobody but root and the user could have written (file_is_trusted()) and whose process sees
 * our own files (process_root.is_ours: root in a container is no root of ours). Any other file has
 * a table of its own, by its device, inode, ctime and size, and never on disk.
 *
 *   file known? -------------------------------------------> its table, or its failure
 *   may share: build-id in memory? on disk, with an unchanged debug file? --> that table
 *   else a worker makes it, with the debug file; kept by file; may share: also by build-id, on disk
 *
 * The debug file comes from our own root. A debug file that is only below the root of a process in
 * a container makes a table for such processes alone: the inode may be that of our own library.
 */
#include "table_source.h"

#include <errno.h>
#include <unistd.h>

#include "symbols/dso_file.h"

struct compile {
	const struct table_request *request;
	struct kept_table kept;
	bool is_shareable;
};

void table_source_finish(struct table_source *source)
{
	table_store_finish(&source->store);
	table_cache_close(source->cache);
	source->cache = NULL;
}

bool table_source_is_lasting(const struct diag *why)
{
	return why->err != -ENOMEM && why->err != -EAGAIN && why->err != -EMFILE &&
	       why->err != -ENFILE && why->err != -ECANCELED;
}

static void compile_with(struct table_source *source, struct compile *compile,
			 const struct dso_file *debug)
{
	compile->kept = (struct kept_table){ .debug = debug->version };
	sandbox_compile(source->sandbox, compile->request->file->fd, debug->fd,
			&compile->kept.table, &compile->kept.why);
}

static struct debug_search search_of(const struct table_request *request,
				     const struct build_id *id, const char *link)
{
	return (struct debug_search){
		.dso = request->file->version, .build_id = *id, .link = link,
		.dso_path = request->path,
		.has_safe_path = request->root->is_ours && request->file->is_trusted,
	};
}

/* A damaged debug file must not cost the DSO its own names. */
static void compile_file(struct table_source *source, struct compile *compile)
{
	const struct table_request *request = compile->request;
	const struct dso_file none = { .fd = -1 };
	struct debug_search search = search_of(request, &request->build_id, "");
	const struct flat_header *header;
	struct kept_table before;
	struct dso_file debug;

	/* Where the kernel told the build-id, the debug file is known before the first byte. */
	if (debug_file_open(&debug, &search)) {
		compile_with(source, compile, &none);
		header = compile->kept.why.err ? NULL : compile->kept.table.table.header;
		if (!header || header->has_symtab)
			return;
		search = search_of(request, &header->build_id, header->debug_link);
		if (debug_file_open(&debug, &search))
			return;
	}
	before = compile->kept;
	compile_with(source, compile, &debug);
	close(debug.fd);
	if (!compile->kept.why.err || !table_source_is_lasting(&compile->kept.why)) {
		sandbox_table_finish(&before.table);
		return;
	}
	compile->kept = before;
	if (!before.table.bytes.bytes)
		compile_with(source, compile, &none);
	compile->kept.debug = debug.version;	/* not tried again until it changes */
}

static struct table_cache_key key_of(const struct table_request *request)
{
	const struct dso_file *file = request->file;

	return (struct table_cache_key){
		.build_id = file->is_certain && file_version_has_copies(&file->version)
			    ? request->build_id : (struct build_id){ .count = 0 },
		.version = file->version,
	};
}

/* False when a package with debug files was installed or removed since the entry was made. */
static bool has_same_debug_file(const struct table_request *request, const struct kept_table *kept)
{
	const struct flat_header *header = kept->table.table.header;
	const struct debug_search search =
		search_of(request, &header->build_id, header->debug_link);
	struct dso_file debug;
	bool is_same;

	if (header->has_symtab && !kept->debug.inode)
		return true;
	debug_file_open(&debug, &search);
	is_same = file_version_is_equal(&debug.version, &kept->debug);
	if (debug.fd >= 0)
		close(debug.fd);
	return is_same;
}

static bool read_cache(struct table_source *source, const struct table_request *request,
		       struct kept_table *kept)
{
	const struct table_cache_key key = key_of(request);

	if (!source->cache || table_cache_read(source->cache, &key, kept))
		return false;
	if (has_same_debug_file(request, kept))
		return true;
	sandbox_table_finish(&kept->table);
	return false;
}

/* Lets other files find @table, unless its file changed while it was read. */
static void share(struct table_source *source, const struct table_request *request,
		  struct kept_table *table)
{
	const struct table_cache_key key = key_of(request);

	if (table->why.err || !dso_file_is_unchanged(request->file) ||
	    !table_store_share(&source->store, table, &request->file->version) || !source->cache)
		return;
	if (!key.build_id.count ||
	    build_id_is_equal(&key.build_id, &table->table.table.header->build_id))
		table_cache_write(source->cache, &key, table);
}

static int keep(struct table_source *source, struct compile *compile,
		const struct file_version *debug, struct kept_table **out, struct diag *why)
{
	const struct dso_file *file = compile->request->file;

	if (compile->kept.why.err && !table_source_is_lasting(&compile->kept.why)) {
		*why = compile->kept.why;
		return why->err;
	}
	*out = table_store_add(&source->store, &compile->kept,
			       compile->is_shareable ? TABLE_STORE_BYTES_MAX
						     : TABLE_STORE_FOREIGN_BYTES_MAX);
	if (!*out)
		return diag_set(why, -ENOMEM, "no memory left for its symbol table: restart "
				"flametop");
	if (dso_file_is_unchanged(file))
		table_store_name(&source->store, *out, &file->version, debug);
	return 0;
}

/* Gets the table that all processes may use. */
static int get_plain(struct table_source *source, const struct table_request *request,
		     bool is_shareable, struct kept_table **out, bool *is_known, struct diag *why)
{
	struct compile compile = { .request = request, .is_shareable = is_shareable };
	const struct dso_file *file = request->file;
	int err;

	*out = table_store_find(&source->store, &file->version, NULL);
	if (!*out && is_shareable && file->is_certain) {
		*out = table_store_find_shared(&source->store, &request->build_id, &file->version);
		if (*out)
			table_store_name(&source->store, *out, &file->version, NULL);
	}
	*is_known = *out != NULL;
	if (!*out && is_shareable && read_cache(source, request, &compile.kept)) {
		err = keep(source, &compile, NULL, out, why);
		if (!err)
			table_store_share(&source->store, *out, &file->version);
		return err;
	}
	if (!*out) {
		compile_file(source, &compile);
		err = keep(source, &compile, NULL, out, why);
		if (err)
			return err;
	}
	if (is_shareable)
		share(source, request, *out);
	return 0;
}

/* Replaces *@out by the table that only the processes of a container may use, if they have the
 * debug file that *@out lacks. */
static int get_theirs(struct table_source *source, const struct table_request *request,
		      struct kept_table **out, bool *is_known, struct diag *why)
{
	const struct flat_header *header = (*out)->table.table.header;
	const struct debug_search search =
		search_of(request, &header->build_id, header->debug_link);
	struct compile compile = { .request = request };
	struct kept_table *theirs;
	struct dso_file debug;
	int err = 0;

	if (debug_file_open_below(&debug, &search, request->root))
		return 0;
	theirs = table_store_find(&source->store, &request->file->version, &debug.version);
	*is_known = theirs != NULL;
	if (!theirs) {
		compile_with(source, &compile, &debug);
		err = keep(source, &compile, &debug.version, &theirs, why);
	}
	close(debug.fd);
	if (!err && !theirs->why.err)
		*out = theirs;
	return err;
}

int table_source_get(struct table_source *source, const struct table_request *request,
		     struct kept_table **out, bool *is_known, struct diag *why)
{
	const struct process_root *root = request->root;
	const struct dso_file *file = request->file;
	int err = get_plain(source, request, root->is_ours && file->is_trusted, out, is_known, why);

	if (err || (*out)->why.err || root->is_ours || root->root < 0 ||
	    (*out)->table.table.header->has_symtab)
		return err;
	return get_theirs(source, request, out, is_known, why);
}
