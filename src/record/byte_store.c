/* byte_store.c - see byte_store.h. */
#include "byte_store.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_BYTES 256

void byte_store_finish(struct byte_store *store)
{
	free(store->bytes);
	*store = (struct byte_store){ 0 };
}

void byte_store_clear(struct byte_store *store)
{
	store->count = 0;
	store->has_failed = false;
}

/* Returns the place of @count more bytes; NULL: out of memory. */
static unsigned char *make_room(struct byte_store *store, size_t count)
{
	size_t capacity = store->capacity ? store->capacity : LEAST_BYTES;
	unsigned char *bytes;

	while (capacity - store->count < count)
		capacity *= 2;
	if (capacity != store->capacity) {
		bytes = realloc(store->bytes, capacity);
		if (!bytes) {
			store->has_failed = true;
			return NULL;
		}
		store->bytes = bytes;
		store->capacity = capacity;
	}
	return store->bytes + store->count;
}

void byte_store_add(struct byte_store *store, const void *bytes, size_t count)
{
	unsigned char *at = make_room(store, count);

	if (!at || !count)
		return;
	memcpy(at, bytes, count);
	store->count += count;
}

void byte_store_add_u32(struct byte_store *store, uint32_t number)
{
	byte_store_add(store, &number, sizeof(number));
}

void byte_store_add_u64(struct byte_store *store, uint64_t number)
{
	byte_store_add(store, &number, sizeof(number));
}

void byte_store_add_zeros(struct byte_store *store, size_t count)
{
	unsigned char *at = make_room(store, count);

	if (!at)
		return;
	memset(at, 0, count);
	store->count += count;
}

void byte_store_print(struct byte_store *store, const char *format, ...)
{
	unsigned char *at;
	va_list arguments;
	int len;

	va_start(arguments, format);
	len = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	at = len < 0 ? NULL : make_room(store, (size_t)len + 1);
	if (!at)
		return;
	va_start(arguments, format);
	vsnprintf((char *)at, (size_t)len + 1, format, arguments);
	va_end(arguments);
	store->count += (size_t)len;
}
