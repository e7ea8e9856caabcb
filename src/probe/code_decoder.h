/* code_decoder.h - decodes x86 machine instructions one after the other.
 *
 * Use:    code_decoder_begin(), code_decoder_next() until it is false, code_decoder_end(), but not
 *         after a begin that failed.
 * Errors: without memory code_decoder_begin() is false.
 * Thread: any, one decoder at a time in each.
 *
 * The library (capstone) does not survive a failing malloc(), so its allocations come out of one
 * block that is allocated before it begins.
 */
#ifndef PROBE_CODE_DECODER_H
#define PROBE_CODE_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory for the library's allocations: version 4.0 takes 18 KB. */
#define CODE_DECODER_POOL_BYTES (64u * 1024)

struct decoder_pool;

struct code_decoder {
	const uint8_t *bytes;	/* BORROWED: bytes not decoded yet */
	size_t count;
	uint64_t address;	/* offset of `bytes` from the start of the code */
	size_t handle;		/* handle of the library */
	struct cs_insn *instruction;
	struct decoder_pool *pool;	/* owned */
};

struct code_instruction {
	uint64_t begin, end;	/* offsets from the start of the code */
	const char *mnemonic, *operands;	/* valid until the next call */
};

bool code_decoder_begin(struct code_decoder *decoder, const uint8_t *bytes, size_t count,
			bool is_32_bit);
/* Decodes the next instruction. False: no more code, or bytes that are no instruction. */
bool code_decoder_next(struct code_decoder *decoder, struct code_instruction *out);
void code_decoder_end(struct code_decoder *decoder);

#endif
