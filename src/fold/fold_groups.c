/* fold_groups.c - see fold/fold_groups.h.
 *
 * A sample belongs to one thread, and a thread to one process, so sums of rows are exact. With any
 * other key a sample would be in the total of several rows: then there are no groups.
 */
#include "fold/fold_groups.h"

#include <errno.h>
#include <stdlib.h>

#define KEYS_GROUPED (KEY_PID | KEY_TID | KEY_GROUP)

bool fold_is_grouped(unsigned int keys)
{
	return keys == KEYS_GROUPED;
}

static bool is_one(uint32_t part)
{
	return part != FOLD_MIXED && part != FOLD_NONE;
}

static void start_group(struct fold_group *group, const struct fold_row *row)
{
	*group = (struct fold_group){ .sum = {
		.key = { .pid = row->key.pid, .cpu_and_idle = row->key.cpu_and_idle },
		.symbol = row->symbol, .comm = row->comm, .pid = row->pid, .tid = FOLD_MIXED,
		.cpu = row->cpu, .cgroup = row->cgroup, .task = row->task,
		.is_idle = row->is_idle,
	} };
}

static void add_thread(struct fold_group *group, const struct fold_row *row)
{
	struct fold_row *sum = &group->sum;

	sum->self_samples += row->self_samples;
	sum->total_samples += row->total_samples;
	sum->self_weight += row->self_weight;
	sum->total_weight += row->total_weight;
	sum->cpu = fold_merge(sum->cpu, row->cpu);
	sum->cgroup = fold_merge(sum->cgroup, row->cgroup);
	if (sum->tasks++)
		sum->task = FOLD_NONE;	/* one of several says nothing of the process */
	if (group->has_own_comm)
		return;
	group->has_own_comm = row->key.tid == row->key.pid && is_one(row->comm);
	sum->comm = group->has_own_comm ? row->comm : fold_merge(sum->comm, row->comm);
}

int fold_groups(const struct fold *fold, struct fold_group **out, uint32_t *count)
{
	struct fold_group *groups = malloc((fold->row_count + 1) * sizeof(*groups));
	struct id_map by_process = { 0 };

	*count = 0;
	*out = groups;
	if (!groups || id_map_reserve(&by_process, fold->row_count)) {
		free(groups);
		*out = NULL;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < fold->row_count; i++) {
		const struct fold_row *row = &fold->rows[i];
		const uint64_t process = (uint64_t)row->key.pid << 1 | row->is_idle;
		uint32_t at = id_map_get(&by_process, process);

		if (at == ID_MAP_NONE) {
			at = (*count)++;
			id_map_put(&by_process, process, at);	/* has room */
			start_group(&groups[at], row);
		}
		add_thread(&groups[at], row);
	}
	id_map_finish(&by_process);
	return 0;
}
