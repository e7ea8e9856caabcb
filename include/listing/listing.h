/* listing.h - the code of one function, with what a window counted at each of its addresses; the
 * fold that counts it, and the thread that makes its text.
 *
 *   snapshot --> listing: counts by address, names of call targets, callees seen in stacks
 *                  '--> listing_document: instructions, source lines, source text
 *
 * A document is the same for all windows, so it is made once and shared: by the cache, by every
 * snapshot that lists the function, and by the next version of the same document, which adds lines
 * and text to the instructions. The counts are a fold like all others: no listing keeps any.
 *
 * Thread: documents and listings are immutable; any. The number of references is atomic: the
 *         analyzer makes and drops them, and so does whoever destroys a snapshot.
 */
#ifndef LISTING_LISTING_H
#define LISTING_LISTING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "fold/fold_filter.h"
#include "fold/query.h"
#include "fold/tree.h"
#include "sandbox/code_rows.h"
#include "sandbox/lines.h"
#include "sandbox/sandbox.h"
#include "symbols/code_bytes.h"
#include "symbols/dso_table.h"
#include "symbols/source_file.h"

#define LISTING_EVENTS_MAX   8		/* columns; more don't fit a terminal */
#define LISTING_SECTIONS_MAX CODE_RANGES_MAX
#define LISTING_NOTE_BYTES   160

/* A part of a function: [begin, end), in the space of the DSO's addresses. */
struct listing_section {
	uint64_t begin, end;
};

/* The first section is the function itself, the others are parts that the compiler moved away:
 * NAME.cold and NAME.part.N. */
struct listing_function {
	uint32_t dso, serial;		/* canonical DSO and its serial, see symbols/dso_table.h */
	uint32_t section_count;		/* 0: none, not a function */
	uint64_t name_hash;		/* run-time code: tells functions apart that the same
					 * address had one after the other; else 0 */
	struct listing_section sections[LISTING_SECTIONS_MAX];
};

/* Finds the function of @dso at @address, and the parts that its compiler moved away, by the DSO's
 * symbol table. False: the table has no function there, or is not there. */
bool listing_function_find(struct listing_function *out, const struct dso_table *dsos, uint32_t dso,
			   uint64_t address);
/* Returns whether both are the same code; an address may have had other sections before. */
bool listing_function_is_equal(const struct listing_function *a, const struct listing_function *b);
/* Returns the section that has @address, or UINT32_MAX. */
uint32_t listing_function_section(const struct listing_function *function, uint64_t address);

/* The text of one source file that the code comes from. */
struct listing_source {
	struct source_file *file;	/* owned; NULL: `why` says why there is none */
	struct diag why;
};

struct listing_document {
	atomic_uint references;			/* first: a new version has its own */
	struct listing_document *before;	/* owned reference: the earlier version, whose
						 * parts this has; NULL: none */
	struct listing_function function;
	bool is_final;			/* no later version follows */

	bool has_code, has_lines;	/* false: see why, or not there yet */
	bool has_changed;	/* run-time code: other bytes are there now */
	struct code_rows code;
	struct line_ranges lines;
	const struct listing_source *sources;	/* by file of `lines`; NULL: not there yet */
	struct diag code_why, lines_why;
	struct file_author author;	/* the file's with the lines */
	uint64_t built_ns;	/* last modification of the file with the code; 0: unknown */
	char note[LISTING_NOTE_BYTES];	/* where the bytes come from: "bytes of the mapped file" */

	/* Owned by this version; empty where an earlier version owns them. */
	struct sandbox_bytes code_bytes, line_bytes;
	void *own_lines;
	size_t own_lines_bytes;
	struct listing_source *own_sources;
	uint32_t own_source_count;
};

/* What a document is made from. */
struct listing_request {
	struct listing_function function;
	struct code_request code;	/* where its bytes are */
	uint64_t bias;			/* run-time code: address it runs at - address in samples */
	char debug_link[FLAT_LINK_BYTES];	/* from the DSO's table; "": none */
	uint64_t memory_bytes;		/* debug information that needs more is refused */
	uint64_t number;		/* set by the server */
};

struct listing_document *listing_document_get(struct listing_document *document);
void listing_document_release(struct listing_document *document);	/* NULL is fine */
/* Returns the memory that the document needs, with its earlier versions. */
size_t listing_document_bytes(const struct listing_document *document);

/* An address with samples, now or in the baseline. */
struct listing_address {
	uint64_t address;
	struct load now[LISTING_EVENTS_MAX], base[LISTING_EVENTS_MAX];
};

/* A function or part of one that a jump, call or reference leads to. */
struct listing_target {
	uint64_t address;	/* code_row.target */
	uint64_t offset;	/* from the start of that function */
	const char *name;	/* demangled, sanitized */
};

/* What a call was seen to call. */
struct listing_callee {
	uint64_t return_address;	/* address after the call */
	uint64_t samples;
	double weight;
	const char *name;
	uint32_t dso_id;
	uint64_t address;
};

enum listing_state {
	LISTING_LOADING,	/* the document is not there yet */
	LISTING_READY,
	LISTING_REFUSED,	/* `reason` says why there is none */
};

