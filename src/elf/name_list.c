/* name_list.c - see elf/name_list.h.
 *
 * Rejected: a header and offsets, as flat tables have. Names are read once, in order, so look-ups
 * are not needed, and there is less to validate.
 */
#include "elf/name_list.h"

#include <errno.h>
#include <string.h>

int name_list_check(const void *bytes, size_t bytes_count, uint32_t texts, size_t text_max,
		    struct diag *why)
{
	const char *text = bytes, *end = text + bytes_count;

	for (uint32_t i = 0; i < texts; i++) {
		const size_t left = (size_t)(end - text);
		const size_t len = strnlen(text, left < text_max + 1 ? left : text_max + 1);

		if (len == left)
			return diag_set(why, -EBADMSG, "%u names where %u were asked for", i,
					texts);
		if (len > text_max)
			return diag_set(why, -EBADMSG, "a name of more than %zu bytes", text_max);
		text += len + 1;
	}
	if (text != end)
		return diag_set(why, -EBADMSG, "more than the %u names asked for", texts);
	return 0;
}

const char *name_list_next(const char *text)
{
	return text + strlen(text) + 1;
}
