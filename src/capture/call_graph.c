/* call_graph.c - see call_graph.h.
 *
 * The kernel reserves the whole copy in its ring, however little of it is filled, so the load of a
 * capture is known before it begins. With a fixed period the rate is unknown: stacks are copied,
 * and losses counted. Where every hit is a sample, stacks are copied until the hits are too many:
 * see capture_plan.h and ingest/copy_size.h.
 */
#include "capture/call_graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LBR "lbr"	/* perf's fourth mode */

static const char *const mode_names[] = {
	[CALL_GRAPH_AUTO] = "auto", [CALL_GRAPH_FP] = "fp", [CALL_GRAPH_DWARF] = "dwarf",
	[CALL_GRAPH_OFF] = "off",
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
	if (len == strlen(LBR) && !memcmp(text, LBR, len))
		return diag_set(why, -EINVAL, "%s %s: the CPU's last branch records are not read "
				"as call stacks; auto copies stacks, fp follows frame pointers", as,
				text);
	return diag_set(why, -EINVAL, "%s %s: not known; there are auto, fp, dwarf, dwarf,BYTES,"
			" off", as, text);
}

bool call_graph_is_mode(const char *word)
{
	const size_t len = strcspn(word, ",");

	for (size_t i = 0; i < sizeof(mode_names) / sizeof(mode_names[0]); i++)
		if (strlen(mode_names[i]) == len && !memcmp(mode_names[i], word, len))
			return i != CALL_GRAPH_OFF;
	return len == strlen(LBR) && !memcmp(word, LBR, len);
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
	if (asked->mode == CALL_GRAPH_FP || asked->mode == CALL_GRAPH_OFF)
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
