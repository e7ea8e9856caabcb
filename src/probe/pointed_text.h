/* pointed_text.h - texts of which a tracepoint's record has only the address: which other probe can
 * record them.
 *
 * Reason: perf's record of a tracepoint has only what the tracepoint put into it. A uprobe on the
 *         libc function that makes the system call, and a kprobe on the kernel's function for it,
 *         can follow the pointer.
 * Thread: any; pure.
 */
#ifndef PROBE_POINTED_TEXT_H
#define PROBE_POINTED_TEXT_H

#include "capture/raw_fields.h"

/* True: the field is the address of one text. */
bool pointed_text_is(const struct raw_field *field);
/* Writes to @out[@room] why the text that field @index of the event @group:@name points to can't be
 * recorded, and which probe can record it. */
void pointed_text_refuse(const char *group, const char *name, const struct raw_fields *fields,
			 int index, char *out, size_t room);

#endif
