/* script.c - see export/print.h.
 *
 * Source: perf-script(1); tools/perf/builtin-script.c, perf_sample__fprintf_start() and
 *         process_event(); tools/perf/util/evsel_fprintf.c, sample__fprintf_callchain().
 * As perf does it: an address in a user's DSO is that in its file, one in the kernel or of a sample
 * without callers is that in memory; a command is padded only if no stack follows.
 */
#include "export/print.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/safe_print.h"
#include "event_values.h"

#define SECOND_NS UINT64_C(1000000000)
#define BIT(field) (1u << (field))
#define OF_STACK                                                                                  \
	(BIT(SCRIPT_IP) | BIT(SCRIPT_SYM) | BIT(SCRIPT_DSO) | BIT(SCRIPT_SYMOFF))
#define OF_ALL                                                                                    \
	(BIT(SCRIPT_COMM) | BIT(SCRIPT_TID) | BIT(SCRIPT_PID) | BIT(SCRIPT_TIME) |                \
	 BIT(SCRIPT_CPU) | BIT(SCRIPT_EVENT))

#define NEEDS_IP (OF_STACK | BIT(SCRIPT_SRCLINE))
#define IF_ASKED (BIT(SCRIPT_ADDR) | BIT(SCRIPT_BRSTACK) | BIT(SCRIPT_SRCLINE))

const char *const script_field_names[SCRIPT_FIELD_COUNT + 1] = {
	"comm", "tid", "pid", "time", "cpu", "event", "trace", "ip", "sym", "dso", "symoff",
	"period", "addr", "brstack", "srcline", NULL,
};

static int field_of(const char *text, size_t length)
{
	for (int i = 0; i < SCRIPT_FIELD_COUNT; i++)
		if (strlen(script_field_names[i]) == length &&
		    !strncmp(script_field_names[i], text, length))
			return i;
	return -1;
}

static int refuse_field(const char *as, const char *text, const char *at, struct diag *why)
{
	return diag_set(why, -EINVAL, "%s: column %zu: \"%.*s\" is no field of --format script; "
			"there are comm, tid, pid, time, cpu, event, trace, ip, sym, dso, symoff, "
			"period, addr, brstack, srcline", as, (size_t)(at - text) + 1,
			(int)strcspn(at, ",+-"), at);
}

int script_fields_parse(struct script_fields *out, const char *as, const char *text,
			struct diag *why)
{
	struct script_fields result = { .is_chosen = text[0] != '+' && text[0] != '-' };
	const char *at = text;

	while (*at) {
		const char sign = *at == '+' || *at == '-' ? *at++ : '+';
		const size_t length = strcspn(at, ",+-");
		const int field = field_of(at, length);

		if (field < 0)
			return refuse_field(as, text, at, why);
		if (sign == '-') {
			result.removed |= BIT(field);
			result.added &= ~BIT(field);
		} else {
			result.added |= BIT(field);
			result.removed &= ~BIT(field);
		}
		at += length;
		at += *at == ',';
	}
	if (result.is_chosen) {
		result.chosen = result.added;
		result.added = result.removed = 0;
	}
	if (result.is_chosen && !result.chosen)
		return diag_set(why, -EINVAL, "%s: no field is left", as);
	if (result.chosen & NEEDS_IP && !(result.chosen & BIT(SCRIPT_IP)))
		return diag_set(why, -EINVAL, "%s: sym, dso, symoff and srcline need ip", as);
	*out = result;
	return 0;
}

bool script_fields_have(const struct script_fields *fields, enum script_field field)
{
	if (fields->is_chosen)
		return fields->chosen & BIT(field);
	return IF_ASKED & BIT(field) ? fields->added & BIT(field)
				     : !(fields->removed & BIT(field));
}

static bool have_field(const struct event_desc *const *events, uint32_t count, uint64_t sample_type)
{
	for (uint32_t i = 0; i < count; i++)
		if (!event_desc_is_hidden(events[i]) && events[i]->format.sample_type & sample_type)
			return true;
	return false;
}

