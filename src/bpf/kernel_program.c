/* kernel_program.c - see kernel_program.h.
 *
 * Errors: the kernel says EPERM or EINVAL for many reasons. explain() looks for the cause that a
 *         user can do something about: capabilities, lockdown, memory; what is left is a defect,
 *         for which the verifier's log is kept.
 */
#include "kernel_program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/whole_io.h"

#define LOG_BYTES   (1u << 20)	/* before Linux 6.4 a log that doesn't fit is an error of its own */
#define LOG_KEPT    60		/* its last lines, in flametop's log */
#define ITERATOR_BYTES 65536u
#define DEPTH_MAX   8		/* unnamed structs within each other */
#define LICENSE	    "GPL"	/* flametop's: the kernel has functions for such programs only */
#define USER_NAMESPACE 0xeffffffdu	/* the first one: linux/proc_ns.h, PROC_USER_INIT_INO */
#define KPROBE_TYPE "/sys/bus/event_source/devices/kprobe/type"

/* Reads the first line of @path. False: there is none. */
static bool read_line(const char *path, char *out, size_t room)
{
	FILE *file = fopen(path, "re");
	const bool has_line = file && fgets(out, (int)room, file);

	if (file)
		fclose(file);
	return has_line;
}

static bool has_capability(int capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2] = { { 0 } };

	if (syscall(SYS_capget, &header, sets))
		return false;
	return sets[capability / 32].effective >> capability % 32 & 1;
}

static bool has_rights(void)
{
	return has_capability(CAP_SYS_ADMIN) ||
	       (has_capability(CAP_BPF) && has_capability(CAP_PERFMON));
}

/* Returns whether the kernel keeps its memory from root, too. */
static bool is_locked_down(void)
{
	char state[64] = "";

	return read_line("/sys/kernel/security/lockdown", state, sizeof(state)) &&
	       strstr(state, "[confidentiality]");
}

/* Says which of the capabilities is missing. */
static int explain_rights(const char *what, struct diag *why)
{
	const bool has_bpf = has_capability(CAP_BPF), has_perfmon = has_capability(CAP_PERFMON);

	if (has_bpf == has_perfmon)
		return diag_set(why, -EPERM, "%s needs the capabilities CAP_BPF and CAP_PERFMON: "
				"run as root", what);
	return diag_set(why, -EPERM, "%s needs the capability %s beside %s: run as root", what,
			has_bpf ? "CAP_PERFMON" : "CAP_BPF", has_bpf ? "CAP_BPF" : "CAP_PERFMON");
}

/* The kernel looks for capabilities in the first user namespace, and does not say so. */
static bool is_in_user_namespace(void)
{
	struct stat found;

	return !stat("/proc/self/ns/user", &found) && found.st_ino != USER_NAMESPACE;
}

/* Explains a refusal in spite of the capabilities. False: there is no known cause. */
static bool explain_refusal(int err, const char *what, struct diag *why)
{
	if (is_locked_down())
		diag_set(why, err, "%s reads kernel memory, which lockdown forbids: boot without "
			 "lockdown=confidentiality", what);
	else if (err == -EPERM && is_in_user_namespace())
		diag_set(why, err, "%s needs the capabilities CAP_BPF and CAP_PERFMON in the "
			 "first user namespace: run as root outside of the rootless container",
			 what);
	else if (err == -EPERM && prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER)
		diag_set(why, err, "%s: a filter of system calls (seccomp), as containers have "
			 "one, may refuse bpf(2): run as root outside of it", what);
	else
		return false;
	return true;
}

