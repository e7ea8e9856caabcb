/* snapshot_fixture.h - snapshots with known rows, for tests of what is shown. */
#ifndef SNAPSHOT_FIXTURE_H
#define SNAPSHOT_FIXTURE_H

#include "analyzer/snapshot.h"

/* Completes @rows (missing text becomes "", a missing raw name
 * the name, a missing id the row's number from 1; weights that are
 * missing follow from the sample counts) and returns a plain snapshot of them. @rows must outlive
 * it. */
struct snapshot fixture_snapshot(struct snapshot_row *rows, size_t count);

#endif
