/* event_open.c - see capture/event.h. */
#include "capture/event.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/stack_copy.h"

/* Every record carries these (but see set_period_field()), so that one time order serves all
 * events. */
#define SAMPLE_FIELDS (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
		       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

int event_open_member(const struct perf_event_attr *attr, int cgroup_fd, pid_t tid, int cpu,
		      int leader_fd)
{
	const unsigned long flags = PERF_FLAG_FD_CLOEXEC |
				    (cgroup_fd < 0 ? 0 : PERF_FLAG_PID_CGROUP);
	long fd = syscall(SYS_perf_event_open, attr, cgroup_fd < 0 ? tid : cgroup_fd, cpu,
			  leader_fd, flags);

	return fd < 0 ? -errno : (int)fd;
}

int event_open(const struct perf_event_attr *attr, pid_t tid, int cpu)
{
	return event_open_member(attr, -1, tid, cpu, -1);
}

int event_open_cgroup(const struct perf_event_attr *attr, int cgroup_fd, int cpu)
{
	return event_open_member(attr, cgroup_fd, -1, cpu, -1);
}

/* Makes the attr of a dummy event, user code only: only perf_event_paranoid 3 forbids it. */
static struct perf_event_attr make_probe_attr(void)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

static bool is_attr_known(const struct perf_event_attr *attr)
{
	int fd = event_open(attr, 0, -1);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* Requests registers, a stack copy and the kernel part of the callchain. The user part, found by
 * frame pointers, has a wrong entry in every second sample of ordinary programs. */
static void set_stack_copy(struct perf_event_attr *attr, uint32_t copy_bytes)
{
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->exclude_callchain_user = 1;
	attr->sample_regs_user = user_registers_mask();
	attr->sample_stack_user = copy_bytes;
}

/* Requests the kernel's callchain, whose user part is found by frame pointers. */
static void set_chain(struct perf_event_attr *attr, const struct event_features *features)
{
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (features->stack_copies)
		user_registers_add_lr(attr);
}

/* Requests branches: those of @sampling, or calls that have not returned. The kernel records the
 * levels of the event where no level is chosen. */
static void set_branches(struct perf_event_attr *attr, const struct event_sampling *sampling)
{
	attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = sampling->branch_filter;
	if (sampling->call_graph.mode == CALL_GRAPH_LBR)
		attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
					   PERF_SAMPLE_BRANCH_NO_FLAGS |
					   PERF_SAMPLE_BRANCH_NO_CYCLES;
	if (sampling->exclude_kernel)
		attr->branch_sample_type &= ~(uint64_t)(PERF_SAMPLE_BRANCH_KERNEL |
							PERF_SAMPLE_BRANCH_HV);
}

void event_features_probe(struct event_features *out)
{
	struct perf_event_attr attr = make_probe_attr();

	attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	out->lost = is_attr_known(&attr);
	attr = make_probe_attr();
	attr.ksymbol = 1;
	out->ksymbol = is_attr_known(&attr);
	attr = make_probe_attr();
	attr.bpf_event = 1;
	out->bpf_event = is_attr_known(&attr);
	attr = make_probe_attr();
	attr.inherit = 1;
	attr.sample_type = PERF_SAMPLE_TID;
	attr.read_format = PERF_FORMAT_ID;
	event_attr_lead(&attr);
	out->inherited_reads = is_attr_known(&attr);
	attr = make_probe_attr();
	set_stack_copy(&attr, CALL_GRAPH_COPY_BYTES);
	out->stack_copies = attr.sample_regs_user && is_attr_known(&attr);
}

static void set_shared_fields(struct perf_event_attr *attr, const struct event_sampling *sampling)
{
	attr->size = sizeof(*attr);
	attr->sample_type = SAMPLE_FIELDS;
	attr->sample_id_all = 1;
	attr->read_format = PERF_FORMAT_ID;
	if (sampling->features.lost)
		attr->read_format |= PERF_FORMAT_LOST;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->inherit = sampling->inherit;
	attr->watermark = 1;
}

/* The kernel writes a record for every hit of a software event or tracepoint whose records carry
 * the period, however long the period is (perf_swevent_event() in kernel/events/core.c). Without
 * that field it writes one every N hits, which stands for N. With a period of 1 the field must be
 * there: a tracepoint with a weight (sched_stat_runtime counts nanoseconds) would write one record
 * per unit of it. */
static void set_period_field(struct perf_event_attr *attr)
{
	if (!attr->freq && attr->sample_period > 1)
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
}

void event_attr_complete(struct perf_event_attr *attr, const struct event_sampling *sampling)
{
	set_shared_fields(attr, sampling);
	set_period_field(attr);
	if (sampling->call_graph.mode == CALL_GRAPH_DWARF)
		set_stack_copy(attr, sampling->call_graph.copy_bytes);
	else if (sampling->call_graph.mode != CALL_GRAPH_OFF)
		set_chain(attr, &sampling->features);
	if (sampling->branch_filter || sampling->call_graph.mode == CALL_GRAPH_LBR)
		set_branches(attr, sampling);
	if (sampling->exclude_kernel)
		attr->exclude_kernel = attr->exclude_hv = 1;
	/* Samples at a frequency can't fill the other half of the ring before the sampler runs;
	 * with a fixed period a burst of them might. */
	attr->wakeup_watermark = (uint32_t)(sampling->ring_bytes / (attr->freq ? 2 : 4));
	if (event_is_off_cpu(attr))
		attr->sample_type |= PERF_SAMPLE_RAW;
	attr->disabled = 1;
	attr->enable_on_exec = sampling->enable_on_exec;
}

void event_attr_lead(struct perf_event_attr *attr)
{
	attr->sample_type |= PERF_SAMPLE_READ;
	attr->read_format |= PERF_FORMAT_GROUP;
}

void event_attr_follow(struct perf_event_attr *attr)
{
	attr->freq = 0;
	attr->sample_period = 0;
	attr->precise_ip = 0;	/* a count has no address */
	attr->sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = 0;
	attr->disabled = attr->enable_on_exec = 0;
}

void event_attr_sideband(struct perf_event_attr *attr, const struct event_sampling *sampling)
{
	*attr = make_probe_attr();
	set_shared_fields(attr, sampling);
	attr->sample_period = 1;
	attr->wakeup_watermark = (uint32_t)(sampling->sideband_ring_bytes / 4);
	/* Not build_id: device, inode and generation identify the file, while a build-id in their
	 * place comes from the file itself, which may be forged. */
	attr->mmap = attr->mmap2 = 1;
	attr->mmap_data = sampling->all_maps;
	attr->comm = attr->comm_exec = 1;
	attr->task = 1;
	attr->ksymbol = sampling->features.ksymbol;
	attr->bpf_event = sampling->features.bpf_event;
}

#define PROGRAMS_MAX 8u		/* more are not named */

void event_warn_of_programs(int fd, const char *name)
{
	/* struct perf_event_query_bpf, which ends in an array */
	struct {
		uint32_t room, count, ids[PROGRAMS_MAX];
	} found = { .room = PROGRAMS_MAX };
	char ids[PROGRAMS_MAX * 12] = "";
	size_t used = 0;

	if ((ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, &found) && errno != ENOSPC) || !found.count)
		return;
	for (uint32_t i = 0; i < found.count && i < PROGRAMS_MAX; i++)
		used += (size_t)snprintf(ids + used, sizeof(ids) - used, "%s%u", i ? ", " : "",
					 (unsigned int)found.ids[i]);
	log_warn("%s: other programs have BPF programs on it (id %s); hits for which one of these"
		 " returns 0 are neither seen nor counted here: bpftool prog show id %u tells"
		 " whose it is", name, ids, (unsigned int)found.ids[0]);
}