static int explain(int err, const char *what, struct diag *why)
{
	struct utsname kernel = { .release = "" };

	uname(&kernel);
	if (err == -ENOSYS)
		return diag_set(why, err, "Linux %s was built without BPF (CONFIG_BPF_SYSCALL)",
				kernel.release);
	if (err == -ENOMEM || err == -E2BIG)
		return diag_set(why, err, "no memory for %s: raise the memory limit of flametop's "
				"cgroup, or before Linux 5.11 ulimit -l", what);
	if ((err == -EPERM || err == -EACCES) && !has_rights())
		return explain_rights(what, why);
	if (explain_refusal(err, what, why))
		return err;
	return diag_set(why, err, "Linux %s refuses %s: %s", kernel.release, what, strerror(-err));
}

int kernel_check_rights(const char *what, struct diag *why)
{
	return has_rights() ? 0 : explain_rights(what, why);
}

/* Containers have other file systems in place of parts of /sys, or of all. */
static bool is_sysfs_hidden(void)
{
	struct statfs found;
	bool is_there = !statfs("/sys/kernel/btf", &found) || !statfs("/sys/kernel", &found) ||
			!statfs("/sys", &found);

	return !is_there || found.f_type != SYSFS_MAGIC;
}

int kernel_btf_open(struct btf **out, struct diag *why)
{
	libbpf_set_print(NULL);	/* its messages would spoil the screen */
	*out = btf__load_vmlinux_btf();
	if (*out)
		return 0;
	if (is_sysfs_hidden())
		return diag_set(why, -ENOENT, "the types of the kernel are hidden: something is "
				"mounted over /sys/kernel/btf in this mount namespace; run where "
				"sysfs is on /sys");
	return diag_set(why, -ENOENT, "the kernel does not describe its types: it needs to be "
			"built with CONFIG_DEBUG_INFO_BTF (/sys/kernel/btf/vmlinux: %s)",
			strerror(errno));
}

/* Returns the bit where @member begins; -ENOENT. */
static int64_t find_member(const struct btf *btf, uint32_t id, const char *name, int depth)
{
	const struct btf_type *type = btf__type_by_id(btf, id);
	const struct btf_member *member;

	if (!type || !btf_is_composite(type) || depth == DEPTH_MAX)
		return -ENOENT;
	member = btf_members(type);
	for (uint32_t i = 0; i < btf_vlen(type); i++, member++) {
		const char *its_name = btf__name_by_offset(btf, member->name_off);
		int64_t within = 0;

		if (its_name && its_name[0] && strcmp(its_name, name) != 0)
			continue;
		if (!its_name || !its_name[0])
			within = find_member(btf, member->type, name, depth + 1);
		if (within >= 0)
			return within + btf_member_bit_offset(type, i);
	}
	return -ENOENT;
}

int kernel_btf_offset(const struct btf *btf, const char *type, const char *member,
		      struct diag *why)
{
	const int id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);
	const int64_t bit = id < 0 ? -ENOENT : find_member(btf, (uint32_t)id, member, 0);
	struct utsname kernel = { .release = "" };

	if (bit >= 0)
		return (int)(bit / 8);
	uname(&kernel);
	return diag_set(why, -ENOENT, "Linux %s has no %s in struct %s: this version of flametop "
			"does not know it", kernel.release, member, type);
}

int kernel_btf_offsets(const struct btf *btf, const struct kernel_member *members, size_t count,
		       struct diag *why)
{
	for (size_t i = 0; i < count; i++) {
		const int offset = kernel_btf_offset(btf, members[i].type, members[i].member, why);

		if (offset < 0)
			return offset;
		*members[i].offset = offset;
	}
	return 0;
}

int kernel_btf_cpu_variable(const struct btf *btf, const char *name)
{
	const int section = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
	const int variable = btf__find_by_name_kind(btf, name, BTF_KIND_VAR);
	const struct btf_type *type = section < 0 ? NULL : btf__type_by_id(btf, (uint32_t)section);
	const struct btf_var_secinfo *row = type ? btf_var_secinfos(type) : NULL;

	for (uint32_t i = 0; row && i < btf_vlen(type); i++, row++)
		if (variable >= 0 && row->type == (uint32_t)variable)
			return (int)row->offset;
	return -ENOENT;
}

