/* probe_verdict.c - see probe_verdict.h.
 *
 * The kernel accepts breakpoints anywhere in user space, and return probes that end the program:
 * the dangers that it does not refuse have to be refused here.
 */
#include "probe_verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/whole_io.h"
#include "probe_code.h"
#include "probe_dangers.h"

#define CODE_BYTES_MAX (1u << 20)	/* per function: the largest are parsers with 500 KB */

void probe_verdict_add(struct probe_places *place, enum probe_verdict verdict, const char *format,
		       ...)
{
	va_list args;

	if (verdict <= place->verdict)
		return;
	place->verdict = verdict;
	va_start(args, format);
	vsnprintf(place->reason, sizeof(place->reason), format, args);
	va_end(args);
}

static bool has_return(const struct probe_spec *spec)
{
	return spec->edge != PROBE_ENTRY;
}

void probe_verdict_of_name(struct probe_places *place, const char *function)
{
	const struct probe_spec *spec = &place->spec;
	const struct probe_danger *danger =
		probe_danger_find(function, spec->kind == PROBE_KERNEL, has_return(spec));

	if (has_return(spec) && (spec->offset || spec->line))
		probe_verdict_add(place, VERDICT_REFUSED, "only the begin of a function has a "
				  "return: leave the %s out, or use an entry probe",
				  spec->line ? "line" : "offset");
	if (danger)
		probe_verdict_add(place, danger->verdict, "%s: %s", function, danger->reason);
}

void probe_verdict_of_file(struct probe_places *place, uint32_t flags, bool is_own_program)
{
	if (is_own_program)
		probe_verdict_add(place, VERDICT_REFUSED, "flametop would watch itself: its own "
				  "functions can't be probed");
	if (!has_return(&place->spec))
		return;
	if (flags & POINT_IS_GO)
		probe_verdict_add(place, VERDICT_REFUSED, "Go moves stacks while functions run, "
				  "and a return probe would end the program: use an entry probe");
	if (flags & POINT_IS_SPLIT_STACK)
		probe_verdict_add(place, VERDICT_REFUSED, "its functions change stacks "
				  "(-fsplit-stack), and a return probe would end the program: "
				  "use an entry probe");
}

static void judge(struct probe_places *place, const struct probe_code *code, uint64_t behind)
{
	if (!code->is_known)
		probe_verdict_add(place, VERDICT_REFUSED, "nothing tells whether an instruction "
				  "begins there, and in the middle of one a breakpoint changes "
				  "what the program does");
	else if (!code->is_border)
		probe_verdict_add(place, VERDICT_REFUSED, "+%llu is inside the instruction '%s': a "
				  "breakpoint there would change what the program does",
				  (unsigned long long)behind, code->text);
}

/* Unwind entries also cover parts of functions: when one is entered, the top of the stack is no
 * return address, and a breakpoint counts jumps. */
static void judge_start(struct probe_places *place, const struct point *point,
			const uint8_t *bytes, size_t count)
{
	struct probe_code code;

	if (point->start == POINT_START_SYMBOL)
		return;
	if (point->start == POINT_START_UNCALLED) {
		probe_verdict_add(place, VERDICT_REFUSED, "%s has no symbol, and by its unwind "
				  "entry it is not called: a part of a function, or where the "
				  "program starts", place->spec.function);
	} else if (!probe_code_begins_function(bytes, count)) {
		probe_code_look(bytes, count, 0, false, &code);
		probe_verdict_add(place, VERDICT_REFUSED, "%s has no symbol, and may be a part of "
				  "a function: it begins with '%s', not with endbr64, push or sub "
				  "from rsp", place->spec.function, code.text);
	}
}

void probe_verdict_of_code(struct probe_places *place, struct probe_site *site,
			   const struct point *point, uint32_t flags)
{
	const uint64_t behind = point->offset - point->begin;
	size_t room = PROBE_CODE_TAIL;
	struct probe_code code;
	uint8_t *bytes;
	ssize_t got = -1;

	if (behind < CODE_BYTES_MAX)
		room += (size_t)behind;
	bytes = malloc(room);
	if (bytes && behind < CODE_BYTES_MAX)
		got = whole_pread(place->file, bytes, room, (off_t)point->begin);
	judge_start(place, point, bytes, got > 0 ? (size_t)got : 0);
	probe_code_look(bytes, got > 0 ? (size_t)got : 0, behind, flags & POINT_IS_32_BIT, &code);
	free(bytes);
	judge(place, &code, behind);
	if (!behind && (!point->bytes || point->bytes > code.skip))
		site->offset += code.skip;
	if (!code.is_emulated)
		probe_verdict_add(place, VERDICT_COSTLY, "the kernel steps over '%s': a hit costs "
				  "12 us instead of 2", code.text);
	site->is_emulated = code.is_emulated;
	site->cost_ns = probe_code_cost_ns(code.is_emulated, place->spec.edge != PROBE_RETURN,
					   has_return(&place->spec));
}

void probe_verdict_of_exceptions(struct probe_places *place)
{
	if (strncmp(place->sites[0].symbol, "_Z", 2) == 0)
		probe_verdict_add(place, VERDICT_ASKS, "if an exception leaves it while the return "
				  "probe is on, the program ends (std::terminate): an entry probe "
				  "is safe");
}
