/* The worker's side of source lines: a small program whose lines are known, in the forms that need
 * care, and a thousand damaged copies of it through the sandbox. What the lines are in general is
 * compared with other programs by tests/oracle/check_lines. */
#include <elf.h>
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
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "random_numbers.h"
#include "sandbox/lines.h"
#include "unit_tests.h"

#define WHOLE_MEMORY DWARF_LINES_MEMORY_MAX

static char directory[] = "/tmp/test_dwarf_lines.XXXXXX";

/* marked() returns the address after a call in `inner`, which is inlined into `outer`. */
static const char source[] =
	"#include <stdio.h>\n"							/* 1 */
	"static __attribute__((noinline)) void *here(void)\n"
	"{ return __builtin_return_address(0); }\n"
	"static inline __attribute__((always_inline)) void *inner(void)\n"
	"{\n"
	"	void *at = here();\n"						/* 6 */
	"	__asm__ volatile(\"\" : \"+r\"(at));\n"
	"	return at;\n"
	"}\n"
	"__attribute__((noinline)) void *outer(void)\n"
	"{\n"
	"	return (char *)inner() - 1;\n"					/* 12 */
	"}\n"
	"extern char __executable_start[];\n"
	"int main(void)\n"
	"{\n"
	"	printf(\"%lx\\n\", (unsigned long)((char *)outer() - __executable_start));\n"
	"	return 0;\n"
	"}\n";

static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int run(const char *format, ...)
{
	char command[1024];
	size_t used = (size_t)snprintf(command, sizeof(command), "cd %s && ", directory);
	va_list args;

	va_start(args, format);
	vsnprintf(command + used, sizeof(command) - used, format, args);
	va_end(args);
	return system(command);
}

static int make_directory(void **state)
{
	char path[256];
	FILE *file;

	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/source.c", directory);
	file = fopen(path, "we");
	if (!file || fputs(source, file) < 0 || fclose(file))
		return -1;
	return run("cc -O1 -g -o plain source.c && cp plain split && "
		   "objcopy --only-keep-debug split split.debug && strip split && "
		   "cp plain stripped && strip stripped && "
		   "cc -O0 -g -o another source.c");
}

static int remove_directory(void **state)
{
	(void)state;
	return run("rm -r %s", directory);
}

