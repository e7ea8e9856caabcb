/* target.c - see scope.h. A target that does not exist is refused here, before anything starts. */
#include "capture/scope.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/privileges.h"
#include "base/whole_io.h"
#include "cgroup_dir.h"
#include "proc/process_stat.h"

#define TARGET_LIST_BYTES 65536	/* thousands of ids */

static int compare_ids(const void *a, const void *b)
{
	pid_t left = *(const pid_t *)a, right = *(const pid_t *)b;

	return (left > right) - (left < right);
}

/* Returns the process of @tid; 0: there is no such task, or no memory (errno is ENOMEM). */
static pid_t read_process_of(pid_t tid)
{
	char path[64], line[256];
	int pid = 0;
	FILE *file;

	errno = 0;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %d", &pid) == 1)
			break;
	fclose(file);
	return pid;
}

/* Sorts the ids and removes duplicates, which would be counted twice. */
static void sort_ids(struct target *target)
{
	size_t kept = 0;

	qsort(target->ids, target->id_count, sizeof(*target->ids), compare_ids);
	for (size_t i = 0; i < target->id_count; i++)
		if (!kept || target->ids[kept - 1] != target->ids[i])
			target->ids[kept++] = target->ids[i];
	target->id_count = kept;
}

/* Returns the id in @text; 0: it is not an id. */
static pid_t id_of(const char *text)
{
	char *end;
	const long id = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : 0;

	return id > 0 && id <= INT32_MAX && !*end ? (pid_t)id : 0;
}

static int add_id(struct target *target, pid_t id, struct diag *why)
{
	pid_t *more = realloc(target->ids, (target->id_count + 1) * sizeof(*more));

	if (!more)
		return diag_set(why, -ENOMEM, "no memory for a list of ids");
	more[target->id_count++] = id;
	target->ids = more;
	return 0;
}

static int read_first(pid_t pid, const char *file, char *out, size_t room)
{
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = whole_read(fd, out, room - 1);
	close(fd);
	out[got > 0 ? got : 0] = '\0';
	return 0;
}

/* Compares comm, of which the kernel keeps 15 bytes, and the file name of argv[0]; a program may
 * change both. */
static bool is_called(pid_t pid, const char *name)
{
	char text[PATH_MAX];
	const char *slash;

	if (read_first(pid, "comm", text, sizeof(text)))
		return false;
	text[strcspn(text, "\n")] = '\0';
	if (!strcmp(text, name))
		return true;
	if (read_first(pid, "cmdline", text, sizeof(text)))
		return false;
	slash = strrchr(text, '/');
	return !strcmp(slash ? slash + 1 : text, name);
}

/* Adds every process called @name but flametop itself. */
static int add_named(struct target *target, const char *name, struct diag *why)
{
	const size_t before = target->id_count;
	pid_t *pids = NULL;
	size_t count = 0;
	int err = 0;

	task_list_processes_of((uid_t)-1, &pids, &count);
	for (size_t i = 0; i < count && !err; i++)
		if (pids[i] != getpid() && is_called(pids[i], name))
			err = add_id(target, pids[i], why);
	free(pids);
	if (err || target->id_count > before)
		return err;
	return diag_set(why, -ESRCH, "no process is called \"%s\"", name);
}

static int check_process(pid_t id, struct diag *why)
{
	const pid_t pid = read_process_of(id);

	if (!pid && errno == ENOMEM)
		return diag_set(why, -ENOMEM, "no memory to look for process %d", (int)id);
	if (!pid)
		return diag_set(why, -ESRCH, "no process %d", (int)id);
	if (pid != id)
		return diag_set(why, -ESRCH, "%d is a thread of process %d: use -p %d or -t %d",
				(int)id, (int)pid, (int)pid, (int)id);
	return 0;
}

/* Adds "4121", "4121+", "nginx" or "nginx+". A name may itself end in + ("g++"). */
static int add_processes(struct target *target, char *item, struct diag *why)
{
	const size_t length = strlen(item);
	const bool is_marked = length > 1 && item[length - 1] == '+';
	int err = is_marked && !isdigit((unsigned char)*item)
			  ? add_named(target, item, NULL) : -ESRCH;
	pid_t id;

	if (!err || err != -ESRCH)
		return err;
	if (is_marked)
		item[length - 1] = '\0';
	target->has_descendants |= is_marked;
	id = id_of(item);
	if (!id && strspn(item, "0123456789") == strlen(item))
		return diag_set(why, -EINVAL, "\"%s\" is no process id", item);
	if (!id)
		return add_named(target, item, why);
	err = check_process(id, why);
	return err ? err : add_id(target, id, why);
}

