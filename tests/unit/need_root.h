/* need_root.h - for tests that an ordinary user cannot run. */
#ifndef NEED_ROOT_H
#define NEED_ROOT_H

#include <unistd.h>

/* Skips the test, and says why. */
static inline void need_root(void)
{
	if (geteuid() == 0)
		return;
	print_message("SKIP: needs root\n");
	skip();
}

#endif
