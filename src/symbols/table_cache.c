/* table_cache.c - see table_cache.h.
 *
 *   entry: | magic | build-id of flametop | key | checksum | flat table |
 *
 * Problem: tables on disk name code in later sessions. No other user may write them, and a crash, a
 * full disk or another version of this program must not leave a wrong name there.
 *
 * Idea: one directory that is the user's alone, opened once, by descriptor; an entry gets its name
 * when it is complete (O_TMPFILE, then linkat), so a half one has none. Where the file system can't
 * do that, nothing is kept. Entries are read into memory, not mapped: a file that is cut can't end
 * the program. Then they are checked as if a worker had sent them.
 *
 * Invariant: an entry is used only by the very build of this program that made it (its build-id):
 * another compiler finds other names.
 */
#include "table_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/privileges.h"

#define ENTRY_MAGIC	   0x31454843414346ull	/* "FCACHE1" */
#define NAME_SUFFIX	   ".table"
#define NAME_BYTES	   96		/* four numbers of 16 digits, or a build-id and two */
#define TOUCH_AFTER_S	   3600		/* how often a use may cost a write to the disk */
#define BYTES_AFTER_PRUNE  (TABLE_CACHE_BYTES_MAX / 4 * 3)	/* so that pruning is rare */

struct entry_header {
	uint64_t magic;
	struct build_id maker, build_id;	/* the program's; the key's */
	uint8_t padding[6];
	struct file_version version;		/* version in the key */
	struct file_version debug;
	uint64_t table_bytes, checksum;	/* size and checksum of the table */
	uint64_t header_checksum;	/* checksum of the fields above */
};
_Static_assert(sizeof(struct entry_header) == 160, "no gaps, and the table after it is aligned");

struct table_cache {
	int directory;
	struct build_id maker;
	uint64_t bytes;			/* size of all entries, as far as known; the maximum until
					 * the first write, so that a start need not list them */
};

struct found_entry {
	struct timespec used;
	uint64_t bytes;
	char name[NAME_BYTES];
};

static int take_build_id(struct dl_phdr_info *program, size_t size, void *out)
{
	struct build_id *id = out;

	(void)size;
	for (int i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &program->dlpi_phdr[i];
		const char *at = (const char *)(program->dlpi_addr + segment->p_vaddr);
		const char *end = at + segment->p_memsz;

		while (segment->p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) <= end) {
			const ElfW(Nhdr) *note = (const void *)at;
			const char *name = at + sizeof(*note);

			at = name + ((note->n_namesz + 3u) & ~3u);
			if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof("GNU") &&
			    !memcmp(name, "GNU", sizeof("GNU")) &&
			    note->n_descsz <= sizeof(id->bytes)) {
				memcpy(id->bytes, at, note->n_descsz);
				id->count = (uint8_t)note->n_descsz;
				return 1;
			}
			at += (note->n_descsz + 3u) & ~3u;
		}
	}
	return 1;	/* the program comes first; libraries don't matter */
}

static struct build_id own_build_id(void)
{
	struct build_id id = { .count = 0 };

	dl_iterate_phdr(take_build_id, &id);
	return id;
}

int table_cache_home(char *out, size_t cap, struct diag *why)
{
	const char *xdg = geteuid() == 0 ? NULL : secure_getenv("XDG_CACHE_HOME");
	struct user user;
	int used;

	if (xdg && xdg[0] == '/') {
		used = snprintf(out, cap, "%s/flametop", xdg);
	} else {
		if (user_find(geteuid(), &user))
			return diag_set(why, -ENOENT, "user %u has no home directory", geteuid());
		used = snprintf(out, cap, "%s/.cache/flametop", user.home);
	}
	if (used < 0 || (size_t)used >= cap)
		return diag_set(why, -ENAMETOOLONG, "the path of the home directory is too long");
	return 0;
}

/* Opens a directory that only we (@is_own), or only we and root, may write to. Its descriptor, or
 * -errno. */
static int open_directory(int at, const char *name, bool is_own, const char *path,
			  struct diag *why)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (is_own ? O_NOFOLLOW : 0);
	const mode_t forbidden = is_own ? S_IRWXG | S_IRWXO : S_IWGRP | S_IWOTH;
	struct stat found;
	int fd;

	if (mkdirat(at, name, 0700) && errno != EEXIST)
		return diag_set(why, -errno, "cannot make %s: %s", path, strerror(errno));
	fd = openat(at, name, flags);
	if (fd < 0)
		return diag_set(why, -errno, "cannot open the directory %s: %s", path,
				strerror(errno));
	if (fstat(fd, &found) == 0 && !(found.st_mode & forbidden) &&
	    (found.st_uid == geteuid() || (found.st_uid == 0 && !is_own)))
		return fd;
	close(fd);
	return diag_set(why, -EPERM, "%s must be your own, and nobody else's to write: chmod %s it",
			path, is_own ? "700" : "go-w");
}

