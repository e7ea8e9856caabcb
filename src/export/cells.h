/* cells.h - the lines of a table in CSV or in Markdown, cell by cell.
 *
 * Use:    one function writes a row, and is called for every line: first with line CELLS_TITLES and
 *         a row that is empty, for Markdown again with CELLS_RULES, then with CELLS_VALUES for each
 *         row. So a title can't stand above another column. cells_end() ends each line.
 * Names:  a column has one for programs, in CSV, and one for people, in Markdown; NULL: it is not
 *         in that format. Programs get all digits, people two decimals.
 * Absent: a value that is not known is an empty cell, never 0.
 * Thread: any. Errors stay in @out (ferror(3)). */
#ifndef EXPORT_CELLS_H
#define EXPORT_CELLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "export/print.h"
#include "fold/tree.h"

enum cells_line { CELLS_TITLES, CELLS_RULES, CELLS_VALUES };

struct cells {
	FILE *out;
	enum table_style style;
	enum cells_line line;
	uint32_t count;		/* cells of the line so far */
};

/* @text is sanitized. A word is one of flametop's own, as "new". */
void cells_text(struct cells *cells, const char *csv, const char *markdown, const char *text);
void cells_word(struct cells *cells, const char *csv, const char *markdown, const char *word);
void cells_count(struct cells *cells, const char *csv, const char *markdown, uint64_t count);
void cells_number(struct cells *cells, const char *csv, const char *markdown, bool is_known,
		  int64_t number);
/* @digits: decimals in CSV. */
void cells_real(struct cells *cells, const char *csv, const char *markdown, bool is_known,
		double value, int digits);
/* In Markdown with its sign. */
void cells_change(struct cells *cells, const char *csv, const char *markdown, bool is_known,
		  double value, int digits);
void cells_time(struct cells *cells, const char *csv, const char *markdown, bool is_known,
		uint64_t ns);
void cells_address(struct cells *cells, const char *csv, const char *markdown, bool is_known,
		   uint64_t address);
/* Counts and shares of a row. */
struct cells_stats {
	const struct stats *now, *base;
	double self_pct, total_pct;	/* < 0: it has no shares */
	double base_self_pct, base_total_pct;
	bool is_compared;	/* the baseline has columns */
	bool has_base;		/* the baseline has the row's event */
};

/* Writes a column for each of them. */
void cells_stats(struct cells *cells, const struct cells_stats *stats);

/* Ends the line; one without cells leaves nothing. */
void cells_end(struct cells *cells);

#endif
