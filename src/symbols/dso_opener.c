/* dso_opener.c - see symbols/dso_table.h.
 *
 * Idea: one thread replies to requests in order, each with exactly the replies that its `purpose`
 * calls for. The analyzer counts replies under way, and never has more under way than fit into
 * their queue: so the thread never waits for the analyzer, nor the analyzer for the thread.
 *
 * The same file in a thousand processes is opened a thousand times and compiled once, see
 * table_source.h; an unreadable one is tried again when it has changed.
 *
 * Calls that touch a profiled file in this process are blocking calls, which are given up after a
 * second; the workers, which read the file, have deadlines of their own.
 *
 * Invariant: a table is given out only for the file that was mapped: same device and inode, or the
 * build-id that the kernel saw in the mapping.
 */
#include "symbols/dso_table.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/service.h"
#include "file_call.h"
#include "jit_files.h"
#include "kernel_reader.h"
#include "symbols/dso_file.h"
#include "table_source.h"
#include "unwind_store.h"

#define UNDER_WAY_MAX	    1024
#define REQUEST_QUEUE_BYTES (1u << 20)	/* 1024 requests with paths of 900 bytes */
#define REPLY_QUEUE_BYTES   (1u << 20)	/* UNDER_WAY_MAX replies: see the assertion below */

_Static_assert(UNDER_WAY_MAX * (sizeof(struct open_reply) + 16) <
	       REPLY_QUEUE_BYTES - sizeof(struct open_reply) - 16,
	       "all replies fit, the filler at the end of the buffer included");

struct dso_opener {
	struct service *service;
	struct kernel_reader *kernel;	/* announces its replies at our service's eventfd */
	uint32_t under_way;		/* the analyzer's: replies that it waits for */
	_Atomic size_t bytes;		/* the thread adds, dso_opener_bytes() loads */

	/* the thread's own, until it is joined */
	struct table_source source;
	struct unwind_source unwind;
	struct jit_files jit_files;
	struct blocking_calls blocking_calls;	/* for calls that may hang in a file system */
	bool is_notice_due;		/* replies that nobody waits for are not announced yet */
};

/* One request, while it is served. */
struct job {
	const struct open_request *request;
	struct file_look look;
	struct open_reply *reply;	/* the reply about the names */
	bool is_replied;		/* `reply` was sent */
	bool is_nameless;		/* `nameless` is the header of its names */
	struct flat_header nameless;
	struct open_reply *unwind;
};

static void count_bytes(struct dso_opener *opener)
{
	atomic_store_explicit(&opener->bytes, opener->source.store.bytes +
			      opener->unwind.store.bytes + opener->jit_files.bytes,
			      memory_order_relaxed);
}

static bool is_wanted_build_id(const struct build_id *wanted, const struct build_id *found,
			       struct diag *why)
{
	char wanted_hex[BUILD_ID_HEX_BYTES], found_hex[BUILD_ID_HEX_BYTES];

	if (!wanted->count || build_id_is_equal(wanted, found))
		return true;
	diag_set(why, -ESTALE, "replaced: build-id %s was mapped, the file has %s",
		 build_id_format(wanted, wanted_hex),
		 found->count ? build_id_format(found, found_hex) : "none");
	return false;
}

/* True when the reply is final: the right file, readable or not. */
static bool reply_names(struct dso_opener *opener, struct job *job,
			const struct table_request *wanted, struct diag *why)
{
	struct open_reply *reply = job->reply;
	const struct flat_table *table;
	struct kept_table *kept = NULL;
	int err = table_source_get(&opener->source, wanted, &kept, &reply->is_shared, why);

	if (err)
		return false;
	if (kept->why.err) {
		*why = reply->why = kept->why;
		return wanted->file->is_certain;
	}
	table = &kept->table.table;
	if (!is_wanted_build_id(&job->look.build_id, &table->header->build_id, why)) {
		table_store_drop(&opener->source.store, kept, 0);
		return false;
	}
	kept->given++;
	reply->table_number = kept->index + 1;
	reply->table_sum = kept->checksum;
	reply->build_id = table->header->build_id;
	reply->table = *table;
	reply->is_ready = true;
	return true;
}

