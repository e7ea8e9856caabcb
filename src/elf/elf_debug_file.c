/* elf_debug_file.c - see elf_debug_file.h. */
#include "elf_debug_file.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "large_block.h"

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

#define FIRST_BYTES	 (256u << 10)	/* 64 MiB is this, doubled eight times */
#define IMAGE_BYTES_MAX	 (64u << 20)	/* ten times the size of libLLVM's */
#define MEMORY_BYTES_MAX (128u << 20)	/* xz -9 needs 65 MiB to unpack */

static int error_of(lzma_ret result)
{
	switch (result) {
	case LZMA_OK:
	case LZMA_STREAM_END:
		return 0;
	case LZMA_MEMLIMIT_ERROR:
		return -E2BIG;
	case LZMA_MEM_ERROR:
		return -ENOMEM;
	default:
		return -EBADMSG;
	}
}

/* Doubles the image's buffer, which has @used bytes. */
static int grow_image(struct elf_minidebug *out, size_t used, lzma_stream *stream)
{
	size_t bytes = used ? 2 * used : FIRST_BYTES;
	void *grown;

	if (used == IMAGE_BYTES_MAX)
		return -E2BIG;
	grown = large_block_grow(out->image, used, bytes);
	if (!grown)
		return -ENOMEM;
	out->image = grown;
	stream->next_out = (uint8_t *)grown + used;
	stream->avail_out = bytes - used;
	return 0;
}

static int unpack(struct elf_minidebug *out, struct elf_bytes packed, size_t *bytes)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret result = lzma_stream_decoder(&stream, MEMORY_BYTES_MAX, 0);
	int err = error_of(result);

	stream.next_in = packed.at;
	stream.avail_in = packed.count;
	while (!err && result != LZMA_STREAM_END) {
		if (stream.avail_out == 0)
			err = grow_image(out, stream.total_out, &stream);
		if (err)
			break;
		/* Returns LZMA_BUF_ERROR when the input is truncated. */
		result = lzma_code(&stream, LZMA_FINISH);
		err = error_of(result);
	}
	*bytes = stream.total_out;
	lzma_end(&stream);
	return err;
}

static int open_packed(struct elf_minidebug *out, struct elf_bytes packed,
		       const struct elf_file *main)
{
	size_t bytes;
	int err = unpack(out, packed, &bytes);

	if (!err)
		err = elf_file_open_image(&out->file, out->image, bytes, NULL);
	if (!err && (out->file.header.e_machine != main->header.e_machine ||
		     out->file.is_32_bit != main->is_32_bit))
		err = -EBADMSG;
	return err;
}

int elf_minidebug_open(struct elf_minidebug *out, struct elf_file *main)
{
	const struct elf_section *section = elf_file_section(main, ".gnu_debugdata");
	struct elf_bytes packed;
	int err;

	*out = (struct elf_minidebug){ .image = NULL };
	if (!section)
		return -ENOENT;
	packed = elf_file_read(main, section);
	err = packed.at ? open_packed(out, packed, main) : -EBADMSG;
	if (err)
		elf_minidebug_close(out);
	return err;
}

void elf_minidebug_close(struct elf_minidebug *minidebug)
{
	elf_file_close(&minidebug->file);
	free(minidebug->image);
	*minidebug = (struct elf_minidebug){ .image = NULL };
}
