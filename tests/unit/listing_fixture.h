/* listing_fixture.h - a small function, worked out by hand, as a listing with its document.
 *
 *   search, dyn.c                        code    samples, event 0      event 1   line
 *   10 long search(struct table *t,      1000    push                            10
 *   11             long key)             1001    mov            2                12
 *   12 { struct entry *e = t->first;     1004    test          10          4     14
 *   13                                   1007    je 101e        5                14
 *   14   while (e) {                     1009    cmp           40          2     15 > dyn.h:4
 *   15     if (match(e, key))            100d    je 1018        3                15 > dyn.h:4
 *   16       return value_of(e);         100f    mov           30          1     17
 *   17     e = e->next;                  1012    jmp 1004                        14
 *   18   }                               1014    padding
 *   19   return -1;                      1018    call value_of  4                16
 *   20 }                                 101d    ret                             16
 *                                        101e    mov                             19
 *                                        1023    ret                             20
 *                                        2000    call abort     1                16   search.cold
 */
#ifndef TESTS_LISTING_FIXTURE_H
#define TESTS_LISTING_FIXTURE_H

#include "listing/listing_rows.h"

#define LISTING_FIXTURE_SAMPLES 95

struct listing_fixture {
	struct listing listing;
	struct listing_document document;
	struct code_header code_header;
	struct line_ranges_header line_header;
	struct listing_source sources[2];
	struct listing_rows rows;
};

/* Fills in @fixture, and builds its rows in @layer with all lines closed. */
void listing_fixture_init(struct listing_fixture *fixture, enum listing_layer layer);
/* Builds the rows again. */
void listing_fixture_build(struct listing_fixture *fixture, const struct listing_options *options);
void listing_fixture_finish(struct listing_fixture *fixture);

/* Returns the index of the row with @text, sanitized; fails the test if there is none. */
uint32_t listing_fixture_row(const struct listing_fixture *fixture, const char *text);

#endif
