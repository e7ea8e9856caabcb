/* probe_point.h - resolves a spec to the points in the kernel or in a file where breakpoints go,
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
#ifndef PROBE_PROBE_POINT_H
#define PROBE_PROBE_POINT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "bpf/syscall_texts.h"
#include "probe/probe_meaning.h"
#include "probe/probe_spec.h"
#include "sandbox/sandbox.h"
#include "symbols/dso_file.h"

#define PROBE_SITES_MAX	    64	/* inlined copies and aliases of one function */
#define PROBE_MATCHES_MAX   64	/* functions that one wildcard matches; user functions: 16 */
#define PROBE_FETCH_BYTES   160
#define PROBE_VALUES_MAX    PROBE_ARGUMENTS_MAX
#define PROBE_OFFERED_MAX   24	/* values that the panel lists: a line has many variables */
#define PROBE_REASON_BYTES  208

/* Where a value comes from; shown to the user. */
enum probe_origin {
	ORIGIN_TYPED,		/* a raw fetch argument, as the user typed it */
	ORIGIN_DWARF,
	ORIGIN_BTF,
	ORIGIN_ABI,		/* the calling convention alone: a guess about the prototype */
	ORIGIN_FORMAT,		/* a field of the tracepoint */
	ORIGIN_NOTE,		/* an argument in the USDT probe's note */
	ORIGIN_STAGE,		/* the time of a stage of the latency */
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
	bool is_return;		/* fetched at the return ($retval) or at the second of two points */
	bool is_pointed;	/* the record has only the address of a text in user memory */
	bool is_copied;		/* a BPF program adds the text that it points to, `text`, to the
				 * record; if offered: when the argument gets a type for it */
	struct syscall_text text;
	bool is_located;	/* DWARF: its location is known here, even if no probe can fetch
				 * it from there */
	char end_field[32];	/* the field of a second tracepoint that is equal to this one in
				 * each pair; "": there is none */
};

/* One address where a breakpoint goes. */
struct probe_site {
	uint64_t offset;	/* USER, USDT: file offset, after an ENDBR64 where that is cheaper
				 * (return probes work there, too). KERNEL: offset from `symbol` */
	uint64_t begin;		/* USER: file offset where `symbol` begins */
	uint64_t address;	/* USER: virtual address in the file where `symbol` begins */
	uint64_t semaphore;	/* USDT: file offset of its semaphore; 0: none */
	/* KERNEL: "[MODULE:]symbol" for kprobe_events, or KALLSYMS_TEXT where the name is not
	 * unique; TRACEPOINT: "group:name"; USER: function of the code. */
	char symbol[PROBE_FUNCTION_BYTES];
	bool is_inlined;	/* in a copy inlined into another function: it has no return */
	bool is_emulated;	/* emulated by the kernel; stepping costs more, on x86 ten times */
	struct probe_fetch values[PROBE_VALUES_MAX];	/* the spec's arguments at this point, and
							 * those that only join two points */
	uint32_t value_count;
};

enum probe_verdict {
	VERDICT_OK,
	VERDICT_COSTLY,		/* allowed; `reason` says what it costs */
	VERDICT_ASKS,		/* the user must insist */
	VERDICT_REFUSED,	/* never attached: dangerous */
	VERDICT_UNABLE,		/* this kernel or our privileges can't: `reason` has the remedy */
};

struct file_watch;

/* All that is known before attaching. Freed as a whole by probe_point_free(). */
struct probe_point {
	struct probe_spec spec;	/* wildcards are replaced by the function that matched */
	int file;		/* USER, USDT: open, owned; else -1. The kernel gets its
				 * /proc/self/fd/N: works for a deleted file and in another root,
				 * too */
	struct file_version version;	/* the version of `file` that the offsets hold for */
	struct file_watch *watch;	/* owned; NULL: no file, or no access by its path */
	char path[PROBE_FILE_BYTES];	/* path of the file, as shown; KERNEL: the module or
					 * "kernel" */
	struct build_id build_id;	/* KERNEL, USER: of the kernel, module or file; count 0: it
					 * has none */
	struct probe_site *sites;	/* owned */
	uint32_t site_count;
	/* Owned: the second point of a latency between two, with its file and sites; its spec is
	 * that of a probe of this point alone. A value of `sites` with is_return is a copy of one
	 * of its values. NULL: the latency is of one function or from a point to itself. */
	struct probe_point *end;
	/* Owned, [spec.middle_count]: the points between the first and the last of a latency with
	 * stages, as `end`; of their values only those that join are kept. */
	struct probe_point *middles[PROBE_MIDDLES_MAX];
	/* Indices in the sites' values of those that join the two points, by spec.on; unused for a
	 * tracepoint, whose fields do. */
	uint32_t on_values[PROBE_ON_MAX];
	struct probe_fetch *offered;	/* owned: all arguments and the return value available here,
					 * for the panel */
	uint32_t offered_count;
	enum probe_verdict verdict;
	char reason[256];	/* a sentence; "" with VERDICT_OK */
	uint32_t own_ns;	/* latency probe: its own time within each latency; 0: unknown */
	uint32_t max_active;	/* KERNEL return: concurrent calls to be prepared for */
};

struct probe_resolver;		/* caches kernel names, BTF and the blacklist */

/* @sandbox is BORROWED until probe_resolver_destroy(); nobody else may use it meanwhile. */
int probe_resolver_create(struct probe_resolver **out, struct sandbox *sandbox, struct diag *why);
void probe_resolver_destroy(struct probe_resolver *resolver);		/* NULL is fine */

