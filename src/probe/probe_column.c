/* probe_column.c - see probe_column.h. */
#include "probe_column.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int probe_column_refuse(struct diag *why, size_t at, const char *format, ...)
{
	char sentence[440];	/* what fits after "column N: " */
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	return diag_set(why, -EINVAL, "column %zu: %s", at + 1, sentence);
}
