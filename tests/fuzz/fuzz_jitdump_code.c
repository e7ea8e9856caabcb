/* fuzz_jitdump_code.c - a query, then any bytes after a jitdump's header: the code that comes of
 * them, and its lines, pass their checks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/jitdump_code.h"
#include "sandbox/code_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static int file_of(const void *head, size_t head_bytes, const void *bytes, size_t count)
{
	const int fd = memfd_create("fuzz", 0);

	if (write(fd, head, head_bytes) != (ssize_t)head_bytes ||
	    write(fd, bytes, count) != (ssize_t)count)
		abort();
	return fd;
}

/* The first bytes of the input: time, address, size of one range. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	static const uint32_t header[10] = { 0x4a695444, 1, sizeof(header), 62, 0, 100 };
	struct jit_code_query query = { .range_count = 1 };
	struct jit_code code;
	struct line_ranges lines;
	size_t reply_count;
	int fd, query_fd, err;
	void *reply;

	if (count < 20)
		return 0;
	memcpy(&query.time_ns, bytes, 8);
	memcpy(&query.ranges[0].address, bytes + 8, 8);
	memcpy(&query.ranges[0].bytes, bytes + 16, 4);
	fd = file_of(header, sizeof(header), bytes + 20, count - 20);
	query_fd = file_of(&query, sizeof(query), bytes, 0);
	err = jitdump_code_read(fd, query_fd, &reply, &reply_count, NULL);
	if (err && err != -ENODATA && err != -EINVAL && err != -ENOMEM)
		abort();
	if (!err && jit_code_check(&code, reply, reply_count, query.ranges[0].bytes, NULL))
		abort();
	if (!err && code.header->lines_bytes &&
	    line_ranges_check(&lines, code.lines, code.header->lines_bytes, NULL))
		abort();
	if (!err)
		free(reply);
	close(fd);
	close(query_fd);
	return 0;
}
