/* fold_tasks.c - tasks that are alike: of a row's tasks, as of a window's, each counts once. */
#include <stdlib.h>
#include <string.h>

#include "fold/fold.h"

static uint64_t identity_of(const struct task *task)
{
	return id_set_mix(id_set_mix((uint64_t)task->pid << 32 | task->tid, task->comm.v),
			  task->cgroup);
}

/* An exec that keeps the name, and whose cgroup was read later, makes a second one. */
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
