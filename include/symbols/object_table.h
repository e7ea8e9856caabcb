/* object_table.h - every object (executable, library, kernel, anonymous memory) once, with its
 * symbol table as soon as that arrives.
 *
 * Identity: path, device, inode and its generation; in recordings that have it, path and build-id.
 *           The same file seen both ways, or with and without its generation, becomes one object
 *           when both have the same table: `canonical`.
 * Numbers:  of an object that nobody needs any more goes to another one, but not before a minute:
 *           screens name objects by them. A `serial` is never used again: an answer that may come
 *           late tells by it whose it is.
 * Thread:   the analyzer's.
 */
#ifndef SYMBOLS_OBJECT_TABLE_H
#define SYMBOLS_OBJECT_TABLE_H

#include "base/build_id.h"
#include "base/clock.h"
#include "base/id_map.h"
#include "base/strpool.h"
#include "capture/event_record.h"
#include "sandbox/flat_table.h"

struct open_request;	/* symbols/object_opener.h */

/* Objects that always exist, numbered like this. */
enum object_fixed {
	OBJECT_UNKNOWN,		/* "[unknown]": user address outside of every known mapping */
	OBJECT_KERNEL,		/* "[kernel]": run-time kernel addresses; path as perf says it */
	OBJECT_UNKNOWN_KERNEL,	/* "[unknown]": a recording that says nothing of its kernel there */
	OBJECT_HYPERVISOR,	/* "[hypervisor]" */
	OBJECT_GUEST_KERNEL,	/* "[guest.kernel]" */
	OBJECT_GUEST_USER,	/* "[guest]" */
	OBJECT_VSYSCALL,	/* "[vsyscall]": has its table; run-time addresses */
	OBJECT_FIXED_COUNT,
};

enum object_state {
	OBJECT_NO_TABLE,	/* nothing to load: anonymous memory, guests, unknown */
	OBJECT_LOADING,
	OBJECT_READY,
	OBJECT_UNREADABLE,
	OBJECT_LET_GO,		/* was ready: its table went for want of room */
	OBJECT_IS_SYMBOL,	/* code made by the kernel at run time: its path is its name */
};

/* By what names a program was started, as far as its file is found by them. */
enum object_starts {
	OBJECT_NOT_STARTED,
	OBJECT_ONE_NAME,	/* started_as, its own or that of a link */
	OBJECT_SEVERAL_NAMES,
};

enum object_unwind {
	OBJECT_UNWIND_UNASKED,
	OBJECT_UNWIND_LOADING,
	OBJECT_UNWIND_KNOWN,	/* by its number in the struct unwind_set */
	OBJECT_UNWIND_NONE,	/* it cannot be read */
};

struct object {
	struct str_id path, name;	/* whole; short for the screen */
	struct str_id started_as;	/* OBJECT_ONE_NAME: short, as `name` */
	struct str_id reason;		/* OBJECT_UNREADABLE */
	struct str_id debug_link;	/* its .gnu_debuglink, known once it was ready */
	struct build_id build_id;
	uint64_t device, inode, inode_generation;	/* as in its key */
	uint32_t canonical;		/* the object that stands for this one, often itself */
	enum object_state state;
	enum cpu_mode mode;
	struct flat_table table;	/* OBJECT_READY; BORROWED from the opener */
	uint32_t table_number;		/* the opener's; 0: it stays */
	uint64_t table_sum;		/* of the last one's names; 0: not known */
	uint32_t needed_round;		/* object_table.round when the table was used last */
	bool is_wanted;			/* OBJECT_LET_GO: it would have been used */
	bool is_leaving;		/* the caller's */
	uint8_t starts;			/* enum object_starts */
	enum object_unwind unwind;
	uint64_t unwind_number;
	uint32_t code;			/* whose run-time code is in it; 0: nobody's */
	bool is_run_time;		/* `table` is of that: absolute addresses */
	bool is_jit;			/* memory that code is made in: anonymous, or a memfd */
	uint64_t bias;			/* absolute - frame's address, where `code` is set */
	uint32_t kernel;		/* a recorded module: the kernel object that names its
					 * functions; 0: this is no recorded module */
	struct str_id maker;		/* is_jit: name of the program that made it; 0: not known */
	uint32_t symbols;		/* the names stage's: how many it has */
	uint32_t brought_by;		/* the caller's: process that mapped it first; 0: none */
	size_t symbol_text_bytes;	/* the names stage's: the text that came with `symbols` */
	uint64_t asked_ns;		/* the caller's: when its table was asked for */
	bool is_asked;			/* the caller's: no reply yet */
	bool is_refused;		/* the caller's: its file system did not answer */
	bool is_free;			/* the row is nobody's */
	struct open_request *other;	/* owned: where it is mapped, too, for when that fails */
	uint32_t successor;		/* what its file became, then or later; 0: none */
	uint32_t serial;		/* 1 or more */
	uint64_t key_hash;		/* in by_key; 0: it is found as a successor */
	uint64_t freed_ns;		/* is_free: since then */
	uint32_t next_free;		/* given back after it */
};

