/* line_chains.h - the checked reply of a SANDBOX_LINES job: source lines and inline chains.
 *
 *   | header | first[address_count + 1] | frames[frame_count] | strings[string_bytes], last NUL |
 *
 * Address i, in the order of the request, has the frames first[i] <= f < first[i + 1]: innermost
 * first, the containing function last. No frames: the address is not in the debug information.
 *
 * Use:    built in the worker (elf/dwarf_lines.h). Call line_chains_check() once when the bytes
 *         arrive; readers trust them from then on.
 * Thread: any; immutable after the check.
 */
#ifndef SANDBOX_LINE_CHAINS_H
#define SANDBOX_LINE_CHAINS_H

#include <stddef.h>
#include <stdint.h>

#include "base/build_id.h"
#include "base/diag.h"

#define LINE_CHAINS_MAGIC     0x314e4c4c504d4c46ull	/* "FLMPLLN1" */
#define LINE_CHAINS_VERSION   1
#define LINE_ADDRESSES_MAX    256	/* rows on the largest terminals, and a margin */
#define LINE_DEPTH_MAX	      64	/* gcc and clang were seen to inline 20 deep */
#define LINE_CHAINS_BYTES_MAX (4u << 20)
#define LINE_ALTERNATE_BYTES  126	/* "x86_64-linux-gnu/PACKAGE.debug", terminated */

struct line_header {
	uint64_t magic;
	uint32_t version;
	uint32_t address_count;
	uint32_t frame_count;
	uint32_t string_bytes;
	struct build_id build_id;	/* as found in the DSO, count 0 if none */
	/* Build-id of the shared debug file (dwz) that the debug information refers to and that was
	 * not an input or had another build-id; count 0: none. Without it some names are missing;
	 * with DWARF_LINES_NOT_ASKED (dwarf_lines.h) the reply has no frames. */
	struct build_id alternate;
	char alternate_name[LINE_ALTERNATE_BYTES];	/* path below .dwz, untrusted; "": none */
};

_Static_assert(sizeof(struct line_header) == 192, "no gaps that nobody fills");

struct line_frame {
	uint32_t function;	/* demangled name, offset into the strings; "": unknown */
	uint32_t file;		/* full path as recorded, offset into the strings; "": unknown */
	uint32_t line;		/* 0: unknown */
};

struct line_chains {
	const struct line_header *header;	/* all four BORROWED from the checked bytes */
	const uint32_t *first;
	const struct line_frame *frames;
	const char *strings;
};

/* Checks @bytes[@bytes_count], aligned as memory of malloc() or mmap(), as the reply for
 * @address_count addresses. *@out then points into them. Returns 0, or -EBADMSG with the reason. */
int line_chains_check(struct line_chains *out, const void *bytes, size_t bytes_count,
		      uint32_t address_count, struct diag *why);

/* Returns the text at @offset, a struct line_frame field: raw, NUL-terminated, BORROWED. */
static inline const char *line_chains_text(const struct line_chains *chains, uint32_t offset)
{
	return chains->strings + offset;
}

#endif
