/* probe_abilities.h - tries how this kernel and our privileges let probes be attached.
 * Thread: any. */
#ifndef PROBE_PROBE_ABILITIES_H
#define PROBE_PROBE_ABILITIES_H

#include <stdbool.h>

/* Ways to attach, found by trying; `reason` names the remedy for one that is not possible. */
enum probe_ability {
	PROBE_CAN_TRACEFS_KPROBE, PROBE_CAN_TRACEFS_UPROBE, PROBE_CAN_TRACEPOINT,
	PROBE_CAN_KPROBE_PMU, PROBE_CAN_UPROBE_PMU,
	PROBE_ABILITIES
};

struct probe_abilities {
	struct { bool is_there; char reason[200]; } list[PROBE_ABILITIES];
};

/* Call before the first probe: makes and removes events of its own. Takes up to 100 ms. */
void probe_abilities_try(struct probe_abilities *out);

#endif
