/* source_hold.c - see source_hold.h.
 *
 * A snapshot is one block, and lines arrive after it was built: they are put into a block of their
 * own, which the snapshot owns.
 */
#include "source_hold.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/sanitize.h"

#define SANITIZE_ROOM(len) (12 * (len) + 1)	/* the worst: "<U+NNNN>" per byte */
#define HOLD_NS (2 * CLOCK_NS_PER_S)	/* per refresh; large debug information takes that long */

void source_hold_init(struct source_hold *hold, struct source_lines *lines, size_t max_rows)
{
	*hold = (struct source_hold){ .lines = lines, .max_rows = max_rows };
}

void source_hold_finish(struct source_hold *hold)
{
	snapshot_destroy(hold->snapshot);
	hold->snapshot = NULL;
}

static struct source_wish wish_of(const struct snapshot_row *row)
{
	return (struct source_wish){ row->address, row->object_id };
}

/* Requests the unknown lines of as many rows as one list of wishes can have. */
static void wish(struct source_hold *hold)
{
	struct source_wish wishes[SOURCE_WISHES_MAX];
	uint32_t count = 0;

	for (const struct snapshot *each = hold->snapshot; each; each = each->next_event) {
		size_t printed = 0;

		for (size_t i = 0; i < each->row_count && printed < hold->max_rows &&
				   count < SOURCE_WISHES_MAX; i++) {
			const struct source_wish of = wish_of(&each->rows[i]);

			if (each->rows[i].is_idle)
				continue;
			printed++;
			if (source_lines_can_be_wished(hold->lines, &of))
				wishes[count++] = of;
		}
	}
	source_lines_wish(hold->lines, wishes, count);
}

void source_hold_put(struct source_hold *hold, struct snapshot *snapshot, uint64_t now_ns)
{
	hold->snapshot = snapshot;
	hold->until_ns = now_ns + HOLD_NS;
	wish(hold);
}

static const char *find_line(const struct source_hold *hold, const struct snapshot *snapshot,
			     const struct snapshot_row *row)
{
	const struct source_wish of = wish_of(row);

	return source_lines_find(hold->lines, &of, snapshot->keys & KEY_ADDRESS).line;
}

static void fill(const struct source_hold *hold, struct snapshot *snapshot)
{
	/* Not published yet, so still writable. */
	struct snapshot_row *rows = (struct snapshot_row *)snapshot->rows;
	size_t room = 0;
	char *out;

	for (size_t i = 0; i < snapshot->row_count; i++)
		room += SANITIZE_ROOM(strlen(find_line(hold, snapshot, &rows[i])));
	snapshot->source_text = out = malloc(room + 1);
	for (size_t i = 0; out && i < snapshot->row_count; i++) {
		const char *line = find_line(hold, snapshot, &rows[i]);
		const size_t needed = SANITIZE_ROOM(strlen(line));

		if (!line[0])
			continue;
		rows[i].source = out;
		out += sanitize_text(out, needed, line, strlen(line)) + 1;
	}
}

struct snapshot *source_hold_release(struct source_hold *hold, uint64_t now_ns)
{
	struct snapshot *snapshot = hold->snapshot;

	if (!snapshot)
		return NULL;
	if (!source_lines_are_pending(hold->lines))
		wish(hold);
	if (source_lines_are_pending(hold->lines) && now_ns < hold->until_ns)
		return NULL;
	for (struct snapshot *each = snapshot; each; each = each->next_event)
		fill(hold, each);
	hold->snapshot = NULL;
	return snapshot;
}
