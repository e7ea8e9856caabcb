/* elf_debug_file.c - see elf_debug_file.h. */
#include "elf_debug_file.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES 65536

/* Layout: | file name, NUL-terminated | padding to 4 bytes | crc, 4 bytes | */
struct elf_debug_link elf_debug_link_read(struct elf_file *file)
{
	const struct elf_section *section = elf_file_section(file, ".gnu_debuglink");
	struct elf_debug_link link = { .crc = 0 };
	struct elf_bytes bytes;
	const unsigned char *end;
	size_t crc_at;

	if (!section)
		return link;
	bytes = elf_file_read(file, section);
	end = bytes.at ? memchr(bytes.at, '\0', bytes.count) : NULL;
	if (!end)
		return link;
	crc_at = ((size_t)(end - bytes.at) + 4) & ~(size_t)3;
	if (crc_at > bytes.count || bytes.count - crc_at < sizeof(link.crc))
		return link;
	memcpy(&link.crc, bytes.at + crc_at, sizeof(link.crc));
	link.name = (struct flat_name){ (const char *)bytes.at, (size_t)(end - bytes.at) };
	return link;
}

static bool has_crc(int fd, uint32_t wanted)
{
	unsigned char *bytes = malloc(READ_BYTES);
	uint32_t crc = 0;
	off_t at = 0;
	ssize_t got = -1;

	while (bytes) {
		got = pread(fd, bytes, READ_BYTES, at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		crc = lzma_crc32(bytes, (size_t)got, crc);
		at += got;
	}
	free(bytes);
	return got == 0 && crc == wanted;
}

static bool has_same_text_address(const struct elf_file *main, const struct elf_file *debug)
{
	const struct elf_section *text = elf_file_section(main, ".text");
	const struct elf_section *debug_text = elf_file_section(debug, ".text");

	return !text || !debug_text || text->vaddr == debug_text->vaddr;
}

bool elf_debug_file_belongs(struct elf_file *main, struct elf_file *debug, int debug_fd)
{
	struct build_id id = elf_file_build_id(main), debug_id = elf_file_build_id(debug);
	struct elf_debug_link link = elf_debug_link_read(main);

	if (main->header.e_machine != debug->header.e_machine ||
	    main->is_32_bit != debug->is_32_bit || !has_same_text_address(main, debug))
		return false;
	if (id.count && debug_id.count)
		return build_id_is_equal(&id, &debug_id);
	return link.name.bytes && has_crc(debug_fd, link.crc);
}

void elf_debug_file_open(struct elf_file *out, struct elf_file *main, int debug_fd)
{
	*out = (struct elf_file){ .elf = NULL };
	if (debug_fd >= 0 && elf_file_open(out, debug_fd, NULL) == 0 &&
	    !elf_debug_file_belongs(main, out, debug_fd))
		elf_file_close(out);
}
