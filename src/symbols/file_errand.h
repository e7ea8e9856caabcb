/* file_errand.h - looks at and opens profiled files without waiting for their file systems.
 *
 * What object_file.h and process_root.h do, as errands (base/errand.h): after a second a file
 * system that does not answer is given up: -EBUSY, with a reason like all others.
 * Thread: the owner's of the errands.
 */
#ifndef SYMBOLS_FILE_ERRAND_H
#define SYMBOLS_FILE_ERRAND_H

#include "base/errand.h"
#include "symbols/object_file.h"

/* A process and its mapping. */
struct file_look {
	struct process_root root;	/* owned: process_root_close() */
	struct build_id build_id;	/* of the mapping; count 0: unknown */
	struct object_file mapped;	/* owned, OBJECT_FILE_MAP_FILES; fd -1: it cannot be had, */
	int err;			/* as object_file_open() says */
	struct diag why;
};

/* All of that at once: mostly no other file is needed. After a failure @out is as of nobody. */
int file_errand_look(struct errands *errands, const struct open_request *request,
		     struct file_look *out, struct diag *why);
/* object_file_open(); not of OBJECT_FILE_VDSO, which is no file. */
int file_errand_open(struct errands *errands, struct object_file *out,
		     const struct open_request *request, const struct process_root *root,
		     enum object_file_source source, struct diag *why);

/* Whether the process's file, at request->path in its root, is found by the name request->comm,
 * too: beside it or in one of the directories that hold programs (hier(7)). 0: it is; -ENOENT: it
 * is not; -ESRCH: the process has gone; what errands_run() returns. */
int file_errand_has_name(struct errands *errands, const struct open_request *request);

/* What to refuse while it hangs: the mapping's device, or the process. */
uint64_t file_errand_key(const struct open_request *request);
/* Whether that is why: it may be tried again. */
bool file_errand_is_refused(const struct diag *why);
/* The reason for what errands_run() returned. Returns @err. */
int file_errand_refuse(int err, struct diag *why);

#endif
