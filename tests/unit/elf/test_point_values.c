/* Values of programs with debug information, as a worker says how to fetch them. Where members and
 * arguments are is known by hand: System V ABI, AMD64, 3.1.2 and 3.2.3, AAPCS64, 5 and 6.8.2;
 * statics by nm. */
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

static const char c_source[] =
	"struct item { int id, size; char label[4][16]; int parts[4]; };\n"
	"static const char *title = \"a\";\n"
	"static struct item *first;\n"
	"static int row[7];\n"
	"char names[4][16]; int grid[3][5];\n"
	"int work(struct item *item) { return item->id + title[0] + first->id + row[0]; }\n"
	"long five(long a, long b, long c, long d, long e, __int128 big, long last)\n"
	"{ return a + b + c + d + e + (long)big + last; }\n"
	"long six(long a, long b, long c, long d, long e, long f, __int128 big, long last)\n"
	"{ return five(a, b, c, d, e, f, last) + (long)big; }\n"
	"long seven(long u, long v, long w, long x, long y, long a, long b, long c)\n"
	"{ return u + v + w + x + y + a * b + c; }\n"
	"long odd(long a, __int128 big, long last) { return a + (long)big + last; }\n"
	"long full(long a, long b, long c, long d, long e, long f, long g, __int128 big,\n"
	" long last) { return a + b + c + d + e + f + g + (long)big + last; }\n"
	"long many(long a, long b, long c, long d, long e, long f, long g, long h, long i,\n"
	" long j) { return a * b + c + d + e + f + g + h * i + j; }\n"
	"long large(struct item i, long u, long v, long w, long x, long y, long a, long b)\n"
	"{ return i.id + u + v + w + x + y + a * b; }\n"
	"int main(void) { return work(first); }\n";

/* DWARF 4 has `shared` among the members. */
static const char cpp_source[] =
	"struct base { int in_base; };\n"
	"struct left { long l; }; struct right { int r : 3, s; };\n"
	"struct item : virtual base { static int shared; int own; };\n"
	"struct both : left, right { int b; union { int i; char c; }; };\n"
	"union either { int i; long l; };\n"
	"int item::shared = 7;\n"
	"extern \"C\" int work(item *item, both *both, either *either)\n"
	"{ return item->own + item->in_base + item->shared + both->r + either->i; }\n"
	"int main() { item one{}; both two{}; either three{}; return work(&one, &two, &three); }\n";

static struct sandbox *sandbox;

static int set_up(void **state)
{
	if (elf_fixture_make_directory(state) || sandbox_start(&sandbox, worker_run, NULL))
		return -1;
	elf_fixture_write("c.c", c_source, sizeof(c_source) - 1);
	return elf_fixture_run("cc -O0 -g -o c c.c") ? 0 : -1;
}

static int tear_down(void **state)
{
	sandbox_stop(sandbox);
	return elf_fixture_remove_directory(state);
}

/* What is fetched for @value, of type @type if that is not "", where @function begins, or why it is
 * not. */
static const char *ask_typed(const char *program, const char *function, const char *value,
			     const char *type)
{
	static char text[256];
	struct sandbox_request job = { .kind = SANDBOX_POINTS, .input_count = 2 };
	struct point_query query = { .functions_max = 1, .memory_bytes = UINT64_MAX,
				     .argument_count = 1 };
	struct point_reply reply;
	struct sandbox_bytes sealed;
	struct diag why = { .err = 0 };

	strcpy(query.function, function);
	strcpy(query.arguments[0].value, value);
	strcpy(query.arguments[0].type, type);
	job.inputs[0] = open(elf_fixture_path(program), O_RDONLY | O_CLOEXEC);
	job.inputs[1] = memfd_create("query", MFD_CLOEXEC);
	assert_int_equal(write(job.inputs[1], &query, sizeof(query)), sizeof(query));
	if (sandbox_run(sandbox, &job, &sealed, &why) ||
	    point_reply_check(&reply, sealed.bytes, sealed.count, &query, &why))
		fail_msg("%s: %s", value, why.text);
	assert_int_equal(reply.header->site_count, 1);
	snprintf(text, sizeof(text), "%s%s", point_reply_text(&reply, reply.values[0].fetch),
		 point_reply_text(&reply, reply.values[0].reason));
	sandbox_bytes_finish(&sealed);
	close(job.inputs[0]);
	close(job.inputs[1]);
	return text;
}

