/* publisher_fixture.c - see publisher_fixture.h. */
#include "publisher_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct ingest_fixture feed;
struct analyzer_config config;
struct publisher publisher;

int publisher_fixture_set_up(void **state)
{
	const struct ingest_config replay = { .is_replay = true };

	(void)state;
	feed_init(&feed, &replay, NULL);
	config = (struct analyzer_config){
		.ingest = feed.ingest.config, .host = "h", .target = "t", .notice = "",
		.query.keys = KEY_DSO | KEY_SYMBOL, .window = WINDOW_ALL, .window_ns = 3 * S,
	};
	publisher_init(&publisher, &config, &feed.ingest);
	publisher_start(&publisher, clock_now_ns());
	return 0;
}

int publisher_fixture_tear_down(void **state)
{
	(void)state;
	publisher_finish(&publisher);
	feed_finish(&feed);
	return 0;
}

void publisher_fixture_sample(uint64_t from, uint64_t to)
{
	for (uint64_t tenth = from; tenth < to; tenth++)
		feed_sample(&feed, tenth * S / 10, 1, 1, 0x1000);
	feed_round(&feed, to * S / 10);
}

struct snapshot *publisher_fixture_make(void)
{
	const struct diag why = { 0 };
	struct snapshot *snapshot = publisher_make(&publisher, false, &why);

	assert_non_null(snapshot);
	return snapshot;
}
