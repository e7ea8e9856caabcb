/* Kernel symbols: hand-made lists with answers worked out by hand, and the running kernel's list
 * against a second reading of it by sscanf(3). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbols/kallsyms.h"
#include "unit_tests.h"

static const atomic_bool go_on;

static const char listing[] =
	"0000000000001000 A per_cpu_area\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000100 T do_one\n"
	"ffffffff81000200 t helper_two.cold\n"
	"ffffffff81000300 D not_code\n"
	"ffffffff81000400 T memcpy\n"
	"ffffffff81000400 T __memcpy\n"
	"ffffffff81000500 W weak_one\n"
	"ffffffff81000900 T _etext\n"
	"ffffffff82000000 D _sdata\n"
	"ffffffffc0020000 t mod_b\t[second]\n"
	"ffffffffc0010000 t mod_a\t[first]\n"
	"ffffffffc0010080 T mod_a2\t[first]\n"
	"ffffffffc0030000 t bpf_prog_1234_name\t[bpf]\n"
	"ffffffffc00400";	/* cut while it was read */

static struct kallsyms parse(const char *text, uint64_t slide)
{
	struct kallsyms kallsyms;
	struct diag why = { .err = 0 };

	assert_int_equal(kallsyms_parse(&kallsyms, text, strlen(text), slide, &why), 0);
	return kallsyms;
}

static void expect_name(const struct kallsyms *kallsyms, uint64_t address, const char *name,
			const char *dso)
{
	uint32_t row = flat_table_find(&kallsyms->table, address);

	if (!name) {
		assert_int_equal(row, FLAT_NONE);
		return;
	}
	assert_int_not_equal(row, FLAT_NONE);
	assert_string_equal(flat_table_name(&kallsyms->table, row), name);
	if (dso)
		assert_string_equal(flat_table_dso_name(&kallsyms->table, row), dso);
	else
		assert_null(flat_table_dso_name(&kallsyms->table, row));
}

static void test_symbols_go_on_to_the_next_address_and_end_with_the_text(void **state)
{
	struct kallsyms kallsyms = parse(listing, 0);

	(void)state;
	expect_name(&kallsyms, 0x1000, NULL, NULL);
	expect_name(&kallsyms, 0xffffffff810001ff, "do_one", NULL);
	expect_name(&kallsyms, 0xffffffff810002ff, "helper_two.cold", NULL);
	expect_name(&kallsyms, 0xffffffff81000300, NULL, NULL);
	expect_name(&kallsyms, 0xffffffff81000400, "__memcpy", NULL);
	expect_name(&kallsyms, 0xffffffff810008ff, "weak_one", NULL);
	expect_name(&kallsyms, 0xffffffff81000900, NULL, NULL);
	assert_int_equal(kallsyms.text_address, 0xffffffff81000000);
	kallsyms_finish(&kallsyms);
}

/* They neither name code nor end the function around them. */
static void test_mapping_symbols_of_aarch64_modules_are_left_out(void **state)
{
	struct kallsyms kallsyms = parse("ffff800008000000 T _stext\n"
					 "ffff800008010000 T do_one\n"
					 "ffff80007a000000 t $x\t[mod]\n"
					 "ffff80007a000000 t mod_a\t[mod]\n"
					 "ffff80007a000000 t $x.1\t[mod]\n"
					 "ffff80007a000040 d $d\t[mod]\n"
					 "ffff80007a000080 t mod_b\t[mod]\n", 0);

	(void)state;
	expect_name(&kallsyms, 0xffff80007a000000, "mod_a", "mod");
	expect_name(&kallsyms, 0xffff80007a00007f, "mod_a", "mod");
	expect_name(&kallsyms, 0xffff80007a000080, "mod_b", "mod");
	kallsyms_finish(&kallsyms);
}

static void test_modules_and_bpf_programs_carry_their_dso(void **state)
{
	struct kallsyms kallsyms = parse(listing, 0);

	(void)state;
	expect_name(&kallsyms, 0xffffffffc001007f, "mod_a", "first");
	expect_name(&kallsyms, 0xffffffffc001107f, "mod_a2", "first");
	expect_name(&kallsyms, 0xffffffffc0011080, NULL, NULL);
	expect_name(&kallsyms, 0xffffffffc0020fff, "mod_b", "second");
	expect_name(&kallsyms, 0xffffffffc0021000, NULL, NULL);
	expect_name(&kallsyms, 0xffffffffc0030000, "bpf_prog_1234_name", "bpf");
	kallsyms_finish(&kallsyms);
}

