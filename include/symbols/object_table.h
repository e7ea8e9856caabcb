/* object_table.h - every object (executable, library, kernel, anonymous memory) once, with its
 * symbol table as soon as that arrives.
 *
 * Identity: path, device, inode and its generation; in recordings that have it, path and build-id.
 *           The same file seen both ways, or with and without its generation, becomes one object
 *           when both have the same table: `canonical`.
 * Thread:   the analyzer's.
 */
#ifndef SYMBOLS_OBJECT_TABLE_H
#define SYMBOLS_OBJECT_TABLE_H

#include "base/build_id.h"
#include "base/event_record.h"
#include "base/id_map.h"
#include "base/strpool.h"
#include "symbols/flat_table.h"

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
	OBJECT_IS_SYMBOL,	/* code made by the kernel at run time: its path is its name */
};

enum object_unwind {
	OBJECT_UNWIND_UNASKED,
	OBJECT_UNWIND_LOADING,
	OBJECT_UNWIND_KNOWN,	/* by its number in the struct unwind_set */
	OBJECT_UNWIND_NONE,	/* it cannot be read */
};

struct object {
	struct str_id path, name;	/* whole; short for the screen */
	struct str_id reason;		/* OBJECT_UNREADABLE */
	struct build_id build_id;
	uint64_t device, inode, inode_generation;	/* as in its key */
	uint32_t canonical;		/* the object that stands for this one, often itself */
	enum object_state state;
	enum cpu_mode mode;
	struct flat_table table;	/* OBJECT_READY; BORROWED from the opener */
	enum object_unwind unwind;
	uint32_t unwind_number;
	uint32_t code;			/* whose run-time code is in it; 0: nobody's */
	bool is_run_time;		/* `table` is of that: absolute addresses */
	uint64_t bias;			/* absolute - frame's address, where `code` is set */
	uint64_t asked_ns;		/* the caller's: when its table was asked for */
	bool is_asked;			/* the caller's: no reply yet */
	struct open_request *other;	/* owned: where it is mapped, too, for when that fails */
	uint32_t successor;		/* what its file became: object_table_succeed(); 0: none */
};

struct object_table {
	struct object *objects;		/* owned */
	uint32_t count, capacity;
	uint64_t successions;		/* how often object_table_succeed() changed a `current` */
	struct id_map by_key;		/* hash of the identity -> object */
	struct strpool *strings;	/* borrowed */
};

struct object_key {
	const char *path;		/* raw bytes */
	size_t path_len;
	struct build_id build_id;	/* count 0: then dev and inode */
	uint64_t device, inode;
	uint64_t place;			/* where it is mapped, if that makes it another; 0: no */
	uint64_t inode_generation;	/* 0: unknown; tells two files that had one number */
	enum cpu_mode mode;
};

int object_table_init(struct object_table *table, struct strpool *strings);
void object_table_finish(struct object_table *table);

/* The object of that identity; *@is_new says that the caller should have its table loaded.
 * OBJECT_UNKNOWN when out of memory. Never one that has a successor. */
uint32_t object_table_intern(struct object_table *table, const struct object_key *key,
			     bool *is_new);

/* Its table arrived. Sets state, build-id and, when an object of the same path, build-id and table
 * is known, `canonical`. Not by the build-id alone: that is only a claim, and the table of a
 * stranger's file must not name the addresses of another. */
void object_table_set_ready(struct object_table *table, uint32_t object,
			    const struct flat_table *flat, const struct build_id *build_id);
/* Code made at run time has these names from now on; an object whose own file has symbols keeps
 * them. True: it took the table. */
bool object_table_set_run_time(struct object_table *table, uint32_t object,
			       const struct flat_table *flat);
/* The file of @object has another content: a new object, without a table yet, takes its place; what
 * was counted stays with the old one and its names. Its number; @object when out of memory. */
uint32_t object_table_succeed(struct object_table *table, uint32_t object);
/* What @object, a number from before, is now. */
uint32_t object_table_current(const struct object_table *table, uint32_t object);
void object_table_set_unreadable(struct object_table *table, uint32_t object, const char *reason);

#endif
