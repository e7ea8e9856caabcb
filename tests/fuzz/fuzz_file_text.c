/* fuzz_file_text.c - a source file that passes the check can be split into lines. */
#include <stdlib.h>
#include <string.h>

#include "sandbox/file_text.h"
#include "symbols/source_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* The worker is not trusted, but its header is mostly right: don't spend time on guessing it. */
static void set_header(void *bytes, size_t count)
{
	struct file_text_reply *reply = bytes;

	if (count < sizeof(*reply))
		return;
	reply->magic = FILE_TEXT_MAGIC;
	if (reply->padding[0])
		reply->text_bytes = (uint32_t)(count - sizeof(*reply));
}

static void read_lines(const struct source_file *file)
{
	size_t sum = 0;

	for (uint32_t i = 1; i <= file->line_count; i++) {
		size_t bytes;
		const char *line = source_file_line(file, i, &bytes);

		if (!line || memchr(line, '\n', bytes))
			abort();
		sum += bytes;
	}
	if (sum > file->bytes)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct source_file *file;
	struct file_text text;
	void *copy = malloc(count + 1);	/* aligned, and its end is guarded */

	memcpy(copy, bytes, count);
	set_header(copy, count);
	if (!file_text_check(&text, copy, count, 3, NULL) &&
	    !source_file_create(&file, text.text, text.reply->text_bytes, "", NULL)) {
		read_lines(file);
		source_file_destroy(file);
	}
	free(copy);
	return 0;
}
