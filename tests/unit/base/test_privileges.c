/* What a process may still do after it gave privileges up, as /proc/self/status and the kernel's
 * refusals have it. Each in a child: nothing of it can be taken back. */
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/privileges.h"
#include "unit_tests.h"

#define NOBODY 65534

/* By the numbers of capabilities(7). */
#define DAC_OVERRIDE (1ull << 1)
#define KILL	     (1ull << 5)
#define ADMIN	     (1ull << 21)
/* dac_read_search 2, ipc_lock 14, sys_ptrace 19, sys_nice 23, syslog 34, perfmon 38, bpf 39,
 * checkpoint_restore 40 */
#define READING (1ull << 2 | 1ull << 14 | 1ull << 19 | 1ull << 23 | 1ull << 34 | 1ull << 38 | \
		 1ull << 39 | 1ull << 40)

struct status {
	unsigned long long permitted, effective, inheritable, ambient, bounding;
	unsigned int no_new_privileges;
};

static struct status status_of_self(void)
{
	struct status status = { .no_new_privileges = 2 };
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "CapPrm: %llx", &status.permitted);
		sscanf(line, "CapEff: %llx", &status.effective);
		sscanf(line, "CapInh: %llx", &status.inheritable);
		sscanf(line, "CapAmb: %llx", &status.ambient);
		sscanf(line, "CapBnd: %llx", &status.bounding);
		sscanf(line, "NoNewPrivs: %u", &status.no_new_privileges);
	}
	if (file)
		fclose(file);
	return status;
}

/* Ends the child: it says what is wrong. */
#define NEED(what)                                                                                 \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                 \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static void expect_in_child(void (*run)(void))
{
	const pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		run();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void need_root(void)
{
	if (geteuid() || !(status_of_self().permitted & ADMIN)) {
		print_message("SKIP: needs root\n");
		skip();
	}
}

/* Keeps of @kept what it had, and nothing besides. */
static void drop_and_look(enum privileges kept, bool ends_command, uint64_t permitted,
			  uint64_t effective)
{
	const struct status before = status_of_self();
	struct status after;
	struct diag why;

	NEED(!privileges_drop(kept, ends_command, &why));
	after = status_of_self();
	NEED(after.permitted == (before.permitted & permitted));
	NEED(after.effective == (before.permitted & effective));
	NEED(!after.inheritable && !after.ambient && !after.bounding);
	NEED(after.no_new_privileges == 1);
	NEED(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
}

static void drop_as_main(void)
{
	drop_and_look(PRIVILEGES_OF_MAIN, false, READING | ADMIN | DAC_OVERRIDE, READING | ADMIN);
}

static void drop_to_end_a_command(void)
{
	drop_and_look(PRIVILEGES_OF_MAIN, true, READING | ADMIN | KILL | DAC_OVERRIDE,
		      READING | ADMIN | KILL);
}

/* A kernel before Linux 5.8 has no PERFMON: nothing else lets it sample. */
static uint64_t admin_if_needed(void)
{
	return status_of_self().permitted & 1ull << 38 ? 0 : ADMIN;
}

static void drop_to_read(void)
{
	drop_and_look(PRIVILEGES_TO_READ, false, READING | admin_if_needed(),
		      READING | admin_if_needed());
}

static void drop_as_guardian(void)
{
	drop_and_look(PRIVILEGES_OF_GUARDIAN, false, KILL | ADMIN, KILL | ADMIN);
}

static void test_root_keeps_what_its_work_needs(void **state)
{
	(void)state;
	need_root();
	expect_in_child(drop_as_main);
	expect_in_child(drop_to_end_a_command);
	expect_in_child(drop_to_read);
	expect_in_child(drop_as_guardian);
}

/* Only main may write where its user alone may not, and only while it asks for that. */
static bool can_write(const char *path)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static char nobodys_file[] = "/tmp/flametop_privileges_XXXXXX";

static void write_as_main(void)
{
	NEED(can_write(nobodys_file));
	NEED(!privileges_drop(PRIVILEGES_OF_MAIN, false, NULL));
	NEED(!can_write(nobodys_file));
	privileges_begin_write();
	NEED(can_write(nobodys_file));
	privileges_end_write();
	NEED(!can_write(nobodys_file));
}

static void test_main_writes_anywhere_only_while_it_asks_to(void **state)
{
	int fd;

	(void)state;
	need_root();
	fd = mkostemp(nobodys_file, O_CLOEXEC);	/* for its user alone */
	assert_true(fd >= 0);
	assert_int_equal(fchown(fd, NOBODY, NOBODY), 0);
	close(fd);
	expect_in_child(write_as_main);
	unlink(nobodys_file);
}

static void begin_write_as_reader(void)
{
	NEED(!privileges_drop(PRIVILEGES_TO_READ, false, NULL));
	privileges_begin_write();
	NEED(!(status_of_self().effective & DAC_OVERRIDE));
	privileges_end_write();
	NEED(status_of_self().effective == status_of_self().permitted);
}

static void test_a_reader_cannot_ask_to_write(void **state)
{
	(void)state;
	need_root();
	expect_in_child(begin_write_as_reader);
}

/* Who has nothing gives up nothing, and gains nothing by a program that is set-uid. */
static void drop_as_nobody(void)
{
	NEED(geteuid() || (!setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
			   !setresuid(NOBODY, NOBODY, NOBODY)));
	NEED(!privileges_drop(PRIVILEGES_OF_MAIN, false, NULL));
	NEED(!status_of_self().permitted && !status_of_self().effective);
	NEED(status_of_self().no_new_privileges == 1);
	NEED(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
	privileges_begin_write();
	NEED(!status_of_self().effective);
}

static void test_an_ordinary_user_gives_up_what_it_could_gain(void **state)
{
	(void)state;
	expect_in_child(drop_as_nobody);
}

UNIT_TESTS(test_privileges)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_root_keeps_what_its_work_needs),
		cmocka_unit_test(test_main_writes_anywhere_only_while_it_asks_to),
		cmocka_unit_test(test_a_reader_cannot_ask_to_write),
		cmocka_unit_test(test_an_ordinary_user_gives_up_what_it_could_gain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
