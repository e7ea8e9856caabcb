/* process_reader.c - see proc/process_reader.h.
 *
 * For most short-lived processes only the cgroup is requested, and most are gone when the request
 * is served, so that their parent's is read instead. This is not urgent: such requests wake the
 * thread once per batch, their replies wait up to NOTICE_WAIT_NS to be taken with others, and one
 * reading of a parent's cgroup serves all requests made before it, as each process was its child
 * by then.
 */
#include "proc/process_reader.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/service.h"
#include "base/whole_io.h"
#include "proc/process_stat.h"

#define QUEUE_BYTES	(256 * 1024)
#define UNDER_WAY_MAX	1024	/* outstanding requests; both queues can hold as many */
#define STATS_QUEUE_BYTES	(128 * 1024)
#define STATS_UNDER_WAY_MAX	512	/* outstanding requests; both queues can hold as many */
#define NOTICE_WAIT_NS	(500 * CLOCK_NS_PER_MS)	/* with samples the analyzer looks sooner */
#define FILE_MAX_BYTES	(32 * 1024 * 1024)	/* 65,530 mappings with long paths */

struct queued_request {
	struct process_request request;
	uint64_t asked_ns;
};

struct cgroup_reading {
	uint32_t pid;			/* 0: none */
	uint64_t begin_ns;
	char *path;			/* owned; NULL: gone */
};

struct process_reader {
	struct service *service;
	uint32_t under_way;		/* requests without a taken reply; asking thread only */
	bool is_wake_due;		/* unannounced requests; asking thread only */
	struct spsc stat_requests, stat_replies;
	uint32_t stats_under_way;

	/* used only by the service thread */
	struct process_request own;	/* deferred request about flametop itself; pid 0: none */
	struct cgroup_reading parent;	/* last reading of a parent's cgroup */
	uint64_t notice_due_ns;		/* when to announce replies not urgent; 0: none */
};

/* Returns true for a request whose reply is not urgent. */
static bool is_for_cgroup_alone(const struct process_request *request)
{
	return request->has_names && !request->wants_maps;
}

