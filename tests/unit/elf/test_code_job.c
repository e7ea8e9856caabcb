/* Ranges of code as rows: of bytes that run at an address, and of a linked program, whose addresses
 * are those that nm(1) and the program headers say. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/code_job.h"
#include "elf/file_jobs.h"
#include "elf_fixture.h"
#include "random_numbers.h"
#include "sandbox/sandbox.h"
#include "unit_tests.h"

#define ADDRESS 0xffffffff81000000u	/* where the bytes run: in the kernel */

/* All that came of a job; the rows point into `bytes`. */
struct result {
	struct code_rows rows;
	void *bytes;
	int err;
	struct diag why;
};

static int file_of(const void *bytes, size_t count)
{
	const int fd = memfd_create("code", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, count), count);
	return fd;
}

static struct result ask(int file, const struct code_query *query)
{
	const int inputs[] = { file, file_of(query, sizeof(*query)) };
	struct result result = { .why = { .err = 0 } };
	size_t count;

	result.err = code_job_run(inputs, 2, &result.bytes, &count, &result.why);
	if (!result.err)
		assert_int_equal(code_rows_check(&result.rows, result.bytes, count, query,
						 &result.why), 0);
	else
		assert_null(result.bytes);
	close(inputs[1]);
	return result;
}

static struct result ask_bytes(const void *bytes, size_t count)
{
	const struct code_query query = {
		.machine = MACHINE_OWN, .range_count = 1, .ranges = { { ADDRESS, 0, count } },
	};
	const int file = file_of(bytes, count);
	const struct result result = ask(file, &query);

	close(file);
	return result;
}

/* The rows as text: a letter for the kind, the length, and the text. */
static const char *kinds = "pjbcJCrxd";

static void expect_rows(struct result result, const char *const *expected)
{
	char line[160];
	uint32_t i = 0;

	assert_int_equal(result.err, 0);
	for (; expected[i]; i++) {
		const struct code_row *row = &result.rows.rows[i];

		assert_in_range(i, 0, result.rows.header->row_count - 1);
		snprintf(line, sizeof(line), "%c%u %s", kinds[row->kind], row->length,
			 code_rows_text(&result.rows, row));
		assert_string_equal(line, expected[i]);
	}
	assert_int_equal(result.rows.header->row_count, i);
	free(result.bytes);
}

#ifdef __aarch64__
#define STP  0xa9bf7bfdu
#define NOP  0xd503201fu
#define RET  0xd65f03c0u
#define CBZ  0xb4000040u	/* x0, two words on */
#define BL   0x94000000u	/* to itself */
#define ADRP 0xb0000000u	/* x0, the next page */
#define ADD  0x91002000u	/* x0, x0, #8 */
#define UDF  0u			/* none for the decoder */

#define STP_ROW "p4 stp    x29, x30, [sp, #-0x10]!"

#define WORDS(...)                                                                                \
	(const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ })
#define EXPECT_ROWS(words, ...)                                                                   \
	expect_rows(ask_bytes(words), (const char *const[]){ __VA_ARGS__, NULL })

static void test_each_instruction_is_a_row(void **state)
{
	(void)state;
	EXPECT_ROWS(WORDS(STP, CBZ, NOP, RET), STP_ROW, "b4 cbz    x0", "p4 nop", "r4 ret");
}

/* Three words are a row of 8 bytes and one of 4. */
static void test_bytes_that_are_none_are_rows_of_data(void **state)
{
	const uint32_t cut[] = { RET, STP };

	(void)state;
	EXPECT_ROWS(WORDS(STP, UDF, RET), STP_ROW, "d4 .byte 0x00,0x00,0x00,0x00", "r4 ret");
	EXPECT_ROWS(WORDS(UDF, UDF, UDF, RET), "d8 .byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00",
		    "d4 .byte 0x00,0x00,0x00,0x00", "r4 ret");
	expect_rows(ask_bytes(cut, 7),
		    (const char *const[]){ "r4 ret", "d3 .byte 0xfd,0x7b,0xbf", NULL });
}