static int compare_use(const void *a, const void *b)
{
	const struct found_entry *left = a, *right = b;

	if (left->used.tv_sec != right->used.tv_sec)
		return left->used.tv_sec < right->used.tv_sec ? -1 : 1;
	return (left->used.tv_nsec > right->used.tv_nsec) -
	       (left->used.tv_nsec < right->used.tv_nsec);
}

static bool is_entry_name(const char *name)
{
	size_t len = strlen(name), suffix = strlen(NAME_SUFFIX);

	return len > suffix && len < NAME_BYTES && !strcmp(name + len - suffix, NAME_SUFFIX);
}

/* Lists all entries in *@out, which the caller frees; returns their number. */
static size_t list_entries(int directory, struct found_entry **out)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *names = fd < 0 ? NULL : fdopendir(fd);
	size_t count = 0, capacity = 0;
	struct dirent *name;
	struct stat status;

	*out = NULL;
	while (names && (name = readdir(names))) {
		if (!is_entry_name(name->d_name) ||
		    fstatat(directory, name->d_name, &status, AT_SYMLINK_NOFOLLOW))
			continue;
		if (count == capacity) {
			struct found_entry *grown;

			capacity = 2 * capacity + 64;
			grown = realloc(*out, capacity * sizeof(*grown));
			if (!grown)
				break;
			*out = grown;
		}
		(*out)[count].used = status.st_mtim;
		(*out)[count].bytes = (uint64_t)status.st_size;
		strcpy((*out)[count++].name, name->d_name);
	}
	if (names)
		closedir(names);
	else if (fd >= 0)
		close(fd);
	return count;
}

/* Counts the bytes anew, and removes entries if there is no room for @bytes more. */
static void prune(struct table_cache *cache, uint64_t bytes)
{
	struct found_entry *entries;
	size_t count = list_entries(cache->directory, &entries);

	cache->bytes = 0;
	for (size_t i = 0; i < count; i++)
		cache->bytes += entries[i].bytes;
	if (cache->bytes + bytes > TABLE_CACHE_BYTES_MAX) {
		qsort(entries, count, sizeof(*entries), compare_use);
		for (size_t i = 0; i < count && cache->bytes + bytes > BYTES_AFTER_PRUNE; i++) {
			unlinkat(cache->directory, entries[i].name, 0);
			cache->bytes -= entries[i].bytes;
		}
	}
	free(entries);
}

int table_cache_open(struct table_cache **out, const char *directory, struct diag *why)
{
	const char *slash = strrchr(directory, '/');
	struct table_cache *cache;
	char parent[PATH_MAX];
	int above;

	*out = NULL;
	if (!slash || slash == directory || slash - directory >= PATH_MAX)
		return diag_set(why, -EINVAL, "%s is no directory for a cache", directory);
	cache = calloc(1, sizeof(*cache));
	if (!cache)
		return diag_set(why, -ENOMEM, "no memory for the cache");
	cache->directory = -1;
	cache->bytes = TABLE_CACHE_BYTES_MAX;
	cache->maker = own_build_id();
	snprintf(parent, sizeof(parent), "%.*s", (int)(slash - directory), directory);
	above = cache->maker.count ? open_directory(AT_FDCWD, parent, false, parent, why)
				   : diag_set(why, -ENOTSUP, "this program has no build-id");
	if (above >= 0) {
		cache->directory = open_directory(above, slash + 1, true, directory, why);
		close(above);
	}
	if (cache->directory < 0) {
		int err = above < 0 ? above : cache->directory;

		table_cache_close(cache);
		return err;
	}
	*out = cache;
	return 0;
}

void table_cache_close(struct table_cache *cache)
{
	if (!cache)
		return;
	if (cache->directory >= 0)
		close(cache->directory);
	free(cache);
}

static void name_entry(char out[NAME_BYTES], const struct table_cache_key *key)
{
	const struct file_version *version = &key->version;
	char hex[BUILD_ID_HEX_BYTES];

	if (key->build_id.count)
		snprintf(out, NAME_BYTES, "%s-%lx-%lx" NAME_SUFFIX,
			 build_id_format(&key->build_id, hex), version->bytes, version->mtime_ns);
	else
		snprintf(out, NAME_BYTES, "%lx-%lx-%lx-%lx" NAME_SUFFIX, version->device,
			 version->inode, version->ctime_ns, version->bytes);
}

