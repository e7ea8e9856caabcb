/* event.h - sampled events: their descriptions, names and types, how their stacks are sampled, and
 * opening them. */
#ifndef CAPTURE_EVENT_H
#define CAPTURE_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "capture/record.h"

/* Describes a sampled event to the consumer of the record queue. Live capture and recordings both
 * provide a list of these, indexed by queue_item.event. */
struct event_desc {
	char name[96];		/* as shown: "cpu-clock", "cycles:u", "sched:sched_switch" */
	struct record_format format;
	uint32_t type;		/* struct perf_event_attr has it, and `config` */
	uint64_t config;
	unsigned int excluded;	/* levels that are not sampled: event_desc_identify() */
	uint64_t tracepoint;	/* recordings: tracepoint id on the recorded machine; 0: none */
	const char *raw_format;	/* the event's tracefs format file, which describes the fields of
				 * PERF_SAMPLE_RAW; NULL: not recorded; live: not wanted */
	uint32_t long_bytes;	/* size of a long in raw_format: 4 or 8 */
	const char *probe;	/* recordings: the description of flametop's probe whose hits the
				 * samples are, see ingest/probe_state.h; NULL: it is none */
	uint64_t freq_hz;	/* 0 with a fixed period */
	uint64_t fixed_period;	/* 0 with a frequency; live counts_waits, with or without: ns,
				 * see bpf/off_cpu.h */
	uint32_t copy_bytes;	/* most bytes of user stack copied per sample; 0: no copies */
	bool has_values_by_thread;	/* PERF_SAMPLE_READ: each thread has counters of its own
					 * (Linux 6.12) */
	uint32_t read_count;	/* live: so many events after it in the list have no samples, and
				 * are read with each of its own */
	bool counts_waits;	/* events off-cpu and wall: samples weigh the ns that tasks waited,
				 * see ingest/waits.h */
	bool is_wall;		/* counts_waits, and its own samples are of tasks on a CPU */
	bool is_part;		/* counts_waits, for another event; it is not shown */
	uint16_t counted_as;	/* is_part: index of that event */
	bool is_of_switches;	/* recordings: counts_waits, made of the samples of
				 * EVENT_OF_SWITCHES; has no records of its own */
	bool is_unasked;	/* recordings: another event alone is shown; its samples may only
				 * begin and end waits */
	bool is_sideband;	/* the dummy event for maps, comms, forks; has no samples */
};

#define EVENT_OFF_CPU	  "off-cpu"	/* name of an event that counts waits */
#define EVENT_WALL	  "wall"	/* name of cpu-clock that counts waits, too */
#define EVENT_OF_SWITCHES "sched:sched_switch"

#define EVENT_EXCLUDES_KERNEL 2u	/* in event_desc.excluded */

/* Sets type, config and levels to those of @attr. Two events whose `excluded` are equal sample the
 * same levels. */
static inline void event_desc_identify(struct event_desc *event, const struct perf_event_attr *attr)
{
	event->type = attr->type;
	event->config = attr->config;
	event->excluded = (attr->exclude_user ? 1u : 0) |
			  (attr->exclude_kernel ? EVENT_EXCLUDES_KERNEL : 0) |
			  (attr->exclude_hv ? 4u : 0) | (attr->exclude_host ? 8u : 0) |
			  (attr->exclude_guest ? 16u : 0);
}

/* Returns whether the event has no samples to be shown as its own: such events end the list. */
static inline bool event_desc_is_hidden(const struct event_desc *event)
{
	return event->is_sideband || event->is_part || event->is_unasked || event->probe;
}