static const char *ask(const char *program, const char *function, const char *value)
{
	return ask_typed(program, function, value, "");
}

#define EXPECT(program, function, value, wanted) \
	assert_string_equal(ask(program, function, value), wanted)

static uint64_t vaddr_of(const char *path, const char *symbol)
{
	char command[512];
	uint64_t vaddr = 0;
	FILE *nm;

	snprintf(command, sizeof(command), "nm %s | grep ' %s$'", path, symbol);
	nm = popen(command, "re");
	assert_int_equal(fscanf(nm, "%" SCNx64, &vaddr), 1);
	pclose(nm);
	return vaddr;
}

/* @format has the place of @symbol as the kernel counts it: from where the code is in the file. */
static void expect_static(const char *program, const char *value, const char *symbol,
			  const char *format)
{
	const char *path = elf_fixture_path(program);
	const struct elf_loads loads = elf_fixture_loads(path);
	const uint64_t code = vaddr_of(path, "work");
	char wanted[64];
	uint64_t offset;

	assert_true(elf_fixture_to_offset(&loads, code, &offset));
	snprintf(wanted, sizeof(wanted), format, vaddr_of(path, symbol) - code + offset);
	EXPECT(program, "work", value, wanted);
}

static void test_statics_and_what_they_point_to(void **state)
{
	(void)state;
	expect_static("c", "row[0]", "row", "@+%" PRIu64 ":s32");
	expect_static("c", "title", "title", "+0(@+%" PRIu64 "):string");
	expect_static("c", "first->size", "first", "+4(@+%" PRIu64 "):s32");
}

static void test_statics_are_found_by_the_table_of_addresses(void **state)
{
	(void)state;
	if (!elf_fixture_run("clang -O0 -g -gdwarf-5 -o table c.c"))
		skip();
	expect_static("table", "row[0]", "row", "@+%" PRIu64 ":s32");
	expect_static("table", "title", "title", "+0(@+%" PRIu64 "):string");
}

/* names[2] is 32 bytes after names, not 2. */
/* As without debug information. The element has a size of 88 bytes, but no value. */
static void test_an_index_with_a_type_means_words_of_a_struct(void **state)
{
	(void)state;
	assert_string_equal(ask_typed("c", "work", "$arg1[2]", "x64"), "+16(" ARGUMENT_1 "):x64");
	assert_string_equal(ask_typed("c", "work", "$arg1[2]", "string"),
			    "+0(+16(" ARGUMENT_1 ")):string");
	assert_string_equal(ask_typed("c", "work", "item->parts[2]", "u8"),
			    "+80(" ARGUMENT_1 "):u8");
	EXPECT("c", "work", "$arg1[2]", "a struct: take a member of it");
}

static void test_elements_are_taken_of_one_dimension_only(void **state)
{
	(void)state;
	EXPECT("c", "work", "item->parts[2]", "+80(" ARGUMENT_1 "):s32");
	EXPECT("c", "work", "item->label[1]", "'label' is an array of arrays: probes know those of"
	       " one dimension");
	EXPECT("c", "work", "names[2]", "'names' is an array of arrays: probes know those of"
	       " one dimension");
	EXPECT("c", "work", "grid[1][2]", "'grid' is an array of arrays: probes know those of"
	       " one dimension");
}

