/* Dynamic events of this process in the kernel's own tracefs. */
#include "capture/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proc/process_stat.h"
#include "unit_tests.h"

static struct trace_group *open_group(void)
{
	struct trace_group *group;
	int tracefs = tracefs_open(NULL);
	const bool is_able = tracefs >= 0 && faccessat(tracefs, "uprobe_events", W_OK, 0) == 0;

	if (tracefs >= 0)
		close(tracefs);
	if (!is_able) {
		print_message("SKIP: needs uprobes\n");
		skip();
	}
	assert_int_equal(trace_group_open(&group, NULL), 0);
	return group;
}

struct found {
	const char *word;	/* a line counts that has it */
	int lines, own, stale;
};

static void count_line(void *context, const char *line, bool is_ours, bool is_stale)
{
	struct found *found = context;

	if (!strstr(line, found->word))
		return;
	found->lines++;
	found->own += is_ours;
	found->stale += is_stale;
}

static struct found find_lines(const char *word)
{
	struct found found = { .word = word };

	assert_true(trace_group_list_all(count_line, &found, NULL) >= 0);
	return found;
}

/* Never hit: the file has no code. */
static struct trace_definition definition_on(const char *site)
{
	return (struct trace_definition){ .type = TRACE_UPROBE, .site = site,
					  .fetch_args = "count=" ARGUMENT_1 ":u64 "
							"text=+0(" ARGUMENT_2 "):string" };
}

static int open_file(char site[64])
{
	char path[] = "/tmp/flametop-test-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 8192), 0);
	unlink(path);	/* deleted, and open: what a running program may be */
	snprintf(site, 64, "/proc/self/fd/%d:0x1010", fd);
	return fd;
}

static void test_an_event_is_made_described_and_removed(void **state)
{
	struct trace_group *group = open_group();
	struct trace_definition definition;
	struct trace_event event;
	char site[64];
	int fd = open_file(site);

	(void)state;
	definition = definition_on(site);
	assert_int_equal(trace_group_add(group, &definition, &event, NULL), 0);
	assert_true(event.id > 0);
	assert_true(raw_fields_find(&event.fields, "count") >= 0);
	assert_true(event.fields.list[raw_fields_find(&event.fields, "text")].is_text);
	assert_int_equal(find_lines(event.name).own, 1);
	assert_int_equal(find_lines(event.name).stale, 0);
	assert_int_equal(trace_group_missed(group, &event), 0);
	assert_int_equal(trace_group_remove(group, &event, NULL), 0);
	assert_int_equal(find_lines(event.name).lines, 0);
	close(fd);
	trace_group_close(group);
}

static void test_closing_removes_what_is_left_of_the_group(void **state)
{
	struct trace_group *group = open_group();
	struct trace_definition definition;
	struct trace_event events[3];
	char site[64], name[TRACE_NAME_BYTES];
	int fd = open_file(site);

	(void)state;
	assert_int_equal(trace_group_name(name, NULL), 0);
	definition = definition_on(site);
	for (int i = 0; i < 3; i++)
		assert_int_equal(trace_group_add(group, &definition, &events[i], NULL), 0);
	assert_string_not_equal(events[0].name, events[1].name);
	assert_int_equal(find_lines(name).own, 3);
	trace_group_close(group);
	assert_int_equal(find_lines(name).lines, 0);
	for (int i = 0; i < 3; i++)
		raw_fields_finish(&events[i].fields);
	close(fd);
}

static void test_the_kernel_says_itself_what_is_wrong(void **state)
{
	struct trace_group *group = open_group();
	struct trace_definition definition;
	struct trace_event event;
	struct diag why = { 0 };
	char site[64];
	int fd = open_file(site);

	(void)state;
	definition = definition_on(site);
	definition.fetch_args = "x=%nosuch";
	assert_int_equal(trace_group_add(group, &definition, &event, &why), -EINVAL);
	assert_non_null(strstr(why.text, "Invalid register name"));
	definition = definition_on("/no/such/file:0x10");
	assert_int_equal(trace_group_add(group, &definition, &event, &why), -ENOENT);
	assert_non_null(strstr(why.text, "/no/such/file"));
	definition.type = TRACE_KPROBE;
	definition.site = "no_such_symbol";
	assert_int_not_equal(trace_group_add(group, &definition, &event, &why), 0);
	assert_true(why.err == -EOPNOTSUPP ? strstr(why.text, "CONFIG_KPROBE_EVENTS") != NULL
					   : why.err == -ENOENT);
	close(fd);
	trace_group_close(group);
}

static void test_errors_name_the_file_not_our_descriptor_of_it(void **state)
{
	struct trace_group *group = open_group();
	struct trace_definition definition;
	struct trace_event event;
	struct diag why = { .err = 0 };
	char site[64];
	int fd = open_file(site);

	(void)state;
	definition = definition_on(site);
	definition.fetch_args = "count=%no_such_register";
	definition.shown = "/bin/app:0x1010";
	assert_true(trace_group_add(group, &definition, &event, &why) < 0);
	assert_non_null(strstr(why.text, "a probe at /bin/app:0x1010: "));
	assert_null(strstr(why.text, "/proc/self/fd"));
	close(fd);
	trace_group_close(group);
}

