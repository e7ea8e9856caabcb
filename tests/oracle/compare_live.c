/* compare_live OPTION... - flametop without its screen: lines on standard input do what
 * the keys of a comparison do. Each line is answered:
 *
 *   mark   the last window that began after the line becomes the baseline    -> "marked"
 *   show   the first such window, compared with it                           -> a line of JSON
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/session.h"
#include "export/print.h"

static struct session session;
static struct options options;

static void fail(const char *what)
{
	fprintf(stderr, "compare_live: %s\n", what);
	session_finish(&session, NULL);
	exit(1);
}

static void ask(const struct request *request)
{
	if (!analyzer_request(session.analyzer, request))
		fail("the analyzer takes no request");
}

/* A whole window of time that is later than now. */
static struct snapshot *wait_for_window(bool is_compared)
{
	const uint64_t since_ns = clock_now_ns();

	for (;;) {
		struct pollfd waiting = { .fd = analyzer_fd(session.analyzer), .events = POLLIN };
		struct snapshot *snapshot;

		if (poll(&waiting, 1, 60 * 1000) != 1)
			fail("no snapshot came for a minute");
		snapshot = analyzer_take_snapshot(session.analyzer);
		if (snapshot && snapshot->is_compared == is_compared &&
		    snapshot->time_ns > since_ns + options.window_ns &&
		    snapshot->begin_ns > since_ns)
			return snapshot;
		snapshot_destroy(snapshot);
	}
}

static void mark(void)
{
	struct snapshot *snapshot = wait_for_window(false);
	struct request request = { .kind = REQUEST_BASELINE, .begin_ns = snapshot->begin_ns,
				   .value_ns = snapshot->time_ns };

	ask(&request);
	request = (struct request){
		.kind = REQUEST_QUERY,
		.query = { .number = 1, .keys = options.keys, .compare = true },
	};
	ask(&request);
	snapshot_destroy(snapshot);
	puts("marked");
}

static void show(void)
{
	const struct export_options export_options = { .max_rows = SIZE_MAX };
	struct snapshot *snapshot = wait_for_window(true);

	json_write(stdout, snapshot, &export_options);
	snapshot_destroy(snapshot);
}

int main(int argc, char **argv)
{
	struct diag why = { 0 };
	char line[16];

	if (options_parse(&options, argc, argv, &why))
		fail(why.text);
	session_block_signals();
	if (session_start(&session, &options, false, &why))
		fail(why.text);
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "mark\n"))
			mark();
		else
			show();
		fflush(stdout);
	}
	session_finish(&session, NULL);
	options_finish(&options);
	return 0;
}