/* Returns the id of the type that a program for the tracepoint is made for; negative: none. */
static int tracepoint_id(const struct btf *btf, const char *name)
{
	char type[128];

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	return btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF);
}

int kernel_btf_arguments(const struct btf *btf, const char *name)
{
	const int id = tracepoint_id(btf, name);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, (uint32_t)id);

	type = type ? btf__type_by_id(btf, type->type) : NULL;	/* the pointer */
	type = type ? btf__type_by_id(btf, type->type) : NULL;	/* the function */
	return type && btf_is_func_proto(type) ? btf_vlen(type) - 1 : -ENOENT;
}

int kernel_map_create(enum bpf_map_type type, const char *name, uint32_t key_bytes,
		      uint32_t value_bytes, uint32_t entries, uint32_t flags, struct diag *why)
{
	const struct bpf_map_create_opts options = { .sz = sizeof(options), .map_flags = flags };
	const int fd = bpf_map_create(type, name, key_bytes, value_bytes, entries, &options);

	return fd < 0 ? explain(-errno, "a BPF map", why) : fd;
}

int kernel_map_add_up(int map, uint64_t *out, size_t count, const char *what, struct diag *why)
{
	const int cpus = libbpf_num_possible_cpus();
	uint64_t *rows = cpus > 0 ? calloc((size_t)cpus * count, sizeof(*rows)) : NULL;
	const uint32_t key = 0;
	int err = rows ? 0 : -ENOMEM;

	memset(out, 0, count * sizeof(*out));
	if (rows && bpf_map_lookup_elem(map, &key, rows))
		err = -errno;
	for (size_t i = 0; !err && i < (size_t)cpus * count; i++)
		out[i % count] += rows[i];
	free(rows);
	return err ? diag_set(why, err, "%s can't be read: %s", what, strerror(-err)) : 0;
}

/* A storage's key and value must have types: int, and a struct of u64. */
static int describe_storage(struct btf *types, uint32_t words, int *key, int *value)
{
	char member[16];
	int number;

	*key = btf__add_int(types, "int", 4, BTF_INT_SIGNED);
	number = btf__add_int(types, "u64", 8, 0);
	*value = btf__add_struct(types, "words", words * 8);
	if (*key < 0 || number < 0 || *value < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < words; i++) {
		snprintf(member, sizeof(member), "word%u", i);
		if (btf__add_field(types, member, number, i * 64, 0))
			return -ENOMEM;
	}
	return btf__load_into_kernel(types);
}

int kernel_map_create_task_storage(const char *name, uint32_t words, struct diag *why)
{
	struct bpf_map_create_opts options = { .sz = sizeof(options),
					       .map_flags = BPF_F_NO_PREALLOC };
	struct btf *types = btf__new_empty();
	int key, value, fd = -1;
	int err = types ? describe_storage(types, words, &key, &value) : -ENOMEM;

	if (!err) {
		options.btf_fd = (uint32_t)btf__fd(types);
		options.btf_key_type_id = (uint32_t)key;
		options.btf_value_type_id = (uint32_t)value;
		fd = bpf_map_create(BPF_MAP_TYPE_TASK_STORAGE, name, 4, words * 8, 0, &options);
		err = fd < 0 ? -errno : 0;
	}
	btf__free(types);
	return err ? explain(err, "BPF storage for tasks", why) : fd;
}

/* Finds the line of a verifier's log that says what is wrong: the last but those that count. */
static const char *last_line(char *text)
{
	const char *found = "no reason";
	char *left;

	for (char *line = strtok_r(text, "\n", &left); line; line = strtok_r(NULL, "\n", &left))
		if (strncmp(line, "processed ", 10) != 0 && strncmp(line, "stack depth", 11) != 0 &&
		    strncmp(line, "verification time", 17) != 0)
			found = line;
	return found;
}

