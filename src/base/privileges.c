/* privileges.c - see base/privileges.h.
 *
 * Only PRIVILEGES_OF_MAIN keeps CAP_DAC_OVERRIDE, as permitted but not effective: it is in effect
 * only between privileges_begin_write() and privileges_end_write().
 */
#include "base/privileges.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(capability) (UINT64_C(1) << (capability))

/* Numbers, as older headers lack these names; since Linux 5.8 and 5.9, before that SYS_ADMIN. */
#define PERFMON		   38
#define BPF		   39
#define CHECKPOINT_RESTORE 40

/* events; BPF; other users' processes; their files; kallsyms; rings beyond the limit; map_files */
#define TO_READ (BIT(PERFMON) | BIT(BPF) | BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_READ_SEARCH) | \
		 BIT(CAP_SYSLOG) | BIT(CAP_IPC_LOCK) | BIT(CHECKPOINT_RESTORE) | \
		 BIT(CAP_SYS_NICE))

static const uint64_t kept_sets[] = {
	[PRIVILEGES_OF_MAIN] = TO_READ | BIT(CAP_SYS_ADMIN),	/* uprobes, tracefs */
	[PRIVILEGES_TO_READ] = TO_READ,
	[PRIVILEGES_OF_GUARDIAN] = BIT(CAP_KILL) | BIT(CAP_SYS_ADMIN),
};

struct sets {
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct halves[_LINUX_CAPABILITY_U32S_3];
};

static int read_sets(struct sets *sets)
{
	sets->header = (struct __user_cap_header_struct){ .version = _LINUX_CAPABILITY_VERSION_3 };
	return syscall(SYS_capget, &sets->header, sets->halves) ? -errno : 0;
}

static uint64_t permitted(const struct sets *sets)
{
	return sets->halves[0].permitted | (uint64_t)sets->halves[1].permitted << 32;
}

static int write_sets(struct sets *sets, uint64_t allowed, uint64_t in_effect)
{
	for (int half = 0; half < 2; half++)
		sets->halves[half] = (struct __user_cap_data_struct){
			.permitted = (uint32_t)(allowed >> 32 * half),
			.effective = (uint32_t)(in_effect >> 32 * half),
		};
	return syscall(SYS_capset, &sets->header, sets->halves) ? -errno : 0;
}

/* Returns what to keep of @had. Before Linux 5.8 only SYS_ADMIN allows sampling a CPU. */
static uint64_t kept_of(enum privileges kept, bool ends_command, uint64_t had)
{
	const uint64_t set = kept_sets[kept] | (ends_command ? BIT(CAP_KILL) : 0);

	return had & (had & BIT(PERFMON) ? set : set | BIT(CAP_SYS_ADMIN));
}

int privileges_drop(enum privileges kept, bool ends_command, struct diag *why)
{
	struct sets sets;
	uint64_t in_effect, allowed;
	int err = read_sets(&sets);

	if (!err) {
		allowed = in_effect = kept_of(kept, ends_command, permitted(&sets));
		if (kept == PRIVILEGES_OF_MAIN)
			allowed |= permitted(&sets) & BIT(CAP_DAC_OVERRIDE);
		/* These matter only for executed programs, and none is: ignore errors. */
		for (unsigned long i = 0; i < 64; i++)
			prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
		err = write_sets(&sets, allowed, in_effect);
	}
	if (!err && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)))
		err = -errno;
	return err ? diag_set(why, err, "cannot give up privileges: %s", strerror(-err)) : 0;
}

static void set_write(bool is_allowed)
{
	struct sets sets;
	uint64_t in_effect;

	if (read_sets(&sets) || !(permitted(&sets) & BIT(CAP_DAC_OVERRIDE)))
		return;
	in_effect = is_allowed ? permitted(&sets) : permitted(&sets) & ~BIT(CAP_DAC_OVERRIDE);
	write_sets(&sets, permitted(&sets), in_effect);
}

void privileges_begin_write(void)
{
	set_write(true);
}

void privileges_end_write(void)
{
	set_write(false);
}

/* Problem: sudo -E, su and containers keep the environment of somebody who is not root: where
 * terminfo, locales, character set modules and time zones are, and where files are to be looked up.
 *
 * Idea: as root a list of what may stay, not of what may not: libraries grow variables.
 */

#define KEPT_MAX 32

