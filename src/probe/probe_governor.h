/* probe_governor.h - limits the CPU time that probes take: says which must be switched off.
 *
 * Idea:   an account per probe and one for all of them. An account is filled by its share of one
 *         CPU's time, up to a second's worth, and each hit takes out what it costs. A probe whose
 *         account is empty is switched off. So a short burst is let through, a load far over the
 *         cap is stopped at once, and one a little over it after seconds.
 * Thread: any; pure: the caller passes the time.
 */
#ifndef PROBE_PROBE_GOVERNOR_H
#define PROBE_PROBE_GOVERNOR_H

#include <stdbool.h>
#include <stdint.h>

struct governor_account {
	double share;		/* share of one CPU that may be used: 0.05 is 5 % */
	double left_ns;		/* CPU time left; < 0: overdrawn */
	uint64_t time_ns;	/* time of the last governor_open() or governor_take() */
};

/* Opens a full account. @cap_pct of one CPU; INFINITY: it is never empty. */
void governor_open(struct governor_account *account, double cap_pct, uint64_t now_ns);
/* Takes @cost_ns of CPU time, used since the last call. False: nothing is left. */
bool governor_take(struct governor_account *account, double cost_ns, uint64_t now_ns);

/* Hits and their cost over the last second or so, for the screen. */
struct governor_meter {
	uint64_t hits, time_ns;		/* values at the last reading */
	double hits_per_s;		/* smoothed over about a second; 0 at first */
};

void governor_meter_start(struct governor_meter *meter, uint64_t hits, uint64_t now_ns);
/* @hits: the kernel's count, which only rises. Returns the hits since the last reading. */
uint64_t governor_meter_read(struct governor_meter *meter, uint64_t hits, uint64_t now_ns);

#endif
