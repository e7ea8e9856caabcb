/* target.c - see target.h. A target that does not exist is refused here, before anything starts. */
#include "capture/target.h"

#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/user.h"
#include "capture/cgroup_dir.h"
#include "capture/cpu_list.h"

static int compare_ids(const void *a, const void *b)
{
	pid_t left = *(const pid_t *)a, right = *(const pid_t *)b;

	return (left > right) - (left < right);
}

/* The process that @tid belongs to, 0 when there is no such task. */
static pid_t read_process_of(pid_t tid)
{
	char path[64], line[256];
	int pid = 0;
	FILE *file;

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

/* Sorted, each id once: a task given twice would be counted twice. */
static int parse_ids(struct target *target, const char *list, struct diag *why)
{
	size_t room = 1;
	const char *at = list;

	for (const char *c = list; *c; c++)
		room += *c == ',';
	target->ids = calloc(room, sizeof(*target->ids));
	if (!target->ids)
		return diag_set(why, -ENOMEM, "no memory for a list of ids");
	for (;;) {
		char *end;
		long id = isdigit((unsigned char)*at) ? strtol(at, &end, 10) : 0;

		if (id <= 0 || id > INT32_MAX || (*end && *end != ','))
			return diag_set(why, -EINVAL, "\"%s\" is not a list of ids: write it as"
					" 4121,4130", list);
		target->ids[target->id_count++] = (pid_t)id;
		if (!*end)
			break;
		at = end + 1;
	}
	qsort(target->ids, target->id_count, sizeof(*target->ids), compare_ids);
	room = 0;
	for (size_t i = 0; i < target->id_count; i++)
		if (!room || target->ids[room - 1] != target->ids[i])
			target->ids[room++] = target->ids[i];
	target->id_count = room;
	return 0;
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
	int err = claim_kind(target, TARGET_PROCESSES, why);

	if (!err)
		err = parse_ids(target, list, why);
	for (size_t i = 0; !err && i < target->id_count; i++) {
		pid_t pid = read_process_of(target->ids[i]);

		if (!pid)
			return diag_set(why, -ESRCH, "no process %d", (int)target->ids[i]);
		if (pid != target->ids[i])
			return diag_set(why, -ESRCH,
					"%d is a thread of process %d: use -p %d or -t %d",
					(int)target->ids[i], (int)pid, (int)pid,
					(int)target->ids[i]);
	}
	return err;
}

int target_set_threads(struct target *target, const char *list, struct diag *why)
{
	int err = claim_kind(target, TARGET_THREADS, why);

	if (!err)
		err = parse_ids(target, list, why);
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
	if (uid >= UINT32_MAX || *end)	/* (uid_t)-1 is nobody at all */
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
