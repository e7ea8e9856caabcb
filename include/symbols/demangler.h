/* demangler.h - has names demangled by workers of its own sandbox.
 *
 * Use:    demangler_request() names, demangler_begin(), go on, take demangler_reply() when
 *         demangler_fd() is readable. Every request gets exactly one reply.
 * Trust:  a worker gets names of one owner (DSO) at a time: a name that takes over its worker
 *         can forge names of its own DSO only.
 * Thread: all calls but create and destroy from one thread (the analyzer).
 */
#ifndef SYMBOLS_DEMANGLER_H
#define SYMBOLS_DEMANGLER_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/demangle.h"
#include "sandbox/sandbox.h"

struct demangler;

struct demangled {
	uint32_t id, owner;		/* copied from the request */
	char text[DEMANGLE_TEXT_MAX + 1];	/* raw, terminated; "": keep the mangled name */
};

/* @sandbox stays the caller's, is used by nobody else, and must outlive the demangler. */
int demangler_create(struct demangler **out, struct sandbox *sandbox, struct diag *why);
/* Cancels the sandbox's job (for good). NULL is fine. */
void demangler_destroy(struct demangler *demangler);

/* Queues @name, for which demangle_is_mangled() is true. False when too many requests are under
 * way, or there is no memory: take replies, then try again. */
bool demangler_request(struct demangler *demangler, uint32_t id, uint32_t owner,
		       const char *name);
/* Has the names demangled that were requested since the last call. */
void demangler_begin(struct demangler *demangler);
/* Takes the next reply, false when there is none. */
bool demangler_reply(struct demangler *demangler, struct demangled *out);
/* Readable when there is something to do: then take replies until there is none. */
int demangler_fd(const struct demangler *demangler);
/* Returns the number of names whose reply has not been taken. */
uint32_t demangler_under_way(const struct demangler *demangler);

#endif
