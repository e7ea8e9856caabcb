/* json_shares.c - see export/json_shares.h. */
#include "export/json_shares.h"

#include <inttypes.h>

#include "base/safe_print.h"

void json_put_shares(FILE *out, struct safe_text prefix, const struct json_shares *shares)
{
	safe_print(out, "\"%sself\":%" PRIu64 ",\"%stotal\":%" PRIu64, prefix,
		   shares->self_samples, prefix, shares->total_samples);
	safe_print(out, ",\"%sself_pct\":%.4f,\"%stotal_pct\":%.4f", prefix, shares->self_pct,
		   prefix, shares->total_pct);
	safe_print(out, ",\"%sself_period\":%.0f,\"%stotal_period\":%.0f", prefix,
		   shares->self_period, prefix, shares->total_period);
}
