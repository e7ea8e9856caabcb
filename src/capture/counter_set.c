/* counter_set.c - see capture/counter_set.h.
 *
 * Idea: every counter is read with read(2), never through a ring: nothing is recorded per hit. The
 * events of a {group} share a leader, so that the kernel counts them at the same time or not at
 * all, and one read(2) returns all of them. Software events and tracepoints, which are always
 * counted, are bundled in the same way to be read together.
 *
 * Invariant: a child inherits a group as it is when the child is forked, and a group that has grown
 * since can't be read (-ECHILD, Linux 6.12). So there are bundles only where no child can be forked
 * meanwhile: on CPUs, and on a command that waits for its exec.
 */
#include "capture/counter_set.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/capture.h"
#include "capture/scope.h"
#include "capture/event.h"
#include "capture/tracefs.h"
#include "cgroup_dir.h"
#include "event_spec.h"
#include "proc/process_stat.h"

#define BUNDLE_MAX 128		/* events read at once: 1 KiB, far below the kernel's 16 KiB */
#define OTHER_DESCRIPTORS 64	/* for files, the command, signals */
#define NOTICE_BYTES 1024

/* A descriptor of one event at one place. */
struct counter {
	int fd;			/* -1: not opened */
	uint32_t leader;	/* event whose descriptor reads this one, too */
};

struct counter_place {
	pid_t tid;		/* -1: every task */
	int cpu;		/* -1: every CPU */
	int cgroup_fd;		/* -1: none */
	uint32_t row;
	uint32_t pmu;		/* which of the cores' PMUs; a task has a place for each */
};

struct counter_set {
	struct counter_list *list;	/* BORROWED */
	struct counter_place *places;	/* owned; those of this process last */
	size_t place_count, own_first;	/* own_first: index of the first that is its own */
	struct counter *counters;	/* owned; place after place, event after event */
	struct counter_row *rows;	/* owned */
	size_t row_count;
	int *cgroup_fds;		/* owned, open while the set is opened */
	size_t cgroup_count;
	struct diag *reasons;		/* owned; first refusal of each event */
	bool inherits, has_bundles, is_on_exec;
	char notice[NOTICE_BYTES];
};

static struct counter *counter_at(const struct counter_set *set, size_t place, size_t event)
{
	return &set->counters[place * set->list->count + event];
}

static void add_notice(struct counter_set *set, const struct diag *sentence)
{
	const size_t used = strlen(set->notice);

	if (!strstr(set->notice, sentence->text))
		snprintf(set->notice + used, sizeof(set->notice) - used, "%s%s", used ? "\n" : "",
			 sentence->text);
}

/* Appends a place. @row: its row, a new one if it is row_count. */
static int add_place(struct counter_set *set, pid_t tid, int cpu, int cgroup_fd, size_t row)
{
	struct counter_place *places = realloc(set->places, (set->place_count + 1) *
					       sizeof(*places));

	if (!places)
		return -ENOMEM;
	set->places = places;
	if (row == set->row_count) {
		struct counter_row *rows = realloc(set->rows, (row + 1) * sizeof(*rows));

		if (!rows)
			return -ENOMEM;
		set->rows = rows;
		rows[set->row_count++] = (struct counter_row){ .number = -1 };
	}
	places[set->place_count++] = (struct counter_place){
		.tid = tid, .cpu = cpu, .cgroup_fd = cgroup_fd, .row = (uint32_t)row,
	};
	return 0;
}

static void read_comm(pid_t tid, char *out, size_t room)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)tid);
	file = fopen(path, "re");
	out[0] = '\0';
	if (!file)
		return;
	if (fgets(out, (int)room, file))
		out[strcspn(out, "\n")] = '\0';
	fclose(file);
}

static int list_every_task(pid_t **tids, size_t *count)
{
	pid_t *pids = NULL;
	size_t pid_count = 0;
	int err = task_list_processes_of((uid_t)-1, &pids, &pid_count);

	*tids = NULL;
	*count = 0;
	for (size_t i = 0; !err && i < pid_count; i++)
		if (task_list_threads(pids[i], tids, count) == -ENOMEM)
			err = -ENOMEM;
	free(pids);
	return err;
}

