/* symbol_names.h - frame -> symbol: frames are named after counting, when a fold needs them.
 *
 * A symbol is (canonical DSO, start address, state). Ids are stable until
 * symbol_names_compact(); a frame's cached symbol is forgotten when its DSO's table arrives.
 * The canonical DSO only identifies a symbol. Its text comes from the symtab in which the
 * address was found, that of the frame's own DSO: either DSO's symtab may be evicted.
 * Thread: the analyzer's.
 */
#ifndef INGEST_SYMBOL_NAMES_H
#define INGEST_SYMBOL_NAMES_H

#include <stdbool.h>

#include "base/id_map.h"
#include "symbols/demangler.h"
#include "symbols/dso_table.h"
#include "timeline/stack_trie.h"

/* The state of the symbol of a frame or row. */
enum symbol_state {
	SYMBOL_NAMED,
	SYMBOL_LOADING,		/* the DSO's table has not arrived: one row per DSO */
	SYMBOL_UNKNOWN,		/* not in the table, or there is no table: one row per address */
	SYMBOL_UNREADABLE,	/* the file could not be read, see `reason`: one row per address */
	SYMBOL_NO_MAP,		/* run-time code that is in no perf map: one row per process and
				 * kind of memory, with a name in `symbol` that says so */
};

struct symbol {
	uint64_t address;	/* start; the address itself when unknown; 0 while loading */
	uint32_t dso;		/* canonical */
	enum symbol_state state;
	struct str_id name;	/* as in the file, maybe mangled; empty while loading */
	struct str_id dso_name, dso_path;	/* kernel symbols: the module's */
	enum cpu_mode mode;
	bool is_idle;		/* a function of the kernel's idle loop */
	bool is_mangled;	/* `name` is to be demangled */
	bool is_synthetic;	/* named by its address: its file has no name for it */
};

/* Whether it is an address that no function covers, or stands for all run-time code of a process in
 * one kind of memory that no perf map covers. */
static inline bool symbol_is_bare(const struct symbol *symbol)
{
	return symbol->state == SYMBOL_UNKNOWN || symbol->state == SYMBOL_UNREADABLE ||
	       symbol->state == SYMBOL_NO_MAP;
}

/* A program that chooses addresses or names must not exhaust the memory or the room for the names
 * of others: a DSO may use an eighth of the free rows and of the free text. Beyond that, all
 * its new symbols share one, at SYMBOL_NAMES_REST, and mangled names stay mangled. Each DSO at
 * its limit leaves 8/9 of what was free: after 20 of them others may still have 1,300 rows each.
 * Symbols that history no longer refers to are freed. */
#define SYMBOL_NAMES_ROWS	(1u << 17)	/* 10 MiB with indexes, without texts */
#define SYMBOL_NAMES_RESERVE	4096u	/* rows of these for SYMBOL_NAMES_REST, one per DSO; when
					 * they are used up, one for all DSOs */
#define SYMBOL_NAMES_TEXT_BYTES (12u * 1024 * 1024)
#define SYMBOL_NAMES_SHARE	8
#define SYMBOL_NAMES_REST	UINT64_MAX
/* Address of the symbol for addresses first seen after their DSO's table was evicted. */
#define SYMBOL_NAMES_LET_GO	(UINT64_MAX - 1)

/* A frame's cached value when it is to be looked up and was already counted in `refused`; if it was
 * not counted, ID_SET_NONE. */
#define SYMBOL_REFUSED_BEFORE	(ID_SET_NONE - 1)
/* A frame's cached value when its symbol was freed for others: looked up only if a fold needs it.
 * All smaller values are symbols. */
#define SYMBOL_AGED		(ID_SET_NONE - 2)

struct symbol_names {
	struct symbol *symbols;	/* owned */
	uint32_t count, capacity;
	size_t text_bytes;	/* text that names have added to the pool */
	uint64_t refused;	/* frames without room for a symbol of their own, each once; names
				 * without room for a new text or for the demangled one, at each
				 * attempt */
	bool is_full;		/* a symbol had no room since the last compaction */
	struct id_set index;
	struct dso_table *dsos;		/* borrowed */
	struct strpool *strings;	/* borrowed */
	struct demangler *demangler;	/* borrowed; NULL: names stay mangled */
	struct id_map meanings;	/* requested (DSO, name) -> demangled name, or itself. Keyed by
				 * the DSO's serial: see demangler.h, "Trust" */
	struct id_map under_way;	/* (DSO, name) of open requests -> DSO */
	uint64_t nameless_in_kernel;	/* how often a frame of DSO_KERNEL had no symbol */
	uint32_t renamed;	/* how often a demangled name came */
	uint32_t asked;		/* symbols below it were passed to the demangler */
	uint32_t looked_at;	/* symbols from `asked` up to it are counted in `waiting` */
	uint32_t waiting;	/* mangled symbols not passed to the demangler yet */
	uint64_t asked_ns;	/* time of the last request */
	uint64_t now_ns, snapshot_ns;	/* see symbol_names_pace() */
};