/* Keeps the log's end in flametop's own log. */
static void log_end(const char *name, const char *text)
{
	const char *at = text + strlen(text);

	for (int lines = 0; at > text && lines < LOG_KEPT; at--)
		lines += at[-1] == '\n';
	log_warn("the end of the kernel's log of the BPF program %s:", name);
	for (at += *at == '\n'; *at; at += strcspn(at, "\n"), at += *at == '\n')
		log_warn("%.*s", (int)strcspn(at, "\n"), at);
}

/* Returns whether a verifier's @log ends with a function that lockdown has taken away: "unknown
 * func bpf_probe_read_kernel#113"; from Linux 6.8 on "program of this type cannot use helper". */
static bool is_read_refused(const char *log)
{
	return is_locked_down() && strstr(log, "bpf_probe_read_kernel");
}

/* Loads it once more to get the log: a log slows each load down, and few fail. */
static int explain_load(int err, enum bpf_prog_type type, const struct bytecode *code,
			struct bpf_prog_load_opts *options, const char *name, struct diag *why)
{
	struct utsname kernel = { .release = "" };
	char *text = calloc(1, LOG_BYTES);
	int fd;

	if (!text)
		return explain(err, "a BPF program", why);
	options->log_level = 1;
	options->log_size = LOG_BYTES;
	options->log_buf = text;
	fd = bpf_prog_load(type, name, LICENSE, code->insns, code->count, options);
	if (fd >= 0) {
		close(fd);	/* it was for lack of memory, say */
	} else if (text[0] && !is_read_refused(text)) {
		uname(&kernel);
		log_end(name, text);
		diag_set(why, err, "Linux %s refuses flametop's BPF program %s, which is a defect "
			 "of flametop: please report it with --log: %s", kernel.release, name,
			 last_line(text));
		free(text);
		return err;
	}
	free(text);
	return explain(err, "a BPF program", why);
}

static int find_target(const struct kernel_hook *hook, const struct btf *btf,
		       enum bpf_prog_type *type, struct bpf_prog_load_opts *options,
		       struct diag *why)
{
	int id = 0;

	*type = BPF_PROG_TYPE_TRACING;
	switch (hook->kind) {
	case HOOK_TRACEPOINT:
		options->expected_attach_type = BPF_TRACE_RAW_TP;
		id = tracepoint_id(btf, hook->target);
		break;
	case HOOK_TASK_ITERATOR:
		options->expected_attach_type = BPF_TRACE_ITER;
		id = btf__find_by_name_kind(btf, "bpf_iter_task", BTF_KIND_FUNC);
		break;
	case HOOK_FUNCTION:
		*type = BPF_PROG_TYPE_KPROBE;
		break;
	case HOOK_NOTHING:
		*type = BPF_PROG_TYPE_RAW_TRACEPOINT;	/* the kernel runs such ones when asked */
		break;
	}
	if (id < 0)
		return diag_set(why, -ENOENT, "the kernel has no %s: it is too old, or built "
				"without it", hook->target ? hook->target : "iterator over tasks");
	options->attach_btf_id = (uint32_t)id;
	return 0;
}

int kernel_program_load(struct kernel_program *out, struct bytecode *code,
			const struct kernel_hook *hook, const struct btf *btf, struct diag *why)
{
	struct bpf_prog_load_opts options = { .sz = sizeof(options) };
	enum bpf_prog_type type;
	int err = bytecode_finish(code, why);

	*out = KERNEL_PROGRAM_NONE;
	if (!err)
		err = find_target(hook, btf, &type, &options, why);
	if (err)
		return err;
	libbpf_set_print(NULL);
	out->fd = bpf_prog_load(type, hook->name, LICENSE, code->insns, code->count, &options);
	if (out->fd >= 0)
		return 0;
	err = -errno;
	out->fd = -1;
	return explain_load(err, type, code, &options, hook->name, why);
}

