/* file_copy.c - see symbols/dso_file.h.
 *
 * The child is forked from a process with threads, so it calls nothing that may wait for a lock of
 * theirs, except where its deadline ends the wait. It has closed our descriptors before it sends a
 * request to the server, so that nothing waits for it when we end.
 *
 * A child that the kernel does not end keeps its share of our memory: CHILDREN_MAX bounds that.
 * When it is reached, only files that need a copy are refused.
 */
#include "symbols/dso_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/whole_io.h"
#include "sandbox/sandbox_protocol.h"

#define CHILDREN_MAX	  8
#define CHILDREN_OF_USER  3
#define ENDED_MS	  20	/* most killed children have ended by then */
#define KILLED_MS	  500	/* a killed child that lives longer is taken to hang */
#define KILLED_PAUSE_US	  1000
#define OF_USER_BYTES_MAX FILE_COPY_BYTES_MAX	/* all copies of one user under way */
#define WALK_DEADLINE_MS  500	/* a blocking call waits a second */
#define REFUSED_MAX	  32
#define REFUSED_NS	  (60 * CLOCK_NS_PER_S)
#define SEAL_TRIES	  100
#define SEAL_PAUSE_US	  1000
#define CHILD_FD	  3	/* the socket; the descriptors of the root follow it */

struct reply {
	int err;
	struct dso_file file;		/* its fd is passed with the message */
	struct diag why;
};

struct copy_size {		/* in memory that is shared with the children */
	uint64_t bytes;
	uint64_t user;
};

/* Shared by all threads under `lock`; the children write `sizes`, too, by atomics. */
static struct {
	pthread_mutex_t lock;
	struct {
		pid_t pid;	/* 0: free; -1: it is being forked */
		uint32_t user;
		uint64_t system;
		bool is_left;	/* killed, and not ended yet */
		uint64_t killed_ns;	/* is_left: when it was killed */
	} children[CHILDREN_MAX];
	struct {
		uint64_t system, until_ns;
	} refused[REFUSED_MAX];
	struct copy_size *sizes;	/* sizes[i] is that of children[i]'s copy */
} copies = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* An overlay passes all requests on to its layers, and in a user namespace any user may mount one
 * over FUSE. The overlays of root's containers are mounted by root, in our user namespace. */
static bool is_foreign_overlay(const char *type, int process)
{
	return strncmp(type, "overlay ", 8) == 0 && process >= 0 &&
	       !process_root_shares(process, "ns/user");
}

/* proc(5): "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw". */
static bool is_line_of(const char *line, unsigned long mount, int process, bool *is_needed)
{
	const char *type = strstr(line, " - ");

	if (strtoul(line, NULL, 10) != mount || !type)
		return false;
	*is_needed = strncmp(type + 3, "fuse", 4) == 0 || is_foreign_overlay(type + 3, process);
	return true;
}

static FILE *open_mounts(int process)
{
	const int fd = process < 0 ? open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
				   : openat(process, "mountinfo", O_RDONLY | O_CLOEXEC);
	FILE *mounts = fd < 0 ? NULL : fdopen(fd, "r");

	if (!mounts && fd >= 0)
		close(fd);
	return mounts;
}

/* @mounts: closed here; NULL: there are none. */
static bool find_mount(FILE *mounts, unsigned long mount, int process, bool *is_needed)
{
	char *line = NULL;
	size_t cap = 0;
	bool is_found = false;

	while (mounts && !is_found && getline(&line, &cap, mounts) > 0)
		is_found = is_line_of(line, mount, process, is_needed);
	free(line);
	if (mounts)
		fclose(mounts);
	return is_found;
}

/* Returns whether the file is a memfd or other memory, in a file system that nobody has mounted. */
static bool is_in_memory(const struct statx *found)
{
	const int memory = memfd_create("flametop-own", MFD_CLOEXEC);
	struct stat own;
	bool is_same = memory >= 0 && fstat(memory, &own) == 0 &&
		       own.st_dev == makedev(found->stx_dev_major, found->stx_dev_minor);

	if (memory >= 0)
		close(memory);
	return is_same;
}

/* Returns whether the file is in a file system of our own programs, or in that of /tmp. */
static bool is_own_system(const struct statx *found)
{
	static const char *const own[] = { "/", "/usr", "/tmp" };
	struct statx system;

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!statx(AT_FDCWD, own[i], AT_STATX_DONT_SYNC, 0, &system) &&
		    system.stx_dev_major == found->stx_dev_major &&
		    system.stx_dev_minor == found->stx_dev_minor)
			return true;
	return false;
}

