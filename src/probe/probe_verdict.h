/* probe_verdict.h - judges whether a probe at a point is safe and cheap: refusals have a reason and
 * a remedy. Thread: any. */
#ifndef PROBE_PROBE_VERDICT_H
#define PROBE_PROBE_VERDICT_H

#include "probe/probe_point.h"
#include "sandbox/probe_points.h"

/* Raises @point's verdict to @verdict, with the sentence as its reason, if that is worse. */
void probe_verdict_add(struct probe_point *point, enum probe_verdict verdict, const char *format,
		       ...) __attribute__((format(printf, 3, 4)));

/* Adds verdicts that need only name and kind. */
void probe_verdict_of_name(struct probe_point *point, const char *function);

/* What a worker says of the user-space code at a site. */
struct probe_code {
	const struct point_site *site;
	enum machine machine;		/* that the code is for */
	const char *instruction, *first;	/* texts of these names in `site`, sanitized */
};

/* Adds verdicts by the code at @site: instruction boundaries, cost, ENDBR64 (then moves the site
 * past it). */
void probe_verdict_of_code(struct probe_point *point, struct probe_site *site,
			   const struct probe_code *code);

/* Adds verdicts by the header of a file's reply: whether this machine runs the file, and what a
 * return probe would do. */
void probe_verdict_of_file(struct probe_point *point, const struct point_header *file,
			   bool is_own_program);

/* Adds the verdict on a return probe in a file whose functions C++ exceptions may leave. */
void probe_verdict_of_exceptions(struct probe_point *point);

/* Compares the build-id that a spec asks for with that of @what, the kernel or a file. 0, also if
 * @wanted is empty; -ESTALE with both in the sentence: offsets would lead into other code. */
int probe_verdict_check_build(const struct build_id *wanted, const struct build_id *have,
			      const char *what, struct diag *why);

/* A function, or a pattern of functions, that is known to be dangerous to probe. */
struct probe_danger {
	const char *pattern;	/* pattern of function names, as fnmatch(3) */
	bool is_kernel;
	bool only_return;	/* only return probes do harm */
	enum probe_verdict verdict;
	const char *reason;	/* a sentence: what happens, and what to do instead */
};

/* Returns the first entry that matches @name, or NULL. */
const struct probe_danger *probe_danger_find(const char *name, bool is_kernel, bool has_return);

/* Some words of a condition stand for numbers: "id == futex", "ret == EAGAIN", "newstate ==
 * TCP_SYN_SENT"; and some comparisons only the kernel can make. */

/* Replaces words by numbers in the condition of @point->spec, whose site has its values. @begin,
 * @end: fields of a tracepoint, and of the second one of a pair; else NULL. A comparison that can't
 * be made makes the verdict VERDICT_UNABLE. */
void condition_words_resolve(struct probe_point *point, const struct raw_fields *begin,
			     const struct raw_fields *end);

#endif
