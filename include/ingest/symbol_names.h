/* symbol_names.h - frame -> symbol: names come after counting, and may arrive later.
 *
 * A symbol is (canonical object, where it starts, how far it is known). Ids are stable until
 * symbol_names_compact(); a frame's cached symbol is forgotten when its object's table arrives.
 * The canonical object only identifies a symbol. Its text comes from the symtab in which the
 * address was found, which is that of the frame's own object: each of both may let it go.
 * Thread: the analyzer's.
 */
#ifndef INGEST_SYMBOL_NAMES_H
#define INGEST_SYMBOL_NAMES_H

#include <stdbool.h>

#include "base/id_set.h"
#include "base/strpool.h"
#include "ingest/symbol_state.h"
#include "symbols/demangler.h"
#include "symbols/object_table.h"
#include "timeline/stack_trie.h"

struct symbol {
	uint64_t address;	/* start; the address itself when unknown; 0 while loading */
	uint32_t object;	/* canonical */
	enum symbol_state state;
	struct str_id name;	/* as the file has it; empty while loading */
	struct str_id object_name, object_path;	/* a module's, for kernel symbols */
	enum cpu_mode mode;
	bool is_idle;		/* a function of the kernel's idle loop */
	bool is_mangled;	/* `name`: to be demangled */
	bool is_synthetic;	/* named by its address: its file does not say how it is called */
};

/* It is an address that no function covers, or all of them in memory that no map names. */
static inline bool symbol_is_bare(const struct symbol *symbol)
{
	return symbol->state == SYMBOL_UNKNOWN || symbol->state == SYMBOL_UNREADABLE ||
	       symbol->state == SYMBOL_NO_MAP;
}

/* Who can choose addresses, or the names in a file, must not fill the memory, nor leave no room for
 * the names of others: an object may have an eighth of what is free, of rows and of text. Beyond
 * that all its new ones are one, at SYMBOL_NAMES_REST, and mangled names stay as they are. So each
 * that takes all it can leaves 8/9 of what was there: after 20 of them others may still have 1,300
 * rows each, and what history forgets is given back. */
#define SYMBOL_NAMES_ROWS	(1u << 17)	/* 10 MiB with their indexes; texts besides */
#define SYMBOL_NAMES_RESERVE	4096u	/* of these, for rows of what had no room, one per object;
					 * when they are used up, one for all objects */
#define SYMBOL_NAMES_TEXT_BYTES (12u * 1024 * 1024)
#define SYMBOL_NAMES_SHARE	8
#define SYMBOL_NAMES_REST	UINT64_MAX
/* Addresses that were first seen after their object's table was let go. */
#define SYMBOL_NAMES_LET_GO	(UINT64_MAX - 1)

/* What a frame caches that is to be looked up: it was counted in `refused`; else ID_SET_NONE. */
#define SYMBOL_REFUSED_BEFORE	(ID_SET_NONE - 1)
/* The same after it gave its symbol up for others: looked up only where a fold needs it. Whatever
 * is below is a symbol. */
#define SYMBOL_AGED		(ID_SET_NONE - 2)

struct symbol_names {
	struct symbol *symbols;	/* owned */
	uint32_t count, capacity;
	size_t text_bytes;	/* that names have added to the pool */
	uint64_t refused;	/* frames that had no room for a symbol of their own, each once;
				 * and names without room for a new text, or for what they mean,
				 * each time that is asked for */
	bool is_full;		/* since it was compacted last one had none */
	struct id_set index;
	struct object_table *objects;	/* borrowed, as the next */
	struct strpool *strings;
	struct demangler *demangler;	/* borrowed; NULL: all names stay as they are */
	struct id_map meanings;	/* (object, name) that was asked for -> demangled name, or itself.
				 * By object's serial: see demangler.h, "Trust" */
	struct id_map under_way;	/* of those, asked and not answered -> object */
	uint64_t nameless_in_kernel;	/* how often a frame of OBJECT_KERNEL had no symbol */
	uint32_t renamed;	/* how often a demangled name came */
	uint32_t asked;		/* symbols up to here were given to the demangler */
	uint32_t looked_at;	/* and up to here it is known how many are to be: */
	uint32_t waiting;
	uint64_t asked_ns;	/* when it was given some last */
	uint64_t now_ns, picture_ns;	/* as of symbol_names_pace() */
};

