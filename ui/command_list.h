/* command_list.h - the functions that the table in ui/commands.c runs (cmd_*), and the steps that
 * menus and the mouse share with them (command_*).
 * Thread: the ui's. */
#ifndef UI_COMMAND_LIST_H
#define UI_COMMAND_LIST_H

#include "state.h"

/* command_moves.c: cursor and views */
void cmd_up(struct ui_state *state);
void cmd_down(struct ui_state *state);
void cmd_page_up(struct ui_state *state);
void cmd_page_down(struct ui_state *state);
void cmd_half_up(struct ui_state *state);
void cmd_half_down(struct ui_state *state);
void cmd_first(struct ui_state *state);
void cmd_last(struct ui_state *state);
void cmd_open(struct ui_state *state);
void cmd_back(struct ui_state *state);
void cmd_unfold(struct ui_state *state);
void cmd_fold(struct ui_state *state);
void cmd_symbols(struct ui_state *state);
void cmd_objects(struct ui_state *state);
void cmd_commands(struct ui_state *state);
void cmd_tasks(struct ui_state *state);
void cmd_cpus(struct ui_state *state);
void cmd_next_view(struct ui_state *state);
void cmd_previous_view(struct ui_state *state);
void cmd_messages(struct ui_state *state);
void cmd_losses(struct ui_state *state);
void cmd_log(struct ui_state *state);
void cmd_command(struct ui_state *state);
void cmd_copy_line(struct ui_state *state);
void cmd_help(struct ui_state *state);
void command_show_view(struct ui_state *state, enum view_kind kind);

/* command_tree.c: the call tree */
void cmd_tree(struct ui_state *state);
void cmd_whole_tree(struct ui_state *state);
void cmd_open_function(struct ui_state *state);
void cmd_open_line(struct ui_state *state);
void cmd_close_line(struct ui_state *state);
void cmd_open_all(struct ui_state *state);
void cmd_close_all(struct ui_state *state);
void cmd_turn(struct ui_state *state);
void cmd_tree_limit(struct ui_state *state);
void cmd_inlined(struct ui_state *state);
/* Opens or closes the line under the cursor, on a double click. */
void command_toggle_line(struct ui_state *state);

/* Shows calls as @kind (tree or flame graph): in a table or the groups those of the cursor's row,
 * elsewhere those of the same samples. */
void command_open_calls(struct ui_state *state, enum view_kind kind);
/* Shows the calls of the hits of the listed probe under the cursor; false: there is none. */
bool command_open_hits(struct ui_state *state, enum view_kind kind);
/* Goes back one level and shows it in the present kind of view. */
void command_show_whole(struct ui_state *state);

/* command_groups.c: the tree of groups */
void cmd_groups(struct ui_state *state);
void cmd_group_keys(struct ui_state *state);
void cmd_open_group(struct ui_state *state);
/* Shows a message with the keys of the opened group (a bit per enum group_key) that no filter can
 * express; 0: no message. */
void command_tell_left_out(struct ui_state *state, unsigned int left_out);
/* Shows a message that the group can't be opened, since no filter can express those keys. */
void command_refuse_way(struct ui_state *state, unsigned int left_out);

/* command_flame.c: the flame graph */
void cmd_flame(struct ui_state *state);
void cmd_whole_flame(struct ui_state *state);
void cmd_zoom(struct ui_state *state);
void cmd_box_left(struct ui_state *state);
void cmd_box_right(struct ui_state *state);
void cmd_colours(struct ui_state *state);
void cmd_flip(struct ui_state *state);

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
void command_show_pane(struct ui_state *state, enum probe_pane pane);

/* command_finds.c: search */
void cmd_search(struct ui_state *state);
void cmd_find_next(struct ui_state *state);
void cmd_find_previous(struct ui_state *state);

/* command_filters.c: what is counted */
void cmd_filter(struct ui_state *state);
void cmd_filters(struct ui_state *state);
void cmd_row_menu(struct ui_state *state);
void cmd_idle(struct ui_state *state);
void cmd_hide_kernel(struct ui_state *state);
void cmd_hide_user(struct ui_state *state);
/* Removes the innermost filter if it leaves no row, and shows a message about it. False: there are
 * rows, or no filter is the reason that there are none. */
bool command_drop_filter(struct ui_state *state);

/* command_shows.c: order, columns, time, looks */
void cmd_sort(struct ui_state *state);
void cmd_reverse(struct ui_state *state);
void cmd_order(struct ui_state *state);
void cmd_columns(struct ui_state *state);
void cmd_pause(struct ui_state *state);
void cmd_window(struct ui_state *state);
void cmd_zero(struct ui_state *state);
void cmd_slower(struct ui_state *state);
void cmd_faster(struct ui_state *state);
void cmd_interval(struct ui_state *state);
void cmd_percent_of(struct ui_state *state);
void cmd_raw_names(struct ui_state *state);
void cmd_theme(struct ui_state *state);
void cmd_mouse(struct ui_state *state);
void cmd_repaint(struct ui_state *state);
/* Sorts by @column; if it is the sort column already, reverses the order. */
void command_sort_by(struct ui_state *state, enum column_id column);

/* command_times.c: back in time */
void cmd_earlier(struct ui_state *state);
void cmd_later(struct ui_state *state);
void cmd_much_earlier(struct ui_state *state);
void cmd_much_later(struct ui_state *state);
void cmd_live(struct ui_state *state);
void cmd_shorter(struct ui_state *state);
void cmd_longer(struct ui_state *state);
void cmd_heat_map(struct ui_state *state);
/* Goes live from any view, without a message. */
void command_go_live(struct ui_state *state);
/* Shows the part of @range that history has, or a message if it has none. A snapshot must have
 * arrived. */
void command_choose_time(struct ui_state *state, struct time_range range);

/* command_hottest.c */
void cmd_hottest(struct ui_state *state);

/* command_compare.c: against a baseline */
/* If a selected time is compared with the rest of history, compares the time selected now. */
void command_compare_rest(struct ui_state *state);
void cmd_mark_baseline(struct ui_state *state);
void cmd_compare(struct ui_state *state);
void cmd_forget_baseline(struct ui_state *state);

/* command_sources.c: what is sampled. command_palette.c. command_save.c: files */
void cmd_next_event(struct ui_state *state);
void cmd_event(struct ui_state *state);
void cmd_frequency(struct ui_state *state);
void cmd_target(struct ui_state *state);
void cmd_save_stacks(struct ui_state *state);
void cmd_palette(struct ui_state *state);
void cmd_quit(struct ui_state *state);

#endif
