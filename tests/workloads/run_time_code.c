/* run_time_code.c - makes code at run time and says what it is called, as JIT compilers do.
 *
 * usage: run_time_code map|dump|none anon|memfd
 *	  run_time_code alone
 *
 * It spins in two functions that it made, "three quarters" (with a blank) and "one_quarter", for
 * 3 and 1 parts of the time, and says so in /tmp/perf-PID.map, in jit-PID.dump below the working
 * directory, or not at all. "ready" on stdout follows what it was asked for:
 *   more     from now on it spins in "later_code" only, which it makes and names then
 *   rename   one_quarter's memory becomes "other_code", which takes its place
 *
 * "alone": it spins for ever in one function, whatever stdin is, of which it says nothing to
 * anybody but "START BYTES", in hexadecimal, on stdout.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hot_loop.h"

#define MEMORY_BYTES 65536
#define ROUND	     1000000	/* of the loop in the code, on average: below a millisecond */

/* One argument: how many rounds. Counts it down to 0. */
#if defined(__x86_64__)
static const unsigned char code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
#elif defined(__aarch64__)
static const unsigned char code[] = { 0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff, 0xff, 0x54,
				      0xc0, 0x03, 0x5f, 0xd6 };
#else
#error "no machine code for this processor"
#endif

typedef void spin(unsigned long rounds);

static unsigned char *writable, *executable;	/* the same memory */
static FILE *map, *dump;

static void make_memory(int is_memfd)
{
	int fd = is_memfd ? memfd_create("run-time-code", MFD_CLOEXEC) : -1;

	if (!is_memfd) {
		writable = executable = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
					     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		return;
	}
	if (fd < 0 || ftruncate(fd, 2 * MEMORY_BYTES))
		exit(1);
	writable = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, MEMORY_BYTES);
	executable = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_EXEC, MAP_SHARED, fd, MEMORY_BYTES);
}

static void write_words(FILE *file, const uint64_t *words, size_t count)
{
	fwrite(words, sizeof(*words), count, file);
}

/* JIT_CODE_LOAD, with the code behind the name. */
static void dump_load(uint64_t start, const char *name)
{
	const uint32_t bytes = (uint32_t)(16 + 40 + strlen(name) + 1 + sizeof(code));
	const uint64_t task = (uint64_t)getpid() << 32 | (uint32_t)getpid();

	write_words(dump, (const uint64_t[]){ (uint64_t)bytes << 32, 1, task, start, start,
					      sizeof(code), 1 }, 7);
	fwrite(name, strlen(name) + 1, 1, dump);
	fwrite(code, sizeof(code), 1, dump);
}

static void dump_move(uint64_t from, uint64_t to)
{
	const uint64_t task = (uint64_t)getpid() << 32 | (uint32_t)getpid();

	write_words(dump, (const uint64_t[]){ (uint64_t)64 << 32 | 1, 2, task, to, from, to,
					      sizeof(code), 1 }, 8);
}

static void open_dump(void)
{
	char path[64];

	snprintf(path, sizeof(path), "jit-%d.dump", getpid());
	dump = fopen(path, "w+");
	if (!dump)
		exit(1);
	write_words(dump, (const uint64_t[]){ 1ull << 32 | 0x4a695444, 62ull << 32 | 40,
					      (uint64_t)getpid() << 32, 0, 0 }, 5);
	fflush(dump);
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0);
}

static void open_map(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	if (!map)
		exit(1);
	fprintf(map, "# not a line of code\n");
}

static spin *make_code(size_t offset, const char *name)
{
	const uint64_t start = (uint64_t)(uintptr_t)(executable + offset);
	spin *made;

	memcpy(writable + offset, code, sizeof(code));
	__builtin___clear_cache((char *)executable + offset,
				(char *)executable + offset + sizeof(code));
	if (map)
		fprintf(map, "0x%llx %zx %s\n", (unsigned long long)start, sizeof(code), name);
	if (dump && offset) {	/* as if it had been made elsewhere first */
		dump_load(start + MEMORY_BYTES, name);
		dump_move(start + MEMORY_BYTES, start);
	} else if (dump) {
		dump_load(start, name);
	}
	if (map)
		fflush(map);
	if (dump)
		fflush(dump);
	*(void **)&made = executable + offset;
	return made;
}

static void spin_alone(void)
{
	spin *only;

	make_memory(0);
	only = make_code(0, NULL);
	printf("%llx %zx\n", (unsigned long long)(uintptr_t)executable, sizeof(code));
	fflush(stdout);
	for (;;)
		only(ROUND);
}

int main(int argc, char **argv)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	spin *often, *seldom;
	char line[64];

	if (argc == 2 && !strcmp(argv[1], "alone"))
		spin_alone();
	if (argc != 3)
		return 2;
	make_memory(!strcmp(argv[2], "memfd"));
	if (!strcmp(argv[1], "dump"))
		open_dump();
	if (!strcmp(argv[1], "map"))
		open_map();
	often = make_code(0, "three quarters");
	seldom = make_code(4096, "one_quarter");
	for (puts("ready");; puts("ready")) {
		fflush(stdout);
		while (poll(&in, 1, 0) == 0) {
			often(vary(3 * ROUND));
			seldom(vary(ROUND));
		}
		if (!fgets(line, sizeof(line), stdin))
			return 0;
		if (!strcmp(line, "more\n"))
			often = seldom = make_code(8192, "later_code");
		else if (!strcmp(line, "rename\n"))
			seldom = make_code(4096, "other_code");
	}
}
