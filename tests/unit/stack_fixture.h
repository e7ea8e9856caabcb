/* stack_fixture.h - the stacks of one real process and its code, for tests that walk them: out of a
 * recording of perf-record(1), or of a process that stands still.
 *
 * Every DSO is compiled to unwind rows as the program's worker does it, and stays open as an ELF
 * file, so that other unwinders can be handed the same bytes. Failures end the test program. */
#ifndef TESTS_STACK_FIXTURE_H
#define TESTS_STACK_FIXTURE_H

#include <sys/types.h>

#include "elf/elf_file.h"
#include "elf/slow_frames.h"
#include "unwind/walk.h"

struct fixture_dso {
	char *path;		/* "[vdso]": ours, which is every process's */
	int fd;
	struct elf_file file;
	struct unwind_table table;
	void *bytes;		/* the table's */
};

struct fixture_mapping {
	uint64_t start, end, file_offset;
	const struct fixture_dso *dso;		/* NULL: no file, or none of ELF */
	uint64_t bias;				/* added to the DSO's addresses */
};

struct stack_fixture {
	struct fixture_mapping *mappings;	/* a later one covers those before it */
	size_t mapping_count;
	struct fixture_dso **dsos;
	size_t dso_count;
	uint64_t number;		/* another one after every change */
	uint64_t file_number;		/* the same for mappings of DSOs */
};

void stack_fixture_finish(struct stack_fixture *fixture);
struct walker_space stack_fixture_space(struct stack_fixture *fixture);
/* The walker's view of a stack. */
size_t stack_fixture_walk(struct stack_fixture *fixture, struct walker *walker,
			  const struct remote_stack *stack, uint64_t frames[WALKER_FRAMES_MAX],
			  enum walker_end *end);

/* The request for what is after @frames[@count], and its inputs: [0] is the caller's to close.
 * False: they are in too many DSOs, or in code without one. */
bool stack_fixture_request(const struct stack_fixture *fixture, const struct remote_stack *stack,
			   const uint64_t *frames, size_t count, struct slow_request *request,
			   int inputs[SANDBOX_INPUTS_MAX]);

/* Calls @take for each sample of the program that perf-record(1) started, with registers and a copy
 * of the stack. The recording must be of one CPU: then its order is that of time. */
void stack_fixture_replay(struct stack_fixture *fixture, const char *recording,
			  void (*take)(void *context, struct stack_fixture *fixture,
				       const struct remote_stack *stack),
			  void *context);

/* The stack of @pid's main thread, whole, while it stands still (ptrace(2)); it is let go before
 * this returns. *@stack's bytes are the caller's: free(). */
void stack_fixture_take(struct stack_fixture *fixture, pid_t pid, struct remote_stack *stack);

#endif
