/* perf_data_files.c - see perf_data_files.h.
 *
 * Compressed files of a directory are unpacked before any is read: a worker unpacks one file at a
 * time, while merging needs a record of each. The unpacked records go to disk, because they may be
 * larger than the memory.
 */
#include "perf_data_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/whole_io.h"

#define FILES_MAX   4096	/* data files of a directory, one per CPU */

/* kallsyms of a Debian kernel has 6 MiB, with everything built in 30 MiB. */
#define KERNEL_NAMES_BYTES_MAX (64 << 20)

#define UNPACKED_DIRECTORY "/var/tmp"	/* for large temporary files: hier(7) */
#define UNPACKED_PART	   ((size_t)64 * 1024)

int perf_data_files_name(const struct perf_data_files *files, const struct perf_data_file *file,
			 int err, struct diag *why)
{
	if (err && err != -ECANCELED && file != files->files)
		diag_prefix(why, "data.%td", file - files->files - 1);
	return err;
}

static int begin_stream(struct perf_data_file *file, int fd, uint64_t offset, uint64_t end,
			struct diag *why)
{
	return perf_data_stream_init(&file->stream, fd, offset, end) ?
		       diag_set(why, -ENOMEM, "no memory for a buffer") : 0;
}

/* Opens a new unnamed file; the first call sets unpacked_room to half of the free space. Returns a
 * descriptor or -errno. */
static int open_unpacked(struct perf_data_files *files, struct diag *why)
{
	const int fd = open(UNPACKED_DIRECTORY, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	struct statvfs system;

	if (fd < 0)
		return diag_set(why, -errno, "cannot unpack it into %s: %s; record again without "
				"-z or without --threads", UNPACKED_DIRECTORY, strerror(errno));
	if (!files->unpacked_room && !fstatvfs(fd, &system))
		files->unpacked_room = (uint64_t)system.f_bavail * system.f_frsize / 2;
	return fd;
}

/* Waits until @records is readable. Returns 0, or -ECANCELED when @stop is set. */
static int wait_for_records(const struct perf_data_stop *stop, int records)
{
	struct pollfd waiting[] = {
		{ .fd = records, .events = POLLIN }, { .fd = stop->fd, .events = POLLIN },
	};
	uint64_t sum;

	while (!atomic_load_explicit(stop->is_set, memory_order_acquire)) {
		poll(waiting, 2, -1);
		if (waiting[1].revents && read(stop->fd, &sum, sizeof(sum)) < 0 &&
		    errno != EINTR)
			return -ECANCELED;
		if (waiting[0].revents)
			return 0;
	}
	return -ECANCELED;
}

static int save_part(struct perf_data_files *files, const void *part, size_t bytes, int to,
		     struct diag *why)
{
	if (bytes > files->unpacked_room)
		return diag_set(why, -ENOSPC, "it unpacks to more than half of the free space of "
				"%s: make room there, or record again without -z or without "
				"--threads", UNPACKED_DIRECTORY);
	if (whole_write(to, part, bytes) != (ssize_t)bytes)
		return diag_set(why, -errno, "cannot unpack it into %s: %s", UNPACKED_DIRECTORY,
				strerror(errno));
	files->unpacked_room -= bytes;
	return 0;
}

struct unpacking {
	struct perf_data_files *files;
	const struct perf_data_unpacker *unpacker;
	const struct perf_data_stop *stop;
};

/* Copies @records to its end into @to, and adds the number of bytes to *@count. */
static int save_records(const struct unpacking *job, int records, int to, uint64_t *count,
			struct diag *why)
{
	unsigned char *part = malloc(UNPACKED_PART);
	ssize_t got = 1;
	int err = part ? 0 : diag_set(why, -ENOMEM, "no memory to unpack the recording");

	while (!err && got) {
		err = wait_for_records(job->stop, records);
		if (err)
			break;
		got = read(records, part, UNPACKED_PART);
		if (got < 0 && errno != EINTR)
			err = diag_set(why, -errno, "cannot read unpacked records: %s",
				       strerror(errno));
		else if (got > 0)
			err = save_part(job->files, part, (size_t)got, to, why);
		*count += !err && got > 0 ? (uint64_t)got : 0;
	}
	free(part);
	return err;
}

/* Unpacks a file; its stream reads the unpacked records from now on. */
static int unpack_file(const struct unpacking *job, struct perf_data_file *file, struct diag *why)
{
	const struct perf_data_stream packed = file->stream;
	struct diag reason = { .err = 0 };
	uint64_t count = 0;
	int records, err;

	file->unpacked_fd = open_unpacked(job->files, why);
	if (file->unpacked_fd < 0)
		return file->unpacked_fd;
	err = job->unpacker->begin(job->unpacker->owner, file->fd, packed.next_offset,
				     packed.end_offset, &records, why);
	if (err)
		return err;
	err = save_records(job, records, file->unpacked_fd, &count, why);
	close(records);		/* unblocks a worker that writes */
	if (job->unpacker->end(job->unpacker->owner, &reason) && !err) {
		*why = reason;
		err = reason.err;
	}
	if (err)
		return err;
	perf_data_stream_finish(&file->stream);
	return begin_stream(file, file->unpacked_fd, 0, count, why);
}

int perf_data_files_unpack(struct perf_data_files *files, const struct perf_data_unpacker *unpacker,
			   const struct perf_data_stop *stop, struct diag *why)
{
	const struct unpacking job = { files, unpacker, stop };
	int err = 0;

	for (uint32_t i = 0; i < files->count && !err; i++)
		err = perf_data_files_name(files, &files->files[i],
					   unpack_file(&job, &files->files[i], why), why);
	return err;
}

/* Opens @name in @dir, which must be a regular file. Returns a descriptor or -errno. */
static int open_regular(int dir, const char *name, int flags, struct stat *status,
			struct diag *why)
{
	/* A FIFO must not block. */
	const int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
	int err = 0;

	if (fd < 0)
		return diag_set(why, -errno, "%s", strerror(errno));
	if (fstat(fd, status))
		err = diag_set(why, -errno, "%s", strerror(errno));
	else if (!S_ISREG(status->st_mode))
		err = diag_set(why, -ENOTSUP, "not a regular file: save the recording to one "
			       "first");
	if (err)
		close(fd);
	return err ? err : fd;
}

/* Opens @name in @dir, a regular file, and appends it to @files. */
static int open_file(struct perf_data_files *files, int dir, const char *name, int flags,
		     struct stat *status, struct diag *why)
{
	struct perf_data_file *grown, *file;

	grown = realloc(files->files, (files->count + 1) * sizeof(*grown));
	if (!grown)
		return diag_set(why, -ENOMEM, "no memory for a file");
	files->files = grown;
	file = &files->files[files->count];
	*file = (struct perf_data_file){ .unpacked_fd = -1 };
	file->fd = open_regular(dir, name, flags, status, why);
	if (file->fd < 0)
		return file->fd;
	files->count++;
	return 0;
}

static int open_first(struct perf_data_files *files, struct perf_data_header *header, int dir,
		      const char *name, struct diag *why)
{
	struct stat status;
	int err = open_file(files, dir, name, 0, &status, why);

	if (!err)
		err = perf_data_header_read(header, files->files[0].fd,
					    (uint64_t)status.st_size, why);
	if (err)
		return err;
	files->written_ns = (uint64_t)status.st_mtim.tv_sec * CLOCK_NS_PER_S +
			     (uint64_t)status.st_mtim.tv_nsec;
	return begin_stream(&files->files[0], files->files[0].fd, header->records_offset,
			    header->records_end, why);
}

/* Opens data.0, data.1, ..., which hold only records. --kcore makes none, --threads one per CPU. */
static int open_rest(struct perf_data_files *files, int dir, struct diag *why)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < FILES_MAX; i++) {
		struct stat status;
		char name[32];

		snprintf(name, sizeof(name), "data.%u", i);
		err = open_file(files, dir, name, O_NOFOLLOW, &status, why);
		if (err == -ENOENT)
			return 0;
		if (!err)
			err = begin_stream(&files->files[i + 1], files->files[i + 1].fd, 0,
					   (uint64_t)status.st_size, why);
		if (err)
			diag_prefix(why, "%s", name);
	}
	return err;
}

