/* crash.h - says that flametop crashed, and where, before the process dies of the signal.
 *
 * Use:    crash_catch() after the children are forked, as they must not report a crash of flametop.
 *         On a fatal signal in any thread the handler writes one line, then module and offset of
 *         each caller (input for addr2line(1)), to stderr and to the log. The process still dies of
 *         the signal, so that its parent sees 128+n.
 * Order:  the handler that restores the terminal is installed later, runs first, and raises the
 *         signal again.
 * Source: sigaction(2), signal-safety(7), sigaltstack(2).
 */
#ifndef BASE_CRASH_H
#define BASE_CRASH_H

/* Enough for the handlers and for the registers that the kernel saves: 3 KiB with AVX-512. */
#define CRASH_STACK_BYTES 32768

/* Installs the handlers. @log_path: the file of log_open(), to be named in the first line; NULL:
 * none. Keeps handlers that others installed, such as a sanitizer's.
 * Thread: main, before the first thread. */
void crash_catch(const char *log_path);

/* Makes signal handlers of the calling thread run on @stack, which must outlive the thread, so that
 * an overflow of the thread's own stack is reported too. Keeps an alternate stack set before. */
void crash_use_stack(unsigned char stack[CRASH_STACK_BYTES]);

#endif
