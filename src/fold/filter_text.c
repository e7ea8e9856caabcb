/* filter_text.c - see fold/filter_text.h.
 *
 * Problem: an expression of thirty letters can take gigabytes to compile, or hours to match one
 * long name, and names come from untrusted files. Idea: refuse the two features that do that, as
 * neither is needed to find a name: many repetitions (counted as if all were nested), and back
 * references.
 */
#include "fold/filter_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define REPEATS_MAX 100	/* with it the worst 127 bytes are compiled in 80 ms; with 1000 in 2 s */

static bool has_upper_case(const char *text)
{
	for (; *text; text++)
		if (isupper((unsigned char)*text))
			return true;
	return false;
}

/* The larger number of "2,5}"; 1: it has none. */
static uint64_t read_repeats(const char *braces)
{
	char *end;
	unsigned long repeats = strtoul(braces, &end, 10);

	if (*end == ',') {
		const unsigned long last = strtoul(end + 1, NULL, 10);

		repeats = last > repeats ? last : repeats;
	}
	if (repeats > REPEATS_MAX)
		return REPEATS_MAX + 1;
	return repeats ? repeats : 1;
}

static int check_cost(const char *regex, struct diag *why)
{
	uint64_t repeats = 1;

	for (const char *at = regex; *at; at++) {
		if (*at == '\\' && at[1]) {
			if (isdigit((unsigned char)*++at))
				return diag_set(why, -EINVAL, "\"%s\" refers back to what it "
						"found, which may take hours: write it out", regex);
		} else if (*at == '{') {
			repeats *= read_repeats(at + 1);
		}
		if (repeats > REPEATS_MAX)
			return diag_set(why, -EINVAL, "\"%s\" repeats too often: its braces may "
					"ask for %d times in all", regex, REPEATS_MAX);
	}
	return 0;
}

int filter_text_init(struct filter_text *out, const char *text, struct diag *why)
{
	char reason[128];
	int flags, err;

	*out = (struct filter_text){
		.text = text, .is_regex = text[0] == '~', .has_capital = has_upper_case(text),
	};
	if (!out->is_regex)
		return 0;
	err = check_cost(text + 1, why);
	if (err) {
		memset(out, 0, sizeof(*out));
		return err;
	}
	flags = REG_EXTENDED | REG_NOSUB | (out->has_capital ? 0 : REG_ICASE);
	err = regcomp(&out->regex, text + 1, flags);
	if (!err)
		return 0;
	regerror(err, &out->regex, reason, sizeof(reason));
	memset(out, 0, sizeof(*out));
	return diag_set(why, err == REG_ESPACE ? -ENOMEM : -EINVAL,
			"\"%s\" is no regular expression (%s): correct it, or leave the ~ out to "
			"look for plain text", text + 1, reason);
}

void filter_text_finish(struct filter_text *text)
{
	if (text->is_regex)
		regfree(&text->regex);
	memset(text, 0, sizeof(*text));
}

bool filter_text_matches(const struct filter_text *text, const char *name)
{
	if (text->is_regex)
		return !regexec(&text->regex, name, 0, NULL, 0);
	return text->has_capital ? strstr(name, text->text) : strcasestr(name, text->text);
}
