/* file_call.h - looks at and opens profiled files without waiting for their file systems.
 *
 * Runs the calls of dso_file.h and process_stat.h as blocking calls (base/service.h): they
 * fail with -EBUSY, and a reason like all others, if the file system does not reply within a
 * second.
 * Thread: the owner of the blocking calls.
 */
#ifndef SYMBOLS_FILE_CALL_H
#define SYMBOLS_FILE_CALL_H

#include "base/service.h"
#include "symbols/dso_file.h"

/* A process and its mapping. */
struct file_look {
	struct process_root root;	/* owned: process_root_close() */
	struct build_id build_id;	/* the mapping's; count 0: unknown */
	struct dso_file mapped;		/* owned: DSO_FILE_MAP_FILES; fd -1: see `err` */
	int err;			/* result of dso_file_open() for `mapped` */
	struct diag why;
};

/* Fills in all of @out in one blocking call: mostly no other file is needed. After a failure @out
 * owns nothing: its descriptors are -1. */
int file_call_look(struct blocking_calls *blocking_calls, const struct open_request *request,
		   struct file_look *out, struct diag *why);
/* Runs dso_file_open(); not for DSO_FILE_VDSO, which is no file. */
int file_call_open(struct blocking_calls *blocking_calls, struct dso_file *out,
		   const struct open_request *request, const struct process_root *root,
		   enum dso_file_source source, struct diag *why);

/* Looks whether the program at request->path, in the process's root, is also found by the name
 * request->comm: in the same directory or in one for programs (hier(7)). 0: it is; -ENOENT: it is
 * not; -ESRCH: the process has exited; or the error of blocking_calls_run(). */
int file_call_has_name(struct blocking_calls *blocking_calls, const struct open_request *request);

/* Returns the blocking_job.key of a request: the mapping's device, or the process. */
uint64_t file_call_key(const struct open_request *request);
/* Returns whether @why says that a file system does not reply: it may be tried again. */
bool file_call_is_refused(const struct diag *why);
/* Sets @why to the reason for @err, an error of blocking_calls_run(). Returns an -errno for the
 * caller. */
int file_call_refuse(int err, struct diag *why);

#endif
