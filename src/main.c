/* main.c - options -> session -> screen or batch; the only place that decides the exit status. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/privileges.h"
#include "base/safe_print.h"
#include "cli/config.h"
#include "cli/options.h"
#include "cli/session.h"
#include "elf/file_jobs.h"
#include "export/print.h"
#include "sandbox/sandbox.h"
#include "symbols/debuginfod.h"
#include "symbols/kernel_debug.h"
#include "symbols/source_file.h"
#include "ui/screen.h"

#define VERSION "0.1"
#define REAP_MS 100

enum exit_status {
	EXIT_OK,
	EXIT_OUTPUT,
	EXIT_USAGE,
	EXIT_RESOURCES,
	EXIT_PERMISSION,
	EXIT_INTERNAL,
	EXIT_HAS_GROWN = BATCH_HAS_GROWN,	/* --fail-above */
	EXIT_OWN_WITH_COMMAND = 125,	/* so that it can't be taken for the command's */
};

/* Returns the exit status for an error of capturing, of reading a recording, or of the screen. */
static int status_of_error(int err)
{
	switch (err) {
	case -EPERM:
	case -EACCES:	return EXIT_PERMISSION;
	case -ENOTTY:	return EXIT_USAGE;
	case -ENOMEM:	/* for our own tables; or no process or thread of ours could be started */
	case -EAGAIN:	return EXIT_INTERNAL;
	default:	return EXIT_RESOURCES;
	}
}

/* Prints a sentence, which may quote foreign text: nothing of that may steer the terminal. */
static void print_sentence(const char *sentence)
{
	char clean[4 * sizeof(((struct diag *)NULL)->text)];	/* "\x1b" for a byte */

	safe_print(stderr, "flametop: %s\n",
		   sanitize(clean, sizeof(clean), sentence, strlen(sentence)));
}

static void print_lines(const char *lines)
{
	char clean[2 * PATH_MAX]; /* a longer name is cut */

	for (size_t length; *lines; lines += length + (lines[length] == '\n')) {
		length = strcspn(lines, "\n");
		safe_print(stderr, "%s\n", sanitize(clean, sizeof(clean), lines, length));
	}
}

static void print_error(const struct diag *why, int err)
{
	print_sentence(why->text[0] ? why->text : strerror(-err));
}

static int flush_output(void)
{
	if (!ferror(stdout) && !fflush(stdout))
		return EXIT_OK;
	safe_print(stderr, "flametop: cannot write the output: %s\n",
		   sanitize_checked(strerror(errno)));
	return EXIT_OUTPUT;
}

/* Prints the page of each --preset. */
static int print_presets(const struct options *options)
{
	struct diag why = { 0 };
	int status, err = 0;

	for (size_t i = 0; i < options->preset_count && !err; i++)
		err = preset_lists_print_page(stdout, options->presets, options->preset_texts[i],
					      &why);
	status = flush_output();
	if (status || !err)
		return status;
	print_error(&why, err);
	return EXIT_USAGE;
}

static int print_requested(const struct options *options)
{
	if (options->wants_help && options->preset_count)
		return print_presets(options);
	else if (options->wants_help)
		option_table_print_help(stdout);
	else if (options->wants_version)
		safe_put(stdout, "flametop " VERSION "\n");
	else if (options->wants_config)
		config_print_sample(stdout);
	else if (options->wants_presets_man)
		manual_print_presets(stdout);
	else if (options->wants_man)
		manual_print(stdout);
	else
		completion_print(stdout);
	return flush_output();
}

