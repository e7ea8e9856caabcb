/* cached_tables - how long a process with 100 libraries of this machine waits for their symbol
 * tables: at the first start, when all must be compiled, and later, when they are on disk. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "elf/file_jobs.h"
#include "symbols/dso_table.h"
#include "symbols/table_cache.h"

#define DIRECTORY "/usr/lib/x86_64-linux-gnu"

enum { LIBRARIES = 100, RUNS = 5 };

static struct open_request *requests;	/* LIBRARIES */

/* Maps a library as code, as the loader would. */
static bool map_library(struct open_request *request, const char *name)
{
	struct stat status;
	void *mapping;
	int fd;

	snprintf(request->path, sizeof(request->path), DIRECTORY "/%s", name);
	if (strncmp(name, "lib", 3) || !strstr(name, ".so.") || lstat(request->path, &status) ||
	    !S_ISREG(status.st_mode))
		return false;
	fd = open(request->path, O_RDONLY | O_CLOEXEC);
	mapping = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	if (mapping == MAP_FAILED)
		return false;
	request->pid = (uint32_t)getpid();
	request->start = (uintptr_t)mapping;
	request->end = request->start + 4096;
	request->dev_major = major(status.st_dev);
	request->dev_minor = minor(status.st_dev);
	request->inode = status.st_ino;
	return true;
}

static uint32_t map_libraries(void)
{
	struct dirent **names;
	int count = scandir(DIRECTORY, &names, NULL, alphasort);
	uint32_t mapped = 0;

	for (int i = 0; i < count; i++) {
		if (mapped < LIBRARIES && map_library(&requests[mapped], names[i]->d_name)) {
			requests[mapped].dso = mapped;
			mapped++;
		}
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return mapped;
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}

/* One start; ms from the first request to the last table, and of our own CPU time. -1: failed. */
static double start(struct sandbox *sandbox, const char *directory, uint32_t count,
		    double *cpu_ms, size_t *bytes)
{
	struct table_cache *cache = NULL;
	struct dso_opener *opener;
	struct open_reply reply;
	struct diag why;
	uint64_t began_ns, began_cpu_ns = cpu_ns();
	uint32_t ready = 0, replied = 0;

	if (table_cache_open(&cache, directory, &why) ||
	    dso_opener_create(&opener, sandbox, cache, &why)) {
		fprintf(stderr, "cached_tables: %s\n", why.text);
		return -1;
	}
	began_ns = clock_now_ns();
	for (uint32_t i = 0; i < count; i++)
		dso_opener_request(opener, &requests[i]);
	while (replied < count) {
		struct pollfd wait = { .fd = dso_opener_fd(opener), .events = POLLIN };

		if (dso_opener_reply(opener, &reply)) {
			replied++;
			ready += reply.is_ready;
		} else {
			poll(&wait, 1, -1);
		}
	}
	began_ns = clock_now_ns() - began_ns;
	*cpu_ms = (double)(cpu_ns() - began_cpu_ns) / 1e6;
	*bytes = dso_opener_bytes(opener);
	dso_opener_destroy(opener);
	return ready == count ? (double)began_ns / 1e6 : -1;
}

/* The opener's end cancels its sandbox for good, so each start has its own. */
static double start_once(const char *directory, uint32_t count, double *cpu_ms, size_t *bytes)
{
	struct sandbox *sandbox;
	struct diag why;
	double ms;

	if (sandbox_start(&sandbox, worker_run, &why))
		return -1;
	ms = start(sandbox, directory, count, cpu_ms, bytes);
	sandbox_stop(sandbox);
	return ms;
}

int main(void)
{
	char base[] = "/tmp/cached_tables.XXXXXX", directory[64], command[64];
	double first, best = -1, cpu_ms, best_cpu_ms = 0;
	uint32_t count;
	size_t bytes;

	requests = calloc(LIBRARIES, sizeof(*requests));
	count = requests ? map_libraries() : 0;
	if (!count || !mkdtemp(base))
		return 1;
	snprintf(directory, sizeof(directory), "%s/.cache/flametop", base);
	first = start_once(directory, count, &cpu_ms, &bytes);
	printf("tables of %u libraries (%.1f MB), compiled: %.0f ms\n", count, (double)bytes / 1e6,
	       first);
	for (int i = 0; i < RUNS; i++) {
		double ms = start_once(directory, count, &cpu_ms, &bytes);

		if (best < 0 || ms < best) {
			best = ms;
			best_cpu_ms = cpu_ms;
		}
	}
	printf("the same from disk (best of %d): %.1f ms, %.1f ms of CPU\n", RUNS, best,
	       best_cpu_ms);
	snprintf(command, sizeof(command), "rm -r %s", base);
	free(requests);
	return system(command) || first < 0 || best < 0;
}
