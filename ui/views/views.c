/* views.c - the table of views, and the filter part that opening a row adds. */
#include "ui/views.h"

#include <stdio.h>

static const enum column_id symbol_columns[] = {
	COL_SELF, COL_BAR, COL_CHANGE, COL_CHANGE_BAR, COL_TOTAL, COL_TOTAL_CHANGE, COL_SAMPLES,
	COL_PERIOD, COL_RATE_CHANGE, COL_PID, COL_TID, COL_CPU, COL_COMMAND, COL_OBJECT, COL_SOURCE,
	COL_PROBE, COL_SYMBOL, COL_COUNT,
};
static const enum column_id object_columns[] = {
	COL_SELF, COL_BAR, COL_CHANGE, COL_CHANGE_BAR, COL_TOTAL, COL_TOTAL_CHANGE, COL_SAMPLES,
	COL_PERIOD, COL_RATE, COL_RATE_CHANGE, COL_COMMAND, COL_OBJECT, COL_COUNT,
};
static const enum column_id command_columns[] = {
	COL_SELF, COL_BAR, COL_CHANGE, COL_CHANGE_BAR, COL_TOTAL, COL_TOTAL_CHANGE, COL_SAMPLES,
	COL_PERIOD, COL_RATE, COL_RATE_CHANGE, COL_PID, COL_COMMAND, COL_COUNT,
};
static const enum column_id task_columns[] = {
	COL_SELF, COL_BAR, COL_CHANGE, COL_CHANGE_BAR, COL_TOTAL, COL_TOTAL_CHANGE, COL_SAMPLES,
	COL_PERIOD, COL_RATE, COL_RATE_CHANGE, COL_PID, COL_CPU_PCT, COL_STATE, COL_THREADS,
	COL_UNIT, COL_CONTAINER, COL_POD, COL_CGROUP, COL_COMMAND, COL_COMMAND_LINE, COL_COUNT,
};
static const enum column_id cpu_columns[] = {
	COL_SELF, COL_BAR, COL_CHANGE, COL_CHANGE_BAR, COL_TOTAL, COL_TOTAL_CHANGE, COL_SAMPLES,
	COL_PERIOD, COL_RATE, COL_RATE_CHANGE, COL_CPU, COL_BUSY, COL_COMMAND, COL_COUNT,
};

const struct table_spec table_specs[VIEW_COUNT] = {
	[VIEW_SYMBOLS] = { "Symbols", "Sym", "Sym", KEY_OBJECT | KEY_SYMBOL, symbol_columns,
			   COL_SYMBOL, COL_SELF, VIEW_TREE },
	[VIEW_OBJECTS] = { "Objects", "Obj", "Obj", KEY_OBJECT, object_columns, COL_OBJECT,
			   COL_SELF, VIEW_SYMBOLS },
	[VIEW_COMMANDS] = { "Commands", "Cmd", "Cmd", KEY_COMM, command_columns, COL_COMMAND,
			    COL_SELF, VIEW_OBJECTS },
	[VIEW_TASKS] = { "Tasks", "Tasks", "Task", KEY_PID | KEY_TID | KEY_GROUP, task_columns,
			 COL_COMMAND_LINE, COL_SELF, VIEW_SYMBOLS },
	[VIEW_CPUS] = { "CPUs", "CPUs", "CPU", KEY_CPU, cpu_columns, COL_COMMAND, COL_CPU,
			VIEW_SYMBOLS },
	[VIEW_TREE] = { "Tree", "Tree", "Tree", .opens = VIEW_TREE },
	[VIEW_FLAME] = { "Flame", "Flame", "Flm", .opens = VIEW_TREE },
	[VIEW_PROBES] = { "Probes", "Probes", "Prb", .opens = VIEW_PROBES },
	[VIEW_GROUPS] = { "Groups", "Groups", "Grp", .opens = VIEW_SYMBOLS },
};

/* Hidden at first: SOURCE, since source lines cost a process per DSO; TOTAL of commands, tasks and
 * CPUs, which equals SELF without a filter by code; the change of TOTAL, since that of SELF says
 * more; where tasks run (unit, container, ...), which takes the room of what they are. */
const struct column_choice columns_at_first = {
	.hidden = { [VIEW_SYMBOLS] = 1u << COL_SOURCE | 1u << COL_TOTAL_CHANGE | 1u << COL_PERIOD,
		    [VIEW_OBJECTS] = 1u << COL_TOTAL_CHANGE | 1u << COL_PERIOD,
		    [VIEW_COMMANDS] = 1u << COL_TOTAL | 1u << COL_TOTAL_CHANGE | 1u << COL_PERIOD,
		    [VIEW_TASKS] = 1u << COL_TOTAL | 1u << COL_TOTAL_CHANGE | 1u << COL_PERIOD |
				   1u << COL_SAMPLES | 1u << COL_UNIT | 1u << COL_CONTAINER |
				   1u << COL_POD | 1u << COL_CGROUP,
		    [VIEW_CPUS] = 1u << COL_TOTAL | 1u << COL_TOTAL_CHANGE | 1u << COL_PERIOD },
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
	switch (field) {
	case FILTER_COMMAND:	return by_name(field, row->comm, row->comm, out);
	case FILTER_OBJECT:	return by_name(field, row->object_path, row->object, out);
	case FILTER_SYMBOL:
		if ((row->state != SYMBOL_NAMED && row->state != SYMBOL_NO_MAP) ||
		    row->is_inlined || !by_name(field, row->raw_symbol, row->symbol, out))
			return false;
		out->number = row->object_path[0] ? filter_hash(row->object_path) : 0;
		return true;
	case FILTER_PID:	return by_number(field, row->pid, row->comm, out);
	case FILTER_TID:	return by_number(field, row->tid, row->comm, out);
	case FILTER_CPU:	return by_number(field, row->cpu, "", out);
	case FILTER_CGROUP:	return by_name(field, row->cgroup, row->cgroup, out);
	case FILTER_UNIT:	return by_name(field, row->unit, row->unit, out);
	case FILTER_CONTAINER:	return by_name(field, row->container, row->container, out);
	case FILTER_POD:	return by_name(field, row->pod, row->pod, out);
	case FILTER_KERNEL:
		*out = (struct filter_part){ .field = field };
		return row->mode == MODE_KERNEL;
	case FILTER_USER:
		*out = (struct filter_part){ .field = field };
		return row->mode == MODE_USER;
	case FILTER_TEXT:
		break;
	}
	return false;
}

bool views_opening_part(enum view_kind kind, const struct snapshot_row *row,
			struct filter_part *out)
{
	switch (kind) {
	case VIEW_OBJECTS:
		return views_row_part(FILTER_OBJECT, row, out);
	case VIEW_COMMANDS:
		return views_row_part(FILTER_COMMAND, row, out);
	case VIEW_TASKS:
		if (row->ended_processes)
			return views_row_part(FILTER_COMMAND, row, out);
		return views_row_part(snapshot_row_is_thread(row) ? FILTER_TID : FILTER_PID, row,
				      out);
	case VIEW_CPUS:
		return views_row_part(FILTER_CPU, row, out);
	case VIEW_SYMBOLS:
	case VIEW_TREE:
	case VIEW_FLAME:
	case VIEW_PROBES:
	case VIEW_GROUPS:
	case VIEW_COUNT:
		break;
	}
	return views_row_part(FILTER_SYMBOL, row, out) ||
	       (!row->is_inlined && views_row_part(FILTER_OBJECT, row, out));
}