/* Adds a task: a place for each kind of cores that it may run on. */
static int add_task(struct counter_set *set, pid_t tid, size_t row)
{
	const size_t kinds = set->list->pmus.count;
	int err = add_place(set, tid, -1, -1, row);

	for (size_t pmu = 1; !err && pmu < kinds; pmu++) {
		err = add_place(set, tid, -1, -1, row);
		if (!err)
			set->places[set->place_count - 1].pmu = (uint32_t)pmu;
	}
	return err;
}

static int add_tasks(struct counter_set *set, const struct target *target, enum counter_rows rows)
{
	pid_t *tids;
	size_t count;
	int err = target->kind == TARGET_SYSTEM
			? list_every_task(&tids, &count)
			: target_list_tasks(target, target->kind, &tids, &count);

	for (size_t i = 0; !err && i < count; i++) {
		const size_t row = rows == COUNTER_PER_THREAD ? set->row_count : 0;

		err = add_task(set, tids[i], row);
		if (!err && rows == COUNTER_PER_THREAD) {
			set->rows[row].number = (int)tids[i];
			read_comm(tids[i], set->rows[row].text, sizeof(set->rows[row].text));
		}
	}
	free(tids);
	return err ? err : set->place_count ? 0 : -ESRCH;
}

/* Finds the row of socket @number, or makes it. */
static size_t row_of_socket(const struct counter_set *set, int number)
{
	size_t row = 0;

	while (row < set->row_count && set->rows[row].number != number)
		row++;
	return row;
}

static int add_cpus(struct counter_set *set, const int *cpus, size_t cpu_count,
		    enum counter_rows rows, int cgroup_fd)
{
	const size_t first = set->row_count;
	struct cpu_sockets sockets = { .of_cpu = NULL };
	int err = 0;

	if (rows == COUNTER_PER_SOCKET)
		cpu_sockets_read(&sockets, "/sys/devices/system/cpu");
	for (size_t i = 0; !err && i < cpu_count; i++) {
		const int socket = (uint32_t)cpus[i] < sockets.count ? sockets.of_cpu[cpus[i]] : -1;
		const size_t row = rows == COUNTER_PER_CPU ? set->row_count
				 : rows == COUNTER_PER_SOCKET ? row_of_socket(set, socket) : first;

		err = add_place(set, -1, cpus[i], cgroup_fd, row);
		if (!err)
			set->rows[row].number = rows == COUNTER_PER_CPU ? cpus[i] : socket;
	}
	cpu_sockets_finish(&sockets);
	return err;
}

static int add_cgroup(struct counter_set *set, const char *path, const int *cpus, size_t cpu_count,
		      enum counter_rows rows, struct diag *why)
{
	int *fds = realloc(set->cgroup_fds, (set->cgroup_count + 1) * sizeof(*fds));
	const size_t row = set->row_count;
	int fd, err;

	if (!fds)
		return -ENOMEM;
	set->cgroup_fds = fds;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return diag_set(why, -errno, "cannot open cgroup %s: %s", path, strerror(errno));
	fds[set->cgroup_count++] = fd;
	err = event_check_cgroup(fd, path, cpus[0], why);
	if (!err)
		err = add_cpus(set, cpus, cpu_count, rows, fd);
	if (!err && rows == COUNTER_PER_CGROUP)
		cgroup_dir_format(path, set->rows[row].text, sizeof(set->rows[row].text));
	return err;
}

/* Adds the cgroups that @name, perhaps a pattern of paths, means. */
static int add_named_cgroups(struct counter_set *set, const char *name, const int *cpus,
			     size_t cpu_count, struct diag *why)
{
	char *root, pattern[PATH_MAX];
	glob_t found = { .gl_pathc = 0 };
	int err = cgroup_dir_find(&root, strpbrk(name, "*?[") ? "/" : name, why);

	if (err)
		return err;
	if (!strpbrk(name, "*?[")) {
		err = add_cgroup(set, root, cpus, cpu_count, COUNTER_PER_CGROUP, why);
		free(root);
		return err;
	}
	snprintf(pattern, sizeof(pattern), "%s%s", root, name + (*name == '/'));
	free(root);
	if (glob(pattern, GLOB_ONLYDIR, NULL, &found))
		found.gl_pathc = 0;
	for (size_t i = 0; i < found.gl_pathc && !err; i++) {
		struct stat file;

		if (!stat(found.gl_pathv[i], &file) && S_ISDIR(file.st_mode))
			err = add_cgroup(set, found.gl_pathv[i], cpus, cpu_count,
					 COUNTER_PER_CGROUP, why);
	}
	globfree(&found);
	if (!err && !set->place_count)
		err = diag_set(why, -ENOENT, "no cgroup matches \"%s\" (systemd-cgls shows all)",
			       name);
	return err;
}

