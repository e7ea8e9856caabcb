/* jitdump_format.h - the records of a jitdump, jit-PID.dump.
 *
 *   | header | record | record | ...       record = | id | total_size | timestamp | body |
 *
 * Source: Linux, tools/perf/Documentation/jitdump-specification.txt, version 1.
 */
#ifndef ELF_JITDUMP_FORMAT_H
#define ELF_JITDUMP_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

enum jitdump_id {
	JIT_CODE_LOAD = 0,
	JIT_CODE_MOVE = 1,
	JIT_CODE_DEBUG = 2,
	JIT_CODE_UNWINDING_INFO = 4,
};

#define JITDUMP_ARCH_TIMESTAMP 1u	/* flag: timestamps are not those of CLOCK_MONOTONIC */

struct jitdump_header {
	uint32_t magic, version, total_size, elf_machine, padding, pid;
	uint64_t timestamp, flags;
};

struct jitdump_head {
	uint32_t id, total_size;
	uint64_t timestamp;
};

struct jitdump_load {		/* the NUL-terminated name and the code follow */
	uint32_t pid, tid;
	uint64_t vma, code_addr, code_size, code_index;
};

struct jitdump_move {
	uint32_t pid, tid;
	uint64_t vma, old_code_addr, new_code_addr, code_size, code_index;
};

struct jitdump_debug {		/* entries follow: jitdump_code.c */
	uint64_t code_addr, entry_count;
};

struct jitdump_unwinding {	/* unwinding_size bytes follow: .eh_frame, .eh_frame_hdr */
	uint64_t unwinding_size, header_size, mapped_size;
};

/* Reads the header of the dump behind @fd, which has @bytes bytes. 0; -ENOEXEC: not a jitdump that
 * can be read here; -EBADMSG: damaged. */
int jitdump_read_header(int fd, uint64_t bytes, struct jitdump_header *out, struct diag *why);

#endif
