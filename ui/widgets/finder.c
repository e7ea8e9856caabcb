/* finder.c - see finder.h.
 *
 * Problem: results arrive some milliseconds after the letter that they are for, and again while
 * names are loaded; Enter is meant for the results of the text typed.
 *
 * Idea: requests are numbered. Enter on results of an older request waits for the newest. The
 * cursor follows its result if the user moved it, else it stays on the best one.
 */
#include "finder.h"

#include <stdio.h>
#include <string.h>

#include "format.h"
#include "pieces.h"
#include "probe_columns.h"
#include "probe_panel.h"
#include "search.h"
#include "term/utf8.h"

/* The box's size does not depend on the results: a box that shrinks during typing is restless. */
#define FRAME	    2	/* lines and cells of the frame */
#define OTHER_LINES 2	/* the input, the spec of the chosen line */
#define WIDTH_MAX   116	/* names of 60 letters and where they are from */
#define HEIGHT_MAX  30
#define HEIGHT_MIN  (FRAME + OTHER_LINES + 1)
#define WIDTH_MIN   30
#define CURSOR_CELLS 2
#define KIND_CELLS  8
#define GAP	    2
#define NAME_SHARE_PCT 38	/* share of the line that names of events have */
#define NAME_MIN    16	/* "context-switches" */
#define NOTE_SHARE  3	/* a note gets at least 1/NOTE_SHARE of the line, if it needs it */

static const char label[] = "find";

static void ask(struct ui_state *state)
{
	const struct finder_control *control = state->finder_control;
	struct finder *finder = finder_of(state);
	char text[sizeof(TARGET_EVENTS) + PROMPT_BYTES];

	finder->has_moved = false;
	finder->is_taking = finder->is_marking = false;
	snprintf(text, sizeof(text), "%s%s", finder->is_picker ? TARGET_EVENTS : "",
		 finder->input.text);
	control->ask(control->owner, ++finder->asked, text, state_target_pid(state));
}

/* Opens the box with @text selected. False: there is no finder, which is said. */
static bool open_box(struct ui_state *state, bool is_picker, const char *text)
{
	struct finder *finder = finder_of(state);

	if (!state->finder_control) {
		state_say(state, "there is no finder here: its thread could not be started");
		return false;
	}
	finder->is_open = true;
	finder->is_picker = is_picker;
	finder->is_seeking = false;
	finder->cursor = finder->top = finder->marked_count = finder->probe_count = 0;
	prompt_open(&finder->input, label, text);
	prompt_select(&finder->input);
	ask(state);
	state->is_changed = true;
	return true;
}

void finder_open(struct ui_state *state)
{
	if (state_probe_refusal(state)[0])
		state_say(state, "%s", state_probe_refusal(state));
	else
		open_box(state, false, finder_of(state)->text);
}

void finder_open_text(struct ui_state *state, const char *text)
{
	struct finder *finder = finder_of(state);

	snprintf(finder->text, sizeof(finder->text), "%s", text);
	finder_open(state);
}

void finder_open_events(struct ui_state *state)
{
	finder_of(state)->is_seeking = open_box(state, true, "");
}

static void close_finder(struct finder *finder)
{
	finder->is_open = false;
	if (!finder->is_picker)
		memcpy(finder->text, finder->input.text, sizeof(finder->text));
}

static bool is_replied(const struct finder *finder)
{
	return finder->reply && finder->reply->number == finder->asked;
}

/* What the picker shows must be events: the reply may be that of the finder's last text. */
static size_t result_count(const struct finder *finder)
{
	const struct target_reply *reply = finder->reply;

	if (!reply || (finder->is_picker && reply->count && !reply->results[0].is_event))
		return finder->probe_count;
	return finder->probe_count + reply->count;
}

/* Returns the result at @index, which must be below result_count(). */
static const struct target_result *result_at(const struct finder *finder, size_t index)
{
	return index < finder->probe_count ? &finder->probes[index]
					   : &finder->reply->results[index - finder->probe_count];
}

