/* What a file offers to be probed, against readelf -n and nm: by a worker of the sandbox, as ever.
 * In the fixture the count of a USDT probe is 0x1234, so that its place in the file can be read. */
#include <dlfcn.h>
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
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "elf_fixture.h"
#include "sandbox/probe_names.h"
#include "unit_tests.h"

#ifdef __aarch64__
#define NOP	  0xd503201f
#define NOP_BYTES 4
#else
#define NOP	  0x90
#define NOP_BYTES 1
#endif

static const char marked_source[] =
	"#define _SDT_HAS_SEMAPHORES 1\n"
	"#include <sys/sdt.h>\n"
	"unsigned short shop_sale_semaphore __attribute__((section(\".probes\"))) = 0x1234;\n"
	"unsigned short shop_open_semaphore __attribute__((section(\".probes\"))) = 0x5678;\n"
	"__attribute__((noinline)) void sell(int count, long price)\n"
	"{ DTRACE_PROBE2(shop, sale, count, price); }\n"
	"int main(int argc, char **argv) { DTRACE_PROBE(shop, open); sell(argc, 3);\n"
	"  DTRACE_PROBE2(shop, sale, 1, argv); return 0; }\n";

static const char plain_source[] =
	"#include <sys/sdt.h>\n"
	"int main(int argc, char **argv) { DTRACE_PROBE1(plain, begin, argc); return !argv; }\n";

static int set_up(void **state)
{
	if (elf_fixture_make_directory(state))
		return -1;
	elf_fixture_write("marked.c", marked_source, sizeof(marked_source) - 1);
	elf_fixture_write("plain.c", plain_source, sizeof(plain_source) - 1);
	return 0;
}

static const char *build(const char *name, const char *source, const char *flags)
{
	if (!elf_fixture_run("cc -O2 %s -o %s %s", flags, name, source))
		skip();	/* no sys/sdt.h */
	return elf_fixture_path(name);
}

static int try_to_read(const char *path, uint64_t parts, struct probe_names *out, struct diag *why)
{
	struct sandbox *sandbox;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	assert_in_range(fd, 0, 1 << 20);
	assert_int_equal(sandbox_start(&sandbox, worker_run, NULL), 0);
	err = probe_names_read(sandbox, fd, -1, parts, out, why);
	sandbox_stop(sandbox);
	close(fd);
	return err;
}

static struct probe_names read_names(const char *path, uint64_t parts)
{
	struct probe_names names;
	struct diag why = { .err = 0 };

	if (try_to_read(path, parts, &names, &why))
		fail_msg("%s: %s", path, why.text);
	return names;
}

static uint64_t bytes_at(const char *path, uint64_t offset, size_t bytes)
{
	uint64_t number = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(pread(fd, &number, bytes, (off_t)offset), (ssize_t)bytes);
	close(fd);
	return number;
}

/* A USDT probe as readelf shows it in five lines. */
struct listed_usdt {
	char provider[256], name[256], arguments[1024];
	uint64_t vaddr;
};

static bool read_usdt(FILE *readelf, struct listed_usdt *out)
{
	char line[2048];

	*out = (struct listed_usdt){ .vaddr = 0 };
	while (fgets(line, sizeof(line), readelf)) {
		char *text = line + strspn(line, " ");

		line[strcspn(line, "\n")] = '\0';
		sscanf(text, "Provider: %255s", out->provider);
		sscanf(text, "Name: %255s", out->name);
		sscanf(text, "Location: 0x%" SCNx64, &out->vaddr);
		if (strncmp(text, "Arguments: ", 11) == 0) {
			snprintf(out->arguments, sizeof(out->arguments), "%s", text + 11);
			return true;
		}
	}
	return false;
}

