/* thread.c - see thread.h. */
#include "base/thread.h"

#include <signal.h>

int thread_start(pthread_t *out, const char *name, void *(*run)(void *), void *argument)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);	/* a new thread inherits the mask */
	err = -pthread_create(out, NULL, run, argument);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		pthread_setname_np(*out, name);
	return err;
}
