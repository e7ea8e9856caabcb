/* jit_fixture.c - see jit_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "jit_fixture.h"

int jit_fixture_file(const void *bytes, size_t count)
{
	int fd = memfd_create("test-jit", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, count), count);
	return fd;
}

void jit_fixture_take(struct jit_names *names, void *bytes, size_t count)
{
	struct diag why = { .err = 0 };

	names->bytes = bytes;
	names->count = count;
	assert_int_equal(jit_answer_check(&names->answer, &names->table, bytes, count, &why), 0);
}

void jit_fixture_finish(struct jit_names *names)
{
	free(names->bytes);
}

const char *jit_fixture_name(const struct jit_names *names, uint64_t address)
{
	uint32_t row = flat_table_find(&names->table, address);

	return row == FLAT_NONE ? "" : flat_table_name(&names->table, row);
}
