/* completion.c - the completion for bash, made from the table of options.
 *
 * Problem: readline cuts words at = and : as well ("--color=al", "sched:sched_sw"), differently on
 * machines with other COMP_WORDBREAKS.
 *
 * Idea: look at the line up to the cursor, split it at blanks, and reply with whole values; remove
 * from the front of each reply what readline has cut off before the cursor.
 *
 * Rejected: the functions of the bash-completion package, which may not be there.
 */
#include "cli/manual.h"

#include <stdbool.h>

#include "capture/event_names.h"
#include "cli/option_table.h"
#include "ui/theme.h"

/* Words may not hold blanks; a quoted one completes as if it were several. */
static const char script[] =
"_flametop_words()	# WORD...: those that go on from what is typed\n"
"{\n"
"	local word cut=${typed%\"$current\"}\n"
"\n"
"	for word in \"$@\"; do\n"
"		[[ $word != \"$typed\"* ]] || COMPREPLY+=(\"${word#\"$cut\"}\")\n"
"	done\n"
"}\n"
"\n"
"_flametop_list()	# SEPARATORS WORD...: the last part of a list\n"
"{\n"
"	local separators=$1 before\n"
"\n"
"	shift\n"
"	before=${typed%\"${typed##*[\"$separators\"]}\"}\n"
"	_flametop_words \"${@/#/$before}\"\n"
"}\n"
"\n"
"_flametop_numbers()	# PATH...: numbers at the end of paths that are there\n"
"{\n"
"	local path numbers=()\n"
"\n"
"	for path in \"$@\"; do\n"
"		[ ! -e \"$path\" ] || numbers+=(\"${path##*[!0-9]}\")\n"
"	done\n"
"	_flametop_list , \"${numbers[@]}\"\n"
"}\n"
"\n"
"_flametop_events()\n"
"{\n"
"	local path events=()\n"
"\n"
"	for path in /sys/kernel/tracing/events/*/*/enable; do\n"
"		[ -e \"$path\" ] || continue\n"
"		path=${path#/sys/kernel/tracing/events/}\n"
"		path=${path%/enable}\n"
"		events+=(\"${path/\\//:}\")\n"
"	done\n"
"	for path in /sys/bus/event_source/devices/*/events/*; do\n"
"		[[ -e $path && $path != *.@(scale|unit|snapshot|per-pkg) ]] || continue\n"
"		path=${path#/sys/bus/event_source/devices/}\n"
"		events+=(\"${path/events\\//}/\")\n"
"	done\n"
"	_flametop_list , \"${events[@]}\" \"$@\"\n"
"}\n"
"\n"
"_flametop_probes()\n"
"{\n"
"	local path points=(k: kr: u: ur: t: U: lat:)\n"
"\n"
"	for path in /sys/kernel/tracing/events/*/*/enable; do\n"
"		[ -e \"$path\" ] || continue\n"
"		path=${path#/sys/kernel/tracing/events/}\n"
"		path=${path%/enable}\n"
"		points+=(\"t:${path/\\//:}\")\n"
"	done\n"
"	_flametop_words \"${points[@]}\"\n"
"}\n"
"\n"
"_flametop_users()\n"
"{\n"
"	local users\n"
"\n"
"	mapfile -t users < <(compgen -u)\n"
"	_flametop_words \"${users[@]}\"\n"
"}\n"
"\n"
"# By path when a slash is typed, else by name; of the hierarchy that events are counted by.\n"
"_flametop_cgroups()\n"
"{\n"
"	local root groups format='%f\\n'\n"
"\n"
"	root=$(awk '$(NF-2) == \"cgroup2\" && !at || $NF ~ /(^|,)perf_event(,|$)/ { at = $5 }\n"
"		    END { print at }' /proc/self/mountinfo)\n"
"	[ -n \"$root\" ] || return 0\n"
"	[[ $typed != */* ]] || format='%P\\n'\n"
"	[[ $typed != /* ]] || format='/%P\\n'\n"
"	mapfile -t groups < <(find \"$root\" -mindepth 1 -type d -printf \"$format\" 2>/dev/null)\n"
"	_flametop_words \"${groups[@]}\"\n"
"}\n"
"\n"
"# The command behind the options completes as commands do.\n"
"_flametop_command()	# WORDS-BEFORE\n"
"{\n"
"	if [ \"$1\" -eq 0 ]; then\n"
"		mapfile -t COMPREPLY < <(compgen -c -- \"$current\")\n"
"	else\n"
"		_flametop_files=1\n"
"	fi\n"
"}\n"
"\n"
"_flametop()\n"
"{\n"
"	local line=${COMP_LINE:0:COMP_POINT} current=${COMP_WORDS[COMP_CWORD]}\n"
"	local typed option='' words=() at _flametop_files=''\n"
"\n"
"	COMPREPLY=()\n"
"	[[ $current != [=:] ]] || current=\n"
"	typed=${line##*[[:blank:]]}\n"
"	read -ra words <<< \"${line%\"$typed\"}\"\n"
"	for ((at = 1; at < ${#words[@]}; at++)); do\n"
"		if [[ ${words[at]} == -- ]]; then\n"
"			_flametop_command $((${#words[@]} - at - 1))\n"
"			break\n"
"		elif [[ -n $option ]]; then\n"
"			option=\n"
"		elif [[ ${words[at]} != -* ]]; then\n"
"			_flametop_command $((${#words[@]} - at))\n"
"			break\n"
"		elif _flametop_takes_value \"${words[at]}\"; then\n"
"			option=${words[at]}\n"
"		fi\n"
"	done\n"
"	if ((at == ${#words[@]})); then\n"
"		_flametop_option\n"
"	fi\n"
"	# Where there is nothing to say file names would be wrong, but for options that want one.\n"
"	[ -n \"$_flametop_files\" ] || compopt +o default 2>/dev/null\n"
"	[[ ${COMPREPLY[*]} != *[=:] ]] || compopt -o nospace 2>/dev/null\n"
"}\n"
"\n"
"_flametop_option()\n"
"{\n"
"	if [[ -z $option && $typed == --*=* ]]; then\n"
"		option=${typed%%=*}\n"
"		typed=${typed#*=}\n"
"		_flametop_value \"$option\"\n"
"	elif [[ -n $option ]]; then\n"
"		_flametop_value \"$option\"\n"
"	elif [[ $typed == -* || -z $typed ]]; then\n"
"		_flametop_words \"${_flametop_names[@]}\"\n"
"	else\n"
"		_flametop_command 0\n"
"	fi\n"
"}\n"
"\n"
"complete -o default -F _flametop flametop\n";

