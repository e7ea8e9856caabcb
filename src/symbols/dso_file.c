/* dso_file.c - see symbols/dso_file.h.
 *
 * Problem: the path of a mapping is what it was when it was mapped, in the mount namespace and root
 * of another process, and belongs to somebody who may put a FIFO, a device, a link or another file
 * there. Opening a device can already do harm, and another file's symbols are wrong names.
 *
 * Idea: take a place with O_PATH first (which opens nothing), look at what it is, and only then
 * open that very inode through /proc/self/fd. Identity is the mapping's device and inode; where the
 * kernel gave a build-id in their place, the caller compares that. map_files is the mapped file
 * itself, but the range may be another mapping by now, so it is checked too. An inode number is
 * used again as soon as its file is deleted: the generation tells the two files apart.
 *
 * A path that ends in " (deleted)" is only looked at as the text of a map_files link: a file of
 * that very name would be a decoy.
 */
#include "symbols/dso_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id_map.h"
#include "base/privileges.h"
#include "elf/process_memory.h"

#define DELETED_SUFFIX	" (deleted)"
#define PROC_PATH_BYTES 64	/* "map_files/", two addresses of 16 digits; "/proc/self/fd/N" */

struct mapped_file {
	uint32_t dev_major, dev_minor;	/* as in /proc/PID/maps: not always those of stat(2) */
	uint64_t inode;
	struct build_id build_id;	/* count 0: none */
};

/* PROCMAP_QUERY, since Linux 6.11: Documentation/filesystems/proc.rst. As the kernel lays it out;
 * linux/fs.h of Debian 12 does not have it yet. */
struct procmap_query {
	uint64_t size;
	uint64_t query_flags, query_addr;
	uint64_t vma_start, vma_end, vma_flags, vma_page_size, vma_offset;
	uint64_t inode;
	uint32_t dev_major, dev_minor;
	uint32_t vma_name_size, build_id_size;
	uint64_t vma_name_addr, build_id_addr;
};
_Static_assert(sizeof(struct procmap_query) == 104, "the kernel's layout");

#define QUERY_MAPPING	  _IOWR('f', 17, struct procmap_query)
#define QUERY_FILE_BACKED 0x20u

static int query(int maps, uint64_t address, struct build_id *build_id, struct mapped_file *out)
{
	struct procmap_query query = {
		.size = sizeof(query), .query_flags = QUERY_FILE_BACKED, .query_addr = address,
	};

	if (build_id) {
		query.build_id_addr = (uintptr_t)build_id->bytes;
		query.build_id_size = sizeof(build_id->bytes);
	}
	if (ioctl(maps, QUERY_MAPPING, &query))
		return -errno;
	out->dev_major = query.dev_major;
	out->dev_minor = query.dev_minor;
	out->inode = query.inode;
	if (build_id && query.build_id_size <= BUILD_ID_MAX_BYTES)
		build_id->count = (uint8_t)query.build_id_size;
	return 0;
}

/* Returns in @out the file mapped at @address in the process behind @process, O_PATH of its
 * directory in /proc. 0; -ENOENT: no file there; -ENOTTY: an older kernel; -ESRCH, -EACCES... */
static int query_process(int process, uint64_t address, struct mapped_file *out)
{
	int maps = openat(process, "maps", O_RDONLY | O_CLOEXEC);
	int err;

	*out = (struct mapped_file){ .inode = 0 };
	if (maps < 0)
		return -errno;
	err = query(maps, address, &out->build_id, out);
	close(maps);
	return err;
}

/* Returns in @out what a mapping of the regular file @fd would show, without build-id: on some file
 * systems (btrfs, older overlayfs) another device and inode than stat(2) does. Maps the file and
 * looks; the page is never touched, so nobody can make us take a SIGBUS. 0 or -errno. */
static int query_file(int fd, struct mapped_file *out)
{
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC), err;
	void *page;

	*out = (struct mapped_file){ .inode = 0 };
	if (maps < 0)
		return -errno;
	page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE, fd, 0);
	err = page == MAP_FAILED ? -errno : query(maps, (uintptr_t)page, NULL, out);
	if (page != MAP_FAILED)
		munmap(page, 1);
	close(maps);
	return err;
}

