/* cpu_list.h - lists of CPUs as the kernel and the user write them: "0-3,8".
 * Source: Documentation/admin-guide/cputopology.rst. Thread: any. */
#ifndef CAPTURE_CPU_LIST_H
#define CAPTURE_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

/* Parses a list into ascending numbers without duplicates. The caller owns *@cpus (malloc'd; NULL
 * on failure). Returns 0, -EINVAL (syntax) or -ENOMEM. */
int cpu_list_parse(const char *text, int **cpus, size_t *count, struct diag *why);

/* Reads the CPUs that are online now into *@cpus, as cpu_list_parse() does. 0 or -errno. */
int cpu_list_online(int **cpus, size_t *count, struct diag *why);

/* Returns the first online CPU; 0 if it can't be read. */
int cpu_list_first_online(void);

bool cpu_list_has(const int *cpus, size_t count, int cpu);

#endif