static void test_what_nobody_runs_between_functions_is_padding(void **state)
{
	(void)state;
	/* After a return, up to an aligned address. */
	EXPECT_ROWS(WORDS(RET, NOP, STP), "r4 ret", "x4 nop", STP_ROW);
	/* Not up to one: a place for a static key. */
	EXPECT_ROWS(WORDS(RET, NOP, NOP, STP), "r4 ret", "p4 nop", "p4 nop", STP_ROW);
	/* After a call only at the end: it may return. */
	EXPECT_ROWS(WORDS(BL, NOP, NOP), "c4 bl", "x4 nop", "x4 nop");
	EXPECT_ROWS(WORDS(BL, NOP, STP), "c4 bl", "p4 nop", STP_ROW);
	/* Elsewhere a nop is an instruction. */
	EXPECT_ROWS(WORDS(STP, NOP, NOP, NOP), STP_ROW, "p4 nop", "p4 nop", "p4 nop");
	EXPECT_ROWS(WORDS(NOP, RET), "p4 nop", "r4 ret");
}

/* cbz goes to the nop after the return, which therefore is run. */
static void test_filler_that_is_jumped_to_is_no_padding(void **state)
{
	(void)state;
	EXPECT_ROWS(WORDS(CBZ, RET, NOP, NOP, STP), "b4 cbz    x0", "r4 ret", "p4 nop", "p4 nop",
		    STP_ROW);
}

static void test_targets_are_addresses_where_the_code_runs(void **state)
{
	struct result result = ask_bytes(WORDS(BL, ADRP));

	(void)state;
	assert_int_equal(result.err, 0);
	assert_int_equal(result.rows.header->machine, MACHINE_AARCH64);
	assert_true(result.rows.rows[0].address == ADDRESS);
	assert_true(result.rows.rows[0].target == ADDRESS);
	assert_int_equal(result.rows.rows[0].flags, CODE_HAS_TARGET);
	assert_true(result.rows.rows[1].address == ADDRESS + 4);
	assert_true(result.rows.rows[1].target == ADDRESS + 0x1000);
	assert_int_equal(result.rows.rows[1].flags, CODE_REFERS);
	free(result.bytes);
}

static void test_equal_texts_are_there_once(void **state)
{
	struct result result = ask_bytes(WORDS(RET, NOP, RET, RET));

	(void)state;
	assert_int_equal(result.err, 0);
	assert_int_equal(result.rows.rows[0].text, result.rows.rows[2].text);
	assert_int_equal(result.rows.rows[0].text, result.rows.rows[3].text);
	assert_int_equal(result.rows.header->string_bytes, sizeof("ret") + sizeof("nop"));
	free(result.bytes);
}

static void test_a_pair_that_is_fused_is_in_one_range(void **state)
{
	const struct code_query query = {
		.machine = MACHINE_AARCH64, .range_count = 3,
		.ranges = { { ADDRESS, 0, 8 }, { ADDRESS, 0, 4 }, { ADDRESS + 4, 4, 4 } },
	};
	const int file = file_of(WORDS(ADRP, ADD));
	struct result result = ask(file, &query);

	(void)state;
	assert_int_equal(result.err, 0);
	assert_int_equal(result.rows.header->row_count, 4);
	assert_int_equal(result.rows.rows[0].flags, CODE_FUSES | CODE_REFERS);
	assert_true(result.rows.rows[1].target == ADDRESS + 0x1008);
	assert_int_equal(result.rows.rows[2].flags, CODE_REFERS);
	assert_true(result.rows.rows[3].address == ADDRESS + 4);
	free(result.bytes);
	close(file);
}

/* `inside` has a call to a function, a load of a variable in another segment, and a jump to an
 * address that the file does not have. */
static const char source[] =
	".text\n.globl _start, inside, after\n"
	"_start: ret\n"
	".p2align 4\n"
	"inside: bl after\n ldr w0, variable\n b far_away\n"
	".p2align 4\n"
	"after: cmp w0, w1\n b.eq after\n ret\n"
	".data\n.globl variable\nvariable: .quad 0x6c6261697261765f\n"
	".globl far_away\n.set far_away, 0x700000\n";

