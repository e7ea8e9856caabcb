/* probe_definition.h - writes a probe site as a definition for the kernel, and finds the fields of
 * the records that the kernel then sends: the two must agree.
 *
 * Names:  the values are a0, a1 ... in the order of the spec's arguments, the stack pointer is sp.
 * Thread: any; pure.
 */
#ifndef PROBE_PROBE_DEFINITION_H
#define PROBE_PROBE_DEFINITION_H

#include "probe/probe_news.h"
#include "probe/probe_places.h"
#include "probe/trace_group.h"

#define PROBE_DEFINITION_BYTES 2560	/* room for all values at their longest */
#define PROBE_FILTER_BYTES     2048

struct probe_definition {
	enum trace_type type;
	char place[PROBE_FUNCTION_BYTES + 64];
	char shown[PROBE_FILE_BYTES + 64];	/* as people see it: "/bin/app:0x1139" */
	char fetch_args[PROBE_DEFINITION_BYTES];
	uint32_t max_active;
};

/* Makes the definition for @site's entry or return. -E2BIG: it is too long for one command. */
int probe_definition_make(struct probe_definition *out, const struct probe_places *places,
			  const struct probe_site *site, bool is_return, struct diag *why);

/* Finds the field of each value, once the streams of @reading have their fields. */
void probe_definition_columns(struct probe_reading *reading, const struct probe_places *places);

/* Writes to @out the parts of the condition, joined by "and", that the kernel can evaluate at the
 * event at @site, which has @fields. *@rest becomes the other parts, for the analyzer; count 0:
 * none. False: no filter for the kernel. For a pair, of whose ends the kernel sees one at a time,
 * it gets parts only if the analyzer can't evaluate one, then at the first end, or if
 * probe_definition_asks_both_ends(), then at both. */
bool probe_definition_filter(const struct probe_places *places, const struct probe_site *site,
			     const struct raw_fields *fields, char *out, size_t room,
			     struct probe_condition *rest);

/* True: @places is a pair of tracepoints, and its condition uses only numbers that both of them
 * have. The kernel then filters both ends, and so drops whole pairs. */
bool probe_definition_asks_both_ends(const struct probe_places *places,
				     const struct probe_site *site);

#endif