static int add_each_cgroup(struct counter_set *set, const char *list, const int *cpus,
			   size_t cpu_count, struct diag *why)
{
	char *copy = strdup(list), *rest = copy, *name;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (name = strsep(&rest, ",")))
		err = add_named_cgroups(set, name, cpus, cpu_count, why);
	free(copy);
	return err;
}

/* This process is counted once more, apart: on every CPU at once unless the target is a few. */
static int add_own(struct counter_set *set, const struct target *target)
{
	int err = 0;

	if (!target->cpus)
		return add_place(set, getpid(), -1, -1, 0);
	for (size_t i = 0; !err && i < target->cpu_count; i++)
		err = add_place(set, getpid(), target->cpus[i], -1, 0);
	return err;
}

int counter_cgroups_find(char **out, size_t most, size_t *found, struct diag *why)
{
	return cgroup_dir_find_used(out, most, found, why);
}

static int add_places(struct counter_set *set, const struct target *target, enum counter_rows rows,
		      const char *cgroups, struct diag *why)
{
	const bool is_cpu_wide = target->kind == TARGET_CGROUP ||
				 (target->kind == TARGET_SYSTEM && rows != COUNTER_PER_THREAD);
	size_t cpu_count = target->cpu_count;
	int *online = NULL, *cpus = target->cpus;
	int err = 0;

	if (!is_cpu_wide)
		return add_tasks(set, target, rows);
	if (!cpus) {
		err = cpu_list_online(&online, &cpu_count, why);
		cpus = online;
	}
	if (!err && cgroups)
		err = add_each_cgroup(set, cgroups, cpus, cpu_count, why);
	else if (!err && target->kind == TARGET_CGROUP)
		err = add_cgroup(set, target->cgroup, cpus, cpu_count, rows, why);
	else if (!err)
		err = add_cpus(set, cpus, cpu_count, rows, -1);
	free(online);
	set->own_first = set->place_count;
	return err || target->kind != TARGET_SYSTEM || cgroups ? err : add_own(set, target);
}

/* Always counted, however many there are: the kernel needs no hardware for them. */
static bool is_software(const struct counter_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE || event->attr.type == PERF_TYPE_TRACEPOINT;
}

/* What is known of the open group while the events of a place are opened. */
struct open_group {
	int fd;			/* the leader's; -1: none */
	uint32_t leader, members;
};

static bool joins(const struct counter_set *set, const struct open_group *group, size_t event)
{
	const struct counter_event *events = set->list->events;
	const struct counter_event *leader = &events[group->leader];

	if (group->fd < 0 || events[event].group != leader->group)
		return false;
	return group->members < BUNDLE_MAX &&
	       (leader->group || (set->has_bundles && is_software(leader) &&
				  is_software(&events[event])));
}

static int first_cpu(const struct core_pmus *pmus, size_t pmu)
{
	return pmus->count && pmus->list[pmu].cpus ? pmus->list[pmu].cpus[0] : 0;
}

/* Sets the code of @event at @place. Returns false when it does not exist there, or when the place
 * of the task's first PMU has it: software is the same on all cores. */
static bool find_code(const struct counter_list *list, const struct counter_place *place,
		      size_t event, struct event_code *out)
{
	const struct event_spec *spec = &list->specs[event];
	const int cpu = place->cpu >= 0 ? place->cpu : first_cpu(&list->pmus, place->pmu);
	struct event_code first;

	return event_spec_code(spec, &list->pmus, cpu, out) &&
	       (!place->pmu ||
		!event_spec_code(spec, &list->pmus, first_cpu(&list->pmus, 0), &first) ||
		out->type != first.type || out->config != first.config);
}

