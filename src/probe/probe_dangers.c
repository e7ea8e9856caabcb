/* probe_dangers.c - see probe_dangers.h.
 *
 * The kernel's own blacklist and notrace exclude what would break the kernel at once. This list has
 * what they allow, yet was seen to hang machines or end programs: spin locks that the return
 * handler takes itself, functions that return twice (tried: SIGILL) or on another stack, and
 * functions that write our own records. vfork() and clone() are absent: the kernel handles them.
 */
#include "probe_dangers.h"

#include <fnmatch.h>

#define HANGS_KERNEL                                                                          \
	"the handler of a return probe takes such locks itself, and machines have hung: use " \
	"t:lock:contention_begin, or an entry probe"
#define RETURNS_TWICE                                                                     \
	"it returns a second time, when the return probe's own address is gone, and the " \
	"program ends: use an entry probe"
#define OWN_PATH                                                                              \
	"each hit's record goes through it, so the probe watches itself: use another function"
#define SWITCHES_STACK                                                                        \
	"it leaves on another stack, and return probes must end in the order in which they " \
	"began: the program may end; an entry probe does no harm"

static const struct probe_danger dangers[] = {
	{ "_raw_spin_lock*", true, true, VERDICT_REFUSED, HANGS_KERNEL },
	{ "_raw_spin_unlock*", true, true, VERDICT_REFUSED, HANGS_KERNEL },
	{ "_raw_spin_trylock*", true, true, VERDICT_REFUSED, HANGS_KERNEL },
	{ "queued_spin_lock_slowpath", true, true, VERDICT_REFUSED, HANGS_KERNEL },
	{ "native_queued_spin_lock_slowpath", true, true, VERDICT_REFUSED, HANGS_KERNEL },
	{ "kretprobe_*", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "kprobe_*", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "uprobe_*", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "perf_output_*", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "__perf_event_*", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "perf_event_output*", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "perf_tp_event*", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "perf_prepare_*", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "perf_callchain*", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "get_perf_callchain", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "rcu_read_*lock", true, true, VERDICT_REFUSED, OWN_PATH },
	{ "__switch_to*", true, false, VERDICT_REFUSED,
	  "it runs between two stacks: use t:sched:sched_switch" },
	{ "do_exit", true, true, VERDICT_REFUSED,
	  "it never returns: use an entry probe, or t:sched:sched_process_exit" },
	{ "do_group_exit", true, true, VERDICT_REFUSED,
	  "it never returns: use an entry probe, or t:sched:sched_process_exit" },

	{ "setjmp", false, true, VERDICT_REFUSED, RETURNS_TWICE },
	{ "_setjmp", false, true, VERDICT_REFUSED, RETURNS_TWICE },
	{ "__sigsetjmp", false, true, VERDICT_REFUSED, RETURNS_TWICE },
	{ "sigsetjmp", false, true, VERDICT_REFUSED, RETURNS_TWICE },
	{ "getcontext", false, true, VERDICT_REFUSED, RETURNS_TWICE },
	{ "__getcontext", false, true, VERDICT_REFUSED, RETURNS_TWICE },
	{ "swapcontext", false, true, VERDICT_ASKS, SWITCHES_STACK },
	{ "__swapcontext", false, true, VERDICT_ASKS, SWITCHES_STACK },
	{ "longjmp", false, true, VERDICT_REFUSED, "it never returns: use an entry probe" },
	{ "siglongjmp", false, true, VERDICT_REFUSED, "it never returns: use an entry probe" },
	{ "_longjmp", false, true, VERDICT_REFUSED, "it never returns: use an entry probe" },
	{ "_dl_runtime_resolve*", false, true, VERDICT_REFUSED,
	  "it leaves by a jump into another function: use an entry probe" },
	{ "_Unwind_*", false, true, VERDICT_REFUSED,
	  "it reads return addresses, finds the probe's own and ends the program: use an entry "
	  "probe" },
	{ "__cxa_throw", false, true, VERDICT_REFUSED, "it never returns: use an entry probe" },
	{ "__cxa_rethrow", false, true, VERDICT_REFUSED, "it never returns: use an entry probe" },
	{ "__morestack*", false, false, VERDICT_REFUSED,
	  "it changes stacks below its caller's feet: probe its caller" },
};

const struct probe_danger *probe_danger_find(const char *name, bool is_kernel, bool has_return)
{
	for (size_t i = 0; i < sizeof(dangers) / sizeof(dangers[0]); i++) {
		const struct probe_danger *danger = &dangers[i];

		if (danger->is_kernel == is_kernel && (has_return || !danger->only_return) &&
		    fnmatch(danger->pattern, name, 0) == 0)
			return danger;
	}
	return NULL;
}
