/* landlock.c - see sandbox/landlock.h.
 *
 * Idea: a ruleset that handles every right the kernel knows and grants none. The rights are listed
 * by ABI version; those of later versions stay granted until their row is added here.
 *
 * The numbers are written out (they are kernel ABI): the headers of a build machine are often older
 * than the kernel that the program runs on.
 */
#include "sandbox/landlock.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ASK_VERSION 1u		/* LANDLOCK_CREATE_RULESET_VERSION */

/* struct landlock_ruleset_attr as of version 6. Older kernels accept it as long as the fields they
 * don't know are zero. */
struct rights {
	uint64_t files, network, scoped;
};

static const struct rights rights_by_version[] = {
	[1] = { .files = 0x1fff },	/* execute, write, read, list, remove, make, of any kind */
	[2] = { .files = 0x3fff },	/* and link or rename into another directory */
	[3] = { .files = 0x7fff },	/* and truncate */
	[4] = { .files = 0x7fff, .network = 3 },	/* and bind and connect TCP */
	[5] = { .files = 0xffff, .network = 3 },	/* and ioctl(2) of devices */
	[6] = { .files = 0xffff, .network = 3, .scoped = 3 },	/* and abstract sockets, signals */
};

#define VERSIONS ((int)(sizeof(rights_by_version) / sizeof(rights_by_version[0])))

int landlock_version(void)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);

	return version > 0 ? (int)version : 0;
}

int landlock_deny_all(void)
{
	int version = landlock_version(), rules, err;

	if (version == 0)
		return 0;
	if (version >= VERSIONS)
		version = VERSIONS - 1;
	rules = (int)syscall(SYS_landlock_create_ruleset, &rights_by_version[version],
			     sizeof(struct rights), 0);
	if (rules < 0)
		return -errno;
	err = syscall(SYS_landlock_restrict_self, rules, 0) ? -errno : 0;
	close(rules);
	return err;
}
