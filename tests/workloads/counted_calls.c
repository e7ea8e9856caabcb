/* counted_calls READS [THREADS] [FORKS] - makes system calls whose numbers are known, and nothing
 * that varies: READS times getppid(2) and twice as often getuid(2), in each of THREADS threads (1),
 * and in each of FORKS children (0), which are reaped. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long reads;

static void *call_kernel(void *unused)
{
	for (long i = 0; i < reads; i++) {
		syscall(SYS_getppid);
		syscall(SYS_getuid);
		syscall(SYS_getuid);
	}
	return unused;
}

int main(int argc, char **argv)
{
	const int threads = argc > 2 ? atoi(argv[2]) : 1, forks = argc > 3 ? atoi(argv[3]) : 0;
	pthread_t started[64];

	reads = argc > 1 ? atol(argv[1]) : 1000;
	for (int i = 1; i < threads && i < 64; i++)
		if (pthread_create(&started[i], NULL, call_kernel, NULL))
			return 1;
	call_kernel(NULL);
	for (int i = 1; i < threads && i < 64; i++)
		pthread_join(started[i], NULL);
	for (int i = 0; i < forks; i++) {
		const pid_t child = fork();

		if (child == 0) {
			call_kernel(NULL);
			_exit(0);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			return 1;
	}
	return 0;
}
