/* page_text.h - numbers and times as the page of a window shows them.
 *
 * Thread: any. All return @out. */
#ifndef SHARE_PAGE_TEXT_H
#define SHARE_PAGE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/snapshot.h"

#define PAGE_TEXT_BYTES 64

/* Formats a number, "78,912". */
char *page_text_count(char out[PAGE_TEXT_BYTES], uint64_t count);
/* Formats a length of time, "1.2 ms". */
char *page_text_length(char out[PAGE_TEXT_BYTES], double ns);
/* Formats a moment: "14:03:01" of a live session, "1:02" from the start of a recording. @with_date:
 * "2026-11-24 14:03:01". */
char *page_text_time(char out[PAGE_TEXT_BYTES], const struct snapshot *snapshot, uint64_t ns,
		     bool with_date);

#endif