int script_fields_check(const struct script_fields *fields, const char *as,
			const struct event_desc *const *events, uint32_t count, struct diag *why)
{
	if (script_fields_have(fields, SCRIPT_ADDR) &&
	    !have_field(events, count, PERF_SAMPLE_ADDR))
		return diag_set(why, -EINVAL, "%s: no event has addr, the address that a sample is "
				"about: record with perf record -d", as);
	if (script_fields_have(fields, SCRIPT_BRSTACK) &&
	    !have_field(events, count, PERF_SAMPLE_BRANCH_STACK))
		return diag_set(why, -EINVAL, "%s: no event has brstack, the branches taken before "
				"a sample: record with -b", as);
	return 0;
}

static bool carries(const struct snapshot_event *event, const char *trace)
{
	return trace || event->field_count || !event->has_period;
}

static uint32_t shown_of(const struct script_fields *fields, const struct snapshot_event *event,
			 const char *trace)
{
	uint32_t shown = OF_ALL;

	if (fields->is_chosen)
		return fields->chosen;
	shown |= carries(event, trace) ? BIT(SCRIPT_TRACE) : BIT(SCRIPT_PERIOD);
	if (event->has_chain || !carries(event, trace))
		shown |= OF_STACK;
	return (shown | fields->added) & ~fields->removed;
}

static void put_task(FILE *out, const struct snapshot_event *event, uint32_t shown)
{
	const bool has_stack = event->has_chain && shown & BIT(SCRIPT_IP);
	const struct safe_text comm = sanitize_checked(event->comm[0] ? event->comm : ":-1");
	const int32_t pid = (int32_t)event->pid, tid = (int32_t)event->tid;

	if (shown & BIT(SCRIPT_COMM) && has_stack)
		safe_print(out, "%s ", comm);
	else if (shown & BIT(SCRIPT_COMM))
		safe_print(out, "%16s ", comm);
	if (shown & BIT(SCRIPT_PID) && shown & BIT(SCRIPT_TID))
		safe_print(out, "%5" PRId32 "/%-5" PRId32 " ", pid, tid);
	else if (shown & (BIT(SCRIPT_PID) | BIT(SCRIPT_TID)))
		safe_print(out, "%5" PRId32 " ", shown & BIT(SCRIPT_PID) ? pid : tid);
}

static void put_head(FILE *out, const struct snapshot_event *event, uint32_t shown, int width)
{
	char time[32];

	put_task(out, event, shown);
	if (shown & BIT(SCRIPT_CPU) && event->cpu != UINT32_MAX)
		safe_print(out, "[%03" PRIu32 "] ", event->cpu);
	if (shown & BIT(SCRIPT_TIME)) {
		snprintf(time, sizeof(time), "%" PRIu64 ".%06" PRIu64, event->time_ns / SECOND_NS,
			 event->time_ns % SECOND_NS / 1000);
		safe_print(out, "%12s: ", sanitize_checked(time));
	}
	if (shown & BIT(SCRIPT_PERIOD) && event->has_period)
		safe_print(out, "%10" PRIu64 " ", event->period);
	if (shown & BIT(SCRIPT_EVENT))
		safe_print(out, "%*s: ", width, sanitize_checked(event->event));
}

