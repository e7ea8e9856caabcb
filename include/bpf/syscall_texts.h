/* syscall_texts.h - records each entry or exit of a system call together with what the pointers
 * among its arguments lead to: a text, the texts of an argv, the address of a socket.
 *
 * Problem: the record of a system call's tracepoint has only the pointers, and the memory that they
 *          lead to belongs to a process that runs on.
 * Idea:    a program on the tracepoint of all system calls leaves the others at once, and writes a
 *          record of its own in place of the tracepoint's: the same fields at the same offsets,
 *          followed by the texts. So a record is one hit with its texts, and nothing has to be
 *          joined.
 * Use:     the caller opens an event on each CPU: PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT,
 *          with PERF_SAMPLE_RAW and what it wants besides (stacks), reads their rings, and turns
 *          them on and off: while the event of a CPU is off, nothing is written or counted there.
 * Record:  the bytes of PERF_SAMPLE_RAW, in the byte order of this machine:
 *
 *              0   u16 type of the tracepoint, u16 0, s32 thread
 *              8   s32 number of the call, s32 0
 *             16   6 u64: the arguments; at an exit the first one is the result
 *             64   u64: the address in the program, just after the instruction that entered the
 *                  kernel: the event itself gives the address of the BPF program
 *             72   u32 each: where a text is, its bytes << 16 | offset from the record's begin
 *                  the texts, each with its final 0; addresses are the bytes of a sockaddr
 *
 *          A text of 0 bytes could not be read.
 * Absent:  a page that is not in memory (or was never touched) can't be read from here: its text
 *          has 0 bytes and is counted, a string of an argv becomes SYSCALL_TEXT_ABSENT. A NULL
 *          pointer is SYSCALL_TEXT_NULL. At the exit the kernel has read the text itself, so it is
 *          mostly there: record the exit with the same texts. After a successful execve() the
 *          memory is another program's: no text is read.
 * Counts:  hits = records + refused, exactly: each is counted where it is written.
 * Needs:   Linux 5.5 with CONFIG_DEBUG_INFO_BTF; CAP_BPF and CAP_PERFMON; x86-64 or aarch64. Calls
 *          of 32-bit programs are left out, as perf's tracepoints of system calls do.
 * Cost:    0.11 us for each system call of the machine, where an event on one call's tracepoint
 *          takes 0.06 (getppid() took 181 ns, with the event 245, with the program 289).
 * Thread:  one at a time; opening takes 5 to 100 ms.
 */
#ifndef BPF_SYSCALL_TEXTS_H
#define BPF_SYSCALL_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define SYSCALL_ARGUMENTS    6u
#define SYSCALL_ARGUMENT_AT(index) (16u + 8 * (index))	/* offsets in the record */
#define SYSCALL_ADDRESS_AT	   SYSCALL_ARGUMENT_AT(SYSCALL_ARGUMENTS)
#define SYSCALL_TEXT_AT(index)	   (SYSCALL_ADDRESS_AT + 8 + 4 * (index))
#define SYSCALL_TEXTS_MAX    12u
#define SYSCALL_STRING_BYTES 1024u	/* a longer text is cut off; its final 0 included */
#define SYSCALL_STRINGS_MAX  16u	/* an argv's; "..." takes the place of the others */
#define SYSCALL_TEXT_ABSENT  "(not in memory)"
#define SYSCALL_TEXT_NULL    "(null)"

enum syscall_text_kind {
	SYSCALL_STRING,		/* char * */
	SYSCALL_STRINGS,	/* char *const *, which ends with NULL: joined by blanks */
	SYSCALL_ADDRESS,	/* struct sockaddr *, whose length is the next argument */
};

struct syscall_text {
	enum syscall_text_kind kind;
	uint32_t argument;	/* the pointer, from 0 */
};

struct syscall_texts_config {
	uint32_t call;			/* its number */
	bool is_exit;
	bool starts_program;		/* execve(), execveat() */
	uint16_t record_type;		/* common_type: id of the tracepoint */
	struct syscall_text texts[SYSCALL_TEXTS_MAX];
	uint32_t text_count;
	const int *cpus, *events;	/* the descriptor of each CPU's event */
	size_t event_count;		/* 0: only try whether it can be done */
};

struct syscall_texts_counts {
	uint64_t records;
	uint64_t refused;	/* the rings were full */
	uint64_t absent;	/* texts that were not in memory, each string of an argv */
	uint64_t skipped;	/* system calls of any kind that met the program running already */
};

struct syscall_texts;

/* Returns 0; -ENOTSUP: a machine whose registers are not known; or as kernel_program_load(), with
 * the cause in @why. */
int syscall_texts_open(struct syscall_texts **out, const struct syscall_texts_config *config,
		       struct diag *why);
/* All since it was opened. 0 or -errno. */
int syscall_texts_read(const struct syscall_texts *texts, struct syscall_texts_counts *out,
		       struct diag *why);
/* Returns when no program runs any more. NULL is fine. */
void syscall_texts_close(struct syscall_texts *texts);

#endif