#define OTHER_MACHINE MACHINE_X86_64
#define OUTSIDE	      "b 0x700000"
#define AFTER_BYTES   12		/* the code at `after` */
#define COMPARE_FLAGS 0
#define BRANCH	      "b.eq"
#else
#define EXPECT_ROWS(bytes, ...)                                                                   \
	expect_rows(ask_bytes(bytes, sizeof(bytes) - 1),                                          \
		    (const char *const[]){ __VA_ARGS__, NULL })

static void test_each_instruction_is_a_row(void **state)
{
	(void)state;
	EXPECT_ROWS("\x55\x48\x89\xe5\x74\x01\x55\xc3", "p1 push   %rbp", "p3 mov    %rsp,%rbp",
		    "b2 je", "p1 push   %rbp", "r1 ret");
}

/* 06 and 07 are no instructions in 64 bits; 13 of them are a row of 8 and one of 5. */
static void test_bytes_that_are_none_are_rows_of_data(void **state)
{
	(void)state;
	EXPECT_ROWS("\x55\x06\x07\xc3", "p1 push   %rbp", "d2 .byte 0x06,0x07", "r1 ret");
	EXPECT_ROWS("\x06\x06\x06\x06\x06\x06\x06\x06\x07\x07\x07\x07\x07\xc3",
		    "d8 .byte 0x06,0x06,0x06,0x06,0x06,0x06,0x06,0x06",
		    "d5 .byte 0x07,0x07,0x07,0x07,0x07", "r1 ret");
	EXPECT_ROWS("\x48\x8d\x04", "d3 .byte 0x48,0x8d,0x04");
}

/* Prefix, map and operands tell where such an instruction ends. c4 e2 .. e2: cmpbxadd, e6 is free;
 * EVEX in map 5: f0 is free, here with an address of 6 bytes. */
static void test_instructions_newer_than_the_decoder_are_one_row_each(void **state)
{
	(void)state;
	EXPECT_ROWS("\x55\xc4\xe2\xe1\xe2\x01\x90\xc3", "p1 push   %rbp",
		    "d5 .byte 0xc4,0xe2,0xe1,0xe2,0x01", "p1 nop", "r1 ret");
	EXPECT_ROWS("\x62\xf5\x7c\x48\xf0\x84\x88\x00\x01\x00\x00\xc3",
		    "d11 .byte 0x62,0xf5,0x7c,0x48,0xf0,0x84,0x88,0x00,0x01,0x00,0x00", "r1 ret");
	/* With a number: opcode 0f of map 3 is palignr, fe is free. */
	EXPECT_ROWS("\xc4\xe3\x71\xfe\xc1\x05\xc3", "d6 .byte 0xc4,0xe3,0x71,0xfe,0xc1,0x05",
		    "r1 ret");
	/* Data, as no instruction follows. */
	EXPECT_ROWS("\xc4\xe2\xe1\xe2\x01\x06\x06\x06", "d1 .byte 0xc4", "b2 loop",
		    "b2 loop", "d3 .byte 0x06,0x06,0x06");
}

static void test_what_nobody_runs_between_functions_is_padding(void **state)
{
	(void)state;
	/* After a return, up to an aligned address. */
	EXPECT_ROWS("\xc3\x90\x66\x0f\x1f\x44\x00\x00\x55", "r1 ret", "x1 nop",
		    "x6 nopw   (%rax,%rax,1)", "p1 push   %rbp");
	/* Not up to one: a place for a static key. */
	EXPECT_ROWS("\xc3\x0f\x1f\x44\x00\x00\x55", "r1 ret", "p5 nopl   (%rax,%rax,1)",
		    "p1 push   %rbp");
	/* int3 stops speculation after a return. */
	EXPECT_ROWS("\xc3\xcc\x55", "r1 ret", "x1 int3", "p1 push   %rbp");
	/* After a call only at the end: it may return. */
	EXPECT_ROWS("\xe8\xfb\xff\xff\xff\x90\x66\x90", "c5 call", "x1 nop", "x2 nop");
	EXPECT_ROWS("\xe8\xfb\xff\xff\xff\x90\x66\x90\x55", "c5 call", "p1 nop", "p2 nop",
		    "p1 push   %rbp");
	/* Elsewhere a nop is an instruction. */
	EXPECT_ROWS("\x55\x90\x90\x90\x90\x90\x90\x90", "p1 push   %rbp", "p1 nop", "p1 nop",
		    "p1 nop", "p1 nop", "p1 nop", "p1 nop", "p1 nop");
	EXPECT_ROWS("\x90\xc3", "p1 nop", "r1 ret");
}

