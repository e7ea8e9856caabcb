/* listing_layers.c - makes the rows of a listing, see listing/listing_rows.h: instructions, by line
 * or alone, and loops; line_tree.c makes those of the source layer.
 *
 * Problem: a backward jump makes a loop, and loops nest: of ten brackets only one is what the user
 * looks for, and the outermost one, often the whole function, is not.
 *
 * Idea: begin with the loop that has the most samples, and go on to a loop inside of it as long as
 * that has more than half of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "listing/listing_rows.h"
#include "row_builder.h"

/* Kinds of keys; instructions are keyed by their address alone. */
#define KEY_OF_HEAD    ((uint64_t)1 << 63)
#define KEY_OF_SECTION ((uint64_t)1 << 62)

static struct listing_row plain_row(enum listing_row_kind kind, uint64_t key)
{
	return (struct listing_row){
		.kind = kind, .key = key, .address = UINT64_MAX, .file = UINT32_MAX,
		.parent = UINT32_MAX, .text = "",
	};
}

static void append_text(struct row_builder *builder, enum listing_row_kind kind, uint64_t key,
			uint64_t address, const char *text)
{
	struct listing_row row = plain_row(kind, key);

	row.address = address;
	row.text = text;
	row.text_bytes = strlen(text);
	row_builder_append(builder, &row);
}

/* The same functions and lines around the code, so both ranges belong below the same heads. */
static bool has_same_chain(const struct line_ranges *lines, const struct line_range *a,
			   const struct line_range *b)
{
	if (!a || !b || a->count != b->count)
		return a == b;
	for (uint32_t i = 0; i < a->count; i++) {
		const struct line_range_frame *left = &lines->frames[a->first + i];
		const struct line_range_frame *right = &lines->frames[b->first + i];

		if (left->function != right->function || left->file != right->file ||
		    left->line != right->line)
			return false;
	}
	return true;
}

/* How many outer frames two chains share. */
static uint32_t shared_frames(const struct line_ranges *lines, const struct line_range *a,
			      const struct line_range *b)
{
	uint32_t shared = 0;

	while (a && b && shared < a->count && shared < b->count) {
		const struct line_range_frame *left =
			&lines->frames[a->first + a->count - 1 - shared];
		const struct line_range_frame *right =
			&lines->frames[b->first + b->count - 1 - shared];

		if (left->function != right->function ||
		    (shared + 1 < a->count && left->line != right->line))
			break;
		shared++;
	}
	return shared;
}

/* Appends the heads above the code at @address: the inlined functions that the code before it,
 * @before, is not in, then its line. Returns the index of the line's row. */
static uint32_t append_heads(struct row_builder *builder, uint64_t address,
			     const struct line_range *range, const struct line_range *before)
{
	const struct listing_document *document = builder->listing->document;
	const struct line_ranges *lines = &document->lines;
	struct listing_row row = plain_row(LISTING_LINE, KEY_OF_HEAD | address);
	const struct line_range_frame *frame = &lines->frames[range->first];
	uint32_t shared = shared_frames(lines, range, before);

	for (shared = shared ? shared : 1; shared < range->count; shared++) {
		const struct line_range_frame *inlined =
			&lines->frames[range->first + range->count - 1 - shared];
		struct listing_row head = plain_row(LISTING_INLINED,
						    KEY_OF_HEAD | address | (uint64_t)shared << 56);

		head.address = address;
		head.depth = shared - 1;
		head.text = line_ranges_text(lines, inlined->function);
		head.text_bytes = strlen(head.text);
		row_builder_append(builder, &head);
	}
	row.address = address;
	row.file = frame->file;
	row.line = frame->line;
	row.depth = range->count - 1;
	row.is_statement = range->flags & LINE_IS_STATEMENT;
	row_builder_set_source(document, &row);
	return row_builder_append(builder, &row);
}

static bool is_fused(const struct code_rows *code, uint32_t i, uint64_t end)
{
	return code->rows[i].flags & CODE_FUSES && i + 1 < code->header->row_count &&
	       code->rows[i + 1].address == code->rows[i].address + code->rows[i].length &&
	       code->rows[i + 1].address < end;
}

