/* listing_rows.c - see listing/listing_rows.h. */
#include "listing/listing_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize.h"
#include "row_builder.h"

#define OPERANDS_COLUMN 7	/* where operands begin, as in objdump(1) */

uint32_t row_builder_first_load(const struct listing *listing, uint64_t address)
{
	uint32_t low = 0, high = listing->address_count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (listing->addresses[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool grow(struct listing_rows *out)
{
	const size_t events = out->listing->event_count;
	const uint32_t capacity = out->capacity ? out->capacity * 2 : 256;
	struct listing_row *rows = realloc(out->rows, capacity * sizeof(*rows));
	struct load *now = rows ? realloc(out->now, capacity * events * sizeof(*now)) : NULL;
	struct load *base = NULL;

	if (rows)
		out->rows = rows;
	if (now)
		out->now = now;
	if (!now)
		return false;
	if (out->listing->is_compared) {
		base = realloc(out->base, capacity * events * sizeof(*base));
		if (!base)
			return false;
		out->base = base;
	}
	out->capacity = capacity;
	return true;
}

uint32_t row_builder_append(struct row_builder *builder, const struct listing_row *row)
{
	struct listing_rows *out = builder->out;
	const size_t events = out->listing->event_count;

	if (builder->is_out_of_memory || (out->count == out->capacity && !grow(out))) {
		builder->is_out_of_memory = true;
		return UINT32_MAX;
	}
	out->rows[out->count] = *row;
	memset(&out->now[out->count * events], 0, events * sizeof(*out->now));
	if (out->base)
		memset(&out->base[out->count * events], 0, events * sizeof(*out->base));
	return out->count++;
}

void row_builder_add(struct row_builder *builder, uint32_t row, const struct load *now,
		     const struct load *base)
{
	struct listing_rows *out = builder->out;
	const uint32_t events = out->listing->event_count;

	if (row == UINT32_MAX)
		return;
	for (uint32_t event = 0; event < events; event++) {
		load_add(&out->now[row * events + event], &now[event]);
		if (out->base && base)
			load_add(&out->base[row * events + event], &base[event]);
	}
}

void row_builder_count(struct row_builder *builder, uint32_t row, uint64_t begin, uint64_t end)
{
	const struct listing *listing = builder->listing;

	for (uint32_t i = row_builder_first_load(listing, begin);
	     i < listing->address_count && listing->addresses[i].address < end; i++)
		row_builder_add(builder, row, listing->addresses[i].now,
				listing->addresses[i].base);
}

void row_builder_set_source(const struct listing_document *document, struct listing_row *row)
{
	const struct source_file *file;
	const char *text;

	if (!document->sources || row->file == UINT32_MAX || !row->line)
		return;
	file = document->sources[row->file].file;
	text = file ? source_file_line(file, row->line, &row->text_bytes) : NULL;
	row->text = text ? text : "";
	if (!text)
		row->text_bytes = 0;
}

void listing_rows_finish(struct listing_rows *rows)
{
	free(rows->rows);
	free(rows->now);
	free(rows->base);
	free(rows->loops);
	memset(rows, 0, sizeof(*rows));
}

double listing_rows_pct(const struct listing_rows *rows, uint32_t row, uint32_t event)
{
	const double whole = rows->listing->now[event].weight;

	return whole > 0 ? 100.0 * listing_rows_now(rows, row, event)->weight / whole : 0;
}

/* Writes where an instruction leads, or what it refers to, after its operands. */
static int write_target(const struct listing *listing, const struct code_row *code, bool is_raw,
			char *out, size_t bytes)
{
	const char *sign = code->flags & CODE_REFERS ? "  # " : "";
	const struct listing_target *target =
		is_raw ? NULL : listing_find_target(listing, code->target);

	if (!(code->flags & (CODE_HAS_TARGET | CODE_REFERS)))
		return snprintf(out, bytes, "%s", "");
	if (!target)
		return snprintf(out, bytes, "%s%" PRIx64, sign, code->target);
	if (!target->offset)
		return snprintf(out, bytes, "%s%s", sign, target->name);
	return snprintf(out, bytes, "%s%s+0x%" PRIx64, sign, target->name, target->offset);
}

/* Writes one instruction with its target. Returns its bytes, or more than @bytes: it was cut. */
static size_t write_code(const struct listing *listing, const struct code_row *code, bool is_raw,
			 char *out, size_t bytes)
{
	const char *text = code_rows_text(&listing->document->code, code);
	const size_t mnemonic = strcspn(text, " ");
	const char *operands = text + mnemonic + strspn(text + mnemonic, " ");
	const bool has_more = operands[0] || code->flags & (CODE_HAS_TARGET | CODE_REFERS);
	size_t used = (size_t)snprintf(out, bytes, "%-*.*s%s%s", has_more ? OPERANDS_COLUMN - 1 : 0,
				       (int)mnemonic, text, has_more ? " " : "", operands);

	if (used < bytes)
		used += (size_t)write_target(listing, code, is_raw, out + used, bytes - used);
	return used;
}

#define TEXT_BYTES 4096
#define TAB_COLUMNS 8

/* Copies the row's text, cut to the buffer, with spaces for tabs. Returns its bytes. */
static size_t expand_tabs(const struct listing_row *row, char out[TEXT_BYTES])
{
	size_t used = 0;

	for (size_t i = 0; i < row->text_bytes && used + TAB_COLUMNS < TEXT_BYTES; i++) {
		if (row->text[i] != '\t') {
			out[used++] = row->text[i];
			continue;
		}
		do
			out[used++] = ' ';
		while (used % TAB_COLUMNS);
	}
	return used;
}

size_t listing_rows_text(const struct listing_rows *rows, uint32_t index, bool is_raw, char *out,
			 size_t out_bytes)
{
	const struct listing_row *row = &rows->rows[index];
	char text[TEXT_BYTES];
	size_t used = 0;

	if (row->kind == LISTING_SECTION && !row->text_bytes)
		used = (size_t)snprintf(text, sizeof(text), "moved part, at %" PRIx64,
					row->address);
	else if (row->code)
		for (uint32_t i = 0; i < row->code_count && used < sizeof(text) / 2; i++) {
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s",
						 i ? " ; " : "");
			used += write_code(rows->listing, row->code + i, is_raw,
						   text + used, sizeof(text) - used);
		}
	else
		used = expand_tabs(row, text);
	return sanitize_text(out, out_bytes, text, used < sizeof(text) ? used : sizeof(text) - 1);
}

uint32_t listing_rows_of_key(const struct listing_rows *rows, uint64_t key)
{
	for (uint32_t i = 0; i < rows->count; i++)
		if (rows->rows[i].key == key)
			return i;
	return UINT32_MAX;
}

uint32_t listing_rows_of_address(const struct listing_rows *rows, uint64_t address)
{
	const struct line_range *range;

	for (uint32_t i = 0; i < rows->count; i++) {
		const struct listing_row *row = &rows->rows[i];

		for (uint32_t c = 0; row->code && c < row->code_count; c++)
			if (address >= row->code[c].address &&
			    address < row->code[c].address + row->code[c].length)
				return i;
	}
	range = rows->layer == LISTING_SOURCE ? listing_range(rows->listing, address) : NULL;
	if (!range)
		return UINT32_MAX;
	for (uint32_t i = 0; i < rows->count; i++) {
		const struct line_range_frame *frame =
			&rows->listing->document->lines.frames[range->first + range->count - 1];

		if (rows->rows[i].kind == LISTING_LINE && !rows->rows[i].depth &&
		    rows->rows[i].file == frame->file && rows->rows[i].line == frame->line)
			return i;
	}
	return UINT32_MAX;
}

uint64_t listing_rows_jump(const struct listing_rows *rows, uint32_t index)
{
	const struct listing_row *row = &rows->rows[index];

	for (uint32_t i = 0; row->code && i < row->code_count; i++)
		if ((row->code[i].kind == CODE_JUMP || row->code[i].kind == CODE_BRANCH) &&
		    row->code[i].flags & CODE_HAS_TARGET &&
		    listing_function_section(&rows->listing->function, row->code[i].target) !=
			    UINT32_MAX)
			return row->code[i].target;
	return UINT64_MAX;
}
