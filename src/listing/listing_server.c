/* listing_server.c - see listing/listing.h.
 *
 * Problem: instructions are there in milliseconds, the debug information of a large program takes
 * seconds, and a file of its source may lie on a file system that never replies.
 *
 * Idea: each part of a document is sent as soon as it is there, as a version that shares the parts
 * before it. Only the first part is waited for.
 *
 * Invariant: a version is never changed after it was sent.
 */
#include "listing/listing.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/service.h"
#include "symbols/debuginfod.h"
#include "symbols/kernel_debug.h"
#include "symbols/source_file.h"

/* The texts of all sources of one document; a single one has FILE_TEXT_BYTES_MAX at most. */
#define SOURCES_BYTES_MAX ((size_t)48 << 20)

/* Makes the versions of a document, one part after the other. */
struct document_maker {
	struct sandbox *sandbox;	/* borrowed, as is the next */
	struct code_reader *code;
	struct source_reader sources;
	/* Returns whether the document of request @number is still wanted. */
	bool (*is_wanted)(void *owner, uint64_t number);
	void *owner;
};

/* Each of read_code(), read_lines() and read_sources() returns a document, the caller's reference,
 * in which a part is there or the reason why it is not; NULL: no memory. The reference to @version,
 * the one before, is taken over. */

/* Makes the version after @version (NULL: the first one). Takes over the reference to @version. */
static struct listing_document *next_version(struct listing_document *version,
					   const struct listing_request *request)
{
	struct listing_document *next = calloc(1, sizeof(*next));

	if (!next) {
		listing_document_release(version);
		return NULL;
	}
	if (version) {
		/* All but the number of references, which another thread may be changing. */
		memcpy((char *)next + offsetof(struct listing_document, before),
		       (const char *)version + offsetof(struct listing_document, before),
		       sizeof(*next) - offsetof(struct listing_document, before));
		next->code_bytes = next->line_bytes = (struct sandbox_bytes){ NULL, 0 };
		next->own_lines = NULL;
		next->own_lines_bytes = 0;
		next->own_sources = NULL;
		next->own_source_count = 0;
	} else {
		next->function = request->function;
	}
	next->before = version;
	atomic_init(&next->references, 1);
	return next;
}

static void fill_ranges(const struct listing_request *request, struct code_query *query)
{
	const struct listing_function *function = &request->function;

	memset(query, 0, sizeof(*query));
	query->range_count = function->section_count;
	for (uint32_t i = 0; i < function->section_count; i++)
		query->ranges[i] = (struct code_range){
			.address = function->sections[i].begin + request->bias,
			.bytes = function->sections[i].end - function->sections[i].begin,
		};
}

/* Run-time code runs at other addresses than those that its samples are counted at. */
static void subtract_bias(const struct listing_request *request, struct code_query *query)
{
	for (uint32_t i = 0; i < query->range_count; i++)
		query->ranges[i].address -= request->bias;
}

/* Has a worker decode the ranges in @bytes. */
static int decode(struct document_maker *maker, const struct listing_request *request,
		  struct listing_document *out, const struct code_bytes *bytes,
		  const struct code_query *query)
{
	const int query_fd = sandbox_seal("flametop-code", query, sizeof(*query));
	const struct sandbox_request job = {
		.kind = SANDBOX_CODE, .inputs = { bytes->fd, query_fd }, .input_count = 2,
		.number = request->number,
	};
	int err;

	if (query_fd < 0)
		return diag_set(&out->code_why, query_fd, "no memory for the instructions");
	err = sandbox_run(maker->sandbox, &job, &out->code_bytes, &out->code_why);
	close(query_fd);
	if (!err)
		err = code_rows_check(&out->code, out->code_bytes.bytes, out->code_bytes.count,
				      query, &out->code_why);
	return err;
}

/* Uses the lines that came with the bytes: of BPF programs and of run-time code. */
static int check_own_lines(struct listing_document *out)
{
	return line_ranges_check(&out->lines, out->own_lines, out->own_lines_bytes,
				 &out->lines_why);
}