/* Replies with a table of no names, if nobody needs any and the file is known without. */
static bool reply_without_names(struct job *job, const struct table_request *wanted)
{
	static const struct flat_header no_names;
	struct open_reply *reply = job->reply;

	if (job->request->symbols == SYMBOLS_SHOWN || !wanted->file->is_certain ||
	    (job->request->symbols == SYMBOLS_FOR_BUILD_ID && !wanted->build_id.count))
		return false;
	job->is_nameless = true;
	job->nameless = (struct flat_header){ .build_id = wanted->build_id };
	reply->build_id = wanted->build_id;
	reply->table = (struct flat_table){ .header = &no_names };
	reply->is_ready = true;
	return true;
}

static void notify(struct dso_opener *opener)
{
	opener->is_notice_due = false;
	service_notify(opener->service);
}

static void send_reply(struct dso_opener *opener, const struct open_request *request,
		       const struct open_reply *reply)
{
	struct open_reply *queued = spsc_reserve(&opener->service->replies, sizeof(*queued));

	*queued = *reply;	/* never NULL: UNDER_WAY_MAX */
	spsc_commit(&opener->service->replies);
	if (request->is_again || open_purpose_is_return(request->purpose))
		opener->is_notice_due = true;	/* once for all that came together */
	else
		notify(opener);
}

/* Sends the names before the unwind table is made, which takes time at each start of flametop. */
static void send_names(struct dso_opener *opener, struct job *job)
{
	const enum open_purpose purpose = job->request->purpose;

	if (!job->is_replied && (purpose == OPEN_NAMES || purpose == OPEN_NAMES_AND_UNWIND))
		send_reply(opener, job->request, job->reply);
	job->is_replied = true;
}

static int take_mapped(struct dso_file *file, struct file_look *look, struct diag *why)
{
	*file = look->mapped;
	look->mapped.fd = -1;
	if (look->err)
		*why = look->why;
	return look->err;
}

static int open_from(struct dso_opener *opener, struct dso_file *file, struct job *job,
		     enum dso_file_source source, struct diag *why)
{
	const struct process_root *root = &job->look.root;

	if (source == DSO_FILE_MAP_FILES)
		return take_mapped(file, &job->look, why);
	if (source == DSO_FILE_VDSO)
		return dso_file_open(file, job->request, root, source, opener->source.sandbox,
				     why);
	return file_call_open(&opener->blocking_calls, file, job->request, root, source, why);
}

/* Whether the file's path will lead to it when its process has ended. */
static bool has_lasting_path(const struct job *job, const struct dso_file *file,
			     enum dso_file_source source)
{
	const size_t path_len = strlen(job->request->path);
	char link[32], path[OPENER_PATH_BYTES];
	ssize_t len;

	if (source != DSO_FILE_PATH && !job->look.root.is_ours)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
	len = readlink(link, path, sizeof(path));	/* "PATH (deleted)" if it was deleted */
	return len >= 0 && (size_t)len == path_len && !memcmp(path, job->request->path, path_len);
}

/* Replies from one source. True when the reply is final: the right file, readable or not. */
static bool reply_from(struct dso_opener *opener, struct job *job,
		       enum dso_file_source source, struct diag *why)
{
	struct dso_file file;
	const struct table_request wanted = { .file = &file, .root = &job->look.root,
					      .path = job->request->path,
					      .build_id = job->look.build_id };
	bool is_final;

	if (open_from(opener, &file, job, source, why))
		return false;
	is_final = reply_without_names(job, &wanted) || reply_names(opener, job, &wanted, why);
	count_bytes(opener);
	if (is_final && job->reply->is_ready && job->request->purpose != OPEN_NAMES) {
		job->reply->why = (struct diag){ .err = 0 };
		send_names(opener, job);
		job->unwind->is_postponed = job->request->unwind_can_wait && job->is_nameless &&
					    has_lasting_path(job, &file, source);
		if (!job->unwind->is_postponed)
			unwind_source_get(&opener->unwind, &wanted,
					  job->is_nameless ? &job->nameless
							   : job->reply->table.header,
					  job->request->known_unwind, job->unwind);
	}
	close(file.fd);
	count_bytes(opener);
	return is_final;
}

/* The refusal of a file that was found is a better reason than a file not found elsewhere; but the
 * refusal of /proc/PID/exe says nothing about a library. */
static bool is_better_reason(const struct diag *why, const struct diag *before,
			     enum dso_file_source source)
{
	bool was_found = why->err != -ENOENT && why->err != -ESRCH && why->err != -EPERM &&
			 why->err != -EACCES;

	return !before->err || (was_found && source != DSO_FILE_EXE);
}