static bool has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_deleted(const char *path)
{
	size_t len = strlen(path), suffix = strlen(DELETED_SUFFIX);

	return len > suffix && strcmp(path + len - suffix, DELETED_SUFFIX) == 0;
}

/* Names that the kernel gives to memory without a file of its own. */
static bool is_anonymous(const char *path)
{
	return path[0] != '/' || has_prefix(path, "//") || has_prefix(path, "/dev/zero") ||
	       has_prefix(path, "/SYSV") || has_prefix(path, "/anon_hugepage") ||
	       has_prefix(path, "/[");
}

size_t dso_file_sources(const struct open_request *request, const struct process_root *root,
			enum dso_file_source sources[DSO_FILE_SOURCES],
			struct diag *why)
{
	bool has_path = !is_deleted(request->path) && !has_prefix(request->path, "/memfd:");
	size_t count = 0;

	if (strcmp(request->path, "[vdso]") == 0)
		sources[count++] = DSO_FILE_VDSO;
	else if (is_anonymous(request->path))
		diag_set(why, -ENOENT, "memory without a file");
	else {
		if (request->pid)
			sources[count++] = DSO_FILE_MAP_FILES;
		if (root->root >= 0 && has_path)
			sources[count++] = DSO_FILE_IN_ROOT;
		if (request->pid)
			sources[count++] = DSO_FILE_EXE;
		if (has_path && (root->root < 0 || !root->is_ours))
			sources[count++] = DSO_FILE_PATH;
		if (has_path && !request->pid && request->build_id.count)
			sources[count++] = DSO_FILE_PERF_CACHE;
		if (!count)
			diag_set(why, -ENOENT, "deleted before the recording was read");
	}
	return count;
}

static bool is_alive(const struct process_root *root)
{
	return root->process >= 0 && faccessat(root->process, "stat", F_OK, 0) == 0;
}

static int not_opened(const struct open_request *request, const struct process_root *root, int err,
		      struct diag *why)
{
	if (request->pid && !is_alive(root))
		return diag_set(why, -ESRCH, "process gone");
	switch (err) {
	case -EPERM:
	case -EACCES:
		if (is_deleted(request->path))
			return diag_set(why, err, "replaced or deleted: run as root to read it");
		return diag_set(why, err, "no permission to open it: run as root");
	case -ENOENT:
	case -ENOTDIR:
		return diag_set(why, -ENOENT, "no such file any more");
	default:
		return diag_set(why, err, "cannot open it: %s", strerror(-err));
	}
}

/* perf-buildid-cache(1): ~/.debug/PATH/BUILD-ID/elf. Home is what the user database says. */
static int take_from_perf_cache(const struct open_request *request)
{
	char path[OPENER_PATH_BYTES + 256], hex[BUILD_ID_HEX_BYTES];
	struct user user;
	int used;

	if (user_find(geteuid(), &user))
		return -ENOENT;
	used = snprintf(path, sizeof(path), "%s/.debug%s/%s/elf", user.home, request->path,
			build_id_format(&request->build_id, hex));
	if (used < 0 || (size_t)used >= sizeof(path))
		return -ENAMETOOLONG;
	return process_root_take(AT_FDCWD, path, RESOLVE_NO_MAGICLINKS);
}

/* Takes the place of @source. @resolve: RESOLVE_* flags to add where the source is a path. */
static int take_source(const struct open_request *request, const struct process_root *root,
		       enum dso_file_source source, const char *map_files_path,
		       uint64_t resolve)
{
	switch (source) {
	case DSO_FILE_MAP_FILES:
		return root->process < 0 ? -ESRCH :
			process_root_take(root->process, map_files_path, 0);
	case DSO_FILE_IN_ROOT:
		return process_root_take(root->root, request->path,
					 RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | resolve);
	case DSO_FILE_PERF_CACHE:
		return take_from_perf_cache(request);
	case DSO_FILE_EXE:
		return root->process < 0 ? -ESRCH : process_root_take(root->process, "exe", 0);
	default:
		return process_root_take(AT_FDCWD, request->path, RESOLVE_NO_MAGICLINKS | resolve);
	}
}