/* Prints what could be, would be or is probed or sampled; attaches nothing. */
static int print_about_probes(const struct options *options)
{
	const struct target *target = &options->capture.target;
	const pid_t pid = target->id_count == 1 ? target->ids[0] : 0;
	struct diag why = { 0 };
	int status, err = 0;

	if (options->is_dry_run)
		err = dry_run_print(stdout, options->translations, options->probes,
				    options->probe_count, pid, &why);
	else if (options->lines_of)
		err = line_lists_print(stdout, options->lines_of, options->format == OUTPUT_JSON,
				       pid, &why);
	else if (options->variables_of)
		err = variable_lists_print(stdout, options->variables_of, options->with_externs,
					   options->format == OUTPUT_JSON, pid, &why);
	else if (options->lists_events)
		err = event_lists_print(stdout, options->event_pattern,
					options->format == OUTPUT_JSON, &why);
	else if (options->target_pattern)
		err = probe_lists_print_targets(stdout, options->target_pattern,
						options->max_rows, pid, options->presets,
						&why);
	else if (options->lists_presets)
		preset_lists_print(stdout, options->presets, options->format == OUTPUT_JSON);
	else
		err = probe_lists_print_probes(stdout, &why);
	status = flush_output();
	if (status || !err)
		return status;
	print_error(&why, err);
	return status_of_error(err);
}

/* Prints a recording record by record, without the rights that nobody needs for that. */
static int dump_recording(const struct options *options)
{
	struct sandbox *sandbox = NULL;
	struct diag why = { 0 };
	int status, err = sandbox_start(&sandbox, worker_run, &why);

	if (!err)
		err = privileges_drop(PRIVILEGES_TO_READ, false, &why);
	if (!err)
		err = dump_write(stdout, options->replay_path, sandbox, &why);
	sandbox_stop(sandbox);
	status = flush_output();
	if (status || !err)
		return status;
	print_error(&why, err);
	return status_of_error(err);
}

/* Checks the files before has_terminal(): without them a terminal would not help. */
static int check_recordings(const struct options *options, struct diag *why)
{
	const char *path = options->replay_path;

	for (size_t i = 0; path; path = i < options->diff_count ? options->diff_paths[i++] : NULL)
		if (faccessat(AT_FDCWD, path, R_OK, AT_EACCESS))
			return diag_set(why, -errno, "cannot read %s: %s", path, strerror(errno));
	return 0;
}

static bool has_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && strcmp(term, "dumb");
}

static int run_screen(struct session *session, const struct options *options,
		      const struct config *settings, struct diag *why)
{
	struct column_choice choice = settings->columns;
	struct diag unsaved = { 0 }, unlooked;
	struct thread_looker *looker = NULL;
	struct threads_control threads;
	int result;
	struct screen_config config = {
		.analyzer = session->analyzer, .guardian = session->guardian,
		.filter = options->filter, .launch = &options->launch,
		.show_idle = options->show_idle, .keys = options->keys,
		.raw_names = options->raw_names, .is_relative = options->is_relative,
		.by_total = options->wants_children, .hit_weight = options->hit_weight,
		.inside = options->inside,
		.window = options->window, .window_ns = options->window_ns,
		.interval_ns = options->interval_ns, .history_bytes = options->memory_bytes,
		.color = options->color, .theme = options->theme,
		.no_unicode = options->no_unicode, .no_mouse = options->no_mouse,
		.keymap = &settings->keymap, .choice = &choice,
		.source = session_source_control(session),
		.probes = session->probes ? &session->probe_control : NULL,
		.record = session->threads ? NULL : session_record_control(session),
		.finder = session->finder ? &session->finder_control : NULL,
		.keep = session_keep_control(session), .outputs = &session->outputs,
		.command_fd = session->command ? command_pidfd(session->command) : -1,
		.is_command_clock = options->is_command_clock,
		.duration_ns = options->duration_ns,
	};

	config.groups.count = options->group_count;
	memcpy(config.groups.keys, options->groups, sizeof(options->groups));
	if (session->capture && thread_looker_create(&looker, session, options, &unlooked))
		log_warn("%s", unlooked.text);	/* everything else works without it */
	if (looker) {
		threads = thread_looker_control(looker);
		config.threads = &threads;
	}
	result = screen_run(&config, why);
	thread_looker_destroy(looker);
	if (config_save_state(settings, &choice, &unsaved)) {
		diag_prefix(&unsaved, "what was chosen to be shown is not kept");
		print_sentence(unsaved.text);
	}
	return result;
}

