/* source_lines.h - requests the source lines of rows that are shown, and caches the replies.
 *
 * Use:    the screen requests the lines of rows it shows (REQUEST_SOURCES, "wishes"); every
 *         snapshot has the lines known so far (source_lines_find()). The line server gets the
 *         wishes of one DSO at a time, in the order of the newest list, and none of older lists.
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
	char *function_line;	/* owned: "file.c:12" of the symbol's function; "" unknown */
	char *chain;		/* owned: "a.h:3 (inlined < caller b.c:12)"; "" unknown */
};

struct source_lines {
	struct line_server *server;	/* borrowed; NULL: no lines are known */
	const struct ingest *ingest;	/* borrowed */
	struct source_wish wishes[SOURCE_WISHES_MAX];
	uint32_t wish_count;
	struct source_answer *answers;	/* owned */
	uint32_t answer_count, answer_capacity;
	uint32_t asked_object;		/* DSO of the request under way, if there is one */
	struct id_map by_wish;		/* hash of a wish -> answer */
	struct inline_chains inlined;	/* chains of all addresses in replies so far */
	struct id_map refused;		/* object -> reason why its lines can't be had */
	char **reasons;			/* owned, and each string, too */
	uint32_t reason_count;
	uint64_t reclaims;		/* object_table.reclaims at the last cleanup */
};

/* The line of a row. BORROWED until the next source_lines_take(). */
struct source_text {
	const char *line;	/* "": unknown, or not known yet */
	const char *reason;	/* why it will stay unknown; else "" */
};

void source_lines_init(struct source_lines *lines, struct line_server *server,
		       const struct ingest *ingest);
void source_lines_finish(struct source_lines *lines);

/* Returns the line of @of. @has_chain: that of the address, with the calls inlined there; else only
 * that of the function, which begins at the address. */
struct source_text source_lines_find(const struct source_lines *lines,
				     const struct source_wish *of, bool has_chain);

/* True if the line of @of is unknown but can be requested. */
bool source_lines_can_be_wished(const struct source_lines *lines, const struct source_wish *of);
/* Replaces all wishes by @wishes. */
void source_lines_wish(struct source_lines *lines, const struct source_wish *wishes,
		       uint32_t count);
/* Takes a reply, if there is one, and sends the next request. True: there was a reply. */
bool source_lines_take(struct source_lines *lines);
/* True while wishes are open that can still be fulfilled. */
bool source_lines_are_pending(const struct source_lines *lines);

/* Forgets the lines of DSOs that were reclaimed, whose ids will be reused. Call after
 * budget_compact(). */
void source_lines_forget_gone(struct source_lines *lines);

#endif
