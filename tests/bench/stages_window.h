/* stages_window.h - a fixture with a counted window, and its snapshots. */
#ifndef TESTS_STAGES_WINDOW_H
#define TESTS_STAGES_WINDOW_H

#include "analyzer/publisher.h"
#include "stages_model.h"

struct window {
	struct model model;
	struct analyzer_config config;
	struct publisher publisher;
	struct live_window live;
	struct slice sum;
	const struct slice *slices;	/* to be folded; BORROWED */
	uint32_t slice_count;
};

struct window *window_create(const struct stages_shape *shape, unsigned int keys,
			     enum tree_direction tree);
void window_destroy(struct window *window);
/* The caller's: snapshot_destroy(). */
struct snapshot *window_publish(struct window *window);

#endif
