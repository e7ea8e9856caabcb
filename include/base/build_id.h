/* build_id.h - the build-id that a linker wrote into a DSO (NT_GNU_BUILD_ID). Not verified. */
#ifndef BASE_BUILD_ID_H
#define BASE_BUILD_ID_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define BUILD_ID_MAX_BYTES 20
#define BUILD_ID_HEX_BYTES (2 * BUILD_ID_MAX_BYTES + 1)

struct build_id {
	uint8_t bytes[BUILD_ID_MAX_BYTES];
	uint8_t count;		/* valid bytes; 0: the build-id is unknown */
};

static inline bool build_id_is_equal(const struct build_id *a, const struct build_id *b)
{
	return a->count && a->count == b->count && !memcmp(a->bytes, b->bytes, a->count);
}

/* Writes lower-case hex into @out[BUILD_ID_HEX_BYTES], "" without a build-id. Returns @out. */
static inline char *build_id_format(const struct build_id *id, char *out)
{
	static const char digits[] = "0123456789abcdef";
	char *at = out;

	for (unsigned int i = 0; i < id->count && i < BUILD_ID_MAX_BYTES; i++) {
		*at++ = digits[id->bytes[i] >> 4];
		*at++ = digits[id->bytes[i] & 15];
	}
	*at = '\0';
	return out;
}

#endif
