/* diag.c - one failure, one sentence. */
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int diag_set(struct diag *why, int err, const char *format, ...)
{
	va_list args;

	if (!why)
		return err;
	why->err = err;
	va_start(args, format);
	vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	return err;
}

void diag_prefix(struct diag *why, const char *format, ...)
{
	char tail[sizeof(why->text)];
	va_list args;
	int used;

	if (!why)
		return;
	memcpy(tail, why->text, sizeof(tail));
	va_start(args, format);
	used = vsnprintf(why->text, sizeof(why->text), format, args);
	va_end(args);
	if (used >= 0 && (size_t)used < sizeof(why->text))
		snprintf(why->text + used, sizeof(why->text) - (size_t)used, ": %s", tail);
}
