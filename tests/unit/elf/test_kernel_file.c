/* Debug files of a kernel and a module, made by the compiler of this machine: a program linked
 * where a kernel is linked, and a relocatable file. nm(1) says where the functions are in the
 * files; the tests say where they were loaded. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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

#include "elf/file_jobs.h"
#include "elf_fixture.h"
#include "sandbox/kernel_layout.h"
#include "sandbox/lines.h"
#include "sandbox/probe_points.h"
#include "sandbox/sandbox.h"
#include "unit_tests.h"

#define SLIDE	 0x1c000000ull		/* KASLR moves by 2 MiB */
#ifdef __aarch64__
#define LINKED	 0xffff800008000000ull
#define TEXT_AT	 0xffff800001123000ull	/* where the module's .text is loaded */
#define OTHER_AT 0xffff800001450000ull
#define AS_KERNEL "-mgeneral-regs-only"
#else
#define LINKED	 0xffffffff81000000ull
#define TEXT_AT	 0xffffffffc0123000ull
#define OTHER_AT 0xffffffffc0450000ull
#define AS_KERNEL "-mcmodel=kernel -fcf-protection=none"
#endif

static const char source[] =
	"struct item { int id, size; };\n"				/* 1 */
	"int counter; struct item items[2];\n"
	"static inline __attribute__((always_inline)) int twice(int number)\n"
	"{\n"
	"	int doubled = number * 2;\n"				/* 5 */
	"	__asm__ volatile(\"\" : : \"r\"(doubled));\n"
	"	return doubled + 1;\n"
	"}\n"
	"__attribute__((noinline)) int work(struct item *item, int times)\n"
	"{\n"								/* 10 */
	"	int sum = item->size + times;\n"
	"	sum += twice(sum);\n"
	"	__asm__ volatile(\"\" : : \"r\"(sum) : \"memory\");\n"
	"	return sum + counter;\n"
	"}\n"								/* 15 */
	"__attribute__((section(\".text.other\"))) int other(int number)\n"
	"{\n"
	"	return twice(number) - counter;\n"
	"}\n"
	"int _start(void) { return counter; }\n";

static struct sandbox *sandbox;

static int set_up(void **state)
{
	if (elf_fixture_make_directory(state) || sandbox_start(&sandbox, worker_run, NULL))
		return -1;
	elf_fixture_write("k.c", source, sizeof(source) - 1);
	return elf_fixture_run("cc -O1 -g -fno-pie " AS_KERNEL
			       " -fno-asynchronous-unwind-tables -c -o k.o k.c && "
			       "ld --build-id -Ttext=0x%llx --defsym=_text=0x%llx "
			       "-o vmlinux k.o && "
			       "ld -r --build-id -o m.ko k.o && "
			       "objcopy --compress-debug-sections m.ko z.ko && "
			       "objcopy --only-keep-debug m.ko debug.ko && "
			       "strip -g -o bare.ko m.ko", LINKED, LINKED) ? 0 : -1;
}

static int tear_down(void **state)
{
	sandbox_stop(sandbox);
	return elf_fixture_remove_directory(state);
}

/* The build-id of the fixture @name, by readelf. */
static struct build_id build_id_of(const char *name)
{
	struct build_id id = { .count = 0 };
	char command[512];
	unsigned int byte;
	FILE *output;

	snprintf(command, sizeof(command), "readelf -n %s | sed -n 's/.*Build ID: //p'",
		 elf_fixture_path(name));
	output = popen(command, "re");
	while (id.count < BUILD_ID_MAX_BYTES && fscanf(output, "%2x", &byte) == 1)
		id.bytes[id.count++] = (uint8_t)byte;
	pclose(output);
	assert_int_equal(id.count, BUILD_ID_MAX_BYTES);
	return id;
}

static struct kernel_layout layout_of(const char *name)
{
	struct kernel_layout layout = { .build_id = build_id_of(name) };

	if (strcmp(name, "vmlinux") == 0) {
		layout.text_address = LINKED + SLIDE;
		return layout;
	}
	strcpy(layout.module, "m");
	layout.section_count = 2;
	strcpy(layout.sections[0].name, ".text");
	layout.sections[0].address = TEXT_AT;
	strcpy(layout.sections[1].name, ".text.other");
	layout.sections[1].address = OTHER_AT;
	return layout;
}

static int seal(const void *bytes, size_t count)
{
	const int fd = sandbox_seal("input", bytes, count);

	assert_true(fd >= 0);
	return fd;
}

struct result {
	struct point_reply reply;
	struct sandbox_bytes sealed;
	struct diag why;
	int err;
};