/* Returns whether each word of @text is in the probe's name or sentence. */
static bool probe_matches(const char *text, const struct target_result *result)
{
	char word[PROMPT_BYTES];

	for (size_t length; *text; text += length + (text[length] == ' ')) {
		length = strcspn(text, " ");
		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		if (length && !search_matches(word, result->shown) &&
		    !search_matches(word, result->note))
			return false;
	}
	return true;
}

/* No two have the same sentence: what a probe is on, and in which processes, tells them apart. */
static void describe_probe(const struct snapshot_probe *probe, struct target_result *out)
{
	static const char *const edges[] = {
		[PROBE_ENTRY] = "calls", [PROBE_RETURN] = "returns",
		[PROBE_LATENCY] = "calls and their latency",
	};
	const bool is_refused = probe->state == PROBE_REFUSED;

	*out = (struct target_result){ .kind = TARGET_PROBE, .is_event = true,
				       .is_able = !is_refused };
	snprintf(out->spec, sizeof(out->spec), "%s", probe->spec);
	snprintf(out->shown, sizeof(out->shown), "%s", probe_plain_name(probe));
	if (is_refused)
		snprintf(out->note, sizeof(out->note), "%s", probe->reason);
	else
		snprintf(out->note, sizeof(out->note), "hits of this run's probe: %s, %s%s%s, %s",
			 probe->kind == PROBE_TRACEPOINT || probe->kind == PROBE_USDT
			 ? "passes" : edges[probe->edge], probe->spec,
			 probe->scope[0] ? ", " : "", probe->scope,
			 probe_state_name(probe->state));
}

/* Lists this run's probes that match the text, which are events like others. */
static void list_probes(const struct ui_state *state)
{
	struct finder *finder = finder_of(state);
	const uint32_t count = finder->is_picker && state->shown ? state->shown->probes.count : 0;

	finder->probe_count = 0;
	for (uint32_t i = 0; i < count && finder->probe_count < PROBE_SLOTS; i++) {
		const struct snapshot_probe *probe = &state->shown->probes.list[i];
		struct target_result *result = &finder->probes[finder->probe_count];

		describe_probe(probe, result);
		if (probe_matches(finder->input.text, result))
			finder->probe_ids[finder->probe_count++] = probe->id;
	}
}

/* Returns whether an event can be sampled as it is; says why not. */
static bool check_event(struct ui_state *state, const struct target_result *result)
{
	if (!result->is_able)
		state_say(state, "%s", result->note);
	else if (result->kind == TARGET_PROBE)
		state_say(state, "a probe counts beside what is sampled: Enter shows its hits");
	else if (result->kind == TARGET_EVENT_FORM)
		state_say(state, "it is a form: Tab copies it, to be completed");
	else
		return true;
	return false;
}

/* Samples an event from now on, or counts it beside the one that is sampled; of one that can't be
 * it says why, and the box stays. */
static void take_event(struct ui_state *state, const struct target_result *result)
{
	const struct snapshot *shown = state->shown;
	char text[SOURCE_CHANGE_BYTES];

	if (!check_event(state, result))
		return;
	if (result->is_counted && (!shown || shown->event_count != 1 || state_probe_hits(state))) {
		state_say(state, "it is counted beside samples: mark it (Insert), and what to "
			  "sample");
		return;
	}
	snprintf(text, sizeof(text), "%s%s%s", result->is_counted ? shown->event : "",
		 result->is_counted ? "," : "", result->spec);
	close_finder(finder_of(state));
	state_change_source(state, SOURCE_EVENT, text);
}

/* Returns the index of the mark of @spec; marked_count: there is none. */
static size_t find_mark(const struct finder *finder, const char *spec)
{
	size_t at = 0;

	while (at < finder->marked_count && strcmp(finder->marked[at], spec) != 0)
		at++;
	return at;
}

/* Returns whether all marked events and @spec fit into one change of the source. */
static bool has_room(const struct finder *finder, const char *spec)
{
	size_t bytes = strlen(spec) + 1;

	for (size_t i = 0; i < finder->marked_count; i++)
		bytes += strlen(finder->marked[i]) + 1;	/* a comma, or the end */
	return finder->marked_count < FINDER_MARKS_MAX && bytes <= SOURCE_CHANGE_BYTES;
}

