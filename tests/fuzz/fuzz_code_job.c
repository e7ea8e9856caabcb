/* fuzz_code_job.c - whatever the bytes, a SANDBOX_CODE job fails or has rows that pass the check:
 * as code of a machine, and as damage to an ELF file that says where its code is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/code_job.h"
#include "elf_seed.h"

#define CODE_OFFSET 0x1000

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void run_job(int file, const struct code_query *query)
{
	const int inputs[] = { file, elf_seed_file(query, sizeof(*query)) };
	struct code_rows rows;
	size_t reply_bytes;
	struct diag why;
	void *reply;

	if (!code_job_run(inputs, 2, &reply, &reply_bytes, &why)) {
		if (code_rows_check(&rows, reply, reply_bytes, query, &why))
			abort();
		free(reply);
	}
	close(inputs[1]);
}

static void run_bytes(const uint8_t *bytes, size_t count)
{
	const int file = elf_seed_file(bytes, count);
	const struct code_query query = {
		.machine = MACHINE_X86_64 + bytes[0] % 2u, .range_count = 2,
		.ranges = { { 0xffffffff81000000u, 0, count - 1 }, { 0x1000, count - 1, 1 } },
	};

	run_job(file, &query);
	close(file);
}

/* The code is in the page at CODE_OFFSET, as ld lays files out. */
static void run_damaged(const uint8_t *bytes, size_t count)
{
	static const struct code_query query = {
		.range_count = 2,
		.ranges = { { CODE_OFFSET, CODE_OFFSET, 32 },
			    { CODE_OFFSET + 32, CODE_OFFSET + 32, 9 } },
	};
	static struct elf_seed seed;
	int file;

	if (!seed.count)
		elf_seed_make(&seed, "cc -nostdlib -static -no-pie -x assembler "
			      "-o /proc/self/fd/%d - <<E\n.globl _start\n_start: call end\n"
			      "mov 0x3000(%%rip), %%eax\nje _start\n.fill 20, 1, 0x90\n"
			      ".quad 1, 2, 3\nend: ret\nE");
	file = elf_seed_damaged(&seed, bytes, count);
	run_job(file, &query);
	close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	if (count < 2)
		return 0;
	run_bytes(bytes, count);
	run_damaged(bytes, count);
	return 0;
}
