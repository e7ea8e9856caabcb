/* point_scopes.h - child side: which function or inlined copy of one is at an address, and which of
 * them have a name.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_POINT_SCOPES_H
#define ELF_POINT_SCOPES_H

#include "point_job.h"

struct point_scope {
	Dwarf_Die unit;
	Dwarf_Die function;	/* with code of its own */
	Dwarf_Die inner;	/* the same, or the inlined copy in it */
	bool is_inlined;
	uint64_t entry;		/* where `inner` begins */
};

/* Reads the debug information of @job, if it has any that may be read; else says in the answer why
 * not. 0, or -EAGAIN: dwz's file is asked for first. */
int point_scopes_open(struct point_job *job);
void point_scopes_close(struct point_job *job);

/* The innermost at @vaddr. False: debug information does not know it. */
bool point_scopes_at(struct point_job *job, uint64_t vaddr, struct point_scope *out);

/* From an inlined copy to the function that it is in. */
void point_scopes_leave_inlined(struct point_scope *scope);

/* Tells all functions of the name that is asked for, with code of their own or inlined. */
typedef void point_scope_sink(struct point_job *job, const struct point_scope *scope,
			      void *context);
void point_scopes_named(struct point_job *job, point_scope_sink *sink, void *context);

/* Calls @visit with each compile unit until it returns false. */
typedef bool point_unit_visit(struct point_job *job, Dwarf_Die *unit, void *context);
void point_scopes_units(struct point_job *job, point_unit_visit *visit, void *context);

#endif
