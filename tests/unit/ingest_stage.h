/* ingest_stage.h - an ingest with one event, and the kernel's records written for it. Times are ns;
 * 0: the record says none. */
#ifndef INGEST_STAGE_H
#define INGEST_STAGE_H

#include <linux/perf_event.h>

#include "ingest/ingest.h"
#include "record_bytes.h"

/* Records that lie in a row, as they come out of a ring at once. */
struct stage_queue {
	struct queue_item item;
	uint64_t words[1024];
	size_t count;
};

struct ingest_stage {
	struct ingest ingest;
	struct event_desc event;
	struct event_desc copies;	/* its samples bring bp, sp, ip and a copy of the stack */
	const struct event_desc *events[2];
	uint64_t period;	/* of the next samples; 1 after the init */
	uint32_t cpu;		/* of the next records */
	struct stage_queue *queue;	/* borrowed; NULL: each record is pushed alone */
	struct process_reader *reader;	/* owned; NULL: stage_init() got another or none */
};

/* @config: events are filled in, `copies` where it says that there are two. */
void stage_init(struct ingest_stage *stage, const struct ingest_config *config,
		struct process_reader *reader);
/* With a reader of its own. */
void stage_init_with_reader(struct ingest_stage *stage, const struct ingest_config *config);
void stage_finish(struct ingest_stage *stage);
/* Takes the answers of the reader, as the analyzer does, until no sample waits for one, however
 * slow the machine is. */
void stage_wait_for_answers(struct ingest_stage *stage);

/* cmocka's, whose @state is the stage: of a recording, of a machine. */
int stage_set_up_replay(void **state);
int stage_set_up_live(void **state);
int stage_tear_down(void **state);
#define STAGE_TEST(name, set_up) \
	cmocka_unit_test_prestate_setup_teardown(name, set_up, stage_tear_down, &stage)

void stage_sample(struct ingest_stage *stage, uint64_t time_ns, uint32_t pid, uint32_t tid,
		  uint64_t ip);
void stage_sample_at(struct ingest_stage *stage, uint64_t time_ns, uint32_t pid, uint32_t tid,
		     uint16_t misc, uint64_t ip, const uint64_t *chain, uint64_t chain_count);
/* One of `copies`. @words: the stack from @sp on. */
void stage_sample_copy(struct ingest_stage *stage, uint64_t time_ns, uint32_t pid, uint64_t ip,
		       uint64_t sp, const uint64_t *words, uint64_t word_count);
void stage_mmap(struct ingest_stage *stage, uint64_t time_ns, uint32_t pid, uint64_t start,
		uint64_t bytes, uint64_t file_offset, const char *path);
/* The same for memory that is not executable. */
void stage_mmap_data(struct ingest_stage *stage, uint64_t time_ns, uint32_t pid, uint64_t start,
		     uint64_t bytes, const char *path);
/* perf record's description of where the kernel or a module is. */
void stage_kernel(struct ingest_stage *stage, uint64_t start, uint64_t bytes, const char *path);
void stage_comm(struct ingest_stage *stage, uint64_t time_ns, uint32_t pid, uint32_t tid,
		const char *comm, bool is_exec);
void stage_fork(struct ingest_stage *stage, uint64_t time_ns, uint32_t parent_pid,
		uint32_t parent_tid, uint32_t pid, uint32_t tid);
void stage_exit(struct ingest_stage *stage, uint64_t time_ns, uint32_t pid, uint32_t tid);
void stage_ksymbol(struct ingest_stage *stage, uint64_t time_ns, uint64_t start, uint32_t bytes,
		   bool is_unregister, const char *name);
void stage_lost(struct ingest_stage *stage, uint64_t time_ns, uint32_t cpu, uint64_t count);
void stage_lost_samples(struct ingest_stage *stage, uint64_t time_ns, uint32_t cpu, uint64_t count);
void stage_throttle(struct ingest_stage *stage, uint64_t time_ns, uint32_t cpu, bool begins);
/* Any other record, which is closed here. */
void stage_push(struct ingest_stage *stage, struct record_bytes *record);
/* Pushes all that is in the queue, as of the ring of @cpu. Returns how many records that were. */
int stage_push_queue(struct ingest_stage *stage, uint32_t cpu);
void stage_round(struct ingest_stage *stage, uint64_t limit_ns);

/* Samples counted so far whose leaf is this address of this object, for this comm and pid. */
uint64_t stage_counted(struct ingest_stage *stage, const char *comm, uint32_t pid,
		       const char *path, uint64_t address);
uint64_t stage_samples(struct ingest_stage *stage);	/* all that were counted */
const char *stage_path(const struct ingest_stage *stage, uint32_t frame);
/* The object with this path: fails the test when there is none. */
struct object *stage_object(struct ingest_stage *stage, const char *path);
/* The short name of the object with this path; NULL: there is none. */
const char *stage_name_of(const struct ingest_stage *stage, const char *path);

#endif
