/* capture_session.c - see capture_session.h. */
#include "capture_session.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "capture/event.h"
#include "capture/event_set.h"
#include "capture/record.h"

bool may_sample_everything(void)
{
	return geteuid() == 0 || event_sysctl("paranoid", 2) < 0;
}

int capture_session_open(struct capture_session *session, struct capture_config *config,
			 struct diag *why)
{
	memset(session, 0, sizeof(*session));
	assert_int_equal(spsc_init(&session->queue, SAMPLER_QUEUE_MIN_BYTES), 0);
	return capture_open(&session->capture, config, why);
}

void capture_session_close(struct capture_session *session)
{
	capture_destroy(session->capture);
	spsc_finish(&session->queue);
}

static void take_record(struct capture_session *session, uint16_t event,
			const struct perf_event_header *header)
{
	const struct event_desc *desc = capture_event(session->capture, event);
	struct event_record record;

	assert_int_equal(record_parse(&desc->format, header, header->size, &record), 0);
	if (record.kind != RECORD_SAMPLE)
		return;
	assert_false(desc->is_sideband);
	assert_true(record.has_time && record.has_pid && record.has_cpu);
	assert_true(record.time_ns <= clock_now_ns());
	if (record.pid == session->watched)
		session->of_watched++;
	else if (record.pid == 0)
		session->of_idle++;
	else
		session->of_others++;
}

void capture_session_drain(struct capture_session *session)
{
	const struct queue_item *item;
	const struct perf_event_header *record;
	size_t bytes, offset;

	while ((item = spsc_peek(&session->queue, &bytes)) != NULL) {
		assert_false(session->has_end);
		offset = 0;
		while (item->kind == QUEUE_RECORD &&
		       (record = queue_next_record(item, bytes, &offset)))
			take_record(session, item->event, record);
		if (item->kind == QUEUE_SOURCE)		/* other descriptors, other counts */
			memset(session->lost_by_cpu, 0, sizeof(session->lost_by_cpu));
		if (item->kind == QUEUE_LOST && item->event == 0) {
			const struct queue_lost *lost = (const void *)(item + 1);

			assert_in_range(item->cpu, 0, 63);
			session->lost += lost->lost_total - session->lost_by_cpu[item->cpu];
			session->lost_by_cpu[item->cpu] = lost->lost_total;
		}
		if (item->kind == QUEUE_COUNTED && item->event == 0)
			session->counted = *(const struct queue_counted *)(const void *)(item + 1);
		session->has_end |= item->kind == QUEUE_END;
		spsc_release(&session->queue);
	}
}

bool capture_session_run(struct capture_session *session, uint64_t enough)
{
	const uint64_t give_up_ns = clock_now_ns() + HANG_NS;
	struct pollfd wake = { .fd = capture_queue_fd(session->capture), .events = POLLIN };

	while (session->of_watched < enough && !session->has_end) {
		uint64_t count;

		if (clock_now_ns() > give_up_ns || poll(&wake, 1, 1000) < 0)
			return false;
		if ((wake.revents & POLLIN) && read(wake.fd, &count, sizeof(count)) < 0)
			return false;
		capture_session_drain(session);
	}
	return true;
}

struct capture_config capture_process_config(pid_t pid)
{
	struct capture_config config = { 0 };
	char list[16];

	snprintf(list, sizeof(list), "%d", (int)pid);
	assert_int_equal(target_set_processes(&config.target, list, NULL), 0);
	return config;
}
