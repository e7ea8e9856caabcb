/* ingest_fixture.c - see ingest_fixture.h. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ingest_fixture.h"

void feed_init(struct ingest_fixture *feed, const struct ingest_config *config,
	       struct process_reader *reader)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
		.freq = 1, .sample_id_all = 1,
	};
	struct ingest_config own = *config;
	struct diag why;

	memset(feed, 0, sizeof(*feed));
	record_format_init(&feed->event.format, &attr);
	attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr.sample_regs_user = COPY_REGISTERS;
	record_format_init(&feed->copies.format, &attr);
	feed->events[0] = &feed->event;
	feed->events[1] = &feed->copies;
	feed->period = 1;
	own.events = feed->events;
	own.event_count = config->event_count == 2 ? 2 : 1;
	assert_int_equal(ingest_init(&feed->ingest, &own, NULL, reader, &why), 0);
}

void feed_init_with_reader(struct ingest_fixture *feed, const struct ingest_config *config)
{
	struct process_reader *reader = NULL;
	struct diag why;

	assert_int_equal(process_reader_create(&reader, &why), 0);
	feed_init(feed, config, reader);
	feed->reader = reader;
}

void feed_finish(struct ingest_fixture *feed)
{
	ingest_finish(&feed->ingest);
	process_reader_destroy(feed->reader);
	feed->reader = NULL;
}

void feed_wait_for_replies(struct ingest_fixture *feed)
{
	struct pollfd fd = { .fd = process_reader_fd(feed->reader), .events = POLLIN };

	while (feed->ingest.pending_count) {
		for (uint32_t i = 0; i < feed->ingest.pending_count; i++)
			feed->ingest.pending->list[i].deadline_ns = UINT64_MAX;
		poll(&fd, 1, 10);
		ingest_poll(&feed->ingest, false);
	}
}

int feed_set_up_replay(void **state)
{
	const struct ingest_config config = { .is_replay = true };

	feed_init(*state, &config, NULL);
	return 0;
}

int feed_set_up_live(void **state)
{
	const struct ingest_config config = { .is_replay = false };

	feed_init(*state, &config, NULL);
	return 0;
}

int feed_tear_down(void **state)
{
	feed_finish(*state);
	return 0;
}

static void enqueue(struct feed_queue *queue, const struct record_bytes *record)
{
	assert_in_range(record->count, 1, COUNT_OF(queue->words) - queue->count);
	memcpy(queue->words + queue->count, record->words, record->count * 8);
	queue->count += record->count;
}

void feed_push(struct ingest_fixture *feed, struct record_bytes *record)
{
	record_close(record);
	if (feed->queue) {
		enqueue(feed->queue, record);
		return;
	}
	ingest_push(&feed->ingest, record->words, record->count * 8, 0, UINT32_MAX);
	assert_int_equal(feed->ingest.counters.malformed, 0);
}

int feed_push_queue(struct ingest_fixture *feed, uint32_t cpu)
{
	struct feed_queue *queue = feed->queue;
	const size_t bytes = offsetof(struct feed_queue, words) + queue->count * 8;

	queue->item = (struct queue_item){ .kind = QUEUE_RECORD, .cpu = cpu };
	queue->count = 0;
	return ingest_push_item(&feed->ingest, &queue->item, bytes);
}

/* What sample_id_all puts after every record. */
static void push_with_origin(struct ingest_fixture *feed, struct record_bytes *record,
			     uint64_t time_ns, uint32_t pid, uint32_t tid)
{
	const uint64_t origin[] = { PAIR(pid, tid), time_ns, PAIR(feed->cpu, 0) };

	record_add(record, origin, COUNT_OF(origin));
	feed_push(feed, record);
}

void feed_sample_at(struct ingest_fixture *feed, uint64_t time_ns, uint32_t pid, uint32_t tid,
		    uint16_t misc, uint64_t ip, const uint64_t *chain, uint64_t chain_count)
{
	const uint64_t fields[] = {
		ip, PAIR(pid, tid), time_ns, PAIR(feed->cpu, 0), feed->period, chain_count,
	};
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_SAMPLE, misc);
	record_add(&record, fields, COUNT_OF(fields));
	if (chain_count)
		record_add(&record, chain, chain_count);
	feed_push(feed, &record);
}