/* Returns the command's own status if it has ended, else @result. */
static int command_result(struct session *session, int result)
{
	struct pollfd ended;
	int status;

	if (!session->command)
		return result;
	/* Its last record can be read a moment before its status. */
	ended = (struct pollfd){ .fd = command_pidfd(session->command), .events = POLLIN };
	poll(&ended, 1, REAP_MS);
	return command_has_ended(session->command, &status) ? status : result;
}

/* Returns the status when nothing is shown. A command that can't be started has one of its own. */
static int start_result(struct session *session, const struct options *options, int err,
			const struct diag *why)
{
	int status = err == -EINTR ? session_take_signal() : 0;

	if (status)
		return status;
	print_error(why, err);
	if (session->command && command_has_ended(session->command, &status))
		return status;
	return options->command ? EXIT_OWN_WITH_COMMAND : status_of_error(err);
}

static int show(struct session *session, const struct options *options,
		const struct config *settings)
{
	struct diag why = { 0 };
	int result = options->wants_threads ? threads_run(session, options, &why)
		     : options->is_batch    ? batch_run(session, options, &why)
					    : run_screen(session, options, settings, &why);

	if (result >= 0 && !(options->is_batch && result == BATCH_OUTPUT_FAILED)) {
		if (why.text[0] && (options->has_events || options->format == OUTPUT_CSV ||
				    options->share_count || result == BATCH_HAS_GROWN))
			print_sentence(why.text);
		return command_result(session, result);
	}
	print_error(&why, result);
	result = result < 0 ? status_of_error(result) : EXIT_OUTPUT;
	return options->command ? EXIT_OWN_WITH_COMMAND : result;
}

/* Waits for a command that goes on after the profile has ended with @result. */
static int outlive(struct command *command, const struct options *options, int result)
{
	struct diag note;
	int status;

	if (!options->is_batch) {
		if (result > 128)	/* the screen's signals do not reach it: it has a group */
			command_signal(command, result - 128);
		diag_set(&note, 0, "%s (pid %d) goes on, and what it prints follows; Ctrl-C ends "
			 "it", options->command[0], (int)command_pid(command));
		print_sentence(note.text);
	}
	status = command_outlive(command);
	command_destroy(command);
	return result == EXIT_OWN_WITH_COMMAND ? result : status;
}

/* Ends the process, in which the thread @name goes on. */
_Noreturn static void end_without(const char *name, int status)
{
	struct diag why;

	diag_set(&why, 0, "%s does not end, which is a defect of flametop: please report what it "
		 "showed", name);
	print_sentence(why.text);
	log_warn("%s", why.text);
	fflush(NULL);
	_exit(status);
}

/* Says what was recorded with -o. A recording that ended early is output that failed. */
static int recorded_result(const struct session_recorded *from, const struct options *options,
			   int result)
{
	const struct recorder_status *recorded = &from->status;
	char lost[80] = "", files[48] = "", undescribed[96] = "";
	struct diag note;

	if (from->why.err) {
		print_error(&from->why, from->why.err);
		return result || options->command ? result : EXIT_OUTPUT;
	}
	if (!from->path[0])
		return result;
	if (recorded->lost)
		snprintf(lost, sizeof(lost), "; %" PRIu64 " records had no room: see its LOST "
			 "records", recorded->lost);
	if (recorded->is_split)
		snprintf(files, sizeof(files), ".* (%" PRIu32 " %s)", recorded->files,
			 recorded->files == 1 ? "file" : "files");
	if (recorded->undescribed)
		snprintf(undescribed, sizeof(undescribed), "; later files lack %" PRIu64
			 " names of kernel code or cgroups: 4 MiB are repeated",
			 recorded->undescribed);
	diag_set(&note, 0, "recorded %" PRIu64 " samples in %s%s (%.1f MiB)%s%s",
		 recorded->samples, from->path, files, (double)recorded->bytes / (1 << 20), lost,
		 undescribed);
	print_sentence(note.text);
	return result;
}

