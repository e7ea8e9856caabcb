/* call_tree_arrange.c - turns the sums of a tree into nodes, in the order of fold/tree.h:
 * tree_fold_sum(), call_tree_arrange() and, for group_arrange.c, too, arranged_place() of
 * fold/tree_fold.h.
 *
 * Idea: paths are numbered parents first, so one pass in either direction carries values from
 * parents to children or back: which are kept, sizes, places, ids. Sorted by (parent, weight), the
 * children of a parent are adjacent; the first is placed after its parent, and each other after the
 * subtree of its predecessor: preorder without a stack, however deep.
 */
#include "fold/tree_fold.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

void tree_fold_sum(struct tree_fold *fold)
{
	if (!tree_fold_goes_on(fold))
		return;
	if (fold->query->tree == TREE_CALLERS)
		tree_callers_sum(fold);
	else
		tree_callees_sum(fold);
}

static int lighter_first(const void *a, const void *b)
{
	const double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static bool is_kept(const struct tree_fold *fold, const struct tree_sum *sum, double limit)
{
	return (sum->now.total.samples || sum->base.total.samples) &&
	       tree_fold_weight(fold, sum) >= limit;
}

/* Raises the limit until no more than TREE_FOLD_PATHS are kept. False: out of memory. */
static bool raise_limit(const struct tree_fold *fold, double *limit)
{
	uint32_t kept = 0;
	double *weights;

	for (uint32_t p = 1; p < fold->count; p++)
		kept += is_kept(fold, &fold->sums[p], *limit);
	if (kept <= TREE_FOLD_PATHS)
		return true;
	weights = malloc(kept * sizeof(*weights));
	if (!weights)
		return false;
	kept = 0;
	for (uint32_t p = 1; p < fold->count; p++)
		if (is_kept(fold, &fold->sums[p], *limit))
			weights[kept++] = tree_fold_weight(fold, &fold->sums[p]);
	qsort(weights, kept, sizeof(*weights), lighter_first);
	/* Drops all paths equal to the heaviest one dropped: a limit can't separate them. */
	*limit = nextafter(weights[kept - TREE_FOLD_PATHS - 1], INFINITY);
	free(weights);
	return true;
}

static uint64_t inlined_id(const struct tree_fold *fold, uint32_t symbol)
{
	const struct tree_inlined *function = tree_inlined_get(fold, symbol);
	const uint64_t name = strpool_hash(fold->names->strings, function->name);

	return id_set_mix(id_set_mix(TREE_FOLD_INLINED, name), function->dso);
}

/* Equal for equal functions in every snapshot: no ids that compaction may change. */
static uint64_t symbol_id(const struct tree_fold *fold, uint32_t id)
{
	const struct symbol *symbol = &fold->names->symbols[id];
	const struct strpool *strings = fold->names->strings;
	const uint64_t code = id_set_mix(strpool_hash(strings, symbol->name),
					 strpool_hash(strings, symbol->dso_path));

	return id_set_mix(id_set_mix(code, symbol->mode),
			  id_set_mix(symbol->address, symbol->dso));
}

static bool is_command(const struct tree_fold *fold, uint32_t path)
{
	return fold->query->tree_commands && fold->sums[path].parent == TREE_FOLD_TOP;
}

/* Chooses the paths, names them, and sums up what is left out. Returns how many. A parent weighs
 * what its children do at least; but sums of decayed weights depend on their order. */
static uint32_t choose(struct tree_fold *fold, struct arranged *list, double limit)
{
	uint32_t kept = 0;

	list[TREE_FOLD_TOP] = (struct arranged){ .id = fold->query->tree };
	for (uint32_t p = 1; p < fold->count; p++) {
		const struct tree_sum *sum = &fold->sums[p];
		const struct str_id comm = { sum->symbol };
		uint64_t own_id;

		list[p] = (struct arranged){ .path = p, .parent = sum->parent,
					     .weight = sum->now.total.weight,
					     .then_weight = sum->base.total.weight };
		if (!is_kept(fold, sum, limit) || (sum->parent && !list[sum->parent].size)) {
			fold->sums[sum->parent].hidden_weight += sum->now.total.weight;
			continue;
		}
		if (is_command(fold, p))
			own_id = strpool_hash(fold->names->strings, comm);
		else if (tree_inlined_is(sum->symbol))
			own_id = inlined_id(fold, sum->symbol);
		else
			own_id = symbol_id(fold, sum->symbol);
		list[p].id = id_set_mix(list[sum->parent].id, own_id);
		list[p].size = 1;
		kept++;
	}
	return kept;
}

static int by_family(const void *a, const void *b)
{
	const struct arranged *const *left = a, *const *right = b;

	if ((*left)->parent != (*right)->parent)
		return (*left)->parent < (*right)->parent ? -1 : 1;
	if ((*left)->weight != (*right)->weight)
		return (*left)->weight > (*right)->weight ? -1 : 1;
	if ((*left)->then_weight != (*right)->then_weight)
		return (*left)->then_weight > (*right)->then_weight ? -1 : 1;
	return (*left)->id < (*right)->id ? -1 : (*left)->id > (*right)->id;
}

void arranged_place(struct arranged *list, uint32_t count, struct arranged **order)
{
	uint32_t kept = 0, next = 0, family = 0;

	for (uint32_t p = count - 1; p > 0; p--)
		if (list[p].size)
			list[list[p].parent].size += list[p].size;
	for (uint32_t p = 1; p < count; p++)
		if (list[p].size)
			order[kept++] = &list[p];
	qsort(order, kept, sizeof(struct arranged *), by_family);
	for (uint32_t i = 0; i < kept; i++) {
		if (order[i]->parent != family) {
			family = order[i]->parent;
			next = list[family].place + 1;
		}
		order[i]->place = next;
		next += order[i]->size;
	}
}

static void describe_code(const struct tree_fold *fold, uint32_t id, struct tree_node *out)
{
	const struct symbol *symbol = &fold->names->symbols[id];

	out->address = symbol->address;
	out->dso_id = symbol->dso;
	out->mode = symbol->mode;
	out->state = symbol->state;
	out->is_synthetic = symbol->is_synthetic;
	out->is_run_time = fold->names->dsos->dsos[symbol->dso].is_run_time;
}

static void describe_inlined(const struct tree_fold *fold, uint32_t symbol, struct tree_node *out)
{
	out->dso_id = tree_inlined_get(fold, symbol)->dso;
	out->mode = fold->names->dsos->dsos[out->dso_id].mode;
	out->is_inlined = true;
}

static void fill(const struct tree_fold *fold, const struct arranged *list,
		 struct arranged *const *order, struct call_tree_builder *out)
{
	for (uint32_t i = 0; i < out->tree.node_count; i++) {	/* parents before their children */
		const struct arranged *from = order[i];
		const struct tree_sum *sum = &fold->sums[from->path];
		const bool is_root = sum->parent == TREE_FOLD_TOP;
		const uint32_t parent = is_root ? UINT32_MAX : list[sum->parent].place;
		struct tree_node *node = &out->nodes[from->place];

		*node = (struct tree_node){
			.id = from->id, .parent = parent, .size = from->size,
			.depth = is_root ? 0 : out->nodes[parent].depth + 1,
			.now = sum->now, .base = sum->base,
			.hidden_weight = sum->hidden_weight,
			.inlined_weight = sum->inlined_weight,
			.dso_id = UINT32_MAX, .state = SYMBOL_NAMED,
			.is_command = is_command(fold, from->path),
		};
		out->symbols[from->place] = sum->symbol;
		if (node->is_command)
			continue;
		if (tree_inlined_is(sum->symbol))
			describe_inlined(fold, sum->symbol, node);
		else
			describe_code(fold, sum->symbol, node);
	}
}

static int arrange(struct tree_fold *fold, struct arranged *list, struct call_tree_builder *out)
{
	double limit = tree_fold_limit(fold);
	struct arranged **order;

	if (limit >= 0 && !raise_limit(fold, &limit))
		return -ENOMEM;
	out->tree.node_count = choose(fold, list, limit);
	out->tree.hidden_weight = fold->sums[TREE_FOLD_TOP].hidden_weight;
	order = malloc((out->tree.node_count + 1) * sizeof(*order));
	out->nodes = malloc((out->tree.node_count + 1) * sizeof(*out->nodes));
	out->symbols = malloc((out->tree.node_count + 1) * sizeof(*out->symbols));
	if (order && out->nodes && out->symbols) {
		arranged_place(list, fold->count, order);
		fill(fold, list, order, out);
	}
	free(order);
	return order && out->nodes && out->symbols ? 0 : -ENOMEM;
}

int call_tree_arrange(struct tree_fold *fold, struct call_tree_builder *out)
{
	const struct tree_sum *top = &fold->sums[TREE_FOLD_TOP];
	struct arranged *list = malloc(fold->count * sizeof(*list));
	int err;

	*out = (struct call_tree_builder){ .tree = {
		.direction = fold->query->tree, .limit_pct = fold->query->tree_limit_pct,
		.samples = top->now.total.samples, .weight = top->now.total.weight,
		.base_weight = top->base.total.weight,
	} };
	err = list ? arrange(fold, list, out) : -ENOMEM;
	free(list);
	return err;
}

void call_tree_builder_finish(struct call_tree_builder *builder)
{
	free(builder->nodes);
	free(builder->symbols);
}
