/* probe_definition.h - how a site of a probe is said to the kernel, and how what it then sends is
 * read: the two must agree.
 *
 * Names:  the values are a0, a1 ... in the order of the spec's arguments, the stack pointer is sp.
 * Thread: any; pure.
 */
#ifndef PROBE_PROBE_DEFINITION_H
#define PROBE_PROBE_DEFINITION_H

#include "probe/probe_news.h"
#include "probe/probe_places.h"
#include "probe/trace_group.h"

#define PROBE_DEFINITION_BYTES 2560	/* all values at their longest */
#define PROBE_FILTER_BYTES     2048

struct probe_definition {
	enum trace_type type;
	char place[PROBE_FUNCTION_BYTES + 64];
	char shown[PROBE_FILE_BYTES + 64];	/* "/bin/app:0x1139": the place for people */
	char fetch_args[PROBE_DEFINITION_BYTES];
	uint32_t max_active;
};

/* Of @site's entry or return. -E2BIG: it is too long for one command. */
int probe_definition_make(struct probe_definition *out, const struct probe_places *places,
			  const struct probe_site *site, bool is_return, struct diag *why);

/* Which fields the values are in, once the streams of @reading have theirs. */
void probe_definition_columns(struct probe_reading *reading, const struct probe_places *places);

/* The condition in the kernel's filter language, as far as the kernel can evaluate it at the event
 * at @site, which has @fields: those of its parts that "and" joins. *@rest becomes the others, for
 * the analyzer; count 0: there are none. False: the kernel gets nothing. Of a pair, of which it
 * sees one end, it gets parts only where it alone can evaluate one, at the first end, and where
 * probe_definition_asks_both_ends(), at each of them. */
bool probe_definition_filter(const struct probe_places *places, const struct probe_site *site,
			     const struct raw_fields *fields, char *out, size_t room,
			     struct probe_condition *rest);

/* True: @places is a pair of tracepoints, and its condition asks for nothing but numbers that both
 * of them have. The kernel asks each end then: what it leaves out, it leaves out as a pair. */
bool probe_definition_asks_both_ends(const struct probe_places *places,
				     const struct probe_site *site);

#endif