void symbol_names_init(struct symbol_names *names, struct object_table *objects,
		       struct strpool *strings);
void symbol_names_finish(struct symbol_names *names);

/* The symbol of @frame: cached in the trie, else looked up. ID_SET_NONE: out of memory. */
uint32_t symbol_names_of_frame(struct symbol_names *names, struct stack_trie *trie, uint32_t frame);

/* The same, if it was looked up; NULL: not yet. BORROWED until the next look-up. */
static inline const struct symbol *symbol_names_cached(const struct symbol_names *names,
						       const struct stack_trie *trie,
						       uint32_t frame)
{
	const uint32_t symbol = trie->frames.symbol[frame];

	return symbol < SYMBOL_AGED ? &names->symbols[symbol] : NULL;
}

/* It stands for all of its object that had no room. */
static inline bool symbol_is_rest(const struct symbol_names *names, uint32_t symbol)
{
	return names->symbols[symbol].address == SYMBOL_NAMES_REST;
}

/* After @object's state changed: forgets what its frames cached; or what one frame did. */
void symbol_names_forget_object(const struct symbol_names *names, struct stack_trie *trie,
				uint32_t object);
void symbol_names_forget_frame(const struct symbol_names *names, struct stack_trie *trie,
			       uint32_t frame);

/* After object_table_set_started(): its symbols have the object's new name from now on. */
void symbol_names_rename_object(struct symbol_names *names, uint32_t object);

/* The same for all objects that a process's run-time code @code is in: it can make thousands. */
void symbol_names_forget_code(const struct symbol_names *names, struct stack_trie *trie,
			      uint32_t code);

/* Its name as it was written, if that is known, else as the file has it. */
struct str_id symbol_names_shown(const struct symbol_names *names, const struct symbol *symbol);

/* A worker takes a hundred times as long to start as to demangle a name, and the hot names of a
 * program are among its first: so those that come one by one wait for one another, until they are
 * many, or some time went by, or the next picture, at @picture_ns, is near. 0, as before the first
 * call: it is not known when names will be needed, they are asked for at once. */
void symbol_names_pace(struct symbol_names *names, uint64_t now_ns, uint64_t picture_ns);
/* When those that wait are asked for; UINT64_MAX: none waits. */
uint64_t symbol_names_due_ns(const struct symbol_names *names);

/* Looks the new frames of @trie up, before a fold needs them; has their names demangled, and takes
 * what is done. True: names have changed. Does not wait. */
bool symbol_names_demangle(struct symbol_names *names, struct stack_trie *trie);
/* Names are still to come that symbol_names_demangle() asked for, or will. */
bool symbol_names_are_pending(const struct symbol_names *names);

/* Giving back, after @trie was compacted: symbol_reclaim.c. */

/* Forgets the symbols that no frame of @trie has, and renumbers the others. If any went, those that
 * had no room are looked up again. 0, or -ENOMEM: then nothing changed. */
int symbol_names_compact(struct symbol_names *names, struct stack_trie *trie);
/* Before that, when names were refused: frames of objects that have much of what one may have give
 * up the older half of their symbols, but none of an age of @recent or more. @stack_ages: of each
 * stack of @trie, larger is newer. 0, or -ENOMEM: then nothing changed. src/ingest/symbol_ages.c */
int symbol_names_age(const struct symbol_names *names, struct stack_trie *trie,
		     const uint32_t *stack_ages, uint32_t recent);
/* Sets @used[id] of each text that a symbol has (strpool_sweep()), and counts what texts take anew:
 * of those that are not marked yet. */
void symbol_names_mark_text(struct symbol_names *names, unsigned char *used);

/* Parts, for the files of this module. */
uint64_t symbol_names_hash(const void *names, uint32_t symbol);
static inline uint64_t symbol_names_meaning_key(uint32_t serial, uint32_t name)
{
	return (uint64_t)serial << 32 | name;
}

#endif
