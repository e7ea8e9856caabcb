/* fail_calls.c - for LD_PRELOAD: lets one allocation of a program fail, or all from one on, or its
 * reads and writes be short.
 *
 *   FAIL_ALLOC_AT=k    the k-th of each process fails; not set: none
 *   FAIL_ALLOC_AT=k+   and all later ones
 *   FAIL_ALLOC_AT=@p   each that place p in the code asks for
 *   FAIL_SHORT=1       every second read(2) and write(2) of a thread is interrupted, the others
 *                      transfer half of what they are given; of sendmsg(2), recvmsg(2), poll(2)
 *                      and wait4(2), each kind for itself, the first is interrupted, the third,
 *                      and so on
 *   FAIL_ALLOC_LOG=F   a file of 64-bit numbers: what `enum count` says, then all places seen
 *
 * A place is where malloc() and its kind return to: a hash of the file's name, 32 bits, and the
 * offset in it. All processes share the log.
 *
 * A file that is mapped shared takes the counts, because a worker in a sandbox can make no system
 * call that would tell them, and a descriptor would be closed by processes that close all.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PLACES 2040u
#define EXPORTED __attribute__((visibility("default"), noinline))

/* glibc's own, under the names that it exports for this. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

enum count { COUNT_CALLS, COUNT_FAILED, COUNT_LAST_PLACE, COUNT_COUNT = 8 };

struct log {
	_Atomic uint64_t counts[COUNT_COUNT], places[PLACES];
};

/* What this process has seen; forks inherit it. */
struct known_place {
	_Atomic uintptr_t address;
	_Atomic uint64_t place;
};

static struct log own_log, *log_of_all = &own_log;
static struct known_place known[PLACES];
static _Atomic uint64_t calls;			/* this process's */
static uint64_t fail_at, fail_place;
static bool fails_later, is_short;

static void map_log(const char *path)
{
	const int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	void *map = MAP_FAILED;

	if (fd < 0)
		return;
	if (ftruncate(fd, sizeof(own_log)) == 0)
		map = mmap(NULL, sizeof(own_log), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED)
		log_of_all = map;
	close(fd);
}

__attribute__((constructor)) static void read_orders(void)
{
	const char *at = getenv("FAIL_ALLOC_AT");
	char *end;

	map_log(getenv("FAIL_ALLOC_LOG"));
	is_short = getenv("FAIL_SHORT");
	calls = 0;	/* the loader's and other constructors' calls do not count */
	if (at && *at == '@') {
		fail_place = strtoull(at + 1, NULL, 16);
	} else if (at) {
		fail_at = strtoull(at, &end, 10);
		fails_later = *end == '+';
	}
}

static uint64_t find_place(uintptr_t address)
{
	uint64_t hash = 5381;
	Dl_info dso;

	if (!dladdr((void *)address, &dso))
		return 1;
	for (const char *at = dso.dli_fname; *at; at++)
		hash = *at == '/' ? 5381 : hash * 33 + (unsigned char)*at;
	return hash << 32 | (address - (uintptr_t)dso.dli_fbase);
}

static void note_place(uint64_t place)
{
	for (size_t i = 0; i < PLACES; i++) {
		uint64_t found = 0;

		if (atomic_compare_exchange_strong(&log_of_all->places[i], &found, place) ||
		    found == place)
			return;
	}
}

static uint64_t place_of(uintptr_t address)
{
	for (size_t i = 0; i < PLACES; i++) {
		uintptr_t found = 0;

		if (atomic_compare_exchange_strong(&known[i].address, &found, address)) {
			known[i].place = find_place(address);
			note_place(known[i].place);
			return known[i].place;
		}
		if (found == address)
			return known[i].place;
	}
	return 1;
}