static void test_a_slide_moves_the_kernel_and_leaves_modules_out(void **state)
{
	struct kallsyms kallsyms = parse(listing, 0x3000000);

	(void)state;
	expect_name(&kallsyms, 0xffffffff84000100, "do_one", NULL);
	expect_name(&kallsyms, 0xffffffff81000100, NULL, NULL);
	expect_name(&kallsyms, 0xffffffffc3010000, NULL, NULL);
	expect_name(&kallsyms, 0xffffffffc0010000, NULL, NULL);
	assert_int_equal(kallsyms.text_address, 0xffffffff84000000);
	kallsyms_finish(&kallsyms);
}

static void test_hidden_addresses_name_the_remedy(void **state)
{
	static const char hidden[] = "0000000000000000 T _stext\n0000000000000000 t do_one\n";
	struct kallsyms kallsyms;
	struct diag why = { .err = 0 };

	(void)state;
	assert_int_equal(kallsyms_parse(&kallsyms, hidden, strlen(hidden), 0, &why), -EPERM);
	assert_non_null(strstr(why.text, "kptr_restrict"));
	assert_non_null(strstr(why.text, "CAP_SYSLOG"));
	assert_non_null(strstr(why.text, "perf_event_paranoid"));
	kallsyms_finish(&kallsyms);
}

static void test_lines_of_another_form_are_skipped(void **state)
{
	static const char odd[] = "\n \nzz\nffffffff81000000\nffffffff81000000 \n"
				  "ffffffff81000000 T\n"
				  "ffffffff81000000 T \nffffffff81000000 Tx\n"
				  "fffffffffffffffff81000000 T long\nffffffff81000000 T good\n"
				  "ffffffff81000010 T open\t[mod\n";
	struct kallsyms kallsyms = parse(odd, 0);

	(void)state;
	assert_int_equal(kallsyms.table.header->row_count, 2);
	expect_name(&kallsyms, 0xffffffff81000000, "good", NULL);
	expect_name(&kallsyms, 0xffffffff81000010, "open", NULL);
	kallsyms_finish(&kallsyms);
}

static void test_an_empty_list_is_an_error(void **state)
{
	struct kallsyms kallsyms;

	(void)state;
	assert_int_equal(kallsyms_parse(&kallsyms, "", 0, 0, NULL), -EBADMSG);
	kallsyms_finish(&kallsyms);
	assert_int_equal(kallsyms_load(&kallsyms, "/nonexistent", 0, &go_on, NULL), -ENOENT);
	kallsyms_finish(&kallsyms);
}

/* A line that goes over the end of a piece is whole, half a line at the end is none, and what has
 * no lines is no list. */
static void test_a_long_list_is_read_in_pieces(void **state)
{
	char path[] = "/tmp/test_kallsyms.XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	struct kallsyms kallsyms;

	(void)state;
	for (unsigned int i = 0; i < 10000; i++)
		fprintf(file, "%016lx T function_%u\n", 0xffffffff81000000ul + 16 * i, i);
	fputs("ffffffff82000000 T cut_off", file);
	fflush(file);
	assert_int_equal(kallsyms_load(&kallsyms, path, 0, &go_on, NULL), 0);
	assert_int_equal(kallsyms.table.header->row_count, 10000);
	expect_name(&kallsyms, 0xffffffff81000000, "function_0", NULL);
	expect_name(&kallsyms, 0xffffffff81000000 + 16 * 5000, "function_5000", NULL);
	expect_name(&kallsyms, 0xffffffff81000000 + 16 * 9999, "function_9999", NULL);
	kallsyms_finish(&kallsyms);
	for (int i = 0; i < 300000; i++)
		fputc('a', file);
	fclose(file);
	assert_int_equal(kallsyms_load(&kallsyms, path, 0, &go_on, NULL), -EBADMSG);
	kallsyms_finish(&kallsyms);
	unlink(path);
}

/* Who ends the program must not wait for a list of 100,000 names. */
static void test_a_reading_that_is_stopped_ends(void **state)
{
	static const atomic_bool stop = true;
	struct kallsyms kallsyms;

	(void)state;
	assert_int_equal(kallsyms_load(&kallsyms, "/proc/kallsyms", 0, &stop, NULL), -ECANCELED);
	assert_null(kallsyms.bytes);
	kallsyms_finish(&kallsyms);
}

