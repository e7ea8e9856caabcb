/* line_tree.c - the rows of the source layer: the lines of a function, what is inlined on a line
 * folded below it.
 *
 *   range of code   strcmp, string.h:12  <  match, dyn.c:40  <  search, dyn.c:987
 *
 *   node            dyn.c:987                  line of the function itself: a row of the listing
 *                   '- match (inlined)         shown when dyn.c:987 is opened
 *                      '- dyn.c:40
 *                         '- strcmp (inlined)
 *                            '- string.h:12
 *
 * Every node counts all code below it, so the outermost lines add up to the function.
 */
#include <stdlib.h>
#include <string.h>

#include "base/id_map.h"
#include "listing/listing_rows.h"
#include "row_builder.h"

#define GAP_LINES  12		/* longer stretches of lines without code are one row */
#define NO_NODE	   UINT32_MAX
/* Debug information may have a chain of 64 inlined calls of its own for every byte of code. What is
 * inlined beyond this many nodes is counted in its outermost line alone. */
#define NODES_MAX  262144

#define KEY_OF_LINE  ((uint64_t)1 << 61)
#define KEY_OF_GAP   ((uint64_t)1 << 60)
#define KEY_BITS     (((uint64_t)1 << 58) - 1)
#define FILE_UNKNOWN UINT32_MAX

struct line_node {
	uint64_t key;
	uint64_t address;	/* first address of its code */
	uint32_t parent, depth;
	uint32_t file, line;	/* is_inlined: unknown */
	uint32_t function;	/* is_inlined: text */
	bool is_inlined, is_statement, has_children;
	double weight;		/* weight of the event that orders the rows */
};

struct line_tree {
	struct row_builder *builder;
	const struct listing *listing;
	const struct line_ranges *lines;
	struct line_node *nodes;	/* owned, as are the next four */
	struct load *now, *base;	/* [node * events + event] */
	uint32_t count, capacity;
	struct id_map by_key;
	uint32_t *order;	/* nodes by parent, then as they are shown */
	uint32_t main_file;
	uint32_t first_line, last_line;
};

static bool is_out_of_memory(struct line_tree *tree)
{
	tree->builder->is_out_of_memory = true;
	return false;
}

static bool grow(struct line_tree *tree)
{
	const size_t events = tree->listing->event_count;
	const uint32_t capacity = tree->capacity ? tree->capacity * 2 : 256;
	struct line_node *nodes = realloc(tree->nodes, capacity * sizeof(*nodes));
	struct load *now = nodes ? realloc(tree->now, capacity * events * sizeof(*now)) : NULL;
	struct load *base = now ? realloc(tree->base, capacity * events * sizeof(*base)) : NULL;

	if (nodes)
		tree->nodes = nodes;
	if (now)
		tree->now = now;
	if (!base)
		return is_out_of_memory(tree);
	tree->base = base;
	tree->capacity = capacity;
	return true;
}

/* Returns the node of @key, a new one if there is none yet; NO_NODE: no memory. */
static uint32_t node_of(struct line_tree *tree, const struct line_node *wanted)
{
	const size_t events = tree->listing->event_count;
	const uint32_t known = id_map_get(&tree->by_key, wanted->key);

	if (known != ID_MAP_NONE)
		return known;
	if ((tree->count == tree->capacity && !grow(tree)) ||
	    id_map_put(&tree->by_key, wanted->key, tree->count)) {
		is_out_of_memory(tree);
		return NO_NODE;
	}
	tree->nodes[tree->count] = *wanted;
	memset(&tree->now[tree->count * events], 0, events * sizeof(*tree->now));
	memset(&tree->base[tree->count * events], 0, events * sizeof(*tree->base));
	if (wanted->parent != NO_NODE)
		tree->nodes[wanted->parent].has_children = true;
	return tree->count++;
}

static uint64_t key_below(const struct line_tree *tree, uint32_t parent, uint64_t what)
{
	const uint64_t above = parent == NO_NODE ? 0 : tree->nodes[parent].key;

	return KEY_OF_LINE | (id_map_mix(id_map_mix(above) ^ what) & KEY_BITS);
}

static uint32_t line_below(struct line_tree *tree, uint32_t parent,
			   const struct line_range_frame *frame, uint64_t address, uint32_t depth)
{
	const struct line_node node = {
		.key = key_below(tree, parent, (uint64_t)frame->file << 32 | frame->line),
		.address = address, .parent = parent, .depth = depth,
		.file = frame->file, .line = frame->line,
	};

	return node_of(tree, &node);
}