static struct {
	char **environment;	/* the original environ */
	char *kept[KEPT_MAX + 1];
	struct rlimit core, files;
	mode_t mask;
	bool has_caller;
	uid_t caller;		/* user who called sudo(8) */
} inherited;

/* Returns true for these names and prefixes; not for a value with a slash, which names a file (the
 * sanitizers' options excepted). */
static bool is_kept(const char *variable)
{
	static const char *const names[] = { "TERM=", "COLORTERM=", "NO_COLOR=", "LANG=", "LC_",
					     "ASAN_OPTIONS=", "TSAN_OPTIONS=", "UBSAN_OPTIONS=",
					     "LSAN_OPTIONS=" };
	const char *value = strchr(variable, '=');

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (value && !strncmp(variable, names[i], strlen(names[i])))
			return i >= 5 || !strchr(value, '/');
	return false;
}

static void keep_few(void)
{
	size_t kept = 0;

	for (char **variable = environ; *variable && kept < KEPT_MAX; variable++)
		if (is_kept(*variable))
			inherited.kept[kept++] = *variable;
	environ = inherited.kept;
}

/* Reads SUDO_UID. Returns false unless it is a plain number. */
static bool read_caller(uid_t *caller)
{
	const char *text = secure_getenv("SUDO_UID");
	char *end;
	unsigned long number;

	if (!text || !isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	number = strtoul(text, &end, 10);
	*caller = (uid_t)number;
	return !errno && !*end && number < (uid_t)-1;
}

void inherited_distrust(void)
{
	inherited.environment = environ;
	inherited.has_caller = read_caller(&inherited.caller);	/* before environ changes */
	getrlimit(RLIMIT_CORE, &inherited.core);	/* cannot fail, nor can lowering it */
	getrlimit(RLIMIT_NOFILE, &inherited.files);	/* the capture raises it */
	setrlimit(RLIMIT_CORE, &(struct rlimit){ .rlim_max = inherited.core.rlim_max });
	inherited.mask = umask(077);
	if (geteuid() == 0)
		keep_few();
}

void inherited_give_back(void)
{
	if (!inherited.environment)
		return;
	environ = inherited.environment;
	umask(inherited.mask);
	setrlimit(RLIMIT_CORE, &inherited.core);
	setrlimit(RLIMIT_NOFILE, &inherited.files);
}

bool inherited_is_from(uid_t user)
{
	return inherited.has_caller && inherited.caller == user;
}

#define LINE_BYTES 4096		/* buffer for one entry; glibc starts with 1024 */

static int copy_user(const struct passwd *found, struct user *out)
{
	const size_t name_bytes = strlen(found->pw_name) + 1;
	const size_t home_bytes = strlen(found->pw_dir) + 1;

	if (name_bytes > sizeof(out->name) || home_bytes > sizeof(out->home))
		return -ENOENT;
	memcpy(out->name, found->pw_name, name_bytes);
	memcpy(out->home, found->pw_dir, home_bytes);
	return 0;
}

int user_find_in_file(uid_t uid, struct user *out)
{
	FILE *file = fopen("/etc/passwd", "re");
	struct passwd entry, *found = NULL;
	char text[LINE_BYTES];
	int err = -ENOENT;

	if (!file)
		return errno == ENOMEM ? -ENOMEM : -ENOENT;
	while (!fgetpwent_r(file, &entry, text, sizeof(text), &found) && found)
		if (found->pw_uid == uid) {
			err = copy_user(found, out);
			break;
		}
	fclose(file);
	return err;
}

int user_find(uid_t uid, struct user *out)
{
	struct passwd entry, *found = NULL;
	char text[LINE_BYTES];
	int err = user_find_in_file(uid, out);

	if (err != -ENOENT)
		return err;
	if (getpwuid_r(uid, &entry, text, sizeof(text), &found) || !found)
		return -ENOENT;
	return copy_user(found, out);
}

/* Problem: half of a profile looks like a whole one, and another user can replace what root creates
 * in that user's directory by a link, or by another profile.
 *
 * Idea: the directory is opened once and checked by its descriptor. The file is written without
 * a name and linked to its name when it is complete; linking replaces nothing.
 *
 * The caller of sudo could run anything as root and saves into the own working directory, so that
 * user's directories are trusted like root's. Group-writable ones are not: the group may include
 * every user ("users").
 */

#define NEW_FILE_MODE 0600

static int check_directory(int directory, const char *path, struct diag *why)
{
	struct stat found;
	mode_t others = S_IWOTH;

	if (geteuid() != 0)
		return 0;	/* without root privileges the place is the user's choice */
	if (fstat(directory, &found))
		return diag_set(why, -errno, "cannot look at the directory of %s", path);
	if (found.st_uid != 0 && !inherited_is_from(found.st_uid))
		return diag_set(why, -EPERM, "%s: the directory belongs to user %u, who could "
				"exchange the file: give one of root's, or call sudo as that user",
				path, found.st_uid);
	if (found.st_gid != 0)
		others |= S_IWGRP;
	if ((found.st_mode & others) && !(found.st_mode & S_ISVTX))
		return diag_set(why, -EPERM, "%s: others may write to the directory and could "
				"exchange the file: chmod go-w it, or give another one", path);
	return 0;
}

int new_file_place(const char *path, const char **name, struct diag *why)
{
	const char *slash = strrchr(path, '/');
	char directory[PATH_MAX] = ".";
	int fd, err;

	*name = slash ? slash + 1 : path;
	if (!(*name)[0] || strlen(*name) > NAME_MAX || strlen(path) >= sizeof(directory))
		return diag_set(why, -EINVAL, "\"%s\" is no path of a file", path);
	if (slash)
		snprintf(directory, sizeof(directory), "%.*s",
			 slash == path ? 1 : (int)(slash - path), path);
	fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return diag_set(why, -errno, "%s: there is no such directory", path);
	if (fd < 0)
		return diag_set(why, -errno, "cannot open the directory of %s: %s", path,
				strerror(errno));
	err = check_directory(fd, path, why);
	if (err)
		close(fd);
	return err ? err : fd;
}

static bool lacks_nameless_files(int err)
{
	return err == -EOPNOTSUPP || err == -EISDIR || err == -EINVAL;
}

static int create_named(struct new_file *file)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -EAGAIN;
	snprintf(file->temporary, sizeof(file->temporary), ".flametop-%016" PRIx64, number);
	file->fd = openat(file->directory, file->temporary,
			  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, NEW_FILE_MODE);
	file->is_named = file->fd >= 0;
	return file->fd < 0 ? -errno : 0;
}