/* Appends the instruction, or the pair, at index @i of the document's; returns how many. */
static uint32_t append_instruction(struct row_builder *builder, uint32_t i, uint64_t end,
				   uint32_t parent)
{
	const struct listing_document *document = builder->listing->document;
	const struct code_row *code = &document->code.rows[i];
	const uint32_t count = is_fused(&document->code, i, end) ? 2 : 1;
	const struct code_row *last = code + count - 1;
	struct listing_row row = plain_row(LISTING_INSTRUCTION, code->address);
	const struct line_range *range = listing_range(builder->listing, code->address);
	uint32_t at;

	row.address = code->address;
	row.code = code;
	row.code_count = count;
	row.parent = parent;
	row.is_sum = true;
	row.text = code_rows_text(&document->code, code);
	row.text_bytes = strlen(row.text);
	if (range) {
		row.file = document->lines.frames[range->first].file;
		row.line = document->lines.frames[range->first].line;
		row.depth = parent == UINT32_MAX ? 0 : range->count - 1;
	}
	at = row_builder_append(builder, &row);
	row_builder_count(builder, at, code->address, last->address + last->length);
	return count;
}

static void add_to_head(struct row_builder *builder, uint32_t head, uint32_t row)
{
	const struct listing_rows *out = builder->out;
	const uint32_t events = out->listing->event_count;

	if (head != UINT32_MAX && row < out->count)
		row_builder_add(builder, head, &out->now[row * events],
				out->base ? &out->base[row * events] : NULL);
}

static void append_section_head(struct row_builder *builder, uint32_t section)
{
	const struct listing_section *of = &builder->listing->function.sections[section];

	if (section)
		append_text(builder, LISTING_SECTION, KEY_OF_SECTION | of->begin, of->begin, "");
}

static bool is_within(const struct listing_section *section, uint64_t address)
{
	return address >= section->begin && address < section->end;
}

static void append_section(struct row_builder *builder, uint32_t section, bool has_heads)
{
	const struct listing_document *document = builder->listing->document;
	const struct listing_section *of = &builder->listing->function.sections[section];
	const struct code_row *rows = document->code.rows;
	const uint32_t count = document->code.header->row_count;
	const struct line_range *before = NULL, *range;
	uint32_t head = UINT32_MAX, i = 0;
	bool is_first = true;

	while (i < count && !is_within(of, rows[i].address))
		i++;
	append_section_head(builder, section);
	while (i < count && is_within(of, rows[i].address) && !builder->is_out_of_memory) {
		range = has_heads ? listing_range(builder->listing, rows[i].address) : NULL;
		if (has_heads && (is_first || !has_same_chain(&document->lines, range, before)))
			head = range ? append_heads(builder, rows[i].address, range, before)
				     : UINT32_MAX;
		is_first = false;
		before = range;
		i += append_instruction(builder, i, of->end, head);
		add_to_head(builder, head, builder->out->count - 1);
	}
}

/* Without bytes every address that has samples is a row, all the same. */
static void append_addresses(struct row_builder *builder)
{
	const struct listing *listing = builder->listing;

	for (uint32_t i = 0; i < listing->address_count; i++) {
		struct listing_row row =
			plain_row(LISTING_INSTRUCTION, listing->addresses[i].address);

		row.address = listing->addresses[i].address;
		row.is_sum = true;
		row_builder_add(builder, row_builder_append(builder, &row),
				listing->addresses[i].now, listing->addresses[i].base);
	}
}

/* The layer that the document allows. */
static enum listing_layer allowed_layer(struct listing_rows *out, enum listing_layer wanted)
{
	const struct listing_document *document = out->listing->document;

	out->why_not = "";
	if (wanted == LISTING_ASM)
		return wanted;
	if (!document->has_lines) {
		out->why_not = document->lines_why.err ? document->lines_why.text
			       : document->is_final ? "no source lines"
						     : "source lines are still being read";
		return LISTING_ASM;
	}
	return wanted;
}

static void build_layer(struct row_builder *builder)
{
	const struct listing *listing = builder->listing;

	if (builder->out->layer == LISTING_SOURCE) {
		line_tree_build(builder);
		return;
	}
	if (!listing->document->has_code) {
		append_text(builder, LISTING_NOTE, KEY_OF_SECTION, UINT64_MAX,
			    listing->document->code_why.text);
		append_addresses(builder);
		return;
	}
	for (uint32_t i = 0; i < listing->function.section_count; i++)
		append_section(builder, i, builder->out->layer == LISTING_MIXED);
}