static void try_sources(struct dso_opener *opener, struct job *job)
{
	enum dso_file_source sources[DSO_FILE_SOURCES];
	struct open_reply *reply = job->reply;
	struct diag first = { .err = 0 };
	size_t count = dso_file_sources(job->request, &job->look.root, sources, &reply->why);

	for (size_t i = 0; i < count; i++) {
		struct diag why = { .err = 0 };

		if (reply_from(opener, job, sources[i], &why)) {
			if (reply->is_ready)
				reply->why = (struct diag){ .err = 0 };
			return;
		}
		if (is_better_reason(&why, &first, sources[i]))
			first = why;
	}
	if (count)
		reply->why = first;
}

static void reply_file(struct dso_opener *opener, const struct open_request *request)
{
	struct open_reply names = { .dso = request->dso, .serial = request->serial };
	struct open_reply unwind = { .dso = request->dso, .serial = request->serial,
				     .is_unwind = true, .unwind_asked = request->table_number };
	struct job job = { .request = request, .reply = &names, .unwind = &unwind };

	if (!file_call_look(&opener->blocking_calls, request, &job.look, &names.why))
		try_sources(opener, &job);
	process_root_close(&job.look.root);
	names.is_refused = !names.is_ready && file_call_is_refused(&names.why);
	unwind.is_refused = names.is_refused;
	send_names(opener, &job);
	if (!names.is_ready)
		unwind.why = names.why;
	if (request->purpose != OPEN_NAMES)
		send_reply(opener, request, &unwind);
}

static void reply_program_name(struct dso_opener *opener, const struct open_request *request,
			       struct open_reply *reply)
{
	const int err = file_call_has_name(&opener->blocking_calls, request);

	reply->is_program_name = true;
	memcpy(reply->comm, request->comm, sizeof(reply->comm));
	reply->is_ready = !err;
	if (err)
		diag_set(&reply->why, err, "no name of its file: %s", strerror(-err));
}

static void reply_jit(struct dso_opener *opener, const struct open_request *request,
		      struct open_reply *reply)
{
	reply->jit = request->jit;
	reply->jit_step = request->jit_step;
	jit_files_reply(&opener->jit_files, opener->source.sandbox, request, reply);
	count_bytes(opener);
}

static void take_back(struct dso_opener *opener, const struct open_request *request)
{
	struct kept_table *names;

	if (request->purpose == OPEN_RETURN_UNWIND) {
		unwind_store_drop(&opener->unwind.store, request->table_number,
				  request->table_received);
	} else {
		names = table_store_get(&opener->source.store,
					(uint32_t)request->table_number - 1);
		if (names)
			table_store_drop(&opener->source.store, names, request->table_received);
	}
	count_bytes(opener);
}

static void reply(struct dso_opener *opener, const struct open_request *request)
{
	struct open_reply reply = { .dso = request->dso, .serial = request->serial };

	if (open_purpose_is_return(request->purpose)) {
		take_back(opener, request);
		reply.is_unwind = true;
	} else if (request->purpose == OPEN_PROGRAM_NAME) {
		reply_program_name(opener, request, &reply);
	} else if (request->jit) {
		reply_jit(opener, request, &reply);
	} else {
		reply_file(opener, request);
		return;
	}
	send_reply(opener, request, &reply);
}

static int serve(void *owner)
{
	struct dso_opener *opener = owner;
	const struct open_request *request;
	size_t bytes;

	request = spsc_peek(&opener->service->requests, &bytes);
	if (!request) {
		if (opener->is_notice_due)
			notify(opener);
		return blocking_calls_expire(&opener->blocking_calls);	/* < 0: SERVICE_SLEEP */
	}
	reply(opener, request);
	spsc_release(&opener->service->requests);
	return SERVICE_AGAIN;
}

static void interrupt(void *owner)
{
	struct dso_opener *opener = owner;

	sandbox_cancel(opener->source.sandbox);
}

int dso_opener_open_cache(struct table_cache **out, struct diag *why)
{
	char directory[PATH_MAX];
	int err = table_cache_home(directory, sizeof(directory), why);

	return err ? err : table_cache_open(out, directory, why);
}

