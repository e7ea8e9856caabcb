/* The finder as the ui uses it: threads, workers, the files and the kernel of this machine. What it
 * must find is in a program that is built here. */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "capture/tracefs.h"
#include "elf/file_jobs.h"
#include "elf_fixture.h"
#include "probe/probe_engine.h"
#include "probe/probe_spec.h"
#include "finder/targets.h"
#include "unit_tests.h"

static const char source[] =
	"#include <sys/sdt.h>\n"
	"__attribute__((noinline)) int weigh_apples(int x) { DTRACE_PROBE1(shop, weighed, x);"
	" return x; }\n"
	"__attribute__((noinline)) int weigh_pears(int x) { return weigh_apples(x) + 1; }\n"
	"int main(int argc, char **argv) { return !argv + weigh_pears(argc); }\n";

static struct sandbox *sandbox;
static struct target_finder *finder;
static struct probe_abilities abilities;
static uint64_t number;
static bool has_events;		/* the next finder finds events, too */

static int start(void **state)
{
	struct target_config config = { .pid = getpid(), .abilities = &abilities,
					.has_events = has_events };

	(void)state;
	for (size_t i = 0; i < PROBE_ABILITIES; i++)
		abilities.list[i].is_there = true;
	if (sandbox_start(&sandbox, worker_run, NULL))
		return -1;
	config.sandbox = sandbox;
	return target_finder_create(&finder, &config, NULL);
}

static int stop(void **state)
{
	(void)state;
	if (!target_finder_destroy(finder))
		return -1;
	sandbox_stop(sandbox);
	return 0;
}

static int restart(void **state)
{
	return stop(state) || start(state) ? -1 : 0;
}

static int restart_with_events(void **state)
{
	has_events = true;
	return restart(state);
}

static int restart_without_events(void **state)
{
	has_events = false;
	return restart(state);
}

/* One finder for all that only ask: it loads the names of this machine once. */
static int set_up(void **state)
{
	if (elf_fixture_make_directory(state))
		return -1;
	elf_fixture_write("shop.c", source, sizeof(source) - 1);
	return elf_fixture_run("cc -O1 -o shop shop.c") ? start(state) : -1;
}

static int clean_up(void **state)
{
	return stop(state) || elf_fixture_remove_directory(state);
}

static const struct target_reply *wait_reply(void)
{
	struct pollfd ready = { .fd = target_finder_fd(finder), .events = POLLIN };
	const struct target_reply *reply;

	while (!(reply = target_finder_reply(finder)))
		assert_int_equal(poll(&ready, 1, -1), 1);
	return reply;
}

/* The last reply: when nothing more is on its way. */
static const struct target_reply *ask(const char *text)
{
	const struct target_reply *reply;

	target_finder_ask(finder, ++number, text, getpid());
	do
		reply = wait_reply();
	while (reply->number != number || reply->is_loading);
	return reply;
}

/* Why a file could not be read. */
static void print_log(void)
{
	static struct log_line lines[LOG_LINES];

	for (size_t i = 0, count = log_tail(lines, LOG_LINES); i < count; i++)
		print_error("%s\n", lines[i].text);
}

static const struct target_result *find(const struct target_reply *reply, const char *spec)
{
	for (size_t i = 0; i < reply->count; i++)
		if (strcmp(reply->results[i].spec, spec) == 0)
			return &reply->results[i];
	return NULL;
}

static const char *spec_of(const char *format, const char *file)
{
	static char text[TARGET_SPEC_BYTES];

	snprintf(text, sizeof(text), format, elf_fixture_path(file));
	return text;
}