/* Resolves @spec for process @pid (0: none in particular: files by path, or by name in the
 * directories of the dynamic linker). *@out gets @*count points, one per function that matched,
 * owned by the caller: probe_point_free(). 0 or -errno with a sentence: -ENOENT (with near names),
 * -E2BIG too many matches, -ESTALE another build than the spec's, ... A refusal is no error: it is
 * in the verdict. */
int probe_resolver_find(struct probe_resolver *resolver, const struct probe_spec *spec, pid_t pid,
			struct probe_point **out, uint32_t *count, struct diag *why);
void probe_point_free(struct probe_point *points, uint32_t count);

/* Returns what has the sites of an edge: the second of two points, if @is_second, else @points. */
const struct probe_point *probe_point_of_edge(const struct probe_point *points, bool is_second);
/* Returns the point @index, 0 for the first one, then those that follow it on the way to the
 * last; NULL: there are no more. */
const struct probe_point *probe_point_at(const struct probe_point *points, uint32_t index);
/* True: that edge of the probe is the return of a function. */
bool probe_point_is_at_return(const struct probe_point *points, bool is_second);
/* True: @spec joins the tracepoints of the entry and the exit of one system call. */
bool probe_point_is_system_call(const struct probe_spec *spec);

/* Resolves @spec, of KERNEL or USER, as probe_resolver_find(), but *@out gets one point for each
 * site, and all variables in scope at that site are what it offers (`offered`): those that no probe
 * can fetch there, too, with the reason. @with_externs: also those that all functions of the source
 * file share. -ENODATA: without debug information there are none. */
int probe_resolver_list_variables(struct probe_resolver *resolver, const struct probe_spec *spec,
				  pid_t pid, bool with_externs, struct probe_point **out,
				  uint32_t *count, struct diag *why);

/* The lines of a function or of a source file, in the debug information of a program or of the
 * kernel. */
struct probe_lines {
	struct lines_read read;		/* offsets are file offsets, or addresses of the kernel */
	char path[OPENER_PATH_BYTES];	/* raw path of the file; of kernel code that of its debug
					 * file */
	struct build_id build_id;	/* count 0: the program has none */
	uint64_t built_ns;		/* USER: mtime of the file, CLOCK_REALTIME; 0: unknown */
	struct file_author author;	/* the file's */
	struct open_request dso;	/* the file as the process has it mapped; pid 0: there is
					 * no process */
};

/* Reads the lines of spec->function (in spec->declared_in, "": any source file) or, if that is "",
 * of spec->source. Kernel and programs, not tracepoints and wildcards; spec->line does not matter.
 * Returns 0 with *@out the caller's: probe_lines_finish(); or -errno with a sentence and nothing to
 * finish: -ENODATA: no debug information; -ENOENT: no such file, function or source file; -ESTALE:
 * another build than the spec's; -EINVAL; -E2BIG; or as sandbox_run(). */
int probe_lines_read(struct probe_lines *out, struct sandbox *sandbox,
		     const struct probe_spec *spec, pid_t pid, struct diag *why);
void probe_lines_finish(struct probe_lines *lines);

/* Writes to *@out a spec for site @index of @point, KERNEL or USER, that needs no debug
 * information: the function around the site and the offset in it, with the fetch arguments of its
 * values, for this build only. @by_address: name the function by its address in the file (fn_...),
 * for a name that other functions have, too. 0; -ENOENT: no function is known there; -EINVAL: too
 * long. */
int probe_point_write_spec(const struct probe_point *point, uint32_t index, bool by_address,
			   struct probe_spec *out, struct diag *why);

/* CPU time of the steps of a hit, in ns. */
struct probe_cost {
	double emulated, stepped;	/* breakpoint in user code, by how its instruction runs */
	double user_return;		/* extra cost for the return that follows an entry */
	double kernel, kernel_return;
	double tracepoint;
	double record, stack;		/* writing a record; adding its stack */
};

extern const struct probe_cost probe_cost_expected;

/* Returns the cost of a hit, with all its edges, at the most expensive site; of two points that of
 * a hit of the first. */
double probe_cost_of_hit(const struct probe_cost *cost, const struct probe_point *points,
			 bool with_stacks);
/* Returns the cost of a hit of each point after the first, in all; 0: there is none. */
double probe_cost_of_end(const struct probe_cost *cost, const struct probe_point *points);

/* Sets meaning and kind of @value by the type and the norm() that the user typed in @argument. */
void probe_fetch_set_meaning(struct probe_fetch *value, const struct probe_argument *argument);

/* Splits "[u:]FILE[:PATTERN]", where without "u:" FILE is a path, into @file[@room] and *@pattern,
 * a part of @text, "*" if there is none. Returns false for anything else, also for one name. */
bool file_functions_split(const char *text, char *file, size_t room, const char **pattern);

/* Receives a function of a file: its symbol and how it is shown, which is untrusted text, too.
 * @is_able: false: its code runs once, to choose a function. */
typedef void file_function_sink(void *context, const char *name, const char *shown, bool is_able);

/* Calls @sink for each function of @file, a path or a name such as libc.so.6, whose symbol or shown
 * name matches @pattern, in the order of the symbols; @pid: the process that has it mapped, or 0.
 * BLOCKS; @sandbox is used by nobody else. 0; -ENOENT: none matches; or -errno with a sentence. */
int file_functions_list(struct sandbox *sandbox, const char *file, const char *pattern, pid_t pid,
			file_function_sink *sink, void *context, struct diag *why);

#endif
