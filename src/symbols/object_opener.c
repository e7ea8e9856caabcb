/* object_opener.c - see symbols/object_opener.h.
 *
 * Idea: one thread answers the requests in order, each with exactly the replies that its `wish`
 * calls for. The analyzer counts replies under way, and never has more under way than fit into
 * their queue: so the thread never waits for the analyzer, nor the analyzer for the thread.
 *
 * The same file in a thousand processes is opened a thousand times and compiled once, see
 * symbols/table_source.h; an unreadable one is tried again when it has changed.
 *
 * Calls that touch a profiled file in this process are errands, which are given up after a second;
 * the workers, which read the file, have deadlines of their own.
 *
 * Invariant: a table is given out only for the file that was mapped: same device and inode, or the
 * build-id that the kernel saw in the mapping.
 */
#include "symbols/object_opener.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/service.h"
#include "file_errand.h"
#include "kernel_reader.h"
#include "symbols/jit_files.h"
#include "symbols/object_file.h"
#include "table_source.h"
#include "unwind_source.h"

#define UNDER_WAY_MAX	    1024
#define REQUEST_QUEUE_BYTES (1u << 20)	/* 1024 requests with paths of 900 bytes */
#define REPLY_QUEUE_BYTES   (1u << 20)	/* UNDER_WAY_MAX replies: see the assertion below */

_Static_assert(UNDER_WAY_MAX * (sizeof(struct open_reply) + 16) <
	       REPLY_QUEUE_BYTES - sizeof(struct open_reply) - 16,
	       "all replies fit, the filler at the end of the buffer included");

struct object_opener {
	struct service *service;
	struct kernel_reader *kernel;	/* announces its replies at our service's eventfd */
	uint32_t under_way;		/* the analyzer's: replies that it waits for */
	_Atomic size_t bytes;		/* the thread adds, object_opener_bytes() loads */

	/* the thread's own, until it is joined */
	struct table_source source;
	struct unwind_source unwind;
	struct jit_files jit_files;
	struct errands errands;		/* runs calls that may hang in a file system */
	bool is_notice_due;		/* replies that nobody waits for are not announced yet */
};

/* One request, while it is answered. */
struct job {
	const struct open_request *request;
	struct file_look look;
	struct open_reply *reply;	/* the reply about the names */
	bool is_replied;		/* `reply` was sent */
	struct open_reply *unwind;
};

