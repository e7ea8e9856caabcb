/* probe_verdict.c - see probe_verdict.h.
 *
 * The kernel accepts breakpoints anywhere in user space, and return probes that end the program:
 * the dangers that it does not refuse have to be refused here.
 */
#include "probe_verdict.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the value @node compares, at the first site; NULL: the probe has no such value. */
static const struct probe_fetch *value_of(const struct probe_point *point,
					  const struct probe_node *node)
{
	if (!probe_node_is_comparison(node) || !point->site_count ||
	    (node->operand != OPERAND_VALUE && node->operand != OPERAND_RETURN))
		return NULL;
	for (uint32_t i = 0; i < point->sites[0].value_count; i++)
		if (!strcmp(point->sites[0].values[i].name, node->name))
			return &point->sites[0].values[i];
	return NULL;
}

static bool find_number(const struct probe_fetch *value, const char *word,
			const struct raw_fields *fields, uint64_t *number)
{
	int index;

	if (probe_meaning_number(value->meaning, word, number))
		return true;
	if (value->meaning != MEANING_WORDS || !fields)
		return false;
	index = raw_fields_find(fields, value->fetch);
	return index >= 0 && raw_fields_number(fields, &fields->list[index], word, number);
}

static void put_number(struct probe_node *node, uint64_t number)
{
	node->is_text = false;
	node->is_negative = (int64_t)number < 0;
	node->number = node->is_negative ? 0 - number : number;
}

static void resolve_word(struct probe_point *point, struct probe_node *node,
			 const struct probe_fetch *value, const struct raw_fields *fields)
{
	const bool is_second = value->is_return && point->spec.edge == PROBE_LATENCY;
	uint64_t number;

	if (value->is_pointed && is_second)
		probe_verdict_add(point, VERDICT_UNABLE, "%s is behind a pointer, and the kernel "
				  "compares only what the first end has", node->name);
	else if (value->is_pointed)
		node->is_pointed = true;
	else if (node->kind == OPERATOR_GLOB)
		probe_verdict_add(point, VERDICT_UNABLE, "%s is a number: ~ compares texts",
				  node->name);
	else if (find_number(value, node->text, fields, &number))
		put_number(node, number);
	else
		probe_verdict_add(point, VERDICT_UNABLE, "%s is a number, and \"%s\" is no name of "
				  "it", node->name, node->text);
}

void condition_words_resolve(struct probe_point *point, const struct raw_fields *begin,
			     const struct raw_fields *end)
{
	struct probe_condition *condition = &point->spec.condition;

	for (uint32_t i = 0; i < condition->count; i++) {
		struct probe_node *node = &condition->nodes[i];
		const struct probe_fetch *value = value_of(point, node);

		if (value && value->fetch[0] && node->is_text && value->kind != VALUE_TEXT)
			resolve_word(point, node, value, value->is_return && end ? end : begin);
	}
}

#define HANGS_KERNEL                                                                          \
	"the handler of a return probe takes such locks itself, and machines have hung: use " \
	"t:lock:contention_begin, or an entry probe"
#define RETURNS_TWICE                                                                     \
	"it returns a second time, when the return probe's own address is gone, and the " \
	"program ends: use an entry probe"
#define OWN_PATH                                                                              \
	"each hit's record goes through it, so the probe watches itself: use another function"
#define SWITCHES_STACK                                                                        \
	"it leaves on another stack, and return probes must end in the order in which they " \
	"began: the program may end; an entry probe does no harm"

/* The kernel's own blacklist and notrace exclude what would break the kernel at once. This list has
 * what they allow, yet was seen to hang machines or end programs: spin locks that the return
 * handler takes itself, functions that return twice (tried: SIGILL) or on another stack, and
 * functions that write our own records. vfork() and clone() are absent: the kernel handles them. */
