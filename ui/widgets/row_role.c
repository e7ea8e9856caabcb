/* row_role.c - see row_role.h. */
#include "row_role.h"

enum role row_role_of_share(double pct)
{
	if (pct >= ROW_ROLE_HOT_PCT)
		return ROLE_HOT;
	return pct >= ROW_ROLE_WARM_PCT ? ROLE_WARM : ROLE_COOL;
}

enum role row_role_of_code(enum cpu_mode mode, bool is_run_time)
{
	switch (mode) {
	case MODE_KERNEL:
	case MODE_HYPERVISOR:
		return ROLE_KERNEL;
	case MODE_GUEST_KERNEL:
	case MODE_GUEST_USER:
		return ROLE_GUEST;
	case MODE_USER:
		return is_run_time ? ROLE_JIT : ROLE_USER;
	case MODE_UNKNOWN:
		break;
	}
	return ROLE_UNRESOLVED;
}
