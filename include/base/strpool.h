/* strpool.h - foreign text interned once: sanitized, terminated, never moved, compared by id.
 *
 * Use:    strpool_intern() on the way in; keep the id; strpool_get() to show it.
 * Owns:   the bytes; pointers live as long as the pool, those to passing text until it is swept.
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

/* Interns the sanitized form of @text[0..@len) and returns its id. Out of memory: returns id 0 and
 * counts it in strpool_refused(). */
struct str_id strpool_intern(struct strpool *pool, const char *text, size_t len);

/* Interns temporary ("passing") text like strpool_intern(); strpool_sweep() frees it, unless
 * strpool_intern() was called for the same text. */
struct str_id strpool_intern_passing(struct strpool *pool, const char *text, size_t len);
/* Returns the id of @text[0..@len) if it was interned, else 0. */
struct str_id strpool_find(const struct strpool *pool, const char *text, size_t len);

uint64_t strpool_refused(const struct strpool *pool);	/* texts lost for lack of memory */
size_t strpool_count(const struct strpool *pool);	/* greater than all ids */
/* Frees the passing texts for which @used[id] is 0; their ids will be used again. @used has
 * strpool_count() elements. */
void strpool_sweep(struct strpool *pool, const unsigned char *used);
size_t strpool_passing_bytes(const struct strpool *pool);	/* most that a sweep can free */
size_t strpool_passing_cost(const struct strpool *pool, struct str_id id);	/* 0: permanent */

/* Returns the text of @id, which this pool returned and has not swept since. BORROWED, never
 * NULL. */
const char *strpool_get(const struct strpool *pool, struct str_id id);
/* Returns the FNV-1a hash of the text, which equals filter_hash() of the text in every run. */
uint64_t strpool_hash(const struct strpool *pool, struct str_id id);
size_t strpool_bytes(const struct strpool *pool);			/* memory in use */

#endif
