/* object_opener.c - see symbols/object_opener.h.
 *
 * Idea: requests are worked off in order by one thread; each ends with exactly one reply. The
 * analyzer counts what is under way, and never lets more be under way than replies fit into their
 * queue: so the thread never waits for the analyzer, nor the analyzer for the thread.
 *
 * Tables are kept by what was read (device, inode, ctime, size), failures too: the same file in a
 * thousand processes is opened a thousand times and compiled once.
 *
 * Invariant: a table is given out only for the file that was mapped: same device and inode, or the
 * build-id that the kernel saw in the mapping.
 */
#include "symbols/object_opener.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/id_map.h"
#include "base/spsc.h"
#include "base/thread.h"
#include "symbols/jit_files.h"
#include "symbols/object_file.h"

#define UNDER_WAY_MAX	    1024
#define REQUEST_QUEUE_BYTES (1u << 20)	/* 1024 requests with paths of 900 bytes */
#define REPLY_QUEUE_BYTES   (1u << 20)	/* UNDER_WAY_MAX replies: see the assertion below */
#define STOP_WAIT_MS	    2000	/* a thread that a dead file system holds is left behind */

_Static_assert(UNDER_WAY_MAX * (sizeof(struct open_reply) + 16) <
	       REPLY_QUEUE_BYTES - sizeof(struct open_reply) - 16,
	       "all replies fit, the filler at the end of the buffer included");

struct file_table {
	struct object_file_version version;
	struct sandbox_table table;
	struct diag why;	/* err 0: the table is valid */
};

struct kernel_table {
	struct kernel_table *next;
	uint64_t slide;
	struct kallsyms kallsyms;
};

struct object_opener {
	struct spsc requests, replies;
	int request_fd, reply_fd;	/* eventfds: something is in the queue */
	int end_fd;			/* eventfd: the thread is done with all this */
	uint32_t under_way;		/* the analyzer's: requests without their reply yet */
	atomic_bool is_stopping;	/* the stop flag: destroy stores, the thread loads */
	_Atomic size_t bytes;		/* the thread adds, object_opener_bytes() loads */
	pthread_t thread;
	bool has_thread, has_requests, has_replies;

	/* the thread's own, until it is joined */
	struct sandbox *sandbox;	/* borrowed */
	struct file_table **files;	/* owned */
	uint32_t file_count, file_capacity;
	struct id_map file_by_hash;
	struct kernel_table *kernels;	/* owned */
	struct jit_files jit_files;
};

static size_t table_bytes(const struct flat_table *table)
{
	return sizeof(*table->header) + (size_t)table->header->string_bytes +
	       table->header->row_count * sizeof(struct flat_row);
}

static void count_bytes(struct object_opener *opener, const struct flat_table *table)
{
	atomic_fetch_add_explicit(&opener->bytes, table_bytes(table), memory_order_relaxed);
}

static uint64_t version_hash(const struct object_file_version *version)
{
	uint64_t hash = id_map_mix(version->device ^ id_map_mix(version->inode));

	return id_map_mix(hash ^ id_map_mix(version->ctime_ns ^ id_map_mix(version->bytes)));
}

static bool is_same_version(const struct object_file_version *a,
			    const struct object_file_version *b)
{
	return a->device == b->device && a->inode == b->inode && a->ctime_ns == b->ctime_ns &&
	       a->bytes == b->bytes;
}

static struct file_table *find_file(const struct object_opener *opener,
				    const struct object_file_version *version)
{
	uint32_t index = id_map_get(&opener->file_by_hash, version_hash(version));

	if (index == ID_MAP_NONE || !is_same_version(&opener->files[index]->version, version))
		return NULL;
	return opener->files[index];
}

static struct file_table *new_file(struct object_opener *opener)
{
	struct file_table *file;

	if (opener->file_count == opener->file_capacity) {
		uint32_t capacity = 2 * opener->file_capacity + 64;
		struct file_table **grown = realloc(opener->files, capacity * sizeof(*grown));

		if (!grown)
			return NULL;
		opener->files = grown;
		opener->file_capacity = capacity;
	}
	file = calloc(1, sizeof(*file));
	if (file)
		opener->files[opener->file_count++] = file;
	return file;
}

