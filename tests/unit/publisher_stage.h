/* publisher_stage.h - a publisher of a recording with one event, and samples for its pictures.
 * Thread: one stage at a time. */
#ifndef PUBLISHER_STAGE_H
#define PUBLISHER_STAGE_H

#include "analyzer/publisher.h"
#include "ingest_stage.h"

/* New in every test. The configuration is the publisher's, who looks at it for each picture. */
extern struct ingest_stage stage;
extern struct analyzer_config config;
extern struct publisher publisher;

#define S 1000000000ull

int publisher_stage_set_up(void **state);
int publisher_stage_tear_down(void **state);
#define PUBLISHER_TEST(test) \
	cmocka_unit_test_setup_teardown(test, publisher_stage_set_up, publisher_stage_tear_down)

/* One sample every 0.1 s, from @from to before @to, in tenths of a second. */
void publisher_stage_sample(uint64_t from, uint64_t to);
/* The next picture, the caller's to destroy: fails the test when there is none. */
struct snapshot *publisher_stage_make(void);

#endif
