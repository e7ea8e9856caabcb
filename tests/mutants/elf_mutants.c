/* elf_mutants.c - very many damaged ELF files through the code that workers run, without workers:
 * no damage makes it touch what is not its own (AddressSanitizer sees that), take long, or write
 * a reply that fails its check. Whole workers: unit/test_hostile_elf.c.
 *
 * usage: elf_mutants COUNT [SEED [FIRST]]
 *        elf_mutants run COUNT [SEED [FIRST]]   in this directory, by processes that run a function
 *                                               of each: for a profiler to look at
 *
 * Mutant N of a seed is always the same. One process per CPU takes every so many-th. What ends
 * one is a failure: the mutant is kept as a file beside this program, and the next process goes on
 * after it. Source lines are read by libdw, which is known to read over the ends of damaged
 * strings: they get a process of their own, as they do in flametop, and its end is only counted.
 * Last line: N passed, N failed, 0 skipped. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/elf_variant.h"
#include "../unit/random_numbers.h"
#include "elf/code_job.h"
#include "elf/elf_cfi.h"
#include "elf/file_jobs.h"
#include "elf/symtab_builder.h"
#include "sandbox/code_rows.h"
#include "sandbox/flat_table.h"
#include "sandbox/lines.h"
#include "sandbox/probe_names.h"
#include "sandbox/unwind_table.h"

#define CPUS_MAX    64
#define LINES_EVERY 16		/* a fork is dear */
#define CPU_LIMIT_S 10		/* a worker has 2 (sandbox_limits.c); sanitizers are slow */
#define FAILED_MAX  20
#define RUNNABLE    3		/* originals with spin() at an offset in the file */
#define SPIN_ROUNDS 40000000	/* over 10 ms: some samples at 997 Hz */

/* spin(), see the recipe. */
static const unsigned char spin_code[] = { 0x89, 0xf8, 0xff, 0xc8, 0x75, 0xfc, 0xc3 };

static const char recipe[] =
	"set -e; cd %s\n"
	"cat >s.c <<'END'\n"
	"struct pair { int a, b; };\n"
	"static inline int add(const struct pair *p) { return p->a + p->b; }\n"
	"__attribute__((noinline)) int alpha(int n) { struct pair p = { n, 1 }; return add(&p); }\n"
	"__attribute__((noinline)) int beta(int n) { return alpha(n) * puts(\"\"); }\n"
	"int main(int n, char **v) { return beta(n) + (v == 0); }\n"
	"asm(\".globl spin\\n.type spin, @function\\n\"\n"
	"    \"spin: movl %%edi, %%eax\\n1: decl %%eax\\njnz 1b\\nret\\n.size spin, . - spin\");\n"
	"END\n"
	"flags='-include stdio.h -O1 -g -Wl,-z,norelro,-z,noseparate-code s.c'\n"
	"cc $flags -o whole\n"
	"cc $flags -s -shared -fPIC -o library\n"
	"cc $flags -Wl,--emit-relocs -fno-asynchronous-unwind-tables -o relocs\n"
	"objcopy --only-keep-debug --compress-debug-sections whole debug\n"
	"objcopy --only-keep-debug -g whole inner; xz inner\n"
	"objcopy -S --add-section .gnu_debugdata=inner.xz whole minidebug\n"
	"cc -c -O1 -g -include stdio.h s.c -o object\n";
static const char *const built[] = { "whole", "library", "relocs", "debug", "minidebug", "object" };
#define ORIGINALS (sizeof(built) / sizeof(built[0]) + 2)

/* Each process has one; the others read it. */
struct progress {
	uint64_t number;	/* the mutant that it is at */
	uint64_t read, refused, lines_ended;
};

static struct elf_original originals[ORIGINALS];
static size_t original_count;
static struct progress *progress;	/* CPUS_MAX of them, shared */

