/* strpool.h - foreign text interned once: sanitized, terminated, never moved, compared by id.
 *
 * Use:    strpool_intern() on the way in; keep the id; strpool_get() to show it.
 * Owns:   the bytes; pointers live as long as the pool.
 * Thread: one thread (the analyzer). Snapshots copy the text they show.
 */
#ifndef BASE_STRPOOL_H
#define BASE_STRPOOL_H

#include <stddef.h>
#include <stdint.h>

struct str_id {
	uint32_t v;	/* 0 is the empty string, in every pool */
};

struct strpool;

struct strpool *strpool_create(void);	/* NULL: out of memory */
void strpool_destroy(struct strpool *pool);

/* The id of the sanitized form of @text[0..@len). Out of memory gives id 0. */
struct str_id strpool_intern(struct strpool *pool, const char *text, size_t len);

const char *strpool_get(const struct strpool *pool, struct str_id id);	/* BORROWED, never NULL */
size_t strpool_bytes(const struct strpool *pool);			/* memory in use */

#endif