/* Says what became of the files of -o that are no recordings. */
static int outputs_result(const struct shared_outputs *outputs, const struct options *options,
			  int result)
{
	struct diag note;

	for (size_t i = 0; i < outputs->count; i++) {
		const struct shared_output *output = &outputs->list[i];

		if (!output->is_ended)	/* the run ended with an error, which was said */
			continue;
		if (output->why.err) {
			print_error(&output->why, output->why.err);
			if (!result)
				result = options->command ? EXIT_OWN_WITH_COMMAND : EXIT_OUTPUT;
			continue;
		}
		if (shared_format_needs(output->format) == SHARED_NEEDS_SHOWN)
			diag_set(&note, 0, "the table is in %s", output->path);
		else if (output->drawn[0])
			diag_set(&note, 0, "%" PRIu64 " samples of %s are in %s, without the other "
				 "events: a page (.html) has a graph of each", output->samples,
				 output->drawn, output->path);
		else
			diag_set(&note, 0, "%" PRIu64 " samples are in %s", output->samples,
				 output->path);
		print_sentence(note.text);
	}
	return result;
}

static int run(struct options *options, const struct config *settings)
{
	const bool has_screen = !options->is_batch;
	struct diag why = { 0 };
	struct command *command;
	struct session_recorded recorded = { .why.err = 0 };
	struct session session;
	const char *hung;
	int result;

	signal(SIGXFSZ, SIG_IGN);	/* a file that may grow no more is an error of write(2) */
	if (has_screen)
		screen_block_signals();
	else
		session_block_signals();
	result = session_start(&session, options, has_screen, &why);
	result = result ? start_result(&session, options, result, &why)
			: show(&session, options, settings);
	result = outputs_result(&session.outputs, options, result);
	command = session_release_command(&session);
	if (!command)	/* else they are passed on to it */
		session_unblock_signals();
	hung = session_finish(&session, &recorded);
	result = recorded_result(&recorded, options, result);
	if (hung)
		result = options->command ? EXIT_OWN_WITH_COMMAND : EXIT_INTERNAL;
	result = command ? outlive(command, options, result) : result;
	if (hung)
		end_without(hung, result);
	return result;
}

/* Runs once for each --diff. Returns EXIT_HAS_GROWN if one comparison did; else the status of the
 * one that failed, which is the last. */
static int run_each(struct options *options, const struct config *settings)
{
	int result = run(options, settings);

	for (size_t i = 1; i < options->diff_count && (!result || result == EXIT_HAS_GROWN); i++) {
		int status;

		options->diff_path = options->diff_paths[i];
		status = run(options, settings);
		result = status ? status : result;
	}
	return result;
}

/* --stat: counts instead of samples. */
static int count_events(const struct options *options)
{
	struct diag why = { 0 };
	int status = EXIT_OK, result;

	session_block_signals();
	result = stat_run(options, &status, &why);
	if (why.text[0])
		print_sentence(why.text);
	if (!result)
		return status;
	result = result < 0 ? status_of_error(result) : EXIT_OUTPUT;
	return options->command ? EXIT_OWN_WITH_COMMAND : result;
}

/* Returns true when a command was given, also if the parser stopped before it: a status of our own
 * must not be taken for the command's. */
static bool has_command(const struct options *options, int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], "--"))
			return true;
	return options->command;
}

/* What is wrong with the user's own files, kept until there is a log. */
struct warnings {
	struct diag config, state;
};

/* Contents that are wrong must be seen; a place that can't be trusted must not keep one from
 * looking at the machine, unless it was asked for. */
static int read_config(struct config *config, const char *path, struct warnings *warnings,
		       struct diag *why)
{
	int err = config_read(config, path, why);

	if (config->problems)
		print_lines(config->problems);
	if (err && (path || config->problems))
		return -EINVAL;
	if (err)
		warnings->config = *why;
	else
		config_load_state(config, &warnings->state);
	return 0;
}

/* Parses the command line, which says what file to read, and parses it again over that file. */
static int read_options(struct options *options, struct config *config, int argc, char **argv,
			struct warnings *warnings, struct diag *why)
{
	int err = options_parse(options, argc, argv, why);

