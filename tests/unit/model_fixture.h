/* model_fixture.h - a small known fixture for tests of what counts and names: one program, one
 * kernel, tasks and stacks of them.
 *
 *   /bin/app   main f g h leaf    256 bytes each, from file offset 0x1000 on, without gaps
 *   kernel     do_syscall_64 default_idle, and ext4_read of the module ext4
 */
#ifndef MODEL_FIXTURE_H
#define MODEL_FIXTURE_H

#include "fold/fold.h"

enum fixture_function {		/* in /bin/app */
	FN_MAIN, FN_F, FN_G, FN_H, FN_LEAF, FN_COUNT,
};
#define FIXTURE_APP_ADDRESS(function) (0x1000u + 0x100u * (function))

#define FIXTURE_SYSCALL_ADDRESS 0xffffffff81000000ull
#define FIXTURE_IDLE_ADDRESS	0xffffffff81001000ull
#define FIXTURE_EXT4_ADDRESS	0xffffffffc0000000ull

struct model_fixture {
	struct strpool *strings;
	struct dso_table dsos;
	struct task_table tasks;
	struct stack_trie trie;
	struct symbol_names names;
	void *tables[2];	/* owned */
	uint32_t app;		/* DSO */
};

void fixture_init(struct model_fixture *fixture);
void fixture_finish(struct model_fixture *fixture);

/* A DSO without a table yet, in this state. */
uint32_t fixture_dso(struct model_fixture *fixture, const char *path, enum dso_state state);
/* A frame @offset bytes into a function of the program, or at an address of the kernel. */
uint32_t fixture_frame(struct model_fixture *fixture, enum fixture_function function,
		       uint32_t offset);
uint32_t fixture_kernel_frame(struct model_fixture *fixture, uint64_t address);
/* The stack of these frames, leaf first. */
uint32_t fixture_stack(struct model_fixture *fixture, const uint32_t *frames, uint32_t count);
/* The same by functions, each at its first byte. */
uint32_t fixture_calls(struct model_fixture *fixture, const enum fixture_function *functions,
		       uint32_t count);
uint32_t fixture_task(struct model_fixture *fixture, uint32_t pid, uint32_t tid, const char *comm);
/* The same of a process in the cgroup @path, which it stays in. */
uint32_t fixture_task_in(struct model_fixture *fixture, uint32_t pid, uint32_t tid,
			 const char *comm, const char *path);

/* What leaves everything in. */
extern const struct filter fixture_no_filter;

/* A fold of event 0 over @entries by @keys, to fold_finish(). @filter must outlive it. */
struct fold fixture_fold_filtered(struct model_fixture *fixture, unsigned int keys,
				  const struct filter *filter, const struct slice_entry *entries,
				  uint32_t count);
/* The same without one. */
struct fold fixture_fold(struct model_fixture *fixture, unsigned int keys,
			 const struct slice_entry *entries, uint32_t count);
/* The row of this name (busy or idle), or NULL. */
const struct fold_row *fixture_row(const struct fold *fold, const char *symbol, bool is_idle);

#endif
