/* file_errand.h - looks at and opens profiled files without waiting for their file systems.
 *
 * Runs the calls of object_file.h and process_root.h as errands (base/errand.h): they fail with
 * -EBUSY, and a reason like all others, if the file system does not answer within a second.
 * Thread: the owner of the errands.
 */
#ifndef SYMBOLS_FILE_ERRAND_H
#define SYMBOLS_FILE_ERRAND_H

#include "base/errand.h"
#include "symbols/object_file.h"

/* A process and its mapping. */
struct file_look {
	struct process_root root;	/* owned: process_root_close() */
	struct build_id build_id;	/* the mapping's; count 0: unknown */
	struct object_file mapped;	/* owned: OBJECT_FILE_MAP_FILES; fd -1: see `err` */
	int err;			/* result of object_file_open() for `mapped` */
	struct diag why;
};

/* Fills in all of @out in one errand: mostly no other file is needed. After a failure @out owns
 * nothing: its descriptors are -1. */
int file_errand_look(struct errands *errands, const struct open_request *request,
		     struct file_look *out, struct diag *why);
/* Runs object_file_open(); not for OBJECT_FILE_VDSO, which is no file. */
int file_errand_open(struct errands *errands, struct object_file *out,
		     const struct open_request *request, const struct process_root *root,
		     enum object_file_source source, struct diag *why);

/* Looks whether the program at request->path, in the process's root, is also found by the name
 * request->comm: in the same directory or in one for programs (hier(7)). 0: it is; -ENOENT: it is
 * not; -ESRCH: the process has exited; or the error of errands_run(). */
int file_errand_has_name(struct errands *errands, const struct open_request *request);

/* Returns the errand_job.key of a request: the mapping's device, or the process. */
uint64_t file_errand_key(const struct open_request *request);
/* Returns whether @why says that a file system does not answer: it may be tried again. */
bool file_errand_is_refused(const struct diag *why);
/* Sets @why to the reason for @err, an error of errands_run(). Returns an -errno for the caller. */
int file_errand_refuse(int err, struct diag *why);

#endif
