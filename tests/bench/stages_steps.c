/* stages_steps.c - what is done for each frame, stack and count of a sample. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "stages_model.h"
#include "symbols/kallsyms.h"

#define LOOK_UPS	100000u
#define NAME_LINES	100000u	/* half of a kernel's */
#define NAME_LINE_BYTES 64

/* Map and symbol look-ups. */

struct look_up_state {
	uint64_t *addresses;		/* owned */
	struct process_maps *map;
	struct model model;		/* its libraries have the names */
};

static struct look_up_state *look_up_set_up(const struct stages_shape *shape)
{
	struct look_up_state *state = stages_allocate(1, sizeof(*state));

	stages_need(shape->frames > 0, "wants frames");
	state->addresses = stages_allocate(LOOK_UPS, sizeof(*state->addresses));
	for (uint32_t i = 0; i < LOOK_UPS; i++)		/* user frames only */
		state->addresses[i] = model_address(shape, model_stack_of(shape, i),
						    i % (shape->frames - shape->frames / 5));
	return state;
}

static void look_up_tear_down(void *state)
{
	struct look_up_state *of = state;

	process_maps_release(of->map);
	if (of->model.events)
		model_finish(&of->model);
	free(of->addresses);
	free(of);
}

static void *map_set_up(const struct stages_shape *shape)
{
	struct look_up_state *state = look_up_set_up(shape);

	state->map = process_maps_create();
	for (uint32_t i = 0; state->map && i < MODEL_DSOS; i++) {
		const struct mapping row = {
			.start = MODEL_USER_BASE + i * MODEL_DSO_BYTES,
			.end = MODEL_USER_BASE + (i + 1) * MODEL_DSO_BYTES, .dso = i,
		};

		stages_need(!process_maps_insert(&state->map, &row), "no memory");
	}
	stages_need(state->map != NULL, "no memory");
	return state;
}

static uint64_t map_round(void *state)
{
	const struct look_up_state *of = state;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < LOOK_UPS; i++) {
		const struct mapping *row = process_maps_find(of->map, of->addresses[i]);

		stages_need(row != NULL, "no mapping");
		sum += mapping_frame_address(row, of->addresses[i]);
	}
	stages_keep(sum);
	return LOOK_UPS;
}

static void *symbol_set_up(const struct stages_shape *shape)
{
	struct look_up_state *state = look_up_set_up(shape);
	uint64_t seed = 1;

	model_init(&state->model, shape);
	model_begin(&state->model);
	for (uint32_t i = 0; i < LOOK_UPS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		state->addresses[i] = MODEL_KERNEL_BASE +
				      (seed >> 33) % (MODEL_KERNEL_FUNCTIONS *
						      MODEL_FUNCTION_BYTES);
	}
	return state;
}

static uint64_t symbol_round(void *state)
{
	const struct look_up_state *of = state;
	const struct dso *kernel = &of->model.ingest.dsos.dsos[DSO_KERNEL];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < LOOK_UPS; i++)
		sum += flat_table_find(&kernel->table, of->addresses[i]);
	stages_keep(sum);
	return LOOK_UPS;
}

/* Names of frames that no fold has asked for yet. */
static void symbols_forget(void *state)
{
	struct look_up_state *of = state;
	struct ingest *ingest = &of->model.ingest;

	for (uint32_t dso = 0; dso < ingest->dsos.count; dso++)
		symbol_names_forget_dso(&ingest->names, &ingest->trie, dso);
}

static uint64_t symbols_round(void *state)
{
	struct look_up_state *of = state;
	struct ingest *ingest = &of->model.ingest;
	uint64_t sum = 0;

	for (uint32_t frame = 0; frame < ingest->trie.frames.count; frame++)
		sum += symbol_names_of_frame(&ingest->names, &ingest->trie, frame);
	stages_keep(sum);
	return ingest->trie.frames.count;
}

/* The names of a kernel, as they are read at the start. */

struct names_state {
	char *text;		/* owned */
	size_t len;
};

static void *names_set_up(const struct stages_shape *shape)
{
	struct names_state *state = stages_allocate(1, sizeof(*state));

	(void)shape;
	state->text = stages_allocate(NAME_LINES, NAME_LINE_BYTES);
	for (uint32_t i = 0; i < NAME_LINES; i++)
		state->len += (size_t)sprintf(state->text + state->len,
					      "%016llx t name_of_function_%u\n",
					      MODEL_KERNEL_BASE + i * 64ull, i);
	return state;
}

static void names_tear_down(void *state)
{
	struct names_state *of = state;

	free(of->text);
	free(of);
}

