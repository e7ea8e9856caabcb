/* views.c - the filter part that opening a row of a view adds, and its columns at first. */
#include "ui/views.h"

#include <stdio.h>

/* Hidden at first: SOURCE, since source lines cost a process per DSO; TOTAL of commands, tasks and
 * CPUs, which equals SELF without a filter by code; the change of TOTAL, since that of SELF says
 * more; where tasks run (unit, container, ...), which takes the room of what they are; EVENT, as
 * rows are of one event then; of several events all but IPC. */
const struct column_choice columns_at_first = {
	.hidden = { [VIEW_SYMBOLS] = COLUMN_BIT(COL_SOURCE) | COLUMN_BIT(COL_TOTAL_CHANGE) |
				     COLUMN_BIT(COL_PERIOD) | COLUMN_BIT(COL_EVENT) |
				     COLUMN_BIT(COL_WAIT_STATE) | COLUMN_BIT(COL_WAKER),
		    [VIEW_DSOS] = COLUMN_BIT(COL_TOTAL_CHANGE) | COLUMN_BIT(COL_PERIOD) |
				  COLUMN_BIT(COL_EVENT),
		    [VIEW_COMMANDS] = COLUMN_BIT(COL_TOTAL) | COLUMN_BIT(COL_TOTAL_CHANGE) |
				      COLUMN_BIT(COL_PERIOD) | COLUMN_BIT(COL_EVENT) |
				      COLUMN_BIT(COL_WAIT_STATE) | COLUMN_BIT(COL_WAKER),
		    [VIEW_TASKS] = COLUMN_BIT(COL_TOTAL) | COLUMN_BIT(COL_TOTAL_CHANGE) |
				   COLUMN_BIT(COL_PERIOD) | COLUMN_BIT(COL_SAMPLES) |
				   COLUMN_BIT(COL_UNIT) | COLUMN_BIT(COL_CONTAINER) |
				   COLUMN_BIT(COL_POD) | COLUMN_BIT(COL_CGROUP) |
				   COLUMN_BIT(COL_WAIT_STATE) | COLUMN_BIT(COL_WAKER),
		    [VIEW_CPUS] = COLUMN_BIT(COL_TOTAL) | COLUMN_BIT(COL_TOTAL_CHANGE) |
				  COLUMN_BIT(COL_PERIOD) | COLUMN_BIT(COL_EVENT) },
	.events_hidden = COLUMNS_OF_EVENTS & ~COLUMN_BIT(COL_IPC),
};

static bool by_name(enum filter_field field, const char *whole, const char *shown,
		    struct filter_part *out)
{
	*out = (struct filter_part){ .field = field, .hash = filter_hash(whole) };
	snprintf(out->text, sizeof(out->text), "%s", shown);
	return whole[0] != '\0';
}

static bool by_number(enum filter_field field, int64_t number, const char *shown,
		      struct filter_part *out)
{
	*out = (struct filter_part){ .field = field, .number = (uint64_t)number };
	snprintf(out->text, sizeof(out->text), "%s", shown);
	return number >= 0;
}

bool views_row_part(enum filter_field field, const struct snapshot_row *row,
		    struct filter_part *out)
{
	if (row->id == ROW_OF_SHORT_WAITS)
		return false;
	switch (field) {
	case FILTER_COMMAND:	return by_name(field, row->comm, row->comm, out);
	case FILTER_DSO:	return by_name(field, row->dso_path, row->dso, out);
	case FILTER_SYMBOL:
		if ((row->state != SYMBOL_NAMED && row->state != SYMBOL_NO_MAP) ||
		    row->is_inlined || !by_name(field, row->raw_symbol, row->symbol, out))
			return false;
		out->number = row->dso_path[0] ? filter_hash(row->dso_path) : 0;
		return true;
	case FILTER_PID:	return by_number(field, row->pid, row->comm, out);
	case FILTER_TID:	return by_number(field, row->tid, row->comm, out);
	case FILTER_CPU:	return by_number(field, row->cpu, "", out);
	case FILTER_CGROUP:	return by_name(field, row->cgroup, row->cgroup, out);
	case FILTER_UNIT:	return by_name(field, row->unit, row->unit, out);
	case FILTER_CONTAINER:	return by_name(field, row->container, row->container, out);
	case FILTER_POD:	return by_name(field, row->pod, row->pod, out);
	case FILTER_WAIT:	return !strstr(row->wait, ", ") &&
				       by_name(field, row->wait, row->wait, out);
	case FILTER_STATE:	return !strstr(row->wait_state, ", ") &&
				       by_name(field, row->wait_state, row->wait_state, out);
	case FILTER_WAKER:	return by_name(field, row->waker, row->waker, out);
	case FILTER_KERNEL:
		*out = (struct filter_part){ .field = field };
		return row->mode == MODE_KERNEL;
	case FILTER_USER:
		*out = (struct filter_part){ .field = field };
		return row->mode == MODE_USER;
	case FILTER_TEXT:
	case FILTER_BY:	/* rows have no keys: group_path_parts() */
		break;
	}
	return false;
}

bool views_opening_part(enum view_kind kind, const struct snapshot_row *row,
			struct filter_part *out)
{
	switch (kind) {
	case VIEW_DSOS:
		return views_row_part(FILTER_DSO, row, out);
	case VIEW_COMMANDS:
		return views_row_part(FILTER_COMMAND, row, out);
	case VIEW_TASKS:
		if (row->ended_processes)
			return views_row_part(FILTER_COMMAND, row, out);
		return views_row_part(snapshot_row_is_thread(row) ? FILTER_TID : FILTER_PID, row,
				      out);
	case VIEW_CPUS:
		return views_row_part(FILTER_CPU, row, out);
	case VIEW_BUTTERFLY:
		return views_row_part(FILTER_SYMBOL, row, out);
	case VIEW_SYMBOLS:
	case VIEW_TREE:
	case VIEW_FLAME:
	case VIEW_PROBES:
	case VIEW_GROUPS:
	case VIEW_LISTING:
	case VIEW_COUNTERS:
	case VIEW_THREADS:
	case VIEW_COUNT:
		break;
	}
	return views_row_part(FILTER_SYMBOL, row, out) ||
	       (!row->is_inlined && views_row_part(FILTER_DSO, row, out));
}

void views_node_row(const struct tree_node *node, struct snapshot_row *out)
{
	*out = (struct snapshot_row){
		.id = node->id, .now = node->now, .base = node->base,
		.inlined_weight = node->inlined_weight, .symbol = node->symbol,
		.raw_symbol = node->raw_symbol, .event = "", .dso = node->dso,
		.dso_path = node->dso_path, .build_id = "",
		.comm = node->is_command ? node->symbol : "", .reason = "", .source = "",
		.source_reason = "", .command_line = "", .cgroup = "", .unit = "",
		.container = "", .pod = "", .wait = "",
		.wait_state = "", .waker = "", .address = node->address,
		.dso_id = node->dso_id, .pid = -1, .tid = -1, .cpu = -1,
		.mode = node->mode, .state = node->state, .is_synthetic = node->is_synthetic,
		.is_inlined = node->is_inlined,
		.cpu_pct = -1, .busy_pct = -1,
	};
}