/* Returns whether the event is counted at @place: everywhere, or by the CPUs of its PMU alone. */
static bool is_counted_at(const struct counter_list *list, const struct counter_place *place,
			  size_t event)
{
	const struct counter_cpus *cpus = &list->cpus[event];

	return !cpus->list || (place->cpu >= 0 && place->tid < 0 && place->cgroup_fd < 0 &&
			       cpu_list_has(cpus->list, cpus->count, place->cpu));
}

/* Opens event @index at @place in the group of @leader_fd, or as a leader (-1). Returns a
 * descriptor or -errno. */
static int open_one(const struct counter_set *set, const struct counter_place *place, size_t index,
		    int leader_fd, bool *is_filter)
{
	const struct counter_event *event = &set->list->events[index];
	struct perf_event_attr attr = event->attr;
	struct event_code code;
	int fd, err;

	if (!find_code(set->list, place, index, &code))
		return -ENODEV;
	attr.type = code.type;
	attr.config = code.config;
	attr.config1 = code.config1;
	attr.config2 = code.config2;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			   PERF_FORMAT_GROUP;
	attr.inherit = set->inherits && place < set->places + set->own_first;
	attr.disabled = leader_fd < 0;	/* a group counts when its leader does */
	attr.enable_on_exec = set->is_on_exec && leader_fd < 0;
	fd = event_open_member(&attr, place->cgroup_fd, place->tid, place->cpu, leader_fd);
	if (fd < 0 || !event->filter || !ioctl(fd, PERF_EVENT_IOC_SET_FILTER, event->filter))
		return fd;
	err = -errno;
	close(fd);
	*is_filter = true;
	return err;
}

static bool is_forbidden(int err)
{
	return err == -EACCES || err == -EPERM;
}

/* Where kernel code may not be counted, counts user code alone, as perf does. Returns false if that
 * is counted already, or the user named a level. */
static bool concede_kernel(struct counter_set *set, struct counter_event *event)
{
	const size_t used = strlen(event->name);
	struct diag sentence = { .err = 0 };
	char remedy[300];

	if (event->has_level || event->attr.exclude_kernel)
		return false;
	event->attr.exclude_kernel = event->attr.exclude_hv = 1;
	if (used + 3 < sizeof(event->name))
		memcpy(event->name + used, ":u", 3);
	diag_set(&sentence, 0, "kernel.perf_event_paranoid is %ld: only user code is counted (:u); "
		 "for all: %s", event_sysctl("paranoid", 2),
		 event_permission_remedy(1, remedy, sizeof(remedy)));
	add_notice(set, &sentence);
	return true;
}

/* Arm's kernels before Linux 6.6 refuse the type of a PMU in a generic event. */
static bool concede_type(struct counter_set *set, const struct counter_place *place,
			 size_t index)
{
	const struct counter_list *list = set->list;
	struct event_spec *spec = &list->specs[index];
	struct diag sentence = { .err = 0 };

	if (list->pmus.count < 2 || spec->has_plain_type || spec->is_of_pmu ||
	    (spec->attr.type != PERF_TYPE_HARDWARE && spec->attr.type != PERF_TYPE_HW_CACHE))
		return false;
	spec->has_plain_type = true;
	diag_set(&sentence, 0, "this kernel counts %s of a task on one kind of cores only: name "
		 "the PMU's event, as %s/cpu_cycles/", spec->name, list->pmus.list[0].name);
	if (place->cpu < 0)
		add_notice(set, &sentence);
	return true;
}

static void note_absence(struct counter_set *set, size_t event, int err)
{
	struct diag *reason = &set->reasons[event];

	if (reason->err && reason->err != -EXDEV)
		return;
	switch (-err) {
	case EINVAL:
		diag_set(reason, err, "the kernel refuses it with these modifiers, or for this "
			 "target");
		break;
	case EBUSY:
	case ENOSPC:
		diag_set(reason, err, "other tools hold all counters of its kind");
		break;
	case ENOENT:
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP:
		diag_set(reason, err, "this machine has no such counter (virtual machines often "
			 "have none)");
		break;
	default:
		diag_set(reason, err, "%s", strerror(-err));
	}
}

