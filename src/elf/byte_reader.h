/* byte_reader.h - reads numbers forward from untrusted bytes. A read beyond `end` returns 0, sets
 * `at` to `end` and sets `is_bad`.
 * Source: DWARF 5, 7.6 (LEB128). Thread: any. */
#ifndef ELF_BYTE_READER_H
#define ELF_BYTE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct byte_reader {
	const unsigned char *at, *end;	/* BORROWED */
	bool is_bad;
};

static inline size_t byte_reader_left(const struct byte_reader *reader)
{
	return (size_t)(reader->end - reader->at);
}

static inline bool byte_reader_skip(struct byte_reader *reader, uint64_t bytes)
{
	if (byte_reader_left(reader) < bytes) {
		reader->at = reader->end;
		reader->is_bad = true;
		return false;
	}
	reader->at += bytes;
	return true;
}

/* Reads a number of @bytes (at most 8) bytes; returns 0 when fewer are left. */
static inline uint64_t byte_reader_number(struct byte_reader *reader, size_t bytes)
{
	uint64_t number = 0;

	if (byte_reader_skip(reader, bytes))
		memcpy(&number, reader->at - bytes, bytes);	/* little-endian, like the host */
	return number;
}

/* Reads a LEB128 number; drops bits above the 64th. */
static inline uint64_t byte_reader_leb(struct byte_reader *reader, bool is_signed)
{
	uint64_t number = 0;
	unsigned int shift = 0, byte;

	do {
		byte = (unsigned int)byte_reader_number(reader, 1);
		if (shift < 64)
			number |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && shift < 64 && byte & 0x40)
		number |= UINT64_MAX << shift;
	return number;
}

#endif
