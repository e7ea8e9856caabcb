/* probe_names.h - the possible probe targets of an ELF file: its functions under all their names,
 * and its USDT probes. The checked reply of a SANDBOX_PROBE_NAMES job.
 *
 *   | header | functions[] | usdt_probes[] | strings[string_bytes], last byte NUL |
 *
 * Functions are sorted by name, then offset; USDT probes by provider, name, then offset. A flat
 * table (sandbox/flat_table.h) keeps one name per address; this table has every alias, e.g. "write"
 * where the flat table has only "__write".
 *
 * Use:    call probe_names_read() in the privileged process: a worker parses the file, the reply is
 *         checked. Look one function or USDT probe up with probe_names_find_*(); iterate over the
 *         arrays.
 * Trust:  all texts are untrusted.
 * Thread: any; immutable after the check.
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
#define PROBE_NAMES_TEXT_MAX 4095	/* bytes of each text: DEMANGLE_TEXT_MAX */

/* Which names to collect: flags in `argument` of the job. */
enum probe_names_part {
	PROBE_NAMES_FUNCTIONS = 1,
	PROBE_NAMES_USDT = 2,
	PROBE_NAMES_DEMANGLED = 4,	/* fill `shown` of functions, too; one name that crashes the
					 * demangler then fails the whole job */
};

struct probe_names_header {
	uint64_t magic;
	uint32_t version;
	uint32_t function_count;
	uint32_t usdt_count;
	uint32_t string_bytes;
	struct build_id build_id;	/* as found in the DSO, count 0 if none */
	uint8_t padding[3];
};

_Static_assert(sizeof(struct probe_names_header) == 48, "no gaps that nobody fills");

struct probe_function {
	uint64_t offset;	/* file offset of the first instruction */
	uint32_t size;		/* bytes; 0: unknown */
	uint32_t name;		/* symbol name, offset into the strings */
	uint32_t shown;		/* demangled name, offset into the strings; `name` if identical */
	uint32_t is_resolver;	/* STT_GNU_IFUNC: the code here runs once, to choose a function */
};

struct usdt_probe {
	uint64_t offset;	/* file offset of the instruction */
	uint64_t semaphore;	/* file offset of its semaphore (ref_ctr_offset); 0: has none */
	uint32_t provider, name;	/* offsets into the strings; not "" */
	uint32_t arguments;	/* offset into the strings: "-4@%eax 8@-8(%rbp)"; may be "" */
	uint32_t padding;
};

struct probe_names {
	const struct probe_names_header *header;	/* all four BORROWED: the checked bytes */
	const struct probe_function *functions;
	const struct usdt_probe *usdt_probes;
	const char *strings;
	struct sandbox_bytes bytes;	/* owned; set by probe_names_read() only */
};

/* Has a worker of @sandbox read the ELF file behind @fd and, for names that were stripped from it,
 * its debug file behind @debug_fd (-1: none); @parts: enum probe_names_part flags. BLOCKS like
 * sandbox_run(). Returns 0 with *@out owned by the caller (probe_names_finish()); -ENOEXEC: not
 * ELF; -EBADMSG: damaged; -E2BIG; -ENOMEM; or another error of sandbox_run(). */
int probe_names_read(struct sandbox *sandbox, int fd, int debug_fd, uint64_t parts,
		     struct probe_names *out, struct diag *why);
void probe_names_finish(struct probe_names *names);	/* also after a failure */

/* Returns the first of *@count adjacent functions named @name; NULL if *@count is 0. BORROWED. */
const struct probe_function *probe_names_find_function(const struct probe_names *names,
						       const char *name, uint32_t *count);
/* Returns the first of *@count adjacent USDT probes @provider:@name (a USDT probe may have several
 * sites); NULL if *@count is 0. @provider "": the first provider that has @name. BORROWED. */
const struct usdt_probe *probe_names_find_usdt(const struct probe_names *names,
					       const char *provider, const char *name,
					       uint32_t *count);

/* Returns the text at @offset, a field of a function or USDT probe: raw, NUL-terminated,
 * BORROWED. */
static inline const char *probe_names_text(const struct probe_names *names, uint32_t offset)
{
	return names->strings + offset;
}

/* Worker side: collects the names; those longer than PROBE_NAMES_TEXT_MAX are left out. *@bytes is
 * malloc'd for the caller. Returns 0, -ENOEXEC: not ELF; -EBADMSG: damaged; -E2BIG; or -ENOMEM. */
int probe_names_compile(int fd, int debug_fd, uint64_t parts, void **bytes, size_t *bytes_count,
			struct diag *why);

/* Checks everything once, for probe_names_read() and tests: sizes, order, texts. @bytes must be
 * aligned as memory of malloc() or mmap() and outlive *@out. Returns 0, or -EBADMSG with the
 * reason. */
int probe_names_check(struct probe_names *out, const void *bytes, size_t bytes_count,
		      struct diag *why);

#endif
