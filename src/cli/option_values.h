/* option_values.h - parses the value of each option into struct options (option_setter).
 * Thread: main. Pure, except that targets are looked up.
 */
#ifndef CLI_OPTION_VALUES_H
#define CLI_OPTION_VALUES_H

#include "cli/options.h"

option_setter option_set_pids, option_set_tids, option_set_user, option_set_cgroup, option_set_cpus,
	option_set_event, option_set_freq, option_set_count, option_set_off_cpu_period,
	option_set_pages,
	option_set_call_graph, option_set_branches, option_set_percentage, option_set_keys,
	option_set_groups,
	option_set_delay, option_set_window, option_set_filter, option_set_stacks,
	option_set_match, option_set_theme, option_set_color,
	option_set_memory, option_set_log, option_set_output, option_set_input, option_set_diff,
	option_set_fail_above,
	option_set_begin, option_set_end, option_set_keep_when,
	option_set_switch_output, option_set_switch_max_files,
	option_set_keep_last, option_set_keep_memory, option_set_keep_files, option_set_keep_dir,
	option_set_batch,
	option_set_duration, option_set_format,
	option_set_table, option_set_fields, option_set_rows,
	option_set_annotate, option_set_layer,
	option_set_config,
	option_set_probe, option_set_weight, option_set_inside, option_set_preset, option_set_man,
	option_set_pattern, option_set_list_events, option_set_lines,
	option_set_variables, option_set_probe_cap,
	option_set_lease, option_set_vmlinux, option_set_source_path,
	option_set_debuginfod,
	option_set_repeat, option_set_interval, option_set_detail, option_set_each_cgroup;

/* True if the word after --list-events is its value. */
bool option_is_pattern(const char *word);

/* Valid words or, for windows and rates, words worth offering. NULL-terminated. */
extern const char *const option_sort_keys[], *const option_group_keys[],
	*const option_windows[], *const option_freqs[],
	*const option_call_graphs[], *const option_branch_filters[],
	*const option_percentages[], *const option_colors[],
	*const option_formats[], *const option_fields[], *const option_tables[],
	*const option_layers[], *const option_insides[],
	*const option_event_kinds[], *const option_probe_caps[], *const option_leases[],
	*const option_switches[];

#endif
