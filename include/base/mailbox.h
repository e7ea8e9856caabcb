/* mailbox.h - hands over the newest object, never a queue of stale ones.
 *
 *   writer: finish object -> exchange RELEASE   pairs with   exchange ACQUIRE -> read object
 * The writer gets back an object that was not taken, and frees it.
 *
 * Thread: one writer, one reader.
 */
#ifndef BASE_MAILBOX_H
#define BASE_MAILBOX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct mailbox {
	_Atomic(void *) newest;	/* NULL when nothing waits */
};

/* Writer. Publishes @object; returns the previous object if it was not taken, else NULL. */
static inline void *mailbox_put(struct mailbox *box, void *object)
{
	/* pairs with mailbox_take() */
	return atomic_exchange_explicit(&box->newest, object, memory_order_acq_rel);
}

/* Reader. Takes the newest object, which the reader then frees, or NULL. */
static inline void *mailbox_take(struct mailbox *box)
{
	/* pairs with mailbox_put() */
	return atomic_exchange_explicit(&box->newest, NULL, memory_order_acq_rel);
}

/* Writer. Returns true when the reader has taken the last object. */
static inline bool mailbox_is_empty(struct mailbox *box)
{
	/* Only the reader empties it: no order is needed. */
	return !atomic_load_explicit(&box->newest, memory_order_relaxed);
}

#endif
