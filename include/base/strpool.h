/* strpool.h - foreign text interned once: sanitized, terminated, never moved, compared by id.
 *
 * Use:    strpool_intern() on the way in; keep the id; strpool_get() to show it.
 * Owns:   the bytes; pointers live as long as the pool, those of passing text until it is swept.
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

/* The id of the sanitized form of @text[0..@len). Out of memory gives id 0,
 * counted in strpool_refused(). */
struct str_id strpool_intern(struct strpool *pool, const char *text, size_t len);

/* The same of text that is there for a while: it goes in strpool_sweep(), unless it was interned by
 * strpool_intern(), too. */
struct str_id strpool_intern_passing(struct strpool *pool, const char *text, size_t len);
/* The id if the text is there; else 0. */
struct str_id strpool_find(const struct strpool *pool, const char *text, size_t len);

uint64_t strpool_refused(const struct strpool *pool);	/* texts that are "" for want of memory */
size_t strpool_count(const struct strpool *pool);	/* ids are below it */
/* Forgets passing text of which !@used[id]; its id will be another text's. @used has
 * strpool_count() elements. */
void strpool_sweep(struct strpool *pool, const unsigned char *used);
size_t strpool_passing_bytes(const struct strpool *pool);	/* what a sweep can free at most */
size_t strpool_passing_cost(const struct strpool *pool, struct str_id id);	/* 0: it stays */

/* BORROWED, never NULL. Of an id that this pool gave and that was not swept since. */
const char *strpool_get(const struct strpool *pool, struct str_id id);
/* FNV-1a of its bytes: the same in every run, and filter_hash() of the same text. */
uint64_t strpool_hash(const struct strpool *pool, struct str_id id);
size_t strpool_bytes(const struct strpool *pool);			/* memory in use */

#endif
