/* line_find.c - what finding source lines costs, for tests/bench/lines.
 *
 * line_find DSO DEBUG|- < OFFSETS (hexadecimal, one a line)
 * The offsets are asked for in three rounds: every second one (most are in a compile unit that was
 * not hit before), the others (most in a known unit, in a new function), and all again. Prints
 * nanoseconds of CPU: reading, then the mean of each round, then of one job in the sandbox.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "elf/dwarf_files.h"
#include "elf/dwarf_index.h"
#include "elf/file_jobs.h"
#include "sandbox/lines.h"

#define OFFSETS_MAX 100000

static uint64_t cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * CLOCK_NS_PER_S + (uint64_t)time.tv_nsec;
}

static uint64_t round_ns(struct dwarf_index *index, const struct dwarf_file *dso,
			 const uint64_t *offsets, size_t first, size_t count, size_t step)
{
	struct dwarf_frame frames[LINE_DEPTH_MAX];
	const uint64_t begin = cpu_ns();
	uint64_t address;
	size_t asked = 0;

	for (size_t i = first; i < count; i += step, asked++)
		if (dwarf_file_address(dso, offsets[i], &address))
			dwarf_index_find(index, address, frames, LINE_DEPTH_MAX, NULL);
	return asked ? (cpu_ns() - begin) / asked : 0;
}

/* Wall time, sandbox and all, of as many offsets as one job takes. */
static uint64_t job_ns(const struct dwarf_lines_inputs *inputs, struct sandbox *sandbox,
		       const uint64_t *offsets, size_t count)
{
	const struct sandbox_request request = line_job_request(inputs, DWARF_LINES_MEMORY_MAX);
	const size_t asked = count < LINE_ADDRESSES_MAX ? count : LINE_ADDRESSES_MAX;
	struct sandbox_bytes reply;
	uint64_t begin;

	if (pwrite(inputs->offsets, offsets, asked * sizeof(*offsets), 0) < 0)
		return 0;
	begin = clock_now_ns();
	if (sandbox_run(sandbox, &request, &reply, NULL))
		return 0;
	sandbox_bytes_finish(&reply);
	return clock_now_ns() - begin;
}

int main(int argc, char **argv)
{
	static uint64_t offsets[OFFSETS_MAX];
	struct dwarf_lines_inputs inputs = { -1, -1, DWARF_LINES_NO_FILE, DWARF_LINES_NO_FILE,
					     false };
	static struct dwarf_files files;
	struct diag why;
	struct sandbox *sandbox;
	struct dwarf_index *index;
	uint64_t begin, read_ns;
	size_t count = 0;

	if (argc != 3 || sandbox_start(&sandbox, worker_run, NULL))
		return 2;
	inputs.dso = open(argv[1], O_RDONLY | O_CLOEXEC);
	inputs.offsets = memfd_create("offsets", MFD_CLOEXEC);
	while (count < OFFSETS_MAX && scanf("%" SCNx64, &offsets[count]) == 1)
		count++;
	begin = cpu_ns();
	if (strcmp(argv[2], "-") != 0)
		inputs.debug = open(argv[2], O_RDONLY | O_CLOEXEC);
	if (dwarf_files_open(&files, inputs.dso, inputs.debug, -1, NULL) ||
	    dwarf_files_read(&files, NULL))
		return 1;
	read_ns = cpu_ns() - begin;
	index = dwarf_index_create(&files, DWARF_LINES_MEMORY_MAX, &why);
	printf("%" PRIu64, read_ns);
	printf(" %" PRIu64, round_ns(index, &files.dso, offsets, 0, count, 2));
	printf(" %" PRIu64, round_ns(index, &files.dso, offsets, 1, count, 2));
	printf(" %" PRIu64, round_ns(index, &files.dso, offsets, 0, count, 1));
	printf(" %" PRIu64 "\n", job_ns(&inputs, sandbox, offsets, count));
	dwarf_index_destroy(index);
	sandbox_stop(sandbox);
	return 0;
}
