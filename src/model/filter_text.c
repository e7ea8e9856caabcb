/* filter_text.c - see model/filter_text.h. */
#include "model/filter_text.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static bool has_upper_case(const char *text)
{
	for (; *text; text++)
		if (isupper((unsigned char)*text))
			return true;
	return false;
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