static struct result ask(const char *name, const struct point_query *query,
			 const struct kernel_layout *layout)
{
	struct sandbox_request job = { .kind = SANDBOX_POINTS, .input_count = 3 };
	struct result result = { .why = { .err = 0 } };

	job.inputs[0] = open(elf_fixture_path(name), O_RDONLY | O_CLOEXEC);
	job.inputs[1] = seal(query, sizeof(*query));
	job.inputs[2] = seal(layout, sizeof(*layout));
	result.err = sandbox_run(sandbox, &job, &result.sealed, &result.why);
	if (!result.err && point_reply_check(&result.reply, result.sealed.bytes,
					     result.sealed.count, query, &result.why))
		fail_msg("%s", result.why.text);
	for (int i = 0; i < 3; i++)
		close(job.inputs[i]);
	return result;
}

static struct point_query query_of(const char *function, uint32_t line, const char *value)
{
	struct point_query query = { .functions_max = 1, .memory_bytes = UINT64_MAX, .line = line,
				     .is_of_kernel = 1 };

	strcpy(query.function, function);
	if (value) {
		query.argument_count = 1;
		strcpy(query.arguments[0].value, value);
	}
	return query;
}

/* The address where @symbol of the fixture runs. */
static uint64_t runs_at(const char *name, const char *symbol)
{
	const uint64_t vaddr = elf_fixture_vaddr(elf_fixture_path(name), symbol);

	if (strcmp(name, "vmlinux") == 0)
		return vaddr + SLIDE;
	return vaddr + (strcmp(symbol, "other") == 0 ? OTHER_AT : TEXT_AT);
}

static const char *text(const struct result *result, uint32_t offset)
{
	return point_reply_text(&result->reply, offset);
}

/* @function begins where it was loaded, and @value is fetched as @wanted there. */
static void expect_fetch(const char *name, const char *function, const char *value,
			 const char *wanted)
{
	const struct point_query query = query_of(function, 0, value);
	const struct kernel_layout layout = layout_of(name);
	struct result result = ask(name, &query, &layout);
	const struct point_site *site = result.reply.sites;
	char fetched[512];

	if (result.err)
		fail_msg("%s: %s", name, result.why.text);
	assert_string_equal(text(&result, site->symbol), function);
	assert_int_equal(site->begin, runs_at(name, function));
	assert_int_equal(site->offset, site->begin);
	snprintf(fetched, sizeof(fetched), "%s%s", text(&result, result.reply.values[0].fetch),
		 text(&result, result.reply.values[0].reason));
	assert_string_equal(fetched, wanted);
	sandbox_bytes_finish(&result.sealed);
}

static const char *const files[] = { "vmlinux", "m.ko", "z.ko", "debug.ko" };

#define FILES (sizeof(files) / sizeof(files[0]))

static void test_functions_and_arguments_are_where_the_code_was_loaded(void **state)
{
	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		expect_fetch(files[i], "work", "item->size", "+4(" ARGUMENT_1 "):s32");
		expect_fetch(files[i], "work", "times", ARGUMENT_2 ":s32");
		expect_fetch(files[i], "other", "number", ARGUMENT_1 ":s32");
	}
}

/* Line 14, both from the function's first line and by its file: "sum" is in a register. */
static void test_lines_have_their_variables(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * FILES; i++) {
		const char *name = files[i / 2];
		const struct kernel_layout layout = layout_of(name);
		struct point_query query = query_of("work", 5, "sum");
		const struct point_site *site;
		struct result result;

		if (i % 2) {
			query.function[0] = '\0';
			query.line = 14;
			strcpy(query.source, "k.c");
		}
		result = ask(name, &query, &layout);
		if (result.err)
			fail_msg("%s: %s", name, result.why.text);
		assert_int_equal(result.reply.header->site_count, 1);
		site = result.reply.sites;
		assert_int_equal(site->begin, runs_at(name, "work"));
		assert_true(site->offset > site->begin && site->offset < site->begin + site->bytes);
		assert_int_equal(text(&result, result.reply.values[0].fetch)[0], '%');
		sandbox_bytes_finish(&result.sealed);
	}
}

/* kprobe_events finds them by name, and takes the kernel's before those of modules. */
static void test_static_variables_are_those_of_the_kernel_itself(void **state)
{
	(void)state;
	expect_fetch("vmlinux", "work", "counter", "@counter:s32");
	expect_fetch("vmlinux", "work", "items[1].size", "@items+12:s32");
	expect_fetch("m.ko", "work", "counter",
		     "a static variable of a module, which a probe can't name");
}