/* Returns a descriptor of a probe at the function's first instruction, closed by exec. */
static int open_function(const char *function)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .sample_period = 1,
					.kprobe_func = (uintptr_t)function };
	char type[32];
	int fd;

	if (!read_line(KPROBE_TYPE, type, sizeof(type)))
		return -ENOENT;
	attr.type = (uint32_t)strtoul(type, NULL, 10);
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int attach_to_function(struct kernel_program *program, const char *function,
			      struct diag *why)
{
	const int fd = open_function(function);

	if (fd == -ENOENT)
		return diag_set(why, fd, "the kernel cannot be probed at %s: it needs "
				"CONFIG_KPROBE_EVENTS", function);
	if (fd < 0)
		return explain(fd, "a BPF program at a kernel function", why);
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, program->fd) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) {
		const int err = -errno;

		close(fd);
		return explain(err, "a BPF program at a kernel function", why);
	}
	program->link = fd;
	return 0;
}

int kernel_program_attach(struct kernel_program *program, const struct kernel_hook *hook,
			  struct diag *why)
{
	if (hook->kind == HOOK_FUNCTION)
		return attach_to_function(program, hook->target, why);
	program->link = bpf_raw_tracepoint_open(NULL, program->fd);
	if (program->link >= 0)
		return 0;
	program->link = -1;
	return explain(-errno, "a BPF program at a tracepoint", why);
}

static int open_iterator(const struct kernel_program *program, pid_t pid)
{
	union bpf_iter_link_info one = { .task = { .pid = (uint32_t)pid } };
	const struct bpf_link_create_opts options = { .sz = sizeof(options), .iter_info = &one,
						      .iter_info_len = sizeof(one) };
	int link = bpf_link_create(program->fd, 0, BPF_TRACE_ITER, pid ? &options : NULL);
	int fd;

	if (link < 0 && pid)
		link = bpf_link_create(program->fd, 0, BPF_TRACE_ITER, NULL);
	if (link < 0)
		return -errno;
	fd = bpf_iter_create(link);
	if (fd < 0)
		fd = -errno;
	close(link);
	return fd;
}

/* Reads what the iterator gives, to its end. *@bytes is the caller's, also on failure. */
static int read_iterator(int fd, void **bytes, size_t *count)
{
	size_t room = 0;
	ssize_t got = 0;

	*bytes = NULL;
	*count = 0;
	do {
		*count += (size_t)got;
		if (*count == room) {
			void *larger = realloc(*bytes, room ? room *= 2 : (room = ITERATOR_BYTES));

			if (!larger)
				return -ENOMEM;
			*bytes = larger;
		}
		got = whole_read(fd, (char *)*bytes + *count, room - *count);
	} while (got > 0);
	return got < 0 ? -errno : 0;
}

int kernel_program_iterate(const struct kernel_program *program, pid_t pid, void **bytes,
			   size_t *count, struct diag *why)
{
	const int fd = open_iterator(program, pid);
	int err = fd;

	*bytes = NULL;
	*count = 0;
	if (fd >= 0) {
		err = read_iterator(fd, bytes, count);
		close(fd);
	}
	if (!err)
		return 0;
	free(*bytes);
	*bytes = NULL;
	*count = 0;
	return explain(err, "an iterator over tasks", why);
}

int kernel_program_run(const struct kernel_program *program, uint32_t *result, struct diag *why)
{
	struct bpf_test_run_opts options = { .sz = sizeof(options) };

	*result = 0;
	if (bpf_prog_test_run_opts(program->fd, &options))
		return explain(-errno, "the run of a BPF program", why);
	*result = options.retval;
	return 0;
}

uint64_t kernel_program_missed(const struct kernel_program *program)
{
	struct bpf_prog_info state = { 0 };
	uint32_t bytes = sizeof(state);

	return bpf_obj_get_info_by_fd(program->fd, &state, &bytes) ? 0 : state.recursion_misses;
}

void kernel_program_close(struct kernel_program *program)
{
	if (program->link >= 0)
		close(program->link);
	if (program->fd >= 0)
		close(program->fd);
	*program = KERNEL_PROGRAM_NONE;
}
