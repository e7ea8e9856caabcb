/* probe_spec.h - parses one probe as the user types it, in perf's and bpftrace's forms.
 *
 *   SPEC  := [NAME '='] KIND ':' POINT [ARGUMENT ...] ['@'BUILDID] ['if' CONDITION]
 *            ['on' FIELD,...] ['by' KEY,...] [':' AGGREGATE,... | ':' 'print' "FORMAT"]
 *   k:FUNC        kr:FUNC         kernel function, entry or return        (k:MODULE:FUNC, too)
 *   u:FILE:FUNC   ur:FILE:FUNC    function of a program or library
 *   t:GROUP:NAME                  tracepoint
 *   U:FILE:PROVIDER:NAME          USDT probe                       (U:FILE:NAME: any provider's)
 *   lat:FUNC   lat:FILE:FUNC      entry and return of one site: latency       (lat:k:MODULE:FUNC)
 *   lat:POINT->POINT              from one point to the next hit of another, of any two kinds, that
 *                                 has the same fields `on`, or without them the same thread;
 *                                 lat:t:syscalls:sys_enter_X alone goes to sys_exit_X
 *   lat:POINT->POINT->POINT...    through up to 8 points in this order, its stages: lat is the
 *                                 whole time, lat1 that of the first stage, lat2 ...
 *   FUNC also: FUNC%return  FUNC+OFFSET  FUNC:LINE  FILE.c:LINE  and * ? {A,B} as wildcards; in a
 *   file 0xADDRESS  fn_ADDRESS, the start of a function that may have no symbol (as nm prints it);
 *   FUNC@FILE.c[...], the function of that name that FILE.c declares; FUNC;PATTERN  FILE.c;PATTERN,
 *   the lines whose text matches: a glob that ignores blanks, ends at a blank or is in quotes
 *   NAME: what the probe is called, a C identifier; no other probe may have it
 *   BUILDID: 16 to 40 hexadecimal digits: kernels and files with another build-id are refused
 *   POINT: one of the above, without OFFSET, LINE and PATTERN; a later one has the kind, file and
 *   group of the one before it if it is only a name. kr: and ur: are returns there, too
 *   Clauses (if, on, by, ':') stand in any order; a blank before and after each word
 *   FIELD: a value that all points have, or where its names differ BEGIN=END, with a name for each
 *   point in their order: prev_pid=pid=next_pid
 *   KEY: comm pid ppid tid uid cpu cgroup unit container func stack kstack ustack retval, or
 *        VALUE[:TYPE], norm(VALUE)[:TYPE]; args.NAME is a value even where NAME is a key's word
 *   AGGREGATE: count, sum(E) avg(E) min(E) max(E) top(E) hist(E) hist(E, LIMIT, ...)
 *        lhist(E, FROM, TO, STEP); stats(E) is count, avg(E), sum(E). With keys alone: count
 *   E: numbers (as in conditions), VALUE[:TYPE] and lat, with + - * / % & | << >> - ( ) as in C
 *   ARGUMENT: [NAME=]VALUE[:TYPE], VALUE as in name, a->b.c, arr[1], $arg1, %di, $retval, +8(%si)
 *             [NAME=]norm(VALUE)[:TYPE]       a text whose constants are masked
 *
 * bpftrace's long names (kprobe: kretprobe: uprobe: uretprobe: tracepoint: usdt:) work, too; a spec
 * without KIND means a kernel function, as with perf. \X is X, and in "..." no character is
 * special: "operator*", "/opt/My App/bin", "f<int, char>".
 *
 * Pure: no file is looked at; probe/probe_point.h checks whether the point exists.
 * Source: perf-probe(1), Documentation/trace/kprobetrace.rst, uprobetracer.rst; bpftrace(8).
 * Thread: any.
 */
#ifndef PROBE_PROBE_SPEC_H
#define PROBE_PROBE_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/build_id.h"
#include "base/diag.h"
#include "probe/probe_condition.h"

