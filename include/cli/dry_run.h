/* dry_run.h - --dry-run: prints what the probes of the command line would do, without attaching.
 * Thread: main. */
#ifndef CLI_DRY_RUN_H
#define CLI_DRY_RUN_H

#include <stdio.h>
#include <sys/types.h>

#include "probe/probe_spec.h"

/* Prints each probe's sites as the kernel would get them, its values and the verdict. @pid: process
 * whose files are meant; 0: none in particular. 0; -errno with the reason of the first probe that
 * can't be resolved; -EPERM: a probe would be refused, which is printed. */
int dry_run_print(FILE *out, const struct probe_spec *specs, size_t count, pid_t pid,
		  struct diag *why);

#endif
