/* fuzz_jit_map.c - any text as a perf map, read at once and in two looks: the replies pass their
 * check, and are the same. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/file_jobs.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void *look(int fd, int before, uint64_t offset, struct flat_table *table, size_t *count,
		  uint64_t *read_bytes)
{
	struct jit_tables tables;
	void *bytes;

	if (jit_map_compile(fd, before, offset, &bytes, count, NULL) ||
	    jit_reply_check(&tables, bytes, *count, NULL))
		abort();
	*table = tables.names;
	*read_bytes = tables.reply->read_bytes;
	return bytes;
}

static const char *name_at(const struct flat_table *table, uint64_t address)
{
	uint32_t row = flat_table_find(table, address);

	return row == FLAT_NONE ? "" : flat_table_name(table, row);
}

/* Rows may be cut where the looks met; names may not differ. */
static void compare(const struct flat_table *one, const struct flat_table *other)
{
	for (uint32_t i = 0; i < one->header->row_count; i++) {
		const uint64_t start = one->rows[i].start, last = start + one->rows[i].size - 1;

		if (strcmp(name_at(one, start), name_at(other, start)) != 0 ||
		    strcmp(name_at(one, last), name_at(other, last)) != 0)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct flat_table whole, half, rest;
	uint64_t end, middle, second_end;
	size_t whole_count, half_count, rest_count;
	void *replies[3];
	int fd = memfd_create("fuzz", 0), part = memfd_create("fuzz", 0);
	int before = memfd_create("fuzz", 0);

	if (write(fd, bytes, count) != (ssize_t)count ||
	    write(part, bytes, count / 2) != (ssize_t)(count / 2))
		abort();
	replies[0] = look(fd, -1, 0, &whole, &whole_count, &end);
	replies[1] = look(part, -1, 0, &half, &half_count, &middle);
	if (write(before, replies[1], half_count) != (ssize_t)half_count)
		abort();
	replies[2] = look(fd, before, middle, &rest, &rest_count, &second_end);
	if (end != second_end || end > count)
		abort();
	compare(&whole, &rest);
	compare(&rest, &whole);
	for (int i = 0; i < 3; i++)
		free(replies[i]);
	close(fd);
	close(part);
	close(before);
	return 0;
}