#define PROBE_SPEC_BYTES     1024
#define PROBE_FILE_BYTES     256
#define PROBE_FUNCTION_BYTES 256	/* C++ names are long */
#define PROBE_GROUP_BYTES    64
#define PROBE_NAME_BYTES     64	/* the kernel's limit for an event's name */
#define PROBE_PATTERN_BYTES  128
#define PROBE_ARGUMENTS_MAX  12
#define PROBE_ON_MAX	     4
#define PROBE_POINTS_MAX     8	/* points of a latency with stages */
#define PROBE_MIDDLES_MAX    (PROBE_POINTS_MAX - 2)
#define PROBE_KEYS_MAX	     4
#define PROBE_AGGREGATES_MAX 8
#define PROBE_LIMITS_MAX     12
#define PROBE_TERMS_MAX	     12
#define PROBE_FORMAT_BYTES   128

enum probe_kind { PROBE_KERNEL, PROBE_USER, PROBE_TRACEPOINT, PROBE_USDT };

enum probe_edge {
	PROBE_ENTRY,		/* each call, or each hit of a tracepoint or USDT probe */
	PROBE_RETURN,
	PROBE_LATENCY,		/* entry and return, paired */
};

struct probe_argument {
	char name[32];		/* as shown and in conditions; made from `value` if not typed */
	char value[96];
	char type[24];		/* as typed; "": the type in the debug information or format */
	bool is_masked;		/* typed as norm(value): mask constants in its text */
	bool is_implied;	/* added because the condition, a key or an aggregate uses it, or
				 * as a stage's time */
	uint8_t stage;		/* the time of a stage, counted from 1: no point brings it; 0: a
				 * value of a point */
};

/* A point of a latency after the first. */
struct probe_end {
	enum probe_kind kind;
	enum probe_edge edge;		/* PROBE_ENTRY or PROBE_RETURN */
	char file[PROBE_FILE_BYTES], group[PROBE_GROUP_BYTES];	/* as in struct probe_spec */
	char function[PROBE_FUNCTION_BYTES];	/* "": the latency is of one function, or there is
						 * none */
};

/* A field by which the points of a latency are joined: its name at each. */
struct probe_on {
	char begin[32], end[32];
	char middles[PROBE_MIDDLES_MAX][32];
};

/* A key of `by`: hits with equal keys are one group. */
enum probe_key_kind {
	PROBE_KEY_VALUE,	/* a value of the probe; others are of the task or the stack */
	PROBE_KEY_COMM, PROBE_KEY_PID, PROBE_KEY_PPID, PROBE_KEY_TID, PROBE_KEY_UID, PROBE_KEY_CPU,
	PROBE_KEY_CGROUP, PROBE_KEY_UNIT, PROBE_KEY_CONTAINER,
	PROBE_KEY_FUNC,		/* the function that was hit, one of those of a wildcard */
	PROBE_KEY_STACK, PROBE_KEY_KSTACK, PROBE_KEY_USTACK,
	PROBE_KEY_KINDS
};

struct probe_key {
	enum probe_key_kind kind;
	uint32_t argument;	/* PROBE_KEY_VALUE: index in probe_spec.arguments */
};

/* Arithmetic on the values of a hit, in postfix order, with 64 bits, signed. */
enum probe_term_kind {
	TERM_NUMBER, TERM_VALUE, TERM_LATENCY,	/* push */
	TERM_STAGE,				/* pushes the time of a stage, a value in ns */
	TERM_NEGATE,				/* applied to what precedes, as all below */
	TERM_ADD, TERM_SUBTRACT, TERM_MULTIPLY, TERM_DIVIDE, TERM_REMAINDER,
	TERM_AND, TERM_OR, TERM_SHIFT_LEFT, TERM_SHIFT_RIGHT,
};

struct probe_term {
	enum probe_term_kind kind;
	uint32_t argument;	/* TERM_VALUE, TERM_STAGE: index in probe_spec.arguments */
	int64_t number;		/* TERM_NUMBER */
};

struct probe_expression {
	struct probe_term terms[PROBE_TERMS_MAX];
	uint32_t count;		/* 0: no expression */
};

enum probe_aggregate_kind {
	AGGREGATE_COUNT, AGGREGATE_SUM, AGGREGATE_AVG, AGGREGATE_MIN, AGGREGATE_MAX,
	AGGREGATE_HIST,		/* by powers of two, or between own limits */
	AGGREGATE_LHIST,	/* linear: steps of equal width */
	AGGREGATE_TOP,		/* the most frequent values */
};

