/* line_files.h - opens what a SANDBOX_LINES job reads: the object, its debug file, and the file
 * that dwz made for several debug files.
 *
 * Trust:  debug files come from where symbols/debug_file.h looks, below our own root only; dwz's
 *         from /usr/lib/debug, whatever an object says. That they belong to it is for the worker
 *         to see.
 * Thread: any; may block on a slow file system.
 */
#ifndef SYMBOLS_LINE_FILES_H
#define SYMBOLS_LINE_FILES_H

#include <stdbool.h>

#include "symbols/object_opener.h"

struct line_files {
	int object;		/* owned, as the next two; -1: none */
	int debug, alternate;
	bool is_certain;	/* the object is the mapping's; false: only if its build-id is */
};

/* @request: the object, as for the opener; @debug_link: as its table says, "" none; @sandbox: as
 * object_file_open(). Leaves alternate at -1. 0 or -errno with the reason. */
int line_files_open(struct line_files *files, const struct open_request *request,
		    const char *debug_link, struct sandbox *sandbox, struct diag *why);
/* Looks for dwz's file: @id, @name as the worker gave them (line_chains.h). */
void line_files_open_alternate(struct line_files *files, const struct build_id *id,
			       const char *name);
void line_files_close(struct line_files *files);

#endif
