/* privileges.c - see base/privileges.h.
 *
 * Only PRIVILEGES_OF_MAIN keeps CAP_DAC_OVERRIDE, as permitted but not effective: it is in effect
 * only between privileges_begin_write() and privileges_end_write().
 */
#include "base/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(capability) (UINT64_C(1) << (capability))

/* Numbers, as older headers lack these names; since Linux 5.8 and 5.9, before that SYS_ADMIN. */
#define PERFMON		   38
#define CHECKPOINT_RESTORE 40

/* events; other users' processes; their files; kallsyms; rings beyond the limit; map_files */
#define TO_READ (BIT(PERFMON) | BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_READ_SEARCH) | \
		 BIT(CAP_SYSLOG) | BIT(CAP_IPC_LOCK) | BIT(CHECKPOINT_RESTORE) | \
		 BIT(CAP_SYS_NICE))

static const uint64_t kept_sets[] = {
	[PRIVILEGES_OF_MAIN] = TO_READ | BIT(CAP_SYS_ADMIN),	/* uprobes, tracefs */
	[PRIVILEGES_TO_READ] = TO_READ,
	[PRIVILEGES_OF_GUARDIAN] = BIT(CAP_KILL) | BIT(CAP_SYS_ADMIN),
};

struct sets {
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct halves[_LINUX_CAPABILITY_U32S_3];
};

static int read_sets(struct sets *sets)
{
	sets->header = (struct __user_cap_header_struct){ .version = _LINUX_CAPABILITY_VERSION_3 };
	return syscall(SYS_capget, &sets->header, sets->halves) ? -errno : 0;
}

static uint64_t permitted(const struct sets *sets)
{
	return sets->halves[0].permitted | (uint64_t)sets->halves[1].permitted << 32;
}

static int write_sets(struct sets *sets, uint64_t allowed, uint64_t in_effect)
{
	for (int half = 0; half < 2; half++)
		sets->halves[half] = (struct __user_cap_data_struct){
			.permitted = (uint32_t)(allowed >> 32 * half),
			.effective = (uint32_t)(in_effect >> 32 * half),
		};
	return syscall(SYS_capset, &sets->header, sets->halves) ? -errno : 0;
}

/* Returns what to keep of @had. Before Linux 5.8 only SYS_ADMIN allows sampling a CPU. */
static uint64_t kept_of(enum privileges kept, bool ends_command, uint64_t had)
{
	const uint64_t set = kept_sets[kept] | (ends_command ? BIT(CAP_KILL) : 0);

	return had & (had & BIT(PERFMON) ? set : set | BIT(CAP_SYS_ADMIN));
}

int privileges_drop(enum privileges kept, bool ends_command, struct diag *why)
{
	struct sets sets;
	uint64_t in_effect, allowed;
	int err = read_sets(&sets);

	if (!err) {
		allowed = in_effect = kept_of(kept, ends_command, permitted(&sets));
		if (kept == PRIVILEGES_OF_MAIN)
			allowed |= permitted(&sets) & BIT(CAP_DAC_OVERRIDE);
		/* These matter only for executed programs, and none is: ignore errors. */
		for (unsigned long i = 0; i < 64; i++)
			prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
		err = write_sets(&sets, allowed, in_effect);
	}
	if (!err && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)))
		err = -errno;
	return err ? diag_set(why, err, "cannot give up privileges: %s", strerror(-err)) : 0;
}

static void set_write(bool is_allowed)
{
	struct sets sets;
	uint64_t in_effect;

	if (read_sets(&sets) || !(permitted(&sets) & BIT(CAP_DAC_OVERRIDE)))
		return;
	in_effect = is_allowed ? permitted(&sets) : permitted(&sets) & ~BIT(CAP_DAC_OVERRIDE);
	write_sets(&sets, permitted(&sets), in_effect);
}

void privileges_begin_write(void)
{
	set_write(true);
}

void privileges_end_write(void)
{
	set_write(false);
}