static void mark_event(struct ui_state *state, const struct target_result *result)
{
	struct finder *finder = finder_of(state);
	const size_t at = find_mark(finder, result->spec);

	if (at < finder->marked_count) {
		finder->marked_count--;
		memmove(finder->marked[at], finder->marked[at + 1],
			(finder->marked_count - at) * sizeof(finder->marked[0]));
	} else if (!check_event(state, result)) {
		return;
	} else if (!has_room(finder, result->spec)) {
		state_say(state, "%zu events are marked, and no more fit; a pattern such as "
			  "sched:* samples all that match", finder->marked_count);
	} else {
		memcpy(finder->marked[finder->marked_count++], result->spec, TARGET_SPEC_BYTES);
	}
}

/* Returns the index of the marked event that is shown, with modifiers or without; 0: none is. */
static size_t find_shown_mark(const struct finder *finder, const char *event)
{
	const char *modifiers = strrchr(event, ':');
	const size_t bytes = modifiers ? (size_t)(modifiers - event) : strlen(event);
	const size_t exact = find_mark(finder, event);

	if (exact < finder->marked_count)
		return exact;
	for (size_t i = 0; i < finder->marked_count; i++)
		if (strlen(finder->marked[i]) == bytes && !memcmp(finder->marked[i], event, bytes))
			return i;
	return 0;
}

/* Samples all marked events. The one that is shown comes first, because after a change the first
 * one is shown. */
static void take_marked(struct ui_state *state)
{
	struct finder *finder = finder_of(state);
	const size_t first = state->shown ? find_shown_mark(finder, state->shown->event) : 0;
	char text[SOURCE_CHANGE_BYTES];
	size_t used = (size_t)snprintf(text, sizeof(text), "%s", finder->marked[first]);

	for (size_t i = 0; i < finder->marked_count; i++)
		if (i != first)
			used += (size_t)snprintf(text + used, sizeof(text) - used, ",%s",
						 finder->marked[i]);
	close_finder(finder);
	state_change_source(state, SOURCE_EVENT, text);
}

/* Copies the spec to the input line, to add arguments or a condition. */
static void edit_result(struct ui_state *state)
{
	struct finder *finder = finder_of(state);
	const struct target_result *result;

	if (finder->cursor >= result_count(finder))
		return;
	result = result_at(finder, finder->cursor);
	if (result->kind == TARGET_LEFTOVER || result->kind == TARGET_PROBE ||
	    strlen(result->spec) >= PROMPT_BYTES || strchr(result->spec, '\n')) {
		state_say(state, "it can't be edited here");
		return;
	}
	prompt_open(&finder->input, label, result->spec);
	finder->cursor = finder->top = 0;
	ask(state);
}

/* Requests the probes of a preset, each as it stands: there is no panel for several. */
static void take_preset(struct ui_state *state, const struct target_result *result)
{
	struct probe_request request = { .kind = PROBE_ADD, .choice.with_stacks = true };
	char specs[TARGET_SPEC_BYTES], *at = NULL;
	struct diag why;

	memcpy(specs, result->spec, sizeof(specs));
	for (char *text = strtok_r(specs, "\n", &at); text; text = strtok_r(NULL, "\n", &at)) {
		if (probe_spec_parse(&request.choice.spec, text, &why)) {
			state_say(state, "%s", why.text);
			return;
		}
		if (!state_probe_request(state, &request))
			return;
	}
	close_finder(finder_of(state));
	state_say(state, "attaching the probes of %s\u2026", result->shown);
}

/* Opens the panel for a result; of one that can't be probed it says why, and the box stays. */
static void take_spec(struct ui_state *state, const struct target_result *result)
{
	const char *name = strchr(result->shown, ':');	/* after that of its file */
	struct probe_spec spec;
	struct diag why;

	if (result->kind == TARGET_PRESET && strchr(result->spec, '\n')) {
		take_preset(state, result);
		return;
	}
	if (probe_spec_parse(&spec, result->spec, &why)) {
		if (result->kind == TARGET_PRESET)	/* it needs more words */
			edit_result(state);
		else
			state_say(state, "%s", why.text);
		return;
	}
	close_finder(finder_of(state));
	probe_panel_open_spec(state, &spec, state_target_pid(state));
	if (result->kind == TARGET_USER_FUNCTION && name)
		probe_panel_call(probe_panel_of(state), name + 1);
}

