/* group_order.c - see group_order.h. */
#include "group_order.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fold/query.h"

#define GAP " \u203a "

const char *const group_key_helps[GROUP_KEY_COUNT] = {
	[GROUP_EVENT] = "what was sampled",
	[GROUP_COMM] = "command: the thread's name",
	[GROUP_PID] = "process",
	[GROUP_TID] = "thread",
	[GROUP_THREAD] = "thread's and process's name",
	[GROUP_CGROUP] = "control group, whole path",
	[GROUP_UNIT] = "unit of systemd",
	[GROUP_CONTAINER] = "container, by its id",
	[GROUP_POD] = "pod of Kubernetes",
	[GROUP_CPU] = "CPU it ran on",
	[GROUP_SOCKET] = "package of the CPU",
	[GROUP_PMU] = "PMU: the CPU's kind of core",
	[GROUP_WAIT] = "off-cpu: what it waits for",
	[GROUP_STATE] = "off-cpu: how it waited",
	[GROUP_WAKER] = "off-cpu: who woke it",
	[GROUP_BY1] = "key of the probe, the first",
	[GROUP_BY2] = "its second key",
	[GROUP_BY3] = "its third key",
	[GROUP_BY4] = "its fourth key",
	[GROUP_DSO] = "program or library",
	[GROUP_SYMBOL] = "function",
	[GROUP_ADDRESS] = "instruction",
	[GROUP_SOURCE] = "file and line",
	[GROUP_PARENT] = "function that called it",
};

const struct group_order group_order_at_first = {
	3, { GROUP_COMM, GROUP_DSO, GROUP_SYMBOL },
};

uint32_t group_order_level(const struct group_order *order, enum group_key key)
{
	for (uint32_t i = 0; i < order->count; i++)
		if (order->keys[i] == key)
			return i + 1;
	return 0;
}

static void take_out(struct group_order *order, uint32_t level)
{
	memmove(&order->keys[level - 1], &order->keys[level],
		(order->count - level) * sizeof(order->keys[0]));
	order->count--;
}

int group_order_place(struct group_order *order, enum group_key key, uint32_t level,
		      struct diag *why)
{
	const uint32_t old = group_order_level(order, key);

	if (!old && order->count == GROUP_LEVELS)
		return diag_set(why, -ENOSPC, "no more than %d levels: take one out first",
				GROUP_LEVELS);
	if (key == GROUP_EVENT ? level > 1 : level == 1 && group_order_level(order, GROUP_EVENT))
		return diag_set(why, -EINVAL, "event comes first: periods of different events "
				"can't be added");
	if (old)
		take_out(order, old);
	if (level > order->count + 1)
		level = order->count + 1;
	memmove(&order->keys[level], &order->keys[level - 1],
		(order->count - level + 1) * sizeof(order->keys[0]));
	order->keys[level - 1] = key;
	order->count++;
	return 0;
}

int group_order_toggle(struct group_order *order, enum group_key key, struct diag *why)
{
	const uint32_t level = group_order_level(order, key);

	if (!level)
		return group_order_place(order, key, key == GROUP_EVENT ? 1 : GROUP_LEVELS, why);
	if (order->count == 1)
		return diag_set(why, -EINVAL, "a tree has one level at least: take another key in "
				"first");
	take_out(order, level);
	return 0;
}

const char *group_order_name(enum group_key key, const char *const *by_names)
{
	if (group_key_is_by(key) && by_names && by_names[key - GROUP_BY1])
		return by_names[key - GROUP_BY1];
	return group_key_name(key);
}

uint32_t group_order_by_count(const struct snapshot_probe *probe)
{
	return !probe ? 0 : probe->key_count < GROUP_BY_KEYS ? probe->key_count : GROUP_BY_KEYS;
}

struct group_order group_order_of(const struct group_order *order,
				  const struct snapshot_probe *probe)
{
	struct group_order out = { .count = 0 };

	for (uint32_t i = 0; i < order->count; i++)
		if (!group_key_is_by(order->keys[i]) ||
		    order->keys[i] - GROUP_BY1 < group_order_by_count(probe))
			out.keys[out.count++] = order->keys[i];
	return out.count ? out : group_order_at_first;
}

struct group_order group_order_by(const struct snapshot_probe *probe)
{
	struct group_order out = { .count = 0 };

	while (out.count < group_order_by_count(probe)) {
		out.keys[out.count] = (enum group_key)(GROUP_BY1 + out.count);
		out.count++;
	}
	out.keys[out.count++] = GROUP_SYMBOL;
	return out;
}

char *group_order_format(const enum group_key *keys, uint32_t count, const char *const *by_names,
			 char *out)
{
	size_t used = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < count && used < GROUP_ORDER_BYTES; i++)
		used += (size_t)snprintf(out + used, GROUP_ORDER_BYTES - used, "%s%s",
					 i ? GAP : "", group_order_name(keys[i], by_names));
	return out;
}
