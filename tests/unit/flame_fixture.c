/* flame_fixture.c - see flame_fixture.h. */
#include "flame_fixture.h"

static uint64_t hash_name(uint64_t hash, const char *name)
{
	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
	return (hash ^ '/') * 0x100000001b3u;
}

static void add_samples(struct tree_node *nodes, uint32_t node, uint64_t samples)
{
	for (; node != UINT32_MAX; node = nodes[node].parent) {
		nodes[node].total_samples += samples;
		nodes[node].total_weight += (double)samples;
	}
}

static uint32_t parent_of(const struct flame_frame *frames, uint32_t index)
{
	uint32_t parent = index;

	if (!frames[index].depth)
		return UINT32_MAX;
	while (frames[parent].depth >= frames[index].depth)
		parent--;
	return parent;
}

struct call_tree flame_fixture_tree(const struct flame_frame *frames, uint32_t count,
				    struct tree_node *nodes)
{
	struct call_tree tree = { .direction = TREE_CALLEES, .node_count = count, .nodes = nodes };

	for (uint32_t i = 0; i < count; i++) {
		const struct flame_frame *frame = &frames[i];
		const bool is_kernel = frame->mode == MODE_KERNEL;
		const uint32_t parent = parent_of(frames, i);

		nodes[i] = (struct tree_node){
			.id = hash_name(parent == UINT32_MAX ? 1 : nodes[parent].id, frame->name),
			.parent = parent, .size = 1, .depth = frame->depth,
			.self_samples = frame->self, .self_weight = (double)frame->self,
			.hidden_weight = (double)frame->hidden,
			.symbol = frame->name, .raw_symbol = frame->name,
			.object = is_kernel ? "[kernel]" : "prog",
			.object_path = is_kernel ? "[kernel]" : "/usr/bin/prog",
			.mode = frame->mode == MODE_UNKNOWN ? MODE_USER : frame->mode,
			.is_inlined = frame->is_inlined, .is_run_time = frame->is_run_time,
		};
		for (uint32_t up = parent; up != UINT32_MAX; up = nodes[up].parent)
			nodes[up].size++;
		add_samples(nodes, i, frame->self + frame->hidden);
		tree.samples += frame->self + frame->hidden;
	}
	tree.weight = (double)tree.samples;
	return tree;
}
