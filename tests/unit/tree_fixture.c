/* tree_fixture.c - see tree_fixture.h. */
#include "tree_fixture.h"

#include "base/id_map.h"
#include "fold/filter.h"

static uint32_t parent_of(const struct tree_fixture_line *lines, uint32_t index)
{
	uint32_t parent = index;

	if (!lines[index].depth)
		return UINT32_MAX;
	while (lines[parent].depth >= lines[index].depth)
		parent--;
	return parent;
}

struct call_tree tree_fixture(enum tree_direction direction, const struct tree_fixture_line *lines,
			      uint32_t count, struct tree_node *nodes)
{
	struct call_tree tree = { .direction = direction, .limit_pct = 0.5, .node_count = count,
				  .nodes = nodes };

	for (uint32_t i = 0; i < count; i++) {
		const struct tree_fixture_line *line = &lines[i];
		const uint32_t parent = parent_of(lines, i);
		const bool is_kernel = line->mode == MODE_KERNEL;

		nodes[i] = (struct tree_node){
			.id = id_set_mix(parent == UINT32_MAX ? direction : nodes[parent].id,
					 filter_hash(line->name)),
			.parent = parent, .size = 1, .depth = line->depth,
			.now.self.samples = line->self, .now.self.weight = (double)line->self,
			.now.total.samples = line->total, .now.total.weight = (double)line->total,
			.hidden_weight = (double)line->hidden,
			.symbol = line->name, .raw_symbol = line->name,
			.dso = is_kernel ? "[kernel]" : "postgres",
			.dso_path = is_kernel ? "[kernel.kallsyms]" : "/usr/bin/postgres",
			.mode = line->mode == MODE_UNKNOWN ? MODE_USER : line->mode,
		};
		for (uint32_t up = parent; up != UINT32_MAX; up = nodes[up].parent)
			nodes[up].size++;
		if (parent == UINT32_MAX)
			tree.samples += line->total;
	}
	tree.weight = (double)tree.samples;
	return tree;
}

static const struct tree_fixture_line callers[] = {
	{ 0, "hash_search_with_hash_value", 6422, 10806, MODE_UNKNOWN, 0 },
	{ 1, "BufTableLookup", 0, 7913, MODE_UNKNOWN, 0 },
	{ 2, "BufferAlloc", 0, 7913, MODE_UNKNOWN, 0 },
	{ 3, "ReadBuffer_common", 0, 7913, MODE_UNKNOWN, 13 },
	{ 4, "heapgetpage", 0, 5200, MODE_UNKNOWN, 0 },
	{ 5, "heap_getnextslot", 0, 5200, MODE_UNKNOWN, 0 },
	{ 6, "SeqNext", 0, 5200, MODE_UNKNOWN, 0 },
	{ 7, "ExecScan", 0, 5200, MODE_UNKNOWN, 0 },
	{ 4, "_bt_getbuf", 0, 2700, MODE_UNKNOWN, 0 },
	{ 5, "_bt_search", 0, 2700, MODE_UNKNOWN, 0 },
	{ 6, "_bt_search", 0, 2700, MODE_UNKNOWN, 0 },
	{ 7, "_bt_search", 0, 2700, MODE_UNKNOWN, 0 },
	{ 1, "get_hash_entry", 0, 2893, MODE_UNKNOWN, 0 },
};

static const struct tree_fixture_line callees[] = {
	{ 0, "_start", 0, 30000, MODE_UNKNOWN, 0 },
	{ 1, "__libc_start_main", 0, 30000, MODE_UNKNOWN, 0 },
	{ 2, "main", 0, 30000, MODE_UNKNOWN, 0 },
	{ 3, "PostgresMain", 200, 28000, MODE_UNKNOWN, 0 },
	{ 4, "exec_simple_query", 0, 27800, MODE_UNKNOWN, 0 },
	{ 5, "ExecScan", 6000, 20000, MODE_UNKNOWN, 0 },
	{ 6, "SeqNext", 14000, 14000, MODE_UNKNOWN, 0 },
	{ 5, "read", 0, 7800, MODE_UNKNOWN, 0 },
	{ 6, "entry_SYSCALL_64_after_hwframe", 0, 7800, MODE_KERNEL, 0 },
	{ 7, "do_syscall_64", 0, 7800, MODE_KERNEL, 0 },
	{ 8, "ksys_read", 800, 7800, MODE_KERNEL, 0 },
	{ 9, "copy_user_enhanced_fast_string", 7000, 7000, MODE_KERNEL, 0 },
	{ 3, "ServerLoop", 1900, 2000, MODE_UNKNOWN, 100 },
	{ 0, "ret_from_fork_asm", 0, 4860, MODE_KERNEL, 0 },
	{ 1, "kthread", 0, 4860, MODE_KERNEL, 0 },
	{ 2, "worker_thread", 4860, 4860, MODE_KERNEL, 0 },
};

/* Of 22 samples hash_search called itself, and 8 are in callees too small to be shown. */
static const struct tree_fixture_line callees_of_one[] = {
	{ 0, "hash_search_with_hash_value", 6400, 10806, MODE_UNKNOWN, 8 },
	{ 1, "hash_bytes", 4000, 4200, MODE_UNKNOWN, 0 },
	{ 2, "memcpy", 200, 200, MODE_UNKNOWN, 0 },
	{ 1, "asm_exc_page_fault", 0, 176, MODE_KERNEL, 0 },
	{ 2, "do_user_addr_fault", 176, 176, MODE_KERNEL, 0 },
	{ 1, "hash_search_with_hash_value", 22, 22, MODE_UNKNOWN, 0 },
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct call_tree tree_fixture_machine(enum tree_direction direction)
{
	static struct tree_node callers_nodes[COUNT_OF(callers)];
	static struct tree_node callees_nodes[COUNT_OF(callees)];

	if (direction == TREE_CALLERS)
		return tree_fixture(direction, callers, COUNT_OF(callers), callers_nodes);
	return tree_fixture(direction, callees, COUNT_OF(callees), callees_nodes);
}

struct call_tree tree_fixture_callees(void)
{
	static struct tree_node nodes[COUNT_OF(callees_of_one)];

	return tree_fixture(TREE_CALLEES, callees_of_one, COUNT_OF(callees_of_one), nodes);
}
