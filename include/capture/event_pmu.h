/* event_pmu.h - "pmu/terms/" -> perf_event_attr, by the descriptions of PMUs in sysfs.
 *
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-format and -events.
 * Terms:  FIELD=NUMBER with a file format/FIELD, FIELD alone (1), EVENT with a file events/EVENT,
 *         config=, config1=, config2= (all 64 bits), name=TEXT.
 * Thread: any.
 */
#ifndef CAPTURE_EVENT_PMU_H
#define CAPTURE_EVENT_PMU_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "base/diag.h"

#define EVENT_PMU_DEVICES "/sys/bus/event_source/devices"

/* Sets type and config* of @attr from @terms of the PMU in directory @devices/@pmu. A name= term is
 * copied to @name[@name_bytes]. Returns 0, -ENOENT (no such PMU or term: @why names those that
 * exist), -EINVAL. */
int event_pmu_parse(const char *devices, const char *pmu, const char *terms,
		    struct perf_event_attr *attr, char *name, size_t name_bytes, struct diag *why);

#endif