/* je goes to the nop after the return, which therefore is run. */
static void test_filler_that_is_jumped_to_is_no_padding(void **state)
{
	(void)state;
	EXPECT_ROWS("\x74\x01\xc3\x90\x0f\x1f\x40\x00\x55", "b2 je", "r1 ret", "p1 nop",
		    "p4 nopl   (%rax)", "p1 push   %rbp");
}

static void test_targets_are_addresses_where_the_code_runs(void **state)
{
	struct result result = ask_bytes("\xe8\xfb\xff\xff\xff\x48\x8d\x05\x10\0\0\0", 12);

	(void)state;
	assert_int_equal(result.err, 0);
	assert_int_equal(result.rows.header->machine, MACHINE_X86_64);
	assert_true(result.rows.rows[0].address == ADDRESS);
	assert_true(result.rows.rows[0].target == ADDRESS);
	assert_int_equal(result.rows.rows[0].flags, CODE_HAS_TARGET);
	assert_true(result.rows.rows[1].address == ADDRESS + 5);
	assert_true(result.rows.rows[1].target == ADDRESS + 12 + 16);
	assert_int_equal(result.rows.rows[1].flags, CODE_REFERS);
	free(result.bytes);
}

static void test_equal_texts_are_there_once(void **state)
{
	struct result result = ask_bytes("\x55\x90\x55\x55", 4);

	(void)state;
	assert_int_equal(result.err, 0);
	assert_int_equal(result.rows.rows[0].text, result.rows.rows[2].text);
	assert_int_equal(result.rows.rows[0].text, result.rows.rows[3].text);
	assert_int_equal(result.rows.header->string_bytes, sizeof("push   %rbp") + sizeof("nop"));
	free(result.bytes);
}

static void test_a_pair_that_is_fused_is_in_one_range(void **state)
{
	const struct code_query query = {
		.machine = MACHINE_X86_64, .range_count = 3,
		.ranges = { { ADDRESS, 0, 4 }, { ADDRESS, 0, 2 }, { ADDRESS + 2, 2, 2 } },
	};
	const int file = file_of("\x39\xd8\x74\x00", 4);	/* cmp; je */
	struct result result = ask(file, &query);

	(void)state;
	assert_int_equal(result.err, 0);
	assert_int_equal(result.rows.header->row_count, 4);
	assert_int_equal(result.rows.rows[0].flags, CODE_FUSES);
	assert_int_equal(result.rows.rows[2].flags, 0);
	assert_true(result.rows.rows[3].address == ADDRESS + 2);
	free(result.bytes);
	close(file);
}

/* `inside` has a call to a function, a load of a variable in another segment, and a jump to an
 * address that the file does not have. */
static const char source[] =
	".text\n.globl _start, inside, after\n"
	"_start: ret\n"
	".p2align 4\n"
	"inside: call after\n mov variable(%rip), %eax\n jmp far_away\n"
	".p2align 4\n"
	"after: cmp %eax, %ebx\n je after\n ret\n"
	".data\n.globl variable\nvariable: .quad 0x6c6261697261765f\n"
	".set far_away, 0x700000\n";

#define OTHER_MACHINE MACHINE_AARCH64
#define OUTSIDE	      "jmp 0x700000"
#define AFTER_BYTES   5
#define COMPARE_FLAGS CODE_FUSES
#define BRANCH	      "je"
#endif