/* Records of overlay file systems may show an inode that no path leads to; the link's text is the
 * mapping's path in any case. */
static bool has_link_text(int process, const char *map_files_path, const char *path)
{
	char text[OPENER_PATH_BYTES + sizeof(DELETED_SUFFIX)];
	ssize_t len = readlinkat(process, map_files_path, text, sizeof(text) - 1);
	size_t path_len = strlen(path);

	if (len < 0)
		return false;
	text[len] = '\0';
	return strncmp(text, path, path_len) == 0 &&
	       (text[path_len] == '\0' || strcmp(text + path_len, DELETED_SUFFIX) == 0);
}

/* Opens the regular file at @place, which is the caller's. */
static int open_place(int place, const struct stat *status, struct diag *why)
{
	char path[PROC_PATH_BYTES];
	int fd;

	if (!S_ISREG(status->st_mode))
		return diag_set(why, -EINVAL, "not a regular file");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return diag_set(why, -errno, "%s", errno == EACCES ?
				"no permission to read it: run as root" : "cannot read it");
	return fd;
}

int dso_file_open_place(struct dso_file *out, int place, struct diag *why)
{
	struct stat status;

	*out = (struct dso_file){ .fd = -1 };
	if (fstat(place, &status))
		return diag_set(why, -errno, "cannot look at it");
	out->fd = open_place(place, &status, why);
	if (out->fd < 0)
		return out->fd;
	out->version = file_version_of(&status);
	out->is_trusted = file_is_trusted(out->fd, &status);
	out->author = file_author(out->fd, &status);
	return 0;
}

/* File systems that do not tell it either never use a number twice or have no generations. */
static bool has_generation(const struct open_request *request, int fd)
{
	int generation;

	return !request->inode_generation || ioctl(fd, FS_IOC_GETVERSION, &generation) ||
	       (uint32_t)generation == (uint32_t)request->inode_generation;
}

static bool is_overlay(int fd)
{
	struct statfs system;

	return fstatfs(fd, &system) == 0 && system.f_type == OVERLAYFS_SUPER_MAGIC;
}

/* Returns whether @file is the mapped file. @map_files_path: where it was found, or NULL. */
static bool is_mapped_file(const struct open_request *request, const struct process_root *root,
			   const struct dso_file *file, const char *map_files_path)
{
	const uint64_t device = makedev(request->dev_major, request->dev_minor);
	struct mapped_file mapped;

	if (request->inode) {
		if (request->inode == file->version.inode && device == file->version.device)
			return has_generation(request, file->fd);
		if (query_file(file->fd, &mapped) == 0) {
			if (request->inode == mapped.inode &&
			    device == makedev(mapped.dev_major, mapped.dev_minor))
				return has_generation(request, file->fd);
			if (!is_overlay(file->fd))
				return false;
		}
	}
	return map_files_path && has_link_text(root->process, map_files_path, request->path);
}

/* A newer file may have got the inode number; its ctime is newer, too. Its mtime does not tell:
 * installed files have old ones. */
static bool is_changed(const struct open_request *request, const struct dso_file *file)
{
	return request->unchanged_since_ns && file->version.ctime_ns > request->unchanged_since_ns;
}

static int open_checked(struct dso_file *out, const struct open_request *request,
			const struct process_root *root, int place, const char *map_files_path,
			struct diag *why)
{
	int err = dso_file_open_place(out, place, why);

	if (err)
		return err;
	out->is_certain = is_mapped_file(request, root, out, map_files_path) &&
			  !is_changed(request, out);
	if (out->is_certain || request->build_id.count)
		return 0;
	close(out->fd);
	out->fd = -1;
	return diag_set(why, -ESTALE, request->inode && request->pid
			? "replaced: its path now holds another file"
			: request->unchanged_since_ns
			? "no build-id recorded, and its path now holds another file, or it was "
			  "changed since"
			: "nothing tells whether it is the file that was mapped");
}

