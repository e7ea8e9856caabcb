/* perf_data_files.h - opens the files of a recording: one, or several in a directory.
 *
 * Trust:  only regular files are opened, and links inside a directory are not followed.
 * Thread: perf_data_files_open() and _finish(): main; perf_data_files_unpack(): the reader's.
 */
#ifndef CAPTURE_PERF_DATA_FILES_H
#define CAPTURE_PERF_DATA_FILES_H

#include "capture/perf_data.h"
#include "perf_data_header.h"
#include "perf_data_stream.h"

struct perf_data_file {
	int fd;
	int unpacked_fd;	/* file with the unpacked records; -1: there is none */
	struct perf_data_stream stream;
	/* Used only by the reader's thread, to merge several files: */
	const struct perf_event_header *next;	/* in the stream's buffer; NULL: read it first */
	uint64_t next_offset, next_ns;
	bool is_at_end;
};

struct perf_data_files {
	struct perf_data_file *files;	/* owned; the first has the header */
	uint32_t count;
	int kernel_names_fd;		/* kcore_dir/kallsyms; -1: there is none */
	uint64_t written_ns;		/* last write to the first file, CLOCK_REALTIME */
	uint64_t unpacked_room;		/* bytes that more unpacked records may take */
};

/* Opens @path, a file or a directory, and reads the header. The caller must finish @files and
 * @header, also after a failure. Errors as perf_data_open(). */
int perf_data_files_open(struct perf_data_files *files, struct perf_data_header *header,
			 const char *path, struct diag *why);
void perf_data_files_finish(struct perf_data_files *files);

/* Adds to @why which file of a directory failed. Returns @err. */
int perf_data_files_name(const struct perf_data_files *files, const struct perf_data_file *file,
			 int err, struct diag *why);

/* Request to end the unpacking early. */
struct perf_data_stop {
	int fd;				/* eventfd, readable when is_set may have changed */
	const _Atomic bool *is_set;
};

/* Unpacks all files with @unpacker, one after the other, into unnamed files, which the streams read
 * from now on. Returns 0; -ECANCELED: @stop was set; -ENOSPC: they need more than half of the free
 * space of /var/tmp; or the error of @unpacker. */
int perf_data_files_unpack(struct perf_data_files *files, const struct perf_data_unpacker *unpacker,
			   const struct perf_data_stop *stop, struct diag *why);

#endif
