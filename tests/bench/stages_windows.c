/* stages_windows.c - what a refresh costs: counts of a window -> rows, tree, snapshot. The names of
 * its frames are known, as they are from the second refresh on. */
#include <stdlib.h>

#include "analyzer/window_fold.h"
#include "base/clock.h"
#include "fold/tree_fold.h"
#include "stages_window.h"

static const struct filter no_filter;

static void fill_window(struct model *model)
{
	const uint64_t end_ns = model->tape.begin_ns + model->shape.window_s * CLOCK_NS_PER_S;

	while (model->ingest.watermark_ns < end_ns) {
		model_advance(model);
		model_count(model);
	}
	stages_need(!timeline_cut(&model->ingest.timeline, model->ingest.watermark_ns),
		    "no memory");
}

struct window *window_create(const struct stages_shape *shape, unsigned int keys,
			     enum tree_direction tree)
{
	struct window *window = stages_allocate(1, sizeof(*window));
	struct analyzer_config *config = &window->config;

	model_init(&window->model, shape);
	model_begin(&window->model);
	fill_window(&window->model);
	*config = (struct analyzer_config){
		.ingest = window->model.ingest.config, .host = "host", .target = "all CPUs",
		.notice = "", .cpus = shape->cpus, .query.keys = keys, .query.tree = tree,
		.window = WINDOW_SECONDS, .window_ns = shape->window_s * CLOCK_NS_PER_S,
		.memory_bytes = ANALYZER_DEFAULT_MEMORY_BYTES,
	};
	publisher_init(&window->publisher, config, &window->model.ingest);
	return window;
}

void window_destroy(struct window *window)
{
	publisher_finish(&window->publisher);
	live_window_finish(&window->live);
	model_finish(&window->model);
	free(window);
}

static void window_tear_down(void *state)
{
	window_destroy(state);
}

struct snapshot *window_publish(struct window *window)
{
	const struct diag why = { 0 };
	struct snapshot *snapshot = publisher_make(&window->publisher, false, &why);

	stages_need(snapshot && snapshot->row_count > 0, "nothing was folded");
	return snapshot;
}

/* Folds alone: over the sums of the newest seconds, or over slices where these are too many, as the
 * publisher does it. */

static struct window *fold_set_up(const struct stages_shape *shape, unsigned int keys,
				  enum tree_direction tree)
{
	struct window *window = window_create(shape, keys, tree);
	const struct timeline *timeline = &window->model.ingest.timeline;

	window->slices = timeline->slices;
	window->slice_count = timeline->count;
	if (shape->window_s * CLOCK_NS_PER_S > LIVE_WINDOW_MAX_NS)
		return window;
	stages_need(!live_window_update(&window->live, timeline, timeline->slices[0].seq),
		    "no memory");
	window->sum = (struct slice){ .entries = window->live.sum.entries,
				      .count = window->live.sum.count };
	window->slices = &window->sum;
	window->slice_count = 1;
	return window;
}

static void *fold_symbols_set_up(const struct stages_shape *shape)
{
	return fold_set_up(shape, KEY_DSO | KEY_SYMBOL, TREE_NONE);
}

static void *fold_dsos_set_up(const struct stages_shape *shape)
{
	return fold_set_up(shape, KEY_DSO, TREE_NONE);
}

static void *fold_tree_set_up(const struct stages_shape *shape)
{
	return fold_set_up(shape, KEY_DSO | KEY_SYMBOL, TREE_CALLEES);
}

static uint64_t fold_rows_round(void *state)
{
	struct window *window = state;
	struct ingest *ingest = &window->model.ingest;
	struct window_fold folds = { .tree = NULL };

	fold_init(&folds.rows, &ingest->trie, &ingest->names, &ingest->tasks,
		  window->config.query.keys, 0, &no_filter);
	window_fold_add(&folds, window->slices, window->slice_count);
	stages_need(folds.rows.row_count > 0, "nothing was folded");
	fold_finish(&folds.rows);
	return 1;
}

static uint64_t fold_tree_round(void *state)
{
	struct window *window = state;
	struct ingest *ingest = &window->model.ingest;
	struct call_tree_builder builder;
	struct tree_fold tree;

	tree_fold_init(&tree, &ingest->trie, &ingest->names, &ingest->tasks,
		       &window->config.query, 0);
	for (uint32_t s = 0; s < window->slice_count; s++)
		tree_fold_add(&tree, window->slices[s].entries, window->slices[s].count, 1.0);
	tree_fold_sum(&tree);
	stages_need(!call_tree_arrange(&tree, &builder) && builder.tree.node_count > 0,
		    "nothing was folded");
	call_tree_builder_finish(&builder);
	tree_fold_finish(&tree);
	return 1;
}

/* All that a refresh does in the analyzer, after a little more was counted. */

static void *refresh_set_up(const struct stages_shape *shape)
{
	return window_create(shape, KEY_DSO | KEY_SYMBOL, TREE_NONE);
}

static void *refresh_tree_set_up(const struct stages_shape *shape)
{
	return window_create(shape, KEY_DSO | KEY_SYMBOL, TREE_CALLEES);
}

static void refresh_prepare(void *state)
{
	struct window *window = state;

	model_advance(&window->model);
	model_count(&window->model);
}

static uint64_t refresh_round(void *state)
{
	snapshot_destroy(window_publish(state));
	return 1;
}

const struct stage stages_of_windows[] = {
	{ "fold_symbols", "fold", "rows of functions", fold_symbols_set_up, NULL, fold_rows_round,
	  window_tear_down },
	{ "fold_dsos", "fold", "rows of files", fold_dsos_set_up, NULL, fold_rows_round,
	  window_tear_down },
	{ "fold_tree", "fold", "the tree of callees, in order", fold_tree_set_up, NULL,
	  fold_tree_round, window_tear_down },
	{ "refresh", "refresh", "window, fold of functions, snapshot", refresh_set_up,
	  refresh_prepare, refresh_round, window_tear_down },
	{ "refresh_tree", "refresh", "the same with the tree", refresh_tree_set_up,
	  refresh_prepare, refresh_round, window_tear_down },
	{ .name = NULL },
};
