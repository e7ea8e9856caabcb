/* code_decoder.h - machine instructions of x86, one after the other.
 *
 * Use:    code_decoder_begin(), code_decoder_next() until it has none, code_decoder_end(), but not
 *         after a begin that failed.
 * Errors: without memory code_decoder_begin() is false.
 * Thread: any, one decoder at a time in each.
 *
 * The library (capstone) does not survive missing memory, so it gets what it asks for out of one
 * block that is there before it begins.
 */
#ifndef PROBE_CODE_DECODER_H
#define PROBE_CODE_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of what the library asks for: version 4.0 takes 18 KB. */
#define CODE_DECODER_POOL_BYTES (64u * 1024)

struct decoder_pool;

struct code_decoder {
	const uint8_t *bytes;	/* BORROWED: what is left */
	size_t count;
	uint64_t address;	/* of `bytes`, from 0 on */
	size_t handle;		/* the library's */
	struct cs_insn *instruction;
	struct decoder_pool *pool;	/* owned */
};

struct code_instruction {
	uint64_t begin, end;	/* bytes from the first of the code */
	const char *mnemonic, *operands;	/* until the next call */
};

bool code_decoder_begin(struct code_decoder *decoder, const uint8_t *bytes, size_t count,
			bool is_32_bit);
/* False: no more code, or none of this machine. */
bool code_decoder_next(struct code_decoder *decoder, struct code_instruction *out);
void code_decoder_end(struct code_decoder *decoder);

#endif
