/* The running kernel's names, and when they are read again. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "ingest_fixture.h"
#include "unit_tests.h"

#define NO_CODE	       0xffff800000001000ull	/* in the kernel's half, without code */
#define REPLY_LIMIT_MS 60000			/* only reached when something hangs */

static struct ingest_fixture feed;
static struct sandbox *sandbox;
static struct dso_opener *opener;

static void take_replies(void)
{
	struct pollfd wait = { .fd = dso_opener_fd(opener), .events = POLLIN };

	while (feed.ingest.opening) {
		assert_int_equal(poll(&wait, 1, REPLY_LIMIT_MS), 1);
		tables_poll(&feed.ingest);
	}
}

static int set_up(void **state)
{
	const struct ingest_config config = { .is_replay = false };

	(void)state;
	if (sandbox_start(&sandbox, worker_run, NULL) ||
	    dso_opener_create(&opener, sandbox, NULL, NULL))
		return -1;
	feed_init(&feed, &config, NULL);
	feed.ingest.opener = opener;
	kernel_request_names(&feed.ingest);
	take_replies();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	feed_finish(&feed);
	dso_opener_destroy(opener);
	sandbox_stop(sandbox);
	return 0;
}

static const struct dso *kernel(void)
{
	return &feed.ingest.dsos.dsos[DSO_KERNEL];
}

static void sample(uint64_t ip)
{
	assert_int_not_equal(ingest_frame(&feed.ingest, NULL, MODE_KERNEL, ip), ID_SET_NONE);
}

static enum symbol_state fold(uint64_t ip)
{
	uint32_t frame = ingest_frame(&feed.ingest, NULL, MODE_KERNEL, ip);
	uint32_t symbol = symbol_names_of_frame(&feed.ingest.names, &feed.ingest.trie, frame);

	return feed.ingest.names.symbols[symbol].state;
}

static void test_code_without_a_name_has_the_names_read_again_and_then_seldom(void **state)
{
	const struct flat_header *before = kernel()->table.header;

	(void)state;
	if (kernel()->state != DSO_READY)
		skip();
	sample(NO_CODE);
	kernel_poll(&feed.ingest);
	assert_int_equal(feed.ingest.opening, 0);	/* no fold has looked for its name yet */
	assert_int_equal(fold(NO_CODE), SYMBOL_UNKNOWN);
	sample(NO_CODE);
	kernel_poll(&feed.ingest);
	assert_int_equal(feed.ingest.opening, 1);
	assert_int_equal(kernel()->state, DSO_READY);		/* the names in use stay */
	take_replies();
	assert_ptr_not_equal(kernel()->table.header, before);
	assert_int_equal(fold(NO_CODE), SYMBOL_UNKNOWN);
	sample(NO_CODE);
	feed.ingest.kernel->due_ns = UINT64_MAX;
	kernel_poll(&feed.ingest);
	assert_int_equal(feed.ingest.opening, 0);	/* not before its time */
	feed.ingest.kernel->due_ns = 0;
	before = kernel()->table.header;
	kernel_poll(&feed.ingest);
	take_replies();
	assert_ptr_not_equal(kernel()->table.header, before);
	assert_int_equal(feed.ingest.kernel->wait_ns, 4000000000);
}

static void test_code_with_a_name_is_no_reason(void **state)
{
	uint64_t named;

	(void)state;
	if (kernel()->state != DSO_READY)
		skip();
	named = kernel()->table.rows[1000].start;
	sample(named);
	assert_int_equal(fold(named), SYMBOL_NAMED);
	sample(named);
	kernel_poll(&feed.ingest);
	assert_int_equal(feed.ingest.opening, 0);
}

UNIT_TESTS(test_ingest_kernel)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_code_without_a_name_has_the_names_read_again_and_then_seldom),
		TEST(test_code_with_a_name_is_no_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
