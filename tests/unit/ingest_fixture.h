/* ingest_fixture.h - an ingest with one event, and the kernel's records written for it. Times are
 * in ns; 0: the record says none. */
#ifndef INGEST_FIXTURE_H
#define INGEST_FIXTURE_H

#include <linux/perf_event.h>

#include "ingest/ingest.h"
#include "ingest/intake.h"
#include "ingest/jit.h"
#include "ingest/kernel.h"
#include "ingest/losses.h"
#include "ingest/mappings.h"
#include "ingest/pending.h"
#include "ingest/probe_records.h"
#include "ingest/reorder.h"
#include "ingest/requests.h"
#include "ingest/samples.h"
#include "ingest/tables.h"
#include "ingest/tasks.h"
#include "record_bytes.h"

/* Records that lie in a row, as they come out of a ring at once. */
struct feed_queue {
	struct queue_item item;
	uint64_t words[1024];
	size_t count;
};

struct ingest_fixture {
	struct ingest ingest;
	struct event_desc event;
	struct event_desc copies;	/* its samples bring bp, sp, ip and a copy of the stack */
	const struct event_desc *events[2];
	uint64_t period;	/* the next samples'; 1 after the init */
	uint32_t cpu;		/* the next records' */
	struct feed_queue *queue;	/* borrowed; NULL: each record is pushed alone */
	struct process_reader *reader;	/* owned; NULL: feed_init() got another or none */
};

/* @config: events are filled in, `copies` where it says that there are two. */
void feed_init(struct ingest_fixture *feed, const struct ingest_config *config,
	       struct process_reader *reader);
/* With a reader of its own. */
void feed_init_with_reader(struct ingest_fixture *feed, const struct ingest_config *config);
void feed_finish(struct ingest_fixture *feed);
/* Takes the replies of the reader, as the analyzer does, until no sample waits for one, however
 * slow the machine is. */
void feed_wait_for_replies(struct ingest_fixture *feed);

/* cmocka's, whose @state is the fixture: a recording or a machine. */
int feed_set_up_replay(void **state);
int feed_set_up_live(void **state);
int feed_tear_down(void **state);
#define FEED_TEST(name, set_up) \
	cmocka_unit_test_prestate_setup_teardown(name, set_up, feed_tear_down, &feed)

void feed_sample(struct ingest_fixture *feed, uint64_t time_ns, uint32_t pid, uint32_t tid,
		 uint64_t ip);
void feed_sample_at(struct ingest_fixture *feed, uint64_t time_ns, uint32_t pid, uint32_t tid,
		    uint16_t misc, uint64_t ip, const uint64_t *chain, uint64_t chain_count);
/* One of `copies`. @words: the stack from @sp on. */
void feed_sample_copy(struct ingest_fixture *feed, uint64_t time_ns, uint32_t pid, uint64_t ip,
		      uint64_t sp, const uint64_t *words, uint64_t word_count);
void feed_mmap(struct ingest_fixture *feed, uint64_t time_ns, uint32_t pid, uint64_t start,
	       uint64_t bytes, uint64_t file_offset, const char *path);
/* The same for memory that is not executable. */
void feed_mmap_data(struct ingest_fixture *feed, uint64_t time_ns, uint32_t pid, uint64_t start,
		    uint64_t bytes, const char *path);
/* perf record's description of where the kernel or a module is. */
void feed_kernel(struct ingest_fixture *feed, uint64_t start, uint64_t bytes, const char *path);
void feed_comm(struct ingest_fixture *feed, uint64_t time_ns, uint32_t pid, uint32_t tid,
	       const char *comm, bool is_exec);
void feed_fork(struct ingest_fixture *feed, uint64_t time_ns, uint32_t parent_pid,
	       uint32_t parent_tid, uint32_t pid, uint32_t tid);
void feed_exit(struct ingest_fixture *feed, uint64_t time_ns, uint32_t pid, uint32_t tid);
void feed_ksymbol(struct ingest_fixture *feed, uint64_t time_ns, uint64_t start, uint32_t bytes,
		  bool is_unregister, const char *name);
void feed_lost(struct ingest_fixture *feed, uint64_t time_ns, uint32_t cpu, uint64_t count);
void feed_lost_samples(struct ingest_fixture *feed, uint64_t time_ns, uint32_t cpu, uint64_t count);
void feed_throttle(struct ingest_fixture *feed, uint64_t time_ns, uint32_t cpu, bool begins);
/* Any other record, which is closed here. */
void feed_push(struct ingest_fixture *feed, struct record_bytes *record);
/* Pushes all that is in the queue, as of the ring of @cpu. Returns how many records that were. */
int feed_push_queue(struct ingest_fixture *feed, uint32_t cpu);
void feed_round(struct ingest_fixture *feed, uint64_t limit_ns);

/* Samples counted so far whose leaf is this address of this DSO, for this comm and pid. */
uint64_t feed_counted(struct ingest_fixture *feed, const char *comm, uint32_t pid,
		      const char *path, uint64_t address);
uint64_t feed_samples(struct ingest_fixture *feed);	/* all that were counted */
const char *feed_path(const struct ingest_fixture *feed, uint32_t frame);
/* The DSO with this path: fails the test when there is none. */
struct dso *feed_dso(struct ingest_fixture *feed, const char *path);
/* The short name of the DSO with this path; NULL: there is none. */
const char *feed_name_of(const struct ingest_fixture *feed, const char *path);

#endif
