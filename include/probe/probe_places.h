/* probe_places.h - resolves a spec to the places in the kernel or in a file where breakpoints go,
 * with how each argument is fetched there, and a verdict on whether to attach.
 *
 *   spec --> file (opened as root of the target process sees it) --> worker: symbols, DWARF, notes
 *        \-> kernel: kallsyms, BTF, blacklist, tracefs formats
 *
 * Rules:  no ELF or DWARF byte is parsed here: a sandbox worker does it (sandbox/probe_points.h).
 *         Kernel BTF comes from the kernel itself and is read by libbpf. Breakpoints go to
 *         instruction boundaries only; return probes only to a function's start.
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

#define PROBE_SITES_MAX	    64	/* inlined copies and aliases of one function */
#define PROBE_MATCHES_MAX   64	/* functions that one wildcard matches; user functions: 16 */
#define PROBE_FETCH_BYTES   160
#define PROBE_VALUES_MAX    PROBE_ARGUMENTS_MAX
#define PROBE_REASON_BYTES  208

/* Where a value comes from; shown to the user. */
enum probe_origin {
	ORIGIN_TYPED,		/* a raw fetch argument, as the user typed it */
	ORIGIN_DWARF,
	ORIGIN_BTF,
	ORIGIN_ABI,		/* the calling convention alone: a guess about the prototype */
	ORIGIN_FORMAT,		/* a field of the tracepoint */
	ORIGIN_NOTE,		/* an argument in the USDT probe's note */
};

enum probe_value_kind {
	VALUE_SIGNED, VALUE_UNSIGNED, VALUE_HEX, VALUE_TEXT, VALUE_SYMBOL,
	VALUE_NAMED,		/* a number that is shown by name: its magnitude means nothing */
};

/* A value that a probe can record, at its entry or at its return. */
struct probe_fetch {
	char name[32];
	char type[48];		/* type as in the source: "struct file *", "u32" */
	char fetch[PROBE_FETCH_BYTES];	/* "+16(%di):u32"; TRACEPOINT: the field's name; "": it
					 * can't be fetched, `reason` says why */
	char reason[PROBE_REASON_BYTES];
	enum probe_value_kind kind;
	enum probe_meaning meaning;
	enum probe_origin origin;
	bool is_return;		/* fetched at the return: $retval */
	bool is_pointed;	/* the record has only the address of a text in user memory */
	bool is_of_both;	/* pair of tracepoints: the second one has this field, too */
};

/* One address where a breakpoint goes. */
struct probe_site {
	uint64_t offset;	/* USER, USDT: file offset, after an ENDBR64 where that is cheaper
				 * (return probes work there, too). KERNEL: offset from `symbol` */
	uint64_t semaphore;	/* USDT: file offset of its semaphore; 0: none */
	/* KERNEL: "[MODULE:]symbol" for kprobe_events, or "_text" where the name is not unique;
	 * TRACEPOINT: "group:name" (one site, also for a pair); USER: function of the code. */
	char symbol[PROBE_FUNCTION_BYTES];
	bool is_inlined;	/* in a copy inlined into another function: it has no return */
	uint32_t cost_ns;	/* predicted cost of a hit, by the instruction there; 0: unknown */
	bool is_emulated;	/* emulated by the kernel; stepping costs ten times as much */
	struct probe_fetch values[PROBE_VALUES_MAX];	/* the spec's arguments at this place */
	uint32_t value_count;
};

enum probe_verdict {
	VERDICT_OK,
	VERDICT_COSTLY,		/* allowed; `reason` says what it costs */
	VERDICT_ASKS,		/* the user must insist */
	VERDICT_REFUSED,	/* never attached: dangerous */
	VERDICT_UNABLE,		/* this kernel or our privileges can't: `reason` has the remedy */
};

/* All that is known before attaching. Freed as a whole by probe_places_free(). */
struct probe_places {
	struct probe_spec spec;	/* wildcards are replaced by the function that matched */
	int file;		/* USER, USDT: open, owned; else -1. The kernel gets its
				 * /proc/self/fd/N: works for a deleted file and in another root,
				 * too */
	struct file_version version;	/* the version of `file` that the offsets hold for */
	struct file_watch *watch;	/* owned; NULL: no file, or no access by its path */
	char path[PROBE_FILE_BYTES];	/* path of the file, as shown */
	struct probe_site *sites;	/* owned */
	uint32_t site_count;
	struct probe_fetch *offered;	/* owned: all arguments and the return value available here,
					 * for the panel */
	uint32_t offered_count;
	enum probe_verdict verdict;
	char reason[256];	/* a sentence; "" with VERDICT_OK */
	uint32_t own_ns;	/* latency probe: its own time within each latency; 0: unknown */
	uint32_t max_active;	/* KERNEL return: concurrent calls to be prepared for */
};

struct probe_finder_of_places;	/* resolver: caches kernel names, BTF, blacklist; opaque */

/* @sandbox is BORROWED until probe_places_close(); nobody else may use it meanwhile. */
int probe_places_open(struct probe_finder_of_places **out, struct sandbox *sandbox,
		      struct diag *why);
void probe_places_close(struct probe_finder_of_places *finder);	/* NULL is fine */

/* Resolves @spec for process @pid (0: none in particular: files by path, or by name in the
 * directories of the dynamic linker). *@out gets @*count places, one per function that matched,
 * owned by the caller: probe_places_free(). 0 or -errno with a sentence: -ENOENT (with near names),
 * -E2BIG too many matches, ... A refusal is no error: it is in the verdict. */
int probe_places_find(struct probe_finder_of_places *finder, const struct probe_spec *spec,
		      pid_t pid, struct probe_places **out, uint32_t *count, struct diag *why);
void probe_places_free(struct probe_places *places, uint32_t count);

/* Sets meaning and kind of @value by the type and the norm() that the user typed in @argument. */
void probe_fetch_set_meaning(struct probe_fetch *value, const struct probe_argument *argument);

#endif
