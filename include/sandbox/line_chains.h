/* line_chains.h - the checked answer of a SANDBOX_LINES job: source lines and inline chains.
 *
 *   | header | first[address_count + 1] | frames[frame_count] | strings[string_bytes], last NUL |
 *
 * Address i, in the order of the request, has the frames first[i] <= f < first[i + 1]: innermost
 * first, the containing function last. None: the debug information does not know the address.
 *
 * Use:    made in the worker (elf/dwarf_lines.h). line_chains_check() once when the bytes
 *         arrive; what reads them afterwards trusts them.
 * Thread: immutable after the check; any.
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
	struct build_id build_id;	/* as found in the object, count 0 if none */
	/* The shared debug file that this one refers to and that was not given, or did not fit:
	 * names are missing, or all if it was not asked for (dwarf_lines.h). count 0: none. */
	struct build_id alternate;
	char alternate_name[LINE_ALTERNATE_BYTES];	/* path below .dwz, foreign; "" none */
};

_Static_assert(sizeof(struct line_header) == 192, "no gaps that nobody fills");

struct line_frame {
	uint32_t function;	/* offset into the strings; "" unknown. Demangled */
	uint32_t file;		/* the same; whole path as recorded */
	uint32_t line;		/* 0: unknown */
};

struct line_chains {
	const struct line_header *header;	/* BORROWED: the checked bytes, as the next three */
	const uint32_t *first;
	const struct line_frame *frames;
	const char *strings;
};

/* Checks the bytes @bytes[@bytes_count], aligned as memory of malloc() or mmap(), of the answer for
 * @address_count addresses. *@out then points into them. 0, or -EBADMSG with the reason. */
int line_chains_check(struct line_chains *out, const void *bytes, size_t bytes_count,
		      uint32_t address_count, struct diag *why);

/* Text at an offset of a frame: raw, terminated. */
static inline const char *line_chains_text(const struct line_chains *chains, uint32_t offset)
{
	return chains->strings + offset;
}

#endif