static bool has_usdt(const struct probe_names *names, const struct listed_usdt *listed,
		     uint64_t offset)
{
	const struct usdt_probe *usdt;
	uint32_t count;

	usdt = probe_names_find_usdt(names, listed->provider, listed->name, &count);
	for (uint32_t i = 0; i < count; i++)
		if (usdt[i].offset == offset &&
		    strcmp(probe_names_text(names, usdt[i].arguments), listed->arguments) == 0)
			return true;
	return false;
}

static uint32_t compare_with_readelf(const char *path)
{
	struct probe_names names = read_names(path, PROBE_NAMES_USDT);
	struct elf_loads loads = elf_fixture_loads(path);
	struct listed_usdt listed;
	char command[512];
	uint32_t compared = 0;
	FILE *readelf;

	snprintf(command, sizeof(command), "readelf -nW %s", path);
	readelf = popen(command, "re");
	for (; read_usdt(readelf, &listed); compared++) {
		uint64_t offset;

		assert_true(elf_fixture_to_offset(&loads, listed.vaddr, &offset));
		if (!has_usdt(&names, &listed, offset))
			fail_msg("%s:%s at %" PRIx64 " (%s) is missing", listed.provider,
				 listed.name, offset, listed.arguments);
		assert_int_equal(bytes_at(path, offset, NOP_BYTES), NOP);
	}
	pclose(readelf);
	assert_int_equal(names.header->usdt_count, compared);
	assert_int_equal(names.header->function_count, 0);
	probe_names_finish(&names);
	return compared;
}

static void test_usdt_probes_agree_with_readelf(void **state)
{
	(void)state;
	assert_int_equal(compare_with_readelf(build("marked", "marked.c", "")), 3);
	assert_int_equal(compare_with_readelf(build("fixed", "marked.c", "-no-pie")), 3);
	assert_int_equal(compare_with_readelf(build("plain", "plain.c", "-s")), 1);
}

static void test_the_usdt_probes_of_a_library_of_the_system_agree_with_readelf(void **state)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
	char path[256] = "";
	Dl_info where;

	(void)state;
	if (library && dladdr(dlsym(library, "__cxa_throw"), &where))
		snprintf(path, sizeof(path), "%s", where.dli_fname);
	if (library)
		dlclose(library);
	if (!path[0])
		skip();
	assert_in_range(compare_with_readelf(path), 3, 1000);	/* catch, throw, rethrow */
}

static void test_the_count_of_a_usdt_probe_is_found_in_the_file(void **state)
{
	const char *path = build("marked", "marked.c", "");
	struct probe_names names = read_names(path, PROBE_NAMES_USDT);
	const struct usdt_probe *sale, *opened;
	uint32_t count;

	(void)state;
	sale = probe_names_find_usdt(&names, "shop", "sale", &count);
	assert_int_equal(count, 2);
	assert_int_equal(sale[0].semaphore, sale[1].semaphore);
	assert_int_equal(bytes_at(path, sale->semaphore, 2), 0x1234);
	opened = probe_names_find_usdt(&names, "", "open", &count);
	assert_int_equal(count, 1);
	assert_int_equal(bytes_at(path, opened->semaphore, 2), 0x5678);
	assert_null(probe_names_find_usdt(&names, "shop", "opens", &count));
	assert_null(probe_names_find_usdt(&names, "store", "open", &count));
	assert_int_equal(count, 0);
	probe_names_finish(&names);
}

static void test_a_usdt_probe_without_a_count_has_none(void **state)
{
	struct probe_names names = read_names(build("plain", "plain.c", ""), PROBE_NAMES_USDT);

	(void)state;
	assert_int_equal(names.header->usdt_count, 1);
	assert_int_equal(names.usdt_probes[0].semaphore, 0);
	probe_names_finish(&names);
}

