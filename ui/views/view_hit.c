/* view_hit.c - see view_hit.h. The log's lines have no stacks, so a query asks for the hit. The
 * page is rebuilt with each reply, since symbols get their names later. */
#include "view_hit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analyzer/request.h"
#include "base/clock.h"
#include "widgets/format.h"
#include "widgets/pager.h"
#include "widgets/probe_columns.h"
#include "widgets/probe_log.h"

#define LABEL_CELLS 10		/* "Latency   " */
#define INDENT	    2
#define PIECE_BYTES (PAGER_LINE_BYTES - 16)

struct hit_page {
	struct pager pager;
	uint32_t probe;		/* probe id of the hit */
	uint64_t number;	/* number of the hit within its probe; 0: none was opened */
	struct snapshot_hit line;	/* copy of its log line; texts in the two arrays below */
	char comm[PROMPT_BYTES], values[PROBE_LOG_TEXT];
};

void view_hit_open(struct ui_state *state, const struct snapshot_hit *hit)
{
	struct hit_page *page = (struct hit_page *)state->pages[PAGE_HIT];

	page->probe = hit->probe;
	page->number = hit->number;
	snprintf(page->comm, sizeof(page->comm), "%s", hit->comm);
	snprintf(page->values, sizeof(page->values), "%s", hit->values);
	page->line = *hit;
	page->line.comm = page->comm;
	page->line.values = page->values;
	page->line.stack = "";
	page->pager.seen = 0;
	page->pager.top = 0;
	state_open_view(state, &page->pager.view);
	state_ask(state);
	state_refresh_view(state);	/* it waits for the reply */
}

static void fill_query(const struct view *view, const struct ui_state *state, struct query *out)
{
	const struct hit_page *page = (const struct hit_page *)view;

	(void)state;
	out->hit_probe = page->probe;
	out->hit = page->number;
}

static void add_fact(struct pager *pager, const char *label, const char *text)
{
	pager_add(pager, ROLE_TEXT, LABEL_CELLS, "%-*s%s", LABEL_CELLS, label, text);
}

/* Bytes of @text that fit a line of the pager, whole characters. */
static size_t piece_bytes(const char *text, size_t bytes)
{
	if (bytes <= PIECE_BYTES)
		return bytes;
	bytes = PIECE_BYTES;
	while (bytes > 1 && ((unsigned char)text[bytes] & 0xc0) == 0x80)
		bytes--;
	return bytes;
}

/* Each line of @lines, all of it. */
static void add_lines(struct pager *pager, const char *lines)
{
	while (*lines) {
		size_t left = strcspn(lines, "\n");

		do {
			const size_t bytes = piece_bytes(lines, left);

			pager_add(pager, ROLE_TEXT, 2 * INDENT, "%*s%.*s", INDENT, "", (int)bytes,
				  lines);
			lines += bytes;
			left -= bytes;
		} while (left);
		lines += *lines == '\n';
	}
}

static void add_time(struct pager *pager, uint64_t wall_ns)
{
	const time_t wall = (time_t)(wall_ns / CLOCK_NS_PER_S);
	char text[40] = "";
	struct tm local;
	size_t length = 0;

	if (localtime_r(&wall, &local))
		length = strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local);
	snprintf(text + length, sizeof(text) - length, ".%06u",
		 (unsigned int)(wall_ns % CLOCK_NS_PER_S / 1000));
	add_fact(pager, "Time", text);
}

static const char *probe_name(const struct snapshot_probes *of, uint32_t id)
{
	const struct snapshot_probe *probe = snapshot_probes_find(of, id);

	return probe ? probe_plain_name(probe) : "";
}

static void add_hit(struct pager *pager, const struct ui_state *state,
		    const struct snapshot_hit *hit)
{
	const struct snapshot_probes *of = &state->shown->probes;
	char text[FORMAT_BYTES];

	add_fact(pager, "Probe", probe_name(of, hit->probe));
	add_time(pager, hit->time_ns + state->display.wall_offset_ns);
	snprintf(text, sizeof(text), "%" PRIu32, hit->cpu);
	add_fact(pager, "CPU", text);
	add_fact(pager, "Command", hit->comm);
	snprintf(text, sizeof(text), "%" PRIu32, hit->pid);
	add_fact(pager, "PID", text);
	if (hit->parent_pid) {
		snprintf(text, sizeof(text), "%" PRIu32, hit->parent_pid);
		add_fact(pager, "Parent", text);
	}
	snprintf(text, sizeof(text), "%" PRIu32, hit->tid);
	add_fact(pager, "TID", text);
	if (hit->latency_ns >= 0)
		add_fact(pager, "Latency", format_latency(text, (uint64_t)hit->latency_ns));
	pager_add(pager, ROLE_TEXT, 0, " ");
	pager_add(pager, ROLE_HEADING, 0, hit->values[0] ? "VALUES" : "WITHOUT VALUES");
	add_lines(pager, hit->values);
	pager_add(pager, ROLE_TEXT, 0, " ");
	pager_add(pager, ROLE_HEADING, 0, hit->stack[0] ? "ITS STACK" : "WITHOUT A STACK");
	add_lines(pager, hit->stack);
}

static void refresh_hit(struct view *view, const struct ui_state *state)
{
	struct hit_page *page = (struct hit_page *)view;
	struct pager *pager = &page->pager;
	const struct snapshot_hit *hit = state->shown ? &state->shown->probes.hit : NULL;

	if (hit && hit->number && hit->number == page->number &&
	    hit->probe == page->probe) {
		pager_clear(pager);
		add_hit(pager, state, hit);
		pager->seen = hit->number;
	} else if (pager->seen != page->number) {
		pager_clear(pager);
		if (state_is_waiting(state)) {
			pager_add(pager, ROLE_DIM, 0, "Reading the hit\u2026");
			return;
		}
		add_hit(pager, state, &page->line);
		pager_add(pager, ROLE_TEXT, 0, " ");
		pager_add(pager, ROLE_DIM, 0, "It left the log before it was read: this is what "
			  "its line had. Fewer hits, by a filter of the probe, stay longer.");
	}
}

const struct view_ops view_hit_ops = {
	PAGER_OPS(struct hit_page),
	.query = fill_query,
	.title = "Hit",
	.refresh = refresh_hit,
	.draw = pager_draw,
};