long event_sysctl(const char *name, long unknown)
{
	char path[96];
	long value;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/sys/kernel/perf_event_%s", name);
	file = fopen(path, "re");
	if (!file)
		return unknown;
	if (fscanf(file, "%ld", &value) != 1)
		value = unknown;
	fclose(file);
	return value;
}

char *event_permission_remedy(int paranoid, char *out, size_t room)
{
	char program[PATH_MAX] = "flametop";
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (len > 0)
		program[len] = '\0';
	if (len > 120)	/* the message must not be cut */
		snprintf(program, sizeof(program), "flametop");
	snprintf(out, room, "sudo flametop, or sudo sysctl kernel.perf_event_paranoid=%d, or"
		 " sudo setcap cap_perfmon=ep %s", paranoid, program);
	return out;
}

int event_check_cgroup(int cgroup_fd, const char *name, int cpu, struct diag *why)
{
	const struct perf_event_attr attr = make_probe_attr();
	const int fd = event_open_cgroup(&attr, cgroup_fd, cpu);
	char remedy[300];

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	switch (-fd) {
	case EACCES:
	case EPERM:
		return diag_set(why, fd, "sampling a cgroup is sampling whole CPUs, which is not"
				" permitted (kernel.perf_event_paranoid is %ld): %s",
				event_sysctl("paranoid", 2),
				event_permission_remedy(0, remedy, sizeof(remedy)));
	case EINVAL:
		return diag_set(why, fd, "this kernel cannot count events by cgroup (it was built"
				" without CONFIG_CGROUP_PERF): sample processes (-p) instead");
	case EBADF:
		return diag_set(why, fd, "%s is not a cgroup", name);
	case ENOENT:	/* seen with Linux 6.1 and cgroup v2, before any controller was enabled */
		return diag_set(why, fd, "the kernel counts no events for cgroup %s: it was "
				"removed, or no controller was ever enabled: write +cpu into the "
				"cgroup.subtree_control of its root", name);
	default:
		return diag_set(why, fd, "cannot open an event for cgroup %s: %s", name,
				strerror(-fd));
	}
}

