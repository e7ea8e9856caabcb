/* thread.c - see thread.h. */
#include "base/thread.h"

#include <signal.h>

int thread_start(pthread_t *out, const char *name, void *(*run)(void *), void *argument)
{
	/* A crash in any thread must reach the handler that restores the terminal. */
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	sigset_t blocked, before;
	int err;

	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		sigdelset(&blocked, fatal[i]);
	pthread_sigmask(SIG_SETMASK, &blocked, &before);	/* a new thread inherits the mask */
	err = -pthread_create(out, NULL, run, argument);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		pthread_setname_np(*out, name);
	return err;
}
