/* probe_verdict.h - judges whether a probe at a place is safe and cheap: refusals have a reason and
 * a remedy. Thread: any; reads the code of the probed file. */
#ifndef PROBE_PROBE_VERDICT_H
#define PROBE_PROBE_VERDICT_H

#include "probe/probe_places.h"
#include "sandbox/probe_points.h"

/* Raises @place's verdict to @verdict, with the sentence as its reason, if that is worse. */
void probe_verdict_add(struct probe_places *place, enum probe_verdict verdict, const char *format,
		       ...) __attribute__((format(printf, 3, 4)));

/* Adds verdicts that need only name and kind. */
void probe_verdict_of_name(struct probe_places *place, const char *function);

/* Adds verdicts by the user-space code at @site: instruction boundaries, cost, ENDBR64 (then moves
 * the site past it). @point: its function's start. @flags: enum point_flag of the file. */
void probe_verdict_of_code(struct probe_places *place, struct probe_site *site,
			   const struct point *point, uint32_t flags);

/* Adds verdicts on a return probe by its file. */
void probe_verdict_of_file(struct probe_places *place, uint32_t flags, bool is_own_program);

/* Adds the verdict on a return probe in a file whose functions C++ exceptions may leave. */
void probe_verdict_of_exceptions(struct probe_places *place);

#endif