static int create(struct new_file *file)
{
	struct stat found;
	int err;

	if (!fstatat(file->directory, file->name, &found, AT_SYMLINK_NOFOLLOW))
		return -EEXIST;
	privileges_begin_write();
	file->fd = openat(file->directory, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, NEW_FILE_MODE);
	err = file->fd < 0 ? -errno : 0;
	if (lacks_nameless_files(err))
		err = create_named(file);
	privileges_end_write();
	return err;
}

int new_file_open(struct new_file *out, const char *path, struct diag *why)
{
	const char *name;
	int err;

	*out = (struct new_file){ .fd = -1 };
	out->directory = new_file_place(path, &name, why);
	if (out->directory < 0)
		return out->directory;
	strcpy(out->name, name);
	err = create(out);
	if (!err)
		return 0;
	close(out->directory);
	if (err == -EEXIST)
		return diag_set(why, err, "%s exists: give another name", path);
	return diag_set(why, err, "cannot create %s: %s; another directory may do", path,
			strerror(-err));
}

/* NFS cannot rename without replacing, and FAT has no links. */
static int rename_temporary(const struct new_file *file)
{
	const int at = file->directory;

	if (!renameat2(at, file->temporary, at, file->name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (linkat(at, file->temporary, at, file->name, 0))
		return -errno;
	unlinkat(at, file->temporary, 0);
	return 0;
}

static int link_nameless(const struct new_file *file)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	return linkat(AT_FDCWD, path, file->directory, file->name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

int new_file_keep(struct new_file *file)
{
	int err;

	privileges_begin_write();
	err = file->is_named ? rename_temporary(file) : link_nameless(file);
	privileges_end_write();
	file->is_named = file->is_named && err;
	new_file_drop(file);
	return err;
}

void new_file_drop(struct new_file *file)
{
	if (file->is_named) {
		privileges_begin_write();
		unlinkat(file->directory, file->temporary, 0);
		privileges_end_write();
	}
	close(file->fd);
	close(file->directory);
	*file = (struct new_file){ .directory = -1, .fd = -1 };
}
