/* snapshot_fixture.c - see snapshot_fixture.h. */
#include "snapshot_fixture.h"

static void default_text(const char **text)
{
	if (!*text)
		*text = "";
}

static void complete_row(struct snapshot_row *row, size_t number)
{
	default_text(&row->event);
	default_text(&row->symbol);
	if (!row->raw_symbol)
		row->raw_symbol = row->symbol;
	default_text(&row->dso);
	default_text(&row->dso_path);
	default_text(&row->build_id);
	default_text(&row->comm);
	default_text(&row->reason);
	default_text(&row->source);
	default_text(&row->source_reason);
	default_text(&row->command_line);
	default_text(&row->cgroup);
	default_text(&row->unit);
	default_text(&row->container);
	default_text(&row->pod);
	default_text(&row->wait);
	default_text(&row->wait_state);
	default_text(&row->waker);
	if (row->id == 0)
		row->id = number;
	if (row->now.self.weight == 0)
		row->now.self.weight = (double)row->now.self.samples;
	if (row->now.total.weight == 0)
		row->now.total.weight = (double)row->now.total.samples;
}

struct snapshot fixture_snapshot(struct snapshot_row *rows, size_t count)
{
	struct snapshot snapshot = {
		.host = "web-07",
		.event = "cpu-clock",
		.target = "8 CPUs",
		.freq_hz = 997,
		.event_count = 1,
		.cpus = 8,
		.window = WINDOW_SECONDS,
		.window_s = 10,
		.keys = KEY_DSO | KEY_SYMBOL,
		.busy_pct = -1,
		.end_reason = "",
		.notice = "",
		.row_count = count,
		.rows = rows,
	};

	for (size_t i = 0; i < count; i++) {
		complete_row(&rows[i], i + 1);
		if (rows[i].group_id)
			continue;	/* its process has counted them */
		snapshot.samples += rows[i].now.self.samples;
		if (rows[i].is_idle)
			snapshot.idle_samples += rows[i].now.self.samples;
		else
			snapshot.weight += rows[i].now.self.weight;
	}
	return snapshot;
}
