/* stack_samples.c - see fold/stack_samples.h. */
#include "fold/stack_samples.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
/* The screen's own requests may take the place of those of a file. */
#define ASKS_MAX 3

/* Makes room for one more row of @bytes. False: out of memory, noted. */
static bool reserve(struct stack_samples *samples, void **rows, uint32_t count,
		    uint32_t *capacity, size_t bytes)
{
	const uint32_t more = *capacity ? *capacity * 2 : 256;
	void *bigger;

	if (count < *capacity)
		return true;
	bigger = more > *capacity ? realloc(*rows, more * bytes) : NULL;
	if (!bigger) {
		samples->is_out_of_memory = true;
		return false;
	}
	*rows = bigger;
	*capacity = more;
	return true;
}

#define RESERVE(samples, list, count, capacity)                                                    \
	reserve(samples, (void **)&(samples)->list, (samples)->count, &(samples)->capacity,        \
		sizeof(*(samples)->list))

/* Returns @row after noting that the map has no memory; then NONE. */
static uint32_t note(struct stack_samples *samples, struct id_map *map, uint64_t key, uint32_t row)
{
	if (!id_map_put(map, key, row))
		return row;
	samples->is_out_of_memory = true;
	return NONE;
}

/* Returns the offset of a copy of @text, which is sanitized. NONE: out of memory, noted. */
static uint32_t put_text(struct stack_samples *samples, const char *text)
{
	const size_t bytes = strlen(text) + 1;
	uint64_t capacity = samples->text_capacity ? samples->text_capacity : 4096;
	const uint32_t at = samples->text_used;
	char *bigger;

	while (capacity - at < bytes)
		capacity *= 2;
	if (capacity > samples->text_capacity) {
		bigger = capacity < UINT32_MAX ? realloc(samples->text, capacity) : NULL;
		if (!bigger) {
			samples->is_out_of_memory = true;
			return NONE;
		}
		samples->text = bigger;
		samples->text_capacity = (uint32_t)capacity;
	}
	memcpy(samples->text + at, text, bytes);
	samples->text_used += (uint32_t)bytes;
	return at;
}

struct stack_samples *stack_samples_create(void)
{
	struct stack_samples *samples = calloc(1, sizeof(*samples));

	if (!samples)
		return NULL;
	put_text(samples, "");
	if (RESERVE(samples, nodes, node_count, node_capacity))
		samples->nodes[samples->node_count++] = (struct sampled_node){ 0, NONE };
	if (!samples->is_out_of_memory)
		return samples;
	stack_samples_destroy(samples);
	return NULL;
}

void stack_samples_destroy(struct stack_samples *samples)
{
	if (!samples)
		return;
	free(samples->samples);
	free(samples->nodes);
	free(samples->frames);
	free(samples->lines);
	free(samples->functions);
	free(samples->dsos);
	free(samples->text);
	id_map_finish(&samples->by_text);
	id_map_finish(&samples->by_path);
	id_map_finish(&samples->by_frame);
	id_map_finish(&samples->by_symbol);
	id_map_finish(&samples->by_place);
	id_map_finish(&samples->by_dso);
	free(samples);
}

uint32_t stack_samples_text_of(struct stack_samples *samples, const struct strpool *strings,
			       struct str_id id)
{
	uint32_t at = id.v ? id_map_get(&samples->by_text, id.v) : 0;

	if (at != ID_MAP_NONE)
		return at;
	at = put_text(samples, strpool_get(strings, id));
	return at == NONE ? NONE : note(samples, &samples->by_text, id.v, at);
}

static uint32_t dso_of(struct stack_samples *samples, const struct symbol_names *names,
			  const struct symbol *symbol)
{
	/* Modules of the kernel have one DSO with it, and are told apart by their names. */
	const uint64_t key = (uint64_t)symbol->dso << 32 | symbol->dso_path.v;
	const struct dso *dso = &names->dsos->dsos[symbol->dso];
	uint32_t at = id_map_get(&samples->by_dso, key);

	if (at != ID_MAP_NONE)
		return at;
	if (!RESERVE(samples, dsos, dso_count, dso_capacity))
		return NONE;
	at = samples->dso_count++;
	samples->dsos[at] = (struct sampled_dso){
		.path = stack_samples_text_of(samples, names->strings, symbol->dso_path),
		.name = stack_samples_text_of(samples, names->strings, symbol->dso_name),
		.build_id = symbol->dso_path.v == dso->path.v ? dso->build_id
							      : (struct build_id){ .count = 0 },
		.mode = symbol->mode, .is_run_time = dso->is_run_time || dso->is_jit,
		.low = UINT64_MAX,
	};
	return note(samples, &samples->by_dso, key, at);
}

