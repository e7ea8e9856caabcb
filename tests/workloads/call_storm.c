/* call_storm [SECONDS] - nothing but the cheapest of system calls, as many as the machine can. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);

	while (time(NULL) < end)
		for (int i = 0; i < 10000; i++)
			syscall(SYS_getppid);
	return 0;
}