void symbol_names_init(struct symbol_names *names, struct dso_table *dsos, struct strpool *strings);
void symbol_names_finish(struct symbol_names *names);

/* The symbol of @frame: cached in the trie, else looked up. ID_SET_NONE: out of memory. */
uint32_t symbol_names_of_frame(struct symbol_names *names, struct stack_trie *trie, uint32_t frame);

/* The symbol cached for @frame; NULL: not looked up yet. BORROWED until the next look-up. */
static inline const struct symbol *symbol_names_cached(const struct symbol_names *names,
						       const struct stack_trie *trie,
						       uint32_t frame)
{
	const uint32_t symbol = trie->frames.symbol[frame];

	return symbol < SYMBOL_AGED ? &names->symbols[symbol] : NULL;
}

/* Whether it stands for all symbols of its DSO that had no room. */
static inline bool symbol_is_rest(const struct symbol_names *names, uint32_t symbol)
{
	return names->symbols[symbol].address == SYMBOL_NAMES_REST;
}

/* Forgets the cached symbols of @dso's frames, after its state changed; or that of one frame. */
void symbol_names_forget_dso(const struct symbol_names *names, struct stack_trie *trie,
			     uint32_t dso);
void symbol_names_forget_frame(const struct symbol_names *names, struct stack_trie *trie,
			       uint32_t frame);

/* Gives its symbols the DSO's new name, after dso_table_set_started(). */
void symbol_names_rename_dso(struct symbol_names *names, uint32_t dso);

/* Like symbol_names_forget_dso(), for all DSOs of a process's run-time code @code, of which
 * there may be thousands. */
void symbol_names_forget_code(const struct symbol_names *names, struct stack_trie *trie,
			      uint32_t code);

/* Its demangled name, if that is known, else the name in the file. */
struct str_id symbol_names_shown(const struct symbol_names *names, const struct symbol *symbol);

/* Sets the times by which requests are batched. A worker takes a hundred times as long to start as
 * to demangle a name, and the hot names of a program come first: so names wait until there are
 * many, or some time has passed, or the next snapshot, at @snapshot_ns, is near. 0, as before the
 * first call: that time is not known, names are requested at once. */
void symbol_names_pace(struct symbol_names *names, uint64_t now_ns, uint64_t snapshot_ns);
/* When the waiting names will be requested; UINT64_MAX: none waits. */
uint64_t symbol_names_due_ns(const struct symbol_names *names);

/* Looks up the new frames of @trie before a fold needs them, requests demangling of their names,
 * and applies the demangler's replies. True: names have changed. Does not wait. */
bool symbol_names_demangle(struct symbol_names *names, struct stack_trie *trie);
/* Whether symbol_names_demangle() has open requests, or will make some. */
bool symbol_names_are_pending(const struct symbol_names *names);

/* Reclaiming, after @trie was compacted: symbol_reclaim.c. */

/* Frees the symbols that no frame of @trie has, and renumbers the others. If any was freed, frames
 * that had no room are looked up again. 0, or -ENOMEM: then nothing changed. */
int symbol_names_compact(struct symbol_names *names, struct stack_trie *trie);
/* Call it before compaction when names were refused: DSOs that use over half of their share lose
 * the older half of their symbols, but none of an age of @recent or more. @stack_ages: ages of the
 * stacks of @trie, larger is newer. 0, or -ENOMEM: then nothing changed. See symbol_reclaim.c */
int symbol_names_age(const struct symbol_names *names, struct stack_trie *trie,
		     const uint32_t *stack_ages, uint32_t recent);
/* Sets @used[id] of each text that a symbol has (strpool_sweep()), and recounts the text bytes of
 * names and DSOs: those of texts not marked before. */
void symbol_names_mark_text(struct symbol_names *names, unsigned char *used);

/* Parts, for the files of this module. */
uint64_t symbol_names_hash(const void *names, uint32_t symbol);
static inline uint64_t symbol_names_meaning_key(uint32_t serial, uint32_t name)
{
	return (uint64_t)serial << 32 | name;
}

#endif