/* Shows the hits of a probe in the present view of samples; of a refused one its page. */
static void take_probe(struct ui_state *state, uint32_t id)
{
	const enum view_kind kind = state_shows_samples(state) ? state_kind(state) : VIEW_SYMBOLS;
	const struct snapshot_probe *probe =
		state->shown ? snapshot_probes_find(&state->shown->probes, id) : NULL;

	close_finder(finder_of(state));
	if (!probe) {
		state_say(state, "the probe was removed, and its hits with it");
		return;
	}
	if (state_probe_here(state) && state_probe_here(state) != id)
		state_leave_probe(state);
	if (state_probe_here(state) != id)
		state_open_probe(state, probe);
	if (probe->state != PROBE_REFUSED)
		state_show_kind(state, kind);
}

static void take_result(struct ui_state *state)
{
	struct finder *finder = finder_of(state);
	const struct probe_request sweep = { .kind = PROBE_SWEEP };
	const struct target_result *result;

	finder->is_taking = false;
	if (finder->marked_count) {
		take_marked(state);
		return;
	}
	if (finder->cursor >= result_count(finder))
		return;
	result = result_at(finder, finder->cursor);
	if (result->kind == TARGET_PROBE)
		take_probe(state, finder->probe_ids[finder->cursor]);
	else if (result->is_event)
		take_event(state, result);
	else if (!result->is_able)
		state_say(state, "%s", result->note);
	else if (result->kind != TARGET_LEFTOVER)
		take_spec(state, result);
	else if (state_probe_request(state, &sweep))
		state_say(state, "removing what dead instances of flametop left");
}

static void move_to(struct finder *finder, size_t cursor)
{
	const size_t count = result_count(finder);

	finder->cursor = cursor < count ? cursor : count ? count - 1 : 0;
	finder->has_moved = true;
	finder->is_seeking = finder->is_taking = finder->is_marking = false;
}

static void move_up(struct finder *finder, size_t lines)
{
	move_to(finder, finder->cursor > lines ? finder->cursor - lines : 0);
}

/* Marks the event under the cursor, or takes its mark away. */
static void mark_result(struct ui_state *state)
{
	struct finder *finder = finder_of(state);

	move_to(finder, finder->cursor);	/* it stays with its row from now on */
	if (!finder->is_picker)
		state_say(state, "only events can be marked: press Esc, then e");
	else if (finder->cursor < result_count(finder))
		mark_event(state, result_at(finder, finder->cursor));
}

static void press_in_input(struct ui_state *state, int key)
{
	struct finder *finder = finder_of(state);

	if (prompt_press(&finder->input, key) != PROMPT_EDITED)
		return;
	finder->is_seeking = false;
	finder->cursor = finder->top = 0;
	ask(state);
}

static size_t finder_page(const struct finder *finder)
{
	return finder->height >= HEIGHT_MIN ? (size_t)(finder->height - FRAME - OTHER_LINES) : 1;
}

static void press_in_finder(struct ui_state *state, int key)
{
	struct finder *finder = finder_of(state);
	const size_t page = finder_page(finder);

	state->is_changed = true;
	state->message[0] = '\0';
	switch (key) {
	case UI_KEY_UP:
	case UI_KEY_BACKTAB:	move_up(finder, 1); break;
	case UI_KEY_DOWN:	move_to(finder, finder->cursor + 1); break;
	case UI_KEY_PAGE_UP:	move_up(finder, page); break;
	case UI_KEY_PAGE_DOWN:	move_to(finder, finder->cursor + page); break;
	case UI_KEY_TAB:	edit_result(state); break;
	case UI_KEY_ESCAPE:
	case UI_KEY_CTRL('P'):	close_finder(finder); break;
	case UI_KEY_INSERT:
	case UI_KEY_CTRL_SPACE:
		finder->is_marking = !is_replied(finder);
		if (!finder->is_marking)
			mark_result(state);
		break;
	case UI_KEY_ENTER:
		finder->is_taking = !is_replied(finder);
		if (!finder->is_taking)
			take_result(state);
		break;
	default:		press_in_input(state, key);
	}
}