bool file_copy_is_needed(int place, int process)
{
	struct statx found;
	bool is_needed = true, is_found;

	if (statx(place, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &found))
		return true;
	if (found.stx_dev_major || is_own_system(&found) || !(found.stx_mask & STATX_MNT_ID))
		return false;		/* a disk; ours; or a kernel before 5.8 */
	/* A process with another root than ours may not see the mount that its file is in. */
	is_found = find_mount(open_mounts(process), found.stx_mnt_id, process, &is_needed) ||
		   find_mount(open_mounts(-1), found.stx_mnt_id, process, &is_needed);
	return is_needed && (is_found || !is_in_memory(&found));
}

/* The lock is held; the child has ended. */
static void give_up_place(int place)
{
	memset(&copies.children[place], 0, sizeof(copies.children[place]));
	__atomic_store_n(&copies.sizes[place].bytes, 0, __ATOMIC_SEQ_CST);
}

/* The lock is held. */
static void reap_children(void)
{
	for (int i = 0; i < CHILDREN_MAX; i++)
		if (copies.children[i].is_left &&
		    waitpid(copies.children[i].pid, NULL, WNOHANG) != 0)
			give_up_place(i);
}

/* The lock is held. */
static bool is_silent(uint64_t system)
{
	const uint64_t now_ns = clock_now_ns();

	for (size_t i = 0; i < REFUSED_MAX; i++)
		if (system && copies.refused[i].system == system &&
		    copies.refused[i].until_ns > now_ns)
			return true;
	return false;
}

/* A place that @job may take, or -1. The lock is held. */
static int find_place(const struct file_copy_job *job)
{
	uint32_t of_user = 0;
	int place = -1;

	for (int i = 0; i < CHILDREN_MAX; i++) {
		if (!copies.children[i].pid) {
			place = i;
			continue;
		}
		of_user += copies.children[i].user == job->user;
		if (copies.children[i].is_left && job->system &&
		    copies.children[i].system == job->system)
			return -1;
	}
	return of_user < CHILDREN_OF_USER ? place : -1;
}

/* True while a child that stands in the way of @job was killed less than KILLED_MS ago, and so may
 * still end. The lock is held. */
static bool is_one_ending(const struct file_copy_job *job)
{
	const uint64_t now_ns = clock_now_ns();
	uint32_t taken = 0, ending = 0;

	for (size_t i = 0; i < CHILDREN_MAX; i++) {
		const bool is_ending = copies.children[i].is_left && now_ns <
				copies.children[i].killed_ns + KILLED_MS * CLOCK_NS_PER_MS;

		taken += copies.children[i].pid != 0;
		ending += is_ending;
		if (is_ending && (copies.children[i].user == job->user ||
				  (job->system && copies.children[i].system == job->system)))
			return true;
	}
	return taken == CHILDREN_MAX && ending;
}

/* find_place(), once the children in the way that are ending have ended. The lock is held, but for
 * pauses. */
static int wait_for_place(const struct file_copy_job *job)
{
	int place = -1;

	reap_children();
	while (!is_silent(job->system) && (place = find_place(job)) < 0 && is_one_ending(job)) {
		pthread_mutex_unlock(&copies.lock);
		usleep(KILLED_PAUSE_US);
		pthread_mutex_lock(&copies.lock);
		reap_children();
	}
	return place;
}

