/* pointed_text.h - texts that a tracepoint's record has but the address of: where they can be had.
 *
 * Reason: perf's record of a tracepoint holds what the tracepoint put into it. A uprobe on the
 *         function of libc that makes the system call, and a kprobe on the function behind it, can
 *         follow the pointer.
 * Thread: any; pure.
 */
#ifndef PROBE_POINTED_TEXT_H
#define PROBE_POINTED_TEXT_H

#include "capture/raw_fields.h"

/* Is the field the address of one text? */
bool pointed_text_is(const struct raw_field *field);
/* Fills @out[@room] with why the text that field @index of the event @group:@name points to can't
 * be brought, and what brings it. */
void pointed_text_refuse(const char *group, const char *name, const struct raw_fields *fields,
			 int index, char *out, size_t room);

#endif
