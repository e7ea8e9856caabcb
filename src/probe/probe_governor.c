/* probe_governor.c - see probe_governor.h.
 *
 * Rejected: a limit on hits per second: the same rate costs ten times as much where the first
 * instruction must be single-stepped. A mean over a long time: a service is stopped at once.
 */
#include "probe_governor.h"

#include <math.h>

#include "base/clock.h"

#define METER_SMOOTH_S 0.4	/* time constant: shows nearly all of a change after a second */

static double full_ns(const struct governor_account *account)
{
	return account->share * (double)CLOCK_NS_PER_S;
}

void governor_open(struct governor_account *account, double cap_pct, uint64_t now_ns)
{
	*account = (struct governor_account){ .share = cap_pct / 100, .time_ns = now_ns };
	account->left_ns = full_ns(account);
}

bool governor_take(struct governor_account *account, double cost_ns, uint64_t now_ns)
{
	const double passed_ns = (double)(now_ns - account->time_ns);

	if (isinf(account->share))
		return true;
	account->time_ns = now_ns;
	account->left_ns = fmin(account->left_ns + account->share * passed_ns, full_ns(account));
	account->left_ns -= cost_ns;
	return account->left_ns > 0;
}

void governor_meter_start(struct governor_meter *meter, uint64_t hits, uint64_t now_ns)
{
	*meter = (struct governor_meter){ .hits = hits, .time_ns = now_ns };
}

uint64_t governor_meter_read(struct governor_meter *meter, uint64_t hits, uint64_t now_ns)
{
	const uint64_t more = hits > meter->hits ? hits - meter->hits : 0;
	const double passed_s = (double)(now_ns - meter->time_ns) / (double)CLOCK_NS_PER_S;
	double weight;

	if (passed_s <= 0)
		return 0;
	weight = 1 - exp(-passed_s / METER_SMOOTH_S);
	meter->hits_per_s += weight * ((double)more / passed_s - meter->hits_per_s);
	meter->hits += more;
	meter->time_ns = now_ns;
	return more;
}
