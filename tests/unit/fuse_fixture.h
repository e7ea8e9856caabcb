/* fuse_fixture.h - a FUSE file system with one file, "program"; needs root and /dev/fuse. */
#ifndef TESTS_FUSE_FIXTURE_H
#define TESTS_FUSE_FIXTURE_H

#include <stdbool.h>
#include <sys/types.h>

bool fuse_fixture_is_possible(void);
/* Makes @place and mounts it there; its file has the content of @file's. @request: what it
 * does not answer any more when this returns, a line for tests/faults/fuse_that_hangs.py; NULL:
 * it answers all. Returns the server's process. */
pid_t fuse_fixture_start(const char *place, const char *file, const char *request);
void fuse_fixture_end(pid_t server, const char *place);

#endif
