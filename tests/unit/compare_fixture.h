/* compare_fixture.h - the machine of ui_rows.h compared with 5 s of the day before: 34860
 * samples now, 20000 then.
 *
 *   symbols                        then      now    change
 *   hash_search_with_hash_value   27.35    41.65   +14.30
 *   deflate_slow                   9.80      -      -9.80   gone
 *   copy_user_enhanced...         30.30    20.51    -9.79
 *   libjvm.so (loading)              -      9.27    +9.27   new
 *   std::vector...                 6.58     2.58    -4.00
 *   ChaCha20_4xl, and others      14.80    14.80     0.00
 */
#ifndef TESTS_COMPARE_FIXTURE_H
#define TESTS_COMPARE_FIXTURE_H

#include "ui_fixture.h"

#define COMPARE_BEGIN_NS 3600000000000	/* with no offset 01:00:00 */
#define COMPARE_END_NS	 3605000000000

/* Replies to the last query with rows, tree and probes that are compared, if the query asks for
 * that; else as they are, with a baseline that waits. */
void compare_fixture_reply(struct ui *ui);

/* The machine compared, in the view of @kind, on a screen of that size: drawn once. */
void compare_fixture_open(struct ui *ui, int width, int height, enum view_kind kind);

/* main > sort > qsort, swap (new); deflate > deflate_slow > longest_match (gone); and others.
 * BORROWED, static. */
struct call_tree compare_fixture_tree(bool has_command);

#endif
