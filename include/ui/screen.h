/* screen.h - the live screen, from the first paint to the last.
 *
 * Use:    screen_block_signals() before the first thread starts, then
 *         screen_run() from the main thread once everything else runs.
 * Thread: main.
 */
#ifndef UI_SCREEN_H
#define UI_SCREEN_H

#include "analyzer/analyzer.h"
#include "analyzer/request.h"
#include "base/diag.h"
#include "fold/filter.h"
#include "proc/guardian.h"
#include "record/recording.h"
#include "share/shared_file.h"
#include "ui/launch.h"
#include "ui/keymap.h"
#include "ui/probe_control.h"
#include "ui/theme.h"
#include "ui/views.h"

struct screen_config {
	struct analyzer *analyzer;	/* started, already with the window and interval below */
	struct guardian *guardian;	/* NULL: none */
	struct filter filter;		/* as in the analyzer's first query */
	const struct launch *launch;	/* the source's command line words; BORROWED */
	bool show_idle;
	bool raw_names, is_relative;	/* as in the analyzer's first query */
	bool by_total;			/* tables are sorted by TOTAL at first */
	const char *hit_weight;		/* the hits' weight at first, as --weight; NULL: 1 each.
					 * BORROWED */
	enum inside_calls inside;	/* as in the analyzer's first query */
	unsigned int keys;		/* enum row_key bits of the symbols view */
	struct group_order groups;	/* as in the analyzer's first query: the screen begins with
					 * the group tree; count 0: group_order_at_first */
	enum window_kind window;
	uint64_t window_ns;		/* length for WINDOW_SECONDS */
	uint64_t interval_ns;
	uint64_t history_bytes;		/* the analyzer's memory limit; 0: a recording */
	enum color_mode color;
	const struct theme *theme;
	bool no_unicode, no_mouse;
	const struct keymap *keymap;
	struct column_choice *choice;	/* hidden columns; updated by the screen */
	const struct source_control *source;	/* NULL: a recording */
	const struct probe_control *probes;	/* NULL: a recording */
	const struct finder_control *finder;	/* NULL: no finder */
	const struct record_control *record;	/* NULL: nothing can be recorded */
	const struct threads_control *threads;	/* NULL: a recording, or unavailable */
	const struct keep_control *keep;	/* NULL: no condition is watched */
	struct shared_outputs *outputs;	/* written with what is shown at the end. BORROWED */
	int command_fd;			/* readable when the `-- command` has ended; -1: none */
	bool is_command_clock;		/* the command only limits the time of sampling: pause when
					 * it ends */
	uint64_t duration_ns;		/* quit after that time, as by a key; 0: never */
};

/* Blocks the signals that screen_run() reads from a descriptor (HUP, INT, TERM, TSTP, CONT, WINCH).
 * A child that is executed later must unblock them. */
void screen_block_signals(void);

/* Runs the screen until a key, a signal or the duration ends it. LC_CTYPE must be set to the user's
 * before. The terminal is restored when it returns. Returns 0: quit by key or time; 128+n: signal
 * n, or the terminal vanished (as SIGHUP); < 0: -errno with @why set: the terminal could not be
 * taken or kept. */
int screen_run(const struct screen_config *config, struct diag *why);

#endif
