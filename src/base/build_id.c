/* build_id.c - see base/build_id.h. */
#include "base/build_id.h"

char *build_id_format(const struct build_id *id, char *out)
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