/* Copies the vDSO from the 32-bit process: our own is a 64-bit one. */
static int open_vdso_of_32_bit(struct dso_file *out, const struct open_request *request,
			       struct sandbox *sandbox, struct diag *why)
{
	out->version = (struct file_version){ .bytes = request->end - request->start };
	out->is_certain = true;
	out->fd = vdso_image_copy(sandbox, request->pid, request->start, request->end,
				  &out->version.device, why);
	return out->fd < 0 ? out->fd : 0;
}

/* The image ends with its section headers. It is the kernel's and in our own memory. */
static int open_vdso(struct dso_file *out, const struct open_request *request,
		     struct sandbox *sandbox, struct diag *why)
{
	const ElfW(Ehdr) *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t bytes;

	if (request->pid && request->end <= UINT32_MAX)
		return open_vdso_of_32_bit(out, request, sandbox, why);
	if (!request->pid && !request->build_id.count && !request->is_of_running_kernel)
		return diag_set(why, -ESTALE, "belongs to the kernel of the recording");
	if (!image)
		return diag_set(why, -ENOENT, "this process has no vdso");
	bytes = image->e_shoff + (size_t)image->e_shnum * image->e_shentsize;
	out->version = (struct file_version){ .bytes = bytes };	/* no file has inode 0 */
	out->is_certain = request->pid != 0 || request->is_of_running_kernel;
	out->fd = sandbox_seal("flametop-vdso", image, bytes);
	if (out->fd >= 0)
		return 0;
	out->fd = -1;
	return diag_set(why, -ENOMEM, "no memory for a copy of the vdso");
}

static void name_map_files(char path[PROC_PATH_BYTES], const struct open_request *request)
{
	snprintf(path, PROC_PATH_BYTES, "map_files/%" PRIx64 "-%" PRIx64, request->start,
		 request->end);
}

#define FIND_DEADLINE_MS 1000	/* short, because the calling threads have other work, too */

/* Arguments of an open that may have to run in a child. */
struct careful_open {
	const struct open_request *request;
	enum dso_file_source source;
};

static int take_place(const struct careful_open *careful, const struct process_root *root,
		      uint64_t resolve)
{
	char map_files_path[PROC_PATH_BYTES];

	name_map_files(map_files_path, careful->request);
	return take_source(careful->request, root, careful->source, map_files_path, resolve);
}

/* @place: as take_place() returned it; it is closed. */
static int open_taken(struct dso_file *out, const struct careful_open *careful,
		      const struct process_root *root, int place, struct diag *why)
{
	char map_files_path[PROC_PATH_BYTES];
	int err;

	if (place < 0)
		return not_opened(careful->request, root, place, why);
	name_map_files(map_files_path, careful->request);
	err = open_checked(out, careful->request, root, place,
			   careful->source == DSO_FILE_MAP_FILES ? map_files_path : NULL, why);
	close(place);
	return err;
}

static int open_in_child(const struct file_copy_job *job, struct dso_file *out,
			 struct diag *why)
{
	const struct careful_open *careful = job->owner;

	return open_taken(out, careful, job->root, take_place(careful, job->root, 0), why);
}

/* Brings the names on the way into the kernel's cache. */
static int walk_in_child(const struct file_copy_job *job, struct dso_file *out,
			 struct diag *why)
{
	const struct careful_open *careful = job->owner;

	(void)out;
	take_place(careful, job->root, 0);
	return diag_set(why, -EAGAIN, "it was only looked for");
}

/* Returns the uid of the process. The owner of /proc/PID is no substitute: it is root for processes
 * that may not be traced. */
static uint32_t user_of(const struct process_root *root)
{
	uint32_t pid, uid = geteuid();

	if (root->process >= 0)
		process_root_status(root->process, &pid, &uid);
	return uid;
}

/* Returns the key to refuse after a timeout. A process can make its path lead through any file
 * system, so if a path hangs, neither other users nor the file's own device must be refused. */
static uint64_t system_of(const struct open_request *request, enum dso_file_source source,
			  uint32_t user)
{
	const uint64_t device = makedev(request->dev_major, request->dev_minor);

	return source == DSO_FILE_MAP_FILES ? device : ((uint64_t)user + 1) << 32 | device;
}