/* A snapshot's listing. Text is sanitized. */
struct listing {
	struct listing_document *document;	/* a reference; NULL unless READY */
	enum listing_state state;
	const char *reason;
	struct listing_function function;
	const char *symbol, *dso, *dso_path;	/* sanitized */
	const char *raw_symbol;	/* as in its file, sanitized */
	const char *others;	/* by name: DSOs with less samples in a function of the name; "" */
	uint32_t event_count, shown_event;	/* shown_event: index into these columns */
	const char *events[LISTING_EVENTS_MAX];
	/* Sums over all addresses. */
	struct load now[LISTING_EVENTS_MAX], base[LISTING_EVENTS_MAX];
	double all_weight[LISTING_EVENTS_MAX];	/* 100 % of everything */
	bool is_compared;
	bool is_precise;	/* false: cost stands at or after its cause */
	bool is_of_kernel, is_run_time;
	bool is_synthetic;	/* the symbol is named by its address */
	uint32_t address_count;
	const struct listing_address *addresses;	/* by address */
	uint32_t target_count;
	const struct listing_target *targets;	/* by address */
	uint32_t callee_count;
	const struct listing_callee *callees;	/* by return address, then heaviest first */
	char *texts;		/* owned, as are addresses, targets and callees */
};

void listing_destroy(struct listing *listing);	/* NULL is fine */

/* Returns the range of source lines that has @address, or NULL: it has none, or there are no lines.
 * BORROWED. */
const struct line_range *listing_range(const struct listing *listing, uint64_t address);
/* Returns the address's counts, or NULL: no samples. BORROWED. */
const struct listing_address *listing_find(const struct listing *listing, uint64_t address);
/* Returns the target at @address, or NULL: it is in the function itself, or unknown. BORROWED. */
const struct listing_target *listing_find_target(const struct listing *listing, uint64_t address);

/* Sums the entries of a window by the addresses of one function.
 *
 * Use:    listing_fold_init(), listing_fold_add() for every array of entries, listing_fold_sort(),
 *         then read; the baseline's entries by listing_fold_add_base() before the sort.
 * Rules:  those of fold/fold.h: a sample counts for its leaf if that passes the filter, idle
 *         samples don't count. So the sum over all addresses is the self of the function's row.
 * Thread: the analyzer's.
 */

struct listing_site {		/* a call that was seen in stacks */
	uint64_t return_address;
	uint32_t callee;	/* symbol */
	struct load load;
};

struct listing_fold {
	struct stack_trie *trie;	/* borrowed, as the next two */
	struct symbol_names *names;
	const struct task_table *tasks;
	const struct listing_function *function;
	uint32_t events[LISTING_EVENTS_MAX];	/* events of the columns */
	uint32_t event_count;
	uint32_t shown;			/* column whose stacks make the sites */
	const struct wait_stacks *waits;	/* borrowed: listing_fold_set_waits() */
	struct fold_filter filter;	/* owned, as are the next six */

	struct listing_address *addresses;
	uint32_t address_count, address_capacity;
	struct id_map by_address;
	struct listing_site *sites;
	uint32_t site_count, site_capacity;
	struct id_map by_site;

	double all_weight[LISTING_EVENTS_MAX];	/* sums of all functions, as in snapshot_pct() */

	bool is_out_of_memory;		/* counts are missing */
	bool is_relative;	/* set by the caller after the init: what the filter hides is not in
				 * `all_weight` */
	struct fold_stop stop;		/* set by the caller after the init */
	bool is_stopped;		/* `stop` was due: counts are missing, too */
};

/* @events[@event_count]: of the timeline, one per column. @function and @filter are BORROWED. */
void listing_fold_init(struct listing_fold *fold, struct stack_trie *trie,
		       struct symbol_names *names, const struct task_table *tasks,
		       const struct listing_function *function, const struct filter *filter,
		       const uint32_t *events, uint32_t event_count);
void listing_fold_finish(struct listing_fold *fold);
/* See fold_set_waits(). */
void listing_fold_set_waits(struct listing_fold *fold, const struct wait_stacks *waits);

/* Adds the entries of one slice, each times @factor (1, or the decay). */
void listing_fold_add(struct listing_fold *fold, const struct slice_entry *entries, uint32_t count,
		      double factor);
void listing_fold_add_base(struct listing_fold *fold, const struct slice_entry *entries,
			   uint32_t count);
/* Sorts addresses, and sites: by return address, then heaviest first. */
void listing_fold_sort(struct listing_fold *fold);

/* A thread that makes the documents of listings.
 *
 *   analyzer                                  flametop-listing
 *     listing_server_request(function) ──>      code: bytes -> worker -> instructions    version 1
 *     listing_server_take()            <──      lines: debug information -> worker       version 2
 *       when listing_server_fd() is             text: one file after the other           version 3
 *       readable; the newest version replaces
 *       one that was not taken
 *
 * Use:    one function at a time; a request for another one ends the work on the previous one. The
 *         thread begins with the first request, so a session that lists nothing has none.
 * Thread: all calls but create and destroy from one thread (the analyzer).
 */

struct listing_server;

/* @sandbox and @code, which uses it, stay the caller's, are used by nobody else, and must outlive
 * the server. @paths: see symbols/source_file.h, BORROWED; NULL: none. */
int listing_server_create(struct listing_server **out, struct sandbox *sandbox,
			  struct code_reader *code,
			  const struct source_paths *paths, struct diag *why);
/* Like line_server_destroy(). */
bool listing_server_destroy(struct listing_server *server);

/* Begins the document of @request's function. 0, or -errno with the reason: no thread. */
int listing_server_request(struct listing_server *server, const struct listing_request *request,
			   struct diag *why);
#define LISTING_KEPT_MAX 8	/* requests at once */

/* Has the thread keep the bytes that the code of @requests[@count], CODE_IN_PROCESS, has now. Takes
 * over @requests, of malloc(3). Only while listing_server_can_keep(): the last ones were taken. */
void listing_server_keep(struct listing_server *server, struct listing_request *requests,
			 uint32_t count);
bool listing_server_can_keep(struct listing_server *server);
/* Returns the newest version, the caller's reference; NULL: nothing new. Those of a function whose
 * request was replaced may still come. */
struct listing_document *listing_server_take(struct listing_server *server);
/* Readable when a version waits. */
int listing_server_fd(const struct listing_server *server);

#endif