/* Makes the first version. NULL: no memory. */
static struct listing_document *read_code(struct document_maker *maker,
					    const struct listing_request *request)
{
	struct listing_document *out = next_version(NULL, request);
	struct code_bytes bytes = { .fd = -1 };
	struct code_query query;

	if (!out)
		return NULL;
	fill_ranges(request, &query);
	if (code_bytes_open(maker->code, &request->code, query.ranges,
			    query.range_count, &bytes, &out->code_why))
		return out;
	query.machine = bytes.machine;
	subtract_bias(request, &query);
	out->has_code = !decode(maker, request, out, &bytes, &query);
	out->has_changed = bytes.has_changed;
	snprintf(out->note, sizeof(out->note), "%s", bytes.note);
	if (bytes.lines && !request->bias) {
		out->own_lines = bytes.lines;
		out->own_lines_bytes = bytes.lines_bytes;
		bytes.lines = NULL;
		if (check_own_lines(out)) {
			free(out->own_lines);
			out->own_lines = NULL;
		}
	}
	code_bytes_close(&bytes);
	return out;
}

static int keep_code(struct document_maker *maker, const struct listing_request *request,
		       struct diag *why)
{
	struct code_query query;

	fill_ranges(request, &query);
	return code_bytes_remember(maker->code, &request->code, query.ranges, query.range_count,
				   why);
}

static void fill_lines_query(const struct listing_request *request, struct line_query *query)
{
	const struct listing_function *function = &request->function;

	*query = (struct line_query){ .range_count = function->section_count,
				      .memory_bytes = request->memory_bytes };
	for (uint32_t i = 0; i < function->section_count; i++) {
		query->ranges[i].begin = function->sections[i].begin;
		query->ranges[i].end = function->sections[i].end;
	}
}

/* Reads the lines of a program or library, from its file or its debug file. */
static int read_file_lines(struct document_maker *maker, const struct listing_request *request,
			   struct listing_document *out, struct lines_read *read)
{
	struct line_files files = LINE_FILES_NONE;
	struct line_query query;
	int err;

	fill_lines_query(request, &query);
	err = line_files_open(&files, &request->code.dso, request->debug_link, maker->sandbox,
			      &out->lines_why);
	if (!err)
		err = line_files_read(read, maker->sandbox, &files, &query, request->number,
				      &out->lines_why);
	if (err == -ENODATA && files.debug < 0 &&
	    !line_files_fetch_debug(&files, &request->code.dso.build_id, &out->lines_why))
		err = line_files_read(read, maker->sandbox, &files, &query, request->number,
				      &out->lines_why);
	if (!err && !files.is_certain &&
	    !build_id_is_equal(&read->lines.header->build_id, &request->code.dso.build_id))
		err = diag_set(&out->lines_why, -ESTALE, "replaced: another file is at its path");
	out->author = files.author;
	out->built_ns = files.mtime_ns;
	line_files_close(&files);
	return err;
}

/* Reads the lines of the kernel or a module, from the first file that is of this build. */
static int read_kernel_lines(struct document_maker *maker, const struct listing_request *request,
			     struct listing_document *out, struct lines_read *read)
{
	struct kernel_layout layout;
	struct kernel_debug_search search = { .layout = &layout };
	struct line_files files = LINE_FILES_NONE;
	struct line_query query;
	int err = kernel_layout_read(&layout, request->code.dso.path, &out->lines_why);

	if (err)
		return err;
	files.is_certain = true;
	files.debug = sandbox_seal("flametop-layout", &layout, sizeof(layout));
	if (files.debug < 0)
		return diag_set(&out->lines_why, -ENOMEM, "no memory for source lines");
	do {
		out->lines_why = (struct diag){ .err = 0 };
		files.dso = err = kernel_debug_next(&search, &out->lines_why);
		if (err < 0)
			break;
		fill_lines_query(request, &query);
		query.is_of_kernel = true;
		err = line_files_read(read, maker->sandbox, &files, &query, request->number,
				      &out->lines_why);
		close(files.dso);
		files.dso = -1;
	} while (err && kernel_debug_refused(&search, err, &out->lines_why));
	out->author = (struct file_author){ .is_known = true, .uid = 0 };
	line_files_close(&files);
	return err;
}

/* Makes the version with source lines. NULL: no memory; @version is taken over. */
static struct listing_document *read_lines(struct document_maker *maker,
					     const struct listing_request *request,
					     struct listing_document *version)
{
	struct listing_document *out = next_version(version, request);
	struct lines_read read = { .bytes = { NULL, 0 } };
	int err;

