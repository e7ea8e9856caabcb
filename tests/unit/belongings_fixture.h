/* belongings_fixture.h - the descriptors and threads of the test program: what is left behind?
 *
 * Without those of base/errand.h, which come and go as files answer.
 */
#ifndef TESTS_BELONGINGS_FIXTURE_H
#define TESTS_BELONGINGS_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

struct belongings_count {
	size_t descriptors, threads;
};

struct belongings_count belongings_now(void);
/* Waits @wait_ms at most until there are no more than @before; else prints them and fails. */
void belongings_expect_no_more(struct belongings_count before, uint64_t wait_ms);

#endif
