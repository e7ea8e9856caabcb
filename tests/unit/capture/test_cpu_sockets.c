/* A machine of files: CPUs in two sockets, of which one is offline and one can't be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/scope.h"
#include "unit_tests.h"

static char directory[] = "/tmp/flametop_sockets_XXXXXX";

static void write_text(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void make_cpu(int cpu, const char *socket)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/cpu%d", directory, cpu);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/cpu%d/topology", directory, cpu);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "cpu%d/topology/physical_package_id", cpu);
	write_text(path, socket);
}

static int remove_all(void **state)
{
	char command[256];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", directory);
	return system(command);
}

static void test_each_cpu_has_its_socket(void **state)
{
	static const int known[5] = { 0, 0, -1, 1, -1 };
	struct cpu_sockets sockets;

	(void)state;
	assert_non_null(mkdtemp(directory));
	write_text("possible", "0-1,3-4\n");
	make_cpu(0, "0\n");
	make_cpu(1, "0\n");
	make_cpu(3, "1\n");
	cpu_sockets_read(&sockets, directory);
	assert_int_equal(sockets.count, 5);
	assert_memory_equal(sockets.of_cpu, known, sizeof(known));
	cpu_sockets_finish(&sockets);
}

static void test_what_cannot_be_read_is_not_known(void **state)
{
	struct cpu_sockets sockets;

	(void)state;
	cpu_sockets_read(&sockets, "/nonexistent");
	assert_int_equal(sockets.count, 0);
	cpu_sockets_finish(&sockets);
}

UNIT_TESTS(test_cpu_sockets)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_each_cpu_has_its_socket, remove_all),
		cmocka_unit_test(test_what_cannot_be_read_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
