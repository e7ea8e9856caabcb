/* command_list.h - the functions that the table in ui/commands.c runs (cmd_*), and the steps that
 * menus and the mouse share with them (command_*).
 * Thread: the ui's. */
#ifndef UI_COMMAND_LIST_H
#define UI_COMMAND_LIST_H

#include "state.h"

/* command_moves.c: cursor, search, rows, lines of trees, views */
void cmd_open(struct ui_state *state);
void cmd_back(struct ui_state *state);
/* True if cmd_back() has somewhere to go. */
bool command_leads_back(const struct ui_state *state);
/* Stops reading the recording, if it is still being read. False: it is not. */
bool command_stop_reading(struct ui_state *state);
void cmd_move(struct ui_state *state, int move);	/* enum view_move */
void cmd_view(struct ui_state *state, int kind);	/* enum view_kind */
void cmd_step_view(struct ui_state *state, int step);
void cmd_page(struct ui_state *state, int page);	/* enum page_kind */
/* Shows a message with the keys of the opened group (a bit per enum group_key) that no filter can
 * express; 0: no message. */
void command_tell_left_out(struct ui_state *state, unsigned int left_out);
void cmd_open_function(struct ui_state *state);
void cmd_open_line(struct ui_state *state);
void cmd_close_line(struct ui_state *state);
void cmd_open_lines(struct ui_state *state, int is_open);	/* all */
void cmd_turn(struct ui_state *state);
void cmd_inlined(struct ui_state *state);
/* Shows calls as @kind (tree, flame graph, butterfly): in a table or the groups those of the
 * cursor's row, elsewhere those of the same samples. */
void cmd_calls(struct ui_state *state, int kind);
/* Goes back one level and shows it in the present kind of view. */
void cmd_whole_calls(struct ui_state *state);
void cmd_open_group(struct ui_state *state);
void cmd_search(struct ui_state *state);
void cmd_find_again(struct ui_state *state, int step);	/* 1 the next, -1 the one before */
void command_show_view(struct ui_state *state, enum view_kind kind);
/* Removes the innermost filter if it leaves no row, and shows a message about it. False: there are
 * rows, or no filter is the reason that there are none. */
bool command_drop_filter(struct ui_state *state);
/* Shows a message that the line of calls with @row can't be opened. */
void command_refuse_line(struct ui_state *state, const struct snapshot_row *row);
/* Opens or closes the line under the cursor, on a double click. */
void command_toggle_line(struct ui_state *state);
/* Shows the hits of @probe as samples in a view of @kind. */
void command_open_hits(struct ui_state *state, const struct snapshot_probe *probe,
		       enum view_kind kind);
/* Copies the group at the cursor of a probe's page; false: there is no such row, or it is of all
 * hits. */
bool command_copy_group(const struct ui_state *state, struct menu_group *out);
/* Shows the hits of that group in a view of @kind; false: there is none. */
bool command_open_group(struct ui_state *state, enum view_kind kind);

/* command_filters.c: what is counted, and how it is shown */
void cmd_filter(struct ui_state *state);
void cmd_filters(struct ui_state *state);
void cmd_row_menu(struct ui_state *state);
void cmd_idle(struct ui_state *state);
void cmd_hide_kernel(struct ui_state *state);
void cmd_hide_user(struct ui_state *state);
void cmd_percent_of(struct ui_state *state);
void cmd_raw_names(struct ui_state *state);
void cmd_theme(struct ui_state *state);
void cmd_mouse(struct ui_state *state);
void cmd_repaint(struct ui_state *state);

/* command_times.c: history, the window, the baseline */
void cmd_pause(struct ui_state *state);
void cmd_window(struct ui_state *state);
void cmd_zero(struct ui_state *state);
void cmd_slower(struct ui_state *state);
void cmd_faster(struct ui_state *state);
void cmd_interval(struct ui_state *state);
void cmd_step_time(struct ui_state *state, int steps);	/* seconds, < 0 back */
void cmd_live(struct ui_state *state);
void cmd_resize_time(struct ui_state *state, int is_longer);
void cmd_heat_map(struct ui_state *state);
void cmd_counter_line(struct ui_state *state);
void cmd_counter_rows(struct ui_state *state);
void cmd_hottest(struct ui_state *state);
void cmd_mark_baseline(struct ui_state *state);
void cmd_compare(struct ui_state *state);
void cmd_forget_baseline(struct ui_state *state);
/* Goes live from any view, without a message. */
void command_go_live(struct ui_state *state);
/* Shows the part of @range that history has, or a message if it has none. A snapshot must have
 * arrived. */