/* AddressSanitizer's, when built with it: a request for too much is refused as libc does. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:max_allocation_size_mb=1024:hard_rss_limit_mb=1024";
}

static void make_originals(void)
{
	char place[] = "/tmp/flametop-mutants-XXXXXX", command[sizeof(recipe) + sizeof(place)];
	char path[64];

	if (!mkdtemp(place))
		abort();
	snprintf(command, sizeof(command), recipe, place);
	if (system(command))
		abort();
	for (size_t i = 0; i < sizeof(built) / sizeof(built[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", place, built[i]);
		elf_original_read(&originals[original_count++], path);
	}
	elf_original_read(&originals[original_count++], "/bin/true");
	original_count += elf_original_copy_vdso(&originals[original_count]);
	snprintf(command, sizeof(command), "rm -r %s", place);
	if (system(command))
		abort();
}

static bool is_refusal(int err)
{
	return err == -ENOEXEC || err == -EBADMSG || err == -E2BIG || err == -ENOMEM ||
	       err == -ENODATA || err == -ENOTSUP;
}

static void expect(int err, int check_err, const char *what, const struct diag *why)
{
	if ((!err || is_refusal(err)) && !check_err)
		return;
	fprintf(stderr, "%s: %d, check %d: %s\n", what, err, check_err, why->text);
	abort();
}

static bool make_symbols(int fd, int debug_fd)
{
	struct diag why = { .err = 0 };
	struct flat_table table;
	size_t count;
	void *bytes;
	const int err = symtab_builder_build(fd, debug_fd, &bytes, &count, &why);

	expect(err, err ? 0 : flat_table_check(&table, bytes, count, &why), "symbols", &why);
	free(bytes);
	return !err;
}

static void make_rows(int fd, int debug_fd)
{
	struct diag why = { .err = 0 };
	struct unwind_table table;
	size_t count;
	void *bytes;
	const int err = elf_cfi_compile(fd, debug_fd, &bytes, &count, &why);

	expect(err, err ? 0 : unwind_table_check(&table, bytes, count, &why), "unwind", &why);
	free(bytes);
}

static void make_probe_names(int fd, int debug_fd)
{
	struct diag why = { .err = 0 };
	struct probe_names names;
	size_t count;
	void *bytes;
	const int err = probe_names_compile(fd, debug_fd, PROBE_NAMES_FUNCTIONS | PROBE_NAMES_USDT,
					    &bytes, &count, &why);

	expect(err, err ? 0 : probe_names_check(&names, bytes, count, &why), "names", &why);
	free(bytes);
}

/* Three ranges, so that some of most originals' code is among them. */
static void make_code(int fd)
{
	static const struct code_query query = {
		.range_count = 3,
		.ranges = { { 0x400, 0x400, 0x200 }, { 0x1000, 0x1000, 0x200 }, { 0, 0, 64 } },
	};
	const int inputs[] = { fd, memfd_create("query", MFD_CLOEXEC) };
	struct diag why = { .err = 0 };
	struct code_rows rows;
	size_t count;
	void *bytes;
	int err;

	if (write(inputs[1], &query, sizeof(query)) != sizeof(query))
		abort();
	err = code_job_run(inputs, 2, &bytes, &count, &why);
	expect(err, err ? 0 : code_rows_check(&rows, bytes, count, &query, &why), "code", &why);
	free(bytes);
	close(inputs[1]);
}

/* In a process of its own. A reply that fails its check is the worker's word against main's:
 * refused there, so not looked at here. */
static bool lines_end_a_worker(int fd, int debug_fd)
{
	static const uint64_t offsets[] = { 0x1000, 0x1139, 0x1150, 0x1170, 0x40 };
	const pid_t child = fork();
	int status;

	if (child == 0) {
		const int wanted = memfd_create("offsets", MFD_CLOEXEC);
		const struct dwarf_lines_inputs inputs = { fd, wanted, debug_fd,
							   DWARF_LINES_NO_FILE, false };
		const bool is_quiet = freopen("/dev/null", "w", stderr) != NULL;
		size_t count;
		void *bytes;

		if (!is_quiet || write(wanted, offsets, sizeof(offsets)) != sizeof(offsets))
			_exit(3);
		dwarf_lines_find(&inputs, DWARF_LINES_MEMORY_MAX, &bytes, &count, NULL);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status == 3 << 8)
		abort();
	return status != 0;
}