static void test_functions_and_marks_of_a_named_file_are_found(void **state)
{
	const struct target_reply *reply;
	const struct target_result *result;
	struct probe_spec spec;

	(void)state;
	reply = ask(spec_of("%s:weap", "shop"));
	assert_int_equal(reply->matches, 1);
	result = &reply->results[0];
	assert_int_equal(result->kind, TARGET_USER_FUNCTION);
	assert_true(result->is_able);
	assert_string_equal(result->spec, spec_of("lat:%s:weigh_apples", "shop"));
	assert_string_equal(result->shown, "shop:weigh_apples");
	assert_string_equal(result->note, elf_fixture_path("shop"));
	assert_int_equal(result->matched, 0xe3ull << 5 & ~(0x20ull << 5));
	assert_int_equal(probe_spec_parse(&spec, result->spec, NULL), 0);

	reply = ask(spec_of("%s wei", "shop"));
	assert_int_equal(reply->matches, 3);
	assert_non_null(find(reply, spec_of("U:%s:shop:weighed", "shop")));
	reply = ask(spec_of("ur:%s:pears", "shop"));
	assert_non_null(find(reply, spec_of("ur:%s:weigh_pears", "shop")));
	assert_string_equal(reply->results[0].spec, spec_of("ur:%s:pears", "shop"));
	assert_int_equal(reply->results[0].kind, TARGET_TYPED);
}

static void test_a_file_that_is_none_is_named_with_the_reason(void **state)
{
	const struct target_reply *reply;

	(void)state;
	reply = ask(spec_of("%s:main", "shop.c"));
	assert_int_equal(reply->matches, 1);
	assert_false(reply->results[0].is_able);
	assert_string_equal(reply->results[0].note, "not an ELF file");
	reply = ask(spec_of("%s:main", "shopping"));
	assert_int_equal(reply->matches, 1);
	assert_string_equal(reply->results[0].note, "No such file or directory");
}

static void test_functions_of_what_is_mapped_are_found(void **state)
{
	/* Of libc alone: sanitizers bring functions of their own by many of its names. */
	const struct target_reply *reply = ask("u:getservbyport_r");

	(void)state;
	if (!reply->matches)
		print_log();
	assert_true(reply->matches > 0);
	assert_string_equal(strrchr(reply->results[0].shown, ':'), ":getservbyport_r");
	assert_non_null(strstr(reply->results[0].shown, "libc.so"));
}

static void test_the_functions_of_the_kernel_are_found(void **state)
{
	const struct target_reply *reply = ask("k:vfs_read");

	(void)state;
	if (access("/proc/kallsyms", R_OK))
		skip();
	assert_string_equal(reply->results[0].spec, "k:vfs_read");
}

static void test_tracepoints_are_found(void **state)
{
	const struct target_reply *reply = ask("sched_switch");

	(void)state;
	if (geteuid())
		skip();
	assert_non_null(find(reply, "t:sched:sched_switch"));
	assert_string_equal(reply->results[0].spec, "t:sched:sched_switch");
}

static size_t count_presets(const struct target_reply *reply)
{
	size_t count = 0;

	while (count < reply->count && reply->results[count].kind == TARGET_PRESET)
		count++;
	for (size_t i = count; i < reply->count; i++)
		assert_int_not_equal(reply->results[i].kind, TARGET_PRESET);
	return count;
}

