/* elf_minidebug.c - see symbols/elf_minidebug.h. */
#include "symbols/elf_minidebug.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

#define IMAGE_BYTES_MAX	 (64u << 20)	/* ten times that of libLLVM */
#define MEMORY_BYTES_MAX (128u << 20)	/* xz -9 needs 65 MiB to unpack */

static int error_of(lzma_ret result)
{
	switch (result) {
	case LZMA_OK:
		return 0;
	case LZMA_BUF_ERROR:	/* also cut short: not told apart */
	case LZMA_MEMLIMIT_ERROR:
		return -E2BIG;
	case LZMA_MEM_ERROR:
		return -ENOMEM;
	default:
		return -EBADMSG;
	}
}

/* The room is reserved whole, but costs only what is written to. */
static int unpack(struct elf_minidebug *out, struct elf_bytes packed, size_t *bytes)
{
	uint64_t memory = MEMORY_BYTES_MAX;
	size_t read = 0;

	*bytes = 0;
	out->image = malloc(IMAGE_BYTES_MAX);
	if (!out->image)
		return -ENOMEM;
	return error_of(lzma_stream_buffer_decode(&memory, 0, NULL, packed.at, &read, packed.count,
						  out->image, bytes, IMAGE_BYTES_MAX));
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