/* As after prelink(8): what is loaded lies 0x10 further, the note says what it was. */
static void test_usdt_probes_move_with_their_base(void **state)
{
	struct elf_bytes_copy bytes = elf_fixture_read(build("plain", "plain.c", ""));
	struct probe_names names = read_names(elf_fixture_path("plain"), PROBE_NAMES_USDT);
	uint64_t before = names.usdt_probes[0].offset;

	(void)state;
	probe_names_finish(&names);
	elf_fixture_section(&bytes, ".stapsdt.base")->sh_addr += 0x10;
	elf_fixture_write("moved", bytes.at, bytes.count);
	free(bytes.at);
	names = read_names(elf_fixture_path("moved"), PROBE_NAMES_USDT);
	assert_int_equal(names.header->usdt_count, 1);
	assert_int_equal(names.usdt_probes[0].offset, before + 0x10);
	probe_names_finish(&names);
}

static void test_functions_have_all_the_names_that_nm_lists(void **state)
{
	static const char *const wanted[] = { "alpha", "beta", "gamma_weak", "delta", "far_away",
					      "sizeless", "main" };
	const char *path = elf_fixture_build("program", "");
	struct probe_names names = read_names(path, PROBE_NAMES_FUNCTIONS);
	struct elf_loads loads = elf_fixture_loads(path);

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct probe_function *function;
		uint32_t count;
		uint64_t offset;

		function = probe_names_find_function(&names, wanted[i], &count);
		assert_int_equal(count, 1);
		assert_true(elf_fixture_to_offset(&loads, elf_fixture_vaddr(path, wanted[i]),
						  &offset));
		assert_int_equal(function->offset, offset);
		assert_false(function->is_resolver);
	}
	assert_int_equal(names.header->usdt_count, 0);
	probe_names_finish(&names);
}

static void test_functions_of_libc_agree_with_nm(void **state)
{
	Dl_info where;
	struct probe_names names;
	struct elf_loads loads;
	struct elf_listed listed;
	char line[2048];
	uint32_t compared = 0;
	FILE *nm;

	(void)state;
	assert_true(dladdr(dlsym(RTLD_DEFAULT, "getaddrinfo"), &where));
	names = read_names(where.dli_fname, PROBE_NAMES_FUNCTIONS);
	loads = elf_fixture_loads(where.dli_fname);
	nm = elf_fixture_start_nm(where.dli_fname, "-D --without-symbol-versions");
	while (fgets(line, sizeof(line), nm)) {
		const struct probe_function *function;
		bool is_found = false;
		uint64_t offset;
		uint32_t count;

		if (!elf_fixture_read_listed(line, &listed) ||
		    !elf_fixture_to_offset(&loads, listed.vaddr, &offset))
			continue;
		function = probe_names_find_function(&names, listed.name, &count);
		for (uint32_t i = 0; i < count; i++)
			is_found |= function[i].offset == offset &&
				    function[i].is_resolver == (listed.type == 'i');
		if (!is_found)
			fail_msg("%s at %" PRIx64 " is missing", listed.name, offset);
		compared++;
	}
	pclose(nm);
	assert_in_range(compared, 1000, 100000);
	probe_names_finish(&names);
}

static void test_functions_are_shown_as_their_programmer_wrote_them(void **state)
{
	static const char source[] = "namespace shop { struct till { int open(int); }; }\n"
				     "int shop::till::open(int x) { return x; }\n"
				     "extern \"C\" int plain(int x) { return x; }\n";
	const uint64_t parts = PROBE_NAMES_FUNCTIONS | PROBE_NAMES_DEMANGLED;
	const struct probe_function *function;
	struct probe_names names;
	uint32_t count;

	(void)state;
	elf_fixture_write("till.cc", source, sizeof(source) - 1);
	if (!elf_fixture_run("c++ -shared -fPIC -o till till.cc"))
		skip();
	names = read_names(elf_fixture_path("till"), parts);
	function = probe_names_find_function(&names, "_ZN4shop4till4openEi", &count);
	assert_int_equal(count, 1);
	assert_string_equal(probe_names_text(&names, function->shown), "shop::till::open(int)");
	function = probe_names_find_function(&names, "plain", &count);
	assert_int_equal(count, 1);
	assert_int_equal(function->shown, function->name);
	probe_names_finish(&names);
	names = read_names(elf_fixture_path("till"), PROBE_NAMES_FUNCTIONS);
	function = probe_names_find_function(&names, "_ZN4shop4till4openEi", &count);
	assert_int_equal(function->shown, function->name);
	probe_names_finish(&names);
}