static int open_file(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* The offset in the file: gcc's and clang's linkers put the text of a small program where it is in
 * memory, seen from the first segment. */
static uint64_t marked_offset(void)
{
	char path[256];
	uint64_t offset = 0;
	FILE *output;

	snprintf(path, sizeof(path), "%s/plain", directory);
	output = popen(path, "re");
	assert_non_null(output);
	assert_int_equal(fscanf(output, "%" SCNx64, &offset), 1);
	assert_int_equal(pclose(output), 0);
	return offset;
}

static int make_offsets(const uint64_t *offsets, size_t count)
{
	int fd = memfd_create("offsets", MFD_CLOEXEC);

	assert_int_equal(write(fd, offsets, count * sizeof(*offsets)),
			 (ssize_t)(count * sizeof(*offsets)));
	return fd;
}

struct found {
	void *bytes;
	struct line_chains chains;
	struct diag why;
	int err;
};

/* @debug, @alternate: names, or NULL. */
static struct found find(const char *dso, const char *debug, const char *alternate,
			 uint64_t memory_bytes)
{
	const uint64_t offset = marked_offset();
	const struct dwarf_lines_inputs inputs = {
		.dso = open_file(dso), .offsets = make_offsets(&offset, 1),
		.debug = debug ? open_file(debug) : DWARF_LINES_NO_FILE,
		.alternate = !alternate ? DWARF_LINES_NO_FILE :
			     *alternate ? open_file(alternate) : DWARF_LINES_NOT_ASKED,
	};
	struct found found = { .bytes = NULL };
	size_t count;

	found.err = dwarf_lines_find(&inputs, memory_bytes, &found.bytes, &count, &found.why);
	if (!found.err)
		assert_int_equal(line_chains_check(&found.chains, found.bytes, count, 1, NULL), 0);
	close(inputs.dso);
	close(inputs.offsets);
	if (inputs.debug >= 0)
		close(inputs.debug);
	if (inputs.alternate >= 0)
		close(inputs.alternate);
	return found;
}

static void expect_frame(const struct line_chains *chains, uint32_t index, const char *function,
			 uint32_t line, uint32_t first_line)
{
	const struct line_frame *frame = &chains->frames[index];
	const char *slash = strrchr(line_chains_text(chains, frame->file), '/');

	assert_string_equal(line_chains_text(chains, frame->function), function);
	assert_string_equal(slash ? slash + 1 : "", "source.c");
	assert_int_equal(frame->line, line);
	assert_int_equal(frame->first_line, first_line);
}

static void expect_known_chain(struct found *found)
{
	assert_int_equal(found->err, 0);
	assert_int_equal(found->chains.header->frame_count, 2);
	expect_frame(&found->chains, 0, "inner", 6, 4);
	expect_frame(&found->chains, 1, "outer", 12, 10);
	free(found->bytes);
}

static void test_an_inlined_call_is_in_its_caller(void **state)
{
	struct found found = find("plain", NULL, NULL, WHOLE_MEMORY);

	(void)state;
	expect_known_chain(&found);
}

static void test_the_debug_file_speaks_for_a_stripped_one(void **state)
{
	struct found found = find("split", "split.debug", NULL, WHOLE_MEMORY);

	(void)state;
	expect_known_chain(&found);
}

static void test_a_debug_file_of_another_dso_is_not_used(void **state)
{
	struct found found = find("split", "another", NULL, WHOLE_MEMORY);

	(void)state;
	assert_int_equal(found.err, -ENODATA);
}

static void test_without_debug_information_it_says_so(void **state)
{
	struct found found = find("stripped", NULL, NULL, WHOLE_MEMORY);

	(void)state;
	assert_int_equal(found.err, -ENODATA);
	assert_string_equal(found.why.text, "no debug information");
}

/* Its sections take some kilobytes. Compressed, what counts is what they will be. */
static void test_what_takes_too_much_memory_is_refused_before_it_is_read(void **state)
{
	struct found found = find("plain", NULL, NULL, 100);

	(void)state;
	assert_int_equal(found.err, -E2BIG);
	assert_non_null(strstr(found.why.text, "the limit is 0 MiB"));
	/* 300 MB of zeros, 300 KB in the file. */
	assert_int_equal(run("head -c 300000000 /dev/zero >zeros && "
			     "objcopy --add-section .debug_types=zeros plain large && "
			     "objcopy --compress-debug-sections large bomb && "
			     "rm zeros large && test $(stat -c %%s bomb) -lt 1000000"), 0);
	found = find("bomb", NULL, NULL, (uint64_t)256 << 20);
	assert_int_equal(found.err, -E2BIG);
	assert_non_null(strstr(found.why.text, "takes 286 MiB, the limit is 256 MiB"));
}

static bool has_dwz(void)
{
	return run("test -e shared || { cp plain one && cp one two && "
		   "dwz -m shared -M /usr/lib/debug/.dwz/x86_64-linux-gnu/some.debug one two; } "
		   ">errors 2>&1") == 0;
}

static void test_a_shared_debug_file_is_asked_for(void **state)
{
	struct found found;

	(void)state;
	if (!has_dwz())
		skip();
	found = find("one", NULL, "", WHOLE_MEMORY);
	assert_int_equal(found.err, 0);
	assert_int_equal(found.chains.header->frame_count, 0);
	assert_int_equal(found.chains.header->alternate.count, 20);
	assert_string_equal(found.chains.header->alternate_name, "x86_64-linux-gnu/some.debug");
	free(found.bytes);
	found = find("one", NULL, "shared", WHOLE_MEMORY);
	assert_int_equal(found.chains.header->alternate.count, 0);
	expect_known_chain(&found);
}

static void test_a_shared_debug_file_with_another_build_id_is_not_used(void **state)
{
	struct found found;

	(void)state;
	if (!has_dwz())
		skip();
	found = find("one", NULL, "another", WHOLE_MEMORY);
	assert_int_equal(found.err, 0);
	assert_int_equal(found.chains.header->alternate.count, 20);
	free(found.bytes);
}

/* libdw would, by the path that the file names. */
static void test_no_file_is_opened_by_a_path_in_the_debug_information(void **state)
{
	struct found found;

	(void)state;
	if (!has_dwz())
		skip();
	/* Two programs: what only they share with a third is in the file at that path. */
	assert_int_equal(run("cp plain three && cp plain four && "
			     "dwz -m at_path -M %s/at_path three four >errors 2>&1", directory), 0);
	found = find("three", NULL, "at_path", WHOLE_MEMORY);
	expect_known_chain(&found);
	found = find("three", NULL, NULL, WHOLE_MEMORY);
	assert_int_equal(found.err, 0);
	assert_int_equal(found.chains.header->alternate.count, 20);
	for (uint32_t i = 0; i < found.chains.header->frame_count; i++)
		assert_string_not_equal(line_chains_text(&found.chains,
							 found.chains.frames[i].function),
					"outer");
	free(found.bytes);
}

static void test_more_offsets_than_rows_are_refused(void **state)
{
	static const uint64_t offsets[LINE_ADDRESSES_MAX + 1];
	struct dwarf_lines_inputs inputs = { open_file("plain"),
					     make_offsets(offsets, LINE_ADDRESSES_MAX + 1),
					     DWARF_LINES_NO_FILE, DWARF_LINES_NO_FILE, false };
	size_t count;
	void *bytes;

	(void)state;
	assert_int_equal(dwarf_lines_find(&inputs, WHOLE_MEMORY, &bytes, &count, NULL), -EINVAL);
	close(inputs.dso);
	close(inputs.offsets);
}

/* A copy of the file in memory, for damage. */
static size_t read_whole(const char *name, unsigned char **out)
{
	struct stat status;
	int fd = open_file(name);

	assert_int_equal(fstat(fd, &status), 0);
	*out = malloc((size_t)status.st_size);
	assert_int_equal(read(fd, *out, (size_t)status.st_size), status.st_size);
	close(fd);
	return (size_t)status.st_size;
}

/* What comes back is checked: refused with a reason, or it can be read. 0 or -errno. */
static int try_damaged(struct sandbox *sandbox, const unsigned char *bytes, size_t count,
		       const uint64_t *offsets, size_t offset_count)
{
	const struct dwarf_lines_inputs inputs = {
		.dso = memfd_create("damaged", MFD_CLOEXEC),
		.offsets = make_offsets(offsets, offset_count),
		.debug = DWARF_LINES_NO_FILE, .alternate = DWARF_LINES_NO_FILE,
	};
	const struct sandbox_request request = line_job_request(&inputs, (uint64_t)64 << 20);
	struct sandbox_bytes reply;
	struct line_chains chains;
	struct diag why = { .err = 0 };
	int err;

	assert_int_equal(write(inputs.dso, bytes, count), (ssize_t)count);
	err = sandbox_run(sandbox, &request, &reply, &why);
	if (!err)
		err = line_chains_check(&chains, reply.bytes, reply.count,
					(uint32_t)offset_count, &why);
	assert_true(!err || why.text[0]);
	assert_int_not_equal(err, -EPERM);	/* the worker worked */
	sandbox_bytes_finish(&reply);
	close(inputs.dso);
	close(inputs.offsets);
	return err;
}

/* Where the sections are, whose names begin with @prefix: they are after one another. */
static void find_sections(const unsigned char *bytes, const char *prefix, size_t *begin,
			  size_t *end)
{
	const Elf64_Ehdr *header = (const void *)bytes;
	const Elf64_Shdr *sections = (const void *)(bytes + header->e_shoff);
	const char *names = (const char *)bytes + sections[header->e_shstrndx].sh_offset;

	*begin = *end = 0;
	for (int i = 1; i < header->e_shnum; i++) {
		if (strncmp(names + sections[i].sh_name, prefix, strlen(prefix)) != 0)
			continue;
		if (!*begin)
			*begin = sections[i].sh_offset;
		*end = sections[i].sh_offset + sections[i].sh_size;
	}
	assert_in_range(*end - *begin, 300, 100000);
}

/* Each reference to a next DIE (DW_AT_sibling) leads, in its turn, back to the first one. */
static void test_references_that_lead_back_come_to_an_end(void **state)
{
	struct sandbox *sandbox = *state;
	const uint64_t offset = marked_offset();
	unsigned int level, at, first = 0, patched = 0;
	char command[256], line[512];
	unsigned char *bytes;
	const size_t count = read_whole("plain", &bytes);
	size_t begin, end;
	FILE *dump;

	find_sections(bytes, ".debug_info", &begin, &end);
	snprintf(command, sizeof(command), "readelf --debug-dump=info %s/plain", directory);
	dump = popen(command, "re");
	while (fgets(line, sizeof(line), dump)) {
		uint32_t before;

		if (!first && sscanf(line, " <%u><%x>: Abbrev", &level, &at) == 2 && level == 1)
			first = at;
		if (sscanf(line, " <%x> DW_AT_sibling", &at) != 1 || !strstr(line, "DW_AT_sibling"))
			continue;
		memcpy(&before, bytes + begin + at, sizeof(before));
		memcpy(bytes + begin + at, &first, sizeof(before));	/* DW_FORM_ref4 */
		assert_int_equal(try_damaged(sandbox, bytes, count, &offset, 1), 0);
		memcpy(bytes + begin + at, &before, sizeof(before));
		patched++;
	}
	pclose(dump);
	assert_in_range(patched, 2, 1000);
	free(bytes);
}

/* Bits are flipped where the debug information is; every eighth file is cut off somewhere. */
static void test_a_thousand_damaged_files_harm_nobody(void **state)
{
	struct sandbox *sandbox = *state;
	uint64_t seed = 20, offsets[64];
	unsigned char *whole, *copy;
	const size_t count = read_whole("plain", &whole);
	size_t begin, end;
	int found = 0;

	find_sections(whole, ".debug_", &begin, &end);
	copy = malloc(count);
	for (size_t i = 0; i < 64; i++)
		offsets[i] = marked_offset() - 32 + i;
	sandbox_set_deadline(sandbox, 2000);
	for (int round = 0; round < 1000; round++) {
		size_t kept = count;

		memcpy(copy, whole, count);
		for (uint32_t flips = 1 + random_below(&seed, 20); flips; flips--)
			copy[begin + random_below(&seed, (uint32_t)(end - begin))] ^=
				(unsigned char)(1u << random_below(&seed, 8));
		if (round % 8 == 0)
			kept = random_below(&seed, (uint32_t)count);
		found += !try_damaged(sandbox, copy, kept, offsets, 64);
	}
	assert_in_range(found, 100, 999);	/* both happened */
	free(copy);
	free(whole);
}

static int start_sandbox(void **state)
{
	struct sandbox *sandbox;

	if (sandbox_start(&sandbox, worker_run, NULL))
		return -1;
	*state = sandbox;
	return 0;
}

static int stop_sandbox(void **state)
{
	sandbox_stop(*state);
	return 0;
}

UNIT_TESTS(test_dwarf_lines)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_inlined_call_is_in_its_caller),
		cmocka_unit_test(test_the_debug_file_speaks_for_a_stripped_one),
		cmocka_unit_test(test_a_debug_file_of_another_dso_is_not_used),
		cmocka_unit_test(test_without_debug_information_it_says_so),
		cmocka_unit_test(test_what_takes_too_much_memory_is_refused_before_it_is_read),
		cmocka_unit_test(test_a_shared_debug_file_is_asked_for),
		cmocka_unit_test(test_a_shared_debug_file_with_another_build_id_is_not_used),
		cmocka_unit_test(test_no_file_is_opened_by_a_path_in_the_debug_information),
		cmocka_unit_test(test_more_offsets_than_rows_are_refused),
		cmocka_unit_test_setup_teardown(test_references_that_lead_back_come_to_an_end,
						start_sandbox, stop_sandbox),
		cmocka_unit_test_setup_teardown(test_a_thousand_damaged_files_harm_nobody,
						start_sandbox, stop_sandbox),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
