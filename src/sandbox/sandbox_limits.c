/* sandbox_limits.c - see sandbox/sandbox_limits.h. The numbers bound damage, they are not budgets:
 * a job of usual size needs a tenth of them. */
#include "sandbox/sandbox_limits.h"

#include <assert.h>

#include "sandbox/flat_table.h"
#include "sandbox/probe_points.h"
#include "sandbox/sandbox.h"
#include "sandbox/sanitizer_build.h"
#include "sandbox/unwind_table.h"

#define MIB ((uint64_t)1 << 20)

#if SANITIZER_BUILD
#define SLOWER		5	/* measured 2 to 4 */
#define ADDRESSES(mib)	0	/* the shadow alone is terabytes */
#else
#define SLOWER		1
#define ADDRESSES(mib)	((mib) * MIB)
#endif

/* A DSO of 200 MB needs 0.2 s, 4 million symbols 0.5 GiB while they are sorted. */
#define OF_A_TABLE                                                                                \
	{ SLOWER * SANDBOX_DEADLINE_MS, SLOWER * 8, ADDRESSES(1024), FLAT_BYTES_MAX,              \
	  SYSCALLS_OF_PARSERS }

static const struct sandbox_limits limits[] = {
	[SANDBOX_SYMBOLS] = OF_A_TABLE,
	/* 5 MB of entries need 50 ms, 8 million rows 0.5 GiB while they are sorted. */
	[SANDBOX_UNWIND] = { SLOWER * SANDBOX_DEADLINE_MS, SLOWER * 4, ADDRESSES(1024),
			     UNWIND_BYTES_MAX, SYSCALLS_OF_PARSERS },
	/* 250 names take a millisecond and demangle to 4 KB each at most. */
	[SANDBOX_NAMES] = { SLOWER * 5000, SLOWER * 1, ADDRESSES(256), 4 * MIB,
			    SYSCALLS_OF_PARSERS },
	/* DWARF_LINES_MEMORY_MAX unpacked, the file itself, the index; libdw asks for paths. */
	[SANDBOX_LINES] = { SLOWER * 30000, SLOWER * 20, ADDRESSES(4096), FLAT_BYTES_MAX,
			    SYSCALLS_OF_LIBDW },
	/* A read of memory takes a few microseconds, or blocks forever. */
	[SANDBOX_MEMORY] = { SLOWER * 2000, SLOWER * 1, ADDRESSES(256), 1 * MIB,
			     SYSCALLS_OF_PARSERS },
	[SANDBOX_JIT_MAP] = OF_A_TABLE,
	[SANDBOX_JITDUMP] = OF_A_TABLE,
	/* 32 stacks of 50 frames take some ms; one that makes libunwind loop takes longer. */
	[SANDBOX_RARE_FRAMES] = { SLOWER * 2000, SLOWER * 1, ADDRESSES(1024), MIB,
				  SYSCALLS_OF_LIBUNWIND },
	/* Costs as much as SANDBOX_LINES; a reply has a few hundred rows. */
	[SANDBOX_POINTS] = { SLOWER * 30000, SLOWER * 20, ADDRESSES(4096), POINT_ANSWER_BYTES,
			     SYSCALLS_OF_LIBDW },
	[SANDBOX_PROBE_NAMES] = OF_A_TABLE,
	/* Lives as long as the recording is viewed: it blocks while nobody reads. A gigabyte of
	 * records needs 2 s; zstd's window is 128 MiB at most. */
	[SANDBOX_RECORDS] = { UINT32_C(7) * 24 * 3600 * 1000, 3600, ADDRESSES(512), 4096,
			      SYSCALLS_OF_PARSERS },
};

_Static_assert(sizeof(limits) / sizeof(limits[0]) == SANDBOX_JOB_KINDS,
	       "every kind of job has its limits");

const struct sandbox_limits *sandbox_limits(uint32_t kind)
{
	assert(kind < SANDBOX_JOB_KINDS);
	return &limits[kind];
}