/* Returns the number of the function that equals @like. NONE: out of memory, noted. */
static uint32_t function_like(struct stack_samples *samples, const struct sampled_function *like)
{
	const uint64_t key = id_set_mix(id_set_mix((uint64_t)like->name << 32 | like->raw_name,
						   (uint64_t)like->file << 32 | like->first_line),
					like->is_named);
	uint32_t function = id_map_get(&samples->by_place, key);

	if (function != ID_MAP_NONE)
		return function;
	if (!RESERVE(samples, functions, function_count, function_capacity))
		return NONE;
	function = samples->function_count++;
	samples->functions[function] = *like;
	return note(samples, &samples->by_place, key, function);
}

/* Returns the text of "[libc.so.6]", for code without a name. */
static uint32_t put_bracketed(struct stack_samples *samples, uint32_t name)
{
	const char *text = stack_samples_text(samples, name);
	const size_t room = strlen(text) + sizeof("[]");
	uint32_t at = NONE;
	char *own;

	if (text[0] == '[')
		return name;
	own = malloc(room);
	samples->is_out_of_memory |= !own;
	if (own) {
		snprintf(own, room, "[%s]", text);
		at = put_text(samples, own);
	}
	free(own);
	return at;
}

static uint32_t function_of(struct stack_samples *samples, const struct symbol_names *names,
			    uint32_t id, uint32_t dso, bool raw_names)
{
	const struct symbol *symbol = &names->symbols[id];
	const bool is_named = symbol->state == SYMBOL_NAMED || symbol->state == SYMBOL_NO_MAP;
	/* Code without a name has a symbol for each address, and one function for all. */
	const uint64_t key = is_named ? id : UINT64_C(1) << 32 | dso;
	uint32_t function = id_map_get(&samples->by_symbol, key);
	struct sampled_function made = { .is_named = is_named };

	if (function != ID_MAP_NONE)
		return function;
	if (is_named) {
		made.raw_name = stack_samples_text_of(samples, names->strings, symbol->name);
		made.name = raw_names ? made.raw_name
				      : stack_samples_text_of(samples, names->strings,
							      symbol_names_shown(names, symbol));
	} else {
		made.name = made.raw_name =
			put_bracketed(samples, samples->dsos[dso].name);
	}
	if (samples->is_out_of_memory)
		return NONE;
	function = function_like(samples, &made);
	return function == NONE ? NONE : note(samples, &samples->by_symbol, key, function);
}

uint32_t stack_samples_frame(struct stack_samples *samples, struct symbol_names *names,
			     struct stack_trie *trie, uint32_t frame, bool is_leaf, bool raw_names)
{
	const uint64_t key = (uint64_t)frame << 1 | is_leaf;
	const uint32_t known = id_map_get(&samples->by_frame, key);
	const uint32_t symbol = symbol_names_of_frame(names, trie, frame);
	struct sampled_frame made;
	struct sampled_dso *dso;

	if (known != ID_MAP_NONE)
		return known;
	if (symbol == ID_SET_NONE || !RESERVE(samples, frames, frame_count, frame_capacity)) {
		samples->is_out_of_memory = true;
		return NONE;
	}
	made = (struct sampled_frame){ .of = source_lines_of_frame(names, trie, frame, is_leaf) };
	made.address = made.of.address;
	made.dso = dso_of(samples, names, &names->symbols[symbol]);
	if (made.dso == NONE)
		return NONE;
	made.function = function_of(samples, names, symbol, made.dso, raw_names);
	if (made.function == NONE)
		return NONE;
	dso = &samples->dsos[made.dso];
	dso->low = made.address < dso->low ? made.address : dso->low;
	dso->high = made.address > dso->high ? made.address : dso->high;
	samples->frames[samples->frame_count] = made;
	return note(samples, &samples->by_frame, key, samples->frame_count++);
}

uint32_t stack_samples_node(struct stack_samples *samples, uint32_t parent, uint32_t frame)
{
	const uint64_t key = (uint64_t)parent << 32 | frame;
	const uint32_t known = id_map_get(&samples->by_path, key);

	if (known != ID_MAP_NONE)
		return known;
	if (!RESERVE(samples, nodes, node_count, node_capacity))
		return NONE;
	samples->nodes[samples->node_count] = (struct sampled_node){ parent, frame };
	return note(samples, &samples->by_path, key, samples->node_count++);
}

void stack_samples_add(struct stack_samples *samples, const struct stack_sample *sample)
{
	if (!RESERVE(samples, samples, count, capacity))
		return;
	samples->samples[samples->count++] = *sample;
	class_load_add(&samples->load, &sample->load);
}

void stack_samples_weigh(struct stack_samples *samples)
{
	double *weights = calloc(samples->node_count, sizeof(*weights));

	if (!weights) {
		samples->is_out_of_memory = true;
		return;
	}
	for (uint32_t i = 0; i < samples->count; i++) {
		const struct class_load *load = &samples->samples[i].load;

		weights[samples->samples[i].node] += load->now.weight + load->base.weight;
	}
	for (uint32_t n = samples->node_count - 1; n > 0; n--) {
		samples->frames[samples->nodes[n].frame].weight += weights[n];
		weights[samples->nodes[n].parent] += weights[n];
	}
	free(weights);
}

