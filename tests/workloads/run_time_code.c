/* run_time_code.c - makes code at run time and says what it is called, as JIT compilers do.
 *
 * usage: run_time_code map|dump|none anon|memfd
 *	  run_time_code python map|dump
 *	  run_time_code alone
 *
 * It spins in two functions that it made, "three quarters" (with a blank) and "one_quarter", for
 * 3 and 1 parts of the time, and says so in /tmp/perf-PID.map, in jit-PID.dump below the working
 * directory, or not at all. "ready" on stdout follows what it was asked for:
 *   more     from now on it spins in "later_code" only, which it makes and names then
 *   rename   one_quarter's memory becomes "other_code", which takes its place
 *   patch    "three quarters" is overwritten by other code that does the same, unlogged
 *
 * "python": it calls itself through copies of CPython's trampoline, one per function:
 * "py::outer", "py::middle" and "py::inner", which spins. It says so in a map, as with -X perf, or
 * with unwinding records in a dump, as with -X perf_jit.
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
#define ROUND	     1000000	/* loops in the code, on average: below a millisecond */

/* One argument: how many rounds. Counts it down to 0. */
#if defined(__x86_64__)
static const unsigned char code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
static const unsigned char patched[] = { 0xff, 0xcf, 0x75, 0xfc, 0xc3, 0x90 };	/* dec %edi */
#elif defined(__aarch64__)
static const unsigned char code[] = { 0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff, 0xff, 0x54,
				      0xc0, 0x03, 0x5f, 0xd6 };
static const unsigned char patched[] = { 0x00, 0x04, 0x00, 0xd1, 0xe0, 0xff, 0xff, 0xb5,
					 0xc0, 0x03, 0x5f, 0xd6 };	/* sub, cbnz */
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

/* JIT_CODE_LOAD, with the code after the name. */
static void dump_load(uint64_t start, const char *name, const unsigned char *made,
		      size_t made_bytes)
{
	const uint32_t bytes = (uint32_t)(16 + 40 + strlen(name) + 1 + made_bytes);
	const uint64_t task = (uint64_t)getpid() << 32 | (uint32_t)getpid();

	write_words(dump, (const uint64_t[]){ (uint64_t)bytes << 32, 1, task, start, start,
					      made_bytes, 1 }, 7);
	fwrite(name, strlen(name) + 1, 1, dump);
	fwrite(made, made_bytes, 1, dump);
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
		dump_load(start + MEMORY_BYTES, name, code, sizeof(code));
		dump_move(start + MEMORY_BYTES, start);
	} else if (dump) {
		dump_load(start, name, code, sizeof(code));
	}
	if (map)
		fflush(map);
	if (dump)
		fflush(dump);
	*(void **)&made = executable + offset;
	return made;
}

#if defined(__x86_64__)
/* sub $8, %rsp; call *%rcx; add $8, %rsp; ret */
static const unsigned char trampoline[] = { 0x48, 0x83, 0xec, 8, 0xff, 0xd1,
					    0x48, 0x83, 0xc4, 8, 0xc3 };

/* What .eh_frame would say of it, and .eh_frame_hdr. */
static const unsigned char frames[] = {
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b,
	0x0c, 7, 8, 0x90, 1, 0, 0,
	24, 0, 0, 0, 28, 0, 0, 0, 0xd8, 0xff, 0xff, 0xff, sizeof(trampoline), 0, 0, 0, 0,
	0x44, 0x0e, 16, 0x46, 0x0e, 8, 0, 0, 0, 0, 0,
};
static const unsigned char frames_header[20] = { 1, 0x1b, 3, 0x3b };

static const char *const functions[] = { "py::outer:/x.py", "py::middle:/x.py", "py::inner:/x.py" };
#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

struct python {
	unsigned long turns;
	size_t depth;
};

typedef unsigned long evaluator(struct python *python, void *frame, int flag, void *evaluator);

/* The interpreter: the function at this depth calls the next one, and the last one spins. */
__attribute__((noinline)) static unsigned long evaluate(struct python *python, void *frame,
							int flag, void *self)
{
	volatile unsigned long work = 0;
	evaluator *next;

	if (python->depth == FUNCTIONS) {
		while (work < python->turns)
			work++;
		return work;
	}
	*(void **)&next = executable + 32 * python->depth++;
	work = next(python, frame, flag, self);
	python->depth--;
	return work + 1;
}

static void dump_frames(void)
{
	const uint32_t bytes = 16 + 24 + sizeof(frames) + sizeof(frames_header);

	write_words(dump, (const uint64_t[]){ (uint64_t)bytes << 32 | 4, 1,
					      sizeof(frames) + sizeof(frames_header),
					      sizeof(frames_header), 96 }, 5);
	fwrite(frames, sizeof(frames), 1, dump);
	fwrite(frames_header, sizeof(frames_header), 1, dump);
}

static void make_trampoline(size_t offset, const char *name)
{
	const uint64_t start = (uint64_t)(uintptr_t)(executable + offset);

	memcpy(writable + offset, trampoline, sizeof(trampoline));
	if (map)
		fprintf(map, "%llx %zx %s\n", (unsigned long long)start, sizeof(trampoline), name);
	if (dump) {
		dump_frames();
		dump_load(start, name, trampoline, sizeof(trampoline));
	}
}

static void spin_as_python(void)
{
	struct python python = { .turns = 1000000 };
	evaluator *first;

	for (size_t i = 0; i < FUNCTIONS; i++)
		make_trampoline(32 * i, functions[i]);
	fflush(map ? map : dump);
	puts("ready");
	fflush(stdout);
	*(void **)&first = executable;
	for (;;) {
		python.depth = 1;
		first(&python, NULL, 0, (void *)evaluate);
	}
}
#else
static void spin_as_python(void)
{
	exit(2);	/* its trampoline is another one */
}
#endif

static void patch_first(void)
{
	memcpy(writable, patched, sizeof(patched));
	__builtin___clear_cache((char *)executable, (char *)executable + sizeof(patched));
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
	const char *source;
	char line[64];
	int is_python;

	if (argc == 2 && !strcmp(argv[1], "alone"))
		spin_alone();
	if (argc != 3)
		return 2;
	is_python = !strcmp(argv[1], "python");
	source = argv[is_python ? 2 : 1];
	make_memory(!strcmp(argv[2], "memfd"));
	if (!strcmp(source, "dump"))
		open_dump();
	if (!strcmp(source, "map"))
		open_map();
	if (is_python)
		spin_as_python();
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
		else if (!strcmp(line, "patch\n"))
			patch_first();
	}
}
