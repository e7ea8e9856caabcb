/* filter_text.h - the text of a FILTER_TEXT part, compiled for matching.
 *
 * Rules:  plain text is a substring; "~..." is a POSIX extended regular expression (regex(7))
 *         without references back (\1), whose braces multiply to at most 100.
 *         Smart case: without a capital letter in it, capitals make no difference.
 * Thread: the owner's; matching changes nothing.
 */
#ifndef FOLD_FILTER_TEXT_H
#define FOLD_FILTER_TEXT_H

#include <regex.h>
#include <stdbool.h>

#include "base/diag.h"

struct filter_text {
	const char *text;	/* BORROWED */
	bool is_regex, has_capital;
	regex_t regex;		/* owned, if is_regex */
};

/* Compiles @text, which must outlive @out. 0: filter_text_finish() is needed; -EINVAL: a bad
 * regular expression, with the reason; -ENOMEM. After a failure there is nothing to finish. */
int filter_text_init(struct filter_text *out, const char *text, struct diag *why);
void filter_text_finish(struct filter_text *text);

bool filter_text_matches(const struct filter_text *text, const char *name);

#endif
