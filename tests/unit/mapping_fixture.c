/* mapping_fixture.c - see mapping_fixture.h. */
#include "mapping_fixture.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct open_request mapping_request(const void *address)
{
	struct open_request request = { .pid = (uint32_t)getpid() };
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[OPENER_PATH_BYTES + 128];
	bool was_found = false;

	assert_non_null(maps);
	while (!was_found && fgets(line, sizeof(line), maps)) {
		int path_at = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*x %x:%x %" SCNu64 " %n",
			   &request.start, &request.end, &request.dev_major, &request.dev_minor,
			   &request.inode, &path_at) < 5)
			continue;
		was_found = (uintptr_t)address >= request.start && (uintptr_t)address < request.end;
		line[strcspn(line, "\n")] = '\0';
		snprintf(request.path, sizeof(request.path), "%.*s", OPENER_PATH_BYTES - 1,
			 line + path_at);
	}
	fclose(maps);
	assert_true(was_found);
	return request;
}