static void test_what_is_no_elf_file_is_refused(void **state)
{
	struct probe_names names;
	struct diag why = { .err = 0 };

	(void)state;
	elf_fixture_write("text", "hello", 5);
	assert_int_equal(try_to_read(elf_fixture_path("text"), PROBE_NAMES_USDT, &names, &why),
			 -ENOEXEC);
	assert_null(names.header);
}

static void test_a_note_that_is_cut_short_costs_only_itself(void **state)
{
	struct elf_bytes_copy bytes = elf_fixture_read(build("marked", "marked.c", ""));
	struct probe_names names;

	(void)state;
	elf_fixture_section(&bytes, ".note.stapsdt")->sh_size -= 8;
	elf_fixture_write("cut", bytes.at, bytes.count);
	free(bytes.at);
	names = read_names(elf_fixture_path("cut"), PROBE_NAMES_USDT);
	assert_int_equal(names.header->usdt_count, 2);
	probe_names_finish(&names);
}

static void test_a_name_longer_than_texts_may_be_is_left_out(void **state)
{
	static char source[2 * PROBE_NAMES_TEXT_MAX + 128], fits[PROBE_NAMES_TEXT_MAX + 1];
	struct probe_names names;
	uint32_t count;
	int length;

	(void)state;
	memset(fits, 'f', PROBE_NAMES_TEXT_MAX);
	length = snprintf(source, sizeof(source), "int %s(void) { return 1; }\n"
			  "int %sf(void) { return 2; }\n"
			  "int last(void) { return 3; }\n", fits, fits);
	elf_fixture_write("long.c", source, (size_t)length);
	assert_true(elf_fixture_run("cc -O2 -shared -fPIC -o long long.c"));
	names = read_names(elf_fixture_path("long"), PROBE_NAMES_FUNCTIONS);
	assert_non_null(probe_names_find_function(&names, fits, &count));
	assert_non_null(probe_names_find_function(&names, "last", &count));
	for (uint32_t i = 0; i < names.header->function_count; i++)
		assert_true(strlen(probe_names_text(&names, names.functions[i].name)) <=
			    PROBE_NAMES_TEXT_MAX);
	probe_names_finish(&names);
}

/* Each text in turn is as long as it may be, then one letter longer: who compares them has an end
 * to rely on. */
static void test_a_text_that_is_too_long_is_refused(void **state)
{
	static struct {
		struct probe_names_header header;
		struct probe_function function;
		struct usdt_probe usdt;
		char strings[PROBE_NAMES_TEXT_MAX + 9];
	} reply = {
		.header = { .magic = PROBE_NAMES_MAGIC, .version = PROBE_NAMES_VERSION,
			    .function_count = 1, .usdt_count = 1,
			    .string_bytes = sizeof(reply.strings) },
	};
	uint32_t *const texts[] = { &reply.function.name, &reply.function.shown,
				    &reply.usdt.provider, &reply.usdt.name,
				    &reply.usdt.arguments };
	struct probe_names names;

	(void)state;
	memset(reply.strings, 'x', sizeof(reply.strings) - 1);
	reply.strings[1] = '\0';	/* the short text; the longest is at 8 */
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		*texts[i] = 9;
		assert_int_equal(probe_names_check(&names, &reply, sizeof(reply), NULL), 0);
		*texts[i] = 8;
		assert_int_equal(probe_names_check(&names, &reply, sizeof(reply), NULL), 0);
		*texts[i] = 7;
		assert_int_equal(probe_names_check(&names, &reply, sizeof(reply), NULL),
				 -EBADMSG);
		*texts[i] = 0;
	}
}