/* Reads a whole file below /proc into a malloc'd, NUL-terminated block; NULL: it can't be read. */
static char *read_file(size_t *len, const char *format, uint32_t pid, uint32_t tid)
{
	char path[64], *text = NULL;
	size_t used = 0, capacity = 0;
	int fd;

	snprintf(path, sizeof(path), format, pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	for (;;) {
		ssize_t got;

		if (capacity - used < 2) {
			char *bigger = capacity < FILE_MAX_BYTES
				     ? realloc(text, capacity ? capacity * 2 : 16384) : NULL;

			if (!bigger)
				break;
			capacity = capacity ? capacity * 2 : 16384;
			text = bigger;
		}
		got = whole_read(fd, text + used, capacity - used - 1);
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	close(fd);
	if (text)
		text[used] = '\0';
	*len = used;
	return text;
}

/* Parses a number of base 16 or 10 and the byte @end after it; the end of the line will do too. */
static bool take_number(char **at, unsigned int base, char end, uint64_t *out)
{
	const char *begin = *at;
	uint64_t number = 0;

	for (;; ++*at) {
		const char c = **at;
		unsigned int digit;

		if (c >= '0' && c <= '9')
			digit = (unsigned int)(c - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned int)(c - 'a' + 10);
		else
			break;
		if (digit >= base)
			break;
		number = number * base + digit;
	}
	*out = number;
	if (*at == begin || (**at && **at != end))
		return false;
	*at += **at != '\0';
	return true;
}

/* "7f12a000-7f12c000 r-xp 00002000 fe:01 1234   /usr/lib/libc.so.6": a process has hundreds, most
 * of them not executable, and sscanf(3) took longer than the kernel takes to write them. */
static bool parse_line(char *line, struct process_mapping *row)
{
	char *at = line;
	uint64_t start, end, offset, major, minor, inode;

	if (!take_number(&at, 16, '-', &start) || !take_number(&at, 16, ' ', &end) ||
	    strnlen(at, 5) < 5 || at[2] != 'x' || at[4] != ' ' || start >= end)
		return false;
	at += 5;
	if (!take_number(&at, 16, ' ', &offset) || !take_number(&at, 16, ':', &major) ||
	    !take_number(&at, 16, ' ', &minor) || !take_number(&at, 10, ' ', &inode))
		return false;
	*row = (struct process_mapping){
		.start = start, .end = end, .file_offset = offset, .inode = inode,
		.dev_major = (uint32_t)major, .dev_minor = (uint32_t)minor,
		.path = at + strspn(at, " "),
	};
	return true;
}

int process_reply_parse_maps(struct process_reply *reply, char *text, size_t len)
{
	uint32_t capacity = 0;

	reply->text = text;
	reply->text_bytes = len;
	for (char *line = text, *next; line && *line; line = next) {
		struct process_mapping row;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!parse_line(line, &row))
			continue;
		if (reply->row_count == capacity) {
			struct process_mapping *bigger;

			capacity = capacity ? capacity * 2 : 32;
			bigger = realloc(reply->rows, capacity * sizeof(*bigger));
			if (!bigger)
				return -ENOMEM;
			reply->rows = bigger;
		}
		reply->rows[reply->row_count++] = row;
	}
	return 0;
}

static bool read_comm(uint32_t pid, uint32_t tid, char out[16])
{
	size_t len = 0;
	char *text = read_file(&len, "/proc/%u/task/%u/comm", pid, tid);
	const bool is_read = text && len;

	if (is_read) {
		if (text[len - 1] == '\n')
			text[len - 1] = '\0';
		snprintf(out, 16, "%s", text);
	}
	free(text);
	return is_read;
}

static void read_status(struct process_reply *reply)
{
	size_t len = 0;
	char *text = read_file(&len, "/proc/%u/status", reply->pid, 0);
	const char *line;

	if (text && (line = strstr(text, "\nPPid:")))
		sscanf(line, "\nPPid: %u", &reply->found_parent);
	line = text ? strstr(text, "\nUid:") : NULL;
	/* Uid: real effective saved fs; the effective one decides what the process may do. */
	reply->has_uid = line && sscanf(line, "\nUid: %*u %u", &reply->uid) == 1;
	free(text);
}

static void read_maps(struct process_reply *reply, const struct process_request *request)
{
	size_t len = 0;
	char *text;

	text = read_file(&len, "/proc/%u/maps", request->pid, 0);
	if (!len && request->parent_pid) {	/* gone, or a zombie: its file is empty */
		free(text);
		text = read_file(&len, "/proc/%u/maps", request->parent_pid, 0);
	}
	reply->has_maps = text && process_reply_parse_maps(reply, text, len) == 0;
}

static char *read_cgroup(uint32_t pid)
{
	size_t len = 0;
	char *text = read_file(&len, "/proc/%u/cgroup", pid, 0);
	const char *path = text ? cgroup_name_find_path(text, &len) : NULL;
	char *copy = path ? strndup(path, len) : NULL;

	free(text);
	return copy;
}

static void read_parents_cgroup(struct cgroup_reading *parent, uint32_t pid, uint64_t asked_ns)
{
	if (parent->pid == pid && parent->begin_ns >= asked_ns)
		return;
	free(parent->path);
	*parent = (struct cgroup_reading){ .pid = pid, .begin_ns = clock_now_ns() };
	parent->path = read_cgroup(pid);
}

static void read_cgroups(struct process_reader *reader, struct process_reply *reply,
			 const struct process_request *request, uint64_t asked_ns)
{
	reply->cgroup = read_cgroup(request->pid);
	if (reply->cgroup || !request->parent_pid)
		return;
	read_parents_cgroup(&reader->parent, request->parent_pid, asked_ns);
	reply->cgroup = reader->parent.path ? strdup(reader->parent.path) : NULL;
	reply->is_parents_cgroup = true;
}

static void notify(struct process_reader *reader)
{
	reader->notice_due_ns = 0;
	service_notify(reader->service);
}

static void send_reply(struct process_reader *reader, const struct process_request *request,
		       uint64_t asked_ns)
{
	struct process_reply *slot, reply = {
		.pid = request->pid, .tid = request->tid, .wants_maps = request->wants_maps,
		.parent_pid = request->parent_pid, .wants_cgroup = request->wants_cgroup,
		.has_names = request->has_names,
		.time_ns = clock_now_ns(),
	};

	if (request->wants_maps)
		read_maps(&reply, request);
	if (request->wants_cgroup)
		read_cgroups(reader, &reply, request, asked_ns);
	if (!request->has_names) {
		reply.has_comm = read_comm(reply.pid, reply.tid, reply.comm);
		if (request->wants_maps && reply.tid != reply.pid)
			read_comm(reply.pid, reply.pid, reply.process_comm);
		read_status(&reply);
	}
	slot = spsc_reserve(&reader->service->replies, sizeof(*slot));
	assert(slot);	/* UNDER_WAY_MAX of them fit */
	*slot = reply;
	spsc_commit(&reader->service->replies);
	if (!is_for_cgroup_alone(request))
		notify(reader);
	else if (!reader->notice_due_ns)
		reader->notice_due_ns = clock_now_ns() + NOTICE_WAIT_NS;
}

/* Announces the replies if it is time. Returns how long the thread may sleep, in ms. */
static int put_notice_off(struct process_reader *reader)
{
	const uint64_t now_ns = clock_now_ns();

	if (!spsc_used(&reader->service->replies))
		reader->notice_due_ns = 0;
	if (!reader->notice_due_ns)
		return SERVICE_SLEEP;
	if (now_ns < reader->notice_due_ns)
		return clock_ms_until(reader->notice_due_ns, now_ns);
	notify(reader);
	return SERVICE_SLEEP;
}

static void send_stat(struct process_reader *reader, const struct process_stat_request *request)
{
	struct process_stat_reply *slot, reply = { .pid = request->pid, .tid = request->tid };

	reply.time_ns = clock_now_ns();
	reply.err = process_stat_read(&reply.stat, request->pid, request->tid);
	/* A zombie's command line reads as empty, which it was not before. */
	if (!reply.err && request->wants_command_line && reply.stat.state != 'Z')
		reply.command_line = process_stat_read_command_line(request->pid);
	slot = spsc_reserve(&reader->stat_replies, sizeof(*slot));
	assert(slot);	/* STATS_UNDER_WAY_MAX of them fit */
	*slot = reply;
	spsc_commit(&reader->stat_replies);
}

/* Defers the request for flametop's own maps until no other waits: they make the analyzer request
 * 17 libraries, and a user who has just started flametop looks for the names of other programs. */
static void take_request(struct process_reader *reader, const struct queued_request *queued)
{
	const struct process_request *request = &queued->request;

	if (request->wants_maps && request->pid == (uint32_t)getpid() && !reader->own.pid)
		reader->own = *request;
	else
		send_reply(reader, request, queued->asked_ns);
}

static int serve(void *owner)
{
	struct process_reader *reader = owner;
	const void *next;
	size_t bytes;

	next = spsc_peek(&reader->service->requests, &bytes);
	if (next) {
		const struct queued_request queued = *(const struct queued_request *)next;

		spsc_release(&reader->service->requests);
		take_request(reader, &queued);
		return SERVICE_AGAIN;
	}
	if (reader->own.pid) {
		const struct process_request request = reader->own;

		reader->own.pid = 0;
		send_reply(reader, &request, clock_now_ns());
		return SERVICE_AGAIN;
	}
	next = spsc_peek(&reader->stat_requests, &bytes);
	if (next) {
		const struct process_stat_request request =
			*(const struct process_stat_request *)next;

		spsc_release(&reader->stat_requests);
		send_stat(reader, &request);
		return SERVICE_AGAIN;
	}
	return put_notice_off(reader);
}

static void free_reader(struct process_reader *reader)
{
	service_destroy(reader->service);
	spsc_finish(&reader->stat_requests);
	spsc_finish(&reader->stat_replies);
	free(reader->parent.path);
	free(reader);
}

int process_reader_create(struct process_reader **out, struct diag *why)
{
	struct process_reader *reader = aligned_alloc(_Alignof(struct process_reader),
						      sizeof(*reader));
	const struct service_plan plan = {
		.name = "flametop-procs", .request_bytes = QUEUE_BYTES, .reply_bytes = QUEUE_BYTES,
		.serve = serve, .may_hang = true, .owner = reader,	/* by a stuck mmap_lock */
	};
	int err;

	*out = NULL;
	if (!reader)
		return diag_set(why, -ENOMEM, "no memory for the process reader");
	memset(reader, 0, sizeof(*reader));
	err = spsc_init(&reader->stat_requests, STATS_QUEUE_BYTES);
	if (!err)
		err = spsc_init(&reader->stat_replies, STATS_QUEUE_BYTES);
	if (!err)
		err = service_create(&reader->service, &plan);
	if (err) {
		free_reader(reader);
		return diag_set(why, err, "cannot start the process reader: %s", strerror(-err));
	}
	*out = reader;
	return 0;
}

void process_reader_destroy(struct process_reader *reader)
{
	struct process_stat_reply stat;
	struct process_reply reply;

	if (!reader || !service_stop(reader->service))
		return;
	while (process_reader_reply(reader, &reply))
		process_reply_finish(&reply);
	while (process_reader_stat_reply(reader, &stat))
		free(stat.command_line);
	free_reader(reader);
}

static void wake(struct process_reader *reader)
{
	reader->is_wake_due = false;
	service_wake(reader->service);
}

bool process_reader_request(struct process_reader *reader, const struct process_request *request)
{
	struct queued_request *slot;

	if (reader->under_way == UNDER_WAY_MAX)
		return false;
	slot = spsc_reserve(&reader->service->requests, sizeof(*slot));
	assert(slot);
	*slot = (struct queued_request){ *request, clock_now_ns() };
	spsc_commit(&reader->service->requests);
	reader->under_way++;
	reader->is_wake_due = true;
	if (!is_for_cgroup_alone(request))
		wake(reader);
	return true;
}

bool process_reader_reply(struct process_reader *reader, struct process_reply *out)
{
	const struct process_reply *next;
	size_t bytes;

	next = service_reply(reader->service, &bytes);
	if (!next && reader->is_wake_due)
		wake(reader);
	if (!next)
		return false;
	*out = *next;
	spsc_release(&reader->service->replies);
	reader->under_way--;
	return true;
}

bool process_reader_request_stat(struct process_reader *reader,
				 const struct process_stat_request *request)
{
	struct process_stat_request *slot;

	if (reader->stats_under_way == STATS_UNDER_WAY_MAX)
		return false;
	slot = spsc_reserve(&reader->stat_requests, sizeof(*slot));
	assert(slot);
	*slot = *request;
	spsc_commit(&reader->stat_requests);
	reader->stats_under_way++;
	wake(reader);
	return true;
}

bool process_reader_stat_reply(struct process_reader *reader, struct process_stat_reply *out)
{
	const struct process_stat_reply *next;
	size_t bytes;

	next = spsc_peek(&reader->stat_replies, &bytes);
	if (!next)
		return false;
	*out = *next;
	spsc_release(&reader->stat_replies);
	reader->stats_under_way--;
	return true;
}

int process_reader_fd(const struct process_reader *reader)
{
	return service_fd(reader->service);
}

void process_reply_finish(struct process_reply *reply)
{
	free(reply->rows);
	free(reply->text);
	free(reply->cgroup);
	reply->rows = NULL;
	reply->text = NULL;
	reply->cgroup = NULL;
}
