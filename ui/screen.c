/* screen.c - the event loop: keys, snapshots and signals in, at most one paint per turn out.
 *
 * Idea: every event source is a descriptor, so one poll() waits for all of them. A turn handles
 * what is there (all keys, the newest snapshot, all signals), then paints once, and only if the
 * frame changed. Keys, prompts and help can't delay a snapshot, nor can a snapshot delay them.
 *
 * Rejected: a timer for the refresh. The analyzer owns the interval; the screen has nothing to do
 * between two snapshots.
 */
#include "ui/screen.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "command_list.h"
#include "frame.h"
#include "input.h"
#include "overlays.h"
#include "record/recording.h"
#include "share/shared_file.h"
#include "term/keys.h"
#include "term/term.h"
#include "views/command_line.h"
#include "views/view_threads.h"
#include "widgets/finder.h"

#define SIGNAL_STATUS(signal) (128 + (signal))
#define RECORDING_MS 1000	/* how often what was recorded is looked at */
#define UI_NICE (-10)		/* a key must be answered while every CPU is busy */

enum screen_source {
	SOURCE_TERMINAL,
	SOURCE_ANALYZER,
	SOURCE_SIGNAL,
	SOURCE_COMMAND,
	SOURCE_CHANGE,
	SOURCE_PROBES,
	SOURCE_FINDER,
	SOURCE_LOOK,
	SOURCE_SAVE,
	SOURCE_KEEP,
	SOURCE_COUNT
};

struct screen {
	const struct screen_config *config;
	struct terminal *term;
	struct canvas canvas;
	struct ui_state state;
	struct keys keys;
	struct pollfd sources[SOURCE_COUNT];
	uint64_t escape_ns;	/* end of the wait for more bytes of a key */
	const struct theme *theme;	/* theme that the terminal has now */
	bool is_mouse_off;
	struct shared_file *save;	/* owned; NULL: nothing is being written */
	struct shared_output *output;	/* the file of -o that is to be written; NULL: the key's */
	bool is_table;			/* `save` is what the query shows, not stacks */
	uint64_t end_ns;	/* when the screen ends by itself; 0: never */
	uint64_t pause_ns;	/* pause at the first snapshot of this time or later; 0: don't */
	const struct record_tee *tee;	/* to be attached; NULL: none */
	int status;		/* result of screen_run(); < 0: go on */
};

static void fill_signals(sigset_t *set)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGCONT, SIGWINCH };

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(set, signals[i]);
}