static int parse_processes(struct target *target, const char *list, struct diag *why)
{
	char text[TARGET_LIST_BYTES], *at = text, *item;
	size_t items = 0, marked = 0;
	int err = 0;

	if (strlen(list) >= sizeof(text))
		return diag_set(why, -EINVAL, "a list of processes of %zu bytes is too long",
				strlen(list));
	strcpy(text, list);
	while (!err && (item = strsep(&at, ","))) {
		if (!*item)
			return diag_set(why, -EINVAL, "\"%s\" is no list of processes: write it as"
					" 4121,4130 or nginx,postgres+", list);
		target->has_descendants = false;
		err = add_processes(target, item, why);
		items++;
		marked += target->has_descendants;
	}
	if (!err && marked && marked < items)
		err = diag_set(why, -EINVAL, "%s: with their descendants (+) are all processes of "
			       "a list, or none", list);
	if (!err)
		sort_ids(target);
	return err;
}

static int parse_threads(struct target *target, const char *list, struct diag *why)
{
	char text[TARGET_LIST_BYTES], *at = text, *item;
	int err = 0;

	snprintf(text, sizeof(text), "%s", list);
	while (!err && (item = strsep(&at, ","))) {
		const pid_t id = id_of(item);

		if (!id || strlen(list) >= sizeof(text))
			return diag_set(why, -EINVAL, "\"%s\" is not a list of ids: write it as"
					" 4121,4130", list);
		err = add_id(target, id, why);
	}
	if (!err)
		sort_ids(target);
	return err;
}

static int claim_kind(struct target *target, enum target_kind kind, struct diag *why)
{
	if (target->kind != TARGET_SYSTEM)
		return diag_set(why, -EINVAL,
				"only one of -p, -t, -u, -G and -- COMMAND can say whom to "
				"sample");
	target->kind = kind;
	return 0;
}

int target_set_processes(struct target *target, const char *list, struct diag *why)
{
	const int err = claim_kind(target, TARGET_PROCESSES, why);

	return err ? err : parse_processes(target, list, why);
}

int target_set_threads(struct target *target, const char *list, struct diag *why)
{
	int err = claim_kind(target, TARGET_THREADS, why);

	if (!err)
		err = parse_threads(target, list, why);
	for (size_t i = 0; !err && i < target->id_count; i++)
		if (!read_process_of(target->ids[i]))
			return diag_set(why, -ESRCH, "no thread %d", (int)target->ids[i]);
	return err;
}

int target_set_user(struct target *target, const char *name, struct diag *why)
{
	int err = claim_kind(target, TARGET_USER, why);
	const struct passwd *user;
	char *end;
	unsigned long uid;

	if (err)
		return err;
	user = getpwnam(name);
	if (user) {
		target->uid = user->pw_uid;
		return 0;
	}
	uid = isdigit((unsigned char)*name) ? strtoul(name, &end, 10) : UINT32_MAX;
	if (uid >= UINT32_MAX || *end)	/* (uid_t)-1 is invalid */
		return diag_set(why, -ENOENT, "no user \"%s\"", name);
	target->uid = (uid_t)uid;
	return 0;
}

int target_set_cgroup(struct target *target, const char *name, struct diag *why)
{
	int err = claim_kind(target, TARGET_CGROUP, why);

	return err ? err : cgroup_dir_find(&target->cgroup, name, why);
}

int target_set_cpus(struct target *target, const char *list, struct diag *why)
{
	int *online;
	size_t online_count;
	int err = cpu_list_online(&online, &online_count, why);

	if (err)
		return err;
	free(target->cpus);
	err = cpu_list_parse(list, &target->cpus, &target->cpu_count, why);
	for (size_t i = 0; i < target->cpu_count; i++)
		if (!cpu_list_has(online, online_count, target->cpus[i])) {
			err = diag_set(why, -ENODEV, "CPU %d is not online (see"
				       " /sys/devices/system/cpu/online)", target->cpus[i]);
			break;
		}
	free(online);
	return err;
}

uint64_t target_started_since(const struct target *target)
{
	if (target->has_descendants)
		return 1;
	return target->no_inherit ? 0 : target->since_ticks;
}

bool target_has_processes(const struct target *target, enum target_kind kind)
{
	return kind == TARGET_PROCESSES || (kind == TARGET_COMMAND && target->since_ticks);
}

