/* A program with debug information, with bytes changed, asked about by workers: each reply
 * passes the check, or is a reason. libdw may crash on it, which costs the worker alone. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "elf_fixture.h"
#include "random_numbers.h"
#include "sandbox/probe_points.h"
#include "sandbox/sandbox.h"
#include "unit_tests.h"

#define VARIANTS 150	/* per question; the seed is fixed, so a failure can be seen again */

static const char source[] =
	"struct s { int a : 3; union { int u; char t[8]; }; struct s *n; const char *c; };\n"
	"static inline int in(struct s *p, int k) { return p->u * k; }\n"
	"__attribute__((noinline)) int work(struct s *p, int n, double d) {\n"
	"	volatile int l = n;\n"
	"	for (int i = 0; i < n; i++) l += in(p, i) + in(p->n, 3);\n"
	"	return l + (int)d; }\n"
	"int main(int c, char **v) { struct s s = { 1, { 2 }, 0, v[0] }; s.n = &s;\n"
	"	return work(&s, c, 1.5); }\n";

static const char *const values[] = { "p->n->c", "p->t", "n", "$retval", "p->a", "i", "$arg1",
				      "p->n[2].u", "d", "l" };

static struct sandbox *sandbox;
static struct elf_bytes_copy whole;

static int set_up(void **state)
{
	if (elf_fixture_make_directory(state) || sandbox_start(&sandbox, worker_run, NULL))
		return -1;
	elf_fixture_write("s.c", source, sizeof(source) - 1);
	if (!elf_fixture_run("cc -O1 -g s.c -o program"))
		return -1;
	whole = elf_fixture_read(elf_fixture_path("program"));
	return 0;
}

static int tear_down(void **state)
{
	free(whole.at);
	sandbox_stop(sandbox);
	return elf_fixture_remove_directory(state);
}

static int make_file(const void *bytes, size_t count)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, count), count);
	return fd;
}

static struct point_query question(const char *function, const char *file, uint32_t line)
{
	struct point_query query = { .functions_max = 16, .memory_bytes = UINT64_MAX,
				     .line = line };

	strcpy(query.function, function);
	strcpy(query.source, file);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		strcpy(query.arguments[query.argument_count++].value, values[i]);
	return query;
}

/* How many sites it has; -errno there is a reason. */
static int ask(const unsigned char *bytes, const struct point_query *query)
{
	struct sandbox_request job = { .kind = SANDBOX_POINTS, .input_count = 2 };
	struct point_reply reply;
	struct sandbox_bytes sealed;
	struct diag why = { .err = 0 };
	int err;

	job.inputs[0] = make_file(bytes, whole.count);
	job.inputs[1] = make_file(query, sizeof(*query));
	err = sandbox_run(sandbox, &job, &sealed, &why);
	if (!err) {
		assert_int_equal(
			point_reply_check(&reply, sealed.bytes, sealed.count, query, &why), 0);
		err = (int)reply.header->site_count;
	} else {
		assert_true(err < 0 && why.text[0]);
	}
	sandbox_bytes_finish(&sealed);
	close(job.inputs[0]);
	close(job.inputs[1]);
	return err;
}

/* Half of the changes hit debug information, where most of the reading is. */
static size_t random_place(uint64_t *seed)
{
	static const char *const names[] = { ".debug_info", ".debug_abbrev", ".debug_line",
					     ".debug_str", ".debug_loclists", ".eh_frame",
					     ".symtab", ".strtab" };
	const char *name = names[random_below(seed, sizeof(names) / sizeof(names[0]))];
	const Elf64_Shdr *section = elf_fixture_section(&whole, name);

	if (!section || random_below(seed, 8) == 0)
		return random_below(seed, (uint32_t)whole.count);
	return section->sh_offset + random_below(seed, (uint32_t)section->sh_size);
}

static void expect_harmless(const struct point_query *query)
{
	unsigned char *copy = malloc(whole.count);
	uint64_t seed = 20261122;
	int replies = 0;

	assert_non_null(copy);
	for (int i = 0; i < VARIANTS; i++) {
		uint32_t changes = 1 + random_below(&seed, 6);

		memcpy(copy, whole.at, whole.count);
		while (changes--)
			copy[random_place(&seed)] = (unsigned char)random_next(&seed);
		replies += ask(copy, query) > 0;
	}
	free(copy);
	assert_in_range(replies, VARIANTS / 5, VARIANTS);	/* else little was looked at */
}

static void test_a_whole_program_has_its_places(void **state)
{
	const struct point_query work = question("work", "", 0), in = question("in", "", 0);
	const struct point_query line = question("", "s.c", 6), none = question("no_such", "", 0);

	(void)state;
	assert_int_equal(ask(whole.at, &work), 1);
	assert_int_equal(ask(whole.at, &in), 1);	/* both copies begin at one address */
	assert_int_equal(ask(whole.at, &line), 1);
	assert_int_equal(ask(whole.at, &none), -ENOENT);
}

static void test_a_function_of_a_damaged_program_does_no_harm(void **state)
{
	const struct point_query query = question("work", "", 0);

	(void)state;
	expect_harmless(&query);
}

static void test_inlined_copies_in_a_damaged_program_do_no_harm(void **state)
{
	const struct point_query query = question("in", "", 0);

	(void)state;
	expect_harmless(&query);
}

static void test_a_line_of_a_damaged_program_does_no_harm(void **state)
{
	const struct point_query query = question("", "s.c", 6);

	(void)state;
	expect_harmless(&query);
}

UNIT_TESTS(test_probe_points_damage)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_whole_program_has_its_places),
		cmocka_unit_test(test_a_function_of_a_damaged_program_does_no_harm),
		cmocka_unit_test(test_inlined_copies_in_a_damaged_program_do_no_harm),
		cmocka_unit_test(test_a_line_of_a_damaged_program_does_no_harm),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
