/* point_types.h - child side: types in debug information: members, elements, and what the kernel is
 * told to fetch a value of one.
 * Source: DWARF 5, chapter 5.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_POINT_TYPES_H
#define ELF_POINT_TYPES_H

#include <elfutils/libdw.h>

#include "elf/fetch_value.h"

/* A value on its way from a variable to a member of a member. */
struct point_place {
	struct fetch_place place;
	Dwarf_Die type;		/* has_type false: void */
	bool has_type;
	uint32_t bits, first_bit;	/* of a bitfield, from `place` on; bits 0: it is none */
	const char *name;		/* BORROWED */
};

/* How the calling convention takes a value of a type. */
enum point_class {
	POINT_CLASS_INTEGER, POINT_CLASS_TWO_INTEGERS, POINT_CLASS_VECTOR, POINT_CLASS_MEMORY,
	POINT_CLASS_REFERENCE,	/* a pointer to it is passed */
	POINT_CLASS_MIXED,	/* in up to two registers of any kind */
};

/* The type of variable, member, or function (what it returns) @die; false: void. */
bool point_types_of(Dwarf_Die *die, Dwarf_Die *out);
enum point_class point_types_class(Dwarf_Die *type);

/* Goes the steps of @path; false: can't, @out says why. */
bool point_types_walk(struct point_place *at, const struct value_path *path,
		      struct fetch_value *out);
/* Fetches it as @wanted or, if that is "", as its type says. */
void point_types_put(const struct point_place *at, const char *wanted, struct fetch_value *out);

#endif
