/* group_fixture.h - trees of groups over a small machine's samples, by any keys. */
#ifndef TESTS_GROUP_FIXTURE_H
#define TESTS_GROUP_FIXTURE_H

#include "fold/tree.h"

#define GROUP_FIXTURE_WEIGHT 34860	/* all samples; each weighs 1, as in ui_rows.c */

/* BORROWED, static: until the next call. */
struct group_tree group_fixture_machine(const enum group_key *keys, uint32_t count);

#endif
