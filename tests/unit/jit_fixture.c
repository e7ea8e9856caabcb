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
	assert_int_equal(jit_reply_check(&names->tables, bytes, count, &why), 0);
}

void jit_fixture_finish(struct jit_names *names)
{
	free(names->bytes);
}

const char *jit_fixture_name(const struct jit_names *names, uint64_t address)
{
	uint32_t row = flat_table_find(&names->tables.names, address);

	return row == FLAT_NONE ? "" : flat_table_name(&names->tables.names, row);
}

void jit_fixture_expect_row(const struct jit_names *names, uint64_t address, struct unwind_row row)
{
	const struct jit_tables *tables = &names->tables;
	const struct unwind_row *found = unwind_table_find(&tables->unwind, address -
							   tables->reply->unwind_base);

	if (address < tables->reply->unwind_base || !unwind_row_is_same_rule(found, &row))
		fail_msg("%#llx: kind %d cfa %d bp %d", (unsigned long long)address, found->kind,
			 found->cfa, found->bp);
}
