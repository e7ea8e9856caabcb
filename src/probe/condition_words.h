/* condition_words.h - resolves words of a condition that stand for numbers: "id == futex",
 * "ret == EAGAIN", "newstate == TCP_SYN_SENT"; and finds the comparisons only the kernel can make.
 *
 * Thread: any; pure.
 */
#ifndef PROBE_CONDITION_WORDS_H
#define PROBE_CONDITION_WORDS_H

#include "probe/probe_places.h"

/* Replaces words by numbers in the condition of @place->spec, whose site has its values. @begin,
 * @end: fields of a tracepoint, and of the second one of a pair; else NULL. A comparison that can't
 * be made makes the verdict VERDICT_UNABLE. */
void condition_words_resolve(struct probe_places *place, const struct raw_fields *begin,
			     const struct raw_fields *end);

#endif
