/* remote_unwind.h - runs libunwind on a copy of a process's registers and stack: for the rare rules
 * that an unwind row can't express, and as the reference that tests compare the walker with.
 *
 * Use:    create once per set of DSOs, then remote_unwind_frames() per stack.
 * Source: libunwind(3), unw_create_addr_space(3); LSB 5.0 core generic, 10.6.2 (.eh_frame_hdr);
 *         System V ABI AMD64, 3.6.2 (register numbers).
 * Trust:  registers, stack and files are untrusted; libunwind parses them, so use it only in a
 *         worker (and in tests). It can read no other memory: other addresses are errors to it.
 * Scope:  rules of .eh_frame, found through .eh_frame_hdr; without that, libunwind guesses by the
 *         frame pointer.
 * Thread: the owner's.
 */
#ifndef ELF_REMOTE_UNWIND_H
#define ELF_REMOTE_UNWIND_H

#include <stddef.h>
#include <stdint.h>

#include "elf/elf_file.h"

#define REMOTE_REGISTERS 17	/* indexed by DWARF number; the last is the instruction pointer */
#define REMOTE_REGISTER_BX 3
#define REMOTE_REGISTER_DI 5
#define REMOTE_REGISTER_BP 6
#define REMOTE_REGISTER_SP 7
#define REMOTE_REGISTER_IP 16

struct remote_object {
	struct elf_file *file;	/* BORROWED; its segments were read */
	uint64_t start, end;	/* an executable mapping of the file; end is exclusive */
	uint64_t bias;		/* run-time address - vaddr */
};

struct remote_stack {
	uint64_t registers[REMOTE_REGISTERS];
	uint64_t start;			/* address of the first copied byte */
	const unsigned char *bytes;	/* BORROWED */
	size_t count;
};

struct remote_frame {
	uint64_t ip, sp, bp;
	uint64_t is_exact;	/* 1: interrupted at ip; 0: ip is a return address */
};

struct remote_unwind;

/* @objects are BORROWED until remote_unwind_destroy(). Returns NULL if out of memory. */
struct remote_unwind *remote_unwind_create(const struct remote_object *objects, size_t count);
void remote_unwind_destroy(struct remote_unwind *unwind);	/* NULL is fine */

/* Writes up to @room (> 0) frames of @stack, leaf first; returns their number, at least 1. */
size_t remote_unwind_frames(struct remote_unwind *unwind, const struct remote_stack *stack,
			    struct remote_frame *frames, size_t room);

#endif