static void test_every_copy_of_an_inlined_function_is_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		const struct kernel_layout layout = layout_of(files[i]);
		const struct point_query query = query_of("twice", 0, NULL);
		struct result result = ask(files[i], &query, &layout);
		bool is_in_work = false, is_in_other = false;

		assert_int_equal(result.err, 0);
		assert_int_equal(result.reply.header->site_count, 2);
		for (uint32_t k = 0; k < 2; k++) {
			const struct point_site *site = &result.reply.sites[k];
			const char *symbol = text(&result, site->symbol);

			is_in_work |= strcmp(symbol, "work") == 0;
			is_in_other |= strcmp(symbol, "other") == 0;
			assert_true(site->is_inlined);
			assert_int_equal(site->begin, runs_at(files[i], symbol));
		}
		assert_true(is_in_work && is_in_other);
		sandbox_bytes_finish(&result.sealed);
	}
}

static void test_a_file_of_another_build_is_refused_with_both_build_ids(void **state)
{
	const struct point_query query = query_of("work", 0, NULL);
	char is[BUILD_ID_HEX_BYTES], runs[BUILD_ID_HEX_BYTES];
	const struct build_id own = build_id_of("vmlinux");

	(void)state;
	build_id_format(&own, is);
	for (int unknown = 0; unknown < 2; unknown++) {
		struct kernel_layout layout = layout_of("vmlinux");
		struct result result;

		layout.build_id.bytes[3] ^= 1;
		build_id_format(&layout.build_id, runs);
		if (unknown)
			layout.build_id.count = 0;
		result = ask("vmlinux", &query, &layout);
		assert_int_equal(result.err, -ESTALE);
		if (!unknown) {
			assert_non_null(strstr(result.why.text, is));
			assert_non_null(strstr(result.why.text, runs));
		}
	}
}

static void test_without_debug_information_there_is_an_error(void **state)
{
	const struct kernel_layout layout = layout_of("m.ko");
	const struct point_query query = query_of("work", 0, NULL);

	(void)state;
	assert_int_equal(ask("bare.ko", &query, &layout).err, -ENODATA);
}

static void test_relocated_sections_count_as_memory(void **state)
{
	const struct kernel_layout module = layout_of("m.ko"), kernel = layout_of("vmlinux");
	struct point_query query = query_of("work", 0, NULL);
	struct result result;

	(void)state;
	query.memory_bytes = 64;	/* one byte of each section that is only mapped */
	assert_int_equal(ask("m.ko", &query, &module).err, -E2BIG);
	result = ask("vmlinux", &query, &kernel);
	assert_int_equal(result.err, 0);
	sandbox_bytes_finish(&result.sealed);
}

/* The line of "doubled + 1" in the copy of twice() in other(). */
static void test_addresses_have_lines_and_inlined_calls(void **state)
{
	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		const struct kernel_layout layout = layout_of(files[i]);
		const uint64_t addresses[] = { runs_at(files[i], "other"),
					       runs_at(files[i], "work"), 0x1000 };
		const struct dwarf_lines_inputs inputs = {
			.dso = open(elf_fixture_path(files[i]), O_RDONLY | O_CLOEXEC),
			.offsets = seal(addresses, sizeof(addresses)),
			.debug = seal(&layout, sizeof(layout)),
			.alternate = DWARF_LINES_NO_FILE, .is_of_kernel = true,
		};
		const struct sandbox_request job = line_job_request(&inputs, 1 << 20);
		struct diag why = { .err = 0 };
		struct sandbox_bytes sealed;
		struct line_chains chains;
		const struct line_frame *frame;

		if (sandbox_run(sandbox, &job, &sealed, &why) ||
		    line_chains_check(&chains, sealed.bytes, sealed.count, 3, &why))
			fail_msg("%s: %s", files[i], why.text);
		frame = &chains.frames[chains.first[1] - 1];
		assert_string_equal(line_chains_text(&chains, frame->function), "other");
		assert_true(frame->line >= 17 && frame->line <= 18);
		frame = &chains.frames[chains.first[2] - 1];
		assert_string_equal(line_chains_text(&chains, frame->function), "work");
		assert_true(frame->line >= 10 && frame->line <= 11);
		assert_int_equal(chains.first[3], chains.first[2]);	/* nobody's address */
		sandbox_bytes_finish(&sealed);
		close(inputs.dso);
		close(inputs.offsets);
		close(inputs.debug);
	}
}

UNIT_TESTS(test_kernel_file)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_and_arguments_are_where_the_code_was_loaded),
		cmocka_unit_test(test_lines_have_their_variables),
		cmocka_unit_test(test_static_variables_are_those_of_the_kernel_itself),
		cmocka_unit_test(test_every_copy_of_an_inlined_function_is_found),
		cmocka_unit_test(test_a_file_of_another_build_is_refused_with_both_build_ids),
		cmocka_unit_test(test_without_debug_information_there_is_an_error),
		cmocka_unit_test(test_relocated_sections_count_as_memory),
		cmocka_unit_test(test_addresses_have_lines_and_inlined_calls),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