/* Takes the place from names in the kernel's cache only, so that no server is asked; a child brings
 * missing names into the cache first. -EAGAIN: not possible, such as before Linux 5.12. */
static int take_cached(const struct file_copy_job *job, const struct careful_open *careful)
{
	struct file_copy_job walk = *job;
	struct dso_file none;
	struct diag ignored;
	int place = take_place(careful, job->root, RESOLVE_CACHED);

	if (place != -EAGAIN)
		return place == -EINVAL ? -EAGAIN : place;
	walk.open = walk_in_child;
	if (file_copy_open(&walk, &none, &ignored) == -EBUSY)
		return -EAGAIN;
	return take_place(careful, job->root, RESOLVE_CACHED);
}

/* Opens the very place that was found harmless: its path may lead elsewhere by then. */
static int open_carefully(struct dso_file *out, const struct file_copy_job *job,
			  const struct careful_open *careful, struct diag *why)
{
	const int place = take_cached(job, careful);

	if (place == -EAGAIN)
		return file_copy_open(job, out, why);
	if (place >= 0 && file_copy_is_needed(place, job->root->process)) {
		close(place);
		return file_copy_open(job, out, why);
	}
	return open_taken(out, careful, job->root, place, why);
}

static int open_within(struct dso_file *out, const struct open_request *request,
		       const struct process_root *root, enum dso_file_source source,
		       struct sandbox *sandbox, uint32_t deadline_ms, struct diag *why)
{
	const struct careful_open careful = { .request = request, .source = source };
	const uint32_t user = user_of(root);
	const struct file_copy_job job = {
		.system = system_of(request, source, user), .user = user,
		.deadline_ms = deadline_ms, .root = root, .open = open_in_child, .owner = &careful,
	};

	*out = (struct dso_file){ .fd = -1 };
	if (source == DSO_FILE_VDSO)
		return open_vdso(out, request, sandbox, why);
	if (source == DSO_FILE_PERF_CACHE)
		return open_taken(out, &careful, root, take_place(&careful, root, 0), why);
	return open_carefully(out, &job, &careful, why);
}

int dso_file_open(struct dso_file *out, const struct open_request *request,
		  const struct process_root *root, enum dso_file_source source,
		  struct sandbox *sandbox, struct diag *why)
{
	return open_within(out, request, root, source, sandbox, 0, why);
}

int dso_file_find(struct dso_file *out, const struct open_request *request,
		  struct sandbox *sandbox, struct diag *why)
{
	enum dso_file_source sources[DSO_FILE_SOURCES];
	struct process_root root;
	size_t count;

	*out = (struct dso_file){ .fd = -1 };
	process_root_open(&root, request->pid);
	count = dso_file_sources(request, &root, sources, why);
	for (size_t i = 0; i < count && out->fd < 0; i++)
		open_within(out, request, &root, sources[i], sandbox, FIND_DEADLINE_MS, why);
	process_root_close(&root);
	return out->fd < 0 ? why->err : 0;
}

/* Returns whether a query can't hang: it makes the kernel ask the mapped file's server for a page.
 * Users who may not look at map_files can only query processes of their own. */
static bool may_be_queried(const struct open_request *request, const struct process_root *root)
{
	const struct careful_open careful = { request, DSO_FILE_MAP_FILES };
	const int place = take_place(&careful, root, 0);
	bool is_needed;

	if (place < 0)
		return place == -EPERM || place == -EACCES;
	is_needed = file_copy_is_needed(place, root->process);
	close(place);
	return !is_needed;
}

struct build_id dso_file_mapped_build_id(const struct open_request *request,
					 const struct process_root *root)
{
	struct mapped_file mapped;

	if (request->build_id.count || root->process < 0 || !request->inode ||
	    !may_be_queried(request, root) ||
	    query_process(root->process, request->start, &mapped) ||
	    mapped.inode != request->inode || mapped.dev_major != request->dev_major ||
	    mapped.dev_minor != request->dev_minor)
		return request->build_id;
	return mapped.build_id;
}

