/* file_text.c - see sandbox/file_text.h. The reply comes from a process that is another user's:
 * every number in it is checked before it is used. */
#include "sandbox/file_text.h"

#include <errno.h>
#include <string.h>

int file_text_check(struct file_text *out, const void *bytes, size_t count,
		      uint32_t path_count, struct diag *why)
{
	const struct file_text_reply *reply = bytes;

	if (count < sizeof(*reply) || reply->magic != FILE_TEXT_MAGIC)
		return diag_set(why, -EBADMSG, "a source file without its header");
	if (reply->text_bytes > FILE_TEXT_BYTES_MAX ||
	    sizeof(*reply) + reply->text_bytes != count)
		return diag_set(why, -EBADMSG, "a source file of %zu bytes that says %u", count,
				reply->text_bytes);
	if (reply->path >= path_count)
		return diag_set(why, -EBADMSG, "a source file that was not asked for");
	*out = (struct file_text){ reply, (const char *)(reply + 1) };
	if (memchr(out->text, '\0', reply->text_bytes))
		return diag_set(why, -EBADMSG, "a source file with NUL bytes");
	return 0;
}
