/* unwind_rows [FILE...] - what the unwind rows of a DSO cost: libc's are to take 2 ms of CPU at
 * most, libLLVM's 60 ms, with the file in memory.
 *
 * Each file is compiled RUNS times; the shortest counts: the machine's other work only adds.
 * Without arguments: the C library and Debian's libLLVM. */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "elf/elf_cfi.h"
#include "sandbox/unwind_table.h"

#define RUNS	 15
#define LOOK_UPS 1000000

struct cost {
	double cpu_ms, look_up_ns;
	uint32_t rows;		/* 0: it cannot be compiled */
	size_t bytes;
};

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return 1e3 * (double)now.tv_sec + (double)now.tv_nsec / 1e6;
}

/* At addresses all over the table, in no order. */
static double look_up_ns(const struct unwind_table *table)
{
	const struct unwind_row *rows = table->rows;
	const uint32_t first = rows[0].start, last = rows[table->header->row_count - 1].start;
	volatile uint32_t sink = 0;
	const double before = cpu_ms();
	uint32_t number = 1;

	for (int i = 0; i < LOOK_UPS; i++) {
		number = number * 1664525u + 1013904223u;
		sink += unwind_table_find(table, first + number % (last - first))->kind;
	}
	return (cpu_ms() - before) * 1e6 / LOOK_UPS;
}

static struct cost compile(int fd)
{
	struct cost cost = { .cpu_ms = -cpu_ms() };
	struct unwind_table table;
	struct diag why;
	void *bytes;
	size_t count;
	int err = elf_cfi_compile(fd, -1, &bytes, &count, &why);

	cost.cpu_ms += cpu_ms();
	if (!err && unwind_table_check(&table, bytes, count, &why) == 0 &&
	    table.header->row_count > 1) {
		cost.look_up_ns = look_up_ns(&table);
		cost.rows = table.header->row_count;
		cost.bytes = count;
	}
	return cost;
}

/* In a process of its own, as in a worker: memory that was used before is faster. */
static struct cost compile_in_child(int fd)
{
	struct cost cost = { .rows = 0 };
	int ends[2];
	pid_t child;

	if (pipe(ends))
		return cost;
	child = fork();
	if (child == 0) {
		cost = compile(fd);
		_exit(write(ends[1], &cost, sizeof(cost)) != sizeof(cost));
	}
	close(ends[1]);
	if (read(ends[0], &cost, sizeof(cost)) != sizeof(cost))
		cost.rows = 0;
	close(ends[0]);
	waitpid(child, NULL, 0);
	return cost;
}

static void measure(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct cost best = { .rows = 0 };

	for (int run = 0; fd >= 0 && run < RUNS; run++) {
		struct cost cost = compile_in_child(fd);

		if (run == 0 || cost.cpu_ms < best.cpu_ms)
			best = cost;
	}
	if (fd >= 0)
		close(fd);
	if (best.rows)
		printf("unwind table of %s: %u rows in %.1f ms of CPU, %.0f ns a row, %.1f MB, "
		       "%.0f ns a look-up\n", path, best.rows, best.cpu_ms,
		       best.cpu_ms * 1e6 / best.rows, (double)best.bytes / 1e6, best.look_up_ns);
}

int main(int argc, char **argv)
{
	glob_t found = { .gl_pathc = 0 };

	if (argc < 2) {
		glob("/lib/x86_64-linux-gnu/libc.so.6", 0, NULL, &found);
		glob("/usr/lib/x86_64-linux-gnu/libLLVM-*.so.1", GLOB_APPEND, NULL, &found);
	}
	for (size_t i = 0; i < found.gl_pathc; i++)
		measure(found.gl_pathv[i]);
	for (int i = 1; i < argc; i++)
		measure(argv[i]);
	globfree(&found);
	return 0;
}