/* One address of the list: all names that it carries contain the one we show. */
static void expect_among(const struct kallsyms *kallsyms, FILE *list, unsigned long long address,
			 const char *name, long line_start)
{
	uint32_t row = flat_table_find(&kallsyms->table, address);
	unsigned long long other;
	char text[600], type, shown[600];

	assert_int_not_equal(row, FLAT_NONE);
	assert_int_equal(kallsyms->table.rows[row].start, address);
	snprintf(shown, sizeof(shown), "%s", flat_table_name(&kallsyms->table, row));
	if (strcmp(shown, name) == 0)
		return;
	/* an alias: it must stand on one of the following lines with the same address */
	while (fgets(text, sizeof(text), list)) {
		char alias[600];

		if (sscanf(text, "%llx %c %599s", &other, &type, alias) != 3 || other != address)
			break;
		if (strcmp(alias, shown) == 0) {
			fseek(list, line_start, SEEK_SET);
			return;
		}
	}
	fail_msg("%s at %llx is shown as %s", name, address, shown);
}

static void test_every_text_symbol_of_the_running_kernel_is_found(void **state)
{
	struct kallsyms kallsyms;
	struct diag why = { .err = 0 };
	char text[600], name[600], type;
	unsigned long long address;
	size_t compared = 0;
	FILE *list;
	int err = kallsyms_load(&kallsyms, "/proc/kallsyms", 0, &go_on, &why);

	(void)state;
	if (err == -EPERM || err == -EACCES) {
		kallsyms_finish(&kallsyms);
		skip();
	}
	assert_int_equal(err, 0);
	list = fopen("/proc/kallsyms", "re");
	assert_non_null(list);
	while (fgets(text, sizeof(text), list)) {
		assert_int_equal(sscanf(text, "%llx %c %599s", &address, &type, name), 3);
		if (!strchr("TtWw", type) || address < 4096 || strcmp(name, "_etext") == 0)
			continue;
		if (strchr(text, '['))
			continue;	/* may come and go between the readings */
		expect_among(&kallsyms, list, address, name, ftell(list));
		compared++;
	}
	fclose(list);
	assert_in_range(compared, 1000, SIZE_MAX);
	kallsyms_finish(&kallsyms);
}

/* @line has the kernel's symbol @name: takes its address. */
static void take_address(const char *line, const char *name, uint64_t *out)
{
	unsigned long long address;
	char found[600], type;

	if (!strchr(line, '[') && sscanf(line, "%llx %c %599s", &address, &type, found) == 3 &&
	    !strcmp(found, name))
		*out = address;
}

static void test_the_bounds_of_the_running_kernel_are_those_of_its_list(void **state)
{
	struct kallsyms_bounds bounds;
	struct diag why = { .err = 0 };
	uint64_t begin = 0, end = 0;
	char line[600];
	FILE *list = fopen("/proc/kallsyms", "re");

	(void)state;
	assert_non_null(list);
	while (fgets(line, sizeof(line), list)) {
		take_address(line, KALLSYMS_TEXT, &begin);
		take_address(line, "_etext", &end);
	}
	fclose(list);
	if (!begin)
		skip();
	assert_int_equal(kallsyms_find_bounds(&bounds, "/proc/kallsyms", &go_on, &why), 0);
	assert_int_equal(bounds.begin, begin);
	assert_int_equal(bounds.end, end);
}

static void test_the_build_id_of_the_running_kernel_is_twenty_bytes(void **state)
{
	struct build_id id = kallsyms_build_id();

	(void)state;
	if (access("/sys/kernel/notes", R_OK))
		skip();
	assert_int_equal(id.count, 20);
}

UNIT_TESTS(test_kallsyms)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols_go_on_to_the_next_address_and_end_with_the_text),
		cmocka_unit_test(test_mapping_symbols_of_aarch64_modules_are_left_out),
		cmocka_unit_test(test_modules_and_bpf_programs_carry_their_dso),
		cmocka_unit_test(test_a_slide_moves_the_kernel_and_leaves_modules_out),
		cmocka_unit_test(test_hidden_addresses_name_the_remedy),
		cmocka_unit_test(test_lines_of_another_form_are_skipped),
		cmocka_unit_test(test_an_empty_list_is_an_error),
		cmocka_unit_test(test_a_long_list_is_read_in_pieces),
		cmocka_unit_test(test_a_reading_that_is_stopped_ends),
		cmocka_unit_test(test_every_text_symbol_of_the_running_kernel_is_found),
		cmocka_unit_test(test_the_bounds_of_the_running_kernel_are_those_of_its_list),
		cmocka_unit_test(test_the_build_id_of_the_running_kernel_is_twenty_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
