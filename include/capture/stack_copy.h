/* stack_copy.h - the copies of user registers and stack in samples: reads the registers, trims the
 * copies, and knows where the stacks of threads end. */
#ifndef CAPTURE_STACK_COPY_H
#define CAPTURE_STACK_COPY_H

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/record.h"

/* The registers of the interrupted user code in a sample. Which word of a sample is which register
 * follows from the machine and the mask of its event's record_format; a recording may be from
 * another machine.
 *
 * Use:    capture requests user_registers_mask() from the kernel; unwinding reads them here.
 *         Another architecture needs another table in src/capture/stack_copy.c.
 * Source: perf_event_open(2) PERF_SAMPLE_REGS_USER; the psABI's DWARF numbers: x86-64: 0 rax ...
 *         15 r15, 16 the return address: rip; i386: 0 eax ... 7 edi, 8 eip; aarch64: 0 x0 ... 30
 *         x30, 31 sp, 32 pc.
 * Thread: any, pure.
 */

struct user_registers {
	uint64_t ip, sp, bp;	/* bp: rbp, x29 */
	uint64_t lr;		/* x30, maybe signed; 0: the mask or the machine has none */
};

/* Returns the value for perf_event_attr.sample_regs_user on the own machine: all registers that
 * unwinding may need. 0: there is no table for it, and no stack can be unwound. */
uint64_t user_registers_mask(void);

/* Returns true if there is a table for @machine: copies of its stacks can be unwound. */
bool user_registers_are_known(enum machine machine);

/* Reads the registers from @sample of an event with @format. Returns false when the sample has no
 * registers (a kernel thread, an event without), lacks ip, sp or bp, or when format->machine has
 * no table. Those of 32-bit code (PERF_SAMPLE_REGS_ABI_32) are zero-extended; bp of 32-bit ARM code
 * is no frame pointer. */
bool user_registers_read(const struct record_format *format, const struct record_sample *sample,
			 struct user_registers *out);

/* Writes the registers of a sample of the own machine as an event with @format has them. @all: by
 * DWARF number, as many as the machine has; NULL: only those of @from are known, and the others
 * are 0. Returns the number of words written. */
size_t user_registers_write(const struct record_format *format, const struct user_registers *from,
			    const uint64_t *all, uint64_t *out);

/* Returns PERF_SAMPLE_REGS_ABI_* of a thread of the own machine with these registers, by whether
 * their values fit into 32 bits. */
uint64_t user_registers_abi(uint64_t sp, uint64_t ip);

/* Returns the index of the register with DWARF number @number among the words that @mask selects
 * on @machine; -1: none, or @mask has a bit that the machine's kernel does not define. */
int user_registers_place(enum machine machine, uint64_t mask, unsigned int number);

/* Reads one register by its DWARF number. Returns false as user_registers_read() does. */
bool user_registers_find(const struct record_format *format, const struct record_sample *sample,
			 unsigned int number, uint64_t *out);

/* Makes an event whose samples have the kernel's chain by frame pointers bring the register lr: of
 * a function that has called nothing it tells the caller, which that chain leaves out. Changes
 * nothing where the own machine has no such register. */
void user_registers_add_lr(struct perf_event_attr *attr);

/* Returns true if samples of an event with @format bring lr. */
bool user_registers_have_lr(const struct record_format *format);

/* Reads lr, maybe signed. Returns false as user_registers_read() does, or when the machine or the
 * mask has none. */
bool user_registers_find_lr(const struct record_format *format, const struct record_sample *sample,
			    uint64_t *out);

/* Copies at most @room bytes of the stack of a thread of process @pid from @sp up to where it ends.
 * May block for ever: the stack may be a mapping of a file whose server does not respond. Returns
 * the number of bytes copied. Source: process_vm_readv(2). */
size_t stack_copy_read(pid_t pid, uint64_t sp, void *out, size_t room);