/* Whether the next process with that file would see the same: not so when the machine was short of
 * something, or when the file changed while it was read. */
static bool is_lasting(const struct file_table *table, const struct object_file *file)
{
	return table->why.err != -ENOMEM && table->why.err != -ECANCELED &&
	       object_file_is_unchanged(file);
}

/* The table of an open file, made now if need be; NULL: out of memory. */
static struct file_table *compile_file(struct object_opener *opener,
				       const struct object_file *file, bool *is_shared)
{
	struct file_table *table = find_file(opener, &file->version);

	*is_shared = table != NULL;
	if (table)
		return table;
	table = new_file(opener);
	if (!table)
		return NULL;
	table->version = file->version;
	if (sandbox_compile(opener->sandbox, file->fd, -1, &table->table, &table->why) == 0)
		count_bytes(opener, &table->table.table);
	if (is_lasting(table, file))
		id_map_put(&opener->file_by_hash, version_hash(&file->version),
			   opener->file_count - 1);	/* no memory: compiled again, no harm */
	return table;
}

static bool is_wanted_build_id(const struct open_request *request, const struct build_id *found,
			       struct diag *why)
{
	char wanted_hex[BUILD_ID_HEX_BYTES], found_hex[BUILD_ID_HEX_BYTES];

	if (!request->build_id.count || build_id_is_equal(&request->build_id, found))
		return true;
	diag_set(why, -ESTALE, "replaced: build-id %s was mapped, the file has %s",
		 build_id_format(&request->build_id, wanted_hex),
		 found->count ? build_id_format(found, found_hex) : "none");
	return false;
}

/* One source. True when the reply is final: the right file, readable or not. */
static bool answer_from(struct object_opener *opener, const struct open_request *request,
			enum object_file_source source, struct open_reply *reply,
			struct diag *why)
{
	struct file_table *table;
	struct object_file file;
	bool is_certain, is_shared;

	if (object_file_open(&file, request, source, why))
		return false;
	is_certain = file.is_certain;
	table = atomic_load(&opener->is_stopping) ? NULL :
		compile_file(opener, &file, &is_shared);
	close(file.fd);
	if (!table) {
		diag_set(why, -ENOMEM, "no memory for its symbol table");
		return false;
	}
	if (table->why.err) {
		*why = table->why;
		reply->why = table->why;
		return is_certain;
	}
	if (!is_wanted_build_id(request, &table->table.table.header->build_id, why))
		return false;
	reply->build_id = table->table.table.header->build_id;
	reply->table = table->table.table;
	reply->is_shared = is_shared;
	reply->is_ready = true;
	return true;
}

/* A file that was found and refused tells more than one that was not found elsewhere. */
static bool is_better_reason(const struct diag *why, const struct diag *before)
{
	bool was_found = why->err != -ENOENT && why->err != -ESRCH && why->err != -EPERM &&
			 why->err != -EACCES;

	return !before->err || was_found;
}

static void answer_file(struct object_opener *opener, const struct open_request *request,
			struct open_reply *reply)
{
	enum object_file_source sources[3];
	struct diag first = { .err = 0 };
	size_t count = object_file_sources(request, sources, &reply->why);

	for (size_t i = 0; i < count; i++) {
		struct diag why = { .err = 0 };

		if (answer_from(opener, request, sources[i], reply, &why)) {
			if (reply->is_ready)
				reply->why = (struct diag){ .err = 0 };
			return;
		}
		if (is_better_reason(&why, &first))
			first = why;
	}
	if (count)
		reply->why = first;
}

static struct kernel_table *load_kernel(struct object_opener *opener, uint64_t slide,
					struct diag *why)
{
	struct kernel_table *kernel = calloc(1, sizeof(*kernel));

