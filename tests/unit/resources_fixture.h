/* resources_fixture.h - the descriptors and threads of the test program: which are left behind?
 *
 * Without those of base/service.h, which come and go with calls that block.
 */
#ifndef TESTS_RESOURCES_FIXTURE_H
#define TESTS_RESOURCES_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

struct resources_count {
	size_t descriptors, threads;
};

struct resources_count resources_now(void);
/* Waits @wait_ms at most until there are no more than @before; else prints them and fails. */
void resources_expect_no_more(struct resources_count before, uint64_t wait_ms);

#endif
