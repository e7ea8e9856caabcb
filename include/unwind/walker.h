/* walker.h - registers and a copy of the stack -> the addresses of all callers.
 *
 * Use:    one walker per analyzer. walker_walk() per sample, over the bytes where they are: it
 *         copies and allocates nothing.
 * Idea:   the row of an address is found once and kept in a cache that is keyed by address and
 *         address space. Behind it is one that is keyed by table, for programs that are started
 *         again and again, each time at other addresses.
 * Thread: the analyzer's.
 */
#ifndef UNWIND_WALKER_H
#define UNWIND_WALKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/remote_unwind.h"
#include "sandbox/unwind_table.h"

#define WALKER_FRAMES_MAX 512
#define WALKER_CACHE_ROWS 16384

struct walker_registers {
	uint64_t ip, sp, bp;
	uint64_t bx, di;
	bool has_others;	/* bx and di are known */
};

struct walker_stack {	/* what memory held from @start on */
	uint64_t start;
	const unsigned char *bytes;	/* of any alignment */
	size_t count;
};

/* Which code an address is. */
struct walker_code {
	const struct unwind_table *table;	/* NULL: none, see the next two */
	uint64_t number;	/* of the table's rows, never of others'; 0: keep none of them */
	uint64_t address;	/* in the table: a file offset */
	bool is_mapped;		/* it is in an executable mapping */
	bool is_loading;	/* its table is still to come */
	bool is_unnamed;	/* made at run time, and no map names it: nothing is known of it */
	bool is_unread;		/* made at run time, and its process's map is still to come, which
				 * may tell more than its frame pointers */
};

/* Of whose code. `space` is another number whenever what find() answers may be another. */
struct walker_space {
	uint64_t number;
	struct walker_code (*find)(void *context, uint64_t ip);
	void *context;
	/* NULL, or asked where the word at @slot should be a return address, but @address is no
	 * code: the one that somebody has put it in the place of; 0: nobody has. */
	uint64_t (*find_return)(void *context, uint64_t slot, uint64_t address);
	bool can_wait;		/* the walk may end at unread code, and is made again later */
};

enum walker_end {
	WALKER_COMPLETE,	/* the outermost frame was reached */
	WALKER_CUT,		/* the stack goes on beyond the copy */
	WALKER_LOST,		/* no rule, or one that leads to no code: more bytes don't help */
	WALKER_COMPLEX,		/* a row of UNWIND_COMPLEX, or of UNWIND_BX or UNWIND_DI and
				 * their register is not known: libunwind may know */
	WALKER_LOADING,		/* a table is still to come */
	WALKER_NO_MAP,		/* in unnamed code whose frame pointers lead to no other code */
	WALKER_DEEP,		/* more than WALKER_FRAMES_MAX frames */
};

struct walker_cached {
	uint64_t space, ip;
	struct unwind_row row;
	bool is_mapped, is_loading, is_unnamed, is_unread;
};

struct walker_row {
	uint64_t number;
	uint32_t address;
	struct unwind_row row;
};

struct walker {
	struct walker_cached *cache;	/* owned: WALKER_CACHE_ROWS, as the next */
	struct walker_row *rows;
	uint64_t last_sp;	/* of the last frame of the last walk: what it read lies below, or
				 * was interrupted by a signal there */
	/* Of the last walk, a bit per frame: see walker_is_exact(). */
	uint64_t exact[WALKER_FRAMES_MAX / 64];
};

int walker_init(struct walker *walker);		/* 0 or -ENOMEM */
void walker_finish(struct walker *walker);

/* Writes the frames to @frames[@room], leaf first: the leaf's ip, then return addresses as they
 * stand in memory (after a call), all but the leaf in executable mappings. *@end says why it
 * stopped. Returns how many, at least 1. No allocation, no lock, whatever the bytes are. */
size_t walker_walk(struct walker *walker, const struct walker_space *space,
		   const struct walker_registers *registers, const struct walker_stack *stack,
		   uint64_t *frames, size_t room, enum walker_end *end);

/* Goes on where somebody else has been, @found[@found_count] (> 0), leaf first: takes them as
 * frames, as far as they are in executable mappings, and walks from the last one. Like
 * walker_walk() for the rest. */
size_t walker_resume(struct walker *walker, const struct walker_space *space,
		     const struct remote_frame *found, size_t found_count,
		     const struct walker_stack *stack, uint64_t *frames, size_t room,
		     enum walker_end *end);

/* Of the last walk: @frame was interrupted at its address, as the leaf and what a signal came into;
 * else it is a return address, and the call is before it. */
static inline bool walker_is_exact(const struct walker *walker, size_t frame)
{
	return walker->exact[frame / 64] >> frame % 64 & 1;
}

#endif
