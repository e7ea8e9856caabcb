/* Functions without a symbol: found by their unwind entries, of a stripped program whose code and
 * entries are written by hand. Where each begins is what nm(1) said before it was stripped. */
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "elf_fixture.h"
#include "sandbox/probe_points.h"
#include "sandbox/sandbox.h"
#include "unit_tests.h"

/* `part` is entered by a jump from a function that has a frame of 48 bytes; `alone` has no entry;
 * nobody calls _start, whose entry does not say so, as musl's. */
#ifdef __aarch64__
static const char source[] =
	".text\n"
	"_start: .cfi_startproc\n mov x29, #0\n bl function\n brk #0\n .cfi_endproc\n"
	"function: .cfi_startproc\n str x19, [sp, #-16]!\n .cfi_def_cfa_offset 16\n"
	" .cfi_offset 19, -16\n mov x19, x0\n ldr x19, [sp], #16\n .cfi_restore 19\n"
	" .cfi_def_cfa_offset 0\n ret\n .cfi_endproc\n"
	"part: .cfi_startproc\n .cfi_def_cfa_offset 48\n str x0, [sp, #-16]!\n brk #0\n"
	" .cfi_endproc\n"
	"last: .cfi_startproc\n .cfi_undefined 30\n hint #34\n brk #0\n .cfi_endproc\n"
	"alone: ret\n"
	".globl _start\n";

#define SECOND	  4		/* where the second instruction of `function` begins, */
#define IN_SECOND 6		/* a place inside of it, */
#define BYTES	  16		/* and where `function` ends */
#define SAVE	  "str x19, [sp, #-0x10]!"
#define MOVE	  "mov x19, x0"
#define WHOLE	  (POINT_CODE_KNOWN | POINT_CODE_BORDER | POINT_CODE_FUNCTION)
#define MARKED	  WHOLE		/* `last`, which begins with BTI C or ENDBR64 */
#else
static const char source[] =
	".text\n"
	"_start: .cfi_startproc\n xor %ebp, %ebp\n call function\n hlt\n .cfi_endproc\n"
	"function: .cfi_startproc\n push %rbx\n .cfi_def_cfa_offset 16\n .cfi_offset 3, -16\n"
	" mov %rdi, %rbx\n pop %rbx\n .cfi_def_cfa_offset 8\n ret\n .cfi_endproc\n"
	"part: .cfi_startproc\n .cfi_def_cfa_offset 48\n push %rax\n ud2\n"
	" .cfi_endproc\n"
	"last: .cfi_startproc\n .cfi_undefined rip\n endbr64\n hlt\n .cfi_endproc\n"
	"alone: ret\n"
	".globl _start\n";

#define SECOND	  1
#define IN_SECOND 2
#define BYTES	  6
#define SAVE	  "push %rbx"
#define MOVE	  "mov %rdi,%rbx"
#define WHOLE	  (POINT_CODE_KNOWN | POINT_CODE_BORDER | POINT_CODE_EMULATED | POINT_CODE_FUNCTION)
#define MARKED	  (WHOLE - POINT_CODE_EMULATED)
#endif

static struct sandbox *sandbox;

static int set_up(void **state)
{
	if (elf_fixture_make_directory(state) || sandbox_start(&sandbox, worker_run, NULL))
		return -1;
	elf_fixture_write("code.s", source, sizeof(source) - 1);
	return elf_fixture_run("cc -nostdlib -static -o named code.s && cp named code && "
			       "strip -s code") ? 0 : -1;
}

static int tear_down(void **state)
{
	sandbox_stop(sandbox);
	return elf_fixture_remove_directory(state);
}

static uint64_t address_of(const char *symbol)
{
	return elf_fixture_vaddr(elf_fixture_path("named"), symbol);
}

struct found {
	struct point_site site;
	char instruction[32], first[32];
	char why[256];		/* "": the site was found */
};

static struct found ask(const char *program, const char *prefix, uint64_t vaddr, uint64_t offset)
{
	struct sandbox_request job = { .kind = SANDBOX_POINTS, .input_count = 2 };
	struct point_query query = { .functions_max = 1, .memory_bytes = UINT64_MAX,
				     .offset = offset };
	struct found found = { .why = "" };
	struct point_reply reply;
	struct sandbox_bytes sealed;
	struct diag why = { .err = 0 };

	snprintf(query.function, sizeof(query.function), "%s%" PRIx64, prefix, vaddr);
	job.inputs[0] = open(elf_fixture_path(program), O_RDONLY | O_CLOEXEC);
	job.inputs[1] = memfd_create("query", MFD_CLOEXEC);
	assert_int_equal(write(job.inputs[1], &query, sizeof(query)), sizeof(query));
	if (sandbox_run(sandbox, &job, &sealed, &why)) {
		snprintf(found.why, sizeof(found.why), "%s", why.text);
	} else {
		assert_int_equal(point_reply_check(&reply, sealed.bytes, sealed.count, &query,
						   &why), 0);
		assert_int_equal(reply.header->site_count, 1);
		found.site = reply.sites[0];
		snprintf(found.instruction, sizeof(found.instruction), "%s",
			 point_reply_text(&reply, found.site.instruction));
		snprintf(found.first, sizeof(found.first), "%s",
			 point_reply_text(&reply, found.site.first));
	}
	sandbox_bytes_finish(&sealed);
	close(job.inputs[0]);
	close(job.inputs[1]);
	return found;
}