void feed_sample_copy(struct ingest_fixture *feed, uint64_t time_ns, uint32_t pid, uint64_t ip,
		      uint64_t sp, const uint64_t *words, uint64_t word_count)
{
	const uint64_t bytes = word_count * sizeof(*words);
	const uint64_t fields[] = {
		ip, PAIR(pid, pid), time_ns, PAIR(feed->cpu, 0), feed->period, 0,
		PERF_SAMPLE_REGS_ABI_64, 0, sp, ip, bytes,
	};
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	record_add(&record, fields, COUNT_OF(fields));
	record_add(&record, words, word_count);
	record_add(&record, &bytes, 1);
	record_close(&record);
	ingest_push(&feed->ingest, record.words, record.count * sizeof(*record.words), 1,
		    feed->cpu);
}

void feed_sample(struct ingest_fixture *feed, uint64_t time_ns, uint32_t pid, uint32_t tid,
		 uint64_t ip)
{
	feed_sample_at(feed, time_ns, pid, tid, PERF_RECORD_MISC_USER, ip, NULL, 0);
}

static void push_mmap(struct ingest_fixture *feed, uint16_t misc, uint64_t time_ns, uint32_t pid,
		      const uint64_t place[3], const char *path)
{
	const uint64_t process = PAIR(pid, pid);
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_MMAP, misc);
	record_add(&record, &process, 1);
	record_add(&record, place, 3);
	record_add_text(&record, path);
	push_with_origin(feed, &record, time_ns, pid, pid);
}

void feed_mmap(struct ingest_fixture *feed, uint64_t time_ns, uint32_t pid, uint64_t start,
	       uint64_t bytes, uint64_t file_offset, const char *path)
{
	push_mmap(feed, PERF_RECORD_MISC_USER, time_ns, pid,
		  (const uint64_t[]){ start, bytes, file_offset }, path);
}

void feed_mmap_data(struct ingest_fixture *feed, uint64_t time_ns, uint32_t pid, uint64_t start,
		    uint64_t bytes, const char *path)
{
	push_mmap(feed, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA, time_ns, pid,
		  (const uint64_t[]){ start, bytes, 0 }, path);
}

void feed_kernel(struct ingest_fixture *feed, uint64_t start, uint64_t bytes, const char *path)
{
	push_mmap(feed, PERF_RECORD_MISC_KERNEL, 0, UINT32_MAX,
		  (const uint64_t[]){ start, bytes, start }, path);
}

void feed_comm(struct ingest_fixture *feed, uint64_t time_ns, uint32_t pid, uint32_t tid,
	       const char *comm, bool is_exec)
{
	const uint64_t task = PAIR(pid, tid);
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_COMM, is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	record_add(&record, &task, 1);
	record_add_text(&record, comm);
	push_with_origin(feed, &record, time_ns, pid, tid);
}

static void push_task(struct ingest_fixture *feed, uint32_t type, uint64_t time_ns,
		      uint64_t processes, uint64_t threads)
{
	const uint64_t fields[] = { processes, threads, time_ns };
	struct record_bytes record;

	record_begin(&record, type, 0);
	record_add(&record, fields, COUNT_OF(fields));
	push_with_origin(feed, &record, time_ns, (uint32_t)processes, (uint32_t)threads);
}

void feed_fork(struct ingest_fixture *feed, uint64_t time_ns, uint32_t parent_pid,
	       uint32_t parent_tid, uint32_t pid, uint32_t tid)
{
	push_task(feed, PERF_RECORD_FORK, time_ns, PAIR(pid, parent_pid), PAIR(tid, parent_tid));
}

void feed_exit(struct ingest_fixture *feed, uint64_t time_ns, uint32_t pid, uint32_t tid)
{
	push_task(feed, PERF_RECORD_EXIT, time_ns, PAIR(pid, pid), PAIR(tid, tid));
}

void feed_ksymbol(struct ingest_fixture *feed, uint64_t time_ns, uint64_t start, uint32_t bytes,
		  bool is_unregister, const char *name)
{
	const uint32_t type_and_flags = PERF_RECORD_KSYMBOL_TYPE_BPF |
					(is_unregister ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER << 16
						       : 0);
	const uint64_t fields[] = { start, PAIR(bytes, type_and_flags) };
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_KSYMBOL, 0);
	record_add(&record, fields, COUNT_OF(fields));
	record_add_text(&record, name);
	push_with_origin(feed, &record, time_ns, 1, 1);
}

