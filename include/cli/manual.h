/* manual.h - prints flametop(8) and the bash completion, from the tables of options and commands.
 * Thread: main. */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include <stdio.h>

/* Prints the manual page, in mdoc(7). */
void manual_print(FILE *out);

/* Prints a script for bash 4.4 or later that needs nothing else. */
void completion_print(FILE *out);

#endif
