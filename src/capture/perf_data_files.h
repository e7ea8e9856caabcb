/* perf_data_files.h - the files that a recording has: one, or those of a directory.
 *
 * Trust:  only regular files are opened, and inside of a directory nothing is followed elsewhere.
 * Thread: perf_data_files_open() and _finish(): main; perf_data_files_unpack(): the reader's.
 */
#ifndef CAPTURE_PERF_DATA_FILES_H
#define CAPTURE_PERF_DATA_FILES_H

#include "capture/perf_data.h"
#include "perf_data_header.h"
#include "perf_data_stream.h"

struct perf_data_file {
	int fd;
	int unpacked_fd;	/* the file with its unpacked records; -1: there is none */
	struct perf_data_stream stream;
	/* The thread's, if there are several files: */
	const struct perf_event_header *next;	/* in the stream's buffer; NULL: to be read */
	uint64_t next_offset, next_ns;
	bool is_at_end;
};

struct perf_data_files {
	struct perf_data_file *files;	/* owned; the first has the header */
	uint32_t count;
	int kernel_names_fd;		/* kcore_dir/kallsyms; -1: there is none */
	uint64_t written_ns;		/* when the first was written last */
	uint64_t unpacked_room;		/* how many bytes unpacked records may get */
};

/* Opens @path, a file or a directory, and reads the header. *@files and *@header are the caller's
 * also after a failure. Errors as perf_data_open(). */
int perf_data_files_open(struct perf_data_files *files, struct perf_data_header *header,
			 const char *path, struct diag *why);
void perf_data_files_finish(struct perf_data_files *files);

/* Says in which file of a directory @why lies. Returns @err. */
int perf_data_files_name(const struct perf_data_files *files, const struct perf_data_file *file,
			 int err, struct diag *why);

/* What may end the unpacking early. */
struct perf_data_stop {
	int fd;				/* readable when @is_set may have changed; is emptied */
	const _Atomic bool *is_set;
};

/* Has @unpacker unpack all files, one after the other, into files without names, which the streams
 * read from now on. 0; -ECANCELED: @stop; -ENOSPC: they need more than half of the free space of
 * /var/tmp; or the error of @unpacker. */
int perf_data_files_unpack(struct perf_data_files *files, const struct perf_data_unpacker *unpacker,
			   const struct perf_data_stop *stop, struct diag *why);

#endif
