/* page_faults ROUNDS - touch() causes 1,000 page faults in each of ROUNDS rounds, spin() computes
 * for about a tenth of a second; then a child does the same. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGES 1000

static size_t page_bytes;
static volatile unsigned int sink;

__attribute__((noinline)) static void touch(char *pages)
{
	for (size_t i = 0; i < PAGES; i++)
		*(volatile char *)(pages + i * page_bytes) = 1;
	sink++;
}

__attribute__((noinline)) static void spin(void)
{
	const clock_t end = clock() + CLOCKS_PER_SEC / 10;

	while (clock() < end)
		for (unsigned int i = 0; i < 100000; i++)
			sink += i;
}

static int fault(unsigned long rounds)
{
	char *pages = mmap(NULL, PAGES * page_bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || madvise(pages, PAGES * page_bytes, MADV_NOHUGEPAGE))
		return 1;
	for (; rounds > 0; rounds--) {
		touch(pages);
		if (madvise(pages, PAGES * page_bytes, MADV_DONTNEED))
			return 1;
	}
	spin();
	return 0;
}

int main(int argc, char **argv)
{
	const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	int status;
	pid_t child;

	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	if (fault(rounds))
		return 1;
	child = fork();
	if (child < 0)
		return 1;
	if (!child)
		_exit(fault(rounds));
	return waitpid(child, &status, 0) != child || status;
}
