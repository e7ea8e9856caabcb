/* stacks.h - the stack of a sample: registers, copy and the kernel's chain -> leaf and node.
 * Thread: the analyzer's. */
#ifndef INGEST_STACKS_H
#define INGEST_STACKS_H

#include "ingest/ingest.h"
#include "stack_cache.h"
#include "tasks.h"
#include "unwind/walk.h"

/* How a record is read, and what it is counted as. */
struct sample_form {
	struct record_format format;
	uint32_t copy_bytes;	/* size limit of the user stack copy if it is adaptable; else 0 */
	uint16_t event;		/* see struct slice_entry */
	uint8_t bucket;		/* see struct slice_entry */
	bool is_hit;		/* probe hit: the target filter does not apply */
	bool is_wait;		/* part of a wait: its weight is `weight` */
	bool is_interrupt;	/* hit that came in an interrupt: counted although its task is
				 * flametop's own */
	uint64_t time_ns;	/* time it is counted at; of a call with latency, its return */
	uint64_t weight;	/* is_wait: ns */
	uint64_t leaf_ip;	/* address it is counted at; of a return, the function, not its
				 * caller; 0: sample.ip */
	bool is_joined;		/* hit whose record has all its values: joined_hit.h */
	bool is_entered;	/* `leaf_ip` is in the program, which entered the kernel there */
	uint64_t number;	/* line in the probe's log that waits for the stack; 0: none */
	struct hit_sums *sums;	/* sums that the hit adds to its group; NULL: none */
	struct event_line *line;	/* the hit as it will be printed, until it is counted;
					 * NULL: it is not printed */
};

/* What a worker needs to find the callers of a stack that unwind rows can't unwind, and what it
 * found. */
struct sample_callers {
	bool was_wanted;	/* `code` is filled in: a worker was, or is to be, requested */
	struct mapping code[SLOW_MAPPINGS_MAX];	/* mappings whose files the worker needs */
	uint32_t code_count;
	struct remote_frame *frames;	/* owned; leaf first; NULL: not known, or not yet */
	size_t frame_count;
};

/* What a sample can wait for if its stack needs it. */
struct stack_patience {
	bool for_tables;	/* a table that is on its way */
	bool for_unread;	/* a process's file of names, which may not exist */
	bool for_callers;	/* a worker's reply */
};

/* The task that a sample belongs to, and what else its stack depends on. */
struct sample_origin {
	struct thread *thread;
	struct process_maps *maps;	/* NULL: none known */
	enum attribution attribution;
	struct sample_callers *callers;
	const struct probe_calls *calls;	/* NULL: the calls pending now */
	const struct sample_form *form;
	const void *raw;	/* the bytes of its record; NULL: not needed */
};

/* The addresses of a sample, before frames are looked up for them. */
struct sample_chain {
	uint64_t leaf_ip;
	enum cpu_mode leaf_mode;
	const uint64_t *words;	/* borrowed; its callers, leaf first, with the kernel's markers */
	uint32_t count;
	uint32_t walked;	/* words from this index on are all user addresses; count: none */
	enum cpu_mode mode;	/* mode of the first word */
};

/* A sample's stack, as far as it is known. */
struct sample_stack {
	uint32_t leaf, node;		/* ID_SET_NONE: out of memory */
	uint32_t id;			/* stack id of (leaf, node), once counted */
	struct stack_counts counts;	/* this sample's contribution */
	struct sample_chain chain;	/* its addresses; valid until the next sample's stack is
					 * found */
};

#define STACKS_KERNEL_CHAIN_MAX 127	/* default of kernel.perf_event_max_stack */

struct stacks {
	struct walker walker;
	struct stack_cache cache;
	uint64_t changes, kernel_shift;	/* values that `cache` is valid for */
	uint64_t last_number;	/* newest space number */
	uint64_t last_tables;	/* last_number when tables_epoch changed: map numbers up to it are
				 * stale */
	uint64_t tables_epoch;	/* ingest->tables_epoch that last_tables is valid for */
	uint64_t *walked;	/* owned: user addresses of the current sample */
	uint64_t *words;	/* owned: chain of the current sample, if it was walked */
	uint32_t *callers;	/* owned: frames of the current sample's callers */
};

struct stacks *stacks_create(void);	/* NULL: out of memory */
void stacks_destroy(struct stacks *stacks);	/* NULL is fine */
/* The thread of @record has exited or called exec. */
void stacks_thread_gone(struct ingest *ingest, const struct event_record *record);
/* Finds the stack of @record. False, only with @patience: nothing was done, it needs a table that
 * has not arrived, or callers (origin->callers->was_wanted is set then). */
bool stacks_find(struct ingest *ingest, const struct event_record *record,
		 const struct sample_origin *origin, struct stack_patience patience,
		 struct sample_stack *out);
/* Fills in @out with the kernel's chain of @record without the leaf, @out->leaf_ip. */
void stacks_take_chain(const struct event_record *record, struct sample_chain *out);

#endif