	if (err || options_is_question(options))
		return err;
	err = read_config(config, options->config_path, warnings, why);
	if (err)
		return err;
	options_finish(options);
	err = options_parse_over(options, config->settings, config->setting_count, argc, argv, why);
	if (err && config->setting_count)
		diag_prefix(why, "with %s", config->path);
	if (options->wants_source)
		config->columns.hidden[VIEW_SYMBOLS] &= ~COLUMN_BIT(COL_SOURCE);
	for (int kind = 0; options->wants_children && kind < VIEW_TABLES; kind++)
		config->columns.hidden[kind] &= ~COLUMN_BIT(COL_TOTAL);
	config->columns.asked = (options->wants_samples ? COLUMN_BIT(COL_SAMPLES) : 0) |
				(options->wants_period ? COLUMN_BIT(COL_PERIOD) : 0);
	for (int kind = 0; kind < VIEW_TABLES; kind++)
		config->columns.hidden[kind] &= ~config->columns.asked;
	if (!err && (!options->is_batch || options_is_probe_question(options)))
		err = options_read_presets(options, why);
	return err;
}

/* Errors in the user's own presets, which take nothing else away. */
static void warn_of_presets(const char *lines)
{
	if (!lines)
		return;
	print_lines(lines);
	log_warn("some presets of your own can't be used: --list-presets says why");
}

static void warn(struct diag *why, const char *file)
{
	if (!why->text[0])
		return;
	diag_prefix(why, "the %s is not read", file);
	print_sentence(why->text);
	log_warn("%s", why->text);
}

/* Reports options that can't be used. Returns the exit status. */
static int refuse(int status, const char *sentence, bool has_command)
{
	print_sentence(sentence);
	return has_command ? EXIT_OWN_WITH_COMMAND : status;
}

/* Source: mallopt(3). Left to itself, malloc(3) takes whatever was freed once, up to 32 MiB, from
 * its heap from then on, where the memory of a burst stays: 15 of 53 MiB after a minute of
 * compilers. */
static void give_back_large_blocks(void)
{
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
}

int main(int argc, char **argv)
{
	/* Not on the stack: all that is forked has this frame below its own, and stacks are copied
	 * from their top on, 16 KiB of them; we, too, are profiled. */
	static struct config config;
	static struct options options;
	struct warnings warnings = { .config.err = 0 };
	struct diag why = { 0 };
	bool is_with_command;
	int err, status = EXIT_OK;

	inherited_distrust();
	give_back_large_blocks();
	setlocale(LC_CTYPE, "");
	err = read_options(&options, &config, argc, argv, &warnings, &why);
	if (!err && options.log_path)
		err = log_open(options.log_path, &why);
	kernel_debug_set_files(options.vmlinux, options.vmlinux_count);
	source_paths_set(&options.source_paths);
	warn(&warnings.config, "configuration");
	warn(&warnings.state, "choice of columns");
	warn_of_presets(options.preset_problems);
	is_with_command = has_command(&options, argc, argv);
	if (err) {
		status = refuse(err == -EINVAL ? EXIT_USAGE : status_of_error(err), why.text,
				is_with_command);
	} else if (options_is_question(&options)) {
		status = print_requested(&options);
	} else if (options.uses_debuginfod &&
		   (err = debuginfod_start(options.debuginfod_urls, &why))) {
		status = refuse(err == -EINVAL ? EXIT_USAGE : status_of_error(err), why.text,
				is_with_command);
	} else if (options_is_probe_question(&options)) {
		status = print_about_probes(&options);
	} else if ((err = check_recordings(&options, &why))) {
		status = refuse(status_of_error(err), why.text, is_with_command);
	} else if (options.wants_dump) {
		status = dump_recording(&options);
	} else if (options.stat.is_wanted) {
		status = count_events(&options);
	} else if (!options.is_batch && !has_terminal()) {
		status = refuse(EXIT_USAGE, options.record_path
				? "no terminal here: --format none only records, --batch[=N] "
				  "prints refreshes, too"
				: "no terminal here: use --batch[=N] to print refreshes",
				is_with_command);
	} else {
		status = run_each(&options, &config);
	}
	debuginfod_stop();
	log_close();
	options_finish(&options);
	config_finish(&config);
	return status;
}