bool dso_file_is_unchanged(const struct dso_file *file)
{
	struct file_version now;
	struct stat status;

	if (file->version.inode == 0 || file->is_copy)
		return true;	/* the copy is ours */
	if (fstat(file->fd, &status))
		return false;
	now = file_version_of(&status);
	return file_version_is_equal(&now, &file->version);
}

/* Problem: the table of a trusted file may name code in the processes of every other user.
 *
 * Idea: owner and mode of the open inode decide, not how it was reached. A stranger may put a link
 * to a file of root's anywhere, so its directory proves nothing; but no stranger can change the
 * bytes, and a table belongs to the bytes. A group that may write by an ACL shows as the mode's
 * group bits. FUSE is left out: there a stranger's server makes up owner and content. An overlay
 * may lie on FUSE: any user may mount one in a namespace of his own and hand an open file of it to
 * a process in ours. So of overlays only those count that our own programs come from.
 *
 * Rejected: looking in /proc/self/mountinfo whether the mount is one of ours (2 ms for each file
 * where there are a thousand containers).
 *
 * Root in a container is root here, too: see src/proc/process_root.c.
 */

#define CONSTANT_MTIME_NS CLOCK_NS_PER_S	/* OSTree sets 0; Nix and Guix a second */

struct file_version file_version_of(const struct stat *status)
{
	return (struct file_version){
		.device = status->st_dev,
		.inode = status->st_ino,
		.ctime_ns = (uint64_t)status->st_ctim.tv_sec * CLOCK_NS_PER_S +
			    (uint64_t)status->st_ctim.tv_nsec,
		.bytes = (uint64_t)status->st_size,
		.mtime_ns = (uint64_t)status->st_mtim.tv_sec * CLOCK_NS_PER_S +
			    (uint64_t)status->st_mtim.tv_nsec,
	};
}

bool file_version_is_equal(const struct file_version *a, const struct file_version *b)
{
	return a->device == b->device && a->inode == b->inode && a->ctime_ns == b->ctime_ns &&
	       a->bytes == b->bytes;
}

uint64_t file_version_hash(const struct file_version *version)
{
	uint64_t hash = id_map_mix(version->device ^ id_map_mix(version->inode));

	return id_map_mix(hash ^ id_map_mix(version->ctime_ns ^ id_map_mix(version->bytes)));
}

bool file_version_has_copies(const struct file_version *version)
{
	return version->mtime_ns > CONSTANT_MTIME_NS;
}

bool file_version_is_copy(const struct file_version *a, const struct file_version *b)
{
	return a->bytes == b->bytes && a->mtime_ns == b->mtime_ns && file_version_has_copies(a);
}

uint64_t file_version_copy_hash(const struct file_version *version)
{
	return id_map_mix(version->bytes ^ id_map_mix(version->mtime_ns));
}

static bool is_on_mount(int fd, const char *directory)
{
	struct statx file, mount;

	return statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &file) == 0 &&
	       statx(AT_FDCWD, directory, 0, STATX_MNT_ID, &mount) == 0 &&
	       (file.stx_mask & mount.stx_mask & STATX_MNT_ID) &&
	       file.stx_mnt_id == mount.stx_mnt_id;
}

static bool is_trusted_system(int fd)
{
	struct statfs system;

	if (fstatfs(fd, &system) || system.f_type == FUSE_SUPER_MAGIC)
		return false;
	return system.f_type != OVERLAYFS_SUPER_MAGIC || is_on_mount(fd, "/") ||
	       is_on_mount(fd, "/usr");
}

struct file_author file_author(int fd, const struct stat *status)
{
	const bool is_known = S_ISREG(status->st_mode) &&
			      !(status->st_mode & (S_IWGRP | S_IWOTH)) && is_trusted_system(fd);

	return (struct file_author){ is_known, is_known ? status->st_uid : 0 };
}

bool file_is_trusted(int fd, const struct stat *status)
{
	const struct file_author author = file_author(fd, status);

	return author.is_known && (author.uid == 0 || author.uid == geteuid());
}