/* Says why @event is not counted at @place, which is no CPU that counts it. */
static void note_elsewhere(struct counter_set *set, const struct counter_place *place,
			   size_t event)
{
	const struct counter_cpus *cpus = &set->list->cpus[event];
	struct diag *reason = &set->reasons[event];

	if (reason->err)
		return;
	if (place->cpu < 0 || place->cgroup_fd >= 0)
		diag_set(reason, -EXDEV, "it is counted for whole packages, not for tasks: "
			 "count the machine (-a)");
	else
		diag_set(reason, -EXDEV, "CPU %d counts it for its package, and is not among the "
			 "CPUs of -C", cpus->list[0]);
}

static int explain_filter(const struct counter_event *event, int err, struct diag *why)
{
	char fields[200];

	tracefs_list_fields(event->name, fields, sizeof(fields));
	return diag_set(why, err, "the kernel refuses --filter \"%s\" of %s: it compares a field "
			"with a number, or with a pattern in quotation marks; its fields are %s",
			event->filter, event->name, fields);
}

static void note_large_group(struct counter_set *set, const struct counter_event *event)
{
	struct diag sentence = { .err = 0 };

	diag_set(&sentence, 0, "%s does not fit into its group, which the PMU cannot count at "
		 "once: it is counted beside it", event->name);
	add_notice(set, &sentence);
}

/* Opens one event at one place. Returns 0 also if the machine lacks it; -errno ends the opening. */
static int open_counter(struct counter_set *set, size_t at, size_t index, struct open_group *group,
			struct diag *why)
{
	const struct counter_place *place = &set->places[at];
	struct counter_event *event = &set->list->events[index];
	struct counter *counter = counter_at(set, at, index);
	const bool is_member = joins(set, group, index);
	char name[sizeof(event->name)];
	bool is_filter = false;
	int fd;

	if (!is_counted_at(set->list, place, index)) {
		note_elsewhere(set, place, index);
		return 0;
	}
	fd = open_one(set, place, index, is_member ? group->fd : -1, &is_filter);
	if ((fd == -ENOENT || fd == -EINVAL) && !is_filter && concede_type(set, place, index))
		fd = open_one(set, place, index, is_member ? group->fd : -1, &is_filter);
	memcpy(name, event->name, sizeof(name));	/* as the user knows it */
	if (is_forbidden(fd) && concede_kernel(set, event))
		fd = open_one(set, place, index, is_member ? group->fd : -1, &is_filter);
	counter->leader = is_member ? group->leader : (uint32_t)index;
	if (fd == -EINVAL && is_member && !is_filter) {
		fd = open_one(set, place, index, -1, &is_filter);
		if (fd >= 0) {
			note_large_group(set, event);
			counter->leader = (uint32_t)index;
			counter->fd = fd;
			return 0;
		}
	}
	if (is_filter)
		return explain_filter(event, fd, why);
	if (is_forbidden(fd))
		return event_explain(fd, name, place->tid, place->cpu, why);
	if (fd == -ESRCH || fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM)
		return fd;
	if (fd < 0) {
		note_absence(set, index, fd);
		return 0;
	}
	counter->fd = fd;
	if (is_member)
		group->members++;
	else
		*group = (struct open_group){ .fd = fd, .leader = (uint32_t)index, .members = 1 };
	return 0;
}

static void close_place(struct counter_set *set, size_t place)
{
	for (size_t event = set->list->count; event-- > 0;) {
		struct counter *counter = counter_at(set, place, event);

		if (counter->fd >= 0)
			close(counter->fd);
		counter->fd = -1;
	}
}

static int open_place(struct counter_set *set, size_t place, struct diag *why)
{
	const bool is_own = place >= set->own_first;
	struct open_group group = { .fd = -1 };
	int err = 0;

	for (size_t event = 0; !err && event < set->list->count; event++) {
		const struct counter_event *one = &set->list->events[event];

		if (!one->absent.err && (!is_own || is_software(one)))
			err = open_counter(set, place, event, &group, why);
	}
	if (err)
		close_place(set, place);
	return is_own ? 0 : err;
}