/* The lock is held. It stays as long as we do. */
static void share_sizes(void)
{
	void *shared;

	if (copies.sizes)
		return;
	shared = mmap(NULL, CHILDREN_MAX * sizeof(*copies.sizes), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	copies.sizes = shared == MAP_FAILED ? NULL : shared;
}

/* A place for one more child, or -1. */
static int take_place(const struct file_copy_job *job)
{
	int place = -1;

	pthread_mutex_lock(&copies.lock);
	share_sizes();
	if (copies.sizes)
		place = wait_for_place(job);
	if (place >= 0) {
		copies.sizes[place] = (struct copy_size){ .user = job->user };
		copies.children[place].pid = -1;
		copies.children[place].user = job->user;
		copies.children[place].system = job->system;
	}
	pthread_mutex_unlock(&copies.lock);
	return place;
}

/* Replaces the entry that expires first. The lock is held. */
static void refuse_system(uint64_t system)
{
	size_t oldest = 0;

	for (size_t i = 1; i < REFUSED_MAX; i++)
		if (copies.refused[i].until_ns < copies.refused[oldest].until_ns)
			oldest = i;
	copies.refused[oldest].system = system;
	copies.refused[oldest].until_ns = clock_now_ns() + REFUSED_NS;
}

static bool has_ended(pid_t child)
{
	struct pollfd ended = { .fd = pidfd_open(child, 0), .events = POLLIN };
	bool is_over;

	if (ended.fd >= 0)
		poll(&ended, 1, ENDED_MS);
	is_over = waitpid(child, NULL, WNOHANG) != 0;
	if (ended.fd >= 0)
		close(ended.fd);
	return is_over;
}

/* A place stays taken until its killed child has ended. The caller has a deadline, and the copy in
 * hand: whoever needs the place next waits for the child. @child < 0: there is none. */
static void give_place_back(int place, pid_t child, bool is_unanswered)
{
	const bool is_left = child > 0 && !has_ended(child);

	pthread_mutex_lock(&copies.lock);
	if (is_unanswered)
		refuse_system(copies.children[place].system);
	if (is_left) {
		copies.children[place].pid = child;
		copies.children[place].is_left = true;
		copies.children[place].killed_ns = clock_now_ns();
	} else {
		give_up_place(place);
	}
	pthread_mutex_unlock(&copies.lock);
}

/* EBUSY: the kernel itself still looks at one of the pages. */
static int seal(int memory)
{
	for (int tries = 0; tries < SEAL_TRIES; tries++) {
		if (!fcntl(memory, F_ADD_SEALS,
			   F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
			return 0;
		if (errno != EBUSY)
			break;
		usleep(SEAL_PAUSE_US);
	}
	return -errno;
}

static int copy_bytes(int memory, int fd, uint64_t bytes)
{
	static char buffer[1 << 16];	/* the child's own */
	uint64_t left = bytes;
	ssize_t count = 1;

	for (; left && count > 0; left -= (uint64_t)count) {
		count = whole_read(fd, buffer, left < sizeof(buffer) ? left : sizeof(buffer));
		if (count < 0 || whole_write(memory, buffer, (size_t)count) != count)
			return -errno;
	}
	return seal(memory);
}

/* Runs in the child. Two at once may both be refused; refused files are tried again later. */
static bool has_room(int place, uint64_t bytes)
{
	uint64_t of_user = 0;

	__atomic_store_n(&copies.sizes[place].bytes, bytes, __ATOMIC_SEQ_CST);
	for (int i = 0; i < CHILDREN_MAX; i++)
		if (copies.sizes[i].user == copies.sizes[place].user)
			of_user += __atomic_load_n(&copies.sizes[i].bytes, __ATOMIC_SEQ_CST);
	return of_user <= OF_USER_BYTES_MAX;
}

/* Returns a copy of @file, or -errno. A file that changed meanwhile is refused: it may be a mix. */
static int copy_file(const struct dso_file *file, int place, struct diag *why)
{
	int memory, err;

	if (file->version.bytes > FILE_COPY_BYTES_MAX)
		return diag_set(why, -EFBIG, "too large for its kind of file system: %llu MiB",
				(unsigned long long)(file->version.bytes >> 20));
	if (!has_room(place, file->version.bytes))
		return diag_set(why, -EBUSY, "too many copies of its kind at once");
	memory = memfd_create("flametop-copy", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	err = memory < 0 ? -errno : copy_bytes(memory, file->fd, file->version.bytes);
	if (err)
		return diag_set(why, err, "cannot read it");
	if (!dso_file_is_unchanged(file))
		return diag_set(why, -EAGAIN, "it changed while it was read");
	return memory;
}

static void keep_only(int socket, struct process_root *root)
{
	const int high[] = { fcntl(socket, F_DUPFD, 64), fcntl(root->process, F_DUPFD, 64),
			     fcntl(root->root, F_DUPFD, 64) };

	for (int i = 0; i < 3; i++)
		if (high[i] < 0 || dup2(high[i], CHILD_FD + i) < 0)
			close(CHILD_FD + i);	/* there may be no such process */
	close_range(0, CHILD_FD - 1, 0);
	close_range(CHILD_FD + 3, ~0u, 0);
	root->process = root->process < 0 ? -1 : CHILD_FD + 1;
	root->root = root->root < 0 ? -1 : CHILD_FD + 2;
}

static _Noreturn void run_child(const struct file_copy_job *job, int place, int socket,
				pid_t parent)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };
	struct process_root root = *job->root;
	struct file_copy_job own = *job;
	struct reply reply = { .file = { .fd = -1 } };
	int memory = -1;

	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		signal(fatal[i], SIG_DFL);	/* main's handler gives the terminal back */
	prctl(PR_SET_NAME, "flametop-copy");
	keep_only(socket, &root);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	own.root = &root;
	reply.err = job->open(&own, &reply.file, &reply.why);
	if (!reply.err)
		memory = copy_file(&reply.file, place, &reply.why);
	if (!reply.err && memory < 0)
		reply.err = memory;
	sandbox_protocol_send(CHILD_FD, &reply, sizeof(reply), &memory, memory >= 0);
	_exit(0);	/* closes the file: that may hang, too, but nobody waits for it any more */
}

/* 0; -ETIMEDOUT; -ECHILD: it ended without one. */
static int wait_for_reply(const struct file_copy_job *job, int socket, struct reply *reply,
			  int *memory)
{
	struct pollfd ready = { .fd = socket, .events = POLLIN };
	const uint64_t wait_ms = job->deadline_ms ? job->deadline_ms : FILE_COPY_DEADLINE_MS;
	const uint64_t end_ns = clock_now_ns() + wait_ms * CLOCK_NS_PER_MS;
	int count;

	do
		count = poll(&ready, 1, clock_ms_until(end_ns, clock_now_ns()));
	while (count < 0 && errno == EINTR);
	if (count == 0)
		return -ETIMEDOUT;
	return count < 0 || sandbox_protocol_receive(socket, reply, sizeof(*reply), memory, 1,
						     MSG_DONTWAIT) ? -ECHILD : 0;
}

static int take_reply(const struct reply *reply, int memory, struct dso_file *out,
		      struct diag *why)
{
	if (reply->err) {
		*why = reply->why;
		return reply->err;
	}
	*out = reply->file;
	out->fd = memory;
	out->is_copy = true;
	return 0;
}

int file_copy_open(const struct file_copy_job *job, struct dso_file *out, struct diag *why)
{
	const pid_t self = getpid();
	const int place = take_place(job);
	struct reply reply;
	int sockets[2], memory = -1;
	int err = -EAGAIN;
	pid_t child;

	*out = (struct dso_file){ .fd = -1 };
	if (place < 0)
		return diag_set(why, -EBUSY, "its file system does not answer");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets)) {
		give_place_back(place, -1, false);
		return diag_set(why, -EMFILE, "no socket for a copy of it");
	}
	child = fork();
	if (child == 0)
		run_child(job, place, sockets[1], self);
	close(sockets[1]);
	if (child > 0) {
		err = wait_for_reply(job, sockets[0], &reply, &memory);
		kill(child, SIGKILL);
	}
	close(sockets[0]);
	give_place_back(place, child, err == -ETIMEDOUT);
	if (child < 0)
		return diag_set(why, -EAGAIN, "no process for a copy of it");
	if (err == -ETIMEDOUT)
		return diag_set(why, -EBUSY, "its file system does not answer");
	if (err)
		return diag_set(why, err, "the process that copies it died");
	return take_reply(&reply, memory, out, why);
}

