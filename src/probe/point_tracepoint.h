/* point_tracepoint.h - resolves tracepoints to points: one for each.
 * Thread: the probe engine's; BLOCKS. */
#ifndef PROBE_POINT_TRACEPOINT_H
#define PROBE_POINT_TRACEPOINT_H

#include "capture/raw_fields.h"
#include "probe/probe_point.h"

/* probe_resolver_find() for PROBE_TRACEPOINT: each point has one site, whose `symbol` is
 * "group:name". A value's `fetch` is its field's name. */
int point_tracepoint_find(const struct probe_spec *spec, struct probe_point **out,
			  uint32_t *count, struct diag *why);

/* Checks the comparisons in @point's condition, its words resolved, that only the kernel can make;
 * the tracepoint, or the first of two, has @fields. */
void point_tracepoint_judge_filter(struct probe_point *point, const struct raw_fields *fields);

/* Fills in @out what a BPF program records in place of the tracepoint of @points, a system call's
 * entry or, with @is_return, its exit. False: no text is to be copied. */
bool point_tracepoint_texts(const struct probe_point *points, bool is_return,
			    struct syscall_texts_config *out);

/* A tracepoint's record has only what the tracepoint put into it, of some texts only the address.
 * Probes that can follow the pointer: a uprobe on the libc function that makes the system call, and
 * a kprobe on the kernel's function for it. */
/* True: the field is the address of one text. */
bool pointed_text_is(const struct raw_field *field);
/* Writes to @out[@room] why the text that field @index of the event @group:@name points to can't be
 * recorded, and which probe can record it. */
void pointed_text_refuse(const char *group, const char *name, const struct raw_fields *fields,
			 int index, char *out, size_t room);

#endif
