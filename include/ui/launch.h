/* launch.h - the words of the command line that say what is sampled, as given to the option parser
 * and changed on the screen since.
 * Thread: one at a time: main, then the ui's. */
#ifndef UI_LAUNCH_H
#define UI_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#define COMMAND_LINE_BYTES 4096	/* longer command lines are not offered */
#define LAUNCH_BYTES	   1024	/* longest words of one kind */

/* Each kind of words can be replaced on the screen without the others. */
enum launch_kind {
	LAUNCH_TARGET,		/* -a -p -t -u -G */
	LAUNCH_CPUS,		/* -C */
	LAUNCH_EVENTS,		/* -e and the --filter of each */
	LAUNCH_RATE,		/* -F -c */
	LAUNCH_SOURCE,		/* -i --diff --call-graph and other options about the samples */
	LAUNCH_COMMAND,		/* the words after -- */
	LAUNCH_KINDS
};

/* Options as given on the command line, quoted for the shell, separated by one blank. */
struct launch {
	char words[LAUNCH_KINDS][LAUNCH_BYTES];
	bool is_only_probes;	/* --probe without -e: no other event is sampled */
	bool is_cut;		/* words were left out: there was no room */
};

/* Adds an option by its letter, or if that is 0 by its long @name. @value NULL: it has none. */
void launch_add(struct launch *launch, enum launch_kind kind, char letter, const char *name,
		const char *value);
/* Adds a word that is no option. */
void launch_add_word(struct launch *launch, enum launch_kind kind, const char *word);

/* Appends @word to the text in @out[@room] as one word of sh(1), with a blank before it unless the
 * text is empty. A word with control characters is in $'...', which bash, zsh and POSIX.1-2024
 * have, so that it can be shown and copied on one line. False: no room, the text is as before. */
bool launch_append(char *out, size_t room, const char *word);

struct source_change;
/* Replaces the words of @launch that a change on the screen made obsolete. */
void launch_change_source(struct launch *launch, const struct source_change *change);

#endif