struct walk {
	const char *path;
	uint64_t resolve;
};

static int take_below(const struct process_root *root, const struct walk *walk, uint64_t resolve)
{
	return process_root_take(root->root < 0 ? AT_FDCWD : root->root, walk->path,
				 walk->resolve | resolve);
}

/* Brings the names on the way into the kernel's cache. */
static int walk_in_child(const struct file_copy_job *job, struct dso_file *out,
			 struct diag *why)
{
	const int place = take_below(job->root, job->owner, 0);

	(void)out;
	return diag_set(why, place < 0 ? place : -EAGAIN, "it was only looked for");
}

/* Takes "/proc/PID/root/bin/ls" or "/proc/PID/exe": the kernel does not cache where these links
 * lead, but asks no server for it, only for the names after them. */
static int take_after_link(const struct walk *walk)
{
	char link[32], name[8];
	unsigned int pid;
	int end = 0, place, after;

	if (sscanf(walk->path, "/proc/%u/%7[a-z]%n", &pid, name, &end) != 2 ||
	    (walk->path[end] && walk->path[end] != '/') ||
	    (strcmp(name, "root") != 0 && strcmp(name, "cwd") != 0 && strcmp(name, "exe") != 0))
		return -EAGAIN;
	snprintf(link, sizeof(link), "/proc/%u/%s", pid, name);
	place = process_root_take(AT_FDCWD, link, 0);
	if (place < 0 || !walk->path[end])
		return place;
	after = process_root_take(place, walk->path + end + 1, walk->resolve | RESOLVE_CACHED);
	close(place);
	return after;
}

int file_copy_walk(const struct process_root *root, const char *path, uint64_t resolve,
		   uint64_t system)
{
	const struct walk walk = { path, resolve };
	const struct file_copy_job job = {
		.system = system, .user = geteuid(), .deadline_ms = WALK_DEADLINE_MS,
		.root = root, .open = walk_in_child, .owner = &walk,
	};
	struct dso_file none;
	struct diag ignored;
	int err, place = take_below(root, &walk, RESOLVE_CACHED);

	if (place != -EAGAIN && place != -EINVAL)
		return place;
	err = file_copy_open(&job, &none, &ignored);
	if (err != -EAGAIN)
		return err;
	/* Kernels before 5.12 cannot be asked for what is cached. */
	place = take_below(root, &walk, place == -EAGAIN ? RESOLVE_CACHED : 0);
	return place == -EAGAIN && root->root < 0 ? take_after_link(&walk) : place;
}
