/* symbol_names.h - frame -> symbol: names come after counting, and may arrive later.
 *
 * A symbol is (canonical object, where it starts, how far it is known). Ids are stable for the
 * life of the analyzer; a frame's cached symbol is forgotten when its object's table arrives.
 * Thread: the analyzer's.
 */
#ifndef MODEL_SYMBOL_NAMES_H
#define MODEL_SYMBOL_NAMES_H

#include <stdbool.h>

#include "base/id_set.h"
#include "base/strpool.h"
#include "model/snapshot.h"
#include "model/stack_trie.h"
#include "symbols/demangler.h"
#include "symbols/object_table.h"

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

/* It is an address that no function covers. */
static inline bool symbol_is_bare(const struct symbol *symbol)
{
	return symbol->state == SYMBOL_UNKNOWN || symbol->state == SYMBOL_UNREADABLE;
}

struct symbol_names {
	struct symbol *symbols;	/* owned */
	uint32_t count, capacity;
	struct id_set index;
	struct object_table *objects;	/* borrowed, as the next */
	struct strpool *strings;
	struct demangler *demangler;	/* borrowed; NULL: all names stay as they are */
	struct id_map meanings;	/* (object, name) that was asked for -> demangled name, or itself.
				 * By object: see demangler.h, "Trust" */
	uint64_t nameless_in_kernel;	/* how often a frame of OBJECT_KERNEL had no symbol */
	uint32_t renamed;	/* how often a demangled name came */
	uint32_t asked;		/* symbols up to here were given to the demangler */
};

void symbol_names_init(struct symbol_names *names, struct object_table *objects,
		       struct strpool *strings);
void symbol_names_finish(struct symbol_names *names);

/* The symbol of @frame: cached in the trie, else looked up. ID_SET_NONE: out of memory. */
uint32_t symbol_names_of_frame(struct symbol_names *names, struct stack_trie *trie, uint32_t frame);

/* After @object's state changed: forgets what its frames cached. */
void symbol_names_forget_object(struct stack_trie *trie, uint32_t object);

/* The same for all objects that a process's run-time code @code is in: it can make thousands. */
void symbol_names_forget_code(const struct symbol_names *names, struct stack_trie *trie,
			      uint32_t code);

/* Its name as it was written, if that is known, else as the file has it. */
struct str_id symbol_names_shown(const struct symbol_names *names, const struct symbol *symbol);

/* Looks the new frames of @trie up, before a fold needs them; has their names demangled, and takes
 * what is done. True: names have changed. Does not wait. */
bool symbol_names_demangle(struct symbol_names *names, struct stack_trie *trie);
/* Names are still to come that symbol_names_demangle() asked for, or will. */
bool symbol_names_are_pending(const struct symbol_names *names);

#endif
