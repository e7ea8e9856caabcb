/* spin_in FILE OFFSET - maps FILE as code and runs for ever what lies at OFFSET, a function that
 * never returns. Says "ready" when it is mapped. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned long offset = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
	int fd = argc > 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	struct stat status;
	void (*code)(void);
	char *bytes;

	if (fd < 0 || fstat(fd, &status))
		return 1;
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return 1;
	close(fd);
	puts("ready");
	fflush(stdout);
	bytes += offset;
	memcpy(&code, &bytes, sizeof(code));
	code();
	return 1;
}