/* Removes from a sample the part of its stack copy that the kernel reserved but did not fill, and
 * the part that is not needed; the result is a record of the same format. If filled bytes are
 * removed, the copy keeps one word more than its filled size, so that a reader who finds the copy
 * too short can tell that the kernel had more (record_trim_left_out()).
 *
 * Use:    record_trim_init(), make room for `bytes`, record_trim_write().
 * Thread: any, pure.
 */

struct record_trim {
	const struct perf_event_header *record;	/* BORROWED */
	size_t head_bytes, cut_bytes;	/* kept before the cut, and cut; cut_bytes 0: no cut */
	size_t size_offset;		/* offset of the word with the size of the copy */
	uint64_t filled_bytes;		/* new value of the word after the copy, the filled size */
	size_t bytes;			/* size of the result, a multiple of 8 */
};

/* Returns true when record_trim_write() removed filled bytes from the stack copy of @sample. */
bool record_trim_left_out(const struct record_sample *sample);

/* Plans the cut. @parsed: result of record_parse() for @record; NULL if it failed: nothing is cut.
 * @needed_bytes: part of the copy to keep; SIZE_MAX: all filled bytes. */
void record_trim_init(struct record_trim *trim, const struct perf_event_header *record,
		      const struct event_record *parsed, size_t needed_bytes);

/* Writes the result, `bytes` long, to @to, which is 8-byte aligned. */
void record_trim_write(const struct record_trim *trim, void *to);

/* The ends of threads' stacks, learned from earlier unwinding: memory above the outermost frame
 * (arguments and environment, a thread's TLS) needs no copying.
 *
 *   |sp   frames ...   |return address into the outermost frame| environment ...
 *                      ^ word, 8 bytes before                  ^ end
 *
 * The analyzer stores the end that a complete walk reached; the sampler looks up how much of a copy
 * is needed. An end is valid for a copy only if the word before it is the one with which it was
 * learned: so not after exec, for a reused tid, or for reused memory.
 *
 * There is no lock: the sampler may read a row that is being written. `key`, which holds the tid
 * and a count of writes, then has tid 0, or has changed when it is read again.
 *   analyzer: key = 0, end, word: RELEASE, then key RELEASE
 *   sampler:  key, end, word: ACQUIRE, then key again. If it saw an `end` of a later write, it sees
 *	       the 0 that was stored before it, or a later key.
 *
 * This fails for a stack inside a frame of another stack (a coroutine's in that of main) that was
 * seen first: its end lies within the outer stack. Copies of the outer stack are cut there, and
 * their walks counted as cut, until the analyzer has walked the first of them (a round later, or
 * when its tables have arrived); from then on the thread's copies are taken whole, until it ends or
 * calls exec (stack_ends_was_cut()). So are copies of a thread that would share its row.
 *
 * Thread: one writer (the analyzer); samplers only read.
 */

#define STACK_ENDS_ROWS 4096u	/* most threads known at a time; a power of two */

struct stack_end {
	_Atomic uint64_t key;	/* tid, count of writes in the upper half; tid 0: no thread */
	_Atomic uint64_t end;	/* address; 0: take this thread's copies whole */
	_Atomic uint64_t word;	/* the 8 bytes before `end` */
};

struct stack_ends {
	struct stack_end rows[STACK_ENDS_ROWS];	/* initialised by zeroing */
};

/* The stack copy of a record; `bytes` is BORROWED and has any alignment. */
struct stack_copy {
	uint32_t tid;
	uint64_t sp;
	const unsigned char *bytes;
	size_t count;
};

/* Sampler. Returns how many bytes of @copy a walk can need, at most all. */
size_t stack_ends_needed(const struct stack_ends *ends, const struct stack_copy *copy);

/* Analyzer. Stores that the walk of @copy reached the outermost frame, whose sp is @end. */
void stack_ends_learn(struct stack_ends *ends, const struct stack_copy *copy, uint64_t end);
/* Analyzer. Call when a walk of @tid needed more than stack_ends_needed() returned. */
void stack_ends_was_cut(struct stack_ends *ends, uint32_t tid);
/* Analyzer. Removes what is known of the thread @tid, which has ended or called exec. */
void stack_ends_forget(struct stack_ends *ends, uint32_t tid);

#endif
