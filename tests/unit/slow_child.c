/* slow_child.c - see slow_child.h. */
#include "slow_child.h"

#include <execinfo.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../workloads/by_r12.h"

static struct slow_child *self;
static volatile int sink;

__attribute__((noinline)) static void stand_still(void)
{
	self->count = backtrace(self->chain, SLOW_CHAIN_MAX);
	self->is_ready = 1;
	kill(getpid(), SIGSTOP);
	sink++;	/* no tail call */
}

__attribute__((noinline)) static void between(void)
{
	by_r12(stand_still);
	sink++;
}

struct slow_child *slow_child_start(void)
{
	int status;
	pid_t pid;

	self = mmap(NULL, sizeof(*self), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(self, MAP_FAILED);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);	/* should a test fail */
		between();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status) && self->is_ready);
	self->pid = pid;
	return self;
}

void slow_child_end(struct slow_child *child)
{
	kill(child->pid, SIGKILL);
	assert_int_equal(waitpid(child->pid, NULL, 0), child->pid);
	munmap(child, sizeof(*child));
}
