/* probe_pmu.h - probes by the PMUs "kprobe" and "uprobe", for where tracefs can't be written, as
 * with CAP_PERFMON alone.
 *
 *   probe_point --probe_pmu_define()--> attr of each descriptor, and the fields of its records
 *
 * Limits: without tracefs nothing fetches values: registers are all there is. Each descriptor is a
 *         probe of its own, and the kernel does not tell which returns it missed.
 * Source: perf_event_open(2) "config1"; start of the records: kernel/trace/trace_probe.h.
 * Thread: any.
 */
#ifndef PROBE_PROBE_PMU_H
#define PROBE_PROBE_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "capture/raw_fields.h"
#include "probe/probe_point.h"
#include "probe_link.h"

struct probe_pmu_site {
	bool is_user, is_return;
	const char *name;	/* symbol, or path of the file; BORROWED until the link is open */
	uint64_t offset;	/* offset from the symbol, or in the file */
	uint32_t semaphore;	/* USDT: file offset of the semaphore; 0: none */
};

/* Sets type and config* of @config. 0, or -ENOENT: this kernel has no such PMU. */
int probe_pmu_point_at(struct probe_link_config *config, const struct probe_pmu_site *point,
		       struct diag *why);

/* Tries whether this kernel has the PMU and our privileges suffice. 0 or -errno with the remedy. */
int probe_pmu_try(bool is_user, struct diag *why);

struct probe_pmu_definition {
	char name[PROBE_FUNCTION_BYTES + 64];	/* BORROWED by the config until the link is open */
	struct raw_fields fields;	/* owned by the caller: values a0, a1 ..., sp, ra */
};

/* Sets @config and @out for @site's entry or return. 0; -ENOTSUP: a tracepoint, a value that is in
 * no register, a kernel return without its entry. */
int probe_pmu_define(struct probe_pmu_definition *out, struct probe_link_config *config,
		     const struct probe_point *points, const struct probe_site *site,
		     bool is_return, struct diag *why);

#endif