void command_choose_time(struct ui_state *state, struct time_range range);

/* command_sources.c: what is sampled, and saving it */
void cmd_next_event(struct ui_state *state);
void cmd_event(struct ui_state *state);
void cmd_frequency(struct ui_state *state);
void cmd_target(struct ui_state *state);
void cmd_save_stacks(struct ui_state *state);
void cmd_record(struct ui_state *state);
void cmd_quit(struct ui_state *state);

/* command_probes.c: probes */
void cmd_probe(struct ui_state *state);
void cmd_probes(struct ui_state *state);
void cmd_probes_log(struct ui_state *state);
void cmd_probe_open(struct ui_state *state);
void cmd_next_pane(struct ui_state *state);
void cmd_previous_pane(struct ui_state *state);
void cmd_probe_menu(struct ui_state *state);
void cmd_probe_toggle(struct ui_state *state);
void cmd_probe_remove(struct ui_state *state);
void cmd_probe_remove_all(struct ui_state *state);
void cmd_probe_extend(struct ui_state *state);
void cmd_probe_cancel(struct ui_state *state);
void cmd_find_target(struct ui_state *state);
void cmd_log_filter(struct ui_state *state);
void cmd_sort_groups(struct ui_state *state);
void cmd_reverse_groups(struct ui_state *state);
void cmd_copy_row(struct ui_state *state);
void cmd_weight(struct ui_state *state);
void cmd_inside(struct ui_state *state, int calls);	/* enum inside_calls */
/* Sorts the groups of hits by the column that was clicked, as command_sort_by(). */
void command_sort_groups(struct ui_state *state, int column);	/* enum group_table_column */
void command_show_pane(struct ui_state *state, int pane);	/* enum probe_pane */

/* overlays.c: the palette */
void cmd_palette(struct ui_state *state);

/* view_table.c: order, columns and threads of tables */
void cmd_unfold(struct ui_state *state, int is_unfolded);
void cmd_sort(struct ui_state *state);
void cmd_reverse(struct ui_state *state);
void cmd_order(struct ui_state *state);
void cmd_columns(struct ui_state *state);
/* Sorts by @column; if it is the sort column already, reverses the order. */
void command_sort_by(struct ui_state *state, enum column_id column);

/* view_tree.c: the call tree */
void cmd_tree_limit(struct ui_state *state);

/* view_butterfly.c: the function of the cursor's line, its callers and its callees */
void cmd_butterfly(struct ui_state *state);

/* view_listing.c: the code of the row's function */
void cmd_listing(struct ui_state *state);
void cmd_next_layer(struct ui_state *state);
void cmd_arrows(struct ui_state *state);
void command_show_layer(struct ui_state *state, int layer);	/* enum listing_layer */

/* listing_sites.c: where a row of it leads */
void cmd_follow(struct ui_state *state);

/* view_threads.c: where threads are now */
void cmd_threads(struct ui_state *state);
void cmd_kernel_threads(struct ui_state *state);
void cmd_filter_threads(struct ui_state *state);
void cmd_look_again(struct ui_state *state);
void cmd_open_stack(struct ui_state *state);

/* view_flame.c: the flame graph */
void cmd_zoom(struct ui_state *state);
void cmd_box(struct ui_state *state, int boxes);	/* to the right */
void cmd_colours(struct ui_state *state);
void cmd_flip(struct ui_state *state);

/* group_panel.c: the keys of the groups */
void cmd_group_keys(struct ui_state *state);
void cmd_group_hits(struct ui_state *state);

/* command_line.c: the page of :command */
void cmd_copy_line(struct ui_state *state);

#endif