static void expect_members(const char *program, const char *flags)
{
	elf_fixture_write("cpp.cc", cpp_source, sizeof(cpp_source) - 1);
	if (!elf_fixture_run("c++ -O0 -g %s -o %s cpp.cc", flags, program))
		skip();
	EXPECT(program, "work", "item->own", "+8(" ARGUMENT_1 "):s32");
	EXPECT(program, "work", "both->l", "+0(" ARGUMENT_2 "):s64");
	EXPECT(program, "work", "both->r", "+8(" ARGUMENT_2 "):b3@0/32");
	EXPECT(program, "work", "both->s", "+12(" ARGUMENT_2 "):s32");
	EXPECT(program, "work", "both->b", "+16(" ARGUMENT_2 "):s32");
	EXPECT(program, "work", "both->i", "+20(" ARGUMENT_2 "):s32");
	EXPECT(program, "work", "either->i", "+0(" ARGUMENT_3 "):s32");
	EXPECT(program, "work", "either->l", "+0(" ARGUMENT_3 "):s64");
	EXPECT(program, "work", "item->in_base", "'in_base' has no fixed offset in item: it is of a"
	       " virtual base");
	EXPECT(program, "work", "item->shared", "item has no member 'shared'");
}

static void test_members_lie_at_their_offset_whatever_the_dwarf_version(void **state)
{
	(void)state;
	expect_members("dwarf5", "-gdwarf-5");
	expect_members("dwarf4", "-gdwarf-4");
	expect_members("dwarf2", "-gdwarf-2");	/* places are "plus N" there */
}

#ifdef __aarch64__
static void test_what_needs_two_registers_begins_with_an_even_one(void **state)
{
	(void)state;
	EXPECT("c", "odd", "a", "%x0:s64");
	EXPECT("c", "odd", "last", "%x4:s64");
	EXPECT("c", "five", "e", "%x4:s64");
	EXPECT("c", "five", "last", "+0(%sp):s64");
	EXPECT("c", "six", "f", "%x5:s64");
}

static void test_what_needs_two_registers_leaves_the_last_one_to_nobody(void **state)
{
	(void)state;
	EXPECT("c", "full", "g", "%x6:s64");
	EXPECT("c", "full", "last", "+16(%sp):s64");
}
#else
static void test_what_needs_two_registers_leaves_the_last_one_to_others(void **state)
{
	(void)state;
	EXPECT("c", "five", "e", "%r8:s64");
	EXPECT("c", "five", "last", "%r9:s64");
	EXPECT("c", "six", "f", "%r9:s64");
	EXPECT("c", "six", "last", "+24(%sp):s64");
}
#endif

/* clang says of those on the stack only where they are after the prologue. */
static void test_places_on_the_stack_are_counted_only_where_they_are_sure(void **state)
{
	(void)state;
	if (!elf_fixture_run("clang -O1 -g -o clang c.c"))
		skip();
#ifdef __aarch64__
	EXPECT("clang", "many", "h", "%x7:s64");
	EXPECT("clang", "many", "i", "$stack0:s64");
	EXPECT("clang", "many", "j", "$stack1:s64");
	EXPECT("clang", "large", "a", "%x6:s64");	/* the struct's address takes %x0 */
	EXPECT("clang", "large", "b", "%x7:s64");
	EXPECT("clang", "full", "last", "on the stack, after an argument of another size");
#else
	EXPECT("clang", "seven", "b", "$stack1:s64");
	EXPECT("clang", "seven", "c", "$stack2:s64");
	EXPECT("clang", "large", "a", "%r9:s64");
	EXPECT("clang", "large", "b", "on the stack, after an argument of another size");
	EXPECT("clang", "six", "last", "on the stack, after an argument of another size");
#endif
}

UNIT_TESTS(test_point_values)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_statics_and_what_they_point_to),
		cmocka_unit_test(test_statics_are_found_by_the_table_of_addresses),
		cmocka_unit_test(test_an_index_with_a_type_means_words_of_a_struct),
		cmocka_unit_test(test_elements_are_taken_of_one_dimension_only),
		cmocka_unit_test(test_members_lie_at_their_offset_whatever_the_dwarf_version),
#ifdef __aarch64__
		cmocka_unit_test(test_what_needs_two_registers_begins_with_an_even_one),
		cmocka_unit_test(test_what_needs_two_registers_leaves_the_last_one_to_nobody),
#else
		cmocka_unit_test(test_what_needs_two_registers_leaves_the_last_one_to_others),
#endif
		cmocka_unit_test(test_places_on_the_stack_are_counted_only_where_they_are_sure),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
