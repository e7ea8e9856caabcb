/* crash.h - says that flametop crashed, and where, before the process dies of the signal.
 *
 * Use:    crash_catch() once the children are forked, as they must not speak for flametop. A fatal
 *         signal of any thread of this process then writes one line to stderr, a line of module and
 *         offset per caller (what addr2line(1) takes), and the same to the log. The process still
 *         dies of the signal, so that its parent sees 128+n.
 * Order:  a handler that restores the terminal is set later, acts first, and raises the signal
 *         again.
 * Source: sigaction(2), signal-safety(7), sigaltstack(2).
 */
#ifndef BASE_CRASH_H
#define BASE_CRASH_H

/* Enough for the handlers and for the registers that the kernel saves: 3 KiB with AVX-512. */
#define CRASH_STACK_BYTES 32768

/* @log_path: the file of log_open(), which is named in the line; NULL: none. A signal that somebody
 * else handles, such as a sanitizer, stays theirs. Thread: main, before the first thread. */
void crash_catch(const char *log_path);

/* The calling thread's handlers run on @stack, which must outlive it, so that an overflow of the
 * thread's own stack is told as well. A thread that has such a stack keeps it. */
void crash_use_stack(unsigned char stack[CRASH_STACK_BYTES]);

#endif
