/* resources_fixture.c - see resources_fixture.h. */
#include "resources_fixture.h"

#include <dirent.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

#define BLOCKING_CALL_DESCRIPTORS 3	/* the eventfds of base/service.c */

static size_t count_entries(const char *path)
{
	DIR *dir = opendir(path);
	size_t count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* Threads that open files begin with the first file of their kind on the machine, and another takes
 * the place of one that took over a second: when, is chance. They have a limit of their own. */
static size_t count_blocking_calls(void)
{
	struct dirent *entry;
	char path[300], name[17];
	DIR *dir = opendir("/proc/self/task");
	size_t count = 0;
	FILE *file;

	while ((entry = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		count += fscanf(file, "%16s", name) == 1 && !strncmp(name, "flametop-calls", 14);
		fclose(file);
	}
	closedir(dir);
	return count;
}

struct resources_count resources_now(void)
{
	const size_t blocking_calls = count_blocking_calls();
	const size_t descriptors = count_entries("/proc/self/fd");

	return (struct resources_count){
		.descriptors = descriptors - BLOCKING_CALL_DESCRIPTORS * blocking_calls,
		.threads = count_entries("/proc/self/task") - blocking_calls,
	};
}

static bool has_more(struct resources_count now, struct resources_count before)
{
	return now.descriptors > before.descriptors || now.threads > before.threads;
}

/* By itself: nobody else may look at a session's descriptors. */
static void print_resources(void)
{
	char path[32], target[256];
	ssize_t length;

	for (int fd = 0; fd < 1024; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		length = readlink(path, target, sizeof(target));
		if (length > 0)
			print_message("%d %.*s\n", fd, (int)length, target);
	}
	if (system("cat /proc/$PPID/task/*/comm"))
		print_message("the threads cannot be listed\n");
}

/* The opener has files open for a moment, so smaller counts are waited for. */
void resources_expect_no_more(struct resources_count before, uint64_t wait_ms)
{
	const uint64_t give_up_ns = clock_now_ns() + wait_ms * CLOCK_NS_PER_MS;
	struct resources_count now = resources_now();

	while (has_more(now, before) && clock_now_ns() < give_up_ns) {
		poll(NULL, 0, 10);
		now = resources_now();
	}
	if (!has_more(now, before))
		return;
	print_resources();
	fail_msg("%zu descriptors and %zu threads, before %zu and %zu", now.descriptors,
		 now.threads, before.descriptors, before.threads);
}