static int set_up(void **state)
{
	if (elf_fixture_make_directory(state))
		return -1;
	elf_fixture_write("code.s", source, sizeof(source) - 1);
	return elf_fixture_run("cc -nostdlib -static -no-pie -o code code.s") ? 0 : -1;
}

static uint64_t offset_of(const char *symbol)
{
	const struct elf_loads loads = elf_fixture_loads(elf_fixture_path("code"));
	uint64_t offset;

	assert_true(elf_fixture_to_offset(&loads,
					  elf_fixture_vaddr(elf_fixture_path("code"), symbol),
					  &offset));
	return offset;
}

/* Where the file has the variable's value. */
static uint64_t offset_of_variable(void)
{
	struct elf_bytes_copy file = elf_fixture_read(elf_fixture_path("code"));
	const unsigned char *found = memmem(file.at, file.count, "_variabl", 8);
	const uint64_t offset = (uint64_t)(found - file.at);

	assert_non_null(found);
	free(file.at);
	return offset;
}

static struct code_query query_of(uint64_t offset, uint64_t bytes)
{
	return (struct code_query){ .range_count = 1, .ranges = { { offset, offset, bytes } } };
}

static void test_targets_in_a_file_are_offsets(void **state)
{
	const uint64_t begin = offset_of("inside");
	const struct code_query query = query_of(begin, 16);
	const int file = open(elf_fixture_path("code"), O_RDONLY | O_CLOEXEC);
	struct result result = ask(file, &query);
	const struct code_row *rows = result.rows.rows;

	(void)state;
	assert_int_equal(result.err, 0);
	assert_int_equal(result.rows.header->machine, MACHINE_OWN);
	assert_int_equal(rows[0].address, begin);
	assert_int_equal(rows[0].flags, CODE_HAS_TARGET);
	assert_int_equal(rows[0].target, offset_of("after"));
	assert_int_equal(rows[1].flags, CODE_REFERS);
	assert_int_equal(rows[1].target, offset_of_variable());
	assert_int_equal(rows[2].flags, 0);
	assert_int_equal(rows[2].target, 0);
	assert_string_equal(code_rows_text(&result.rows, &rows[2]), OUTSIDE);
	free(result.bytes);
	close(file);
}

static void expect_error(int file, const struct code_query *query, int err, const char *why)
{
	const struct result result = ask(file, query);

	assert_int_equal(result.err, err);
	if (why)
		assert_string_equal(result.why.text, why);
}

static void test_ranges_that_are_not_in_the_file_are_refused(void **state)
{
	const int file = open(elf_fixture_path("code"), O_RDONLY | O_CLOEXEC);
	struct code_query query = query_of(0x7000000, 16);

	(void)state;
	expect_error(file, &query, -EBADMSG, "the file has no code at 0x7000000");
	query = query_of(offset_of("inside"), 0x10000);
	expect_error(file, &query, -EBADMSG, NULL);
	query = query_of(0, 16);
	query.machine = MACHINE_OWN;
	query.ranges[0].offset = 0x7000000;
	query.ranges[0].address = ADDRESS;
	expect_error(file, &query, -EBADMSG, "its code at 0x7000000 can't be read");
	close(file);
}

static void test_queries_that_make_no_sense_are_refused(void **state)
{
	const int file = file_of("\xc3", 1);
	const struct code_query good = {
		.machine = MACHINE_OWN, .range_count = 1, .ranges = { { ADDRESS, 0, 1 } },
	};
	struct code_query query = good;

	(void)state;
	query.machine = MACHINES;
	expect_error(file, &query, -EINVAL, NULL);
	query = good;
	query.machine = OTHER_MACHINE;
	expect_error(file, &query, -ENOTSUP, NULL);
	query = good;
	query.machine = MACHINE_UNKNOWN;
	expect_error(file, &query, -EINVAL, NULL);	/* address != offset */
	query.ranges[0].address = 0;
	expect_error(file, &query, -ENOEXEC, NULL);
	query = good;
	query.range_count = 0;
	expect_error(file, &query, -EINVAL, NULL);
	query.range_count = CODE_RANGES_MAX + 1;
	expect_error(file, &query, -EINVAL, NULL);
	query = good;
	query.ranges[0].bytes = 0;
	expect_error(file, &query, -EINVAL, NULL);
	query.ranges[0].bytes = CODE_RANGE_BYTES_MAX + 1;
	expect_error(file, &query, -EINVAL, NULL);
	query = good;
	query.ranges[0].address = UINT64_MAX;
	expect_error(file, &query, -EINVAL, NULL);
	query = good;
	query.ranges[0].offset = INT64_MAX;
	expect_error(file, &query, -EINVAL, NULL);
	query = good;
	query.range_count = 2;
	query.ranges[1] = (struct code_range){ ADDRESS, 0, CODE_RANGE_BYTES_MAX };
	expect_error(file, &query, -EINVAL, NULL);
	close(file);
}

