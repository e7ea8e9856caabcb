/* flame_fixture.c - see flame_fixture.h. */
#include "flame_fixture.h"

#include <stdio.h>

static uint64_t hash_name(uint64_t hash, const char *name)
{
	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
	return (hash ^ '/') * 0x100000001b3u;
}

static void add_samples(struct tree_node *nodes, uint32_t node, uint64_t samples)
{
	for (; node != UINT32_MAX; node = nodes[node].parent) {
		nodes[node].now.total.samples += samples;
		nodes[node].now.total.weight += (double)samples;
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
			.now.self.samples = frame->self, .now.self.weight = (double)frame->self,
			.hidden_weight = (double)frame->hidden,
			.symbol = frame->name, .raw_symbol = frame->name,
			.dso = is_kernel ? "[kernel]" : "prog",
			.dso_path = is_kernel ? "[kernel]" : "/usr/bin/prog",
			.mode = frame->mode == MODE_UNKNOWN ? MODE_USER : frame->mode,
			.is_inlined = frame->is_inlined, .is_run_time = frame->is_run_time,
			.is_command = frame->is_command,
		};
		for (uint32_t up = parent; up != UINT32_MAX; up = nodes[up].parent)
			nodes[up].size++;
		add_samples(nodes, i, frame->self + frame->hidden);
		tree.samples += frame->self + frame->hidden;
	}
	tree.weight = (double)tree.samples;
	return tree;
}

struct call_tree flame_fixture_machine(void)
{
	static const struct flame_frame frames[] = {
		{ .depth = 0, .name = "postgres", .is_command = true },
		{ .depth = 1, .name = "main" },
		{ .depth = 2, .name = "PostgresMain", .self = 420 },
		{ .depth = 3, .name = "exec_simple_query" },
		{ .depth = 4, .name = "ExecScan", .self = 1330 },
		{ .depth = 5, .name = "heap_getnextslot", .self = 5200 },
		{ .depth = 6, .name = "hash_search_with_hash_value", .self = 4100 },
		{ .depth = 7, .name = "hash_bytes", .self = 900, .is_inlined = true },
		{ .depth = 6, .name = "heapgetpage", .self = 1300 },
		{ .depth = 5, .name = "ExecQual", .self = 800 },
		{ .depth = 6, .name = "int4eq", .self = 340, .hidden = 60 },
		{ .depth = 4, .name = "PortalRun", .self = 700 },
		{ .depth = 5, .name = "std::vector<int, std::allocator<int> >::"
				       "_M_realloc_insert(int const&)", .self = 1750 },
		{ .depth = 3, .name = "ServerLoop" },
		{ .depth = 4, .name = "entry_SYSCALL_64", .mode = MODE_KERNEL },
		{ .depth = 5, .name = "do_syscall_64", .self = 300, .mode = MODE_KERNEL },
		{ .depth = 6, .name = "vfs_read", .self = 2500, .mode = MODE_KERNEL },
		{ .depth = 7, .name = "copy_user_enhanced_fast_string", .self = 2100,
		  .mode = MODE_KERNEL },
		{ .depth = 0, .name = "node", .is_command = true },
		{ .depth = 1, .name = "node::Start" },
		{ .depth = 2, .name = "LazyCompile:*render app.js:118", .self = 6100,
		  .is_run_time = true },
		{ .depth = 3, .name = "LazyCompile:~escape app.js:12", .self = 2060,
		  .is_run_time = true },
		{ .depth = 0, .name = "nginx", .is_command = true },
		{ .depth = 1, .name = "ChaCha20_4xl", .self = 2700 },
		{ .depth = 1, .name = "ngx_epoll_process_events", .self = 1400 },
		{ .depth = 0, .name = "kworker/0:1", .is_command = true },
		{ .depth = 1, .name = "process_one_work", .self = 560, .mode = MODE_KERNEL },
		{ .depth = 0, .name = "systemd", .self = 120, .is_command = true },
		{ .depth = 0, .name = "sshd", .self = 70, .is_command = true },
		{ .depth = 0, .name = "cron", .self = 50, .is_command = true },
	};
	static struct tree_node nodes[sizeof(frames) / sizeof(frames[0])];

	return flame_fixture_tree(frames, sizeof(frames) / sizeof(frames[0]), nodes);
}

struct call_tree flame_fixture_deep(uint32_t depth)
{
	static struct flame_frame frames[FLAME_FIXTURE_DEPTH];
	static struct tree_node nodes[FLAME_FIXTURE_DEPTH];
	static char names[FLAME_FIXTURE_DEPTH][8];

	for (uint32_t i = 0; i < depth; i++) {
		snprintf(names[i], sizeof(names[i]), "f%u", i);
		frames[i] = (struct flame_frame){ .depth = i, .name = names[i],
						  .self = i + 1 == depth ? 34860 : 0 };
	}
	return flame_fixture_tree(frames, depth, nodes);
}
