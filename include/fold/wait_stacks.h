/* wait_stacks.h - the row of a wait is who waits: stacks of waits without the frames that are only
 * the way in which they wait.
 *
 *   raw    __schedule < schedule < futex_do_wait < ... < __lll_lock_wait < take < main
 *          '----------- the kind of the wait: futex -------------------'
 *   cut    take < main
 *
 * The kind follows from names of kernel functions. The leaf of a cut stack is the first user
 * function that is neither the C library's nor of such a layer of a runtime (Go's, HotSpot's); of a
 * kernel thread, the first function above those of the scheduler and of what it waits in.
 *
 * Use:    wait_stacks_prepare() before folds of a window begin, as it adds stacks to the trie; the
 *         others while they last. Folds of other events have NULL for it.
 * Cost:   each stack is classified once, until names of frames change.
 * Thread: the analyzer's.
 */
#ifndef FOLD_WAIT_STACKS_H
#define FOLD_WAIT_STACKS_H

#include "ingest/symbol_names.h"
#include "ingest/waits.h"
#include "timeline/timeline.h"

enum wait_kind {
	WAIT_KIND_UNKNOWN,	/* no kernel function is known */
	WAIT_KIND_FUTEX, WAIT_KIND_SOCKET, WAIT_KIND_PIPE, WAIT_KIND_DISK, WAIT_KIND_TIMER,
	WAIT_KIND_PAGE_FAULT, WAIT_KIND_POLL, WAIT_KIND_LOCK, WAIT_KIND_OTHER,
	WAIT_KIND_ON_CPU,	/* a sample of wall: it does not wait */
	WAIT_KIND_RUN_QUEUE,	/* the last to be named: nearly all waits end with it */
	WAIT_KINDS
};

const char *wait_kind_name(enum wait_kind kind);	/* "futex", "page fault", ... */

/* What a kernel function means for a wait in it. */
enum wait_frame {
	WAIT_FRAME_CODE,	/* it is code that waits */
	WAIT_FRAME_SCHEDULER,	/* part of any wait */
	WAIT_FRAME_PRIMITIVE,	/* part of waits of a kind */
	WAIT_FRAME_MARK,	/* code that says the kind, if nothing below it does */
};

/* Classifies the kernel function @name; sets @kind unless it is code or the scheduler's. */
enum wait_frame wait_frame_classify(const char *name, enum wait_kind *kind);

/* What kernel functions say of a wait, the innermost one first. */
struct wait_reason {
	enum wait_kind kind, mark;	/* unknown: no primitive, or no mark, was among them */
	bool is_any;			/* there were functions */
};

/* Adds the next outer function, classified as @frame of @kind. */
void wait_reason_add(struct wait_reason *reason, enum wait_frame frame, enum wait_kind kind);
enum wait_kind wait_reason_kind(const struct wait_reason *reason);
/* Whether functions of the DSO with the base name @dso are the C library's; those called @name are
 * its wrappers of system calls in any program. */
bool wait_dso_is_libc(const char *dso);
bool wait_name_is_wrapper(const char *name);
/* Returns what such a wrapper waits for, where no function of the kernel says it; of read and
 * write, which wait for anything, WAIT_KIND_UNKNOWN. */
enum wait_kind wait_kind_of_wrapper(const char *name);
/* Whether the threads of a runtime or server wait in @name, as the file has it, whatever they wait
 * for. @dso: the base name of its DSO. */
bool wait_name_is_primitive(const char *dso, const char *name);

struct wait_stacks {
	struct stack_trie *trie;	/* borrowed, like the next two */
	struct symbol_names *names;
	const struct waits *waits;
	uint32_t event;			/* the event that was prepared */
	bool is_raw;			/* stacks are not cut, but for what records the wait */
	bool is_wall;			/* entries with the bucket 0 are of tasks on a CPU */
	uint32_t *cut;		/* owned; by stack: the stack it is shown as; ID_SET_NONE: not
				 * known */
	uint8_t *kind;		/* owned; enum wait_kind, and a bit for kernel threads */
	uint8_t *classes;	/* owned; by kernel symbol: enum wait_frame and kind; 0: not known
				 */
	uint32_t stack_count, class_count;	/* lengths of the arrays */
	uint64_t compactions;		/* the trie's when the arrays were made */
	uint32_t forgotten;
};

