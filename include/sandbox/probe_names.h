/* probe_names.h - what an ELF file offers to be probed: its functions by all their names, and its
 * USDT marks. The checked answer of a SANDBOX_PROBE_NAMES job.
 *
 *   | header | functions[function_count] | marks[mark_count] | strings[string_bytes], last NUL |
 *
 * Functions are sorted by name, then offset; marks by provider, name, then offset. A flat table
 * (sandbox/flat_table.h) has one name for each address: here "write" is found, too, where it shows
 * "__write".
 *
 * Use:    probe_names_read() in the privileged process: has a worker do it, checks, returns. For
 *         one function or mark then probe_names_find_*(), for all of them the arrays.
 * Thread: immutable after the check; any.
 */
#ifndef SANDBOX_PROBE_NAMES_H
#define SANDBOX_PROBE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/build_id.h"
#include "base/diag.h"
#include "sandbox/sandbox.h"

#define PROBE_NAMES_MAGIC   0x314d414e504d4c46ull	/* "FLMPNAM1" */
#define PROBE_NAMES_VERSION 1
#define PROBE_NAMES_TEXT_MAX 4095	/* bytes of each text: what demangling gives at most */

/* What to look for: `argument` of the job. */
enum probe_names_part {
	PROBE_NAMES_FUNCTIONS = 1,
	PROBE_NAMES_MARKS = 2,
	PROBE_NAMES_DEMANGLED = 4,	/* `shown` of functions, too; a name that demanglers can't
					 * bear then takes all others along */
};

struct probe_names_header {
	uint64_t magic;
	uint32_t version;
	uint32_t function_count;
	uint32_t mark_count;
	uint32_t string_bytes;
	struct build_id build_id;	/* as found in the object, count 0 if none */
	uint8_t padding[3];
};

_Static_assert(sizeof(struct probe_names_header) == 48, "no gaps that nobody fills");

struct probe_function {
	uint64_t offset;	/* in the file, of its first instruction */
	uint32_t size;		/* bytes; 0: unknown */
	uint32_t name;		/* offset into the strings; foreign, as the next */
	uint32_t shown;		/* what the programmer wrote; `name` where that is the same */
	uint32_t is_resolver;	/* STT_GNU_IFUNC: what runs here chooses a function, once */
};

struct probe_mark {
	uint64_t offset;	/* in the file, of the instruction */
	uint64_t semaphore;	/* in the file, of its count (ref_ctr_offset); 0: has none */
	uint32_t provider, name;	/* offsets into the strings; foreign, not "" */
	uint32_t arguments;	/* the same: "-4@%eax 8@-8(%rbp)"; may be "" */
	uint32_t padding;
};

struct probe_names {
	const struct probe_names_header *header;	/* BORROWED: the checked bytes, as below */
	const struct probe_function *functions;
	const struct probe_mark *marks;
	const char *strings;
	struct sandbox_bytes bytes;	/* owned; of probe_names_read() */
};

/* Has a worker of @sandbox read the ELF file behind @fd and, for names that were stripped from it,
 * its debug file behind @debug_fd (-1: none); @parts: enum probe_names_part, or'ed. BLOCKS as
 * sandbox_run(). 0 with *@out the caller's (probe_names_finish()); -ENOEXEC not ELF, -EBADMSG
 * damaged, -E2BIG, -ENOMEM, or another of sandbox_run(). */
int probe_names_read(struct sandbox *sandbox, int fd, int debug_fd, uint64_t parts,
		     struct probe_names *out, struct diag *why);
void probe_names_finish(struct probe_names *names);	/* also after a failure */

/* The first of *@count functions called @name: as many as have that name; 0: NULL. BORROWED. */
const struct probe_function *probe_names_find_function(const struct probe_names *names,
						       const char *name, uint32_t *count);
/* The same for marks: a mark may be in several places. @provider "": of the first that has it. */
const struct probe_mark *probe_names_find_mark(const struct probe_names *names,
					       const char *provider, const char *name,
					       uint32_t *count);

/* Text at an offset of a function or mark: raw, terminated. */
static inline const char *probe_names_text(const struct probe_names *names, uint32_t offset)
{
	return names->strings + offset;
}

/* The worker's side: names that are longer than a text may be are left out; *@bytes is malloc'd for
 * the caller. Errors as above. */
int probe_names_compile(int fd, int debug_fd, uint64_t parts, void **bytes, size_t *bytes_count,
			struct diag *why);

/* Checks everything once, for probe_names_read() and tests: sizes, order, texts. @bytes: aligned as
 * memory of malloc() or mmap(), must stay. 0 or -EBADMSG with the reason. */
int probe_names_check(struct probe_names *out, const void *bytes, size_t bytes_count,
		      struct diag *why);

#endif
