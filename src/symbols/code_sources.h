/* code_sources.h - where code_reader.c gets bytes from that are in no file: the kernel's memory,
 * its BPF programs, and the memory of processes.
 *
 * Thread: the reader's.
 */
#ifndef SYMBOLS_CODE_SOURCES_H
#define SYMBOLS_CODE_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "proc/process_stat.h"
#include "sandbox/kernel_layout.h"
#include "symbols/code_bytes.h"
#include "symbols/kallsyms.h"

/* The ranges of a request and room for their bytes, one after the other. */
struct code_copy {
	struct code_range *ranges;	/* BORROWED; `offset` is the place in `bytes` */
	uint32_t count;
	uint64_t bytes_count;
	unsigned char *bytes;		/* BORROWED */
};

/* kernel_core.c */

struct kernel_core {
	int fd;				/* owned: /proc/kcore; -errno: it could not be opened */
	bool has_bounds;
	struct kallsyms_bounds bounds;	/* where the running kernel's code is */
};

/* Finds core->bounds. 0 or -errno with the reason. */
int kernel_core_find_bounds(struct kernel_core *core, struct diag *why);
/* Copies the bytes of kernel code as it is now, from /proc/kcore. -ENODATA: no code of the kernel
 * is there; -ENOENT, -ENXIO, -EPERM, -EBADMSG, -EIO...: the file can't be used, and `why` says
 * why. */
int kernel_core_read(struct kernel_core *core, const struct code_copy *copy, struct diag *why);
/* The same by BPF programs, for want of the file; the ranges must be within functions that the
 * kernel lists. -ENODATA: they are not; else see kernel_code_read(). */
int kernel_core_read_by_bpf(struct kernel_core *core, const struct code_copy *copy,
			    struct diag *why);

/* Finds the bytes at @address in the program headers of the core file @fd. Returns 0 with its file
 * offset; -ENODATA: not in the file; -EBADMSG: no core file that can be read here. */
int kernel_core_find(int fd, uint64_t address, uint64_t bytes, uint64_t *offset, struct diag *why);

/* Writes into @name the module that the range is in. False: none. */
bool kernel_core_find_module(const struct code_range *range, char name[KERNEL_MODULE_BYTES]);

/* Copies the bytes from the file of the kernel or module @layout, and sets origin, machine,
 * build_id and note of @out. -ENOENT: there is none. */
int kernel_image_read(struct sandbox *sandbox, const struct kernel_layout *layout,
		      const struct code_copy *copy, struct code_bytes *out, struct diag *why);

/* bpf_code.c */

/* Copies the bytes of the BPF program's function at ranges[0].address, and its source lines as in
 * struct code_bytes. Ranges that reach beyond a function are cut there. -ENOENT: no BPF program is
 * there; -EPERM. */
int bpf_code_read(const struct code_copy *copy, struct code_bytes *out, struct diag *why);

/* Sets out->lines and lines_bytes to the source lines of @program, a descriptor, in the ranges of
 * @copy. 0 or -errno: it has none, and they stay as they are. */
int bpf_lines_read(int program, const struct code_copy *copy, struct code_bytes *out);

/* process_code.c */

/* A process whose code is read. */
struct code_process {
	struct process_root root;
	int memory;			/* owned: /proc/PID/mem; -1: gone, or not permitted */
	uint32_t pid;
	uint64_t start_ticks;
	bool is_alive;
	struct diag why;		/* why `memory` is -1 */
};

void code_process_open(struct code_process *out, const struct code_request *request);
void code_process_close(struct code_process *process);
/* Returns the machine of the process; MACHINE_UNKNOWN: unknown. */
enum machine code_process_machine(const struct code_process *process);
/* Copies the bytes of all ranges from the process's memory. */
int code_process_read(const struct code_process *process, struct sandbox *sandbox,
		      const struct code_copy *copy, struct diag *why);

/* Bytes of run-time code that were read earlier, the least recently used ones first. */
struct kept_code;

struct code_store {
	struct kept_code *first, *last;	/* owned */
	size_t bytes;
};

struct code_key {
	uint32_t pid;
	uint64_t start_ticks;	/* 0: unknown, equal to any */
	uint64_t name_hash;
};

void code_store_finish(struct code_store *store);
/* Keeps @bytes of @range. 0 or -ENOMEM. */
int code_store_add(struct code_store *store, const struct code_key *key,
		   enum machine machine, const struct code_range *range,
		   const unsigned char *bytes);
/* Returns the kept bytes of @range; NULL: none. BORROWED until the next code_store_add(). */
const unsigned char *code_store_find(struct code_store *store, const struct code_key *key,
				     const struct code_range *range, enum machine *machine);

#endif