static uint64_t start_of(uint64_t seed, uint64_t number)
{
	uint64_t random = (seed + 1) * 0x9e3779b97f4a7c15u ^ (number + 1) * 0xbf58476d1ce4e5b9u;

	random += !random;
	for (int i = 0; i < 4; i++)
		random_next(&random);
	return random;
}

/* The descriptors are the caller's. */
static void make_mutant(uint64_t seed, uint64_t number, int *fd, int *debug_fd)
{
	uint64_t random = start_of(seed, number);
	const uint32_t which = random_below(&random, (uint32_t)original_count);

	*fd = elf_variant_make(&random, &originals[which]);
	*debug_fd = random_below(&random, 4)
		    ? -1 : elf_variant_make(&random, &originals[random_below(&random, 4)]);
}

static void try_mutant(uint64_t seed, struct progress *mine)
{
	const struct itimerval limit = { .it_value.tv_sec = CPU_LIMIT_S };
	int fd, debug_fd;

	make_mutant(seed, mine->number, &fd, &debug_fd);
	setitimer(ITIMER_PROF, &limit, NULL);	/* its signal ends the process */
	if (make_symbols(fd, debug_fd))
		mine->read++;
	else
		mine->refused++;
	make_rows(fd, debug_fd);
	make_probe_names(fd, debug_fd);
	make_code(fd);
	if (mine->number % LINES_EVERY == 0)
		mine->lines_ended += lines_end_a_worker(fd, debug_fd);
	close(fd);
	if (debug_fd >= 0)
		close(debug_fd);
}

static pid_t start(uint64_t seed, uint64_t end, uint64_t step, struct progress *mine)
{
	const pid_t child = fork();

	if (child < 0)
		abort();
	if (child > 0)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);	/* after FAILED_MAX, or when it is interrupted */
	for (; mine->number < end; mine->number += step)
		try_mutant(seed, mine);
	_exit(0);
}

static void keep(const char *program, uint64_t seed, uint64_t number, int status)
{
	char path[512];
	int fd, debug_fd;

	make_mutant(seed, number, &fd, &debug_fd);
	snprintf(path, sizeof(path), "%s-%llu-%llu", program, (unsigned long long)seed,
		 (unsigned long long)number);
	elf_variant_keep(fd, path);
	printf("mutant %llu: %s %d, kept as %s\n", (unsigned long long)number,
	       WIFSIGNALED(status) ? "signal" : "status",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), path);
	if (debug_fd >= 0) {
		strncat(path, "-debug", sizeof(path) - strlen(path) - 1);
		elf_variant_keep(debug_fd, path);
		close(debug_fd);
	}
	close(fd);
}

/* Runs mutants @first to before @end; returns how many ended a process. */
static uint64_t run(const char *program, uint64_t seed, uint64_t first, uint64_t end, uint32_t cpus)
{
	uint64_t failed = 0;
	pid_t children[CPUS_MAX];
	uint32_t running = cpus;

	for (uint32_t i = 0; i < cpus; i++) {
		progress[i].number = first + i;
		children[i] = start(seed, end, cpus, &progress[i]);
	}
	while (running) {
		int status;
		const pid_t child = wait(&status);
		uint32_t which = 0;

		if (child < 0)
			abort();
		while (children[which] != child)
			which++;
		running--;
		if (status == 0)
			continue;
		keep(program, seed, progress[which].number, status);
		if (++failed == FAILED_MAX)
			break;
		progress[which].number += cpus;
		children[which] = start(seed, end, cpus, &progress[which]);
		running++;
	}
	return failed;
}