/* What is computed for each group. */
struct probe_aggregate {
	enum probe_aggregate_kind kind;
	struct probe_expression value;	/* count 0 only with AGGREGATE_COUNT */
	uint32_t limit_count;	/* HIST: own limits, rising; 0: powers of two. LHIST: 3, which are
				 * from, to, step */
	int64_t limits[PROBE_LIMITS_MAX];
};

struct probe_spec {
	char text[PROBE_SPEC_BYTES];	/* as typed, with blanks normalized, the clauses in the
					 * order of the grammar */
	char name[PROBE_NAME_BYTES];	/* the name that the user gave the probe; "": none */
	enum probe_kind kind;
	enum probe_edge edge;
	char file[PROBE_FILE_BYTES];	/* USER, USDT: path or name as typed; KERNEL: module, or
					 * "" */
	char group[PROBE_GROUP_BYTES];	/* TRACEPOINT: its group; USDT: the provider, "": any */
	char function[PROBE_FUNCTION_BYTES];	/* function, tracepoint or USDT probe; "": only a
						 * line of `source` */
	bool is_wildcard;		/* `function` has *, ? or {A,B} */
	uint64_t offset;		/* bytes after the function's start */
	char declared_in[PROBE_FUNCTION_BYTES];	/* source file that has to declare `function`, by
						 * the end of its path; "": any */
	char source[PROBE_FUNCTION_BYTES];	/* source file of `line` or `pattern`; "": lines
						 * count from the function's first */
	uint32_t line;			/* line number; 0: none */
	char pattern[PROBE_PATTERN_BYTES];	/* all lines whose text matches, of `source` or of
						 * the function; "": none. Not with a `line` */
	bool is_from_return;		/* LATENCY between two points: the first one is the return
					 * of its function */
	struct probe_end end;		/* LATENCY between points: the last */
	struct probe_end middles[PROBE_MIDDLES_MAX];	/* points between the first and the last,
							 * which divide the latency into stages */
	uint32_t middle_count;
	struct probe_on on[PROBE_ON_MAX];	/* fields that join the points; none: by thread */
	uint32_t on_count;
	struct probe_argument arguments[PROBE_ARGUMENTS_MAX];
	uint32_t argument_count;
	struct build_id build_id;	/* KERNEL, USER: of the only kernel, module or file that
					 * may be probed; count 0: any */
	struct probe_condition condition;	/* count 0: none. Each of its VALUEs and RETURN has
						 * the name of one of the arguments, which always
						 * exists */
	uint32_t condition_from;	/* byte of `text`, after the "if", where it begins */
	uint32_t condition_bytes;	/* its length in `text` */
	struct probe_key keys[PROBE_KEYS_MAX];	/* `by` */
	uint32_t key_count;
	struct probe_aggregate aggregates[PROBE_AGGREGATES_MAX];
	uint32_t aggregate_count;	/* 0 with keys: count */
	/* `print`: how a hit is written. %d, %u, %x and %s take one of the typed arguments each, in
	 * order, %% is itself; "": none. With a format there are neither keys nor aggregates. */
	char format[PROBE_FORMAT_BYTES];
};

/* Parses @text. 0 or -EINVAL: @why says what is wrong, in which column, and what would be right;
 * *@out is zeroed then. */
int probe_spec_parse(struct probe_spec *out, const char *text, struct diag *why);

/* Rewrites `text` as @spec could be typed, and replaces its condition by @condition ("": none),
 * which is checked as by probe_spec_parse() and may add arguments; those that only the old
 * condition used are dropped. 0 or -EINVAL with a sentence whose columns count in @condition; @spec
 * then has no condition, or `text` was too long and is cut. */
int probe_spec_write(struct probe_spec *spec, const char *condition, struct diag *why);

/* Writes what @spec is grouped by, aggregated or printed as, " by comm : sum(bytes)", as it could
 * be typed after a condition; "" if there is nothing. Returns the length as snprintf(). */
size_t probe_spec_groups_write(const struct probe_spec *spec, char *out, size_t room);
/* Does what probe_spec_write() does, and replaces the groups by @groups, which
 * probe_spec_groups_write() wrote, after the arguments were changed. A sentence about @groups
 * begins with them, and its columns count in them; @spec then has no groups. */
int probe_spec_rewrite(struct probe_spec *spec, const char *condition, const char *groups,
		       struct diag *why);
