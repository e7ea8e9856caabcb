/* demangler.h - the thread that has names demangled, by workers of its own sandbox.
 *
 * Use:    demangler_request() names, demangler_begin(), go on, take demangler_reply() when
 *         demangler_fd() is readable. Every request gets exactly one reply.
 * Trust:  a worker is given names of one owner (object) at a time: a name that takes its worker
 *         over can forge the names of its own object, and of no other.
 * Crossings: one SPSC queue of requests in, one of replies out, an eventfd each.
 * Thread: request and reply calls from one thread (the analyzer).
 */
#ifndef SYMBOLS_DEMANGLER_H
#define SYMBOLS_DEMANGLER_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/demangle.h"
#include "sandbox/sandbox.h"

struct demangler;

struct demangled {
	uint32_t id, owner;		/* as requested */
	char text[DEMANGLE_TEXT_MAX + 1];	/* raw bytes, terminated; "": the name stays */
};

/* @sandbox stays the caller's, is used by nobody else, and must outlive the demangler. */
int demangler_create(struct demangler **out, struct sandbox *sandbox, struct diag *why);
/* Cancels the sandbox's job (for good) and waits for the thread. NULL is fine. */
void demangler_destroy(struct demangler *demangler);

/* Queues @name, of which demangle_is_mangled(). False when too many are under way: take replies,
 * ask again later. */
bool demangler_request(struct demangler *demangler, uint32_t id, uint32_t owner,
		       const char *name);
/* Those that were requested since the last call are begun with, together. */
void demangler_begin(struct demangler *demangler);
/* Takes the next reply, false when there is none. */
bool demangler_reply(struct demangler *demangler, struct demangled *out);
/* Readable when replies wait; then take replies until there is none: each take resets it. */
int demangler_fd(const struct demangler *demangler);
/* Names that wait for their reply. */
uint32_t demangler_under_way(const struct demangler *demangler);

#endif
