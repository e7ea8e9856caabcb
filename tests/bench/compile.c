/* compile [FILE...] - what the table of a large DSO costs: 100,000 functions are to take 30 ms
 * of CPU at most, with the file in memory, 24 bytes each beside the name, and 50 ns to be found.
 *
 * Each file is compiled RUNS times; the shortest counts: the machine's other work only adds.
 * Without arguments: Debian's libLLVM. */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "elf/symtab_builder.h"
#include "sandbox/flat_table.h"

#define RUNS	15
#define LOOKUPS 1000000

struct cost {
	double cpu_ms;
	long page_faults;
	uint32_t rows;		/* 0: it cannot be compiled */
	size_t bytes, name_bytes;
	double lookup_ns;	/* addresses all over the code: the worst for the caches */
};

static struct cost usage(void)
{
	struct timespec now;
	struct rusage used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	getrusage(RUSAGE_SELF, &used);
	return (struct cost){ .cpu_ms = 1e3 * (double)now.tv_sec + (double)now.tv_nsec / 1e6,
			      .page_faults = used.ru_minflt };
}

static double lookup_ns(const struct flat_table *table)
{
	static uint64_t addresses[LOOKUPS];
	struct cost before, after;
	uint32_t found = 0;

	for (size_t i = 0; i < LOOKUPS; i++)
		addresses[i] = table->rows[(uint64_t)random() % table->header->row_count].start;
	before = usage();
	for (size_t i = 0; i < LOOKUPS; i++)
		found += flat_table_find(table, addresses[i]) != FLAT_NONE;
	after = usage();
	return found ? (after.cpu_ms - before.cpu_ms) * 1e6 / LOOKUPS : 0;
}

static struct cost compile(int fd)
{
	struct cost before = usage(), cost;
	struct flat_table table;
	struct diag why;
	void *bytes;
	size_t count;
	int err = symtab_builder_build(fd, -1, &bytes, &count, &why);

	cost = usage();
	cost.cpu_ms -= before.cpu_ms;
	cost.page_faults -= before.page_faults;
	if (!err && flat_table_check(&table, bytes, count, &why) == 0) {
		cost.rows = table.header->row_count;
		cost.bytes = count;
		cost.name_bytes = table.header->string_bytes;
		cost.lookup_ns = lookup_ns(&table);
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
	const char *one = getenv("IN_PROCESS");	/* for profilers */
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct cost best = { .rows = 0 };

	for (int run = 0; fd >= 0 && run < RUNS; run++) {
		struct cost cost = one ? compile(fd) : compile_in_child(fd);

		if (run && best.lookup_ns < cost.lookup_ns)
			cost.lookup_ns = best.lookup_ns;
		if (run == 0 || cost.cpu_ms < best.cpu_ms)
			best = cost;
		else
			best.lookup_ns = cost.lookup_ns;
		if (one)
			break;
	}
	if (fd >= 0)
		close(fd);
	if (best.rows)
		printf("symbol table of %s: %u rows in %.1f ms of CPU, %.0f ns a row, "
		       "%ld page faults, %.1f MB: %.1f bytes a row, %.1f of names; "
		       "%.0f ns a look-up\n",
		       path, best.rows, best.cpu_ms, best.cpu_ms * 1e6 / best.rows,
		       best.page_faults, (double)best.bytes / 1e6,
		       (double)(best.bytes - best.name_bytes) / best.rows,
		       (double)best.name_bytes / best.rows, best.lookup_ns);
}

int main(int argc, char **argv)
{
	glob_t found = { .gl_pathc = 0 };

	if (argc < 2)
		glob("/usr/lib/x86_64-linux-gnu/libLLVM-*.so.1", 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++)
		measure(found.gl_pathv[i]);
	for (int i = 1; i < argc; i++)
		measure(argv[i]);
	globfree(&found);
	return 0;
}
