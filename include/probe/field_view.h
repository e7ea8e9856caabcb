/* field_view.h - a field of a tracepoint's record as an argument selects it: one element of an
 * array, another type, the bytes as a network address; or as the event itself prints it.
 *
 * Thread: any; pure.
 */
#ifndef PROBE_FIELD_VIEW_H
#define PROBE_FIELD_VIEW_H

#include "probe/probe_places.h"

struct field_view {
	struct raw_field field;		/* the record's field, or a copy with changes */
	enum probe_value_kind kind;
	enum probe_meaning meaning;
};

/* Fills @out[@room] with the field's name in @value: "daddr" for "daddr[3]". */
void field_view_name(const char *value, char *out, size_t room);

/* Makes the view of field @index of the event @group:@name for @argument; NULL: as the event has
 * it. 0; -EINVAL: the field is not of that type, @reason[@room] says why; -ENOTSUP: the record has
 * only the address of the text. */
int field_view_make(struct field_view *out, const struct raw_fields *fields, int index,
		    const char *group, const char *name, const struct probe_argument *argument,
		    char *reason, size_t room);

#endif