static uint32_t function_below(struct line_tree *tree, uint32_t parent,
			       const struct line_range_frame *frame, uint64_t address,
			       uint32_t depth)
{
	const struct line_node node = {
		.key = key_below(tree, parent, (uint64_t)1 << 63 | frame->function),
		.address = address, .parent = parent, .depth = depth, .is_inlined = true,
		.file = FILE_UNKNOWN, .function = frame->function,
	};

	return node_of(tree, &node);
}

static void add_loads(struct line_tree *tree, uint32_t node, uint64_t begin, uint64_t end)
{
	const struct listing *listing = tree->listing;
	const uint32_t events = listing->event_count;

	for (uint32_t i = row_builder_first_load(listing, begin);
	     i < listing->address_count && listing->addresses[i].address < end; i++)
		for (uint32_t event = 0; event < events; event++) {
			load_add(&tree->now[node * events + event],
				 &listing->addresses[i].now[event]);
			load_add(&tree->base[node * events + event],
				 &listing->addresses[i].base[event]);
		}
}

/* Adds the code at begin <= address < end, all of it from the lines of @range. */
static void add_range(struct line_tree *tree, const struct line_range *range, uint64_t begin,
		      uint64_t end)
{
	uint32_t node = NO_NODE;

	for (uint32_t i = range->count; i-- > 0;) {
		const struct line_range_frame *frame = &tree->lines->frames[range->first + i];
		const uint32_t depth = range->count - 1 - i;

		if (depth && tree->count >= NODES_MAX)
			return;
		if (depth) {
			node = function_below(tree, node, frame, begin, depth);
			if (node == NO_NODE)
				return;
			add_loads(tree, node, begin, end);
		}
		node = line_below(tree, node, frame, begin, depth);
		if (node == NO_NODE)
			return;
		add_loads(tree, node, begin, end);
	}
}

static uint64_t place_of(uint32_t file, uint32_t line)
{
	return (uint64_t)file << 32 | line;
}

/* Marks the lines that a probe can be attached to. */
static void mark_statements(struct line_tree *tree)
{
	struct id_map marked = { .used = 0 };

	for (uint32_t i = 0; i < tree->lines->header->statement_count; i++) {
		const struct line_statement *statement = &tree->lines->statements[i];

		if (statement->flags & LINE_IS_MARKED)
			id_map_put(&marked, place_of(statement->file, statement->line), 1);
	}
	for (uint32_t i = 0; i < tree->count; i++) {
		struct line_node *node = &tree->nodes[i];

		node->is_statement = !node->is_inlined && node->line &&
				     id_map_get(&marked, place_of(node->file, node->line)) !=
					     ID_MAP_NONE;
	}
	id_map_finish(&marked);
}

/* Adds code that no line is known of. */
static void add_unknown(struct line_tree *tree, uint64_t begin, uint64_t end)
{
	const struct line_range_frame nowhere = { .file = FILE_UNKNOWN };
	uint32_t node;

	if (row_builder_first_load(tree->listing, begin) ==
	    row_builder_first_load(tree->listing, end))
		return;
	node = line_below(tree, NO_NODE, &nowhere, begin, 0);
	if (node != NO_NODE)
		add_loads(tree, node, begin, end);
}

static void add_section(struct line_tree *tree, const struct listing_section *section)
{
	uint64_t at = section->begin;

	for (uint32_t i = 0; i < tree->lines->header->range_count && at < section->end; i++) {
		const struct line_range *range = &tree->lines->ranges[i];
		const uint64_t end = range->end < section->end ? range->end : section->end;
		const uint64_t begin = range->begin > at ? range->begin : at;

		if (range->end <= at || !range->count)
			continue;
		if (range->begin >= section->end)
			break;
		if (begin > at)
			add_unknown(tree, at, begin);
		add_range(tree, range, begin, end);
		at = end;
	}
	if (at < section->end)
		add_unknown(tree, at, section->end);
}

static const struct line_range_frame *outermost(const struct line_tree *tree,
						const struct line_range *range)
{
	return &tree->lines->frames[range->first + range->count - 1];
}

