/* json_shares.h - the figures of a row or a group as members of a JSON object. Thread: any. */
#ifndef EXPORT_JSON_SHARES_H
#define EXPORT_JSON_SHARES_H

#include <stdint.h>
#include <stdio.h>

#include "base/sanitize.h"

struct json_shares {
	uint64_t self_samples, total_samples;
	double self_pct, total_pct;	/* share of the samples shown; < 0: idle, no share */
	double self_period, total_period;
};

/* "self":..., "total":... and so on, between two commas or braces; each name begins with @prefix.
 * Errors stay in @out (ferror(3)). */
void json_put_shares(FILE *out, struct safe_text prefix, const struct json_shares *shares);

#endif