void feed_lost(struct ingest_fixture *feed, uint64_t time_ns, uint32_t cpu, uint64_t count)
{
	const uint64_t fields[] = { 0, count };
	struct record_bytes record;

	feed->cpu = cpu;
	record_begin(&record, PERF_RECORD_LOST, 0);
	record_add(&record, fields, COUNT_OF(fields));
	push_with_origin(feed, &record, time_ns, 0, 0);
}

void feed_lost_samples(struct ingest_fixture *feed, uint64_t time_ns, uint32_t cpu, uint64_t count)
{
	struct record_bytes record;

	feed->cpu = cpu;
	record_begin(&record, PERF_RECORD_LOST_SAMPLES, 0);
	record_add(&record, &count, 1);
	push_with_origin(feed, &record, time_ns, 0, 0);
}

void feed_throttle(struct ingest_fixture *feed, uint64_t time_ns, uint32_t cpu, bool begins)
{
	const uint64_t fields[] = { time_ns, 0, 0 };
	struct record_bytes record;

	feed->cpu = cpu;
	record_begin(&record, begins ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE, 0);
	record_add(&record, fields, COUNT_OF(fields));
	push_with_origin(feed, &record, time_ns, 0, 0);
}

void feed_round(struct ingest_fixture *feed, uint64_t limit_ns)
{
	const struct queue_round_end mark = { .limit_ns = limit_ns };

	ingest_round_end(&feed->ingest, &mark);
}

const char *feed_path(const struct ingest_fixture *feed, uint32_t frame)
{
	const uint32_t dso = feed->ingest.trie.frames.dso[frame];

	return strpool_get(feed->ingest.strings, feed->ingest.dsos.dsos[dso].path);
}

const char *feed_name_of(const struct ingest_fixture *feed, const char *path)
{
	const struct dso_table *dsos = &feed->ingest.dsos;

	for (uint32_t i = 0; i < dsos->count; i++)
		if (!strcmp(strpool_get(feed->ingest.strings, dsos->dsos[i].path), path))
			return strpool_get(feed->ingest.strings, dsos->dsos[i].name);
	return NULL;
}

static bool is_of(const struct ingest_fixture *feed, const struct slice_entry *entry,
		  const char *comm, uint32_t pid)
{
	const struct task *task = &feed->ingest.tasks.tasks[entry->task];

	return task->pid == pid && !strcmp(strpool_get(feed->ingest.strings, task->comm), comm);
}

static bool is_at(const struct ingest_fixture *feed, const struct slice_entry *entry,
		  const char *path, uint64_t address)
{
	const struct stack_trie *trie = &feed->ingest.trie;
	const uint32_t leaf = trie->stacks.frame[entry->stack];

	return trie->frames.address[leaf] == address && !strcmp(feed_path(feed, leaf), path);
}

uint64_t feed_counted(struct ingest_fixture *feed, const char *comm, uint32_t pid,
		      const char *path, uint64_t address)
{
	struct timeline *timeline = &feed->ingest.timeline;
	uint64_t count = 0;

	assert_int_equal(timeline_cut(timeline, feed->ingest.watermark_ns), 0);
	for (uint32_t s = 0; s < timeline->count; s++) {
		const struct slice *slice = &timeline->slices[s];

		for (uint32_t i = 0; i < slice->count; i++)
			if (slice_entry_is_sample(&slice->entries[i]) &&
			    is_of(feed, &slice->entries[i], comm, pid) &&
			    is_at(feed, &slice->entries[i], path, address))
				count += slice->entries[i].count;
	}
	return count;
}

uint64_t feed_samples(struct ingest_fixture *feed)
{
	struct timeline *timeline = &feed->ingest.timeline;
	uint64_t samples = timeline->open_slice.samples;

	for (uint32_t s = 0; s < timeline->count; s++)
		samples += timeline->slices[s].samples;
	return samples;
}

struct dso *feed_dso(struct ingest_fixture *feed, const char *path)
{
	struct dso_table *dsos = &feed->ingest.dsos;

	for (uint32_t i = 0; i < dsos->count; i++)
		if (!strcmp(strpool_get(feed->ingest.strings, dsos->dsos[i].path), path))
			return &dsos->dsos[i];
	fail_msg("no DSO %s", path);
	return NULL;
}
