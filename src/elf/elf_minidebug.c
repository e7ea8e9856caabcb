/* elf_minidebug.c - see elf_minidebug.h. */
#include "elf_minidebug.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

#include "sandbox/large_block.h"

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
