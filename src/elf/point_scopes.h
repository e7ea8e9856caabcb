/* point_scopes.h - worker side: finds the function or inlined copy at an address, and those with a
 * given name.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_POINT_SCOPES_H
#define ELF_POINT_SCOPES_H

#include "point_rows.h"

struct point_scope {
	Dwarf_Die unit;
	Dwarf_Die function;	/* the enclosing out-of-line function */
	Dwarf_Die inner;	/* `function`, or the inlined copy in it */
	bool is_inlined;
	uint64_t entry;		/* virtual address where `inner` begins */
};

/* Reads the debug information of @job if there is any; if it may not be read, sets no_debug_reason
 * in the reply. Returns 0, or -EAGAIN: dwz's file is needed first; the reply names it. */
int point_scopes_open(struct point_job *job);
void point_scopes_close(struct point_job *job);

/* Finds the innermost scope at @vaddr. Returns false if the debug information has none there. */
bool point_scopes_at(struct point_job *job, uint64_t vaddr, struct point_scope *out);

/* Finds the innermost scope that line @line of @source is of: at a call that is inlined, the
 * caller, although the code there is the callee's already. @source: the end of a path. */
bool point_scopes_at_line(struct point_job *job, uint64_t vaddr, const char *source, int line,
			  struct point_scope *out);

/* Finds the virtual address where the code of @die begins. Returns false if it has none. */
bool point_scopes_entry(Dwarf_Die *die, uint64_t *entry);

/* Changes @scope from an inlined copy to the function that contains it. */
void point_scopes_leave_inlined(struct point_scope *scope);

/* Called for all functions with the queried name, declared in query->declared_in, out-of-line or
 * inlined. */
typedef void point_scope_sink(struct point_job *job, const struct point_scope *scope,
			      void *context);
void point_scopes_named(struct point_job *job, point_scope_sink *sink, void *context);

/* Calls @visit with each compile unit until it returns false. */
typedef bool point_unit_visit(struct point_job *job, Dwarf_Die *unit, void *context);
void point_scopes_units(struct point_job *job, point_unit_visit *visit, void *context);

#endif
