/* source_lines.h - requests the source lines of rows that are shown, and caches the replies.
 *
 * Use:    the screen requests the lines of rows it shows (REQUEST_SOURCES); every
 *         snapshot has the lines known so far (source_lines_find()). The line server gets the
 *         requests of one DSO at a time, in the order of the newest list, and none of older lists.
 * Thread: the analyzer's.
 */
#ifndef FOLD_SOURCE_LINES_H
#define FOLD_SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "fold/query.h"
#include "symbols/line_server.h"

/* 2 MB; all addresses with any weight in a large program's trees were below 20,000. */
#define INLINE_CHAINS_MAX	65536
/* Bytes of names, repeats included: they stay in the pool. */
#define INLINE_CHAINS_TEXT_MAX	(8u << 20)

/* A line of code: of the address itself in the innermost function, of the call that was inlined in
 * the others. */
struct inline_place {
	struct str_id file;	/* path as recorded; empty: unknown */
	uint32_t line;		/* 0: unknown */
	uint32_t first_line;	/* where its function is declared, or begins; 0: unknown */
};

/* The functions inlined at one address.
 *
 *   address 0x12a0 is code of      innermost, inlined into      functions: innermost, middle
 *                                  middle, inlined into
 *                                  outer                        the symbol of the frame
 */
struct inline_chain {
	uint64_t address;	/* file offset */
	uint32_t dso;
	uint32_t first, count;	/* range in inline_chains.functions; count 0: none */
	/* Range in inline_chains.places: one for each function, then that of the frame's symbol;
	 * 0: no line is known. */
	uint32_t first_place, place_count;
};

/* Which functions were inlined where, by DSO and address. Nothing is evicted: when it is full, a
 * tree leaves further frames whole, rather than request all of them again and again. */
struct inline_chains {
	struct strpool *strings;	/* borrowed */
	struct inline_chain *chains;	/* owned */
	struct str_id *functions;	/* owned; innermost first, without the frame's symbol */
	struct inline_place *places;	/* owned; innermost first, with the frame's symbol */
	uint32_t count, capacity, function_count, function_capacity;
	uint32_t place_count, place_capacity;
	size_t text_bytes;
	struct id_map by_address;	/* hash of (DSO, address) -> chain */
};

void inline_chains_init(struct inline_chains *chains, struct strpool *strings);
void inline_chains_finish(struct inline_chains *chains);

/* Returns the chain at @address, or NULL: not known. BORROWED until more is added. */
const struct inline_chain *inline_chains_find(const struct inline_chains *chains, uint32_t dso,
					      uint64_t address);
bool inline_chains_are_full(const struct inline_chains *chains);

/* Begins the chain of a new address; then inline_chains_add() adds its functions, innermost first,
 * before the next chain is begun. 0, -ENOSPC or -ENOMEM. */
int inline_chains_begin(struct inline_chains *chains, uint32_t dso, uint64_t address);
int inline_chains_add(struct inline_chains *chains, const char *function);
/* Adds the place of the chain's next function, innermost first, or after them that of the frame's
 * symbol. 0 or -ENOMEM. */
int inline_chains_add_place(struct inline_chains *chains, const char *file, uint32_t line,
			    uint32_t first_line);

struct ingest;

struct source_reply {
	struct source_request of;
	char *function_line;	/* owned: "file.c:12" of the symbol's function; "" unknown */
	char *chain;		/* owned: "a.h:3 (inlined < caller b.c:12)"; "" unknown */
};

struct source_lines {
	struct line_server *server;	/* borrowed; NULL: no lines are known */
	const struct ingest *ingest;	/* borrowed */
	struct source_request requests[SOURCE_REQUESTS_MAX];
	uint32_t request_count;
	struct source_reply *replies;	/* owned */
	uint32_t reply_count, reply_capacity;
	uint64_t asked_file;		/* file of the request under way, if there is one; files are
					 * told apart by a number: a DSO, or a module of the kernel
					 * */
	struct id_map by_request;	/* hash of a request -> reply */
	struct inline_chains inlined;	/* chains of all addresses in replies so far */
	struct id_map refused;		/* file -> reason why its lines can't be had */
	char **reasons;			/* owned, and each string, too */
	uint32_t reason_count;
	uint64_t reclaims;		/* dso_table.reclaims at the last cleanup */
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
				     const struct source_request *of, bool has_chain);

/* Fills in @out, zeroed, with where the file of @of can be opened: where a living process maps it
 * or a copy of it, else its path, with inode (live) and build-id; of kernel code, its module.
 * False: nothing maps it, and neither is known. */
bool source_lines_place(const struct ingest *ingest, const struct source_request *of,
			struct open_request *out, char debug_link[FLAT_LINK_BYTES]);

/* Returns the address whose lines show what was inlined at @frame. A caller's address is after its
 * call, or in the call's last byte: one less is within the call, which has two bytes at least. A
 * signal frame has neither, so the start of a function is kept. */
struct source_request source_lines_of_frame(struct symbol_names *names, struct stack_trie *trie,
					    uint32_t frame, bool is_leaf);

/* True if the line of @of is unknown but can be requested. */
bool source_lines_can_be_requested(const struct source_lines *lines,
				   const struct source_request *of);
/* The heaviest addresses found so far, heaviest first. */
struct source_ranking {
	struct source_request *requests;	/* borrowed; [SOURCE_REQUESTS_MAX] */
	double weights[SOURCE_REQUESTS_MAX];
	uint32_t count;
};

/* True if an address of @weight would be among the heaviest. */
bool source_ranking_has_room(const struct source_ranking *ranking, double weight);
/* Adds @of, for which there is room. */
void source_ranking_add(struct source_ranking *ranking, const struct source_request *of,
			double weight);

/* Replaces all requests by @requests. */
void source_lines_request(struct source_lines *lines, const struct source_request *requests,
			  uint32_t count);
/* Takes a reply, if there is one, and sends the next request. True: there was a reply. */
bool source_lines_take(struct source_lines *lines);
/* True while requests are open that can still be fulfilled. */
bool source_lines_are_pending(const struct source_lines *lines);

/* Forgets the lines of DSOs that were reclaimed, whose ids will be reused. Call after
 * budget_compact(). */
void source_lines_forget_gone(struct source_lines *lines);

#endif
