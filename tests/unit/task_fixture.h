/* task_fixture.h - a table of tasks, and what tests do with one: each its own. */
#ifndef TASK_FIXTURE_H
#define TASK_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ingest/task_table.h"

static struct strpool *strings;
static struct task_table table;

static inline int set_up(void **state)
{
	(void)state;
	strings = strpool_create();
	task_table_init(&table, strings);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	task_table_finish(&table);
	strpool_destroy(strings);
	return 0;
}

static inline uint32_t task_of(uint32_t pid, uint32_t tid)
{
	return task_table_task(&table, task_table_thread(&table, pid, tid));
}

static inline const char *comm_of(uint32_t pid, uint32_t tid)
{
	const uint32_t task = task_of(pid, tid);	/* may move the rows */

	return strpool_get(strings, table.tasks[task].comm);
}

static inline void map(uint32_t pid, uint64_t start, uint32_t dso)
{
	const struct mapping row = { .start = start, .end = start + 0x1000, .dso = dso };
	struct process *process = task_table_process(&table, pid);

	if (!process->maps)
		process->maps = process_maps_create();
	assert_int_equal(process_maps_insert(&process->maps, &row), 0);
	process->maps_state = MAPS_KNOWN;
}

static inline const struct mapping *mapping_at(uint32_t pid, uint64_t ip)
{
	const struct process *process = task_table_find_process(&table, pid);

	return process && process->maps ? process_maps_find(process->maps, ip) : NULL;
}

static inline void fork_from(uint32_t parent_pid, uint32_t parent_tid, uint32_t pid, uint32_t tid)
{
	task_table_fork(&table, parent_pid, parent_tid, pid, tid, false);
}

#endif
