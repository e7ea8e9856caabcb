/* main.c - options -> session -> screen or batch; the only place that decides the exit status. */
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "batch.h"
#include "options.h"
#include "session.h"
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
	EXIT_OWN_WITH_COMMAND = 125,	/* so that it can't be taken for the command's */
};

/* Of capturing, of reading a recording, or of the screen. */
static int status_of_error(int err)
{
	switch (err) {
	case -EPERM:
	case -EACCES:	return EXIT_PERMISSION;
	case -ENOTTY:	return EXIT_USAGE;
	default:	return EXIT_RESOURCES;
	}
}

static void print_error(const struct diag *why, int err)
{
	fprintf(stderr, "flametop: %s\n", why->text[0] ? why->text : strerror(-err));
}

static void print_version(FILE *out)
{
	fputs("flametop " VERSION "\n", out);
}

static int print_answer(const struct options *options)
{
	if (options->wants_help)
		option_table_print_help(stdout);
	else
		print_version(stdout);
	if (!ferror(stdout) && !fflush(stdout))
		return EXIT_OK;
	fprintf(stderr, "flametop: cannot write the output: %s\n", strerror(errno));
	return EXIT_OUTPUT;
}

static bool has_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && strcmp(term, "dumb");
}

static int run_screen(struct session *session, const struct options *options, struct diag *why)
{
	struct column_choice choice = { .hidden = { 0 } };
	struct keymap keymap;
	const struct screen_config config = {
		.analyzer = session->analyzer, .guardian = session->guardian,
		.filter = options->filter, .show_idle = options->show_idle, .keys = options->keys,
		.window = options->window,
		.window_ns = options->window_ns, .interval_ns = options->interval_ns,
		.color = options->color, .theme = options->theme,
		.no_unicode = options->no_unicode, .no_mouse = options->no_mouse,
		.keymap = &keymap, .choice = &choice,
		.source = session->retarget ? retarget_control(session->retarget) : NULL,
		.command_fd = session->command ? command_pidfd(session->command) : -1,
	};

	keymap_init(&keymap);
	return screen_run(&config, why);
}

/* The command's own status, if it has ended; session_finish() ends one that still runs. */
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

/* Nothing is shown. A command that can't be started has a status of its own. */
static int start_result(struct session *session, const struct options *options, int err,
			const struct diag *why)
{
	int status;

	print_error(why, err);
	if (session->command && command_has_ended(session->command, &status))
		return status;
	return options->command ? EXIT_OWN_WITH_COMMAND : status_of_error(err);
}

static int show(struct session *session, const struct options *options)
{
	struct diag why = { 0 };
	int result = options->is_batch ? batch_run(session, options, &why)
				       : run_screen(session, options, &why);

	if (result >= 0 && !(options->is_batch && result == BATCH_OUTPUT_FAILED))
		return command_result(session, result);
	print_error(&why, result);
	result = result < 0 ? status_of_error(result) : EXIT_OUTPUT;
	return options->command ? EXIT_OWN_WITH_COMMAND : result;
}

static int run(struct options *options)
{
	const bool has_screen = !options->is_batch;
	struct diag why = { 0 };
	struct session session;
	int result;

	if (has_screen)
		screen_block_signals();
	else
		batch_block_signals();
	result = session_start(&session, options, has_screen, &why);
	result = result ? start_result(&session, options, result, &why) : show(&session, options);
	session_finish(&session);
	return result;
}

/* A crash of a program that reads other people's memory must not leave it on the disk. */
static void harden(void)
{
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	umask(077);
}

/* Also when the parser stopped before it: no status before "--" may be taken for the command's. */
static bool has_command(const struct options *options, int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], "--"))
			return true;
	return options->command;
}

/* The options can't be used. */
static int refuse(int status, const char *sentence, bool has_command)
{
	fprintf(stderr, "flametop: %s\n", sentence);
	return has_command ? EXIT_OWN_WITH_COMMAND : status;
}

int main(int argc, char **argv)
{
	struct diag why = { 0 };
	struct options options;
	bool is_with_command;
	int err, status = EXIT_OK;

	harden();
	setlocale(LC_CTYPE, "");
	term_distrust_environment();
	err = options_parse(&options, argc, argv, &why);
	if (!err && options.log_path)
		err = log_open(options.log_path, &why);
	is_with_command = has_command(&options, argc, argv);
	if (err) {
		status = refuse(err == -EINVAL ? EXIT_USAGE : status_of_error(err), why.text,
				is_with_command);
	} else if (options_is_question(&options)) {
		status = print_answer(&options);
	} else if (!options.is_batch && !has_terminal()) {
		status = refuse(EXIT_USAGE, "no terminal here: use --batch[=N] to print refreshes",
				is_with_command);
	} else {
		status = run(&options);
	}
	log_close();
	options_finish(&options);
	return status;
}
