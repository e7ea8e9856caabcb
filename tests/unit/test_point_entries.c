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

#include "elf_fixture.h"
#include "sandbox/probe_points.h"
#include "sandbox/sandbox.h"

/* `part` is entered by a jump from a function that has a frame of 48 bytes; `alone` has no entry;
 * nobody calls _start, whose entry does not say so, as musl's. */
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

static struct sandbox *sandbox;

static int set_up(void **state)
{
	if (elf_fixture_make_directory(state) || sandbox_start(&sandbox, NULL))
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
	struct point point;
	char why[256];		/* "": the point was found */
};

static struct found ask(const char *program, const char *prefix, uint64_t vaddr, uint64_t offset)
{
	struct sandbox_request job = { .kind = SANDBOX_POINTS, .input_count = 2 };
	struct point_query query = { .functions_max = 1, .memory_bytes = UINT64_MAX,
				     .offset = offset };
	struct found found = { .why = "" };
	struct point_answer answer;
	struct sandbox_bytes reply;
	struct diag why = { .err = 0 };

	snprintf(query.function, sizeof(query.function), "%s%" PRIx64, prefix, vaddr);
	job.inputs[0] = open(elf_fixture_path(program), O_RDONLY | O_CLOEXEC);
	job.inputs[1] = memfd_create("query", MFD_CLOEXEC);
	assert_int_equal(write(job.inputs[1], &query, sizeof(query)), sizeof(query));
	if (sandbox_run(sandbox, &job, &reply, &why)) {
		snprintf(found.why, sizeof(found.why), "%s", why.text);
	} else {
		assert_int_equal(point_answer_check(&answer, reply.bytes, reply.count, &query,
						    &why), 0);
		assert_int_equal(answer.header->point_count, 1);
		found.point = answer.points[0];
	}
	sandbox_bytes_finish(&reply);
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
	assert_int_equal(found.point.offset, offset_of("code", address_of(symbol)));
	assert_int_equal(found.point.begin, found.point.offset);
	assert_int_equal(found.point.start, start);
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
	const struct found found = ask("code", "fn_", begin, 1);

	(void)state;
	assert_string_equal(found.why, "");
	assert_int_equal(found.point.offset, offset_of("code", begin) + 1);
	assert_int_equal(found.point.begin, offset_of("code", begin));
	assert_int_equal(found.point.bytes, 6);
	assert_non_null(strstr(ask("code", "fn_", begin, 6).why, "has 6 bytes of code, 6 is out"));
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
	assert_int_equal(ask("named", "0x", address_of("alone"), 0).point.start,
			 POINT_START_SYMBOL);
	assert_int_equal(ask("named", "0x", address_of("part"), 0).point.start,
			 POINT_START_SYMBOL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_function_is_found_by_its_row_and_by_its_address),
		cmocka_unit_test(test_what_is_not_called_is_told_apart),
		cmocka_unit_test(test_an_offset_counts_from_the_begin),
		cmocka_unit_test(test_an_address_inside_names_the_function),
		cmocka_unit_test(test_code_without_an_entry_is_no_function),
		cmocka_unit_test(test_the_address_of_a_symbol_means_its_function),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