/* The file of the function is the one that it was declared in; else that of most of its lines. */
static void choose_file(struct line_tree *tree)
{
	const struct line_range *range =
		listing_range(tree->listing, tree->listing->function.sections[0].begin);
	const struct line_range_frame *outer =
		range && range->count ? outermost(tree, range) : NULL;

	tree->main_file = outer ? outer->file : FILE_UNKNOWN;
	for (uint32_t i = 0; i < tree->count && tree->main_file == FILE_UNKNOWN; i++)
		if (!tree->nodes[i].depth)
			tree->main_file = tree->nodes[i].file;
	tree->first_line = UINT32_MAX;
	for (uint32_t i = 0; i < tree->count; i++) {
		const struct line_node *node = &tree->nodes[i];

		if (node->depth || node->file != tree->main_file || !node->line)
			continue;
		if (node->line < tree->first_line)
			tree->first_line = node->line;
		if (node->line > tree->last_line)
			tree->last_line = node->line;
	}
	if (outer && outer->declared_file == tree->main_file && outer->declared_line &&
	    outer->declared_line < tree->first_line)
		tree->first_line = outer->declared_line;
}

static int compare_nodes(const void *a, const void *b, void *context)
{
	const struct line_tree *tree = context;
	const struct line_node *left = &tree->nodes[*(const uint32_t *)a];
	const struct line_node *right = &tree->nodes[*(const uint32_t *)b];
	const bool is_left_main = left->file == tree->main_file;

	if (left->parent != right->parent)
		return left->parent < right->parent ? -1 : 1;
	if (left->weight != right->weight && left->is_inlined)
		return left->weight > right->weight ? -1 : 1;
	if (left->file != right->file) {
		if (is_left_main || right->file == tree->main_file)
			return is_left_main ? -1 : 1;
		return left->file < right->file ? -1 : 1;
	}
	if (left->line != right->line)
		return left->line < right->line ? -1 : 1;
	return (left->address > right->address) - (left->address < right->address);
}

static bool sort(struct line_tree *tree)
{
	const uint32_t events = tree->listing->event_count;

	tree->order = malloc((tree->count + 1) * sizeof(*tree->order));
	if (!tree->order)
		return is_out_of_memory(tree);
	for (uint32_t i = 0; i < tree->count; i++) {
		tree->order[i] = i;
		tree->nodes[i].weight =
			tree->now[i * events + tree->builder->options->event].weight;
	}
	qsort_r(tree->order, tree->count, sizeof(*tree->order), compare_nodes, tree);
	return true;
}

