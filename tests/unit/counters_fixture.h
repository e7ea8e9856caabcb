/* counters_fixture.h - counters of a machine of 8 CPUs in 10 s, with known ratios.
 *
 *   cycles 248 G, instructions 203.36 G (IPC 0.82), CPU time 80 s (3.10 GHz)
 *   branch-misses 369 M of 41 G (0.90 %)      page-faults 12,000, major 3 (0.03 %)
 *   cache-misses 3837 M of 13.42 G counted, both for 61 % of the time (28.6 %)
 *   context-switches 84,000                   cpu-migrations 610
 *   stalled-cycles-frontend: not on this CPU; stalled-cycles-backend: never ran
 *
 * Thread: one fixture at a time. */
#ifndef COUNTERS_FIXTURE_H
#define COUNTERS_FIXTURE_H

#include "analyzer/snapshot.h"

/* The counters of the machine, or of process 4121 with two threads; static, new in every call. */
struct snapshot_counters *counters_fixture_machine(void);
struct snapshot_counters *counters_fixture_process(void);
/* Those of a machine whose PMUs count more: energy of 410 J, which is 41.0 W, by CPU 0 for the
 * package; of all slots 21 % retiring, 3 % bad speculation, 11 % frontend, 65 % backend. */
struct snapshot_counters *counters_fixture_packages(void);
/* Those of a machine without a PMU: all hardware events are absent. */
struct snapshot_counters *counters_fixture_software(void);
/* No values: a state, and a reason if it was refused. */
struct snapshot_counters *counters_fixture_state(enum counters_state state, const char *reason);

#endif
