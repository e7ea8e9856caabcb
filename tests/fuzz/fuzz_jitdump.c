/* fuzz_jitdump.c - any bytes after a jitdump's header: what comes of them passes its check, and
 * ends inside the file. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/file_jobs.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	static const uint32_t header[10] = { 0x4a695444, 1, sizeof(header), 62, 0, 100 };
	struct jit_tables tables;
	int fd = memfd_create("fuzz", 0);
	size_t reply_count;
	void *made;

	if (write(fd, header, sizeof(header)) != sizeof(header) ||
	    write(fd, bytes, count) != (ssize_t)count)
		abort();
	if (jitdump_compile(fd, -1, 0, &made, &reply_count, NULL) ||
	    jit_reply_check(&tables, made, reply_count, NULL) ||
	    tables.reply->read_bytes > sizeof(header) + count)
		abort();
	for (uint32_t i = 0; i < tables.names.header->row_count; i++)
		if (strlen(flat_table_name(&tables.names, i)) > count)
			abort();
	free(made);
	close(fd);
	return 0;
}
