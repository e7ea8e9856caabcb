/* json_shares.c - see json_shares.h. */
#include "json_shares.h"

#include <inttypes.h>

#include "base/safe_print.h"

static void put_pct(FILE *out, struct safe_text prefix, const char *name, double pct)
{
	safe_print(out, ",\"%s%s\":", prefix, sanitize_checked(name));
	if (pct < 0)
		safe_put(out, "null");
	else
		safe_print(out, "%.4f", pct);
}

void json_put_shares(FILE *out, struct safe_text prefix, const struct json_shares *shares)
{
	safe_print(out, "\"%sself\":%" PRIu64 ",\"%stotal\":%" PRIu64, prefix,
		   shares->self_samples, prefix, shares->total_samples);
	put_pct(out, prefix, "self_pct", shares->self_pct);
	put_pct(out, prefix, "total_pct", shares->total_pct);
	safe_print(out, ",\"%sself_period\":%.0f,\"%stotal_period\":%.0f", prefix,
		   shares->self_period, prefix, shares->total_period);
}
