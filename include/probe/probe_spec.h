/* probe_spec.h - what the user asks for: one probe, as typed, in perf's and bpftrace's forms.
 *
 *   SPEC  := KIND ':' PLACE [ARGUMENT ...] ['if' CONDITION]
 *   k:FUNC        kr:FUNC         kernel function, entry or return        (k:MODULE:FUNC, too)
 *   u:FILE:FUNC   ur:FILE:FUNC    function of a program or library
 *   t:GROUP:NAME                  tracepoint
 *   U:FILE:PROVIDER:NAME          USDT mark                        (U:FILE:NAME: any provider's)
 *   lat:FUNC   lat:FILE:FUNC      entry and return of one place: latency       (lat:k:MODULE:FUNC)
 *   lat:t:GROUP:NAME->GROUP:NAME [by FIELD[,FIELD]]   from one tracepoint to the next with that
 *                                 key, without one of that thread; without "->" sys_enter_X
 *                                 means to sys_exit_X
 *   FUNC also: FUNC%return  FUNC+OFFSET  FUNC:LINE  FILE.c:LINE  and * ? {A,B} as wildcards; of a
 *   file 0xADDRESS  fn_ADDRESS, where a function begins that may have no symbol (as in nm's output)
 *   ARGUMENT: [NAME=]VALUE[:TYPE], VALUE as in name, a->b.c, arr[1], $arg1, %di, $retval, +8(%si)
 *             [NAME=]norm(VALUE)[:TYPE]       a text whose constants are masked
 *
 * bpftrace's long names (kprobe: kretprobe: uprobe: uretprobe: tracepoint: usdt:) are the same; a
 * spec without KIND means a kernel function, as with perf. \X is X, and in "..." nothing has a
 * meaning: "operator*", "/opt/My App/bin", "f<int, char>".
 *
 * Pure: no file is looked at; whether the place exists is for probe/probe_places.h.
 * Source: perf-probe(1), Documentation/trace/kprobetrace.rst, uprobetracer.rst; bpftrace(8).
 * Thread: any.
 */
#ifndef PROBE_PROBE_SPEC_H
#define PROBE_PROBE_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "probe/probe_condition.h"

#define PROBE_SPEC_BYTES     512
#define PROBE_FILE_BYTES     256
#define PROBE_FUNCTION_BYTES 256	/* names of C++ are long */
#define PROBE_GROUP_BYTES    64
#define PROBE_ARGUMENTS_MAX  12
#define PROBE_KEYS_MAX	     4

enum probe_kind { PROBE_KERNEL, PROBE_USER, PROBE_TRACEPOINT, PROBE_USDT };

enum probe_edge {
	PROBE_ENTRY,		/* each call, or each hit of a tracepoint or mark */
	PROBE_RETURN,
	PROBE_LATENCY,		/* both, paired */
};

struct probe_argument {
	char name[32];		/* as shown and as in conditions; made from `value` if not typed */
	char value[96];
	char type[24];		/* "": what debug information or the format says */
	bool is_masked;		/* norm(value): constants in its text are masked */
	bool is_implied;	/* nobody listed it: the condition names it */
};

struct probe_spec {
	char text[PROBE_SPEC_BYTES];	/* as typed, spaces evened */
	enum probe_kind kind;
	enum probe_edge edge;
	char file[PROBE_FILE_BYTES];	/* USER, USDT: as typed, a path or a name; KERNEL: module,
					 * or "" */
	char group[PROBE_GROUP_BYTES];	/* TRACEPOINT; USDT: the provider, "": any */
	char function[PROBE_FUNCTION_BYTES];	/* or name of the tracepoint or mark; "": only a
						 * line of `source` */
	bool is_wildcard;		/* `function` has * or ? or {A,B} */
	uint64_t offset;		/* bytes behind the function's begin */
	char source[PROBE_FUNCTION_BYTES];	/* file of `line`; "": lines count from the
						 * function's first */
	uint32_t line;			/* 0: none */
	char end_group[PROBE_GROUP_BYTES], end_name[PROBE_FUNCTION_BYTES];	/* of a pair of
										 * tracepoints */
	char keys[PROBE_KEYS_MAX][32];	/* fields that tell which belong together; 0: the thread */
	uint32_t key_count;
	struct probe_argument arguments[PROBE_ARGUMENTS_MAX];
	uint32_t argument_count;
	struct probe_condition condition;	/* count 0: none. Its VALUEs and RETURN are called
						 * as the argument that they are, which there
						 * always is */
	uint32_t condition_from;	/* where it begins in `text`, behind the "if" */
};

/* 0 or -EINVAL: the sentence says what is wrong, in which column, and what would be right; *@out
 * is zeroed then. */
int probe_spec_parse(struct probe_spec *out, const char *text, struct diag *why);

/* Makes `text` anew, as @spec could be typed, with @condition ("": none) for the one that it had;
 * what that asks of a hit is checked as by probe_spec_parse() and becomes arguments. 0 or -EINVAL:
 * a sentence, columns count in @condition; @spec is without a condition then, or the text, which is
 * too long, is cut. */
int probe_spec_write(struct probe_spec *spec, const char *condition, struct diag *why);

/* True: a latency from a tracepoint to itself. One record ends an interval, which the previous one
 * with its key began, and begins the next. */
bool probe_spec_is_interval(const struct probe_spec *spec);

/* "lat:libc.so.6:malloc": short, without arguments and condition, files by their base names; for
 * the eye, not for parsing. Fills @out[@room], terminated. */
void probe_spec_name(const struct probe_spec *spec, char *out, size_t room);

/* An entry and a return of one place (in either order, both without wildcard) become one latency
 * probe in *@entry, with the arguments and conditions of both. False: they are not such a pair, or
 * a value is typed in terms that only hold at the return (%ax); both are unchanged then. */
bool probe_spec_pair(struct probe_spec *entry, const struct probe_spec *other);

#endif