	if (!out)
		return NULL;
	if (version->own_lines)
		err = 0;
	else if (request->code.place == CODE_IN_FILE)
		err = read_file_lines(maker, request, out, &read);
	else if (request->code.place == CODE_IN_KERNEL)
		err = read_kernel_lines(maker, request, out, &read);
	else
		err = diag_set(&out->lines_why, -ENODATA, "no source lines are known of this code");
	out->has_lines = !err;
	out->is_final = err;
	if (err) {
		lines_read_finish(&read);
	} else if (!version->own_lines) {
		out->lines = read.lines;
		out->line_bytes = read.bytes;
	}
	return out;
}

/* Reads the text of the document's @file. */
static void read_source(struct document_maker *maker, const struct listing_request *request,
			struct listing_document *out, uint32_t file)
{
	const struct line_file *row = &out->lines.files[file];
	const char *path = line_ranges_text(&out->lines, row->path);
	const char *text = line_ranges_text(&out->lines, row->text);
	struct listing_source *source = &out->own_sources[file];
	struct source_wanted place = {
		.path = path, .dso = &request->code.dso, .author = out->author,
		.is_kernel = request->code.place == CODE_IN_KERNEL, .built_ns = out->built_ns,
		.has_md5 = row->has_md5, .build_id = out->lines.header->build_id,
	};

	memcpy(place.md5, row->md5, sizeof(place.md5));
	if (text[0])
		source_file_create(&source->file, text, strlen(text), path, &source->why);
	else
		source_file_read(&maker->sources, &source->file, &place, &source->why);
}

static size_t source_bytes(const struct listing_source *source)
{
	return source->file ? source->file->bytes + source->file->line_count * sizeof(uint32_t) : 0;
}

size_t listing_document_bytes(const struct listing_document *document)
{
	size_t bytes = 0;

	for (; document; document = document->before) {
		bytes += sizeof(*document) + document->code_bytes.count +
			 document->line_bytes.count + document->own_lines_bytes;
		for (uint32_t i = 0; i < document->own_source_count; i++)
			bytes += sizeof(*document->own_sources) +
				 source_bytes(&document->own_sources[i]);
	}
	return bytes;
}

/* Reads the files that have lines of the function or of what is inlined into it, as long as their
 * texts have room: the others are only named. */
static void read_files(struct document_maker *maker, const struct listing_request *request,
		       struct listing_document *out)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < out->lines.header->frame_count; i++) {
		const uint32_t file = out->lines.frames[i].file;
		struct listing_source *source =
			file == UINT32_MAX ? NULL : &out->own_sources[file];

		if (!source || source->file || source->why.err ||
		    !maker->is_wanted(maker->owner, request->number))
			continue;
		read_source(maker, request, out, file);
		bytes += source_bytes(source);
		if (bytes <= SOURCES_BYTES_MAX)
			continue;
		bytes -= source_bytes(source);
		source_file_destroy(source->file);
		source->file = NULL;
		diag_set(&source->why, -EFBIG, "the sources of one function have more than %zu MiB",
			 SOURCES_BYTES_MAX >> 20);
	}
}

/* Makes the last version, with the text of all files. NULL: no memory; @version is taken over. */
static struct listing_document *read_sources(struct document_maker *maker,
					       const struct listing_request *request,
					       struct listing_document *version)
{
	struct listing_document *out = next_version(version, request);
	const uint32_t count = out ? out->lines.header->file_count : 0;

	if (!out)
		return NULL;
	out->own_sources = calloc(count + 1, sizeof(*out->own_sources));
	out->sources = out->own_sources;
	if (out->own_sources) {
		out->own_source_count = count;
		read_files(maker, request, out);
	}
	out->is_final = true;
	return out;
}

/* The thread. */

struct kept_list {
	struct listing_request *requests;	/* owned */
	uint32_t count;
};

struct listing_server {
	struct service *service;	/* NULL until the first request */
	struct document_maker maker;	/* the thread's, except for cancelling its jobs */
	struct mailbox requests;	/* carries struct listing_request, malloc'd */
	struct mailbox replies;		/* carries struct listing_document */
	struct mailbox kept;		/* carries struct kept_list */
	uint64_t number;		/* number of the last request and its jobs */
	_Atomic uint64_t wanted;	/* `number`, for the thread: work on others may end */
};

static void send(struct listing_server *server, struct listing_document *document)
{
	listing_document_release(mailbox_put(&server->replies, listing_document_get(document)));
	service_notify(server->service);
}

