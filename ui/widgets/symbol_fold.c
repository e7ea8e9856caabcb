/* symbol_fold.c - see symbol_fold.h.
 *
 * Problem: brackets are not only lists: "operator<", "operator()", "a->b", "(anonymous namespace)",
 * Rust's "<T as Trait>".
 *
 * Idea: a list follows a name at once. An operator's whole name is skipped first. A list without an
 * end is left alone with all that follows: names may be cut, or made up, and each is parsed for
 * every frame.
 */
#include "symbol_fold.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define FOLDED	  "\u2026"
#define OPERATOR  "operator"
#define SYMBOLS	  "<>=!+-*/%^&|~,"	/* that an operator's name is made of */

struct folding {
	const char *name;	/* all of it; borrowed */
	const char *at;		/* the next token */
	char *out;
	size_t used;
	bool folds_templates;
	bool is_broken;		/* there was a bracket without its end */
};

static void put(struct folding *folding, const char *text, size_t bytes)
{
	const size_t room = SYMBOL_FOLD_BYTES - 1 - folding->used;

	if (bytes > room)
		bytes = room;
	memcpy(folding->out + folding->used, text, bytes);
	folding->used += bytes;
}

static void take(struct folding *folding, size_t bytes)
{
	put(folding, folding->at, bytes);
	folding->at += bytes;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/* Finds the bracket that closes @open. For "(" only round ones count; for "<" both, since "a > b"
 * may be inside round ones. */
static const char *find_end(const char *open)
{
	int angles = 0, rounds = 0;

	for (const char *at = open; *at; at++) {
		if (*at == '(')
			rounds++;
		else if (*at == ')')
			rounds--;
		else if (*open == '<' && rounds == 0 && *at == '<')
			angles++;
		else if (*open == '<' && rounds == 0 && *at == '>' && at[-1] != '-')
			angles--;
		if (rounds < 0)
			return NULL;
		if (rounds == 0 && angles == 0)
			return at;
	}
	return NULL;
}

/* Takes a list and leaves out what is in it. */
static void fold_list(struct folding *folding)
{
	const char *end = folding->is_broken ? NULL : find_end(folding->at);

	if (!end) {
		folding->is_broken = true;
		take(folding, 1);
		return;
	}
	take(folding, 1);
	if (folding->at < end)
		put(folding, FOLDED, strlen(FOLDED));
	folding->at = end;
	take(folding, 1);
}

static bool is_list(const struct folding *folding)
{
	const char before = folding->at > folding->name ? folding->at[-1] : ' ';

	if (*folding->at == '(')
		return is_word(before) || strchr(">]}!", before);
	return *folding->at == '<' && folding->folds_templates &&
	       (is_word(before) || before == ':' || before == ']');
}

static bool is_operator(const struct folding *folding)
{
	const char *after = folding->at + strlen(OPERATOR);

	return (folding->at == folding->name || !is_word(folding->at[-1])) &&
	       !strncmp(folding->at, OPERATOR, strlen(OPERATOR)) && !is_word(*after);
}

/* Takes the name of an operator, and the templates that follow it after a space. */
static void take_operator(struct folding *folding)
{
	take(folding, strlen(OPERATOR));
	if (!strncmp(folding->at, "()", 2) || !strncmp(folding->at, "[]", 2))
		take(folding, 2);
	else
		take(folding, strspn(folding->at, SYMBOLS));
	if (!strncmp(folding->at, " <", 2)) {
		take(folding, 1);
		if (folding->folds_templates)
			fold_list(folding);
	}
	if (*folding->at == '(')
		fold_list(folding);
}

static void fold(const char *name, bool folds_templates, char *out)
{
	struct folding folding = { .name = name, .at = name, .out = out,
				   .folds_templates = folds_templates };

	while (*folding.at && folding.used < SYMBOL_FOLD_BYTES - 1) {
		if (is_operator(&folding))
			take_operator(&folding);
		else if (is_list(&folding))
			fold_list(&folding);
		else
			take(&folding, 1);
	}
	out[folding.used] = '\0';
}

const char *symbol_fold(const struct canvas *canvas, const char *name, int width, char *out)
{
	if (canvas_text_width(canvas, name) <= width)
		return name;
	fold(name, false, out);
	if (canvas_text_width(canvas, out) > width)
		fold(name, true, out);
	return out;
}

enum role row_role_of_share(double pct)
{
	if (pct >= ROW_ROLE_HOT_PCT)
		return ROLE_HOT;
	return pct >= ROW_ROLE_WARM_PCT ? ROLE_WARM : ROLE_COOL;
}

enum role row_role_of_code(enum cpu_mode mode, bool is_run_time)
{
	switch (mode) {
	case MODE_KERNEL:
	case MODE_HYPERVISOR:
		return ROLE_KERNEL;
	case MODE_GUEST_KERNEL:
	case MODE_GUEST_USER:
		return ROLE_GUEST;
	case MODE_USER:
		return is_run_time ? ROLE_JIT : ROLE_USER;
	case MODE_UNKNOWN:
		break;
	}
	return ROLE_UNRESOLVED;
}
