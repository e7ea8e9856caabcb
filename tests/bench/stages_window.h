/* stages_window.h - a made world of which a window has been counted, and its pictures. */
#ifndef TESTS_STAGES_WINDOW_H
#define TESTS_STAGES_WINDOW_H

#include "analyzer/publisher.h"
#include "stages_world.h"

struct window {
	struct world world;
	struct analyzer_config config;
	struct publisher publisher;
	struct live_window live;
	struct slice sum;
	const struct slice *slices;	/* what is folded; BORROWED */
	uint32_t slice_count;
};

struct window *window_create(const struct stages_shape *shape, unsigned int keys,
			     enum tree_direction tree);
void window_destroy(struct window *window);
/* The caller's: snapshot_destroy(). */
struct snapshot *window_publish(struct window *window);

#endif