static int list_threads(const pid_t *pids, size_t pid_count, pid_t **tids, size_t *count)
{
	for (size_t i = 0; i < pid_count; i++)
		if (task_list_threads(pids[i], tids, count) == -ENOMEM)
			return -ENOMEM;
	return 0;
}

/* Appends the threads of the descendants that belong to @target, see target_started_since(). */
static int list_started(const struct target *target, pid_t **tids, size_t *count)
{
	const uint64_t since_ticks = target_started_since(target);
	pid_t *pids = NULL;
	size_t pid_count = 0;
	int err;

	if (!since_ticks)
		return 0;
	err = task_list_descendants(target->ids, target->id_count, since_ticks, &pids,
				    &pid_count);
	if (!err)
		err = list_threads(pids, pid_count, tids, count);
	free(pids);
	return err;
}

int target_list_tasks(const struct target *target, enum target_kind kind, pid_t **tids,
		      size_t *count)
{
	int err = 0;

	*tids = NULL;
	*count = 0;
	if (target_has_processes(target, kind)) {
		err = list_threads(target->ids, target->id_count, tids, count);
		return err ? err : list_started(target, tids, count);
	}
	*tids = calloc(target->id_count, sizeof(**tids));
	if (!*tids)
		return -ENOMEM;
	memcpy(*tids, target->ids, target->id_count * sizeof(**tids));
	*count = target->id_count;
	return 0;
}

void target_set_everything(struct target *target)
{
	free(target->ids);
	free(target->cgroup);
	*target = (struct target){ .kind = TARGET_SYSTEM, .cpus = target->cpus,
				   .cpu_count = target->cpu_count,
				   .no_inherit = target->no_inherit };
}

static void append_ids(const struct target *target, char *out, size_t room)
{
	size_t used = strlen(out);

	for (size_t i = 0; i < target->id_count && used < room; i++) {
		if (room - used < 24) {
			snprintf(out + used, room - used, " +%zu", target->id_count - i);
			return;
		}
		used += (size_t)snprintf(out + used, room - used, "%s%d", i ? "," : " ",
					 (int)target->ids[i]);
	}
}

static void format_user(uid_t uid, char *out, size_t room)
{
	struct user user;

	if (!user_find(uid, &user))
		snprintf(out, room, "user %s", user.name);
	else
		snprintf(out, room, "uid %u", (unsigned int)uid);
}

void target_format(const struct target *target, enum target_kind kind, size_t cpu_count, char *out,
		   size_t room)
{
	switch (kind) {
	case TARGET_SYSTEM:
		if (target->cpus && cpu_count == 1)
			snprintf(out, room, "CPU %d", target->cpus[0]);
		else
			snprintf(out, room, "%zu CPU%s", cpu_count, cpu_count == 1 ? "" : "s");
		break;
	case TARGET_PROCESSES:
	case TARGET_THREADS:
		snprintf(out, room, kind == TARGET_THREADS ? "tid" : "pid");
		append_ids(target, out, room);
		if (target->has_descendants && strlen(out) + 1 < room)
			strcat(out, "+");
		break;
	case TARGET_COMMAND:
		snprintf(out, room, "command, pid %d", (int)target->ids[0]);
		break;
	case TARGET_USER:
		format_user(target->uid, out, room);
		break;
	case TARGET_CGROUP:
		snprintf(out, room, "cgroup ");
		cgroup_dir_format(target->cgroup, out + strlen(out), room - strlen(out));
		break;
	case TARGET_OWN:
		format_user(geteuid(), out, room);
		break;
	}
}

static void *copy_array(const void *from, size_t bytes)
{
	void *copy = from ? malloc(bytes ? bytes : 1) : NULL;

	if (copy)
		memcpy(copy, from, bytes);
	return copy;
}

int target_copy(struct target *out, const struct target *from, struct diag *why)
{
	*out = *from;
	out->ids = copy_array(from->ids, from->id_count * sizeof(*from->ids));
	out->cpus = copy_array(from->cpus, from->cpu_count * sizeof(*from->cpus));
	out->cgroup = from->cgroup ? strdup(from->cgroup) : NULL;
	if ((from->ids && !out->ids) || (from->cpus && !out->cpus) ||
	    (from->cgroup && !out->cgroup)) {
		target_finish(out);
		return diag_set(why, -ENOMEM, "no memory for the target");
	}
	return 0;
}

void target_finish(struct target *target)
{
	free(target->ids);
	free(target->cpus);
	free(target->cgroup);
	*target = (struct target){ .kind = TARGET_SYSTEM };
}