/* In a process of its own: the edits may have hit the code. The file is there as long as it is
 * mapped, and a while longer. */
static _Noreturn void run_mutant(uint64_t seed, uint64_t number)
{
	uint64_t random = start_of(seed, number);
	const struct elf_original *file = &originals[random_below(&random, RUNNABLE)];
	const int fd = elf_variant_make(&random, file);
	const unsigned char *code = memmem(file->bytes, file->count, spin_code, sizeof(spin_code));
	const size_t offset = code ? (size_t)(code - file->bytes) : 0, page = offset & ~4095ul;
	char path[64];
	int saved;
	void *map;

	snprintf(path, sizeof(path), "mutant-%llu", (unsigned long long)number);
	elf_variant_keep(fd, path);
	saved = open(path, O_RDONLY | O_CLOEXEC);
	map = mmap(NULL, offset - page + 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, saved,
		   (off_t)page);
	if (!code || saved < 0 || map == MAP_FAILED)
		_exit(1);
	((void (*)(unsigned int))(uintptr_t)((char *)map + offset - page))(SPIN_ROUNDS);
	usleep(200000);
	unlink(path);
	_exit(0);
}

static void run_mutants(uint64_t seed, uint64_t first, uint64_t end)
{
	const uint64_t at_once = 8;	/* they sleep more than they run */

	for (uint64_t number = first; number < end; number++) {
		if (number - first >= at_once)
			wait(NULL);
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			run_mutant(seed, number);
		}
	}
	while (wait(NULL) > 0)
		;
}

static uint64_t number_of(int count, char **arguments, int which, uint64_t otherwise)
{
	return count > which ? strtoull(arguments[which], NULL, 10) : otherwise;
}

static int try_all(const char *program, uint64_t mutants, uint64_t seed, uint64_t first)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	const uint32_t cpus = online < 1 ? 1 : online > CPUS_MAX ? CPUS_MAX : (uint32_t)online;
	struct progress sum = { 0, 0, 0, 0 };
	uint64_t failed = run(program, seed, first, first + mutants, cpus);

	for (uint32_t i = 0; i < cpus; i++) {
		sum.read += progress[i].read;
		sum.refused += progress[i].refused;
		sum.lines_ended += progress[i].lines_ended;
	}
	printf("seed %llu: %llu mutants, %llu read, %llu refused; lines ended %llu workers\n",
	       (unsigned long long)seed, (unsigned long long)mutants,
	       (unsigned long long)sum.read, (unsigned long long)sum.refused,
	       (unsigned long long)sum.lines_ended);
	/* Else the damage hides all after the header. */
	if (sum.read < mutants / 20 || sum.refused < mutants / 20)
		failed++;
	printf("%llu passed, %llu failed, 0 skipped\n", (unsigned long long)(mutants - failed),
	       (unsigned long long)failed);
	return failed != 0;
}

int main(int count, char **arguments)
{
	const int at = count > 1 && strcmp(arguments[1], "run") == 0 ? 2 : 1;
	const uint64_t mutants = number_of(count, arguments, at, 0);
	const uint64_t seed = number_of(count, arguments, at + 1, 4);
	const uint64_t first = number_of(count, arguments, at + 2, 0);

	if (!mutants) {
		fprintf(stderr, "usage: %s [run] COUNT [SEED [FIRST]]\n", arguments[0]);
		return 2;
	}
	progress = mmap(NULL, CPUS_MAX * sizeof(*progress), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (progress == MAP_FAILED)
		abort();
	make_originals();
	setvbuf(stdout, NULL, _IONBF, 0);	/* nothing of it is written twice by children */
	if (at == 2)
		run_mutants(seed, first, first + mutants);
	return at == 2 ? 0 : try_all(arguments[0], mutants, seed, first);
}
