/* unit_tests.h - the tests of one file of tests/unit/ROOM; all files of a room are one program.
 *
 * Use: UNIT_TESTS(test_fold)
 *      {
 *              const struct CMUnitTest tests[] = { ... };
 *
 *              return cmocka_run_group_tests(tests, NULL, NULL);
 *      }
 *
 * `build/tests/unit/fold test_fold` runs it; without a name the program lists its files. Each file
 * is run in a process of its own: it may start threads, and end.
 */
#ifndef TESTS_UNIT_TESTS_H
#define TESTS_UNIT_TESTS_H

/* Adds the tests called @name, before main(). @run returns the number of failures. */
void unit_tests_add(const char *name, int (*run)(void));

#define UNIT_TESTS(name)                                                                           \
	static int name(void);                                                                     \
	__attribute__((constructor)) static void add_##name(void)                                  \
	{                                                                                          \
		unit_tests_add(#name, name);                                                       \
	}                                                                                          \
	static int name(void)

/* The registers of a call's first arguments, as definitions of probes name them; and what a return
 * removes from the stack: on aarch64 the return address is in a register. */
#ifdef __aarch64__
#define ARGUMENT_1   "%x0"
#define ARGUMENT_2   "%x1"
#define ARGUMENT_3   "%x2"
#define RETURN_BYTES 0
#else
#define ARGUMENT_1   "%di"
#define ARGUMENT_2   "%si"
#define ARGUMENT_3   "%dx"
#define RETURN_BYTES 8
#endif

#endif