static bool is_inside(const struct finder *finder, const struct mouse *mouse)
{
	return mouse->x > finder->x && mouse->x < finder->x + finder->width - 1 &&
	       mouse->y >= finder->y && mouse->y < finder->y + finder->height;
}

/* A press moves the cursor to a line, a second one opens the result. */
static void press_line(struct ui_state *state, const struct mouse *mouse)
{
	struct finder *finder = finder_of(state);
	const int line = mouse->y - finder->y - 2;

	if (!is_inside(finder, mouse)) {
		close_finder(finder);
		return;
	}
	if (line < 0 || (size_t)line >= finder_page(finder) ||
	    finder->top + (size_t)line >= result_count(finder))
		return;
	move_to(finder, finder->top + (size_t)line);
	if (mouse->action == MOUSE_DOUBLE && is_replied(finder))
		take_result(state);
}

static bool click_in_finder(struct ui_state *state, const struct mouse *mouse)
{
	struct finder *finder = finder_of(state);

	state->is_changed = true;
	switch (mouse->action) {
	case MOUSE_PRESS:
	case MOUSE_DOUBLE:
		press_line(state, mouse);
		break;
	case MOUSE_WHEEL_UP:
		move_up(finder, 1);
		break;
	case MOUSE_WHEEL_DOWN:
		move_to(finder, finder->cursor + 1);
		break;
	case MOUSE_MENU:
	case MOUSE_DRAG:
	case MOUSE_RELEASE:
		break;
	}
	return state->display.is_click_spent;
}

/* Returns the index of the result with @spec, which may have changed; 0: it is not there. */
static size_t find_spec(const struct finder *finder, const char *spec)
{
	for (size_t i = 0; i < result_count(finder); i++)
		if (strcmp(result_at(finder, i)->spec, spec) == 0)
			return i;
	return 0;
}

/* Returns the index of the event that is sampled, by its name or that without the modifiers; 0: it
 * is not there. */
static size_t find_sampled(const struct finder *finder, const char *event)
{
	char name[TARGET_SPEC_BYTES];
	const size_t at = find_spec(finder, event);
	char *modifiers;

	snprintf(name, sizeof(name), "%s", event);
	modifiers = strrchr(name, ':');
	if (at || !modifiers)
		return at;
	*modifiers = '\0';
	return find_spec(finder, name);
}

void finder_replied(struct ui_state *state)
{
	struct finder *finder = finder_of(state);
	const bool is_taking = finder->is_taking;
	const struct target_reply *reply;
	char spec[TARGET_SPEC_BYTES] = "";

	/* Before the next reply, which takes the old one back. */
	if (finder->has_moved && finder->cursor < result_count(finder))
		memcpy(spec, result_at(finder, finder->cursor)->spec, sizeof(spec));
	reply = state->finder_control->reply(state->finder_control->owner);
	if (!reply)
		return;
	finder->reply = reply;
	list_probes(state);
	finder->cursor = spec[0] ? find_spec(finder, spec) : 0;
	if (finder->is_seeking && state->shown)
		finder->cursor = find_sampled(finder, state->shown->event);
	if (finder->is_seeking && finder->cursor) {	/* found: it stays with it */
		finder->has_moved = true;
		finder->is_seeking = false;
	}
	if (!finder->is_open)
		return;
	state->is_changed = true;
	if (!is_replied(finder))
		return;
	if (finder->is_marking)
		mark_result(state);
	if (is_taking)
		take_result(state);
}

/* Probes left by dead instances were removed: they are not to be found any more. */
static void renew_results(struct ui_state *state, const struct probe_reply *reply)
{
	if (reply->kind == PROBE_SWEEP && state->finder_control)
		state->finder_control->renew(state->finder_control->owner);
}