static int compare_loops(const void *a, const void *b)
{
	const struct listing_loop *left = a, *right = b;

	if (left->begin != right->begin)
		return left->begin < right->begin ? -1 : 1;
	return (left->end < right->end) - (left->end > right->end);
}

static bool is_back_jump(const struct listing *listing, const struct code_row *row)
{
	const uint32_t section = listing_function_section(&listing->function, row->address);

	return (row->kind == CODE_JUMP || row->kind == CODE_BRANCH) &&
	       row->flags & CODE_HAS_TARGET && row->target <= row->address &&
	       section != UINT32_MAX &&
	       section == listing_function_section(&listing->function, row->target);
}

#define STEPS_MAX (1u << 22)	/* instructions looked at for the loops of a function: 20 ms */

/* What is_loop() goes through. */
struct loop_walk {
	unsigned char *seen;	/* owned, by instruction; as is the stack */
	uint32_t *stack;
	uint32_t steps;
};

/* Returns the index of the first instruction at or after @address. */
static uint32_t code_at(const struct code_rows *code, uint32_t first, uint32_t end,
			uint64_t address)
{
	while (first < end) {
		const uint32_t middle = first + (end - first) / 2;

		if (code->rows[middle].address < address)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

static bool falls_through(const struct code_row *row)
{
	return row->kind != CODE_JUMP && row->kind != CODE_INDIRECT_JUMP &&
	       row->kind != CODE_RETURN;
}

/* Returns whether the jump back at index @jump is reached from its target without leaving the code
 * between them. It is not where a slow path, moved below the rest, returns to the fast one. */
static bool is_loop(const struct code_rows *code, uint32_t jump, struct loop_walk *walk)
{
	const uint32_t begin = code_at(code, 0, jump + 1, code->rows[jump].target);
	uint32_t depth = 0;

	if (walk->steps > STEPS_MAX)
		return true;
	walk->steps += (jump - begin) / 64;	/* clearing takes time, too, if loops are long */
	memset(walk->seen + begin, 0, jump + 1 - begin);
	walk->stack[depth++] = begin;
	while (depth) {
		uint32_t at = walk->stack[--depth];

		for (; at <= jump && !walk->seen[at]; at++) {
			const struct code_row *row = &code->rows[at];

			if (at == jump || ++walk->steps > STEPS_MAX)
				return true;
			walk->seen[at] = 1;
			if (row->flags & CODE_HAS_TARGET && row->kind != CODE_CALL &&
			    row->target >= code->rows[begin].address &&
			    row->target <= code->rows[jump].address) {
				const uint32_t to = code_at(code, begin, jump + 1, row->target);

				if (!walk->seen[to])
					walk->stack[depth++] = to;
			}
			if (!falls_through(row))
				break;
		}
	}
	return false;
}

/* Several jumps back to one address, as of `continue`, make one loop: the longest. */
static void merge_loops(struct listing_rows *rows)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < rows->loop_count; i++)
		if (!kept || rows->loops[i].begin != rows->loops[kept - 1].begin)
			rows->loops[kept++] = rows->loops[i];
	rows->loop_count = kept;
}

static int heaviest_first(const void *a, const void *b)
{
	const struct listing_loop *left = a, *right = b;

	return left->pct != right->pct ? (left->pct < right->pct) - (left->pct > right->pct)
				       : compare_loops(a, b);
}

/* Machine code of nothing but backward jumps has a loop for every two bytes, each inside of the one
 * before, and choose_loop() compares all with all. */
static void drop_lightest(struct listing_rows *rows)
{
	if (rows->loop_count <= LISTING_LOOPS_MAX)
		return;
	qsort(rows->loops, rows->loop_count, sizeof(*rows->loops), heaviest_first);
	rows->loop_count = LISTING_LOOPS_MAX;
	qsort(rows->loops, rows->loop_count, sizeof(*rows->loops), compare_loops);
}

static bool contains(const struct listing_loop *outer, const struct listing_loop *inner)
{
	return outer != inner && outer->begin <= inner->begin && inner->end <= outer->end;
}

