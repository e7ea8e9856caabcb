/* cells.c - see cells.h. */
#include "cells.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/safe_print.h"

#define PCT_DIGITS 4	/* as in JSON */

/* Begins a cell. In a line of titles or rules it also writes what that line has. Returns true if a
 * value has to follow. */
static bool begin(struct cells *cells, const char *csv, const char *markdown, bool is_number)
{
	const bool is_csv = cells->style == TABLE_CSV;
	const char *name = is_csv ? csv : markdown;

	if (!name)
		return false;
	if (is_csv && cells->count)
		safe_put(cells->out, ",");
	else if (!is_csv)
		safe_put_text(cells->out, cells->count ? SAFE_TEXT(" | ") : SAFE_TEXT("| "));
	cells->count++;
	if (cells->line == CELLS_TITLES && is_csv)
		safe_put_csv(cells->out, sanitize_checked(name));
	else if (cells->line == CELLS_TITLES)
		safe_put_escaped(cells->out, sanitize_checked(name), "\\|`*_<&");
	else if (cells->line == CELLS_RULES)
		safe_put_text(cells->out, is_number ? SAFE_TEXT("---:") : SAFE_TEXT("---"));
	return cells->line == CELLS_VALUES;
}

void cells_text(struct cells *cells, const char *csv, const char *markdown, const char *text)
{
	if (!begin(cells, csv, markdown, false))
		return;
	if (cells->style == TABLE_CSV)
		safe_put_csv(cells->out, sanitize_checked(text));
	else
		safe_put_markdown(cells->out, sanitize_checked(text));
}

void cells_word(struct cells *cells, const char *csv, const char *markdown, const char *word)
{
	if (begin(cells, csv, markdown, false))
		safe_put_text(cells->out, sanitize_checked(word));
}

void cells_count(struct cells *cells, const char *csv, const char *markdown, uint64_t count)
{
	if (begin(cells, csv, markdown, true))
		safe_print(cells->out, "%" PRIu64, count);
}

void cells_number(struct cells *cells, const char *csv, const char *markdown, bool is_known,
		  int64_t number)
{
	if (begin(cells, csv, markdown, true) && is_known)
		safe_print(cells->out, "%" PRId64, number);
}

void cells_real(struct cells *cells, const char *csv, const char *markdown, bool is_known,
		double value, int digits)
{
	if (begin(cells, csv, markdown, true) && is_known)
		safe_print(cells->out, "%.*f",
			   cells->style == TABLE_CSV || digits < 2 ? digits : 2, value);
}

void cells_change(struct cells *cells, const char *csv, const char *markdown, bool is_known,
		  double value, int digits)
{
	if (!begin(cells, csv, markdown, true) || !is_known)
		return;
	if (cells->style == TABLE_CSV)
		safe_print(cells->out, "%.*f", digits, value);
	else
		safe_print(cells->out, "%+.*f", digits < 2 ? digits : 2, value);
}

void cells_time(struct cells *cells, const char *csv, const char *markdown, bool is_known,
		uint64_t ns)
{
	static const struct { uint64_t ns; const char *unit; } units[] = {
		{ 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" },
	};
	size_t unit = 0;

	if (!begin(cells, csv, markdown, true) || !is_known)
		return;
	while (ns < units[unit].ns && units[unit].ns > 1)
		unit++;
	if (cells->style == TABLE_CSV)
		safe_print(cells->out, "%" PRIu64, ns);
	else
		safe_print(cells->out, "%.*f %s", units[unit].ns > 1 ? 1 : 0,
			   (double)ns / (double)units[unit].ns,
			   sanitize_checked(units[unit].unit));
}

void cells_address(struct cells *cells, const char *csv, const char *markdown, bool is_known,
		   uint64_t address)
{
	if (begin(cells, csv, markdown, false) && is_known)
		safe_print(cells->out, "0x%" PRIx64, address);
}

static void put_load(struct cells *cells, const char *const names[2], const char *title,
		     bool is_known, const struct load *load)
{
	cells_number(cells, names[0], title, is_known, (int64_t)load->samples);
	cells_real(cells, names[1], NULL, is_known, load->weight, 0);
}

void cells_stats(struct cells *cells, const struct cells_stats *of)
{
	static const char *const self[] = { "self", "self_period" };
	static const char *const total[] = { "total", "total_period" };
	static const char *const base_self[] = { "base_self", "base_self_period" };
	static const char *const base_total[] = { "base_total", "base_total_period" };
	const bool is_compared = of->is_compared, has_base = of->has_base;

	cells_real(cells, "self_pct", "SELF%", of->self_pct >= 0, of->self_pct, PCT_DIGITS);
	if (is_compared)
		cells_real(cells, "base_self_pct", "A SELF%", has_base && of->base_self_pct >= 0,
			   of->base_self_pct, PCT_DIGITS);
	cells_real(cells, "total_pct", "TOTAL%", of->total_pct >= 0, of->total_pct, PCT_DIGITS);
	if (is_compared)
		cells_real(cells, "base_total_pct", "A TOTAL%", has_base && of->base_total_pct >= 0,
			   of->base_total_pct, PCT_DIGITS);
	put_load(cells, self, "SAMPLES", true, &of->now->self);
	put_load(cells, total, NULL, true, &of->now->total);
	if (!is_compared)
		return;
	put_load(cells, base_self, "A SAMPLES", has_base, &of->base->self);
	put_load(cells, base_total, NULL, has_base, &of->base->total);
}

void cells_end(struct cells *cells)
{
	if (cells->count)
		safe_put_text(cells->out, cells->style == TABLE_CSV ? SAFE_TEXT("\n")
								    : SAFE_TEXT(" |\n"));
	cells->count = 0;
}
