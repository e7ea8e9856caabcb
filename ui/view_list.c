/* view_list.c - the tables of views, pages of text and overlays. What each view does is in
 * views/view_NAME.c. */
#include "overlays.h"
#include "views/command_line.h"
#include "views/view_butterfly.h"
#include "views/view_counters.h"
#include "views/view_flame.h"
#include "views/view_groups.h"
#include "views/view_help.h"
#include "views/view_hit.h"
#include "views/listing_view.h"
#include "views/view_losses.h"
#include "views/view_messages.h"
#include "views/view_probes.h"
#include "views/view_table.h"
#include "views/view_threads.h"
#include "views/view_tree.h"
#include "widgets/finder.h"
#include "widgets/group_panel.h"
#include "widgets/probe_panel.h"

static const enum column_id symbol_columns[] = {
	COL_SELF, COL_BAR, COL_CHANGE, COL_CHANGE_BAR, COL_TOTAL, COL_TOTAL_CHANGE,
	COLUMN_EVENT_IDS, COL_TIME, COL_SAMPLES, COL_PERIOD, COL_RATE_CHANGE, COL_PID, COL_TID,
	COL_CPU, COL_EVENT, COL_COMMAND, COL_MISPREDICTED, COL_FROM, COL_DSO, COL_SOURCE, COL_PROBE,
	COL_WAIT, COL_WAIT_STATE, COL_WAKER, COL_SYMBOL, COL_COUNT,
};
static const enum column_id dso_columns[] = {
	COL_SELF, COL_BAR, COL_CHANGE, COL_CHANGE_BAR, COL_TOTAL, COL_TOTAL_CHANGE,
	COLUMN_EVENT_IDS, COL_TIME, COL_SAMPLES, COL_PERIOD, COL_RATE, COL_RATE_CHANGE,
	COL_EVENT, COL_COMMAND, COL_DSO, COL_COUNT,
};
static const enum column_id command_columns[] = {
	COL_SELF, COL_BAR, COL_CHANGE, COL_CHANGE_BAR, COL_TOTAL, COL_TOTAL_CHANGE,
	COLUMN_EVENT_IDS, COL_TIME, COL_SAMPLES, COL_PERIOD, COL_RATE, COL_RATE_CHANGE, COL_PID,
	COL_WAIT, COL_WAIT_STATE, COL_WAKER, COL_EVENT, COL_COMMAND, COL_COUNT,
};
static const enum column_id task_columns[] = {
	COL_SELF, COL_BAR, COL_CHANGE, COL_CHANGE_BAR, COL_TOTAL, COL_TOTAL_CHANGE,
	COLUMN_EVENT_IDS, COL_TIME, COL_SAMPLES, COL_PERIOD, COL_RATE, COL_RATE_CHANGE, COL_PID,
	COL_CPU_PCT, COL_STATE, COL_THREADS, COL_UNIT, COL_CONTAINER, COL_POD, COL_CGROUP,
	COL_WAIT, COL_WAIT_STATE, COL_WAKER, COL_COMMAND, COL_COMMAND_LINE, COL_COUNT,
};
static const enum column_id cpu_columns[] = {
	COL_SELF, COL_BAR, COL_CHANGE, COL_CHANGE_BAR, COL_TOTAL, COL_TOTAL_CHANGE,
	COLUMN_EVENT_IDS, COL_TIME, COL_SAMPLES, COL_PERIOD, COL_RATE, COL_RATE_CHANGE, COL_CPU,
	COL_BUSY, COL_EVENT, COL_COMMAND, COL_COUNT,
};

const struct view_spec view_specs[VIEW_COUNT] = {
	/* titles, functions, keys of its rows, columns, the one that fills, order, opens, detail */
	[VIEW_SYMBOLS] = { "Symbols", "Sym", "Sym", &view_table_ops, KEY_DSO | KEY_SYMBOL,
			   symbol_columns, COL_SYMBOL, COL_SELF, VIEW_TREE, .has_detail = true },
	[VIEW_DSOS] = { "DSOs", "DSO", "DSO", &view_table_ops, KEY_DSO,
			dso_columns, COL_DSO, COL_SELF, VIEW_SYMBOLS, .has_detail = true },
	[VIEW_COMMANDS] = { "Commands", "Cmd", "Cmd", &view_table_ops, KEY_COMM,
			    command_columns, COL_COMMAND, COL_SELF, .opens = VIEW_DSOS },
	[VIEW_TASKS] = { "Tasks", "Tasks", "Task", &view_table_ops, KEY_PID | KEY_TID | KEY_GROUP,
			 task_columns, COL_COMMAND_LINE, COL_SELF, VIEW_SYMBOLS,
			 .has_detail = true },
	[VIEW_CPUS] = { "CPUs", "CPUs", "CPU", &view_table_ops, KEY_CPU,
			cpu_columns, COL_COMMAND, COL_CPU, .opens = VIEW_SYMBOLS },
	[VIEW_TREE] = { "Tree", "Tree", "Tree", &view_tree_ops, .opens = VIEW_TREE,
			.has_detail = true },
	[VIEW_FLAME] = { "Flame", "Flame", "Flm", &view_flame_ops, .opens = VIEW_TREE },
	[VIEW_PROBES] = { "Probes", "Probes", "Prb", &view_probes_ops, .opens = VIEW_PROBES },
	[VIEW_GROUPS] = { "Groups", "Groups", "Grp", &view_groups_ops, .opens = VIEW_SYMBOLS,
			  .has_detail = true },
	[VIEW_BUTTERFLY] = { "Butterfly", "Butterfly", "Bfly", &view_butterfly_ops,
			     .opens = VIEW_BUTTERFLY, .has_detail = true, .is_unlisted = true },
	[VIEW_LISTING] = { "Listing", "Listing", "List", &view_listing_ops, .opens = VIEW_TREE,
			   .has_detail = true, .is_unlisted = true },
	[VIEW_COUNTERS] = { "Counters", "Counters", "Cnt", &view_counters_ops,
			    .opens = VIEW_COUNTERS, .is_unlisted = true },
	[VIEW_THREADS] = { "Threads now", "Threads", "Thr", &view_threads_ops,
			   .opens = VIEW_THREADS, .is_unlisted = true },
};

const struct view_ops *const page_ops[PAGE_COUNT] = {
	[PAGE_HELP] = &view_help_ops,
	[PAGE_MESSAGES] = &view_messages_ops,
	[PAGE_LOSSES] = &view_losses_ops,
	[PAGE_LOG] = &view_log_ops,
	[PAGE_HIT] = &view_hit_ops,
	[PAGE_STACK] = &view_stack_ops,
	[PAGE_COMMAND_LINE] = &view_command_line_ops,
};

const struct overlay_ops *const overlay_ops[OVERLAY_COUNT] = {
	[OVERLAY_GROUP_PANEL] = &group_panel_ops,
	[OVERLAY_PROBE_PANEL] = &probe_panel_ops,
	[OVERLAY_FINDER] = &finder_ops,
	[OVERLAY_PROMPT] = &prompt_overlay_ops,
	[OVERLAY_MENU] = &menu_overlay_ops,
};
