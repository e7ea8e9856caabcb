/* vdso_image.c - see elf/vdso_image.h.
 *
 * A 64-bit flametop has no 32-bit vdso itself, so the vdso is read from the process that uses it,
 * which may have overwritten it: the bytes are untrusted, only a worker parses them, and processes
 * share a table only if their bytes are equal.
 *
 * By then the addresses may be a mapping of a file whose server never responds, and a read would
 * block forever: so a worker reads them, which is killed at its deadline.
 */
#include "elf/vdso_image.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/id_map.h"
#include "base/whole_io.h"

#define PAGE_BYTES	4096u
#define PAGES_MAX	16		/* 2 are usual */
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

int vdso_image_read(int memory, uint64_t argument, void **bytes, size_t *count, struct diag *why)
{
	const off_t start = (off_t)(argument - argument % PAGE_BYTES);

	*count = argument % PAGE_BYTES * PAGE_BYTES;
	*bytes = malloc(*count);
	if (!*bytes)
		return diag_set(why, -ENOMEM, "no memory for a copy of the vdso");
	if (whole_pread(memory, *bytes, *count, start) == (ssize_t)*count)
		return 0;
	free(*bytes);
	return diag_set(why, -EIO, "the vdso cannot be read");
}

static int read_memory(struct sandbox *sandbox, uint32_t pid, uint64_t argument,
		       struct sandbox_bytes *out, struct diag *why)
{
	struct sandbox_request request = { .kind = SANDBOX_MEMORY, .input_count = 1,
					   .argument = argument };
	char path[32];
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return diag_set(why, -ESRCH, "process gone");
	if (fd < 0)
		return diag_set(why, -errno, "no permission to read the vdso of the process: "
				"run as root");
	request.inputs[0] = fd;
	err = sandbox_run(sandbox, &request, out, why);
	close(fd);
	return err;
}

int vdso_image_copy(struct sandbox *sandbox, uint32_t pid, uint64_t start, uint64_t end,
		    uint64_t *digest, struct diag *why)
{
	const uint64_t pages = (end - start) / PAGE_BYTES;
	struct sandbox_bytes image;
	int fd, err;

	if (end <= start || pages > PAGES_MAX || (start | end) % PAGE_BYTES)
		return diag_set(why, -E2BIG, "a vdso of %" PRIu64 " bytes", end - start);
	err = read_memory(sandbox, pid, start | pages, &image, why);
	if (err)
		return err;
	*digest = digest_of(image.bytes, image.count);
	fd = memfd_create("flametop-vdso", MFD_CLOEXEC);
	if (fd < 0 || whole_write(fd, image.bytes, image.count) != (ssize_t)image.count) {
		if (fd >= 0)
			close(fd);
		fd = diag_set(why, -ENOMEM, "no memory for a copy of the vdso");
	}
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
		  .object_name = FLAT_NONE, .outer = FLAT_NONE },
		{ .start = VSYSCALL_PAGE + VSYSCALL_STEP, .size = VSYSCALL_STEP, .name = 14,
		  .object_name = FLAT_NONE, .outer = FLAT_NONE },
		{ .start = VSYSCALL_PAGE + 2 * VSYSCALL_STEP, .size = VSYSCALL_STEP, .name = 20,
		  .object_name = FLAT_NONE, .outer = FLAT_NONE },
	};
	static const struct flat_header header = {
		.magic = FLAT_TABLE_MAGIC, .version = FLAT_TABLE_VERSION,
		.row_count = sizeof(rows) / sizeof(rows[0]), .string_bytes = sizeof(strings),
	};

	return (struct flat_table){ .header = &header, .rows = rows, .strings = strings };
}