int event_check_switches(struct diag *why)
{
	struct perf_event_attr attr = make_probe_attr();
	char remedy[300];
	int fd;

	attr.context_switch = 1;
	fd = event_open(&attr, 0, -1);
	if (fd == -EACCES || fd == -EPERM)
		return diag_set(why, fd, "switches of threads are not recorded for you either"
				" (kernel.perf_event_paranoid is %ld): %s",
				event_sysctl("paranoid", 2),
				event_permission_remedy(2, remedy, sizeof(remedy)));
	if (fd < 0)
		return diag_set(why, fd, "this kernel does not record switches of threads");
	close(fd);
	if (access("/proc/thread-self/syscall", F_OK))
		return diag_set(why, -ENOENT, "/proc has no files \"syscall\", which tell where"
				" threads wait (CONFIG_HAVE_ARCH_TRACEHOOK)");
	return 0;
}

static int explain_refusal(int err, const char *name, pid_t tid, struct diag *why)
{
	long paranoid = event_sysctl("paranoid", 2);
	char remedy[300];

	if (tid > 0 && paranoid <= 2)
		return diag_set(why, err, "task %d belongs to another user or may not be traced"
				" (%s): run as root: sudo flametop", (int)tid, strerror(-err));
	return diag_set(why, err, "event %s is not permitted (kernel.perf_event_paranoid is %ld):"
			" %s", name, paranoid, event_permission_remedy(tid > 0 ? 2 : -1, remedy,
								sizeof(remedy)));
}

static int explain_absence(int err, const char *name, int cpu, struct diag *why)
{
	struct perf_event_attr cycles = make_probe_attr();

	cycles.type = PERF_TYPE_HARDWARE;
	cycles.config = PERF_COUNT_HW_CPU_CYCLES;
	if (strncmp(name, "cycles", 6) != 0 && is_attr_known(&cycles))
		return diag_set(why, err, "the processor's PMU cannot sample event %s on CPU %d"
				" (emulated ones lack most events): try -e cycles, or -e cpu-clock",
				name, cpu);
	return diag_set(why, err, "this machine cannot sample event %s on CPU %d (virtual"
			" machines often have no hardware counters): try -e cpu-clock", name, cpu);
}

int event_explain(int err, const char *name, pid_t tid, int cpu, struct diag *why)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		return explain_refusal(err, name, tid, why);
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return explain_absence(err, name, cpu, why);
	case EINVAL:
		return diag_set(why, err, "the kernel refuses event %s with these modifiers and"
				" this rate: try it without modifiers", name);
	case EBUSY:
	case ENOSPC:
		return diag_set(why, err, "no free counter for event %s on CPU %d: another profiler"
				" or the NMI watchdog holds it (sudo sysctl kernel.nmi_watchdog=0)",
				name, cpu);
	case ESRCH:
		return diag_set(why, err, "task %d has ended", (int)tid);
	default:
		return diag_set(why, err, "cannot open event %s on CPU %d: %s", name, cpu,
				strerror(-err));
	}
}
