/* slow_child.h - a child that stands still below a function that finds its frame by r12, which no
 * unwind row can say; and what glibc's backtrace(3), asked in the child, says of its callers. */
#ifndef TESTS_SLOW_CHILD_H
#define TESTS_SLOW_CHILD_H

#include <signal.h>
#include <sys/types.h>

#define SLOW_CHAIN_MAX 64

/* Calls @what with its stack pointer on a boundary of 64 bytes. */
void by_r12(void (*what)(void));

struct slow_child {	/* shared with it */
	pid_t pid;
	void *chain[SLOW_CHAIN_MAX];	/* return addresses, leaf first; sanitizers add some */
	int count;
	volatile sig_atomic_t is_ready;
};

struct slow_child *slow_child_start(void);
void slow_child_end(struct slow_child *child);

#endif
