/* byte_store.h - bytes that grow at their end. Initialised by zeroing. */
#ifndef RECORD_BYTE_STORE_H
#define RECORD_BYTE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct byte_store {
	unsigned char *bytes;	/* owned */
	size_t count, capacity;
	bool has_failed;	/* out of memory: something is missing */
};

void byte_store_finish(struct byte_store *store);	/* leaves it zeroed: usable again */
void byte_store_clear(struct byte_store *store);	/* keeps the memory */
void byte_store_add(struct byte_store *store, const void *bytes, size_t count);
void byte_store_add_u32(struct byte_store *store, uint32_t number);
void byte_store_add_u64(struct byte_store *store, uint64_t number);
/* Adds @count zeros. */
void byte_store_add_zeros(struct byte_store *store, size_t count);
/* Adds text as printf(3) makes it, without a terminator. */
void byte_store_print(struct byte_store *store, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