	if (!kernel) {
		diag_set(why, -ENOMEM, "no memory for the kernel's symbols");
		return NULL;
	}
	kernel->slide = slide;
	if (kallsyms_load(&kernel->kallsyms, "/proc/kallsyms", slide, why)) {
		kallsyms_finish(&kernel->kallsyms);
		free(kernel);
		return NULL;
	}
	kernel->next = opener->kernels;
	opener->kernels = kernel;
	count_bytes(opener, &kernel->kallsyms.table);
	return kernel;
}

/* All of that slide but the newest and the one before it, which may be in use. */
static void drop_old_kernels(struct object_opener *opener, uint64_t slide)
{
	struct kernel_table **link = &opener->kernels;
	int kept = 0;

	while (*link) {
		struct kernel_table *kernel = *link;

		if (kernel->slide != slide || kept++ < 2) {
			link = &kernel->next;
			continue;
		}
		*link = kernel->next;
		atomic_fetch_sub_explicit(&opener->bytes, table_bytes(&kernel->kallsyms.table),
					  memory_order_relaxed);
		kallsyms_finish(&kernel->kallsyms);
		free(kernel);
	}
}

static void answer_kernel(struct object_opener *opener, const struct open_request *request,
			  struct open_reply *reply)
{
	struct kernel_table *kernel = opener->kernels;

	reply->build_id = kallsyms_build_id();
	if (request->build_id.count && !build_id_is_equal(&request->build_id, &reply->build_id)) {
		diag_set(&reply->why, -ESTALE, "recorded on another kernel than the running one");
		return;
	}
	while (kernel && kernel->slide != request->kernel_slide)
		kernel = kernel->next;
	reply->is_shared = kernel && !request->is_fresh;
	if (!reply->is_shared)
		kernel = load_kernel(opener, request->kernel_slide, &reply->why);
	if (!kernel)
		return;
	drop_old_kernels(opener, request->kernel_slide);
	reply->table = kernel->kallsyms.table;
	reply->kernel_text_address = kernel->kallsyms.text_address;
	reply->is_ready = true;
}

static void answer_jit(struct object_opener *opener, const struct open_request *request,
		       struct open_reply *reply)
{
	const size_t before = opener->jit_files.bytes;

	reply->jit = request->jit;
	reply->jit_step = request->jit_step;
	jit_files_answer(&opener->jit_files, opener->sandbox, request, reply);
	atomic_fetch_add_explicit(&opener->bytes, opener->jit_files.bytes - before,
				  memory_order_relaxed);
}

static void answer(struct object_opener *opener, const struct open_request *request)
{
	struct open_reply *reply = spsc_reserve(&opener->replies, sizeof(*reply));

	memset(reply, 0, sizeof(*reply));	/* never NULL: UNDER_WAY_MAX */
	reply->object = request->object;
	if (request->jit)
		answer_jit(opener, request, reply);
	else if (request->is_kernel)
		answer_kernel(opener, request, reply);
	else
		answer_file(opener, request, reply);
	spsc_commit(&opener->replies);
	eventfd_write(opener->reply_fd, 1);
}

static void *opener_run(void *argument)
{
	struct object_opener *opener = argument;

	while (!atomic_load(&opener->is_stopping)) {
		const struct open_request *request;
		size_t bytes;

		request = spsc_peek(&opener->requests, &bytes);
		if (request) {
			answer(opener, request);
			spsc_release(&opener->requests);
		} else {
			eventfd_t ignored;

			eventfd_read(opener->request_fd, &ignored);	/* waits */
		}
	}
	eventfd_write(opener->end_fd, 1);
	return NULL;
}