static const char *const kinds[] = {
	[TARGET_KERNEL_FUNCTION] = "kernel", [TARGET_USER_FUNCTION] = "user",
	[TARGET_TRACEPOINT] = "trace", [TARGET_USDT] = "usdt", [TARGET_PRESET] = "preset",
	[TARGET_TYPED] = "typed", [TARGET_LEFTOVER] = "left",
	[TARGET_HARDWARE_EVENT] = "hw", [TARGET_SOFTWARE_EVENT] = "sw",
	[TARGET_CACHE_EVENT] = "cache", [TARGET_PMU_EVENT] = "pmu", [TARGET_EVENT_FORM] = "form",
	[TARGET_TRACEPOINT_EVENT] = "trace", [TARGET_PROBE] = "probe",
};

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

/* Computes the box; false: there is no room. */
static bool place_box(struct finder *finder, const struct canvas *canvas, int top, int bottom)
{
	finder->width = smaller(canvas->width - 2, WIDTH_MAX);
	finder->height = smaller(bottom - top, HEIGHT_MAX);
	if (finder->width < WIDTH_MIN)
		finder->width = canvas->width;
	if (finder->width < WIDTH_MIN || finder->height < HEIGHT_MIN) {
		finder->width = finder->height = 0;
		return false;
	}
	finder->x = (canvas->width - finder->width) / 2;
	finder->y = top + (bottom - top - finder->height) / 2;
	return true;
}

static void scroll_to_cursor(struct finder *finder)
{
	const size_t page = finder_page(finder);

	if (finder->cursor < finder->top)
		finder->top = finder->cursor;
	if (finder->cursor >= finder->top + page)
		finder->top = finder->cursor - page + 1;
}

static void draw_frame(const struct finder *finder, struct canvas *canvas)
{
	const char *keys = finder->is_picker
		? " Enter sample \u00b7 Tab edit \u00b7 Esc back \u00b7 Insert mark "
		: " Enter probe \u00b7 Tab edit \u00b7 Esc back ";
	struct canvas_area area = { finder->x + 2, finder->y, finder->width - 4 };
	char text[64];

	canvas_put_box(canvas, finder->x, finder->y, finder->width, finder->height, ROLE_BOX_DIM);
	for (int y = finder->y + 1; y < finder->y + finder->height - 1; y++)
		canvas_set_role(canvas, (struct canvas_area){ finder->x + 1, y, finder->width - 2 },
				ROLE_BOX);
	snprintf(text, sizeof(text), " %s ",
		 finder->is_picker ? "choose what to sample" : "find what to probe");
	if (finder->marked_count)
		snprintf(text, sizeof(text), " choose what to sample \u00b7 %zu marked ",
			 finder->marked_count);
	canvas_put_text(canvas, area, canvas_clean(text), ROLE_BOX);
	area.y += finder->height - 1;
	canvas_put_text(canvas, area, canvas_clean(keys), ROLE_BOX_DIM);
	if (result_count(finder) <= finder_page(finder))
		return;
	snprintf(text, sizeof(text), " %zu/%zu ", finder->cursor + 1, result_count(finder));
	if (canvas_text_width(canvas, text) + canvas_text_width(canvas, keys) <= area.width)
		canvas_put_right(canvas, area, canvas_clean(text), ROLE_BOX);
}

static void describe_count(const struct finder *finder, char *out, size_t room)
{
	char count[FORMAT_BYTES];
	const struct target_reply *reply = finder->reply;
	const bool is_old = reply && reply->number != finder->asked;

	if (!reply || (is_old && !result_count(finder)))
		snprintf(out, room, "loading names\u2026");
	else
		snprintf(out, room, "%s found%s%s",
			 format_count(count, finder->probe_count + reply->matches),
			 is_old ? "\u2026" : "", reply->is_loading ? " \u00b7 loading\u2026" : "");
}

static void draw_input(const struct finder *finder, struct canvas *canvas)
{
	struct canvas_area area = { finder->x + 1 + CURSOR_CELLS, finder->y + 1,
				    finder->width - 2 - CURSOR_CELLS - 1 };
	char text[64];
	int count;

	describe_count(finder, text, sizeof(text));
	count = smaller(canvas_text_width(canvas, text), area.width / 2);
	canvas_put_right(canvas, area, canvas_clean(text), ROLE_BOX_DIM);
	area.width -= count + GAP;
	prompt_draw_text(&finder->input, canvas, area);
}