static uint64_t names_round(void *state)
{
	const struct names_state *of = state;
	struct kallsyms kallsyms;
	struct diag why;

	stages_need(!kallsyms_parse(&kallsyms, of->text, of->len, 0, &why), "no names");
	stages_need(kallsyms.table.header->row_count == NAME_LINES, "names are missing");
	kallsyms_finish(&kallsyms);
	return NAME_LINES;
}

/* Intern. */

struct intern_state {
	struct stages_shape shape;
	uint64_t *addresses;	/* owned; of each stack, the outermost first */
	struct stack_trie trie;
};

static void *intern_set_up(const struct stages_shape *shape)
{
	struct intern_state *state = stages_allocate(1, sizeof(*state));

	stages_need(shape->frames > 0, "wants frames");
	state->shape = *shape;
	state->addresses = model_addresses(shape);
	stages_need(!stack_trie_init(&state->trie), "no memory");
	return state;
}

static void intern_tear_down(void *state)
{
	struct intern_state *of = state;

	stack_trie_finish(&of->trie);
	free(of->addresses);
	free(of);
}

static void intern_forget(void *state)
{
	struct intern_state *of = state;

	stack_trie_finish(&of->trie);
	stages_need(!stack_trie_init(&of->trie), "no memory");
}

static uint32_t intern(struct intern_state *of, uint32_t stack)
{
	const uint64_t *frames = of->addresses + (size_t)stack * of->shape.frames;
	const uint32_t leaf = of->shape.frames - 1;
	uint32_t node = STACK_NODE_ROOT;

	for (uint32_t depth = 0; depth < leaf; depth++)
		node = stack_trie_child(&of->trie, node,
					stack_trie_frame(&of->trie, 1, frames[depth]));
	return stack_trie_stack(&of->trie, node, stack_trie_frame(&of->trie, 1, frames[leaf]));
}

static uint64_t intern_round(void *state)
{
	struct intern_state *of = state;
	const uint32_t count = model_samples(&of->shape);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += intern(of, model_stack_of(&of->shape, i));
	stages_keep(sum);
	return count;
}

static uint64_t intern_new_round(void *state)
{
	struct intern_state *of = state;
	uint64_t sum = 0;

	for (uint32_t stack = 0; stack < of->shape.stacks; stack++)
		sum += intern(of, stack);
	stages_keep(sum);
	return of->shape.stacks;
}

/* Count. */

struct count_state {
	struct stages_shape shape;
	struct timeline timeline;
	uint64_t time_ns;
};

static void *count_set_up(const struct stages_shape *shape)
{
	struct count_state *state = stages_allocate(1, sizeof(*state));

	state->shape = *shape;
	state->time_ns = CLOCK_NS_PER_S;
	stages_need(!timeline_init(&state->timeline, 1), "no memory");
	return state;
}

static void count_tear_down(void *state)
{
	struct count_state *of = state;

	timeline_finish(&of->timeline);
	free(of);
}

static uint64_t count_round(void *state)
{
	struct count_state *of = state;
	const uint32_t count = model_samples(&of->shape);
	const uint64_t step_ns = CLOCK_NS_PER_S / of->shape.rate_hz / of->shape.cpus;

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t seq = of->timeline.open_slice.seq;
		const uint32_t stack = model_stack_of(&of->shape, i);
		const struct slice_entry entry = {
			.task = stack % of->shape.processes, .stack = stack, .count = 1,
			.cpu = i % of->shape.cpus & SLICE_CPU_UNKNOWN, .weight = step_ns,
		};

		of->time_ns += step_ns;
		stages_need(!timeline_add(&of->timeline, of->time_ns, &entry, NULL), "no memory");
		tick_totals_add(&of->timeline.totals, 0, of->time_ns, 1, true);
		if (of->timeline.open_slice.seq != seq)
			timeline_roll_up(&of->timeline, of->time_ns);
	}
	return count;
}

const struct stage stages_of_steps[] = {
	{ "map", "address", "its mapping found", map_set_up, NULL, map_round, look_up_tear_down },
	{ "intern", "stack", "a known stack -> its number", intern_set_up, NULL, intern_round,
	  intern_tear_down },
	{ "intern_new", "stack", "a new stack -> its number", intern_set_up, intern_forget,
	  intern_new_round, intern_tear_down },
	{ "count", "sample", "added to the timeline", count_set_up, NULL, count_round,
	  count_tear_down },
	{ "symbol", "address", "found in a table of 4,000 functions", symbol_set_up, NULL,
	  symbol_round, look_up_tear_down },
	{ "name", "frame", "its symbol, when a fold asks first", symbol_set_up, symbols_forget,
	  symbols_round, look_up_tear_down },
	{ "kallsyms", "line", "names of the kernel read", names_set_up, NULL, names_round,
	  names_tear_down },
	{ .name = NULL },
};