static void count_bytes(struct object_opener *opener)
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
static bool answer_names(struct object_opener *opener, struct job *job,
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

static void notify(struct object_opener *opener)
{
	opener->is_notice_due = false;
	service_notify(opener->service);
}

static void send_reply(struct object_opener *opener, const struct open_request *request,
		       const struct open_reply *reply)
{
	struct open_reply *queued = spsc_reserve(&opener->service->replies, sizeof(*queued));

	*queued = *reply;	/* never NULL: UNDER_WAY_MAX */
	spsc_commit(&opener->service->replies);
	if (request->is_again || open_wish_is_return(request->wish))
		opener->is_notice_due = true;	/* once for all that came together */
	else
		notify(opener);
}

/* Sends the names before the unwind table is made, which takes time at each start of flametop. */
static void send_names(struct object_opener *opener, struct job *job)
{
	const enum open_wish wish = job->request->wish;

	if (!job->is_replied && (wish == OPEN_NAMES || wish == OPEN_NAMES_AND_UNWIND))
		send_reply(opener, job->request, job->reply);
	job->is_replied = true;
}

static int take_mapped(struct object_file *file, struct file_look *look, struct diag *why)
{
	*file = look->mapped;
	look->mapped.fd = -1;
	if (look->err)
		*why = look->why;
	return look->err;
}

static int open_from(struct object_opener *opener, struct object_file *file, struct job *job,
		     enum object_file_source source, struct diag *why)
{
	const struct process_root *root = &job->look.root;

	if (source == OBJECT_FILE_MAP_FILES)
		return take_mapped(file, &job->look, why);
	if (source == OBJECT_FILE_VDSO)
		return object_file_open(file, job->request, root, source, opener->source.sandbox,
					why);
	return file_errand_open(&opener->errands, file, job->request, root, source, why);
}

/* Answers from one source. True when the reply is final: the right file, readable or not. */
static bool answer_from(struct object_opener *opener, struct job *job,
			enum object_file_source source, struct diag *why)
{
	struct object_file file;
	const struct table_request wanted = { .file = &file, .root = &job->look.root,
					      .path = job->request->path,
					      .build_id = job->look.build_id };
	bool is_final;

	if (open_from(opener, &file, job, source, why))
		return false;
	is_final = answer_names(opener, job, &wanted, why);
	count_bytes(opener);
	if (is_final && job->reply->is_ready && job->request->wish != OPEN_NAMES) {
		job->reply->why = (struct diag){ .err = 0 };
		send_names(opener, job);
		unwind_source_get(&opener->unwind, &wanted, job->reply->table.header,
				  job->request->known_unwind, job->unwind);
	}
	close(file.fd);
	count_bytes(opener);
	return is_final;
}

/* The refusal of a file that was found is a better reason than a file not found elsewhere; but the
 * refusal of /proc/PID/exe says nothing about a library. */
static bool is_better_reason(const struct diag *why, const struct diag *before,
			     enum object_file_source source)
{
	bool was_found = why->err != -ENOENT && why->err != -ESRCH && why->err != -EPERM &&
			 why->err != -EACCES;

	return !before->err || (was_found && source != OBJECT_FILE_EXE);
}

static void try_sources(struct object_opener *opener, struct job *job)
{
	enum object_file_source sources[OBJECT_FILE_SOURCES];
	struct open_reply *reply = job->reply;
	struct diag first = { .err = 0 };
	size_t count = object_file_sources(job->request, &job->look.root, sources, &reply->why);

	for (size_t i = 0; i < count; i++) {
		struct diag why = { .err = 0 };

		if (answer_from(opener, job, sources[i], &why)) {
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

static void answer_file(struct object_opener *opener, const struct open_request *request)
{
	struct open_reply names = { .object = request->object, .serial = request->serial };
	struct open_reply unwind = { .object = request->object, .serial = request->serial,
				     .is_unwind = true, .unwind_asked = request->table_number };
	struct job job = { .request = request, .reply = &names, .unwind = &unwind };

	if (!file_errand_look(&opener->errands, request, &job.look, &names.why))
		try_sources(opener, &job);
	process_root_close(&job.look.root);
	names.is_refused = !names.is_ready && file_errand_is_refused(&names.why);
	unwind.is_refused = names.is_refused;
	send_names(opener, &job);
	if (!names.is_ready)
		unwind.why = names.why;
	if (request->wish != OPEN_NAMES)
		send_reply(opener, request, &unwind);
}

static void answer_program_name(struct object_opener *opener, const struct open_request *request,
				struct open_reply *reply)
{
	const int err = file_errand_has_name(&opener->errands, request);

	reply->is_program_name = true;
	memcpy(reply->comm, request->comm, sizeof(reply->comm));
	reply->is_ready = !err;
	if (err)
		diag_set(&reply->why, err, "no name of its file: %s", strerror(-err));
}

static void answer_jit(struct object_opener *opener, const struct open_request *request,
		       struct open_reply *reply)
{
	reply->jit = request->jit;
	reply->jit_step = request->jit_step;
	jit_files_answer(&opener->jit_files, opener->source.sandbox, request, reply);
	count_bytes(opener);
}

static void take_back(struct object_opener *opener, const struct open_request *request)
{
	struct kept_table *names;

	if (request->wish == OPEN_RETURN_UNWIND) {
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

static void answer(struct object_opener *opener, const struct open_request *request)
{
	struct open_reply reply = { .object = request->object, .serial = request->serial };

	if (open_wish_is_return(request->wish)) {
		take_back(opener, request);
		reply.is_unwind = true;
	} else if (request->wish == OPEN_PROGRAM_NAME) {
		answer_program_name(opener, request, &reply);
	} else if (request->jit) {
		answer_jit(opener, request, &reply);
	} else {
		answer_file(opener, request);
		return;
	}
	send_reply(opener, request, &reply);
}

static int serve(void *owner)
{
	struct object_opener *opener = owner;
	const struct open_request *request;
	size_t bytes;

	request = spsc_peek(&opener->service->requests, &bytes);
	if (!request) {
		if (opener->is_notice_due)
			notify(opener);
		return errands_expire(&opener->errands);	/* < 0: SERVICE_SLEEP */
	}
	answer(opener, request);
	spsc_release(&opener->service->requests);
	return SERVICE_AGAIN;
}

static void interrupt(void *owner)
{
	struct object_opener *opener = owner;

	sandbox_cancel(opener->source.sandbox);
}

int object_opener_create(struct object_opener **out, struct sandbox *sandbox,
			 struct table_cache *cache, struct diag *why)
{
	struct object_opener *opener = calloc(1, sizeof(*opener));
	const struct service_plan plan = {
		.name = "flametop-opener", .request_bytes = REQUEST_QUEUE_BYTES,
		.reply_bytes = REPLY_QUEUE_BYTES, .serve = serve, .interrupt = interrupt,
		.may_hang = true, .owner = opener,
	};
	int err;

	*out = NULL;
	if (!opener) {
		table_cache_close(cache);
		return diag_set(why, -ENOMEM, "no memory for the object opener");
	}
	opener->source = (struct table_source){ .sandbox = sandbox, .cache = cache };
	opener->unwind = (struct unwind_source){ .sandbox = sandbox };
	err = service_create(&opener->service, &plan);
	if (!err)
		err = kernel_reader_create(&opener->kernel, opener->service);
	if (err) {
		object_opener_destroy(opener);
		return diag_set(why, err, "cannot start the object opener: %s", strerror(-err));
	}
	*out = opener;
	return 0;
}

static void free_tables(struct object_opener *opener)
{
	table_source_finish(&opener->source);
	unwind_source_finish(&opener->unwind);
	jit_files_finish(&opener->jit_files);
	errands_finish(&opener->errands);
	kernel_reader_destroy(opener->kernel);
}

bool object_opener_destroy(struct object_opener *opener)
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

bool object_opener_request(struct object_opener *opener, const struct open_request *request)
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

bool object_opener_reply(struct object_opener *opener, struct open_reply *out)
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

int object_opener_fd(const struct object_opener *opener)
{
	return service_fd(opener->service);
}

size_t object_opener_bytes(const struct object_opener *opener)
{
	return atomic_load_explicit(&opener->bytes, memory_order_relaxed) +
	       kernel_reader_bytes(opener->kernel);
}