static bool is_unknown(const struct stack_samples *samples, const struct sampled_frame *frame,
		       const struct source_lines *lines)
{
	return samples->dsos[frame->dso].mode == MODE_USER && frame->asks < ASKS_MAX &&
	       !inline_chains_find(&lines->inlined, frame->of.dso, frame->of.address) &&
	       !inline_chains_are_full(&lines->inlined) &&
	       source_lines_can_be_requested(lines, &frame->of);
}

static uint64_t request_key(const struct source_request *of)
{
	return id_set_mix(of->dso, of->address);
}

static void note_asked(struct stack_samples *samples, const struct source_ranking *ranking)
{
	struct id_map asked = { 0 };

	for (uint32_t i = 0; i < ranking->count; i++)
		if (id_map_put(&asked, request_key(&ranking->requests[i]), i))
			samples->is_out_of_memory = true;
	for (uint32_t i = 0; ranking->count && i < samples->frame_count; i++) {
		struct sampled_frame *frame = &samples->frames[i];

		if (frame->weight >= ranking->weights[ranking->count - 1] &&
		    id_map_get(&asked, request_key(&frame->of)) != ID_MAP_NONE)
			frame->asks++;
	}
	id_map_finish(&asked);
}

uint32_t stack_samples_requests(struct stack_samples *samples,
				const struct source_lines *lines,
				struct source_request out[SOURCE_REQUESTS_MAX])
{
	struct source_ranking ranking = { .requests = out };

	for (uint32_t i = 0; i < samples->frame_count; i++) {
		const struct sampled_frame *frame = &samples->frames[i];

		if (source_ranking_has_room(&ranking, frame->weight) &&
		    is_unknown(samples, frame, lines))
			source_ranking_add(&ranking, &frame->of, frame->weight);
	}
	note_asked(samples, &ranking);
	return ranking.count;
}

static void add_line(struct stack_samples *samples, struct sampled_frame *frame,
		     const struct sampled_function *function, uint32_t line)
{
	const uint32_t number = function_like(samples, function);

	if (number == NONE || !RESERVE(samples, lines, line_count, line_capacity))
		return;
	samples->lines[samples->line_count++] = (struct sampled_line){ number, line };
	frame->line_count++;
}

static const struct inline_place *place_at(const struct inline_chains *chains,
					   const struct inline_chain *chain, uint32_t level)
{
	return chain && level < chain->place_count ? &chains->places[chain->first_place + level]
						   : NULL;
}

/* @chain NULL: not known. @known: a place of the symbol, for its file and first line. */
static void put_chain(struct stack_samples *samples, struct sampled_frame *frame,
		      const struct inline_chains *chains, const struct inline_chain *chain,
		      const struct inline_place *known)
{
	const uint32_t inlined = chain ? chain->count : 0;

	frame->first_line = samples->line_count;
	for (uint32_t i = 0; i <= inlined; i++) {
		const struct inline_place *place = place_at(chains, chain, i);
		const struct inline_place *of = !place && i == inlined ? known : place;
		struct sampled_function function = samples->functions[frame->function];

		if (i < inlined) {
			function.name = function.raw_name = stack_samples_text_of(
				samples, chains->strings, chains->functions[chain->first + i]);
			function.is_named = true;
		}
		function.file =
			of ? stack_samples_text_of(samples, chains->strings, of->file) : 0;
		function.first_line = of ? of->first_line : 0;
		if (!samples->is_out_of_memory)
			add_line(samples, frame, &function, place ? place->line : 0);
	}
}

static const struct inline_chain *chain_of(const struct sampled_frame *frame,
					   const struct inline_chains *chains)
{
	return inline_chains_find(chains, frame->of.dso, frame->of.address);
}

/* Returns for each function of a symbol a place in it: where lines of some of its frames are not
 * known, it is the same function as where they are. NULL: out of memory. */
static struct inline_place *learn_places(const struct stack_samples *samples,
					 const struct inline_chains *chains)
{
	struct inline_place *places = calloc(samples->function_count + 1, sizeof(*places));

	for (uint32_t i = 0; places && i < samples->frame_count; i++) {
		const struct sampled_frame *frame = &samples->frames[i];
		const struct inline_chain *chain = chain_of(frame, chains);
		const struct inline_place *place =
			chain ? place_at(chains, chain, chain->count) : NULL;

		if (place && place->file.v && !places[frame->function].file.v)
			places[frame->function] = *place;
	}
	return places;
}

int stack_samples_put_lines(struct stack_samples *samples, const struct source_lines *lines)
{
	const struct inline_chains *chains = &lines->inlined;
	struct inline_place *places = learn_places(samples, chains);

	for (uint32_t i = 0; places && i < samples->frame_count && !samples->is_out_of_memory;
	     i++) {
		struct sampled_frame *frame = &samples->frames[i];

		samples->unknown_lines += is_unknown(samples, frame, lines);
		put_chain(samples, frame, chains, chain_of(frame, chains),
			  &places[frame->function]);
	}
	samples->is_out_of_memory |= !places;
	free(places);
	return samples->is_out_of_memory ? -ENOMEM : 0;
}
