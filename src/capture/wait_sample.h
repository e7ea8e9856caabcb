/* wait_sample.h - writes records of waits that no BPF program has written, as the kernel writes
 * those of the event off-cpu: PERF_RECORD_SAMPLE with struct wait_record.
 *
 * Source: perf_event_open(2), PERF_RECORD_SAMPLE.
 * Thread: the queue's producer.
 */
#ifndef CAPTURE_WAIT_SAMPLE_H
#define CAPTURE_WAIT_SAMPLE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/thread.h"
#include "bpf/wait_record.h"
#include "capture/record.h"

/* How the records of an event are written. */
struct wait_sample_form {
	struct record_format format;
	uint32_t copy_bytes;	/* at most so much of a stack is in a record; 0: none is */
	bool walks_frames;	/* records have user code in their call chains: what frame pointers
				 * lead to in the stack that was read */
	uint32_t read_bytes;	/* so much of a stack is needed for that */
};

struct wait_sample {
	uint32_t pid, tid;
	uint32_t cpu;			/* UINT32_MAX: unknown */
	uint64_t time_ns;
	struct wait_record wait;
	const uint64_t *kernel;		/* BORROWED; innermost first, 0 at the end or
					 * TASK_KERNEL_FRAMES of them; NULL: unknown */
	/* BORROWED; all user registers, by DWARF number; NULL: unknown but for ip and sp, and where
	 * these are 0 nothing is known of the user code. */
	const uint64_t *registers;
	uint64_t ip, sp;
	const unsigned char *stack;	/* BORROWED; from sp upwards */
	size_t stack_bytes;		/* so much of it was read */
	bool is_in_kernel;		/* it is the kernel's code, of which nothing is known */
	size_t needed_bytes;		/* so much of it is written, but for what is more than the
					 * event copies */
};

void wait_sample_form_init(struct wait_sample_form *form, const struct perf_event_attr *attr);
/* Returns the most bytes of a record. */
size_t wait_sample_max_bytes(const struct wait_sample_form *form);
/* Appends the record to the queue as one payload. False: there is no room. */
bool wait_sample_queue(const struct wait_sample_form *form, const struct wait_sample *sample,
		       struct spsc *queue);

#endif