static void test_a_tracepoint_is_found_with_its_fields(void **state)
{
	struct trace_group *group = open_group();
	struct diag why = { 0 };
	struct trace_event event;

	(void)state;
	assert_int_equal(trace_group_find(group, "sched", "sched_switch", &event, NULL), 0);
	assert_true(event.id > 0);
	assert_true(raw_fields_find(&event.fields, "prev_state") >= 0);
	raw_fields_finish(&event.fields);
	assert_int_equal(trace_group_find(group, "sched", "no_such", &event, &why), -ENOENT);
	assert_non_null(strstr(why.text, "no_such"));
	assert_int_equal(trace_group_find(group, "..", "sched", &event, NULL), -EINVAL);
	raw_fields_finish(&event.fields);
	trace_group_close(group);
}

static void write_event(const char *group)
{
	int tracefs = tracefs_open(NULL);
	int events = openat(tracefs, "uprobe_events", O_WRONLY | O_APPEND | O_CLOEXEC);
	char command[200], site[64];
	int fd = open_file(site);

	snprintf(command, sizeof(command), "p:%s/left %s", group, site);
	assert_int_equal(write(events, command, strlen(command)), (ssize_t)strlen(command));
	close(fd);
	close(events);
	close(tracefs);
}

static void remove_event(const char *group)
{
	int tracefs = tracefs_open(NULL);
	int events = openat(tracefs, "uprobe_events", O_WRONLY | O_APPEND | O_CLOEXEC);
	char command[200];

	snprintf(command, sizeof(command), "-:%s/left", group);
	assert_int_equal(write(events, command, strlen(command)), (ssize_t)strlen(command));
	close(events);
	close(tracefs);
}

static unsigned long own_namespace(void)
{
	struct stat status;

	assert_int_equal(stat("/proc/self/ns/pid", &status), 0);
	return (unsigned long)status.st_ino;
}

/* A process that lives until it is waited for, and when it began. */
static pid_t start_child(uint64_t *start_ticks)
{
	struct process_stat child;
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_int_equal(process_stat_read(&child, (uint32_t)pid, 0), 0);
	*start_ticks = child.start_ticks;
	return pid;
}

static void test_only_groups_whose_owner_is_surely_dead_are_swept(void **state)
{
	const unsigned long namespace = own_namespace();
	char alive[64], reused[64], elsewhere[64], others[64], dead[80];
	struct trace_group *group;
	struct diag why;
	uint64_t start_ticks;
	uint32_t all;
	pid_t pid;

	(void)state;
	trace_group_close(open_group());
	pid = start_child(&start_ticks);
	snprintf(alive, 64, "flametop_%d_%" PRIu64 "_%lu", pid, start_ticks, namespace);
	snprintf(reused, 64, "flametop_%d_%" PRIu64 "_%lu", pid, start_ticks - 1, namespace);
	snprintf(elsewhere, 64, "flametop_%d_%" PRIu64 "_%lu", pid, start_ticks - 1, namespace + 1);
	snprintf(others, 64, "flametop_%d_%" PRIu64 "_%lux", pid, start_ticks - 1, namespace);
	write_event(alive);
	write_event(reused);
	write_event(elsewhere);
	write_event(others);
	assert_int_equal(find_lines(alive).stale, 0);
	trace_group_close(open_group());
	assert_int_equal(find_lines(alive).lines, 1);
	assert_int_equal(find_lines(elsewhere).lines, 1);
	assert_int_equal(find_lines(others).lines, 1);
	snprintf(dead, sizeof(dead), "%s/", reused);
	assert_int_equal(find_lines(dead).lines, 0);

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	snprintf(dead, sizeof(dead), "%s/", alive);
	trace_group_close(open_group());
	assert_int_equal(find_lines(dead).lines, 0);
	group = open_group();
	write_event(alive);	/* left since we started */
	assert_true(trace_group_sweep(group, &all, &why) >= 1);
	assert_true(all >= 1);
	assert_int_equal(find_lines(dead).lines, 0);
	trace_group_close(group);
	remove_event(elsewhere);
	remove_event(others);
}

static void test_a_group_is_removed_by_its_name_alone(void **state)
{
	static const char name[] = "flametop_1_1_1";

	(void)state;
	trace_group_close(open_group());
	write_event(name);
	assert_int_equal(trace_group_remove_named(name), 0);
	assert_int_equal(find_lines("flametop_1_1_1/").lines, 0);
	assert_int_equal(trace_group_remove_named(name), 0);	/* there is none */
	assert_int_equal(trace_group_remove_named("probe_of_others"), -EINVAL);
}

UNIT_TESTS(test_trace_group)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_event_is_made_described_and_removed),
		cmocka_unit_test(test_closing_removes_what_is_left_of_the_group),
		cmocka_unit_test(test_the_kernel_says_itself_what_is_wrong),
		cmocka_unit_test(test_errors_name_the_file_not_our_descriptor_of_it),
		cmocka_unit_test(test_a_tracepoint_is_found_with_its_fields),
		cmocka_unit_test(test_only_groups_whose_owner_is_surely_dead_are_swept),
		cmocka_unit_test(test_a_group_is_removed_by_its_name_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
