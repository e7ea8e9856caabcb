/* probed_copy.h - a copy of the test program that runs beside it: its own functions are never
 * probed. The copy calls probed_function() as often as it is asked; unprobed_function() is not
 * called.
 * Thread: the test's. */
#ifndef TESTS_PROBED_COPY_H
#define TESTS_PROBED_COPY_H

#include <stdint.h>
#include <sys/types.h>

/* Starts the copy, as the file "probed_copy" of its tests (unit_tests.h), which must call
 * probed_copy_serve(). 0, or -1: not possible. */
int probed_copy_start(void);
void probed_copy_serve(void);
void probed_copy_end(void);
const char *probed_copy_path(void);

pid_t probed_copy_pid(void);

/* Has it call so often; returns when it has. */
void probed_copy_call(int count);
/* From now on it is threads that make one another and end; the last one calls as often as is
 * returned. */
void probed_copy_begin_chain(void);
int probed_copy_end_chain(void);
/* Of probed_function() as it is in the copy's memory: a breakpoint may be after the first
 * instruction. */
uint64_t probed_copy_first_bytes(void);

#endif