static void print_pattern(FILE *out, const struct option_row *row)
{
	if (row->letter)
		fprintf(out, "-%c|", row->letter);
	fprintf(out, "--%s", row->name);
}

static void print_names(FILE *out)
{
	fputs("_flametop_names=(", out);
	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];

		if (!row->name)
			continue;
		fprintf(out, "\n\t--%s", row->name);
		if (row->letter)
			fprintf(out, " -%c", row->letter);
	}
	fputs("\n)\n\n", out);
}

/* A value that may be left out stands behind =, never in the next word. */
static bool takes_next_word(const struct option_row *row)
{
	return row->name && row->argument && !option_table_is_value_optional(row);
}

static void print_takes_value(FILE *out)
{
	bool is_first = true;

	fputs("_flametop_takes_value()	# OPTION: is the next word its value?\n"
	      "{\n\t[[ $1 == @(", out);
	for (size_t i = 0; i < option_row_count; i++) {
		if (!takes_next_word(&option_rows[i]))
			continue;
		fputs(is_first ? "" : "|", out);
		print_pattern(out, &option_rows[i]);
		is_first = false;
	}
	fputs(") ]]\n}\n\n", out);
}

static void print_words(FILE *out, const char *const *words)
{
	while (*words)
		fprintf(out, " %s", *words++);
}

/* The words after the function that offers them. */
static void print_offer(FILE *out, const struct option_row *row)
{
	const char *name;

	switch (row->value) {
	case VALUE_ANY:
		break;
	case VALUE_WORD:
		fputs("_flametop_words", out);
		print_words(out, row->words);
		break;
	case VALUE_SORT_KEYS:
		fputs("_flametop_list ,+-", out);
		print_words(out, row->words);
		break;
	case VALUE_GROUP_KEYS:
		fputs("_flametop_list ,", out);
		print_words(out, row->words);
		break;
	case VALUE_FILE:
		fputs("_flametop_files=1", out);
		break;
	case VALUE_PID:
		fputs("_flametop_numbers /proc/[0-9]*", out);
		break;
	case VALUE_TID:
		fputs("_flametop_numbers /proc/[0-9]*/task/[0-9]*", out);
		break;
	case VALUE_USER:
		fputs("_flametop_users", out);
		break;
	case VALUE_CGROUP:
		fputs("_flametop_cgroups", out);
		break;
	case VALUE_CPU:
		fputs("_flametop_numbers /sys/devices/system/cpu/cpu[0-9]*", out);
		break;
	case VALUE_EVENT:
		fputs("_flametop_events", out);
		for (size_t i = 0; (name = event_names_at(i)); i++)
			fprintf(out, " %s", name);
		break;
	case VALUE_PROBE:
		fputs("_flametop_probes", out);
		break;
	case VALUE_THEME:
		fputs("_flametop_words", out);
		for (unsigned int i = 0; i < theme_count; i++)
			fprintf(out, " %s", themes[i].name);
		break;
	}
}

static void print_values(FILE *out)
{
	fputs("_flametop_value()	# OPTION\n{\n\tcase $1 in\n", out);
	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];

		if (!row->name || row->value == VALUE_ANY)
			continue;
		fputc('\t', out);
		print_pattern(out, row);
		fputs(")\n\t\t", out);
		print_offer(out, row);
		fputs(" ;;\n", out);
	}
	fputs("\tesac\n}\n\n", out);
}

void completion_print(FILE *out)
{
	fputs("# Completion of flametop(8) for bash, made by flametop --print-completion.\n"
	      "# shellcheck shell=bash\n\n", out);
	print_names(out);
	print_takes_value(out);
	print_values(out);
	fputs(script, out);
}
