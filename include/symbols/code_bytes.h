/* code_bytes.h - opens the machine code that runs, for a SANDBOX_CODE job.
 *
 *   file        the mapped file by descriptor, or one with the same build-id; else refused
 *   kernel      /proc/kcore, so that static keys and the patches of kprobes and ftrace are seen;
 *               where that is absent or covered, the same memory by a BPF program; else the
 *               kernel's image of the same build-id, as on disk
 *   BPF         what the kernel says of the program; else the kernel's memory
 *   vdso        flametop's own, or the memory of a 32-bit process
 *   run time    the jitdump: the code that was at the address at the time of the sample; else the
 *               memory of the process when the address became hot; else its memory now
 *
 * Problem: /proc/kcore is all of the kernel's memory, and a process may reuse, unmap or overwrite
 *          its code at any time, or end.
 * Idea:    only ranges of code are copied, into a sealed memfd; no worker ever has the descriptor
 *          of /proc/kcore. The bytes of run-time code are kept when code_bytes_remember() is called
 *          for them, and compared with what is there when they are opened.
 * Source:  proc(5), kcore and mem; bpf(2); elf/jitdump_format.h; bpf/kernel_reads.h.
 * Thread:  one thread for all calls on a reader, which may block for some seconds in a file system.
 */
#ifndef SYMBOLS_CODE_BYTES_H
#define SYMBOLS_CODE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build_id.h"
#include "base/diag.h"
#include "sandbox/code_rows.h"
#include "sandbox/sandbox.h"
#include "symbols/dso_file.h"

struct code_reader;

/* Where the code is. */
enum code_place {
	CODE_IN_FILE,		/* a mapped file or "[vdso]"; addresses are file offsets */
	CODE_IN_KERNEL,		/* kernel, module, BPF program, trampoline; absolute addresses */
	CODE_IN_PROCESS,	/* made at run time; absolute addresses */
};

struct code_request {
	enum code_place place;
	struct open_request dso;	/* CODE_IN_FILE: names the DSO, as for the opener.
					 * CODE_IN_KERNEL: kernel_slide, names and build_id, all
					 * zero for the running kernel.
					 * CODE_IN_PROCESS: pid, and the mapping of its jitdump,
					 * with path "" if it has none */
	uint64_t start_ticks;		/* CODE_IN_PROCESS: start time of the process, struct
					 * process_stat; 0: unknown */
	bool is_gone;			/* CODE_IN_PROCESS: it has ended, and its pid may be another
					 * one's: its memory is not read */
	uint64_t name_hash;		/* CODE_IN_PROCESS: hash of the function's name, which tells
					 * it from later code at its address; 0: unknown */
	uint64_t kernel_text;		/* CODE_IN_KERNEL, from a recording: address of _text,
					 * open_reply.kernel_text_address; 0: unknown */
	uint64_t time_ns;		/* CODE_IN_PROCESS: CLOCK_MONOTONIC time of a sample in the
					 * code; 0: the newest code */
};

/* Where the bytes come from. */
enum code_origin {
	CODE_FROM_FILE,		/* the mapped file */
	CODE_FROM_VDSO,
	CODE_FROM_KCORE,
	CODE_FROM_KERNEL_READ,	/* the kernel's memory, by a BPF program: there is no kcore */
	CODE_FROM_IMAGE,	/* the kernel's image: without what was patched at run time */
	CODE_FROM_BPF,
	CODE_FROM_JITDUMP,
	CODE_FROM_PROCESS,	/* its memory now; has_changed: at an earlier time */
	CODE_FROM_MEMORY_KEPT,	/* its memory when code_bytes_remember() read it */
};

struct code_bytes {
	int fd;			/* owned: the DSO, or a sealed memfd with the bytes of the ranges;
				 * input of a SANDBOX_CODE job */
	enum code_origin origin;
	enum machine machine;	/* for struct code_query */
	bool has_changed;	/* run-time code: the process has other bytes there now */
	struct build_id build_id;	/* the file's or kernel's; count 0: unknown */
	void *lines;		/* owned: source lines of the ranges from where the bytes are, for
				 * line_ranges_check(); its addresses are absolute. NULL: none */
	size_t lines_bytes;
	char note[160];		/* sentence on the bytes' origin, not terminated by a point */
};

/* @sandbox stays the caller's, is used by nobody else meanwhile, and must outlive the reader.
 * @kcore: from code_reader_open_kcore(); taken over, also on failure. 0 or -ENOMEM. */
int code_reader_create(struct code_reader **out, struct sandbox *sandbox, int kcore,
		       struct diag *why);
void code_reader_destroy(struct code_reader *reader);	/* NULL is fine */

/* Opens /proc/kcore. Call it before CAP_SYS_RAWIO is dropped, and after every fork of a process
 * that must not inherit it. Returns the descriptor, or -errno, which code_reader_create() takes,
 * too; -ENXIO: another file covers it, as containers do. */
int code_reader_open_kcore(void);

/* Opens the code of @ranges[@count], at most CODE_RANGES_MAX and CODE_RANGE_BYTES_MAX, and sets
 * their `offset`; a range that reaches beyond a BPF program's function is cut there, because
 * nothing in the kernel's list of symbols says where that ends. 0 with *@out, owned by the caller:
 * code_bytes_close(); or -errno with a sentence for the user: -ENODATA nobody has the bytes,
 * -ESTALE the file was replaced, -ESRCH the process is gone, -EINVAL, -E2BIG bad ranges... */
int code_bytes_open(struct code_reader *reader, const struct code_request *request,
		    struct code_range *ranges, uint32_t count, struct code_bytes *out,
		    struct diag *why);
void code_bytes_close(struct code_bytes *bytes);	/* a zeroed one with fd -1 is fine */

/* Keeps the bytes that the process of @request (CODE_IN_PROCESS) has now at @ranges[@count], where
 * none are kept yet. Call it when code without a jitdump becomes hot; the oldest bytes make room
 * for new ones beyond CODE_KEPT_BYTES_MAX. 0 or -errno: none were kept. */
int code_bytes_remember(struct code_reader *reader, const struct code_request *request,
			const struct code_range *ranges, uint32_t count, struct diag *why);

#define CODE_KEPT_BYTES_MAX (8u << 20)	/* the code of a thousand large functions */

#endif
