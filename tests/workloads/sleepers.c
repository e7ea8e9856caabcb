/* sleepers [COUNT [MAPS]] - that many idle processes, each with MAPS mappings of this file besides
 * its own, every fifth of them code: as a program with libraries has them. Prints "ready" when all
 * are there; they end with the first one: at end of file on standard input, or when killed. */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Neighbours of the same offset stay mappings of their own. */
static bool map_file(int count)
{
	const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	bool is_done = file >= 0;

	for (int i = 0; is_done && i < count; i++)
		is_done = mmap(NULL, bytes, i % 5 ? PROT_READ : PROT_READ | PROT_EXEC, MAP_PRIVATE,
			       file, 0) != MAP_FAILED;
	close(file);
	return is_done;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1000;
	pid_t parent = getpid();
	char byte;

	if (argc > 2 && !map_file(atoi(argv[2]))) {
		perror("sleepers: mmap");
		return 1;
	}
	for (int i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			perror("sleepers: fork");
			return 1;
		}
		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			while (getppid() == parent)
				pause();
			_exit(0);
		}
	}
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