/* Above all functions and tracepoints of this machine. */
static void test_presets_are_found_first_also_by_the_names_of_other_tools(void **state)
{
	static const struct {
		const char *typed, *shown;
		size_t presets;
	} cases[] = {
		{ "execsnoop", "new processes (execsnoop)", 3 },
		{ "opensnoop", "file opens (opensnoop)", 5 },
		{ "opensnoop failed", "failed file opens (opensnoop)", 1 },
		{ "biolatency", "block I/O latency (biolatency)", 1 },
		{ "biosnoop", "block I/O by process (biosnoop)", 1 },
		{ "tcpconnect", "TCP connects (tcpconnect)", 3 },
		{ "tcpaccept", "TCP accepts (tcpaccept)", 2 },
		{ "tcpretrans", "TCP retransmits (tcpretrans)", 1 },
		{ "gethostlatency", "DNS latency (gethostlatency)", 1 },
		{ "bashreadline", "shell commands (bashreadline)", 1 },
		{ "oomkill", "out of memory kills (oomkill)", 1 },
		{ "killsnoop", "kill calls (killsnoop)", 1 },
		{ "statsnoop", "file status calls (statsnoop)", 1 },
		{ "ext4slower", "slow ext4 operations (ext4slower)", 1 },
		{ "slowcalls 5", "slowcalls 5", 1 },
		{ "syncsnoop", "fsync latency (syncsnoop)", 1 },
		{ "syscount", "system call latency (syscount)", 1 },
		{ "drsnoop", "memory reclaim (drsnoop)", 1 },
		{ "exitsnoop", "ended processes (exitsnoop)", 1 },
		{ "file opens", "file opens", 5 },
		{ "futex wai", "futex waits", 1 },
		{ "dns", "DNS latency", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct target_reply *reply = ask(cases[i].typed);
		const char *shown = reply->count ? reply->results[0].shown : "nothing";

		if (strcmp(shown, cases[i].shown) != 0 || count_presets(reply) != cases[i].presets)
			fail_msg("\"%s\" finds %s and %zu presets", cases[i].typed, shown,
				 count_presets(reply));
	}
}

/* Letters of a neighbour's name are no reply. */
static void test_a_tool_whose_question_has_no_preset_finds_none(void **state)
{
	static const char *const tools[] = {
		"runqlen", "offcputime", "wakeuptime", "offwaketime", "cpudist",
		"tcptop", "tcpstates", "cachestat", "cachetop",
		"ext4dist", "filetop", "memleak", "profile",
		"hardirqs", "softirqs", "vfsstat", "deadlock", "mountsnoop",
		"llcstat", "stackcount", "ttysnoop",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (count_presets(ask(tools[i])))
			fail_msg("%s finds a preset", tools[i]);
}

static void test_what_this_kernel_can_not_is_listed_with_the_reason(void **state)
{
	const struct target_reply *reply;

	(void)state;
	/* Before the first question, which starts the loading. */
	abilities.list[PROBE_CAN_TRACEFS_KPROBE].is_there = false;
	abilities.list[PROBE_CAN_KPROBE_PMU].is_there = false;
	snprintf(abilities.list[PROBE_CAN_TRACEFS_KPROBE].reason,
		 sizeof(abilities.list[0].reason), "built without CONFIG_KPROBES");
	reply = ask("k:vfs_read");
	assert_string_equal(reply->results[0].spec, "k:vfs_read");
	assert_false(reply->results[0].is_able);
	assert_string_equal(reply->results[0].note, "built without CONFIG_KPROBES");
	reply = ask("file opens in the kernel");
	assert_int_equal(reply->results[0].kind, TARGET_PRESET);
	assert_false(reply->results[0].is_able);
	assert_string_equal(reply->results[0].note, "built without CONFIG_KPROBES");
	reply = ask("opensnoop");
	assert_true(reply->results[0].is_able);
	assert_string_equal(reply->results[4].shown, "file opens in the kernel (opensnoop)");
}

static void test_a_spec_that_was_typed_is_the_first_result(void **state)
{
	const struct target_reply *reply = ask("vfs_read%return");

	(void)state;
	assert_int_equal(reply->results[0].kind, TARGET_TYPED);
	assert_string_equal(reply->results[0].spec, "vfs_read%return");
}

static void test_a_line_is_one_of_the_program_that_is_looked_at(void **state)
{
	char path[256], wanted[512];
	const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const struct target_reply *reply = ask("file.c:42");

	(void)state;
	assert_true(length > 0);
	path[length] = '\0';
	snprintf(wanted, sizeof(wanted), "u:%s:file.c:42", path);
	assert_int_equal(reply->results[0].kind, TARGET_TYPED);
	assert_string_equal(reply->results[0].spec, wanted);
	reply = ask("k:file.c:42");	/* unless the kernel is meant */
	assert_string_equal(reply->results[0].spec, "k:file.c:42");
}

static void test_of_many_questions_the_last_is_answered(void **state)
{
	const struct target_reply *reply;

	(void)state;
	ask("");
	for (int i = 0; i < 200; i++)
		target_finder_ask(finder, ++number, i % 2 ? "e" : "s", getpid());
	target_finder_ask(finder, ++number, "k:vfs_read", getpid());
	do
		reply = wait_reply();
	while (reply->number != number);
	assert_string_equal(reply->results[0].spec, "k:vfs_read");
}

/* An event of nobody who runs, as another tool leaves it. False: no uprobes here. */
static bool write_event(const char *format, ...)
{
	const int directory = tracefs_open(NULL);
	bool is_written = false;
	va_list arguments;
	int file = -1;

	if (directory >= 0) {
		file = openat(directory, "uprobe_events", O_WRONLY | O_APPEND | O_CLOEXEC);
		close(directory);
	}
	if (file < 0)
		return false;
	va_start(arguments, format);
	is_written = vdprintf(file, format, arguments) > 0;
	va_end(arguments);
	close(file);
	return is_written;
}

static int remove_event(void **state)
{
	(void)state;
	write_event("-:zqxkzqxkfindertest_%d/e\n", (int)getpid());
	return 0;
}

static void test_leftovers_are_looked_up_anew(void **state)
{
	char name[64];

	snprintf(name, sizeof(name), "zqxkzqxkfindertest_%d", (int)getpid());
	assert_int_equal(ask(name)->matches, 0);
	if (!write_event("p:%s/e %s:0x1000\n", name, elf_fixture_path("shop")))
		skip();
	target_finder_renew(finder);
	assert_int_equal(ask(name)->matches, 1);
	remove_event(state);
	target_finder_renew(finder);
	assert_int_equal(ask(name)->matches, 0);
}

/* As one types, while the loader is busy with the kernel's names: more than it takes orders. */
static void test_of_many_paths_the_last_is_read(void **state)
{
	char path[32];

	(void)state;
	target_finder_ask(finder, ++number, "x", getpid());
	while (wait_reply()->number != number)
		;
	for (int i = 0; i < 40; i++) {
		snprintf(path, sizeof(path), "/nowhere/%d:x", i);
		target_finder_ask(finder, ++number, path, getpid());
		while (wait_reply()->number != number)
			;
	}
	assert_int_equal(ask(spec_of("%s:weap", "shop"))->matches, 1);
}

/* A shorter text after a longer one: what was left out comes back. */
static void test_erasing_a_letter_brings_back_what_it_left_out(void **state)
{
	size_t few, many;

	(void)state;
	many = ask("vfs_")->matches;
	few = ask("vfs_rea")->matches;
	assert_in_range(few, 1, many - 1);
	assert_int_equal(ask("vfs_")->matches, many);
	assert_int_equal(ask("vfs_rea")->matches, few);
}

static void test_who_never_asks_ends_at_once(void **state)
{
	(void)state;
	assert_null(target_finder_reply(finder));
}

static void test_ending_while_names_are_loaded_waits_for_nothing(void **state)
{
	(void)state;
	target_finder_ask(finder, ++number, "x", getpid());
	wait_reply();
}

/* With "e:" nothing but events is loaded. Software events are there on every machine. */
static void test_events_are_found_to_be_sampled(void **state)
{
	const struct target_reply *reply;
	const struct target_result *result;

	(void)state;
	reply = ask("e:page-f");
	result = find(reply, "page-faults");
	assert_non_null(result);
	assert_int_equal(result->kind, TARGET_SOFTWARE_EVENT);
	assert_true(result->is_event && result->is_able);
	assert_string_equal(result->note, "memory that had to be mapped in");
	/* by another name */
	result = find(ask("e:idle-cycles-fr"), "stalled-cycles-frontend");
	assert_string_equal(result->shown, "stalled-cycles-frontend (idle-cycles-frontend)");
	/* in their order, those that open before those that do not */
	reply = ask("e:");
	assert_true(reply->results[0].is_able);
	assert_true(!strcmp(reply->results[0].spec, "cycles") ||
		    !strcmp(reply->results[0].spec, "cpu-clock"));
	for (size_t i = 1; i < reply->count; i++)
		assert_true(reply->results[i - 1].is_able || !reply->results[i].is_able);
	for (size_t i = 0; i < reply->count; i++)
		assert_true(reply->results[i].is_event);
	target_finder_ask(finder, ++number, "vfs_read", getpid());
	do
		reply = wait_reply();
	while (reply->number != number);
	assert_true(reply->is_loading);		/* only now the other names are wanted */
	reply = ask("page-faults");
	assert_string_equal(reply->results[0].spec, "page-faults");
	assert_true(reply->matches >= 1);
}

static void test_an_event_that_was_typed_is_the_first_result(void **state)
{
	const struct target_reply *reply = ask("e:cpu-clock:u");

	(void)state;
	assert_int_equal(reply->results[0].kind, TARGET_TYPED);
	assert_true(reply->results[0].is_event && reply->results[0].is_able);
	assert_string_equal(reply->results[0].spec, "cpu-clock:u");
	reply = ask("e:mem:0x601040/8:w");
	assert_string_equal(reply->results[0].spec, "mem:0x601040/8:w");
	reply = ask("e:page-faults");		/* it is in the list, with what it is */
	assert_int_equal(reply->results[0].kind, TARGET_SOFTWARE_EVENT);
	reply = ask("e:page-faultz");
	assert_int_equal(reply->count, 1);
	assert_false(reply->results[0].is_able);
	assert_non_null(strstr(reply->results[0].note, "did you mean page-faults?"));
}

/* Its slash is that of a filter, not of a path that would be read. */
static void test_a_one_liner_is_shown_as_the_spec_that_it_means(void **state)
{
	const struct target_reply *reply;

	(void)state;
	reply = ask("kprobe:vfs_read /pid == 123/ { @ = count(); }");
	assert_int_equal(reply->count, 1);
	assert_int_equal(reply->results[0].kind, TARGET_TYPED);
	assert_true(reply->results[0].is_able);
	assert_string_equal(reply->results[0].spec, "k:vfs_read if pid == 123");
	assert_string_equal(reply->results[0].shown, "= k:vfs_read if pid == 123");
	assert_string_equal(reply->results[0].note, "as translated");
	reply = ask("t:sched:sched_switch { @++ } interval:s:5 { exit() }");
	assert_string_equal(reply->results[0].note, "exit(): --duration 5 ends the run");
	reply = ask("profile:hz:99 { @[kstack] = count(); }");
	assert_int_equal(reply->count, 1);
	assert_false(reply->results[0].is_able);
	assert_string_equal(reply->results[0].note,
			    "column 1: sampling is flametop itself: flametop -F 99");
}

static void test_a_spec_that_is_none_has_the_column_of_what_is_wrong(void **state)
{
	const struct target_reply *reply = ask("slowcalls abc");

	(void)state;
	assert_string_equal(reply->results[0].shown, "slowcalls abc");
	assert_false(reply->results[0].is_able);
	assert_non_null(strstr(reply->results[0].note, "column 69: abcms: a time is needed"));
	reply = ask("t:sched:sched_switch prev_pid if prev_pid > abc def");
	assert_int_equal(reply->count, 1);
	assert_false(reply->results[0].is_able);
	assert_non_null(strstr(reply->results[0].note, "column "));
}

UNIT_TESTS(test_target_finder)
{
#define WITH_NEW_FINDER(test) cmocka_unit_test_setup_teardown(test, restart, NULL)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_and_marks_of_a_named_file_are_found),
		cmocka_unit_test(test_a_file_that_is_none_is_named_with_the_reason),
		cmocka_unit_test(test_functions_of_what_is_mapped_are_found),
		cmocka_unit_test(test_the_functions_of_the_kernel_are_found),
		cmocka_unit_test(test_tracepoints_are_found),
		cmocka_unit_test(test_presets_are_found_first_also_by_the_names_of_other_tools),
		cmocka_unit_test(test_a_tool_whose_question_has_no_preset_finds_none),
		cmocka_unit_test(test_a_spec_that_was_typed_is_the_first_result),
		cmocka_unit_test(test_a_one_liner_is_shown_as_the_spec_that_it_means),
		cmocka_unit_test(test_a_spec_that_is_none_has_the_column_of_what_is_wrong),
		WITH_NEW_FINDER(test_a_line_is_one_of_the_program_that_is_looked_at),
		cmocka_unit_test(test_of_many_questions_the_last_is_answered),
		cmocka_unit_test(test_erasing_a_letter_brings_back_what_it_left_out),
		cmocka_unit_test_teardown(test_leftovers_are_looked_up_anew, remove_event),
		WITH_NEW_FINDER(test_of_many_paths_the_last_is_read),
		WITH_NEW_FINDER(test_what_this_kernel_can_not_is_listed_with_the_reason),
		cmocka_unit_test_setup(test_events_are_found_to_be_sampled, restart_with_events),
		cmocka_unit_test_teardown(test_an_event_that_was_typed_is_the_first_result,
					  restart_without_events),
		WITH_NEW_FINDER(test_who_never_asks_ends_at_once),
		WITH_NEW_FINDER(test_ending_while_names_are_loaded_waits_for_nothing),
	};

	return cmocka_run_group_tests(tests, set_up, clean_up);
}
