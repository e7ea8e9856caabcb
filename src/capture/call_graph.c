/* call_graph.c - see capture/event.h.
 *
 * The kernel reserves the whole copy in its ring, however little of it is filled, so the load of a
 * capture is known before it begins. With a fixed period the rate is unknown: stacks are copied,
 * and losses counted. Where every hit is a sample, stacks are copied until the hits are too many:
 * see capture_plan.h and analyzer/copy_size.h.
 */
#include "capture/event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const mode_names[] = {
	[CALL_GRAPH_AUTO] = "auto", [CALL_GRAPH_FP] = "fp", [CALL_GRAPH_DWARF] = "dwarf",
	[CALL_GRAPH_OFF] = "off", [CALL_GRAPH_LBR] = "lbr",
};

static int parse_copy(const char *text, const char *as, uint32_t *out, struct diag *why)
{
	unsigned long bytes;
	char *end;

	errno = 0;
	bytes = strtoul(text, &end, 10);
	if (errno || *end || end == text || text[0] == '-' || !bytes || bytes % 8 ||
	    bytes > CALL_GRAPH_COPY_MAX_BYTES)
		return diag_set(why, -EINVAL, "%s dwarf,%s: the copy of a stack has a multiple of 8"
				" bytes, %d at most", as, text, CALL_GRAPH_COPY_MAX_BYTES);
	*out = (uint32_t)bytes;
	return 0;
}

int call_graph_parse(const char *text, const char *as, struct call_graph *out, struct diag *why)
{
	const size_t len = strcspn(text, ",");

	for (size_t i = 0; i < sizeof(mode_names) / sizeof(mode_names[0]); i++) {
		if (strlen(mode_names[i]) != len || memcmp(mode_names[i], text, len) != 0)
			continue;
		*out = (struct call_graph){ .mode = (enum call_graph_mode)i };
		if (!text[len])
			return 0;
		if (i == CALL_GRAPH_DWARF)
			return parse_copy(text + len + 1, as, &out->copy_bytes, why);
		return diag_set(why, -EINVAL, "%s %s: only dwarf takes a size, as in dwarf,16384",
				as, text);
	}
	return diag_set(why, -EINVAL, "%s %s: not known; there are auto, fp, dwarf, dwarf,BYTES,"
			" lbr, off", as, text);
}

bool call_graph_is_mode(const char *word)
{
	const size_t len = strcspn(word, ",");

	for (size_t i = 0; i < sizeof(mode_names) / sizeof(mode_names[0]); i++)
		if (strlen(mode_names[i]) == len && !memcmp(mode_names[i], word, len))
			return i != CALL_GRAPH_OFF;
	return false;
}

static bool is_too_much(const struct call_graph_load *load, uint32_t copy_bytes)
{
	return load->sum_hz * load->cpus > CALL_GRAPH_COPY_MAX_RATE / copy_bytes;
}

static enum call_graph_concession choose_auto(const struct call_graph_load *load,
					      struct call_graph *out)
{
	if (load->max_hz > CALL_GRAPH_COPY_MAX_HZ)
		return CALL_GRAPH_TOO_OFTEN;
	while (is_too_much(load, out->copy_bytes)) {
		out->copy_bytes /= 2;
		if (out->copy_bytes < CALL_GRAPH_COPY_MIN_BYTES)
			return CALL_GRAPH_TOO_MUCH;
	}
	return CALL_GRAPH_AS_ASKED;
}

enum call_graph_concession call_graph_choose(const struct call_graph *asked,
					     const struct call_graph_load *load,
					     struct call_graph *out)
{
	enum call_graph_concession concession = CALL_GRAPH_AS_ASKED;

	*out = (struct call_graph){ .mode = asked->mode };
	if (asked->mode == CALL_GRAPH_FP || asked->mode == CALL_GRAPH_LBR ||
	    asked->mode == CALL_GRAPH_OFF)
		return concession;
	out->mode = CALL_GRAPH_DWARF;
	out->copy_bytes = asked->copy_bytes ? asked->copy_bytes : CALL_GRAPH_COPY_BYTES;
	if (!load->has_copies)
		concession = CALL_GRAPH_NOT_HERE;
	else if (asked->mode == CALL_GRAPH_AUTO)
		concession = choose_auto(load, out);
	if (concession != CALL_GRAPH_AS_ASKED)
		*out = (struct call_graph){ .mode = CALL_GRAPH_FP };
	return concession;
}

/* Which branches are recorded: the names of perf record's option -j that say so. */
static const struct {
	const char *name;
	uint64_t bit;
	bool is_level;
} branch_filters[] = {
	{ "any", PERF_SAMPLE_BRANCH_ANY, false },
	{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL, false },
	{ "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN, false },
	{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL, false },
	{ "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP, false },
	{ "call", PERF_SAMPLE_BRANCH_CALL, false },
	{ "cond", PERF_SAMPLE_BRANCH_COND, false },
	{ "u", PERF_SAMPLE_BRANCH_USER, true },
	{ "k", PERF_SAMPLE_BRANCH_KERNEL, true },
	{ "hv", PERF_SAMPLE_BRANCH_HV, true },
};

#define BRANCH_FILTERS (sizeof(branch_filters) / sizeof(branch_filters[0]))

const char *branch_filter_name(size_t index)
{
	return index < BRANCH_FILTERS ? branch_filters[index].name : NULL;
}

static size_t find_branch_filter(const char *name, size_t length)
{
	size_t i = 0;

	while (i < BRANCH_FILTERS && (strlen(branch_filters[i].name) != length ||
				      memcmp(branch_filters[i].name, name, length) != 0))
		i++;
	return i;
}

int branch_filter_parse(const char *text, const char *as, uint64_t *out, struct diag *why)
{
	uint64_t levels = 0, kinds = 0;

	for (const char *at = text; *at || at == text;) {
		const size_t length = strcspn(at, ",");
		const size_t found = find_branch_filter(at, length);

		if (found == BRANCH_FILTERS)
			return diag_set(why, -EINVAL, "%s %s: \"%.*s\" is no filter of branches; "
					"there are any, any_call, any_ret, ind_call, ind_jmp, call,"
					" cond, and the levels u, k, hv", as, text, (int)length,
					at);
		*(branch_filters[found].is_level ? &levels : &kinds) |= branch_filters[found].bit;
		at += length;
		at += *at == ',';
	}
	*out = levels | (kinds ? kinds : PERF_SAMPLE_BRANCH_ANY);
	return 0;
}