#define WAIT_KERNEL_THREAD 0x80	/* in wait_stacks.kind: no user code waits */

void wait_stacks_init(struct wait_stacks *waits, struct stack_trie *trie,
		      struct symbol_names *names, const struct waits *of);
void wait_stacks_finish(struct wait_stacks *waits);
/* Begins to prepare for @event. @is_wall: see struct event_desc. @is_raw: stacks are to stay as
 * they are. 0 or -ENOMEM. */
int wait_stacks_begin(struct wait_stacks *waits, uint32_t event, bool is_wall, bool is_raw);
/* Classifies the stacks of the entries of the event. 0 or -ENOMEM. */
int wait_stacks_prepare(struct wait_stacks *waits, const struct slice_entry *entries,
			uint32_t count);

/* Returns @waits if it is of @event, else NULL. @waits may be NULL. */
static inline const struct wait_stacks *wait_stacks_of(const struct wait_stacks *waits,
						       uint32_t event)
{
	return waits && waits->event == event ? waits : NULL;
}

/* Whether @entry, of the event, is no wait: its task is on a CPU. */
static inline bool wait_stacks_is_on_cpu(const struct wait_stacks *waits,
					 const struct slice_entry *entry)
{
	return waits->is_wall && !entry->bucket;
}

/* Returns the stack that @entry, of the event, is shown as. @waits NULL: its own. */
static inline uint32_t wait_stacks_cut(const struct wait_stacks *waits,
				       const struct slice_entry *entry)
{
	return waits && !wait_stacks_is_on_cpu(waits, entry) ? waits->cut[entry->stack]
							     : entry->stack;
}

/* Returns the tuple of the wait @entry: the empty one on a CPU. */
static inline const struct wait_tuple *wait_stacks_tuple(const struct wait_stacks *waits,
							 const struct slice_entry *entry)
{
	return &waits->waits->tuples[entry->bucket];
}

static inline enum wait_state wait_stacks_state(const struct wait_stacks *waits,
						const struct slice_entry *entry)
{
	return wait_stacks_is_on_cpu(waits, entry) ? WAIT_RUNNING
						   : wait_stacks_tuple(waits, entry)->state;
}

static inline enum wait_kind wait_stacks_kind(const struct wait_stacks *waits,
					      const struct slice_entry *entry)
{
	if (wait_stacks_is_on_cpu(waits, entry))
		return WAIT_KIND_ON_CPU;
	if (wait_stacks_tuple(waits, entry)->state == WAIT_RUNNABLE)
		return WAIT_KIND_RUN_QUEUE;
	return (enum wait_kind)(waits->kind[entry->stack] & ~WAIT_KERNEL_THREAD);
}

/* Returns whether a thread of @kind waits for what comes from elsewhere: a request, a child, the
 * time. A lock, a disk or a page is to come soon. */
static inline bool wait_kind_is_of_idle(enum wait_kind kind)
{
	return kind == WAIT_KIND_POLL || kind == WAIT_KIND_SOCKET || kind == WAIT_KIND_PIPE ||
	       kind == WAIT_KIND_TIMER || kind == WAIT_KIND_OTHER;
}

/* Whether a kernel thread waits, or, while all threads are watched, one that goes on waiting for
 * what comes from elsewhere: such waits are left out like idle. @waits NULL: false. */
static inline bool wait_stacks_is_idle(const struct wait_stacks *waits,
				       const struct slice_entry *entry)
{
	if (!waits || wait_stacks_is_on_cpu(waits, entry))
		return false;
	return waits->kind[entry->stack] & WAIT_KERNEL_THREAD ||
	       (wait_stacks_tuple(waits, entry)->is_of_all &&
		wait_kind_is_of_idle(wait_stacks_kind(waits, entry)));
}

#endif