void screen_block_signals(void)
{
	sigset_t set;

	fill_signals(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static int fit_canvas(struct screen *screen, struct diag *why)
{
	int width, height;

	if (!term_update_size(screen->term, &width, &height))
		return 0;
	screen->state.is_changed = true;
	if (canvas_resize(&screen->canvas, width, height))
		return diag_set(why, -ENOMEM, "no memory for a screen of %dx%d", width, height);
	return 0;
}

static void apply_looks(struct screen *screen)
{
	const struct ui_state *state = &screen->state;

	if (state->display.theme != screen->theme)
		term_set_theme(screen->term, state->display.theme);
	if (state->display.is_mouse_off != screen->is_mouse_off)
		term_set_mouse(screen->term, !state->display.is_mouse_off);
	screen->theme = state->display.theme;
	screen->is_mouse_off = state->display.is_mouse_off;
}

static void copy_to_clipboard(struct screen *screen)
{
	struct ui_state *state = &screen->state;

	if (!state->out.wants_clipboard)
		return;
	state->out.wants_clipboard = false;
	if (term_copy(screen->term, state->out.clipboard))
		state_say(state, "copied, where the terminal lets programs set its clipboard");
	else
		state_say(state, "this terminal has no clipboard");
}

static void paint(struct screen *screen)
{
	copy_to_clipboard(screen);
	if (screen->state.out.wants_repaint) {
		term_forget(screen->term);
		screen->state.out.wants_repaint = false;
		screen->state.is_changed = true;
	}
	if (!screen->state.is_changed)
		return;
	apply_looks(screen);
	frame_draw(&screen->state, &screen->canvas);
	state_request_sources(&screen->state);
	term_paint(screen->term, &screen->canvas);
	screen->state.is_changed = false;
}

/* Sends requests to the analyzer. A full queue is tried again at the next turn; it empties at least
 * once per refresh. */
static void send_requests(struct screen *screen)
{
	struct ui_state *state = &screen->state;
	size_t sent = 0;

	while (sent < state->out.count &&
	       analyzer_request(screen->config->analyzer, &state->out.requests[sent]))
		sent++;
	state->out.count -= sent;
	memmove(state->out.requests, state->out.requests + sent,
		state->out.count * sizeof(state->out.requests[0]));
}

/* Sends requests to the probe engine, in the order of the keys; a full queue is tried again. */
static void send_probe_requests(struct screen *screen)
{
	const struct probe_control *probes = screen->config->probes;
	struct ui_state *state = &screen->state;
	size_t sent = 0;

	while (sent < state->out.probe_count &&
	       probes->request(probes->owner, &state->out.probe_requests[sent]))
		sent++;
	state->out.probe_count -= sent;
	memmove(state->out.probe_requests, state->out.probe_requests + sent,
		state->out.probe_count * sizeof(state->out.probe_requests[0]));
}

static void take_replies(struct screen *screen)
{
	const struct probe_control *probes = screen->config->probes;
	struct probe_reply reply;

	while (probes->reply(probes->owner, &reply))
		input_probe_replied(&screen->state, &reply);
}

static void end_save(struct screen *screen)
{
	struct ui_state *state = &screen->state;
	struct diag why = { 0 };
	uint64_t samples;

	if (screen->output)
		shared_output_finish(screen->output, screen->save);
	else if (shared_file_finish(screen->save, &samples, &why))
		state_say(state, "%s", why.text);
	else if (screen->is_table)
		state_say(state, "the table is in %s", state->out.save_path);
	else
		state_say(state, "%" PRIu64 " samples in %s", samples, state->out.save_path);
	screen->output = NULL;
	screen->save = NULL;
	screen->sources[SOURCE_SAVE].fd = -1;
}

/* True if the stacks are of another time than requested: the file's header would be wrong. */
static bool is_of_another_time(const struct ui_state *state, const struct snapshot *stacks)
{
	if (!state->query.time.end_ns)
		return stacks->is_frozen != state->query.is_paused || stacks->is_selected;
	return stacks->asked_begin_ns != state->query.time.begin_ns ||
	       stacks->asked_end_ns != state->query.time.end_ns;
}

/* Returns the table that is on the screen; @snapshot is made for it. */
static enum table_kind kind_of_table(const struct ui_state *state, const struct snapshot *snapshot)
{
	if (state_kind(state) == VIEW_PROBES)
		return snapshot_groups_find(&snapshot->probes, state_probe_here(state))
		       ? TABLE_HIT_GROUPS : TABLE_PROBES;
	if (snapshot->listing)
		return TABLE_LISTING;
	if (snapshot->tree.direction != TREE_NONE)
		return TABLE_TREE;
	return snapshot->groups.level_count ? TABLE_GROUPS : TABLE_ROWS;
}

/* The table that @snapshot, made for it, has. */
static struct table_options table_of(const struct ui_state *state, const struct snapshot *snapshot)
{
	return (struct table_options){
		.kind = kind_of_table(state, snapshot),
		.print = {
			.filter = state->query.breadcrumbs.filter,
			.show_idle = state->query.show_idle,
			.has_groups = snapshot->groups.level_count,
		},
		.layer = LISTING_MIXED,
	};
}

/* Says why the file that was asked for is not written. */
static void refuse_save(struct screen *screen, const char *reason)
{
	if (screen->output)
		shared_output_fail(screen->output, -ENODATA, "%s: %s", screen->output->path,
				   reason);
	else
		state_say(&screen->state, "%s", reason);
	screen->output = NULL;
}

static void begin_save(struct screen *screen, struct snapshot *stacks,
		       const struct shared_options *options)
{
	struct ui_state *state = &screen->state;
	struct diag why = { 0 };

	if (screen->output)
		screen->save = shared_output_start(screen->output, stacks, options);
	else if (shared_file_start(&screen->save, state->out.save_path, stacks, options, &why))
		state_say(state, "%s", why.text);
	if (screen->save)
		screen->sources[SOURCE_SAVE].fd = shared_file_fd(screen->save);
	else
		screen->output = NULL;
}

/* Takes the stacks, or the table, from @fresh. Requests them again if they are missing (lost with a
 * skipped snapshot) or of another window, filter or format. */
static void take_stacks(struct screen *screen, struct snapshot *fresh)
{
	struct ui_state *state = &screen->state;
	struct snapshot *stacks = fresh->folded;
	struct shared_options options = { .format = state->out.save_format };
	struct command_line line;

	fresh->folded = NULL;
	if (!state->out.wants_stacks || screen->save) {
		snapshot_destroy(stacks);
		return;
	}
	if (!stacks || stacks->query != state->query.number || is_of_another_time(state, stacks) ||
	    stacks->stacks_wanted != state_stacks_wanted(state)) {
		snapshot_destroy(stacks);
		state_request_stacks(state);
		return;
	}
	state->out.wants_stacks = false;
	screen->is_table = shared_format_needs(options.format) == SHARED_NEEDS_SHOWN;
	if (!screen->is_table && !stacks->is_compared && !stacks->tree.samples &&
	    (!stacks->stack_samples || !stacks->stack_samples->count)) {
		refuse_save(screen, "nothing is written: there is no sample with this path and "
			    "these filters in the window");
		snapshot_destroy(stacks);
		return;
	}
	options.table = table_of(state, stacks);
	shared_options_choose(&options, 0);
	command_line_make(state, &line);
	options.command = line.text;
	begin_save(screen, stacks, &options);
}

/* Lets the analyzer pass what it counts to @tee; NULL: no longer. False: its queue is full. */
static bool request_record(const struct screen *screen, const struct record_tee *tee)
{
	const struct request request = { .kind = REQUEST_RECORD, .tee = tee };

	return analyzer_request(screen->config->analyzer, &request);
}

static void begin_recording(struct screen *screen)
{
	const struct record_control *record = screen->config->record;
	struct ui_state *state = &screen->state;
	struct diag why = { 0 };

	state->out.wants_record = false;
	if (state->recording.is_there || record->begin(record->owner, state->out.record_path,
						       &screen->tee, &why)) {
		state_say(state, "%s", why.text);
		return;
	}
	state->recording.is_there = true;
	state->recording.is_ending = false;
	state->recording.is_stalled = false;
	state->recording.bytes = state->recording.lost = 0;
	state_say(state, "recording into %s: O ends it", state->out.record_path);
}

static void end_recording(struct screen *screen)
{
	const struct record_control *record = screen->config->record;
	struct ui_state *state = &screen->state;
	struct recorder_status status = { .bytes = 0 };
	struct diag why = { 0 };

	state->recording.is_there = false;
	state->is_changed = true;
	if (record->finish(record->owner, &status, &why))
		state_say(state, "%s", why.text);
	else
		state_say(state, "%" PRIu64 " samples recorded%s%s", status.samples,
			  state->out.record_path[0] ? " in " : "", state->out.record_path);
}

static void note_recording(struct ui_state *state, const struct recorder_status *status)
{
	struct recording_state *recording = &state->recording;

	state->is_changed |= recording->bytes != status->bytes ||
			     recording->lost != status->lost ||
			     recording->is_stalled != status->is_stalled;
	recording->is_there = true;
	recording->bytes = status->bytes;
	recording->lost = status->lost;
	recording->is_stalled = status->is_stalled;
	if (status->why.err && !recording->is_ending)
		state->out.wants_record_end = true;
}

/* Begins and ends recordings, and takes what became of them. A request that finds the analyzer's
 * queue full is repeated at the next turn. */
static void look_after_recording(struct screen *screen)
{
	const struct record_control *record = screen->config->record;
	struct ui_state *state = &screen->state;
	struct recorder_status status;

	if (!record)
		return;
	if (state->out.wants_record)
		begin_recording(screen);
	if (screen->tee && request_record(screen, screen->tee))
		screen->tee = NULL;
	if (record->status(record->owner, &status))
		note_recording(state, &status);
	else
		state->recording.is_there = false;
	if (state->out.wants_record_end && !screen->tee && request_record(screen, NULL)) {
		state->out.wants_record_end = false;
		state->recording.is_ending = state->is_changed = true;
	}
	if (state->recording.is_there && status.is_done)
		end_recording(screen);
}

/* Pauses after the command that limited the time has ended: its samples stay on the screen. */
static void pause_if_due(struct screen *screen)
{
	struct ui_state *state = &screen->state;

	if (!screen->pause_ns || !state->shown || state->shown->time_ns < screen->pause_ns)
		return;
	screen->pause_ns = 0;
	if (state->query.is_paused || state->query.time.end_ns)
		return;
	cmd_pause(state);
	state_say(state, "the command ended: paused here, Space goes on");
}

static void take_snapshot(struct screen *screen)
{
	struct snapshot *fresh = analyzer_take_snapshot(screen->config->analyzer);

	if (fresh)
		take_stacks(screen, fresh);
	if (fresh && screen->state.keep_control && screen->state.keep_control->status)
		screen->state.keep_control->status(screen->state.keep_control->owner,
						   &screen->state.keep_status);
	if (fresh)
		snapshot_destroy((struct snapshot *)input_offer_snapshot(&screen->state, fresh));
	pause_if_due(screen);
}

/* Pasted text is text for a prompt, a menu, the finder or a panel, never a command. */
static void press_keys(struct screen *screen)
{
	struct ui_state *state = &screen->state;
	int key;

	while (!state->out.wants_quit && (key = keys_next(&screen->keys)) != UI_KEY_NONE)
		if (!screen->keys.is_pasted || overlays_take_text(state))
			input_press_key(state, key, &screen->keys.mouse);
}

static void read_keys(struct screen *screen)
{
	unsigned char bytes[KEYS_BUFFER_BYTES];
	const ssize_t count = term_read(screen->term, bytes, keys_room(&screen->keys));
	const uint64_t now_ns = clock_now_ns();

	if (count <= 0) {
		if (count == 0 || errno == EIO || errno == ENXIO)
			screen->status = SIGNAL_STATUS(SIGHUP);
		return;
	}
	keys_feed(&screen->keys, bytes, (size_t)count, now_ns);
	press_keys(screen);
	screen->escape_ns = now_ns + keys_wait_ms(&screen->keys) * CLOCK_NS_PER_MS;
}

static int escape_wait_ms(const struct screen *screen)
{
	const uint64_t now_ns = clock_now_ns();

	if (!keys_is_waiting(&screen->keys))
		return -1;
	if (now_ns >= screen->escape_ns)
		return 0;
	return (int)((screen->escape_ns - now_ns) / CLOCK_NS_PER_MS) + 1;
}

/* By the clock: snapshots may come more often than the wait is long. */
static void expire_keys(struct screen *screen)
{
	int key;

	if (escape_wait_ms(screen) != 0)
		return;
	key = keys_expire(&screen->keys);
	if (key != UI_KEY_NONE)
		input_press_key(&screen->state, key, NULL);
}

/* Gives the terminal back and stops like any program. Unblocking delivers the signal at once, to
 * the whole process; in an orphaned process group the kernel drops it and we just go on. */
static void stop_self(struct screen *screen)
{
	sigset_t stop;

	term_suspend(screen->term);
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	raise(SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &stop, NULL);
	pthread_sigmask(SIG_BLOCK, &stop, NULL);
	term_resume(screen->term);
	screen->state.is_changed = true;
}

static void take_signal(struct screen *screen)
{
	struct signalfd_siginfo signal;

	if (read(screen->sources[SOURCE_SIGNAL].fd, &signal, sizeof(signal)) != sizeof(signal))
		return;
	switch (signal.ssi_signo) {
	case SIGWINCH:		/* back at the old size, too, what was cut off is gone */
		screen->state.out.wants_repaint = true;
		break;
	case SIGTSTP:
		stop_self(screen);
		break;
	case SIGCONT:		/* after a SIGSTOP nobody announced: others wrote on the screen */
		screen->state.out.wants_repaint = true;
		break;
	default:
		screen->status = SIGNAL_STATUS((int)signal.ssi_signo);
	}
}

static void end_command(struct screen *screen)
{
	screen->sources[SOURCE_COMMAND].fd = -1;
	screen->state.is_command_ended = true;
	if (screen->config->is_command_clock) {
		screen->pause_ns = clock_now_ns();
		state_request(&screen->state, REQUEST_REFRESH, 0, 0);
	}
	screen->state.is_changed = true;
}

static void end_change(struct screen *screen)
{
	const struct source_control *source = screen->config->source;
	struct diag why = { 0 };
	const int err = source->take_result(source->owner, &why);

	state_source_changed(&screen->state, err, &why);
}

/* Of several that came at once the last is shown; the messages view has all. */
static void take_keep_messages(struct screen *screen)
{
	const struct keep_control *keep = screen->config->keep;
	struct keep_message message;
	bool rings = false;

	while (keep->next(keep->owner, &message)) {
		rings |= message.rings;
		state_say(&screen->state, "%s", message.text);
	}
	if (rings)
		term_ring(screen->term);
	screen->state.is_changed = true;
}

static int wait_ms(const struct screen *screen)
{
	int escape_ms = escape_wait_ms(screen), end_ms;

	if (screen->state.recording.is_there && (escape_ms < 0 || escape_ms > RECORDING_MS))
		escape_ms = RECORDING_MS;
	if (!screen->end_ns)
		return escape_ms;
	end_ms = clock_ms_until(screen->end_ns, clock_now_ns());
	return escape_ms >= 0 && escape_ms < end_ms ? escape_ms : end_ms;
}

static bool is_over(const struct screen *screen)
{
	return screen->status >= 0 || screen->state.out.wants_quit ||
	       (screen->end_ns && clock_now_ns() >= screen->end_ns);
}

static void wait_for_sources(struct screen *screen)
{
	struct pollfd *sources = screen->sources;

	if (poll(sources, SOURCE_COUNT, wait_ms(screen)) < 0)
		return;
	if (sources[SOURCE_SIGNAL].revents)
		take_signal(screen);
	if (screen->status < 0 && sources[SOURCE_TERMINAL].revents)
		read_keys(screen);
	expire_keys(screen);
	if (sources[SOURCE_ANALYZER].revents)
		take_snapshot(screen);
	if (sources[SOURCE_COMMAND].revents)
		end_command(screen);
	if (sources[SOURCE_CHANGE].revents)
		end_change(screen);
	if (sources[SOURCE_PROBES].revents)
		take_replies(screen);
	if (sources[SOURCE_FINDER].revents)
		finder_replied(&screen->state);
	if (sources[SOURCE_LOOK].revents)
		view_threads_found(&screen->state);
	if (sources[SOURCE_SAVE].revents)
		end_save(screen);
	if (sources[SOURCE_KEEP].revents)
		take_keep_messages(screen);
}

static int run_loop(struct screen *screen, struct diag *why)
{
	int err;

	while (!is_over(screen)) {
		err = fit_canvas(screen, why);
		if (err)
			return err;
		look_after_recording(screen);
		paint(screen);
		send_requests(screen);
		send_probe_requests(screen);
		wait_for_sources(screen);
	}
	return screen->status < 0 ? 0 : screen->status;
}

/* Waits until the present file of -o is written. False: a key or a signal has ended that. */
static bool wait_for_output(struct screen *screen)
{
	struct pollfd *sources = screen->sources;
	const int status = screen->status;
	struct diag why;

	while (screen->output) {
		if (fit_canvas(screen, &why))
			return false;
		paint(screen);
		send_requests(screen);
		if (poll(sources, SOURCE_COUNT, -1) < 0)
			continue;
		screen->status = -1;
		if (sources[SOURCE_SIGNAL].revents)
			take_signal(screen);
		if (sources[SOURCE_TERMINAL].revents)
			read_keys(screen);
		if (screen->status == SIGNAL_STATUS(SIGHUP))	/* only the screen is lost */
			screen->sources[SOURCE_TERMINAL].fd = -1;
		else if (screen->status >= 0 || screen->state.out.wants_quit)
			return false;
		screen->status = status;
		if (sources[SOURCE_ANALYZER].revents)
			take_snapshot(screen);
		if (sources[SOURCE_SAVE].revents)
			end_save(screen);
	}
	return true;
}

/* Writes the files of -o: what is shown now. The samples of the window stay as they are; what is
 * live goes on until the analyzer has summed them up. */
static void write_outputs(struct screen *screen)
{
	struct shared_outputs *outputs = screen->config->outputs;
	struct ui_state *state = &screen->state;
	const int status = screen->status;
	bool is_abandoned = false;

	if (screen->save)	/* one of the key's is under way */
		end_save(screen);
	if (status == SIGNAL_STATUS(SIGHUP))
		screen->sources[SOURCE_TERMINAL].fd = -1;
	for (size_t i = 0; outputs && i < outputs->count && !is_abandoned; i++) {
		screen->output = &outputs->list[i];
		state->out.wants_quit = false;
		state->out.save_format = screen->output->format;
		state->out.wants_stacks = true;
		state_request_stacks(state);
		state_say(state, "writing %s\u2026", screen->output->path);
		is_abandoned = !wait_for_output(screen);
	}
	for (size_t i = 0; is_abandoned && i < outputs->count; i++)
		if (!outputs->list[i].is_ended)
			shared_output_fail(&outputs->list[i], -EINTR, "%s is not written: a key "
					   "or signal came before", outputs->list[i].path);
	if (is_abandoned) {	/* a disk may hang: the thread of the file ends with the process */
		screen->save = NULL;
		screen->output = NULL;
	}
	screen->status = status;
}

static int open_sources(struct screen *screen, struct diag *why)
{
	const struct screen_config *config = screen->config;
	sigset_t signals;
	int fd;

	screen_block_signals();
	fill_signals(&signals);
	fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return diag_set(why, -errno, "cannot read signals: %s", strerror(errno));
	for (int i = 0; i < SOURCE_COUNT; i++)
		screen->sources[i].events = POLLIN;
	screen->sources[SOURCE_TERMINAL].fd = term_input_fd(screen->term);
	screen->sources[SOURCE_ANALYZER].fd = analyzer_fd(config->analyzer);
	screen->sources[SOURCE_SIGNAL].fd = fd;
	screen->sources[SOURCE_COMMAND].fd = config->command_fd;
	screen->sources[SOURCE_CHANGE].fd = config->source ? config->source->done_fd : -1;
	if (config->probes && config->probes->request)
		screen->sources[SOURCE_PROBES].fd = config->probes->fd;
	screen->sources[SOURCE_FINDER].fd = config->finder ? config->finder->fd : -1;
	screen->sources[SOURCE_LOOK].fd = config->threads ? config->threads->fd : -1;
	screen->sources[SOURCE_SAVE].fd = -1;
	screen->sources[SOURCE_KEEP].fd = config->keep ? config->keep->fd : -1;
	return 0;
}

/* Makes the command line's filter the first level of the breadcrumbs: "back" leads out of it. */
static void take_filter(struct ui_state *state, const struct filter *filter)
{
	struct diag why;

	for (uint32_t i = 0; i < filter->count; i++) {
		const struct filter_part *part = &filter->parts[i];

		if (part->field == FILTER_KERNEL && part->is_negated)
			state->query.hide_kernel = true;
		else if (part->field == FILTER_USER && part->is_negated)
			state->query.hide_user = true;
		else
			breadcrumbs_push(&state->query.breadcrumbs, state_kind(state), part, &why);
	}
}

static int init_screen(struct screen *screen, const struct screen_config *config,
		       struct diag *why)
{
	struct ui_state *state = &screen->state;

	*screen = (struct screen){ .config = config, .status = -1, .theme = config->theme,
				   .is_mouse_off = config->no_mouse };
	for (int i = 0; i < SOURCE_COUNT; i++)
		screen->sources[i].fd = -1;
	if (state_init(state, view_specs, page_ops, overlay_ops))
		return diag_set(why, -ENOMEM, "no memory for the views");
	state->launch = *config->launch;
	state->query.show_idle = config->show_idle;
	state->query.raw_names = config->raw_names;
	state->query.is_relative = config->is_relative;
	state->query.first_weight = config->hit_weight;
	for (int kind = 0; config->by_total && kind < VIEW_TABLES; kind++)
		state->display.orders[kind].column = COL_TOTAL;
	state->query.keys[VIEW_SYMBOLS] = config->keys;
	if (config->groups.count) {
		state->query.groups = config->groups;
		state_begin_with(state, VIEW_GROUPS);
	}
	state->query.window = config->window;
	state->query.window_ns = config->window_ns;
	state->query.interval_ns = config->interval_ns;
	state->display.theme = config->theme;
	state->display.is_mouse_off = config->no_mouse;
	state->keymap = config->keymap;
	state->display.choice = *config->choice;
	state->source = config->source;
	state->probe_control = config->probes;
	state->display.history_bytes = config->history_bytes;
	state->display.wall_offset_ns = clock_wall_offset_ns();
	state->finder_control = config->finder;
	state->threads_control = config->threads;
	state->recording.can_record = config->record;
	state->keep_control = config->keep;
	take_filter(state, &config->filter);
	state_begin_inside(state, config->inside);
	if (state->display.choice.counter_line && state->source)
		state_ask(state);	/* query 0 has no counters */
	return 0;
}

static void finish_screen(struct screen *screen)
{
	term_leave(screen->term);
	if (screen->save)	/* completes a file that was begun */
		end_save(screen);
	snapshot_destroy((struct snapshot *)screen->state.shown);
	state_finish(&screen->state);
	canvas_finish(&screen->canvas);
	if (screen->sources[SOURCE_SIGNAL].fd >= 0)
		close(screen->sources[SOURCE_SIGNAL].fd);
}

int screen_run(const struct screen_config *config, struct diag *why)
{
	const struct term_config term_config = {
		.color = config->color,
		.no_unicode = config->no_unicode,
		.theme = config->theme,
		.mouse = !config->no_mouse,
		.guardian = config->guardian,
	};
	static struct screen screen;	/* 200 KB: no copy of a stack with it would be whole */
	int result;

	result = init_screen(&screen, config, why);
	if (result) {
		state_finish(&screen.state);
		return result;
	}
	if (config->duration_ns)
		screen.end_ns = clock_now_ns() + config->duration_ns;
	setpriority(PRIO_PROCESS, 0, UI_NICE);	/* this thread only; failure is fine */
	result = term_enter(&screen.term, &term_config, why);
	if (!result) {
		screen.canvas.is_ascii = term_is_ascii(screen.term);
		result = open_sources(&screen, why);
	}
	if (!result)
		result = run_loop(&screen, why);
	if (result >= 0)
		write_outputs(&screen);
	*config->choice = screen.state.display.choice;
	finish_screen(&screen);
	return result;
}