static bool is_key_of(const struct entry_header *header, const struct table_cache_key *key)
{
	return key->build_id.count ? build_id_is_equal(&header->build_id, &key->build_id) &&
				     file_version_is_copy(&header->version, &key->version)
				   : !header->build_id.count &&
				     file_version_is_equal(&header->version, &key->version);
}

static int check_entry(const struct table_cache *cache, const struct table_cache_key *key,
		       struct kept_table *out)
{
	const struct entry_header *header = out->table.bytes.bytes;
	const size_t table_bytes = out->table.bytes.count - sizeof(*header);

	if (header->magic != ENTRY_MAGIC ||
	    header->header_checksum !=
		    table_checksum(header, offsetof(struct entry_header, header_checksum)) ||
	    header->table_bytes != table_bytes ||
	    !build_id_is_equal(&header->maker, &cache->maker) || !is_key_of(header, key) ||
	    header->checksum != table_checksum(header + 1, table_bytes) ||
	    flat_table_check(&out->table.table, header + 1, table_bytes, NULL))
		return -EBADMSG;
	if (key->build_id.count &&
	    !build_id_is_equal(&key->build_id, &out->table.table.header->build_id))
		return -EBADMSG;
	out->debug = header->debug;
	out->checksum = header->checksum;
	return 0;
}

static int read_bytes(int fd, size_t count, struct sandbox_bytes *out)
{
	char *bytes = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t used = 0;

	if (bytes == MAP_FAILED)
		return -ENOMEM;
	*out = (struct sandbox_bytes){ bytes, count };
	while (used < count) {
		ssize_t got = read(fd, bytes + used, count - used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EBADMSG;
		used += (size_t)got;
	}
	return 0;
}

static int read_entry(const struct table_cache *cache, const struct table_cache_key *key, int fd,
		      struct kept_table *out)
{
	struct stat status;
	int err;

	if (fstat(fd, &status))
		return -errno;
	if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
	    (status.st_mode & (S_IRWXG | S_IRWXO)) ||
	    (size_t)status.st_size < sizeof(struct entry_header) ||
	    (size_t)status.st_size > sizeof(struct entry_header) + FLAT_BYTES_MAX)
		return -EBADMSG;
	err = read_bytes(fd, (size_t)status.st_size, &out->table.bytes);
	if (!err)
		err = check_entry(cache, key, out);
	if (!err && time(NULL) - status.st_mtim.tv_sec > TOUCH_AFTER_S)
		futimens(fd, NULL);
	return err;
}

int table_cache_read(struct table_cache *cache, const struct table_cache_key *key,
		     struct kept_table *out)
{
	char name[NAME_BYTES];
	int fd, err;

	*out = (struct kept_table){ .why = { .err = 0 } };
	name_entry(name, key);
	fd = openat(cache->directory, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	err = fd < 0 ? -EBADMSG : read_entry(cache, key, fd, out);
	if (fd >= 0)
		close(fd);
	if (!err)
		return 0;
	sandbox_table_finish(&out->table);
	if (err == -EBADMSG)
		unlinkat(cache->directory, name, 0);
	return err;
}

static int write_bytes(int fd, const void *bytes, size_t count)
{
	const char *at = bytes;

	while (count) {
		ssize_t done = write(fd, at, count);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			at += done;
			count -= (size_t)done;
		}
	}
	return 0;
}

/* Links the complete file as @name. Two processes may do so at once: either entry is right. */
static int give_name(int directory, int fd, const char *name)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	unlinkat(directory, name, 0);
	return linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

int table_cache_write(struct table_cache *cache, const struct table_cache_key *key,
		      const struct kept_table *kept)
{
	const struct flat_table *table = &kept->table.table;
	const size_t bytes = flat_table_bytes(table), whole = sizeof(struct entry_header) + bytes;
	struct entry_header header = {
		.magic = ENTRY_MAGIC, .maker = cache->maker, .build_id = key->build_id,
		.version = key->version, .debug = kept->debug, .table_bytes = bytes,
		.checksum = kept->checksum,
	};
	char name[NAME_BYTES];
	int fd, err;

	if (cache->bytes + whole > TABLE_CACHE_BYTES_MAX)
		prune(cache, whole);
	if (whole > TABLE_CACHE_BYTES_MAX)
		return -EFBIG;
	header.header_checksum = table_checksum(&header,
						offsetof(struct entry_header, header_checksum));
	name_entry(name, key);
	fd = openat(cache->directory, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	err = write_bytes(fd, &header, sizeof(header));
	if (!err)
		err = write_bytes(fd, table->header, bytes);
	if (!err)
		err = give_name(cache->directory, fd, name);
	close(fd);
	if (!err)
		cache->bytes += whole;
	return err;
}