int object_opener_create(struct object_opener **out, struct sandbox *sandbox, struct diag *why)
{
	struct object_opener *opener;
	int err;

	*out = NULL;
	opener = aligned_alloc(_Alignof(struct object_opener), sizeof(*opener));
	if (!opener)
		return diag_set(why, -ENOMEM, "no memory for the object opener");
	memset(opener, 0, sizeof(*opener));
	opener->sandbox = sandbox;
	opener->request_fd = eventfd(0, EFD_CLOEXEC);
	opener->end_fd = eventfd(0, EFD_CLOEXEC);
	opener->reply_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	opener->has_requests = spsc_init(&opener->requests, REQUEST_QUEUE_BYTES) == 0;
	opener->has_replies = spsc_init(&opener->replies, REPLY_QUEUE_BYTES) == 0;
	if (opener->request_fd < 0 || opener->end_fd < 0 || opener->reply_fd < 0)
		err = -EMFILE;
	else if (!opener->has_requests || !opener->has_replies)
		err = -ENOMEM;
	else
		err = thread_start(&opener->thread, "flametop-opener", opener_run, opener);
	opener->has_thread = !err;
	if (err) {
		object_opener_destroy(opener);
		return diag_set(why, err, "cannot start the object opener: %s", strerror(-err));
	}
	*out = opener;
	return 0;
}

/* True when the thread has ended. */
static bool stop_thread(struct object_opener *opener)
{
	struct pollfd end = { .fd = opener->end_fd, .events = POLLIN };
	int ready;

	atomic_store(&opener->is_stopping, true);
	sandbox_cancel(opener->sandbox);
	eventfd_write(opener->request_fd, 1);
	do
		ready = poll(&end, 1, STOP_WAIT_MS);
	while (ready < 0 && errno == EINTR);
	return ready == 1 && pthread_join(opener->thread, NULL) == 0;
}

static void free_tables(struct object_opener *opener)
{
	for (uint32_t i = 0; i < opener->file_count; i++) {
		sandbox_table_finish(&opener->files[i]->table);
		free(opener->files[i]);
	}
	free(opener->files);
	jit_files_finish(&opener->jit_files);
	id_map_finish(&opener->file_by_hash);
	while (opener->kernels) {
		struct kernel_table *next = opener->kernels->next;

		kallsyms_finish(&opener->kernels->kallsyms);
		free(opener->kernels);
		opener->kernels = next;
	}
}

void object_opener_destroy(struct object_opener *opener)
{
	if (!opener)
		return;
	if (opener->has_thread && !stop_thread(opener))
		return;	/* it still uses all this, and will see the stop flag should it wake up */
	free_tables(opener);
	if (opener->has_requests)
		spsc_finish(&opener->requests);
	if (opener->has_replies)
		spsc_finish(&opener->replies);
	if (opener->request_fd >= 0)
		close(opener->request_fd);
	if (opener->end_fd >= 0)
		close(opener->end_fd);
	if (opener->reply_fd >= 0)
		close(opener->reply_fd);
	free(opener);
}

bool object_opener_request(struct object_opener *opener, const struct open_request *request)
{
	size_t path_len = strnlen(request->path, sizeof(request->path) - 1);
	size_t fixed_bytes = offsetof(struct open_request, path);
	struct open_request *queued;

	if (opener->under_way == UNDER_WAY_MAX)
		return false;
	queued = spsc_reserve(&opener->requests, fixed_bytes + path_len + 1);
	if (!queued)
		return false;
	memcpy(queued, request, fixed_bytes);
	memcpy(queued->path, request->path, path_len);
	queued->path[path_len] = '\0';
	spsc_commit(&opener->requests);
	opener->under_way++;
	eventfd_write(opener->request_fd, 1);
	return true;
}

bool object_opener_reply(struct object_opener *opener, struct open_reply *out)
{
	eventfd_t ignored;
	const struct open_reply *reply;
	size_t bytes;

	/* Before the look: a reply that comes after it sets the eventfd again. */
	eventfd_read(opener->reply_fd, &ignored);
	reply = spsc_peek(&opener->replies, &bytes);
	if (!reply)
		return false;
	*out = *reply;
	spsc_release(&opener->replies);
	opener->under_way--;
	return true;
}

int object_opener_fd(const struct object_opener *opener)
{
	return opener->reply_fd;
}

size_t object_opener_bytes(const struct object_opener *opener)
{
	return atomic_load_explicit(&opener->bytes, memory_order_relaxed);
}
