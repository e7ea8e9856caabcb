/* publisher_fixture.h - a publisher of a recording with one event, and samples for its snapshots.
 * Thread: one fixture at a time. */
#ifndef PUBLISHER_FIXTURE_H
#define PUBLISHER_FIXTURE_H

#include "analyzer/publisher.h"
#include "ingest_fixture.h"

/* New in every test. The configuration is the publisher's, who looks at it for each snapshot. */
extern struct ingest_fixture feed;
extern struct analyzer_config config;
extern struct publisher publisher;

#define S 1000000000ull

int publisher_fixture_set_up(void **state);
int publisher_fixture_tear_down(void **state);
#define PUBLISHER_TEST(test) \
	cmocka_unit_test_setup_teardown(test, publisher_fixture_set_up, publisher_fixture_tear_down)

/* One sample every 0.1 s, from @from to before @to, in tenths of a second. */
void publisher_fixture_sample(uint64_t from, uint64_t to);
/* The next snapshot, the caller's to destroy: fails the test when there is none. */
struct snapshot *publisher_fixture_make(void);

#endif