/* Writes what follows the address of a frame. */
static void put_symbol(FILE *out, const struct snapshot_event *event, uint32_t frame,
		       uint32_t shown)
{
	const struct snapshot_place *place = &event->places[frame];

	if (shown & BIT(SCRIPT_SYM))
		safe_print(out, " %s", place->is_named ? sanitize_checked(event->frames[frame])
						       : SAFE_TEXT("[unknown]"));
	if (shown & BIT(SCRIPT_SYM) && shown & BIT(SCRIPT_SYMOFF) && place->is_named &&
	    place->offset != UINT64_MAX)
		safe_print(out, "+0x%" PRIx64, place->offset);
	if (shown & BIT(SCRIPT_DSO) && !place->is_inlined)
		safe_print(out, " (%s)", place->dso[0] ? sanitize_checked(place->dso)
						       : SAFE_TEXT("[unknown]"));
	if (shown & BIT(SCRIPT_SRCLINE) && place->source[0])
		safe_print(out, "\n  %s", sanitize_checked(place->source));
	if (place->is_inlined)
		safe_put(out, " (inlined)");
}

/* As perf 6.1 names them. */
static struct safe_text branch_type(unsigned int type)
{
	static const char *const names[] = {
		[PERF_BR_UNKNOWN] = "", [PERF_BR_COND] = "COND", [PERF_BR_UNCOND] = "UNCOND",
		[PERF_BR_IND] = "IND", [PERF_BR_CALL] = "CALL", [PERF_BR_IND_CALL] = "IND_CALL",
		[PERF_BR_RET] = "RET", [PERF_BR_SYSCALL] = "SYSCALL", [PERF_BR_SYSRET] = "SYSRET",
		[PERF_BR_COND_CALL] = "COND_CALL", [PERF_BR_COND_RET] = "COND_RET",
	};

	return sanitize_checked(type < sizeof(names) / sizeof(names[0]) ? names[type] : "");
}

static void put_branches(FILE *out, const struct snapshot_event *event)
{
	for (uint32_t i = 0; i < event->branch_count; i++) {
		const struct perf_branch_entry *branch = &event->branches[i];
		const char *prediction = branch->mispred ? "M" : branch->predicted ? "P" : "-";

		safe_print(out, " 0x%" PRIx64 "/0x%" PRIx64 "/%s/%s/%s/%u/%s ",
			   (uint64_t)branch->from, (uint64_t)branch->to,
			   sanitize_checked(prediction),
			   branch->in_tx ? SAFE_TEXT("X") : SAFE_TEXT("-"),
			   branch->abort ? SAFE_TEXT("A") : SAFE_TEXT("-"),
			   (unsigned)branch->cycles, branch_type(branch->type));
	}
}

static void put_stack(FILE *out, const struct snapshot_event *event, uint32_t shown)
{
	if (!event->has_chain) {	/* the sample's own address, in the same line */
		safe_print(out, " %16" PRIx64, event->ip);
		if (event->frame_count)
			put_symbol(out, event, 0, shown);
		return;
	}
	safe_put(out, "\n");
	for (uint32_t i = 0; i < event->frame_count; i++) {
		safe_print(out, "\t%16" PRIx64, event->places[i].address);
		put_symbol(out, event, i, shown);
		safe_put(out, "\n");
	}
}

static void put_event(FILE *out, const struct snapshot_event *event,
		      const struct script_fields *fields, const char *trace, int width)
{
	const uint32_t shown = shown_of(fields, event, trace);

	put_head(out, event, shown, width);
	if (shown & BIT(SCRIPT_TRACE) && trace)
		safe_put_text(out, sanitize_checked(trace));
	else if (shown & BIT(SCRIPT_TRACE) && carries(event, trace))
		event_values_put(out, event);
	if (shown & BIT(SCRIPT_ADDR) && event->has_addr)
		safe_print(out, "%16" PRIx64, event->addr);
	if (shown & BIT(SCRIPT_IP) && event->places)
		put_stack(out, event, shown);
	if (shown & BIT(SCRIPT_BRSTACK))
		put_branches(out, event);
	safe_put(out, "\n");
}

void script_write(FILE *out, const struct snapshot_events *events,
		  const struct script_fields *fields, const char *const *traces)
{
	for (uint32_t i = 0; i < events->count; i++)
		put_event(out, &events->list[i], fields, traces ? traces[i] : NULL,
			  (int)events->name_width);
}
