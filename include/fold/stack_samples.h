/* stack_samples.h - the samples of a window by task and stack, with the places of their frames, for
 * files that other tools open: what a tree of calls has not.
 *
 *   samples   task, node 2: 70          nodes   1 (0, main)   2 (1, parse)
 *             task, node 1: 5           frames  parse: address, DSO, lines
 *
 * A node is (parent node, frame) and stands for a path from the outermost frame; node 0 is above
 * all paths. A parent's number is smaller than its children's.
 *
 * Use:    sample_fold_make() makes them; then stack_samples_requests() and
 *         stack_samples_put_lines() while source lines come; then they are read.
 * Owns:   all its arrays and its text, sanitized; texts are known by their offsets.
 * Thread: the analyzer's until they are published; then immutable, any.
 */
#ifndef FOLD_STACK_SAMPLES_H
#define FOLD_STACK_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build_id.h"
#include "base/id_map.h"
#include "fold/query.h"
#include "fold/source_lines.h"
#include "fold/tree_fold.h"
#include "ingest/symbol_names.h"

struct sampled_dso {
	uint32_t path, name;	/* texts: whole path; short name */
	struct build_id build_id;
	enum cpu_mode mode;
	bool is_run_time;	/* generated code: addresses are those in memory */
	uint64_t low, high;	/* least and greatest address of a frame in it */
};

struct sampled_function {
	uint32_t name, raw_name;	/* texts: as shown; as in its file */
	uint32_t file;		/* text: path as recorded; "": unknown */
	uint32_t first_line;	/* 0: unknown */
	bool is_named;		/* false: `name` is that of the DSO, in brackets */
};

struct sampled_line {
	uint32_t function;
	uint32_t line;		/* 0: unknown */
};

struct sampled_frame {
	uint64_t address;	/* in its DSO, for a caller that of the call; in the kernel: in
				 * memory */
	uint32_t dso;		/* index in `dsos` */
	uint32_t function;	/* its symbol's */
	uint32_t first_line, line_count;	/* range in `lines`: functions inlined there,
						 * innermost first, then the symbol's */
	struct source_request of;
	uint8_t asks;		/* how often its lines were requested */
	double weight;		/* sum of samples that have it on their stack */
};

struct sampled_node {
	uint32_t parent, frame;
};

struct stack_sample {
	uint32_t pid, tid;
	uint32_t comm, cgroup, container;	/* texts; "": none, or unknown */
	uint32_t node;
	struct class_load load;	/* in the window, and compared in the baseline */
};

struct stack_samples {
	struct stack_sample *samples;
	uint32_t count, capacity;
	struct sampled_node *nodes;
	uint32_t node_count, node_capacity;
	struct sampled_frame *frames;
	uint32_t frame_count, frame_capacity;
	struct sampled_line *lines;
	uint32_t line_count, line_capacity;
	struct sampled_function *functions;
	uint32_t function_count, function_capacity;
	struct sampled_dso *dsos;
	uint32_t dso_count, dso_capacity;
	char *text;
	uint32_t text_used, text_capacity;
	struct id_map by_text;		/* str id -> offset of its text */
	struct id_map by_path;		/* (parent, frame) -> node */
	struct id_map by_frame;		/* (frame of the trie, is a leaf) -> frame */
	struct id_map by_symbol;	/* symbol -> its function */
	struct id_map by_place;		/* hash of (name, file, first line) -> function */
	struct id_map by_dso;		/* (DSO, path) -> dso */
	struct class_load load;		/* sum of all samples */
	uint32_t unknown_lines;		/* frames of files whose lines were not found in time */
	bool is_out_of_memory;
	bool has_times;		/* weights are ns that were sampled: the event is a clock */
	bool is_of_hits;	/* the event is a probe */
};

struct stack_samples *stack_samples_create(void);	/* NULL: no memory */
void stack_samples_destroy(struct stack_samples *samples);	/* NULL is fine */

static inline const char *stack_samples_text(const struct stack_samples *samples, uint32_t offset)
{
	return samples->text + offset;
}

/* Each returns the number of the equal row, a new one if there was none. UINT32_MAX: no memory,
 * noted. */
uint32_t stack_samples_text_of(struct stack_samples *samples, const struct strpool *strings,
			       struct str_id id);
uint32_t stack_samples_frame(struct stack_samples *samples, struct symbol_names *names,
			     struct stack_trie *trie, uint32_t frame, bool is_leaf,
			     bool raw_names);
uint32_t stack_samples_node(struct stack_samples *samples, uint32_t parent, uint32_t frame);
/* Adds @sample. */
void stack_samples_add(struct stack_samples *samples, const struct stack_sample *sample);
/* Sums the weights of frames, once all samples were added. */
void stack_samples_weigh(struct stack_samples *samples);

/* Fills @out with the heaviest addresses of user code whose lines are unknown but can be requested;
 * returns their number. Each is requested a few times at most. */
uint32_t stack_samples_requests(struct stack_samples *samples,
				const struct source_lines *lines,
				struct source_request out[SOURCE_REQUESTS_MAX]);
/* Gives each frame its lines, as far as @lines knows them. Call once. 0 or -ENOMEM. */
int stack_samples_put_lines(struct stack_samples *samples, const struct source_lines *lines);

#endif
