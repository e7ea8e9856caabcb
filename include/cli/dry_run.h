/* dry_run.h - --dry-run: what the probes of the command line would do, without doing it.
 * Thread: main. */
#ifndef CLI_DRY_RUN_H
#define CLI_DRY_RUN_H

#include <stdio.h>
#include <sys/types.h>

#include "probe/probe_spec.h"

/* Prints each probe's places as the kernel would be told, its values and the verdict. @pid: whose
 * files are meant; 0: nobody's in particular. 0, or -errno with the sentence of the first that
 * can't be found; a refusal is printed, and -EPERM then. */
int dry_run_print(FILE *out, const struct probe_spec *specs, size_t count, pid_t pid,
		  struct diag *why);

#endif
