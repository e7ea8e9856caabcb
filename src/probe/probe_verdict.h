/* probe_verdict.h - whether a probe at a place is wise: refusals with reason and remedy.
 * Thread: any; reads the code of the probed file. */
#ifndef PROBE_PROBE_VERDICT_H
#define PROBE_PROBE_VERDICT_H

#include "probe/probe_places.h"
#include "sandbox/probe_points.h"

/* Makes @place's verdict the worse of its own and @verdict, whose sentence is then its reason. */
void probe_verdict_add(struct probe_places *place, enum probe_verdict verdict, const char *format,
		       ...) __attribute__((format(printf, 3, 4)));

/* What is known by name and kind alone. */
void probe_verdict_of_name(struct probe_places *place, const char *function);

/* What the code at @site of user space says: instruction borders, cost, ENDBR64 (then the site is
 * moved behind it). @point: where its function begins. @flags: enum point_flag of the file. */
void probe_verdict_of_code(struct probe_places *place, struct probe_site *site,
			   const struct point *point, uint32_t flags);

/* What the file of a return probe says. */
void probe_verdict_of_file(struct probe_places *place, uint32_t flags, bool is_own_program);

/* A return probe in a file whose functions may be left by exceptions of C++. */
void probe_verdict_of_exceptions(struct probe_places *place);

#endif
