/* json_shares.h - writes the stats of a row or a group as JSON members. Thread: any. */
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

/* Writes "self":...,"total":... and so on, without a comma at either end; each name begins with
 * @prefix. Errors stay in @out (ferror(3)). */
void json_put_shares(FILE *out, struct safe_text prefix, const struct json_shares *shares);

#endif