static const struct probe_danger dangers[] = {
	{ "_raw_spin_lock*", true, true, VERDICT_REFUSED, HANGS_KERNEL },
	{ "_raw_spin_unlock*", true, true, VERDICT_REFUSED, HANGS_KERNEL },
	{ "_raw_spin_trylock*", true, true, VERDICT_REFUSED, HANGS_KERNEL },
	{ "queued_spin_lock_slowpath", true, true, VERDICT_REFUSED, HANGS_KERNEL },
	{ "native_queued_spin_lock_slowpath", true, true, VERDICT_REFUSED, HANGS_KERNEL },
	{ "kretprobe_*", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "kprobe_*", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "uprobe_*", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "perf_output_*", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "__perf_event_*", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "perf_event_output*", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "perf_tp_event*", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "perf_prepare_*", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "perf_callchain*", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "get_perf_callchain", true, false, VERDICT_REFUSED, OWN_PATH },
	{ "rcu_read_*lock", true, true, VERDICT_REFUSED, OWN_PATH },
	{ "__switch_to*", true, false, VERDICT_REFUSED,
	  "it runs between two stacks: use t:sched:sched_switch" },
	{ "do_exit", true, true, VERDICT_REFUSED,
	  "it never returns: use an entry probe, or t:sched:sched_process_exit" },
	{ "do_group_exit", true, true, VERDICT_REFUSED,
	  "it never returns: use an entry probe, or t:sched:sched_process_exit" },

	{ "setjmp", false, true, VERDICT_REFUSED, RETURNS_TWICE },
	{ "_setjmp", false, true, VERDICT_REFUSED, RETURNS_TWICE },
	{ "__sigsetjmp", false, true, VERDICT_REFUSED, RETURNS_TWICE },
	{ "sigsetjmp", false, true, VERDICT_REFUSED, RETURNS_TWICE },
	{ "getcontext", false, true, VERDICT_REFUSED, RETURNS_TWICE },
	{ "__getcontext", false, true, VERDICT_REFUSED, RETURNS_TWICE },
	{ "swapcontext", false, true, VERDICT_ASKS, SWITCHES_STACK },
	{ "__swapcontext", false, true, VERDICT_ASKS, SWITCHES_STACK },
	{ "longjmp", false, true, VERDICT_REFUSED, "it never returns: use an entry probe" },
	{ "siglongjmp", false, true, VERDICT_REFUSED, "it never returns: use an entry probe" },
	{ "_longjmp", false, true, VERDICT_REFUSED, "it never returns: use an entry probe" },
	{ "_dl_runtime_resolve*", false, true, VERDICT_REFUSED,
	  "it leaves by a jump into another function: use an entry probe" },
	{ "_Unwind_*", false, true, VERDICT_REFUSED,
	  "it reads return addresses, finds the probe's own and ends the program: use an entry "
	  "probe" },
	{ "__cxa_throw", false, true, VERDICT_REFUSED, "it never returns: use an entry probe" },
	{ "__cxa_rethrow", false, true, VERDICT_REFUSED, "it never returns: use an entry probe" },
	{ "__morestack*", false, false, VERDICT_REFUSED,
	  "it changes stacks below its caller's feet: probe its caller" },
};

const struct probe_danger *probe_danger_find(const char *name, bool is_kernel, bool has_return)
{
	for (size_t i = 0; i < sizeof(dangers) / sizeof(dangers[0]); i++) {
		const struct probe_danger *danger = &dangers[i];

		if (danger->is_kernel == is_kernel && (has_return || !danger->only_return) &&
		    fnmatch(danger->pattern, name, 0) == 0)
			return danger;
	}
	return NULL;
}

void probe_verdict_add(struct probe_point *point, enum probe_verdict verdict, const char *format,
		       ...)
{
	va_list args;

	if (verdict <= point->verdict)
		return;
	point->verdict = verdict;
	va_start(args, format);
	vsnprintf(point->reason, sizeof(point->reason), format, args);
	va_end(args);
}

static bool has_return(const struct probe_spec *spec)
{
	return spec->edge != PROBE_ENTRY;
}

void probe_verdict_of_name(struct probe_point *point, const char *function)
{
	const struct probe_spec *spec = &point->spec;
	const struct probe_danger *danger =
		probe_danger_find(function, spec->kind == PROBE_KERNEL, has_return(spec));

	if (has_return(spec) && (spec->offset || spec->line))
		probe_verdict_add(point, VERDICT_REFUSED, "only the begin of a function has a "
				  "return: leave the %s out, or use an entry probe",
				  spec->line ? "line" : "offset");
	if (danger)
		probe_verdict_add(point, danger->verdict, "%s: %s", function, danger->reason);
}

static bool is_runnable(enum machine machine)
{
	return machine == MACHINE_OWN ||
	       (machine == MACHINE_X86_32 && MACHINE_OWN == MACHINE_X86_64);
}

void probe_verdict_of_file(struct probe_point *point, const struct point_header *file,
			   bool is_own_program)
{
	const uint32_t flags = file->flags;

	if (!is_runnable((enum machine)file->machine))
		probe_verdict_add(point, VERDICT_UNABLE, "its code is for another CPU: nothing "
				  "runs it on this machine");
	if (is_own_program)
		probe_verdict_add(point, VERDICT_REFUSED, "flametop would watch itself: its own "
				  "functions can't be probed");
	if (!has_return(&point->spec))
		return;
	if (flags & POINT_IS_GO)
		probe_verdict_add(point, VERDICT_REFUSED, "Go moves stacks while functions run, "
				  "and a return probe would end the program: use an entry probe");
	if (flags & POINT_IS_SPLIT_STACK)
		probe_verdict_add(point, VERDICT_REFUSED, "its functions change stacks "
				  "(-fsplit-stack), and a return probe would end the program: "
				  "use an entry probe");
}