static int open_list(struct perf_data_files *files, int kcore_dir, struct diag *why)
{
	struct stat status;
	const int fd = open_regular(kcore_dir, "kallsyms", O_NOFOLLOW, &status, why);

	if (fd < 0)
		return fd;
	files->kernel_names_fd = fd;
	if (status.st_size > KERNEL_NAMES_BYTES_MAX)
		return diag_set(why, -EFBIG, "%" PRIu64 " bytes are too much for a list of a "
				"kernel's functions", (uint64_t)status.st_size);
	return 0;
}

/* Opens the copy of /proc/kallsyms that `perf record --kcore` makes; its copies of kernel code and
 * /proc/modules add nothing. Does not follow links, which in a recording from somebody else could
 * lead to any file of the reader. */
static int open_kernel_names(struct perf_data_files *files, int dir, struct diag *why)
{
	const int kcore_dir = openat(dir, "kcore_dir",
				     O_DIRECTORY | O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	int err;

	if (kcore_dir < 0 && errno == ENOENT)
		return 0;
	if (kcore_dir < 0)
		return diag_set(why, -errno, "kcore_dir: %s", strerror(errno));
	err = open_list(files, kcore_dir, why);
	close(kcore_dir);
	if (err == -ENOENT)
		return 0;
	if (err)
		diag_prefix(why, "kcore_dir/kallsyms");
	return err;
}

int perf_data_files_open(struct perf_data_files *files, struct perf_data_header *header,
			 const char *path, struct diag *why)
{
	const int dir = open(path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	int err;

	*files = (struct perf_data_files){ .kernel_names_fd = -1 };
	if (dir < 0)
		return open_first(files, header, AT_FDCWD, path, why);
	err = open_first(files, header, dir, "data", why);
	if (err == -ENOENT)
		diag_set(why, err, "no recording: the directory has no file \"data\"");
	else if (err)
		diag_prefix(why, "data");
	else
		err = open_rest(files, dir, why);
	if (!err)
		err = open_kernel_names(files, dir, why);
	close(dir);
	return err;
}

void perf_data_files_finish(struct perf_data_files *files)
{
	for (uint32_t i = 0; i < files->count; i++) {
		perf_data_stream_finish(&files->files[i].stream);
		close(files->files[i].fd);
		if (files->files[i].unpacked_fd >= 0)
			close(files->files[i].unpacked_fd);
	}
	free(files->files);
	if (files->kernel_names_fd >= 0)
		close(files->kernel_names_fd);
	*files = (struct perf_data_files){ .kernel_names_fd = -1 };
}