static size_t count_wanted(const struct counter_set *set)
{
	size_t events = 0, software = 0;

	for (size_t i = 0; i < set->list->count; i++) {
		const struct counter_event *event = &set->list->events[i];

		events += !event->absent.err;
		software += !event->absent.err && is_software(event);
	}
	return events * set->own_first + software * (set->place_count - set->own_first);
}

static int explain_descriptors(const struct counter_set *set, size_t limit, struct diag *why)
{
	const size_t wanted = count_wanted(set) + OTHER_DESCRIPTORS;
	const bool is_cpu_wide = set->place_count && set->places[0].tid == -1;

	if (wanted <= limit)
		return diag_set(why, -EMFILE, "the system has no descriptors left (fs.file-max) "
				"for %zu events on %zu %s: end other programs, or name fewer "
				"events", set->list->count, set->own_first,
				is_cpu_wide ? "CPUs" : "threads");
	return diag_set(why, -EMFILE, "%zu events on %zu %s need %zu descriptors, the limit is "
			"%zu: raise it (ulimit -n %zu), or name fewer events or %s",
			set->list->count, set->own_first, is_cpu_wide ? "CPUs" : "threads", wanted,
			limit, wanted, is_cpu_wide ? "CPUs (-C)" : "threads (-t)");
}

/* Marks the events that no place has. */
static void mark_absent(struct counter_set *set)
{
	for (size_t event = 0; event < set->list->count; event++) {
		bool is_open = false;

		for (size_t place = 0; !is_open && place < set->own_first; place++)
			is_open = counter_at(set, place, event)->fd >= 0;
		if (!is_open && set->reasons[event].err)
			set->list->events[event].absent = set->reasons[event];
	}
}

static int open_all(struct counter_set *set, struct diag *why)
{
	size_t limit, open_places = 0;
	int err = capture_claim_descriptors(&limit, why);

	/* Before opening: closing a tracepoint takes 40 ms. */
	if (!err && count_wanted(set) + OTHER_DESCRIPTORS > limit)
		err = explain_descriptors(set, limit, why);
	for (size_t place = 0; !err && place < set->place_count; place++) {
		err = open_place(set, place, why);
		open_places += !err && place < set->own_first;
		if (err == -ESRCH)	/* the task has ended */
			err = 0;
		else if (err == -EMFILE || err == -ENFILE)
			explain_descriptors(set, limit, why);
	}
	if (!err && !open_places)
		err = -ESRCH;
	mark_absent(set);
	return err;
}

static int create_counters(struct counter_set *set)
{
	const size_t count = set->place_count * set->list->count;

	set->counters = calloc(count, sizeof(*set->counters));
	set->reasons = calloc(set->list->count, sizeof(*set->reasons));
	for (size_t i = 0; set->counters && i < count; i++)
		set->counters[i].fd = -1;
	return set->counters && set->reasons ? 0 : -ENOMEM;
}

static void close_cgroups(struct counter_set *set)
{
	for (size_t i = 0; i < set->cgroup_count; i++)
		close(set->cgroup_fds[i]);
	set->cgroup_count = 0;
}

int counter_set_open(struct counter_set **out, struct counter_list *list,
		     const struct target *target, enum counter_rows rows, const char *cgroups,
		     struct diag *why)
{
	struct counter_set *set = calloc(1, sizeof(*set));
	const bool has_tasks = target->kind != TARGET_CGROUP &&
			       (target->kind != TARGET_SYSTEM || rows == COUNTER_PER_THREAD);
	int err = -ENOMEM;

	*out = NULL;
	if (!set)
		return diag_set(why, err, "no memory for the counters");
	set->list = list;
	set->is_on_exec = target->kind == TARGET_COMMAND;
	set->inherits = has_tasks && !target->no_inherit;
	set->has_bundles = !set->inherits || set->is_on_exec;
	why->err = 0;
	err = add_places(set, target, rows, cgroups, why);
	if (!set->own_first)
		set->own_first = set->place_count;
	if (!err)
		err = create_counters(set);
	if (!err)
		err = open_all(set, why);
	close_cgroups(set);	/* the counters know them now */
	if (!err) {
		*out = set;
		return 0;
	}
	counter_set_destroy(set);
	if (why->err == err)
		return err;
	return diag_set(why, err, err == -ESRCH ? "the process to count has ended"
						: "no memory for the counters");
}