static bool is_wanted(void *owner, uint64_t number)
{
	struct listing_server *server = owner;

	return atomic_load_explicit(&server->wanted, memory_order_relaxed) == number &&
	       !service_is_stopping(server->service);
}

/* Makes and sends the versions, until there is none left or another function is wanted. */
static void make(struct listing_server *server, const struct listing_request *request)
{
	struct document_maker *maker = &server->maker;
	struct listing_document *document = read_code(maker, request);

	if (document && is_wanted(server, request->number)) {
		send(server, document);
		document = read_lines(maker, request, document);
	}
	if (document && document->has_lines && is_wanted(server, request->number)) {
		send(server, document);
		document = read_sources(maker, request, document);
	}
	if (document && document->is_final && is_wanted(server, request->number))
		send(server, document);
	listing_document_release(document);
}

static void keep(struct listing_server *server, struct kept_list *list)
{
	struct diag why;

	/* A process that has ended meanwhile is no error. */
	for (uint32_t i = 0; i < list->count; i++)
		keep_code(&server->maker, &list->requests[i], &why);
	free(list->requests);
	free(list);
}

static int serve(void *owner)
{
	struct listing_server *server = owner;
	struct listing_request *request = mailbox_take(&server->requests);
	struct kept_list *list = mailbox_take(&server->kept);

	if (list)
		keep(server, list);
	if (!request)
		return SERVICE_SLEEP;
	make(server, request);
	free(request);
	return SERVICE_AGAIN;
}

static void interrupt(void *owner)
{
	struct listing_server *server = owner;

	debuginfod_cancel();
	sandbox_cancel(server->maker.sandbox);
}

int listing_server_create(struct listing_server **out, struct sandbox *sandbox,
			  struct code_reader *code, const struct source_paths *paths,
			  struct diag *why)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return diag_set(why, -ENOMEM, "no memory for listings");
	(*out)->maker = (struct document_maker){
		.sandbox = sandbox, .code = code, .is_wanted = is_wanted, .owner = *out,
		.sources = { .sandbox = sandbox, .paths = paths },
	};
	return 0;
}

static int start(struct listing_server *server, struct diag *why)
{
	const struct service_plan plan = {
		.name = "flametop-list", .serve = serve, .interrupt = interrupt, .may_hang = true,
		.owner = server,
	};
	const int err = server->service ? 0 : service_create(&server->service, &plan);

	return err ? diag_set(why, err, "cannot start the thread for listings: %s", strerror(-err))
		   : 0;
}

bool listing_server_destroy(struct listing_server *server)
{
	struct kept_list *list;

	if (!server)
		return true;
	if (!service_stop(server->service))
		return false;
	service_destroy(server->service);
	free(mailbox_take(&server->requests));
	list = mailbox_take(&server->kept);
	free(list ? list->requests : NULL);
	free(list);
	listing_document_release(mailbox_take(&server->replies));
	free(server);
	return true;
}

int listing_server_request(struct listing_server *server, const struct listing_request *request,
			   struct diag *why)
{
	struct listing_request *copy;
	int err = start(server, why);

	if (err)
		return err;
	copy = malloc(sizeof(*copy));
	if (!copy)
		return diag_set(why, -ENOMEM, "no memory for the listing");
	*copy = *request;
	if (server->number)
		sandbox_cancel_job(server->maker.sandbox, server->number);
	copy->number = ++server->number;
	/* Only a hint for the thread, which takes the request from the mailbox. */
	atomic_store_explicit(&server->wanted, server->number, memory_order_relaxed);
	free(mailbox_put(&server->requests, copy));
	service_wake(server->service);
	return 0;
}

bool listing_server_can_keep(struct listing_server *server)
{
	return mailbox_is_empty(&server->kept);
}

void listing_server_keep(struct listing_server *server, struct listing_request *requests,
			 uint32_t count)
{
	struct kept_list *list = malloc(sizeof(*list));
	struct diag why;

	if (!list || start(server, &why)) {
		free(list);
		free(requests);
		return;
	}
	*list = (struct kept_list){ requests, count };
	mailbox_put(&server->kept, list);	/* it was empty */
	service_wake(server->service);
}

struct listing_document *listing_server_take(struct listing_server *server)
{
	if (!server->service)
		return NULL;
	service_quiet(server->service);
	return mailbox_take(&server->replies);
}

int listing_server_fd(const struct listing_server *server)
{
	return server->service ? service_fd(server->service) : -1;
}
