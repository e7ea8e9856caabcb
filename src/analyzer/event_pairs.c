/* event_pairs.c - see event_pairs.h. */
#include "event_pairs.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static uint32_t sampled(struct event_list list)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < list.count; i++)
		count += !event_desc_is_hidden(list.events[i]);
	return count;
}

static uint32_t first_sampled(struct event_list list)
{
	uint32_t i = 0;

	while (event_desc_is_hidden(list.events[i]))
		i++;
	return i;
}

static bool is_taken(const uint16_t number_of[TIMELINE_NUMBERS], uint32_t before, uint32_t number)
{
	for (uint32_t i = 0; i < before; i++)
		if (number_of[i] == number)
			return true;
	return false;
}

static uint16_t find_namesake(struct event_list from, struct event_list to,
			      const uint16_t number_of[TIMELINE_NUMBERS], uint32_t event)
{
	for (uint32_t i = 0; i < to.count && i < EVENT_PAIRS_NONE; i++)
		if (!strcmp(to.events[i]->name, from.events[event]->name) &&
		    !is_taken(number_of, event, i))
			return (uint16_t)i;
	return EVENT_PAIRS_NONE;
}

void event_pairs_find(struct event_list from, struct event_list to,
		      uint16_t number_of[TIMELINE_NUMBERS])
{
	bool any = false;

	for (uint32_t i = 0; i < TIMELINE_NUMBERS; i++)
		number_of[i] = EVENT_PAIRS_NONE;
	for (uint32_t i = 0; i < from.count && i < EVENT_PAIRS_NONE; i++) {
		number_of[i] = find_namesake(from, to, number_of, i);
		any |= number_of[i] != EVENT_PAIRS_NONE && !event_desc_is_hidden(from.events[i]);
	}
	if (!any && sampled(from) == 1 && sampled(to) == 1)
		number_of[first_sampled(from)] = (uint16_t)first_sampled(to);
}

static bool is_own(const struct probe_row *row)
{
	return row->id && row->event >= PROBE_EVENT_FIRST;
}

void event_pairs_find_probes(const struct probe_hits *from, const struct probe_hits *to,
			     uint16_t number_of[TIMELINE_NUMBERS])
{
	bool is_used[PROBE_SLOTS] = { false };

	for (uint32_t slot = 0; from && to && slot < PROBE_SLOTS; slot++) {
		const struct probe_row *row = &from->rows[slot];
		uint32_t other = 0;

		while (is_own(row) && other < PROBE_SLOTS &&
		       (is_used[other] || !is_own(&to->rows[other]) ||
			strcmp(to->rows[other].name, row->name) != 0 ||
			strcmp(to->rows[other].spec->text, row->spec->text) != 0))
			other++;
		if (!is_own(row) || other == PROBE_SLOTS)
			continue;
		is_used[other] = true;
		number_of[row->event] = to->rows[other].event;
	}
}

/* The text that is being written. */
struct line {
	char *out;
	size_t room, used;
};

static void put(struct line *line, const char *text)
{
	const size_t length = strlen(text);

	if (line->used + length < line->room) {
		memcpy(line->out + line->used, text, length + 1);
		line->used += length;
	}
}

/* Writes "cycles, faults: only in A" for the events without @is_paired. */
static void put_alone(struct line *line, struct event_list list,
		      const bool is_paired[TIMELINE_NUMBERS], const char *side)
{
	bool any = false;

	for (uint32_t i = 0; i < list.count && i < EVENT_PAIRS_NONE; i++) {
		if (is_paired[i] || list.events[i]->is_sideband)
			continue;
		put(line, any ? ", " : line->used ? "\n" : "");
		put(line, list.events[i]->name);
		any = true;
	}
	if (!any)
		return;
	put(line, ": only in ");
	put(line, side);
	put(line, ", so there is nothing to compare");
}

static void put_different(struct line *line, const char *first, const char *first_event,
			  const char *second, const char *second_event)
{
	put(line, line->used ? "\n" : "");
	put(line, first);
	put(line, " counts ");
	put(line, first_event);
	put(line, " and ");
	put(line, second);
	put(line, " ");
	put(line, second_event);
	put(line, ": their shares can be compared, hardly their periods");
}

void event_pairs_describe(struct event_list from, struct event_list to,
			  const uint16_t number_of[TIMELINE_NUMBERS], const char *first,
			  const char *second, char *out, size_t room)
{
	struct line line = { .out = out, .room = room };
	bool of_from[TIMELINE_NUMBERS] = { false }, of_to[TIMELINE_NUMBERS] = { false };

	out[0] = '\0';
	for (uint32_t i = 0; i < from.count && i < EVENT_PAIRS_NONE; i++) {
		if (number_of[i] == EVENT_PAIRS_NONE)
			continue;
		of_from[i] = of_to[number_of[i]] = true;
		if (strcmp(from.events[i]->name, to.events[number_of[i]]->name) != 0)
			put_different(&line, first, from.events[i]->name, second,
				      to.events[number_of[i]]->name);
	}
	put_alone(&line, from, of_from, first);
	put_alone(&line, to, of_to, second);
}