void counter_set_destroy(struct counter_set *set)
{
	if (!set)
		return;
	for (size_t place = set->place_count; set->counters && place-- > 0;)
		close_place(set, place);
	close_cgroups(set);
	free(set->cgroup_fds);
	free(set->places);
	free(set->rows);
	free(set->counters);
	free(set->reasons);
	free(set);
}

static void control_place(const struct counter_set *set, size_t place, unsigned long request)
{
	for (size_t event = 0; event < set->list->count; event++) {
		const struct counter *counter = counter_at(set, place, event);

		if (counter->fd >= 0 && counter->leader == event)
			ioctl(counter->fd, request, 0);	/* fails only if the task has ended */
	}
}

/* This process is switched on last and off first: its share is never more than the whole. */
void counter_set_enable(const struct counter_set *set)
{
	for (size_t place = 0; !set->is_on_exec && place < set->place_count; place++)
		control_place(set, place, PERF_EVENT_IOC_ENABLE);
}

void counter_set_disable(const struct counter_set *set)
{
	for (size_t place = set->place_count; place-- > 0;)
		control_place(set, place, PERF_EVENT_IOC_DISABLE);
}

size_t counter_set_row_count(const struct counter_set *set)
{
	return set->row_count;
}

const struct counter_row *counter_set_row(const struct counter_set *set, size_t row)
{
	return &set->rows[row];
}

const char *counter_set_notice(const struct counter_set *set)
{
	return set->notice;
}

/* Adds what the descriptor of @leader at @place reads to the values of its group. */
static void add_group(const struct counter_set *set, size_t place, size_t leader,
		      struct counter_value *values)
{
	struct { uint64_t count, enabled, running, values[BUNDLE_MAX]; } group;
	const ssize_t got = read(counter_at(set, place, leader)->fd, &group, sizeof(group));
	const size_t first = set->places[place].pmu;	/* places since that of the first PMU */
	uint64_t next = 0;

	if (got < (ssize_t)(3 * sizeof(uint64_t)))
		return;
	for (size_t event = leader; event < set->list->count && next < group.count; event++) {
		const struct counter *counter = counter_at(set, place, event);

		if (counter->fd < 0 || counter->leader != leader)
			continue;
		values[event].value += group.values[next++];
		/* On cores of each kind for a part of one and the same time. */
		if (!first || counter_at(set, place - first, event)->fd < 0)
			values[event].enabled_ns += group.enabled;
		values[event].running_ns += group.running;
	}
}

static void add_place_values(const struct counter_set *set, size_t place,
			     struct counter_value *values)
{
	for (size_t event = 0; event < set->list->count; event++) {
		const struct counter *counter = counter_at(set, place, event);

		if (counter->fd >= 0 && counter->leader == event)
			add_group(set, place, event, values);
	}
}

void counter_set_read(const struct counter_set *set, struct counter_value *values)
{
	memset(values, 0, set->row_count * set->list->count * sizeof(*values));
	for (size_t place = 0; place < set->own_first; place++)
		add_place_values(set, place, values + set->places[place].row * set->list->count);
}

void counter_values_subtract(const struct counter_value *now, const struct counter_value *before,
			     struct counter_value *out, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		out[i] = (struct counter_value){ 0 };
		if (now[i].value < before[i].value || now[i].enabled_ns < before[i].enabled_ns ||
		    now[i].running_ns < before[i].running_ns)
			continue;
		out[i].value = now[i].value - before[i].value;
		out[i].enabled_ns = now[i].enabled_ns - before[i].enabled_ns;
		out[i].running_ns = now[i].running_ns - before[i].running_ns;
	}
}

bool counter_set_read_own(const struct counter_set *set, struct counter_value *values)
{
	memset(values, 0, set->list->count * sizeof(*values));
	for (size_t place = set->own_first; place < set->place_count; place++)
		add_place_values(set, place, values);
	return set->own_first < set->place_count;
}
