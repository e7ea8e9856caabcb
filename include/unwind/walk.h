/* walk.h - registers and a copy of the stack -> the addresses of all callers.
 *
 * Use:    one walker per analyzer. walker_walk() per sample reads the stack bytes in place: it
 *         copies and allocates nothing.
 * Idea:   the row of an address is found once and kept in a cache that is keyed by address and
 *         address space. A second cache is keyed by table and offset, for programs that are
 *         started again and again, each time at other addresses.
 * Thread: the analyzer's.
 */
#ifndef UNWIND_WALK_H
#define UNWIND_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/machine.h"
#include "elf/slow_frames.h"
#include "sandbox/unwind_table.h"

struct walker_stack {	/* copy of the memory from `start` on */
	uint64_t start;
	const unsigned char *bytes;	/* any alignment */
	size_t count;
};

enum walker_end {
	WALKER_COMPLETE,	/* the outermost frame was reached */
	WALKER_CUT,		/* the stack goes on beyond the copy */
	WALKER_LOST,		/* no rule, or one that leads to no code: more bytes don't help */
	WALKER_COMPLEX,		/* libunwind may know: a row of UNWIND_COMPLEX, or of UNWIND_BX or
				 * UNWIND_DI whose register is unknown */
	WALKER_LOADING,		/* a table, or the map of run-time code, has not arrived yet */
	WALKER_NO_MAP,		/* in unnamed code whose frame pointers lead to no other code */
	WALKER_DEEP,		/* more than WALKER_FRAMES_MAX frames */
};

#define WALKER_FRAMES_MAX 512
#define WALKER_CACHE_ROWS 16384

struct walker_registers {
	uint64_t ip, sp, bp;	/* aarch64: pc, sp, x29 */
	uint64_t bx, di;
	bool has_others;	/* bx and di are known */
	uint64_t lr;		/* aarch64: x30; 0: unknown */
};

/* The code at an address. */
struct walker_code {
	const struct unwind_table *table;	/* NULL: none, see the flags below */
	uint64_t number;	/* cache key of the table, used for no other; 0: don't cache */
	uint64_t address;	/* address for look-ups in the table: a file offset */
	bool is_mapped;		/* in an executable mapping */
	bool is_loading;	/* its table has not arrived yet */
	bool is_unnamed;	/* run-time code that no map names: nothing is known of it */
	bool is_unread;		/* run-time code whose process's map has not been read yet; it may
				 * tell more than the frame pointers */
};

/* The address space of a walk. */
struct walker_space {
	uint64_t number;	/* changes whenever find() may return something else */
	struct walker_code (*find)(void *context, uint64_t ip);
	void *context;
	/* NULL, or called if the return address @address is no code. Returns the return address
	 * that it replaced (uretprobes); 0: none. @slot identifies the call: x86-64: the word with
	 * the return address; aarch64: sp at the function's entry, which is the CFA. */
	uint64_t (*find_return)(void *context, uint64_t slot, uint64_t address);
	bool can_wait;		/* the walk may stop at unread code: it is repeated later */
	enum machine machine;	/* machine of registers and stack; tables of another one are gaps */
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
	struct walker_cached *cache;	/* owned: WALKER_CACHE_ROWS by space and ip */
	struct walker_row *rows;	/* owned: WALKER_CACHE_ROWS by table number and offset */
	uint64_t last_sp;	/* sp in the last walk's last frame: what it read lies below, or
				 * was interrupted by a signal there */
	uint64_t lr;		/* aarch64, during a walk: x30 of the last interrupted frame */
	/* One bit per frame of the last walk: see walker_is_exact(). */
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

/* Continues from frames that libunwind found, @found[@found_count] (> 0), leaf first: takes them
 * over as far as they are in executable mappings, and walks on from the last one. Otherwise like
 * walker_walk(). */
size_t walker_resume(struct walker *walker, const struct walker_space *space,
		     const struct remote_frame *found, size_t found_count,
		     const struct walker_stack *stack, uint64_t *frames, size_t room,
		     enum walker_end *end);

/* Returns the caller of code that was interrupted at @ip, if the row there says that the return
 * address is in @lr (aarch64's x30, maybe signed): the address after the call. 0: it is elsewhere,
 * unknown, or no code. *@is_loading: the table that would tell has not arrived yet. */
uint64_t walker_find_in_lr(struct walker *walker, const struct walker_space *space, uint64_t ip,
			   uint64_t lr, bool *is_loading);

/* Returns whether @frame of the last walk was interrupted at its address: the leaf, or a frame that
 * a signal interrupted. Other frames have a return address, and the call is before it. */
static inline bool walker_is_exact(const struct walker *walker, size_t frame)
{
	return walker->exact[frame / 64] >> frame % 64 & 1;
}

#endif
