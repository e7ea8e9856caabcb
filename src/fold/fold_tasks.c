/* fold_tasks.c - unifies equal tasks, so that each counts once in a row's or a window's tasks. */
#include <stdlib.h>
#include <string.h>

#include "fold/fold.h"

static uint64_t identity_of(const struct task *task)
{
	return id_set_mix(id_set_mix((uint64_t)task->pid << 32 | task->tid, task->comm.v),
			  task->cgroup);
}

/* An exec that keeps the name gives a task a second, equal entry, if its cgroup was read later. */
uint32_t fold_same_task(struct fold *fold, uint32_t task)
{
	const uint32_t count = fold->tasks->task_count;
	uint64_t identity;
	uint32_t same;

	if (!fold->same_task) {
		fold->same_task = malloc(count * sizeof(*fold->same_task));
		if (!fold->same_task) {
			fold->is_out_of_memory = true;
			return task;
		}
		memset(fold->same_task, 0xff, count * sizeof(*fold->same_task));
	}
	if (fold->same_task[task] != ID_MAP_NONE)
		return fold->same_task[task];
	identity = identity_of(&fold->tasks->tasks[task]);
	same = id_map_get(&fold->by_identity, identity);
	if (same == ID_MAP_NONE) {
		same = task;
		fold->is_out_of_memory |= id_map_put(&fold->by_identity, identity, task) != 0;
	}
	return fold->same_task[task] = same;
}