static void choose_loop(struct listing_rows *rows)
{
	struct listing_loop *best = NULL, *inner;

	for (struct listing_loop *loop = rows->loops; loop < rows->loops + rows->loop_count; loop++)
		if (loop->pct > 0 && (!best || loop->pct > best->pct))
			best = loop;
	for (inner = best; inner;) {
		best = inner;
		inner = NULL;
		for (struct listing_loop *loop = rows->loops;
		     loop < rows->loops + rows->loop_count; loop++)
			if (contains(best, loop) && 2 * loop->pct > best->pct &&
			    (!inner || loop->pct > inner->pct))
				inner = loop;
	}
	rows->hottest = best ? (uint32_t)(best - rows->loops) : UINT32_MAX;
}

/* Sets the loops' shares. A function may have thousands of loops: sums of all addresses before each
 * make the sum of any range a subtraction. */
static int weigh_loops(struct listing_rows *rows, uint32_t event)
{
	const struct listing *listing = rows->listing;
	const double whole = listing->now[event].weight;
	double *before = calloc(listing->address_count + 1, sizeof(*before));

	if (!before)
		return -ENOMEM;
	for (uint32_t i = 0; i < listing->address_count; i++)
		before[i + 1] = before[i] + listing->addresses[i].now[event].weight;
	for (uint32_t i = 0; i < rows->loop_count && whole > 0; i++) {
		struct listing_loop *loop = &rows->loops[i];

		loop->pct = 100.0 * (before[row_builder_first_load(listing, loop->end)] -
				     before[row_builder_first_load(listing, loop->begin)]) / whole;
	}
	free(before);
	return 0;
}

/* Finds the loops of the document's code and their shares of @event. 0 or -ENOMEM. */
static int find_loops(struct listing_rows *rows, uint32_t event)
{
	const struct listing *listing = rows->listing;
	const struct code_rows *code = &listing->document->code;
	struct loop_walk walk = { .steps = 0 };
	int err;

	for (uint32_t i = 0; i < code->header->row_count; i++)
		rows->loop_count += is_back_jump(listing, &code->rows[i]);
	rows->loops = calloc(rows->loop_count + 1, sizeof(*rows->loops));
	walk.seen = malloc(code->header->row_count + 1);
	/* Each instruction with a target in the loop is pushed once for each time it is seen. */
	walk.stack = malloc((code->header->row_count + 1) * sizeof(*walk.stack));
	rows->loop_count = 0;
	err = rows->loops && walk.seen && walk.stack ? 0 : -ENOMEM;
	for (uint32_t i = 0; !err && i < code->header->row_count; i++) {
		const struct code_row *row = &code->rows[i];

		if (is_back_jump(listing, row) && is_loop(code, i, &walk))
			rows->loops[rows->loop_count++] = (struct listing_loop){
				.begin = row->target, .end = row->address + row->length,
				.first = UINT32_MAX, .last = UINT32_MAX,
			};
	}
	free(walk.seen);
	free(walk.stack);
	if (err)
		return err;
	qsort(rows->loops, rows->loop_count, sizeof(*rows->loops), compare_loops);
	merge_loops(rows);
	err = weigh_loops(rows, event);
	drop_lightest(rows);
	choose_loop(rows);
	return err;
}

/* Finds the rows that show the hottest loop, where line_tree_build() has not. */
static void place_hottest(struct listing_rows *rows)
{
	struct listing_loop *loop =
		rows->hottest < rows->loop_count ? &rows->loops[rows->hottest] : NULL;

	if (!loop || rows->layer == LISTING_SOURCE)
		return;
	for (uint32_t r = 0; r < rows->count; r++) {
		const struct listing_row *row = &rows->rows[r];

		if (!row->code || row->address + listing_row_length(row) <= loop->begin ||
		    row->address >= loop->end)
			continue;
		if (loop->first == UINT32_MAX)
			loop->first = r;
		loop->last = r;
	}
}

int listing_rows_build(struct listing_rows *out, const struct listing *listing,
		       const struct listing_options *options)
{
	struct row_builder builder = { .out = out, .listing = listing, .options = options };

	*out = (struct listing_rows){ .listing = listing, .hottest = UINT32_MAX, .why_not = "" };
	if (listing->state != LISTING_READY) {
		append_text(&builder, LISTING_NOTE, KEY_OF_SECTION, UINT64_MAX, listing->reason);
		return builder.is_out_of_memory ? -ENOMEM : 0;
	}
	out->layer = allowed_layer(out, options->layer);
	if (listing->document->has_code && find_loops(out, options->event))
		return -ENOMEM;
	build_layer(&builder);
	place_hottest(out);
	return builder.is_out_of_memory ? -ENOMEM : 0;
}
