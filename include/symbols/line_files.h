/* line_files.h - opens the files that a SANDBOX_LINES job reads: the object, its debug file, and
 * the file that dwz made for several debug files.
 *
 * Trust:  debug files are searched as symbols/debug_file.h says, below our own root only; dwz's
 *         file only in /usr/lib/debug, whatever an object says. The worker checks that they belong
 *         to the object.
 * Thread: any; may block on a slow file system.
 */
#ifndef SYMBOLS_LINE_FILES_H
#define SYMBOLS_LINE_FILES_H

#include <stdbool.h>

#include "symbols/object_opener.h"

struct line_files {
	int object;		/* owned; -1: none */
	int debug, alternate;	/* owned; -1: none */
	bool is_certain;	/* surely the mapped object; false: only if its build-id matches */
};

/* Opens the object and its debug file; leaves `alternate` at -1. @request names the object, as for
 * the opener; @debug_link is from the object's table, "": none; @sandbox: see object_file_open().
 * 0 or -errno with the reason. */
int line_files_open(struct line_files *files, const struct open_request *request,
		    const char *debug_link, struct sandbox *sandbox, struct diag *why);
/* Opens dwz's file by the @id and @name that the worker returned (line_chains.h). */
void line_files_open_alternate(struct line_files *files, const struct build_id *id,
			       const char *name);
void line_files_close(struct line_files *files);

#endif