/* Highlights the letters that matched, as far as they are drawn. */
static void mark_matched(struct canvas *canvas, struct canvas_area area,
			 const struct target_result *result)
{
	const char *text = result->shown;
	const int end = area.x + area.width -
			(canvas_text_width(canvas, text) > area.width);	/* the ellipsis */
	uint32_t code;

	for (unsigned int i = 0; i < 64 && *text && area.x < end; i++) {
		char letter[UTF8_MAX_BYTES + 1];
		const size_t bytes = utf8_decode(text, &code);

		memcpy(letter, text, bytes);
		letter[bytes] = '\0';
		text += bytes;
		area.width = canvas_text_width(canvas, letter);
		if (result->matched >> i & 1 && area.width)
			canvas_set_role(canvas, area, ROLE_MATCH);
		area.x += area.width;
	}
}

/* Draws what an event is after its name: in a column, as these are sentences to be read. */
static void draw_sentence(struct canvas *canvas, struct canvas_area area,
			  const struct target_result *result, enum role role, enum role quiet)
{
	const int names = larger(area.width * NAME_SHARE_PCT / 100, NAME_MIN);
	const struct canvas_area name = { area.x, area.y, names };

	canvas_put_text(canvas, name, canvas_clean(result->shown), role);
	mark_matched(canvas, name, result);
	area.x += names + GAP;
	area.width -= names + GAP;
	if (result->is_counted) {
		const int used = canvas_put_text(canvas, area, SAFE_TEXT("counted: "), quiet);

		area.x += used;
		area.width -= used;
	}
	canvas_put_text(canvas, area, canvas_clean(result->note), quiet);
}

static void draw_result(const struct finder *finder, struct canvas *canvas,
			struct canvas_area line, const struct target_result *result,
			bool is_cursor)
{
	const enum role plain = result->is_able ? ROLE_BOX : ROLE_BOX_DIM;
	const enum role role = is_cursor ? ROLE_BOX_CURSOR : plain;
	const int name_x = line.x + CURSOR_CELLS + KIND_CELLS;
	const int room = line.x + line.width - 1 - name_x;
	const int name = canvas_text_width(canvas, result->shown);
	const int wanted = result->note[0] ? GAP + canvas_text_width(canvas, result->note) : 0;
	const int note = smaller(wanted, larger(room - name, room / NOTE_SHARE));
	struct canvas_area area = { line.x, line.y, CURSOR_CELLS };

	canvas_set_role(canvas, line, role);
	if (is_cursor || !result->is_able)
		canvas_put_text(canvas, area, canvas_clean(is_cursor ? "\u25b8" : "!"), role);
	area = (struct canvas_area){ line.x + 1, line.y, 1 };
	if (find_mark(finder, result->spec) < finder->marked_count)
		canvas_put_text(canvas, area, canvas_clean("\u2022"), role);
	area = (struct canvas_area){ line.x + CURSOR_CELLS, line.y, KIND_CELLS - 1 };
	canvas_put_text(canvas, area, canvas_clean(kinds[result->kind]),
			is_cursor ? role : ROLE_BOX_DIM);
	if (finder->is_picker) {
		area = (struct canvas_area){ name_x, line.y, room };
		draw_sentence(canvas, area, result, role, is_cursor ? role : ROLE_BOX_DIM);
		return;
	}
	area = (struct canvas_area){ name_x, line.y, room - note };
	canvas_put_text(canvas, area, canvas_clean(result->shown), role);
	mark_matched(canvas, area, result);
	if (!note)
		return;
	area = (struct canvas_area){ name_x + room - note + GAP, line.y, note - GAP };
	canvas_put_right(canvas, area, canvas_clean(result->note), is_cursor ? role : ROLE_BOX_DIM);
}

