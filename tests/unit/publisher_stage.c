/* publisher_stage.c - see publisher_stage.h. */
#include "publisher_stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct ingest_stage stage;
struct analyzer_config config;
struct publisher publisher;

int publisher_stage_set_up(void **state)
{
	const struct ingest_config replay = { .is_replay = true };

	(void)state;
	stage_init(&stage, &replay, NULL);
	config = (struct analyzer_config){
		.ingest = stage.ingest.config, .host = "h", .target = "t", .notice = "",
		.query.keys = KEY_OBJECT | KEY_SYMBOL, .window = WINDOW_ALL, .window_ns = 3 * S,
	};
	publisher_init(&publisher, &config, &stage.ingest);
	publisher_start(&publisher, clock_now_ns());
	return 0;
}

int publisher_stage_tear_down(void **state)
{
	(void)state;
	publisher_finish(&publisher);
	stage_finish(&stage);
	return 0;
}

void publisher_stage_sample(uint64_t from, uint64_t to)
{
	for (uint64_t tenth = from; tenth < to; tenth++)
		stage_sample(&stage, tenth * S / 10, 1, 1, 0x1000);
	stage_round(&stage, to * S / 10);
}

struct snapshot *publisher_stage_make(void)
{
	const struct diag why = { 0 };
	struct snapshot *snapshot = publisher_make(&publisher, false, &why);

	assert_non_null(snapshot);
	return snapshot;
}