static uint64_t offset_of(const char *program, uint64_t vaddr)
{
	const struct elf_loads loads = elf_fixture_loads(elf_fixture_path(program));
	uint64_t offset;

	assert_true(elf_fixture_to_offset(&loads, vaddr, &offset));
	return offset;
}

static void expect_start(const char *prefix, const char *symbol, enum point_start start)
{
	const struct found found = ask("code", prefix, address_of(symbol), 0);

	assert_string_equal(found.why, "");
	assert_int_equal(found.site.offset, offset_of("code", address_of(symbol)));
	assert_int_equal(found.site.begin, found.site.offset);
	assert_int_equal(found.site.start, start);
}

static void test_a_function_is_found_by_its_row_and_by_its_address(void **state)
{
	(void)state;
	expect_start("fn_", "function", POINT_START_CALLED);
	expect_start("0x", "function", POINT_START_CALLED);
}

static void test_what_is_not_called_is_told_apart(void **state)
{
	(void)state;
	expect_start("fn_", "part", POINT_START_UNCALLED);
	expect_start("fn_", "last", POINT_START_UNCALLED);
	expect_start("fn_", "_start", POINT_START_UNCALLED);
}

static void test_an_offset_counts_from_the_begin(void **state)
{
	const uint64_t begin = address_of("function");
	const struct found found = ask("code", "fn_", begin, SECOND);
	char wanted[80];

	(void)state;
	assert_string_equal(found.why, "");
	assert_int_equal(found.site.offset, offset_of("code", begin) + SECOND);
	assert_int_equal(found.site.begin, offset_of("code", begin));
	assert_int_equal(found.site.bytes, BYTES);
	snprintf(wanted, sizeof(wanted), "has %d bytes of code, %d is out", BYTES, BYTES);
	assert_non_null(strstr(ask("code", "fn_", begin, BYTES).why, wanted));
}

static void test_a_site_has_the_instruction_that_contains_it(void **state)
{
	const uint64_t begin = address_of("function");
	struct found found = ask("code", "fn_", begin, 0);

	(void)state;
	assert_int_equal(found.site.code, WHOLE);
	assert_string_equal(found.instruction, SAVE);
	found = ask("code", "fn_", begin, IN_SECOND);
	assert_int_equal(found.site.code, POINT_CODE_KNOWN | POINT_CODE_FUNCTION);
	assert_string_equal(found.instruction, MOVE);
	assert_string_equal(found.first, SAVE);
	found = ask("code", "fn_", address_of("last"), 0);
	assert_int_equal(found.site.code, MARKED);
	assert_int_equal(found.site.skip, 0);
}

static void test_an_address_inside_names_the_function(void **state)
{
	const uint64_t begin = address_of("function");
	char wanted[80];

	(void)state;
	snprintf(wanted, sizeof(wanted), "is inside a function: write fn_%" PRIx64 "+1", begin);
	assert_non_null(strstr(ask("code", "0x", begin + 1, 0).why, wanted));
	assert_non_null(strstr(ask("named", "0x", begin + 1, 0).why, "write function+1"));
}

static void test_code_without_an_entry_is_no_function(void **state)
{
	(void)state;
	assert_non_null(strstr(ask("code", "fn_", address_of("alone"), 0).why, "no function begins"
			       " at"));
	assert_non_null(strstr(ask("code", "0x", 1, 0).why, "no function begins at 0x1"));
}

/* Also one that no entry covers, and whose entry is of no matter. */
static void test_the_address_of_a_symbol_means_its_function(void **state)
{
	(void)state;
	assert_int_equal(ask("named", "0x", address_of("alone"), 0).site.start,
			 POINT_START_SYMBOL);
	assert_int_equal(ask("named", "0x", address_of("part"), 0).site.start,
			 POINT_START_SYMBOL);
}

UNIT_TESTS(test_point_entries)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_function_is_found_by_its_row_and_by_its_address),
		cmocka_unit_test(test_what_is_not_called_is_told_apart),
		cmocka_unit_test(test_an_offset_counts_from_the_begin),
		cmocka_unit_test(test_a_site_has_the_instruction_that_contains_it),
		cmocka_unit_test(test_an_address_inside_names_the_function),
		cmocka_unit_test(test_code_without_an_entry_is_no_function),
		cmocka_unit_test(test_the_address_of_a_symbol_means_its_function),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