/* Draws what could be typed, if nothing was found. */
static void draw_nothing(const struct finder *finder, struct canvas *canvas)
{
	static const char *const of_probes[] = {
		"Nothing is called that. Words may stand in any order, letters may be left out.",
		"k: kr: u: ur: t: U: lat: e: as the first letters choose a kind,",
		"/usr/bin/perl:pp_ searches a file that nobody runs,",
		"file.c:42, func+8, func%return, u:FILE:FUNC are taken as typed.",
	};
	static const char *const of_events[] = {
		"No event is called that. Words may stand in any order, letters may be left out.",
		"cycles:u is user code only, sched:* all tracepoints that match,",
		"r01c0 a code of the CPU's manual, cpu/event=0xc0/ one of a PMU,",
		"mem:0x601040:w writes to an address.",
	};
	const char *const *lines = finder->is_picker ? of_events : of_probes;
	struct canvas_area line = { finder->x + 1 + CURSOR_CELLS, finder->y + 2,
				    finder->width - 2 - CURSOR_CELLS - 1 };

	if (!is_replied(finder) || finder->reply->is_loading)
		return;
	for (size_t i = 0; i < sizeof(of_probes) / sizeof(of_probes[0]) && i < finder_page(finder);
	     i++) {
		canvas_put_text(canvas, line, canvas_clean(lines[i]), ROLE_BOX_DIM);
		line.y++;
	}
}

/* Writes the number of a preset's probes and the first of them. */
static void write_several(const struct target_result *result, char *out, size_t room)
{
	int count = 1;

	for (const char *at = result->spec; (at = strchr(at, '\n')); at++)
		count++;
	snprintf(out, room, "%d probes: %.*s", count, (int)strcspn(result->spec, "\n"),
		 result->spec);
}

/* Draws the spec of the chosen line, or what its own line may have cut. */
static void draw_chosen(const struct finder *finder, struct canvas *canvas)
{
	struct canvas_area line = { finder->x + 1 + CURSOR_CELLS, finder->y + finder->height - 2,
				    finder->width - 2 - CURSOR_CELLS - 1 };
	const struct target_result *result = result_at(finder, finder->cursor);
	char several[TARGET_SPEC_BYTES + 16];

	if (result->is_able && strchr(result->spec, '\n')) {
		write_several(result, several, sizeof(several));
		canvas_put_text(canvas, line, canvas_clean(several), ROLE_BOX_DIM);
	} else if (result->is_counted) {
		canvas_put_text(canvas, line, SAFE_TEXT("Enter counts it beside the samples: the "
							"counter line (=) and V have it"),
				ROLE_BOX_DIM);
	} else {
		canvas_put_text(canvas, line, canvas_clean(result->is_able && !result->is_event
							   ? result->spec : result->note),
				ROLE_BOX_DIM);
	}
}

static void draw_finder(struct ui_state *state, struct canvas *canvas, int top, int bottom)
{
	struct finder *finder = finder_of(state);
	struct canvas_area line;

	if (!place_box(finder, canvas, top, bottom))
		return;
	scroll_to_cursor(finder);
	draw_frame(finder, canvas);
	draw_input(finder, canvas);
	if (!result_count(finder)) {
		draw_nothing(finder, canvas);
		return;
	}
	line = (struct canvas_area){ finder->x + 1, finder->y + 2, finder->width - 2 };
	for (size_t i = 0; i < finder_page(finder); i++, line.y++)
		if (finder->top + i < result_count(finder))
			draw_result(finder, canvas, line,
				    result_at(finder, finder->top + i),
				    finder->top + i == finder->cursor);
	draw_chosen(finder, canvas);
}

/* The other keys are in the box's frame. */
static void draw_keys(struct ui_state *state, struct canvas *canvas, int y)
{
	static const char *const of_probes[] = { "u: k: functions", "t: tracepoints", "U: USDT",
						 "/FILE: of a file", "file.c:42" };
	static const char *const of_events[] = { "cycles:u user code", "sched:* all that match",
						 "rNNN raw", "pmu/terms/", "mem:ADDR:rw" };

	pieces_draw_keys(canvas, y, finder_of(state)->is_picker ? of_events : of_probes,
			 sizeof(of_probes) / sizeof(of_probes[0]));
}

static bool is_finder_open(const struct ui_state *state)
{
	return finder_of(state)->is_open;
}

const struct overlay_ops finder_ops = {
	.bytes = sizeof(struct finder),
	.is_open = is_finder_open,
	.press = press_in_finder,
	.click = click_in_finder,
	.replied = renew_results,
	.draw = draw_finder,
	.draw_keys = draw_keys,
};
