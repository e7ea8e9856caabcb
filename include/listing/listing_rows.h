/* listing_rows.h - arranges a listing in rows: by source line, by line and instruction, or by
 * instruction. Screen and exports show these rows.
 *
 *   LISTING_SOURCE          LISTING_MIXED               LISTING_ASM
 *   972  segp = dir[n];     972  segp = dir[n];         3052e4  mov ...
 *   984  while (p) {          3052e4  mov ...           3052e8  mov ...
 *   987    match(...)         3052e8  mov ...           305310  test ... ; je
 *          - strcmp (inlined) 984  while (p) {          305319  mov ...
 *
 * Invariant: in every layer the rows with is_sum add up to the function's samples.
 * Thread:    pure; any.
 */
#ifndef LISTING_LISTING_ROWS_H
#define LISTING_LISTING_ROWS_H

#include "listing/listing.h"

enum listing_layer { LISTING_SOURCE, LISTING_MIXED, LISTING_ASM, LISTING_LAYERS };

enum listing_row_kind {
	LISTING_LINE,		/* a source line */
	LISTING_INLINED,	/* a function inlined on the line above it */
	LISTING_INSTRUCTION,
	LISTING_SECTION,	/* the head of a part of the function */
	LISTING_GAP,		/* lines without code */
	LISTING_NOTE,		/* a sentence in place of code */
};

struct listing_row {
	enum listing_row_kind kind;
	uint64_t key;		/* identity, equal in all snapshots; differs between rows */
	uint64_t address;	/* first address of the row's code; UINT64_MAX: it has none */
	const struct code_row *code;	/* INSTRUCTION */
	uint32_t code_count;	/* rows of the document: 2 for a fused pair */
	uint32_t line;		/* 0: unknown */
	uint32_t file;		/* index of the document's lines; UINT32_MAX: unknown */
	uint32_t depth;		/* number of inlined functions around it */
	uint32_t parent;	/* row that this one is below, UINT32_MAX: none */
	const char *text;	/* name, line or sentence: raw, BORROWED from the document */
	size_t text_bytes;
	bool is_sum;		/* counts towards the function: see Invariant */
	bool is_statement;	/* LINE: a probe can be attached here */
	bool can_open, is_open;	/* rows of inlined functions are, or can be, shown below it */
};

#define LISTING_LOOPS_MAX 1024	/* those with the most samples */

/* A loop: the code from the target of a backward jump up to that jump. */
struct listing_loop {
	uint64_t begin, end;	/* addresses [begin, end) */
	double pct;		/* its share of the function, 0..100 */
	uint32_t first, last;	/* hottest loop: rows first <= r <= last; UINT32_MAX: another loop,
				 * or no row shows it */
};

struct listing_options {
	enum listing_layer layer;
	uint32_t event;			/* column by which the hottest loop is chosen */
	const uint64_t *opened;		/* keys of rows that were opened (sorted) */
	uint32_t opened_count;
	bool opens_all;
};

struct listing_rows {
	const struct listing *listing;	/* BORROWED */
	struct listing_row *rows;	/* owned */
	struct load *now, *base;	/* owned: [row * event_count + event]; base NULL: not
					 * compared */
	uint32_t count, capacity;
	struct listing_loop *loops;	/* owned; outer loops before the inner ones */
	uint32_t loop_count, hottest;	/* hottest: index; UINT32_MAX: no loop has samples */
	enum listing_layer layer;	/* the one asked for, or what the document allows */
	const char *why_not;		/* why it is another layer; "": it is the one asked for */
	char *texts;			/* owned */
};

/* Arranges @listing. 0 or -ENOMEM; listing_rows_finish() is needed in every case. Without lines
 * LISTING_SOURCE and LISTING_MIXED become LISTING_ASM, without instructions a note. */
int listing_rows_build(struct listing_rows *out, const struct listing *listing,
		       const struct listing_options *options);
void listing_rows_finish(struct listing_rows *rows);

/* Returns what the row counted of an event, now or in the baseline. */
static inline const struct load *listing_rows_now(const struct listing_rows *rows, uint32_t row,
						  uint32_t event)
{
	return &rows->now[row * rows->listing->event_count + event];
}
static inline const struct load *listing_rows_base(const struct listing_rows *rows, uint32_t row,
						   uint32_t event)
{
	return &rows->base[row * rows->listing->event_count + event];
}

/* Returns how many bytes of code an instruction or a fused pair has; 0: the row is none. */
static inline uint32_t listing_row_length(const struct listing_row *row)
{
	uint32_t bytes = 0;

	for (uint32_t i = 0; row->code && i < row->code_count; i++)
		bytes += row->code[i].length;
	return bytes;
}

/* Returns the share of the row's weight in the function's, 0..100. */
double listing_rows_pct(const struct listing_rows *rows, uint32_t row, uint32_t event);

/* Writes the row's text, sanitized, with names of targets: "call   memcpy@plt". @raw: targets as
 * addresses. Returns its bytes. */
size_t listing_rows_text(const struct listing_rows *rows, uint32_t row, bool raw, char *out,
			 size_t out_bytes);

/* Returns the row that shows @address: the INSTRUCTION, or the LINE; UINT32_MAX: none. */
uint32_t listing_rows_of_address(const struct listing_rows *rows, uint64_t address);
uint32_t listing_rows_of_key(const struct listing_rows *rows, uint64_t key);

/* Returns where the row's jump leads, or UINT64_MAX: it is none, or leads out of the function. */
uint64_t listing_rows_jump(const struct listing_rows *rows, uint32_t row);

#endif