/* The most that may be asked for, in random bytes: every row passes the check, and a second job
 * that begins at any row has the rows that follow it. */
static void test_random_bytes_become_rows(void **state)
{
	uint8_t *bytes = malloc(CODE_RANGE_BYTES_MAX);
	uint64_t seed = 23;
	struct result result;

	(void)state;
	for (size_t i = 0; i < CODE_RANGE_BYTES_MAX; i++)
		bytes[i] = (uint8_t)random_below(&seed, 256);
	result = ask_bytes(bytes, CODE_RANGE_BYTES_MAX);
	assert_int_equal(result.err, 0);
	assert_in_range(result.rows.header->row_count, CODE_RANGE_BYTES_MAX / 15,
			CODE_RANGE_BYTES_MAX);
	free(result.bytes);
	free(bytes);
}

/* By the door that the program uses: a confined worker. */
static void test_a_worker_does_the_job(void **state)
{
	const struct code_query query = query_of(offset_of("after"), AFTER_BYTES);
	struct sandbox_request job = { .kind = SANDBOX_CODE, .input_count = 2 };
	struct sandbox_bytes reply;
	struct sandbox *sandbox;
	struct code_rows rows;

	(void)state;
	job.inputs[0] = open(elf_fixture_path("code"), O_RDONLY | O_CLOEXEC);
	job.inputs[1] = sandbox_seal("query", &query, sizeof(query));
	assert_int_equal(sandbox_start(&sandbox, worker_run, NULL), 0);
	assert_int_equal(sandbox_run(sandbox, &job, &reply, NULL), 0);
	assert_int_equal(code_rows_check(&rows, reply.bytes, reply.count, &query, NULL), 0);
	assert_int_equal(rows.header->row_count, 3);
	assert_int_equal(rows.rows[0].flags, COMPARE_FLAGS);
	assert_string_equal(code_rows_text(&rows, &rows.rows[1]), BRANCH);
	assert_int_equal(rows.rows[1].target, query.ranges[0].address);
	sandbox_bytes_finish(&reply);
	sandbox_stop(sandbox);
	close(job.inputs[0]);
	close(job.inputs[1]);
}

UNIT_TESTS(test_code_job)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_instruction_is_a_row),
		cmocka_unit_test(test_bytes_that_are_none_are_rows_of_data),
#ifdef __x86_64__
		cmocka_unit_test(test_instructions_newer_than_the_decoder_are_one_row_each),
#endif
		cmocka_unit_test(test_what_nobody_runs_between_functions_is_padding),
		cmocka_unit_test(test_filler_that_is_jumped_to_is_no_padding),
		cmocka_unit_test(test_targets_are_addresses_where_the_code_runs),
		cmocka_unit_test(test_equal_texts_are_there_once),
		cmocka_unit_test(test_a_pair_that_is_fused_is_in_one_range),
		cmocka_unit_test(test_targets_in_a_file_are_offsets),
		cmocka_unit_test(test_ranges_that_are_not_in_the_file_are_refused),
		cmocka_unit_test(test_queries_that_make_no_sense_are_refused),
		cmocka_unit_test(test_random_bytes_become_rows),
		cmocka_unit_test(test_a_worker_does_the_job),
	};

	return cmocka_run_group_tests(tests, set_up, elf_fixture_remove_directory);
}
