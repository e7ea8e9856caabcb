/* build_id.c - see base/build_id.h. */
#include "base/build_id.h"

#include <stdio.h>

char *build_id_format(const struct build_id *id, char *out)
{
	out[0] = '\0';
	for (unsigned int i = 0; i < id->count && i < BUILD_ID_MAX_BYTES; i++)
		snprintf(out + 2 * (size_t)i, 3, "%02x", id->bytes[i]);
	return out;
}
