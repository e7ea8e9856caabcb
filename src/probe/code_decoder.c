/* code_decoder.c - see code_decoder.h. */
#include "code_decoder.h"

#include <capstone/capstone.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct decoder_pool {
	size_t used;
	alignas(max_align_t) unsigned char bytes[CODE_DECODER_POOL_BYTES];
};

static _Thread_local struct decoder_pool *pool;

static void *pool_malloc(size_t bytes)
{
	const size_t room = (bytes + alignof(max_align_t) - 1) & -alignof(max_align_t);
	void *block = pool->bytes + pool->used;

	if (room < bytes || room > CODE_DECODER_POOL_BYTES - pool->used)
		return NULL;
	pool->used += room;
	return block;
}

static void *pool_calloc(size_t count, size_t bytes)
{
	const bool is_larger = bytes && count > CODE_DECODER_POOL_BYTES / bytes;
	void *block = is_larger ? NULL : pool_malloc(count * bytes);

	return block ? memset(block, 0, count * bytes) : NULL;
}

/* Capstone grows only lists of instructions, and nobody here requests one. */
static void *pool_realloc(void *block, size_t bytes)
{
	return block ? NULL : pool_malloc(bytes);
}

static void pool_free(void *block)
{
	(void)block;	/* freed with the pool */
}

static void use_pools(void)
{
	const cs_opt_mem functions = {
		.malloc = pool_malloc, .calloc = pool_calloc, .realloc = pool_realloc,
		.free = pool_free, .vsnprintf = vsnprintf,
	};

	cs_option(0, CS_OPT_MEM, (size_t)&functions);
}

bool code_decoder_begin(struct code_decoder *decoder, const uint8_t *bytes, size_t count,
			bool is_32_bit)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, use_pools);
	*decoder = (struct code_decoder){ .bytes = bytes, .count = count };
	decoder->pool = malloc(sizeof(*decoder->pool));
	if (!decoder->pool)
		return false;
	pool = decoder->pool;
	pool->used = 0;
	if (!cs_open(CS_ARCH_X86, is_32_bit ? CS_MODE_32 : CS_MODE_64, &decoder->handle))
		decoder->instruction = cs_malloc(decoder->handle);
	if (!decoder->instruction)
		code_decoder_end(decoder);
	return decoder->instruction;
}

bool code_decoder_next(struct code_decoder *decoder, struct code_instruction *out)
{
	out->begin = decoder->address;
	if (!cs_disasm_iter(decoder->handle, &decoder->bytes, &decoder->count, &decoder->address,
			    decoder->instruction))
		return false;
	out->end = decoder->address;
	out->mnemonic = decoder->instruction->mnemonic;
	out->operands = decoder->instruction->op_str;
	return true;
}

void code_decoder_end(struct code_decoder *decoder)
{
	if (decoder->instruction)
		cs_free(decoder->instruction, 1);
	if (decoder->handle)
		cs_close(&decoder->handle);
	free(decoder->pool);
	pool = NULL;
}