/* True: a key or an aggregate uses the argument at @index. */
bool probe_spec_groups_use(const struct probe_spec *spec, uint32_t index);
/* Removes the argument at @index. False: a key or an aggregate uses it, and it stays. */
bool probe_spec_drop_argument(struct probe_spec *spec, uint32_t index);

/* Writes @key, of @spec, as it could be typed: "comm", "norm($arg1):string"; without the "by".
 * Returns the length as snprintf(). */
size_t probe_key_write(const struct probe_spec *spec, const struct probe_key *key, char *out,
		       size_t room);
/* Writes what the value called @name is called where it is shown: a masked copy that a key or an
 * aggregate added is what they have, "norm(query)"; every other is @name, also if @spec is NULL.
 * Returns the length as snprintf(). */
size_t probe_value_name_write(const struct probe_spec *spec, const char *name, char *out,
			      size_t room);
/* Writes @aggregate, of @spec, as it could be typed: "sum(bytes * 512)", "hist(lat, 1ms, 5ms)".
 * Returns the length as snprintf(). */
size_t probe_aggregate_write(const struct probe_spec *spec, const struct probe_aggregate *aggregate,
			     char *out, size_t room);

/* True: a latency from a point to itself. Each record ends the interval that the previous one with
 * its key began, and begins the next. Joined by other fields than it began with, it is no interval:
 * sched_switch to itself on prev_pid=next_pid. */
bool probe_spec_is_interval(const struct probe_spec *spec);

/* Writes the name that the user gave or, if there is none, a short one, "lat:libc.so.6:malloc",
 * without arguments and condition, files by base name; for display, not for parsing. Fills
 * @out[@room], terminated. */
void probe_spec_name(const struct probe_spec *spec, char *out, size_t room);

/* Merges an entry and a return of one site (in either order, no wildcards) into one latency probe
 * in *@entry, with the arguments and conditions of both, and the keys and aggregates that one has
 * or both have. False: they are no such pair, a value is typed in terms that only hold at the
 * return (%ax), or they have different keys or aggregates; both are unchanged then. */
bool probe_spec_pair(struct probe_spec *entry, const struct probe_spec *other);

/* One value that a probe records with each hit: "[NAME=]VALUE[:TYPE]".
 *
 *   VALUE: name  a->b.c  arr[1]  ns::global      by debug information, BTF, a tracepoint's format
 *          $argN (from 1)  $retval  and their members: $retval->id
 *          %di  $stackN  $stack  $comm  @SYMBOL[+-N]  @+FILEOFFSET  \N  +N(VALUE)
 *          +uN(VALUE)                            fetch arguments in the kernel's own syntax
 *   norm(VALUE): a text with its constants masked (probe/probe_meaning.h)
 *   TYPE:  u8..u64 s8..s64 x8..x64, [N] of these, string ustring symbol; path: a system call's
 *          ustring
 *          b<WIDTH>@<OFFSET>/<CONTAINER>
 *          and the words of probe/probe_meaning.h: ipv4 ipv6 port sockaddr mac uuid errno syscall
 */

/* Parses @line[@from, @from + @bytes) and appends it to the arguments of @spec, whose kind and edge
 * are known. 0 or -EINVAL. */
int probe_argument_add(struct probe_spec *spec, const char *line, size_t from, size_t bytes,
		       struct diag *why);

/* Finds the argument named @value or with that value, which may have a type and be masked; if there
 * is none, appends one for the condition, key or aggregate that uses it. *@index: where it is in
 * `arguments`. @at: column of @value. 0 or -EINVAL. */
int probe_argument_want(struct probe_spec *spec, const char *value, size_t at, uint32_t *index,
			struct diag *why);

/* Appends the times of the stages of @spec that it does not list yet, as implied arguments. 0 or
 * -EINVAL: there is no room for them; @at is their column. */
int probe_argument_add_stages(struct probe_spec *spec, size_t at, struct diag *why);

/* True: @spec's kind and edge can have such a value. */
bool probe_argument_fits(const struct probe_spec *spec, const struct probe_argument *argument);

/* Writes @argument as it could have been typed. Returns the length as snprintf(). */
size_t probe_argument_write(const struct probe_argument *argument, char *out, size_t room);

#endif
