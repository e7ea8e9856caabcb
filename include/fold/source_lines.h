/* source_lines.h - which source lines the rows that are shown come from: asks, and keeps answers.
 *
 * Use:    the screen wishes for what it shows (REQUEST_SOURCES); what is known is in every snapshot
 *         (source_lines_find()). One object's wishes are asked for at a time, those of the newest
 *         wish first; what nobody wishes for any more is never asked for.
 * Thread: the analyzer's.
 */
#ifndef FOLD_SOURCE_LINES_H
#define FOLD_SOURCE_LINES_H

#include <stdbool.h>

#include "base/id_map.h"
#include "fold/inline_chains.h"
#include "fold/query.h"
#include "symbols/line_server.h"

struct ingest;

struct source_answer {
	struct source_wish of;
	char *function_line;	/* owned: "file.c:12", of the function that holds it; "" */
	char *chain;		/* owned: "a.h:3 (inlined < caller b.c:12)"; "" */
};

struct source_lines {
	struct line_server *server;	/* borrowed, as the next; NULL: nothing is ever known */
	const struct ingest *ingest;
	struct source_wish wishes[SOURCE_WISHES_MAX];
	uint32_t wish_count;
	struct source_answer *answers;	/* owned */
	uint32_t answer_count, answer_capacity;
	uint32_t asked_object;		/* of the request under way, if there is one */
	struct id_map by_wish;		/* hash of a wish -> answer */
	struct inline_chains inlined;	/* of all addresses that were ever answered */
	struct id_map refused;		/* object -> reason: nothing of it will ever be known */
	char **reasons;			/* owned, each too */
	uint32_t reason_count;
	uint64_t reclaims;		/* as of object_table.reclaims */
};

/* What is known of a row. */
struct source_text {
	const char *line;	/* "" not, or not yet. BORROWED, as the next, until more is taken */
	const char *reason;	/* why nothing will ever be; "" else */
};

void source_lines_init(struct source_lines *lines, struct line_server *server,
		       const struct ingest *ingest);
void source_lines_finish(struct source_lines *lines);

/* @has_chain: of this very address, with the calls that were inlined there; else only of the
 * function, of which it is the start. */
struct source_text source_lines_find(const struct source_lines *lines,
				     const struct source_wish *of, bool has_chain);

/* Is anything to be known of it that is not known yet? */
bool source_lines_can_be_wished(const struct source_lines *lines, const struct source_wish *of);
/* These instead of all wishes before. */
void source_lines_wish(struct source_lines *lines, const struct source_wish *wishes,
		       uint32_t count);
/* Takes what has arrived and asks for what is next. True: there is news. */
bool source_lines_take(struct source_lines *lines);
/* Wishes that can still be granted. */
bool source_lines_are_pending(const struct source_lines *lines);

/* After budget_compact(): forgets what was said of objects that have gone; others will have their
 * numbers. */
void source_lines_forget_gone(struct source_lines *lines);

#endif
