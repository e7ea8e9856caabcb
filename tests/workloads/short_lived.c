/* short_lived [SECONDS] - starts one process after the other; each executes this file anew, spins
 * for about a millisecond in brief_life() and is gone. Prints how many there were. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void brief_life(void)
{
	for (int i = 0; i < 500000; i++)
		sink += 1;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);
	unsigned long count = 0;

	if (argc > 1 && argv[1][0] == 'x') {
		brief_life();
		return 0;
	}
	for (; time(NULL) < end; count++) {
		pid_t pid = fork();

		if (pid == 0) {
			execl("/proc/self/exe", "brief", "x", (char *)NULL);
			_exit(127);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return 1;
	}
	printf("%lu processes\n", count);
	return 0;
}