static void judge(struct probe_point *point, const struct probe_code *code)
{
	const struct point_site *found = code->site;

	if (!(found->code & POINT_CODE_KNOWN))
		probe_verdict_add(point, VERDICT_REFUSED, "nothing tells whether an instruction "
				  "begins there, and in the middle of one a breakpoint changes "
				  "what the program does");
	else if (!(found->code & POINT_CODE_BORDER))
		probe_verdict_add(point, VERDICT_REFUSED, "+%llu is inside the instruction '%s': a "
				  "breakpoint there would change what the program does",
				  (unsigned long long)(found->offset - found->begin),
				  code->instruction);
	else if (found->code & POINT_CODE_EXCLUSIVE)
		probe_verdict_add(point, VERDICT_REFUSED, "'%s' is part of an exclusive load and "
				  "store: with a breakpoint the store fails, and the program would "
				  "try for ever", code->instruction);
	else if (found->code & POINT_CODE_NOWHERE_ELSE)
		probe_verdict_add(point, VERDICT_REFUSED, "the kernel can neither emulate '%s' nor "
				  "step over a copy of it: probe another instruction",
				  code->instruction);
}

/* What functions without a symbol must begin with: POINT_CODE_FUNCTION. */
static const char *first_instructions(enum machine machine)
{
	switch (machine) {
	case MACHINE_AARCH64:
		return "bti c, paciasp, stp or str to the stack, or sub from sp";
	case MACHINE_X86_32:
		return "endbr32 or push";
	default:
		return "endbr64, push or sub from rsp";
	}
}

/* Unwind entries also cover parts of functions: when one is entered, the top of the stack is no
 * return address, and a breakpoint counts jumps. */
static void judge_start(struct probe_point *point, const struct probe_code *code)
{
	const struct point_site *found = code->site;

	if (found->start == POINT_START_UNCALLED)
		probe_verdict_add(point, VERDICT_REFUSED, "%s has no symbol, and by its unwind "
				  "entry it is not called: a part of a function, or where the "
				  "program starts", point->spec.function);
	else if (found->start == POINT_START_CALLED && !(found->code & POINT_CODE_FUNCTION))
		probe_verdict_add(point, VERDICT_REFUSED, "%s has no symbol, and may be a part of "
				  "a function: it begins with '%s', not with %s",
				  point->spec.function, code->first,
				  first_instructions(code->machine));
}

/* A step costs x86 another 10 us in a virtual machine (measured with Linux 6.18, one record per
 * hit); aarch64 0.6 us, where nearly all functions begin with an instruction that is stepped. */
void probe_verdict_of_code(struct probe_point *point, struct probe_site *site,
			   const struct probe_code *code)
{
	const struct point_site *found = code->site;

	site->is_emulated = found->code & POINT_CODE_EMULATED;
	judge_start(point, code);
	judge(point, code);
	if (found->offset == found->begin && (!found->bytes || found->bytes > found->skip))
		site->offset += found->skip;
	if (!site->is_emulated && code->machine != MACHINE_AARCH64)
		probe_verdict_add(point, VERDICT_COSTLY, "the kernel steps over '%s': a hit costs "
				  "12 us instead of 2", code->instruction);
}

void probe_verdict_of_exceptions(struct probe_point *point)
{
	if (strncmp(point->sites[0].symbol, "_Z", 2) == 0)
		probe_verdict_add(point, VERDICT_ASKS, "if an exception leaves it while the return "
				  "probe is on, the program ends (std::terminate): an entry probe "
				  "is safe");
}

int probe_verdict_check_build(const struct build_id *wanted, const struct build_id *have,
			      const char *what, struct diag *why)
{
	char hex[BUILD_ID_HEX_BYTES], own_hex[BUILD_ID_HEX_BYTES];

	if (!wanted->count || build_id_is_equal(wanted, have))
		return 0;
	return diag_set(why, -ESTALE, "%s has build-id %s, the probe is for %s: make it anew, by "
			"--dry-run where the debug information of this build is", what,
			have->count ? build_id_format(have, own_hex) : "(none that can be read)",
			build_id_format(wanted, hex));
}
