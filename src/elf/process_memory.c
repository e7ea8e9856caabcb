/* process_memory.c - see elf/process_memory.h. */
#include "elf/process_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/id_map.h"
#include "base/whole_io.h"

int process_memory_copy(int memory, uint64_t argument, void **bytes, size_t *count,
			struct diag *why)
{
	const off_t start = (off_t)(argument - argument % PROCESS_MEMORY_PAGE);

	*count = argument % PROCESS_MEMORY_PAGE * PROCESS_MEMORY_PAGE;
	*bytes = malloc(*count);
	if (!*bytes)
		return diag_set(why, -ENOMEM, "no memory for a copy of the process's memory");
	if (whole_pread(memory, *bytes, *count, start) == (ssize_t)*count)
		return 0;
	free(*bytes);
	return diag_set(why, -EIO, "the process's memory cannot be read");
}

int process_memory_read(struct sandbox *sandbox, int memory, uint64_t start, uint64_t end,
			struct sandbox_bytes *out, struct diag *why)
{
	const uint64_t pages = (end - start) / PROCESS_MEMORY_PAGE;
	const struct sandbox_request request = {
		.kind = SANDBOX_MEMORY, .inputs = { memory }, .input_count = 1,
		.argument = start | pages,
	};
	int err;

	if (end <= start || pages > PROCESS_MEMORY_PAGES_MAX ||
	    (start | end) % PROCESS_MEMORY_PAGE)
		return diag_set(why, -E2BIG, "%" PRIu64 " bytes of memory", end - start);
	err = sandbox_run(sandbox, &request, out, why);
	if (!err && out->count != end - start) {
		sandbox_bytes_finish(out);
		err = diag_set(why, -EBADMSG, "another size of memory than was asked for");
	}
	return err;
}

/* The vdso. A 64-bit flametop has no 32-bit vdso itself, so the vdso is read from the process that
 * uses it, which may have overwritten it: the bytes are untrusted, only a worker parses them, and
 * processes share a table only if their bytes are equal. */

#define IMAGE_BYTES_MAX 65536		/* 8192 are usual */
#define VSYSCALL_PAGE	0xffffffffff600000ull
#define VSYSCALL_BYTES	4096
#define VSYSCALL_STEP	1024

/* Returns a keyed digest; the key is AT_RANDOM, the random bytes that the kernel gave flametop. */
static uint64_t digest_of(const unsigned char *bytes, size_t count)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	uint64_t digest = count, word = 0;

	if (random)
		memcpy(&word, random, sizeof(word));
	for (size_t at = 0; at < count; at += sizeof(word)) {
		digest = id_map_mix(digest ^ word);
		word = 0;
		memcpy(&word, bytes + at, count - at < sizeof(word) ? count - at : sizeof(word));
	}
	return id_map_mix(digest ^ word);
}

static int read_memory(struct sandbox *sandbox, uint32_t pid, uint64_t start, uint64_t end,
		       struct sandbox_bytes *out, struct diag *why)
{
	char path[32];
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return diag_set(why, -ESRCH, "process gone");
	if (fd < 0)
		return diag_set(why, -errno, "no permission to read the vdso of the process: "
				"run as root");
	err = process_memory_read(sandbox, fd, start, end, out, why);
	close(fd);
	return err;
}

int vdso_image_copy(struct sandbox *sandbox, uint32_t pid, uint64_t start, uint64_t end,
		    uint64_t *digest, struct diag *why)
{
	struct sandbox_bytes image;
	int fd, err;

	if (end <= start || end - start > IMAGE_BYTES_MAX)
		return diag_set(why, -E2BIG, "a vdso of %" PRIu64 " bytes", end - start);
	err = read_memory(sandbox, pid, start, end, &image, why);
	if (err)
		return err;
	*digest = digest_of(image.bytes, image.count);
	fd = sandbox_seal("flametop-vdso", image.bytes, image.count);
	if (fd < 0)
		fd = diag_set(why, -ENOMEM, "no memory for a copy of the vdso");
	sandbox_bytes_finish(&image);
	return fd;
}

bool vdso_image_is_vsyscall(uint64_t address)
{
	return address - VSYSCALL_PAGE < VSYSCALL_BYTES;
}

struct flat_table vdso_image_vsyscall_table(void)
{
	static const char strings[] = "vgettimeofday\0vtime\0vgetcpu";
	static const struct flat_row rows[] = {
		{ .start = VSYSCALL_PAGE, .size = VSYSCALL_STEP, .name = 0,
		  .dso_name = FLAT_NONE, .outer = FLAT_NONE },
		{ .start = VSYSCALL_PAGE + VSYSCALL_STEP, .size = VSYSCALL_STEP, .name = 14,
		  .dso_name = FLAT_NONE, .outer = FLAT_NONE },
		{ .start = VSYSCALL_PAGE + 2 * VSYSCALL_STEP, .size = VSYSCALL_STEP, .name = 20,
		  .dso_name = FLAT_NONE, .outer = FLAT_NONE },
	};
	static const struct flat_header header = {
		.magic = FLAT_TABLE_MAGIC, .version = FLAT_TABLE_VERSION,
		.row_count = sizeof(rows) / sizeof(rows[0]), .string_bytes = sizeof(strings),
	};

	return (struct flat_table){ .header = &header, .rows = rows, .strings = strings };
}