/* Returns where the children of @parent begin in the order. */
static uint32_t first_child(const struct line_tree *tree, uint32_t parent)
{
	uint32_t low = 0, high = tree->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (tree->nodes[tree->order[middle]].parent < parent)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_opened(const struct line_tree *tree, uint64_t key)
{
	const struct listing_options *options = tree->builder->options;
	uint32_t low = 0, high = options->opened_count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (options->opened[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return options->opens_all || (low < options->opened_count && options->opened[low] == key);
}

static struct listing_row row_of(const struct line_tree *tree, const struct line_node *node,
				 uint32_t parent_row)
{
	struct listing_row row = {
		.kind = node->is_inlined ? LISTING_INLINED : LISTING_LINE, .key = node->key,
		.address = node->address, .file = node->file, .line = node->line,
		.depth = node->depth, .parent = parent_row, .text = "",
		.is_sum = node->parent == NO_NODE, .is_statement = node->is_statement,
		.can_open = node->has_children,
	};

	row.is_open = row.can_open && is_opened(tree, row.key);
	if (node->is_inlined) {
		row.text = line_ranges_text(tree->lines, node->function);
		row.text_bytes = strlen(row.text);
	} else if (!node->line) {
		row.text = "code without a source line";
		row.text_bytes = strlen(row.text);
	} else {
		row_builder_set_source(tree->listing->document, &row);
	}
	return row;
}

/* Appends the node and, below it, what was opened. */
static void append_node(struct line_tree *tree, uint32_t index, uint32_t parent_row)
{
	const uint32_t events = tree->listing->event_count;
	const struct line_node *node = &tree->nodes[index];
	const struct listing_row row = row_of(tree, node, parent_row);
	const uint32_t at = row_builder_append(tree->builder, &row);

	row_builder_add(tree->builder, at, &tree->now[index * events],
			&tree->base[index * events]);
	if (!row.is_open || at == UINT32_MAX)
		return;
	for (uint32_t i = first_child(tree, index);
	     i < tree->count && tree->nodes[tree->order[i]].parent == index; i++)
		append_node(tree, tree->order[i], at);
}

/* Appends the lines from @line up to @end that have no code; one row if there are many. */
static void append_between(struct line_tree *tree, uint32_t line, uint32_t end)
{
	struct listing_row row = {
		.kind = LISTING_GAP, .address = UINT64_MAX, .file = tree->main_file, .line = line,
		.parent = UINT32_MAX, .text = "", .key = KEY_OF_GAP | line,
	};
	const struct listing_source *sources = tree->listing->document->sources;
	const bool has_text = sources && tree->main_file != FILE_UNKNOWN &&
			      sources[tree->main_file].file;

	if (!has_text || line >= end)
		return;
	if (end - line > GAP_LINES) {
		row.code_count = end - line;
		row_builder_append(tree->builder, &row);
		return;
	}
	for (; line < end; line++) {
		row.kind = LISTING_LINE;
		row.line = line;
		row.key = KEY_OF_GAP | line;
		row.text = "";
		row.text_bytes = 0;
		row_builder_set_source(tree->listing->document, &row);
		row_builder_append(tree->builder, &row);
	}
}

static void append_file_head(struct line_tree *tree, uint32_t file)
{
	struct listing_row row = {
		.kind = LISTING_SECTION, .key = KEY_OF_GAP | (uint64_t)1 << 40 | file,
		.address = UINT64_MAX, .file = file, .parent = UINT32_MAX, .text = "",
	};
	const char *path, *slash;

	if (file == FILE_UNKNOWN || file == tree->main_file)
		return;
	path = line_ranges_text(tree->lines, tree->lines->files[file].path);
	slash = strrchr(path, '/');
	row.text = slash ? slash + 1 : path;
	row.text_bytes = strlen(row.text);
	row_builder_append(tree->builder, &row);
}

static void append_rows(struct line_tree *tree)
{
	uint32_t next = tree->first_line, file = tree->main_file;

	for (uint32_t i = first_child(tree, NO_NODE); i < tree->count; i++) {
		const struct line_node *node = &tree->nodes[tree->order[i]];

		if (node->file == tree->main_file && node->line) {
			append_between(tree, next, node->line);
			next = node->line + 1;
		} else if (node->file != file) {
			append_file_head(tree, node->file);
		}
		file = node->file;
		append_node(tree, tree->order[i], UINT32_MAX);
	}
}

/* Finds the rows from the first to the last line of the hottest loop's code. */
static void place_hottest(struct line_tree *tree)
{
	struct listing_rows *out = tree->builder->out;
	struct listing_loop *loop =
		out->hottest < out->loop_count ? &out->loops[out->hottest] : NULL;
	uint32_t first = UINT32_MAX, last = 0;

	for (uint32_t i = 0; loop && i < tree->lines->header->range_count; i++) {
		const struct line_range *range = &tree->lines->ranges[i];
		const struct line_range_frame *outer;

		if (range->end <= loop->begin || range->begin >= loop->end || !range->count)
			continue;
		outer = outermost(tree, range);
		if (outer->file != tree->main_file || !outer->line)
			continue;
		first = outer->line < first ? outer->line : first;
		last = outer->line > last ? outer->line : last;
	}
	for (uint32_t r = 0; loop && r < out->count; r++) {
		const struct listing_row *row = &out->rows[r];

		if (row->depth || row->kind == LISTING_SECTION || row->file != tree->main_file ||
		    row->line < first || row->line > last)
			continue;
		if (loop->first == UINT32_MAX)
			loop->first = r;
		loop->last = r;
	}
}

void line_tree_build(struct row_builder *builder)
{
	const struct listing *listing = builder->listing;
	struct line_tree tree = {
		.builder = builder, .listing = listing, .lines = &listing->document->lines,
	};

	for (uint32_t i = 0; i < listing->function.section_count; i++)
		add_section(&tree, &listing->function.sections[i]);
	choose_file(&tree);
	mark_statements(&tree);
	if (!builder->is_out_of_memory && sort(&tree)) {
		append_rows(&tree);
		place_hottest(&tree);
	}
	free(tree.nodes);
	free(tree.now);
	free(tree.base);
	free(tree.order);
	id_map_finish(&tree.by_key);
}