/* Each change breaks one rule of the reply. */
static void test_a_reply_that_breaks_a_rule_is_refused(void **state)
{
	struct {
		struct probe_names_header header;
		struct probe_function functions[2];
		struct usdt_probe usdt;
		char strings[16];
	} good = {
		.header = { .magic = PROBE_NAMES_MAGIC, .version = PROBE_NAMES_VERSION,
			    .function_count = 2, .usdt_count = 1, .string_bytes = 16 },
		.functions = { { .offset = 64, .name = 0 }, { .offset = 32, .name = 2 } },
		.usdt = { .offset = 48, .provider = 4, .name = 6, .arguments = 8 },
		.strings = "a\0b\0p\0m\0" "8@%di",
	}, bad;
	struct probe_names names;

	(void)state;
	assert_int_equal(probe_names_check(&names, &good, sizeof(good), NULL), 0);
#define EXPECT_REFUSED(change)                                                                    \
	do {                                                                                      \
		bad = good;                                                                       \
		change;                                                                           \
		assert_int_equal(probe_names_check(&names, &bad, sizeof(bad), NULL), -EBADMSG);   \
	} while (0)
	EXPECT_REFUSED(bad.header.magic++);
	EXPECT_REFUSED(bad.header.version++);
	EXPECT_REFUSED(bad.header.function_count++);
	EXPECT_REFUSED(bad.header.usdt_count = 0x10000001);
	EXPECT_REFUSED(bad.header.string_bytes--);
	EXPECT_REFUSED(bad.header.build_id.count = BUILD_ID_MAX_BYTES + 1);
	EXPECT_REFUSED(bad.functions[0].name = 16);
	EXPECT_REFUSED(bad.functions[0].shown = 16);
	EXPECT_REFUSED(bad.functions[0].is_resolver = 2);
	EXPECT_REFUSED(bad.functions[0].name = 2; bad.functions[1].name = 0);
	EXPECT_REFUSED(bad.functions[1] = bad.functions[0]);
	EXPECT_REFUSED(bad.functions[0].offset = UINT64_MAX);
	EXPECT_REFUSED(bad.usdt.provider = 16);
	EXPECT_REFUSED(bad.usdt.name = 16);
	EXPECT_REFUSED(bad.usdt.name = 1);
	EXPECT_REFUSED(bad.usdt.arguments = UINT32_MAX);
	EXPECT_REFUSED(bad.usdt.semaphore = UINT64_MAX);
	EXPECT_REFUSED(bad.strings[15] = 'x');
	assert_int_equal(probe_names_check(&names, &good, sizeof(good.header) - 1, NULL), -EBADMSG);
}

UNIT_TESTS(test_probe_names)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usdt_probes_agree_with_readelf),
		cmocka_unit_test(
			test_the_usdt_probes_of_a_library_of_the_system_agree_with_readelf),
		cmocka_unit_test(test_the_count_of_a_usdt_probe_is_found_in_the_file),
		cmocka_unit_test(test_a_usdt_probe_without_a_count_has_none),
		cmocka_unit_test(test_usdt_probes_move_with_their_base),
		cmocka_unit_test(test_functions_have_all_the_names_that_nm_lists),
		cmocka_unit_test(test_functions_of_libc_agree_with_nm),
		cmocka_unit_test(test_functions_are_shown_as_their_programmer_wrote_them),
		cmocka_unit_test(test_what_is_no_elf_file_is_refused),
		cmocka_unit_test(test_a_note_that_is_cut_short_costs_only_itself),
		cmocka_unit_test(test_a_name_longer_than_texts_may_be_is_left_out),
		cmocka_unit_test(test_a_text_that_is_too_long_is_refused),
		cmocka_unit_test(test_a_reply_that_breaks_a_rule_is_refused),
	};

	return cmocka_run_group_tests(tests, set_up, elf_fixture_remove_directory);
}
