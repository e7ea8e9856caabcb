/* point_types.h - worker side: types in debug information: members, elements, and the fetch
 * argument for a value of a type.
 * Source: DWARF 5, chapter 5.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_POINT_TYPES_H
#define ELF_POINT_TYPES_H

#include <elfutils/libdw.h>

#include "elf/fetch_value.h"

/* A value on its way from a variable to a member of a member. */
struct point_place {
	struct fetch_location place;
	Dwarf_Die type;		/* has_type false: void */
	bool has_type;
	uint32_t bits, first_bit;	/* bitfield, counted from `place`; bits 0: no bitfield */
	const char *name;		/* BORROWED */
};

enum point_class {
	POINT_CLASS_INTEGER,	/* in registers for integers */
	POINT_CLASS_VECTOR,	/* in vector registers */
	POINT_CLASS_MEMORY,	/* on the stack */
	POINT_CLASS_REFERENCE,	/* a pointer to it is passed */
	POINT_CLASS_MIXED,	/* unknown, or in up to two registers of any kind */
};

/* How the calling convention passes a value of a type. */
struct point_passing {
	enum point_class class;
	uint8_t registers;	/* INTEGER, VECTOR, REFERENCE: it needs as many, or goes to the
				 * stack as a whole */
	bool is_even;		/* INTEGER: the number of its first register is even */
};

/* Finds the type of a variable or member, or the return type of a function; false: void. */
bool point_types_of(Dwarf_Die *die, Dwarf_Die *out);
/* Source: System V ABI, AMD64, 3.2.3; AAPCS64, 6.8.2, CPPABI64. */
struct point_passing point_types_passing(Dwarf_Die *type, enum machine machine);

/* Follows the steps of @path from *@at. Returns false if it can't; @out has the reason. */
bool point_types_walk(struct point_place *at, const struct value_path *path,
		      struct fetch_value *out);
/* True: struct, class or union, which as a whole has no value. */
bool point_types_is_struct(const struct point_place *at);
/* Writes the fetch argument for @at with type @wanted or, if that is "", with its own type. */
void point_types_put(const struct point_place *at, const char *wanted, struct fetch_value *out);

#endif