/* Returns whether the event counts ns: cpu-clock all of a CPU's time, task-clock that of tasks. */
static inline bool event_is_clock(uint32_t type, uint64_t config)
{
	return type == PERF_TYPE_SOFTWARE &&
	       (config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Returns whether the event is off-cpu, whose records BPF programs write: bpf/off_cpu.h. */
static inline bool event_is_off_cpu(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT;
}

/* Chooses how stacks are sampled: parses the user's choice and adapts it to the load.
 *
 *   auto        kernel callchain, user registers and a copy of the user stack; frame pointers where
 *               copies would be too much
 *   fp          the kernel follows frame pointers
 *   dwarf       copies as with auto, but at any load, with a fixed size if one is given
 *   lbr         the CPU records calls, of user code only; of other than hardware events: fp
 *   off         no callers
 *
 * Thread: any, pure.
 */

/* Complete stacks with 16 KiB: 97 % for python, 100 % for cc1plus; with 8 KiB: 92 % and 96 %. */
#define CALL_GRAPH_COPY_BYTES	  16384
#define CALL_GRAPH_COPY_MIN_BYTES 8192	/* smallest size that auto chooses */
#define CALL_GRAPH_COPY_MAX_BYTES 65528	/* the kernel's limit; a multiple of 8 */

enum call_graph_mode {
	CALL_GRAPH_AUTO,
	CALL_GRAPH_FP,
	CALL_GRAPH_DWARF,
	CALL_GRAPH_OFF,
	CALL_GRAPH_LBR,
};

struct call_graph {
	enum call_graph_mode mode;
	/* Size of the stack copy. 0: the default, which auto may adapt; always 0 with FP, OFF and
	 * LBR. */
	uint32_t copy_bytes;
};

/* Parses "auto", "fp", "dwarf", "dwarf,BYTES", "lbr" or "off". @as: the option as the user wrote
 * it, for @why. Returns 0 or -EINVAL. */
int call_graph_parse(const char *text, const char *as, struct call_graph *out, struct diag *why);

/* Returns true when @word is a mode but "off", with or without a size: "dwarf,8192". */
bool call_graph_is_mode(const char *word);

/* Properties of a capture that decide how stacks can be sampled. */
struct call_graph_load {
	bool has_copies;	/* the kernel can copy registers and stacks, and they can be used */
	size_t cpus;
	uint64_t max_hz;	/* highest frequency of an event; 0: all have fixed periods */
	uint64_t sum_hz;	/* sum of the frequencies of all events */
};

/* Why call_graph_choose() did not choose what the user asked for. */
enum call_graph_concession {
	CALL_GRAPH_AS_ASKED,
	CALL_GRAPH_NOT_HERE,	/* no kernel support */
	CALL_GRAPH_TOO_OFTEN,	/* above CALL_GRAPH_COPY_MAX_HZ */
	CALL_GRAPH_TOO_MUCH,	/* more than CALL_GRAPH_COPY_MAX_RATE bytes a second */
};

#define CALL_GRAPH_COPY_MAX_HZ	 4000
#define CALL_GRAPH_COPY_MAX_HITS 4000	/* per second, for events that sample every hit */
#define CALL_GRAPH_COPY_MAX_RATE (200u * 1000 * 1000)	/* bytes a second, all CPUs together */

/* Chooses what to sample: *@out is CALL_GRAPH_DWARF with a size, CALL_GRAPH_FP, CALL_GRAPH_LBR or
 * CALL_GRAPH_OFF. */
enum call_graph_concession call_graph_choose(const struct call_graph *asked,
					     const struct call_graph_load *load,
					     struct call_graph *out);

/* Parses filters of branches as perf-record(1) names them, "any_call,u", into PERF_SAMPLE_BRANCH_*
 * bits: without a kind of branch any, without a level those of the event. @as as above. Returns 0
 * or -EINVAL. */
int branch_filter_parse(const char *text, const char *as, uint64_t *out, struct diag *why);

/* Returns the @index-th filter's name, NULL after the last. */
const char *branch_filter_name(size_t index);

/* Names of the kernel's generic events: hardware, software, cache.
 * Source: <linux/perf_event.h> perf_hw_id, perf_sw_ids, perf_hw_cache_id; perf-list(1) for names.
 * Thread: any, pure. */

/* Sets type and config of @attr; returns false when no event has this name. */
bool event_names_find(const char *name, struct perf_event_attr *attr);

/* Returns the known name closest to @name, or NULL when none is near. */
const char *event_names_nearest(const char *name);

/* Returns the @index-th name, NULL after the last. Cache events, composed of words, are not
 * listed. */
const char *event_names_at(size_t index);
/* Returns what the event of that name is; NULL: the name is another one of an event in the list. */
const char *event_names_sentence(size_t index);
/* Writes the @index-th event of the caches and what it is; "" for a combination that no CPU has.
 * Returns false after the last. */
bool event_names_cache(size_t index, char *name, size_t name_room, char *sentence,
		       size_t sentence_room);

/* Appends the @length bytes of @name to *@list, which is owned (NULL: empty), after a comma.
 * Returns 0, or -ENOMEM with *@list as it was. */
int event_names_append(char **list, const char *name, size_t length);

/* "pmu/terms/" -> perf_event_attr, by the descriptions of PMUs in sysfs.
 *
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-format and -events.
 * Terms:  FIELD=NUMBER with a file format/FIELD, FIELD alone (1), EVENT with a file events/EVENT,
 *         config=, config1=, config2= (all 64 bits), name=TEXT.
 * Thread: any.
 */

#define EVENT_PMU_DEVICES "/sys/bus/event_source/devices"

/* Returns the bytes of a PMU's name before the number at its end: those of "uncore_imc" for
 * "uncore_imc_3". */
size_t event_pmu_measure_unnumbered(const char *name);

/* Sets type and config* of @attr from @terms of the PMU in directory @devices/@pmu. A name= term is
 * copied to @name[@name_bytes]. Returns 0, -ENOENT (no such PMU or term: @why names those that
 * exist), -EINVAL. */
int event_pmu_parse(const char *devices, const char *pmu, const char *terms,
		    struct perf_event_attr *attr, char *name, size_t name_bytes, struct diag *why);

/* What one count of an event stands for: energy counters count 2^-32 J. */
struct event_unit {
	double scale;		/* 0: a count is a count */
	char text[16];		/* "Joules", "MiB"; sanitized; "": none */
};

/* Reads the files events/NAME.scale and .unit of the first of @terms that has such files. */
void event_pmu_read_unit(const char *devices, const char *pmu, const char *terms,
			 struct event_unit *out);

/* The catalogue: all that can be sampled or counted on this machine, with a sentence each.
 *
 * Use:    event_catalogue_read() reads names and opens no event; event_catalogue_try() opens each
 *         one once and closes it. Raw events that all PMUs of cores have are one entry.
 * Source: <linux/perf_event.h>; sysfs-bus-event_source-devices-events; the format files of tracefs;
 *         perf-list(1) for names and kinds.
 * Thread: any but the screen's: 1,700 tracepoints are 3,400 files.
 */

enum event_kind {
	EVENT_HARDWARE, EVENT_SOFTWARE, EVENT_CACHE,
	EVENT_PMU,		/* raw event that sysfs has */
	EVENT_FORM,		/* to be completed by a number: "rNNN", "mem:ADDR[/LEN][:ACCESS]" */
	EVENT_TRACEPOINT,
	EVENT_KINDS
};

enum event_cost {
	EVENT_SAMPLES,		/* a sample costs an interrupt or a record */
	EVENT_COUNTS,		/* it can't be sampled, only counted */
	EVENT_TRAPS,		/* each hit stops the program that causes it */
};

enum event_state {
	EVENT_UNTRIED,
	EVENT_OPENS,
	EVENT_OPENS_FOR_USER,	/* with user code only */
	EVENT_REFUSED,
};

struct event_entry {
	enum event_kind kind;
	enum event_cost cost;
	enum event_state state;
	char *name;		/* owned; as -e has it */
	char *aliases;		/* owned; its other names, separated by blanks; "": none */
	char *sentence;		/* owned; what it is; different for each entry */
	const char *reason;	/* EVENT_REFUSED: why, and the remedy; no event is named in it, and
				 * equal ones are the same pointer. BORROWED from the catalogue */
	struct perf_event_attr attr;	/* type, config*, bp_type */
	int cpu;		/* first CPU of the cpumask of its PMU; -1: it follows tasks */
};

/* Where events are found and tried. NULL or -1: on this machine. */
struct event_surroundings {
	const char *devices;	/* directory of PMUs; NULL: EVENT_PMU_DEVICES */
	int tracefs;		/* directory that holds "events/"; -1: none is given */
	/* Opens as event_open() does; NULL: event_open() itself. */
	int (*open)(const struct perf_event_attr *attr, pid_t tid, int cpu);
};

#define EVENT_REASONS_MAX 8

struct event_catalogue {
	struct event_entry *list;	/* owned; by kind, tracepoints and PMUs by name */
	size_t count, room;
	struct diag no_tracepoints;	/* why tracepoints are missing; err 0: they are not */
	bool has_counters;		/* a hardware event could be opened */
	char *reasons[EVENT_REASONS_MAX];	/* owned */
};

/* Fills *@out. @surroundings NULL: this machine. 0 or -ENOMEM; event_catalogue_finish() is needed
 * in every case. */
int event_catalogue_read(struct event_catalogue *out,
			 const struct event_surroundings *surroundings);
/* Sets states, reasons and has_counters. Tracepoints are all as the first one is: to close one the
 * kernel waits for all CPUs, which takes tens of milliseconds. Returns 0 or -ENOMEM. */
int event_catalogue_try(struct event_catalogue *catalogue,
			const struct event_surroundings *surroundings);
void event_catalogue_finish(struct event_catalogue *catalogue);	/* a zeroed one is fine */

/* True if @pattern is a kind as perf-list(1) calls it (hw, sw, cache, pmu, tracepoint), or one of
 * the entry's names has a part that matches it (fnmatch(3), capitals or not); with a colon, the
 * whole name of a tracepoint must. NULL: everything matches. */
bool event_entry_matches(const struct event_entry *entry, const char *pattern);
const char *event_kind_name(enum event_kind kind);	/* "hardware", "cache", ... */
const char *event_cost_name(enum event_cost cost);	/* "sample", "count", "trap" */

/* Checks a text for -e that is typed. Opens no event. 0 or -errno with the reason. */
int event_check_text(const char *text, struct diag *why);

/* Calls perf_event_open(2), fills in attrs, and explains errors to the user.
 * Source: perf_event_open(2). Thread: any. */

/* Features of the running kernel, each found by opening a dummy event that uses it. */
struct event_features {
	bool lost;		/* PERF_FORMAT_LOST, Linux 6.0 */
	bool ksymbol;		/* Linux 5.1 */
	bool bpf_event;		/* Linux 5.1 */
	bool inherited_reads;	/* samples of inherited events hold counters, Linux 6.12 */
	bool stack_copies;	/* copies user registers and stack; stack_copy.c has this machine */
};

void event_features_probe(struct event_features *out);

/* Settings that all events of a capture share. */
struct event_sampling {
	struct event_features features;
	struct call_graph call_graph;	/* result of call_graph_choose() */
	uint64_t branch_filter;	/* PERF_SAMPLE_BRANCH_* of the branches that samples have; 0: none.
				 * Not with CALL_GRAPH_LBR */
	bool inherit;		/* also sample the children of the task; task events only */
	bool enable_on_exec;
	bool exclude_kernel;	/* in addition to the event's own modifiers */
	bool all_maps;		/* the side-band has mappings that are not executable, too */
	size_t ring_bytes, sideband_ring_bytes;	/* a share of them is the wakeup watermark */
};

/* Completes @attr (type, config, excludes, freq and period set): clock, sample fields, watermark
 * and `disabled`. */
void event_attr_complete(struct perf_event_attr *attr, const struct event_sampling *sampling);

/* Makes @attr, complete, that of an event whose samples hold the counters of its group. */
void event_attr_lead(struct perf_event_attr *attr);
/* Makes @attr, complete, that of an event which is only counted, when and while its leader is. */
void event_attr_follow(struct perf_event_attr *attr);

/* Makes the attr of the side-band: a dummy event for maps, comms, forks, exits and kernel symbols,
 * enabled when opened, so that these are complete when the first sample arrives. */
void event_attr_sideband(struct perf_event_attr *attr, const struct event_sampling *sampling);

/* Opens an event. Returns a descriptor (close-on-exec, owned by the caller) or -errno. @tid -1:
 * every task on @cpu. */
int event_open(const struct perf_event_attr *attr, pid_t tid, int cpu);
/* Opens an event like event_open(), for the tasks in the cgroup with the directory @cgroup_fd. */
int event_open_cgroup(const struct perf_event_attr *attr, int cgroup_fd, int cpu);

/* Opens an event like these two (@cgroup_fd -1: for no cgroup) in the group that @leader_fd leads;
 * -1: as the leader of a group. */
int event_open_member(const struct perf_event_attr *attr, int cgroup_fd, pid_t tid, int cpu,
		      int leader_fd);

/* What became of a counter that was tried. */
enum event_trial {
	EVENT_TRIAL_PASSED,	/* it gave a sample, or could not be tried */
	EVENT_COUNTS_NOTHING,
	EVENT_GIVES_NO_SAMPLES,	/* it counts, but its overflows do not interrupt */
};

/* Tries @attr's type and config on the calling thread, which computes meanwhile: until the first
 * sample, and at most 20 ms of its time. For events that any code causes: cycles, instructions.
 * Hypervisors may offer counters that stay 0 or never interrupt, and accept every event. */
enum event_trial event_try(const struct perf_event_attr *attr);

/* Checks that events can be counted for @cgroup_fd. Returns 0, or -errno with reason and remedy. */
int event_check_cgroup(int cgroup_fd, const char *name, int cpu, struct diag *why);

/* Returns 0 if the kernel records switches of the own threads, and where threads wait can be read:
 * see src/capture/switch_waits.h. Else -errno with the reason. */
int event_check_switches(struct diag *why);

/* Explains error @err of opening event @name: cause and remedy. @tid as in event_open().
 * Returns @err. */
int event_explain(int err, const char *name, pid_t tid, int cpu, struct diag *why);

/* Logs a warning if BPF programs of others are attached to the tracepoint @name, of which @fd is an
 * event: they see each hit before perf does, and may hide it from all its events. Needs
 * CAP_PERFMON, else says nothing. Source: perf_event_open(2), PERF_EVENT_IOC_QUERY_BPF. */
void event_warn_of_programs(int fd, const char *name);

/* Returns the sysctl kernel.perf_event_@name ("paranoid", "mlock_kb", "max_sample_rate"), or
 * @unknown when it can't be read. */
long event_sysctl(const char *name, long unknown);

/* Writes "sudo flametop, or ..." into @out; @paranoid: the value of perf_event_paranoid that would
 * allow it. Returns @out. */
char *event_permission_remedy(int paranoid, char *out, size_t room);

#endif
