/* presets.h - presets: probes for usual questions, read from text.
 *
 * A preset is a paragraph of lines KEY = VALUE below its [NAME]; a line that begins with a blank
 * goes on with the value before it, # begins a comment, | is a line of the example:
 *
 *   [ext4slower]
 *   title = slow ext4 operations         words by which the finder shows and finds it
 *   also = ext4dist                      other names of it, or tools for the same question
 *   about = operations of ext4 that ...  one sentence: what it shows, and its limitations
 *   needs = kprobes                      what not every kernel or program has
 *   machine = x86_64                     only there, as uname(2) calls it
 *   arg = MS=10 milliseconds             parameter, its value if none is given, what it is;
 *                                        NAME... takes all words that are left
 *   probe = lat:ext4_file_open if lat > ${MS}ms        a spec, see probe/probe_spec.h; several
 *                                        lines are several probes
 *   column = ret 0, or the error         a value and what it means
 *   | $ flametop --preset ...            what a run printed
 *
 * Source: the presets of flametop are src/finder/presets.in; users add their own.
 * Thread: any for constant presets; presets_read() changes them.
 */
#ifndef FINDER_PRESETS_H
#define FINDER_PRESETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "probe/probe_spec.h"

#define PRESET_PROBES_MAX     8
#define PRESET_PARAMETERS_MAX 6
#define PRESET_COLUMNS_MAX    12
#define PRESET_NAME_BYTES     32
#define PRESET_TITLE_BYTES    64
#define PRESET_ABOUT_BYTES    200	/* the finder's note */
#define PRESET_ALSO_BYTES     128
#define PRESET_LINE_BYTES     480	/* other values: a spec with its parameters fits */

/* A name with what it means. */
struct preset_entry {
	const char *name, *text;	/* text: "" if there is none */
};

struct preset_parameter {
	const char *name, *text;
	const char *value;	/* if none is given; NULL: one must be */
	bool takes_rest;	/* its value is all words that are left; the last one only */
};

/* All texts are owned by the presets and sanitized. */
struct preset {
	const char *name;	/* one word: "ext4slower" */
	const char *title;	/* "slow ext4 operations" */
	const char *also;	/* other names, separated by blanks; "": none */
	const char *about;
	const char *needs;	/* "": nothing special */
	const char *example;	/* lines of a run; "": none */
	struct preset_parameter parameters[PRESET_PARAMETERS_MAX];
	const char *probes[PRESET_PROBES_MAX];	/* specs with ${NAME} for parameters */
	struct preset_entry columns[PRESET_COLUMNS_MAX];
	uint32_t parameter_count, probe_count, column_count;
};

struct presets;

/* Creates the presets that flametop comes with. 0 or -ENOMEM. */
int presets_create(struct presets **out);
void presets_destroy(struct presets *presets);	/* NULL is fine */

/* Adds those of @text, which may be anything; one with the name of another replaces it. For each
 * line that can't be used writes "PATH:LINE:COLUMN: why" to @problems, by safe_print(); all other
 * lines have their effect. Returns the number of problems or -ENOMEM. */
int presets_read(struct presets *presets, const char *text, const char *path, FILE *problems);

size_t presets_count(const struct presets *presets);
/* Returns preset @index in the order of the text. BORROWED until the next presets_read(). */
const struct preset *presets_at(const struct presets *presets, size_t index);
/* Returns the preset of that name or, if there is none, the first that has it in `also`; else
 * NULL. */
const struct preset *presets_find(const struct presets *presets, const char *name);

/* A preset with values for its parameters. */
struct preset_use {
	const struct preset *preset;	/* BORROWED */
	uint32_t count;
	char specs[PRESET_PROBES_MAX][PROBE_SPEC_BYTES];
};

/* Fills *@out for @text, "NAME VALUE..."; a value is for the next parameter, or NAME=VALUE for the
 * one of that name; blanks in double quotes separate nothing. 0; -ENOENT: there is no such preset,
 * @why has the nearest name; -EINVAL: a value is missing or one too many. The specs are not
 * parsed. */
int presets_use(const struct presets *presets, const char *text, struct preset_use *out,
		struct diag *why);

/* Fills *@out for @preset with the values that its parameters have when none is given. False: one
 * must be given. Then `specs` end before the first that must. */
bool preset_use_defaults(const struct preset *preset, struct preset_use *out);

/* Writes the specs of @use, a line each. Returns the length as snprintf(). */
size_t preset_use_join(const struct preset_use *use, char *out, size_t room);

/* Writes "NAME PARAMETER [PARAMETER]...", as it may be typed. Returns its length as snprintf(). */
size_t preset_usage(const struct preset *preset, char *out, size_t room);

#endif
