/* filter.c - see fold/filter.h.
 *
 * Problem: an expression of thirty letters can take gigabytes to compile, or hours to match one
 * long name, and names come from untrusted files. Idea: refuse the two features that do that, as
 * neither is needed to find a name: many repetitions (counted as if all were nested), and back
 * references.
 */
#include "fold/filter.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
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

uint64_t filter_hash(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325ull;	/* FNV-1a: the same in every run and snapshot */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3ull;
	return hash;
}

int filter_check_text(const char *text, struct diag *why)
{
	struct filter_text compiled;
	int err;

	if (strnlen(text, FILTER_TEXT_BYTES) == FILTER_TEXT_BYTES)
		return diag_set(why, -EINVAL, "a filter's text has at most %d bytes",
				FILTER_TEXT_BYTES - 1);
	err = filter_text_init(&compiled, text, why);
	if (!err)
		filter_text_finish(&compiled);
	return err;
}

int filter_parse_text(const char *text, struct filter_part *out, struct diag *why)
{
	const bool is_negated = text[0] == '!';
	int err;

	*out = (struct filter_part){ .field = FILTER_TEXT, .is_negated = is_negated };
	text += is_negated;
	err = filter_check_text(text, why);
	if (!err)
		strcpy(out->text, text);
	return err;
}

static bool is_same(const struct filter_part *a, const struct filter_part *b)
{
	if (a->field != b->field || a->is_negated != b->is_negated)
		return false;
	switch (a->field) {
	case FILTER_TEXT:
		return !strcmp(a->text, b->text);
	case FILTER_COMMAND:
	case FILTER_DSO:
	case FILTER_CGROUP:
	case FILTER_UNIT:
	case FILTER_CONTAINER:
	case FILTER_POD:
	case FILTER_WAIT:
	case FILTER_STATE:
	case FILTER_WAKER:
		return a->hash == b->hash;
	case FILTER_SYMBOL:
	case FILTER_BY:
		return a->hash == b->hash && a->number == b->number;
	case FILTER_PID:
	case FILTER_TID:
	case FILTER_CPU:
		return a->number == b->number;
	case FILTER_KERNEL:
	case FILTER_USER:
		break;
	}
	return true;
}

bool filter_is_same(const struct filter *a, const struct filter *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (!is_same(&a->parts[i], &b->parts[i]))
			return false;
	return true;
}

int filter_find(const struct filter *filter, const struct filter_part *part)
{
	for (uint32_t i = 0; i < filter->count; i++)
		if (is_same(&filter->parts[i], part))
			return (int)i;
	return -1;
}

static uint32_t count_by(const struct filter *filter)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < filter->count; i++)
		count += filter->parts[i].field == FILTER_BY;
	return count;
}

int filter_add(struct filter *filter, const struct filter_part *part, struct diag *why)
{
	int err = part->field == FILTER_TEXT ? filter_check_text(part->text, why) : 0;

	if (err || filter_find(filter, part) >= 0)
		return err;
	if (filter->count == FILTER_PARTS)
		return diag_set(why, -ENOSPC, "a filter has at most %d parts: remove one first",
				FILTER_PARTS);
	if (part->field == FILTER_BY && count_by(filter) == FILTER_BY_PARTS)
		return diag_set(why, -ENOSPC, "a filter has at most %d keys of a probe: remove one "
				"first", FILTER_BY_PARTS);
	filter->parts[filter->count++] = *part;
	return 0;
}

void filter_remove(struct filter *filter, uint32_t index)
{
	if (index >= filter->count)
		return;
	filter->count--;
	memmove(&filter->parts[index], &filter->parts[index + 1],
		(filter->count - index) * sizeof(filter->parts[0]));
}

/* What stands before a name that does not say of what it is. */
static const char *kind_of_name(enum filter_field field)
{
	switch (field) {
	case FILTER_CGROUP:	return "cgroup ";
	case FILTER_CONTAINER:	return "container ";
	case FILTER_POD:	return "pod ";
	case FILTER_WAIT:	return "wait ";
	case FILTER_STATE:	return "state ";
	case FILTER_WAKER:	return "waker ";
	default:		return "";
	}
}

char *filter_format_part(const struct filter_part *part, char *out)
{
	const char *no = part->is_negated ? "without " : "";
	const size_t cap = FILTER_PART_BYTES;
	const char *quote = part->text[0] == '~' ? "" : "\"";

	switch (part->field) {
	case FILTER_TEXT:
		snprintf(out, cap, "%s%s%s%s", no, quote, part->text, quote);
		break;
	case FILTER_COMMAND:
	case FILTER_DSO:
	case FILTER_SYMBOL:
	case FILTER_CGROUP:
	case FILTER_UNIT:
	case FILTER_CONTAINER:
	case FILTER_POD:
	case FILTER_WAIT:
	case FILTER_STATE:
	case FILTER_WAKER:
	case FILTER_BY:
		snprintf(out, cap, "%s%s%s", no, kind_of_name(part->field), part->text);
		break;
	case FILTER_PID:
		snprintf(out, cap, "%spid %" PRIu64, no, part->number);
		break;
	case FILTER_TID:
		snprintf(out, cap, "%stid %" PRIu64, no, part->number);
		break;
	case FILTER_CPU:
		snprintf(out, cap, "%sCPU %" PRIu64, no, part->number);
		break;
	case FILTER_KERNEL:
		snprintf(out, cap, "%s", part->is_negated ? "no kernel" : "kernel code");
		break;
	case FILTER_USER:
		snprintf(out, cap, "%s", part->is_negated ? "no user" : "user code");
		break;
	}
	return out;
}
