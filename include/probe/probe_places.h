/* probe_places.h - from a spec to the places in the kernel or in a file where breakpoints go, with
 * how each argument is fetched there, and whether that is wise.
 *
 *   spec --> file (opened as root of the target process sees it) --> worker: symbols, DWARF, notes
 *        \-> kernel: kallsyms, BTF, blacklist, tracefs formats
 *
 * Rules:  no ELF or DWARF byte is parsed here: a sandbox worker answers (sandbox/probe_points.h).
 *         Kernel BTF is the kernel's own and read by libbpf. Breakpoints go to instruction borders
 *         only; returns only at a function's begin.
 * Thread: the probe engine's; BLOCKS (files, workers), so never the ui's or the analyzer's.
 */
#ifndef PROBE_PROBE_PLACES_H
#define PROBE_PROBE_PLACES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "probe/file_watch.h"
#include "probe/probe_attach.h"
#include "probe/probe_meaning.h"
#include "probe/probe_spec.h"
#include "sandbox/sandbox.h"
#include "symbols/file_version.h"

#define PROBE_SITES_MAX	    64	/* inline copies and aliases of one function */
#define PROBE_MATCHES_MAX   64	/* functions of one wildcard; of user functions 16 */
#define PROBE_FETCH_BYTES   160
#define PROBE_VALUES_MAX    PROBE_ARGUMENTS_MAX
#define PROBE_REASON_BYTES  208

/* Where a value comes from, told to the user. */
enum probe_origin {
	ORIGIN_TYPED,		/* raw, as the user wrote it */
	ORIGIN_DWARF,
	ORIGIN_BTF,
	ORIGIN_ABI,		/* by the calling convention alone: a guess about the prototype */
	ORIGIN_FORMAT,		/* a field of the tracepoint */
	ORIGIN_NOTE,		/* a USDT mark's own */
};

enum probe_value_kind {
	VALUE_SIGNED, VALUE_UNSIGNED, VALUE_HEX, VALUE_TEXT, VALUE_SYMBOL,
	VALUE_NAMED,		/* a number that stands for something: its size says nothing */
};

/* A value that a probe can bring: of its entry, or of its return. */
struct probe_fetch {
	char name[32];
	char type[48];		/* as in the source: "struct file *", "u32" */
	char fetch[PROBE_FETCH_BYTES];	/* "+16(%di):u32"; of a tracepoint the field's name; "" it
					 * can't be fetched, `reason` says why */
	char reason[PROBE_REASON_BYTES];
	enum probe_value_kind kind;
	enum probe_meaning meaning;
	enum probe_origin origin;
	bool is_return;		/* $retval */
	bool is_pointed;	/* only the address is in the record, of a text of the user's */
	bool is_of_both;	/* TRACEPOINT: of a pair, and the second one has the field, too */
};

/* A breakpoint. */
struct probe_site {
	uint64_t offset;	/* USER, USDT: in the file, behind an ENDBR64 where that is cheaper
				 * (a return is right there, too). KERNEL: from `symbol` */
	uint64_t semaphore;	/* USDT: offset in the file of its count; 0: none */
	/* KERNEL: "[MODULE:]symbol" of kprobe_events, or "_text" where the name is not unique;
	 * TRACEPOINT: "group:name" (one site, also of a pair); USER: whose code it is. */
	char symbol[PROBE_FUNCTION_BYTES];
	bool is_inlined;	/* in a copy inside another function: it has no return */
	uint32_t cost_ns;	/* predicted, of a hit: by the instruction there; 0: unknown */
	bool is_emulated;	/* else it is stepped, which costs ten times as much */
	struct probe_fetch values[PROBE_VALUES_MAX];	/* of the spec's arguments, at this place */
	uint32_t value_count;
};

enum probe_verdict {
	VERDICT_OK,
	VERDICT_COSTLY,		/* allowed: `reason` says what it costs */
	VERDICT_ASKS,		/* the user must insist */
	VERDICT_REFUSED,	/* never: dangerous */
	VERDICT_UNABLE,		/* this kernel or these rights can't: `reason` names the remedy */
};

/* All that is known before attaching. One allocation tree: probe_places_finish(). */
struct probe_places {
	struct probe_spec spec;	/* of a wildcard: with the function filled in */
	int file;		/* USER, USDT: open, owned; -1 else. Its /proc/self/fd/N is what the
				 * kernel is told: also a deleted file, and one in another root */
	struct file_version version;	/* of `file` when it was looked up: offsets hold for it */
	struct file_watch *watch;	/* owned; NULL: there is no file, or no way to its path */
	char path[PROBE_FILE_BYTES];	/* as shown */
	struct probe_site *sites;	/* owned */
	uint32_t site_count;
	struct probe_fetch *offered;	/* owned: all arguments and the return value that the place
					 * has, for the panel */
	uint32_t offered_count;
	enum probe_verdict verdict;
	char reason[256];	/* a sentence; "" with VERDICT_OK */
	uint32_t own_ns;	/* of a latency: what the probe itself takes; 0: unknown */
	uint32_t max_active;	/* KERNEL return: calls at a time to be prepared for */
};

struct probe_finder_of_places;	/* caches kernel names, BTF, blacklist; opaque */

/* @sandbox stays the caller's, is used by nobody else. */
int probe_places_open(struct probe_finder_of_places **out, struct sandbox *sandbox,
		      struct diag *why);
void probe_places_close(struct probe_finder_of_places *finder);	/* NULL is fine */

/* Finds what @spec means for process @pid (0: none in particular: files by path, or by name in the
 * directories of the dynamic linker). *@out gets @*count places, one per function that matched,
 * owned: probe_places_free(). 0 or -errno with a sentence: -ENOENT (with near names), -E2BIG too
 * many matches, ... A refusal is no error: it is in the verdict. */
int probe_places_find(struct probe_finder_of_places *finder, const struct probe_spec *spec,
		      pid_t pid, struct probe_places **out, uint32_t *count, struct diag *why);
void probe_places_free(struct probe_places *places, uint32_t count);

/* Of a value that was found as @argument's type of the kernel's: what it means, by the word that
 * was typed. */
void probe_fetch_set_meaning(struct probe_fetch *value, const struct probe_argument *argument);

#endif