int dso_opener_create(struct dso_opener **out, struct sandbox *sandbox,
		      struct table_cache *cache, struct diag *why)
{
	struct dso_opener *opener = calloc(1, sizeof(*opener));
	const struct service_plan plan = {
		.name = "flametop-opener", .request_bytes = REQUEST_QUEUE_BYTES,
		.reply_bytes = REPLY_QUEUE_BYTES, .serve = serve, .interrupt = interrupt,
		.may_hang = true, .owner = opener,
	};
	int err;

	*out = NULL;
	if (!opener) {
		table_cache_close(cache);
		return diag_set(why, -ENOMEM, "no memory for the DSO opener");
	}
	opener->source = (struct table_source){ .sandbox = sandbox, .cache = cache };
	opener->unwind = (struct unwind_source){ .sandbox = sandbox };
	opener->jit_files.blocking_calls = &opener->blocking_calls;
	err = service_create(&opener->service, &plan);
	if (!err)
		err = kernel_reader_create(&opener->kernel, opener->service);
	if (err) {
		dso_opener_destroy(opener);
		return diag_set(why, err, "cannot start the DSO opener: %s", strerror(-err));
	}
	*out = opener;
	return 0;
}

static void free_tables(struct dso_opener *opener)
{
	table_source_finish(&opener->source);
	unwind_source_finish(&opener->unwind);
	jit_files_finish(&opener->jit_files);
	blocking_calls_finish(&opener->blocking_calls);
	kernel_reader_destroy(opener->kernel);
}

bool dso_opener_destroy(struct dso_opener *opener)
{
	if (!opener)
		return true;
	if (!kernel_reader_stop(opener->kernel) || !service_stop(opener->service))
		return false;
	free_tables(opener);
	service_destroy(opener->service);
	free(opener);
	return true;
}

bool dso_opener_request(struct dso_opener *opener, const struct open_request *request)
{
	size_t path_len = strnlen(request->path, sizeof(request->path) - 1);
	size_t fixed_bytes = offsetof(struct open_request, path);
	const uint32_t replies = open_request_replies(request);
	struct open_request *queued;

	if (request->is_kernel)
		return kernel_reader_request(opener->kernel, request);
	if (opener->under_way + replies > UNDER_WAY_MAX)
		return false;
	queued = spsc_reserve(&opener->service->requests, fixed_bytes + path_len + 1);
	if (!queued)
		return false;
	memcpy(queued, request, fixed_bytes);
	memcpy(queued->path, request->path, path_len);
	queued->path[path_len] = '\0';
	spsc_commit(&opener->service->requests);
	opener->under_way += replies;
	service_wake(opener->service);
	return true;
}

bool dso_opener_reply(struct dso_opener *opener, struct open_reply *out)
{
	const struct open_reply *reply;
	size_t bytes;

	reply = service_reply(opener->service, &bytes);
	if (!reply)
		return kernel_reader_reply(opener->kernel, out);
	*out = *reply;
	spsc_release(&opener->service->replies);
	opener->under_way--;
	return true;
}

int dso_opener_fd(const struct dso_opener *opener)
{
	return service_fd(opener->service);
}

size_t dso_opener_bytes(const struct dso_opener *opener)
{
	return atomic_load_explicit(&opener->bytes, memory_order_relaxed) +
	       kernel_reader_bytes(opener->kernel);
}

/* Problem: the tables are the opener's memory, but only the analyzer, in another thread, knows
 * which of them are in use; and a table that the analyzer gives back may be on its way to the
 * analyzer again, for another file that shares it.
 *
 * Idea: both count how often a table was sent. A table that comes back with a smaller count than
 * the opener's stays mapped (unwind_store_drop(), table_store_drop()).
 */

void table_set_finish(struct table_set *set)
{
	free(set->held);
	*set = (struct table_set){ .held = NULL };
}

struct table_held *table_set_add(struct table_set *set, uint32_t number, size_t bytes)
{
	struct table_held *held;

	if (number > set->count) {	/* numbers come nearly in order, one at a time */
		held = realloc(set->held, number * sizeof(*held));
		if (!held)
			return NULL;
		memset(held + set->count, 0, (number - set->count) * sizeof(*held));
		set->held = held;
		set->count = number;
	}
	held = &set->held[number - 1];
	if (!held->bytes) {
		held->bytes = bytes;
		set->bytes += bytes;
	}
	held->received++;
	return held;
}

uint32_t table_set_remove(struct table_set *set, uint32_t number)
{
	struct table_held *held = &set->held[number - 1];

	set->bytes -= held->bytes;
	held->bytes = 0;
	return held->received;
}
