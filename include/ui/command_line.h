/* command_line.h - the command line of flametop that prints the present view without a screen.
 *
 * Use:    the option parser keeps the words of the source as they were given (struct launch); the
 *         page of :command shows the line that is made of them and of what the screen shows now.
 * Thread: one at a time: main, then the ui's.
 */
#ifndef UI_COMMAND_LINE_H
#define UI_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

#define COMMAND_LINE_BYTES 4096	/* what is longer is not offered */
#define LAUNCH_BYTES	   1024	/* the same for the words of one kind */
#define COMMAND_LINE_NOTES 24
#define COMMAND_LINE_NOTE_BYTES 240

/* Each kind of words can be replaced on the screen without the others. */
enum launch_kind {
	LAUNCH_TARGET,		/* -a -p -t -u -G */
	LAUNCH_CPUS,		/* -C */
	LAUNCH_EVENTS,		/* -e and the --filter of each */
	LAUNCH_RATE,		/* -F -c */
	LAUNCH_SOURCE,		/* -i --diff --call-graph and whatever else bears on the samples */
	LAUNCH_COMMAND,		/* the words behind -- */
	LAUNCH_KINDS
};

/* Options as they were given on the command line, quoted for the shell, one blank between. */
struct launch {
	char words[LAUNCH_KINDS][LAUNCH_BYTES];
	bool is_only_probes;	/* --probe without -e: nothing else is sampled */
	bool is_cut;		/* words were left out: there was no room */
};

/* Adds an option: its letter, or 0 for its long @name; @value NULL: it has none. */
void launch_add(struct launch *launch, enum launch_kind kind, char letter, const char *name,
		const char *value);
/* Adds a word that is no option. */
void launch_add_word(struct launch *launch, enum launch_kind kind, const char *word);

/* Appends @word to the text in @out[@room] as one word of sh(1), with a blank before it unless the
 * text is empty. False: no room, the text is as before. */
bool command_line_add_word(char *out, size_t room, const char *word);

struct command_line {
	char text[COMMAND_LINE_BYTES];
	bool is_cut;		/* there was no room: the line is not whole */
	size_t note_count;	/* sentences: what no option says */
	char notes[COMMAND_LINE_NOTES][COMMAND_LINE_NOTE_BYTES];
};

struct source_change;
/* Puts what was changed on the screen in the place of what was given. */
void command_line_change_source(struct launch *launch, const struct source_change *change);

struct ui_state;
/* The line for what @state shows. */
void command_line_make(const struct ui_state *state, struct command_line *out);

#endif