#define OBJECT_TABLE_ROWS	16384u	/* 4 MiB; a busy machine has some thousands */
#define OBJECT_TABLE_TEXT_BYTES (4u * 1024 * 1024)	/* of their paths and names */

#define OBJECT_REST_NS (60 * CLOCK_NS_PER_S)	/* longer than any screen shows the past */

struct object_table {
	struct object *objects;		/* owned */
	uint32_t count, capacity;	/* count: the free ones, too */
	uint32_t free_first, free_last, free_count;	/* rows without an object, oldest first */
	uint32_t last_serial;
	uint64_t reclaims;		/* how often rows got free */
	uint64_t successions;		/* how often object_table_succeed() changed a `current` */
	struct id_map by_key;		/* hash of the identity -> object */
	struct strpool *strings;	/* borrowed */
	size_t text_bytes;	/* of all paths and names, successors' excluded */
	uint64_t refused;	/* how often there was no room for a new one, or a successor; */
	bool is_full;		/* since object_table_reclaim() */
	uint64_t now_ns;	/* the caller's clock: it sets it about once a second */
	uint32_t round;		/* the caller's, of whom needed tables when */
	uint32_t wanted;	/* objects that is_wanted, or more */
};

struct object_key {
	const char *path;		/* raw bytes */
	size_t path_len;
	struct build_id build_id;	/* count 0: then dev and inode */
	uint64_t device, inode;
	uint64_t place;			/* where it is mapped, if that makes it another; 0: no */
	uint64_t inode_generation;	/* 0: unknown; tells two files that had one number */
	uint32_t had;			/* how many there are that who maps it brought before */
	enum cpu_mode mode;
};

int object_table_init(struct object_table *table, struct strpool *strings);
void object_table_finish(struct object_table *table);

/* The object of that identity; *@is_new says that the caller should have its table loaded.
 * OBJECT_UNKNOWN when out of memory, and, counted in `refused`, beyond OBJECT_TABLE_ROWS and
 * OBJECT_TABLE_TEXT_BYTES, or for who had a quarter of the rows that are left: one process must not
 * leave none for those of others. Never one that has a successor. */
uint32_t object_table_intern(struct object_table *table, const struct object_key *key,
			     bool *is_new);

/* A process of the program @object was started by @name, which its file has, too. True: the name
 * that is shown has changed. */
bool object_table_set_started(struct object_table *table, uint32_t object, const char *name);
/* The name for the screen: the one that the program was started by if there is only one, else its
 * file's. */
static inline struct str_id object_shown_name(const struct object *object)
{
	return object->starts == OBJECT_ONE_NAME ? object->started_as : object->name;
}

/* The table of @object arrived. Sets state, build-id and, when an object of the same path, build-id
 * and table is known, `canonical`. Not by the build-id alone: that is only a claim, and the table
 * of a stranger's file must not name the addresses of another. The oldest copy is the `canonical`
 * of all. Returns true if the `canonical` of copies that were ready before has changed. */
bool object_table_set_ready(struct object_table *table, uint32_t object,
			    const struct flat_table *flat, const struct build_id *build_id);
/* Its table is not valid any longer: OBJECT_LET_GO until one is set again. */
void object_table_let_go(struct object_table *table, uint32_t object);
/* Code made at run time has these names from now on; an object whose own file has symbols keeps
 * them. True: it took the table. */
bool object_table_set_run_time(struct object_table *table, uint32_t object,
			       const struct flat_table *flat);
/* The file of @object has another content: a new object, without a table yet, takes its place; what
 * was counted stays with the old one and its names. Its number; @object, counted in `refused`, when
 * there is no row or no memory for it. */
uint32_t object_table_succeed(struct object_table *table, uint32_t object);
/* What @object, a number from before, is now. Shortens the way there for the next time: who writes
 * to a file that is mapped makes a successor each second. */
uint32_t object_table_current(const struct object_table *table, uint32_t object);
void object_table_set_unreadable(struct object_table *table, uint32_t object, const char *reason);

/* Gives the rows back of all objects with !@used[id], unless they wait for an answer, and of those
 * that only these needed. @used has `count` elements, and says afterwards who stays. Returns how
 * many went. */
uint32_t object_table_reclaim(struct object_table *table, unsigned char *used);
/* Sets @used[id] of each text that an object has (strpool_sweep()), and counts text_bytes anew. */
void object_table_mark_text(struct object_table *table, unsigned char *used);

#endif
