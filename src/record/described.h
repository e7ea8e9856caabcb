/* described.h - since when a recording says what a process or a thread is.
 *
 * A record about one that the recording does not describe yet needs not be written: whatever
 * describes it later has its outcome. But a sample that comes late may be older than such a record,
 * and what is written for that sample says nothing of the time after the record.
 *
 * Samples of a process may come after its exit, so what was left out is known until all samples of
 * that time have come.
 *
 * A recording may have parts, each complete by itself: what one describes, another does not.
 *
 * Thread: the owner's.
 */
#ifndef RECORD_DESCRIBED_H
#define RECORD_DESCRIBED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/id_map.h"

struct described_row {
	uint64_t since_ns;	/* UINT64_MAX: not described. Of a free row: the next one, plus 1 */
	uint64_t left_out_ns;	/* newest record about it that was left out; 0: none */
	uint64_t exec_ns;	/* newest exec that was left out and is not described; 0: none */
	uint64_t ended_ns;	/* its last exit; 0: none */
	uint32_t number;	/* ID_MAP_NONE: the row is free */
};

struct described {
	struct id_map numbers;	/* pid or tid -> row */
	struct described_row *rows;	/* owned */
	uint32_t count, room;
	uint32_t free_row;	/* the first, plus 1; 0: none */
	uint64_t parts_ns[2];	/* begin of the last two parts; 0: there are fewer */
	uint64_t restart_ns;	/* time of the newest record before the last restart */
	uint64_t settled_ns;	/* every sample up to it has come */
};

void described_finish(struct described *described);	/* zeroed is fine; it is zeroed again */
/* Begins anew: nothing is described, and the records up to @time_ns are left out. */
void described_restart(struct described *described, uint64_t time_ns);
/* No sample up to @time_ns will come. */
void described_settle(struct described *described, uint64_t time_ns);
/* Records of @time_ns, which is later than all before, begin another part. */
void described_begin_part(struct described *described, uint64_t time_ns);
/* Whether the recording says at @time_ns what @number is. */
bool described_has(const struct described *described, uint32_t number, uint64_t time_ns);
/* Notes that @number is described from @time_ns on, unless a newer record about it was left out.
 * Out of memory: it is described again. */
void described_mark(struct described *described, uint32_t number, uint64_t time_ns);
/* Notes that a record about @number, which is not described, is left out. False: out of memory, it
 * must be written. */
bool described_leave_out(struct described *described, uint32_t number, uint64_t time_ns);
/* Notes that the exec, which was left out just now, took the mappings away that an older sample,
 * which is still to come, will describe. */
void described_leave_out_exec(struct described *described, uint32_t number, uint64_t time_ns);
/* Whether an exec up to @time_ns was left out that no description has made up for. */
bool described_lacks_exec(const struct described *described, uint32_t number, uint64_t time_ns);
/* @number is another's from now on, or more is known of it. */
void described_forget(struct described *described, uint32_t number);
/* @number is nobody's from @time_ns on. Samples from before may come later. */
void described_end(struct described *described, uint32_t number, uint64_t time_ns);

#endif