static bool fails(const void *caller)
{
	const uint64_t call = atomic_fetch_add(&calls, 1) + 1;
	const uint64_t place = place_of((uintptr_t)caller);

	atomic_fetch_add(&log_of_all->counts[COUNT_CALLS], 1);
	if (!(fail_place && place == fail_place) &&
	    !(fail_at && (call == fail_at || (fails_later && call > fail_at))))
		return false;
	atomic_fetch_add(&log_of_all->counts[COUNT_FAILED], 1);
	log_of_all->counts[COUNT_LAST_PLACE] = place;
	errno = ENOMEM;
	return true;
}

EXPORTED void *malloc(size_t bytes)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

EXPORTED void *calloc(size_t count, size_t bytes)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

EXPORTED void *realloc(void *block, size_t bytes)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(block, bytes);
}

EXPORTED void *reallocarray(void *block, size_t count, size_t bytes)
{
	size_t all;

	if (__builtin_mul_overflow(count, bytes, &all) || fails(__builtin_return_address(0))) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_realloc(block, all);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t bytes)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);
}

EXPORTED int posix_memalign(void **out, size_t alignment, size_t bytes)
{
	void *block = fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);

	if (!block)
		return ENOMEM;
	*out = block;
	return 0;
}

/* What a descriptor of events, signals or packets gives is never less than whole, and what has no
 * name is memory. */
static bool may_be_short(int fd)
{
	struct stat found;

	return is_short && !fstat(fd, &found) &&
	       (S_ISFIFO(found.st_mode) || (S_ISREG(found.st_mode) && found.st_nlink));
}

static size_t shorten(int fd, size_t bytes)
{
	return bytes > 1 && may_be_short(fd) ? bytes / 2 : bytes;
}

static bool is_interrupted(int fd)
{
	static _Thread_local unsigned int turn;

	if (!is_short || ++turn % 2 || !may_be_short(fd))
		return false;
	errno = EINTR;
	return true;
}

enum turn { TURN_SEND, TURN_RECEIVE, TURN_POLL, TURN_WAIT, TURN_COUNT };

/* Here and not by strace: that puts no call at all in the place of one that is to fail, and what
 * judges a worker's calls then ends it. */
static bool is_interrupted_turn(enum turn kind)
{
	static _Thread_local unsigned int turns[TURN_COUNT];

	if (!is_short || ++turns[kind] % 2 == 0)
		return false;
	atomic_fetch_add(&log_of_all->counts[COUNT_FAILED], 1);
	errno = EINTR;
	return true;
}

EXPORTED ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	return is_interrupted_turn(TURN_SEND) ? -1 : syscall(SYS_sendmsg, fd, message, flags);
}

EXPORTED ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	return is_interrupted_turn(TURN_RECEIVE) ? -1 : syscall(SYS_recvmsg, fd, message, flags);
}

EXPORTED int poll(struct pollfd *waits, nfds_t count, int timeout_ms)
{
	return is_interrupted_turn(TURN_POLL) ? -1 :
	       (int)syscall(SYS_poll, waits, count, timeout_ms);
}

EXPORTED int __poll_chk(struct pollfd *waits, nfds_t count, int timeout_ms, size_t room)
{
	(void)room;
	return poll(waits, count, timeout_ms);
}

EXPORTED pid_t waitpid(pid_t pid, int *status, int options)
{
	return is_interrupted_turn(TURN_WAIT) ? -1 :
	       (pid_t)syscall(SYS_wait4, pid, status, options, NULL);
}

EXPORTED ssize_t read(int fd, void *out, size_t bytes)
{
	return is_interrupted(fd) ? -1 : syscall(SYS_read, fd, out, shorten(fd, bytes));
}

EXPORTED ssize_t pread(int fd, void *out, size_t bytes, off_t at)
{
	return is_interrupted(fd) ? -1 : syscall(SYS_pread64, fd, out, shorten(fd, bytes), at);
}

EXPORTED ssize_t pread64(int fd, void *out, size_t bytes, off_t at)
{
	return pread(fd, out, bytes, at);
}

EXPORTED ssize_t write(int fd, const void *bytes, size_t count)
{
	return is_interrupted(fd) ? -1 : syscall(SYS_write, fd, bytes, shorten(fd, count));
}
