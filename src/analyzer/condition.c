/* condition.c - see analyzer/condition.h. */
#include "analyzer/condition.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/sanitize.h"

#define FORMS "'busy > 90', 'samples < 10', 'lost > 0' or 'NAME p99 > 50ms', where NAME is a probe"
#define PROBE_STATS "count, rate, p50, p90, p99, max or avg"

static const struct {
	const char *name;
	bool is_of_probe;
} stats[CONDITION_STATS] = {
	[CONDITION_BUSY] = { "busy", false },	    [CONDITION_SAMPLES] = { "samples", false },
	[CONDITION_LOST] = { "lost", false },	    [CONDITION_COUNT] = { "count", true },
	[CONDITION_RATE] = { "rate", true },	    [CONDITION_P50] = { "p50", true },
	[CONDITION_P90] = { "p90", true },	    [CONDITION_P99] = { "p99", true },
	[CONDITION_MAX] = { "max", true },	    [CONDITION_AVG] = { "avg", true },
};

/* What is being parsed. */
struct condition_text {
	const char *text, *end;
	struct diag *why;
};

static int refuse(const struct condition_text *of, const char *at, const char *sentence)
{
	return diag_set(of->why, -EINVAL, "%s: column %zu: %s", of->text,
			(size_t)(at - of->text) + 1, sentence);
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && isspace((unsigned char)*at))
		at++;
	return at;
}

/* Returns the end of what stands before @end, without the blanks there. */
static const char *trim(const char *begin, const char *end)
{
	while (end > begin && isspace((unsigned char)end[-1]))
		end--;
	return end;
}

/* The last one, as names of probes can have others. NULL: there is none. */
static const char *find_operator(const struct condition_text *of)
{
	for (const char *at = of->end; at-- > of->text;)
		if (*at == '<' || *at == '>')
			return at;
	return NULL;
}

static bool is_word(const char *begin, const char *end, const char *word)
{
	return (size_t)(end - begin) == strlen(word) &&
	       !strncmp(begin, word, (size_t)(end - begin));
}

static bool find_stat(const char *begin, const char *end, bool is_of_probe,
			enum condition_stat *out)
{
	for (int i = 0; i < CONDITION_STATS; i++)
		if (stats[i].is_of_probe == is_of_probe && is_word(begin, end, stats[i].name)) {
			*out = (enum condition_stat)i;
			return true;
		}
	return false;
}

/* Reads what is compared: "busy", or "NAME p99" up to @end. */
static int parse_left(struct condition *out, const struct condition_text *of, const char *end)
{
	const char *begin = skip_blanks(of->text, of->end), *word;
	enum condition_stat alone;

	end = trim(begin, end);
	if (begin == end)
		return refuse(of, begin, "what is compared is missing; a condition is " FORMS);
	for (word = end; word > begin && !isspace((unsigned char)word[-1]); word--)
		;
	if (word == begin) {
		if (find_stat(word, end, false, &out->stat))
			return 0;
		return refuse(of, word, find_stat(word, end, true, &alone)
			      ? "the name of a probe is missing before it, as in 'read p99 > 50ms'"
			      : "it is none of busy, samples and lost; of a probe say which stat: "
				"NAME count, rate, p50, p90, p99, max or avg");
	}
	if (!find_stat(word, end, true, &out->stat))
		return refuse(of, word, "it is no stat of a probe: " PROBE_STATS);
	end = trim(begin, word);
	snprintf(out->probe, sizeof(out->probe), "%.*s", (int)(end - begin), begin);
	return 0;
}

static bool scale_time(const char *unit, const char *end, double *value)
{
	static const struct { const char *name; double ns; } units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "\u00b5s", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (is_word(unit, end, units[i].name)) {
			*value *= units[i].ns;
			return true;
		}
	return false;
}

static bool scale_count(enum condition_stat stat, const char *unit, const char *end,
			double *value)
{
	if (stat == CONDITION_BUSY)
		return unit == end || is_word(unit, end, "%");
	if (stat == CONDITION_RATE && end - unit >= 2 && !strncmp(end - 2, "/s", 2))
		end -= 2;
	if (is_word(unit, end, "k") || is_word(unit, end, "K"))
		*value *= 1e3;
	else if (is_word(unit, end, "M"))
		*value *= 1e6;
	else
		return unit == end;
	return true;
}

static int parse_limit(struct condition *out, const struct condition_text *of, const char *at)
{
	const char *begin = skip_blanks(at, of->end), *end = trim(begin, of->end), *unit;
	char *rest;

	if (begin == end)
		return refuse(of, begin, "a number is missing, as in 'busy > 90'");
	if (!isdigit((unsigned char)*begin) && *begin != '.')
		return refuse(of, begin, "this is no number");
	out->limit = strtod(begin, &rest);
	if (!isfinite(out->limit))
		return refuse(of, begin, "this number is too large");
	unit = skip_blanks(rest, end);
	if (condition_needs_latency(out))
		return scale_time(unit, end, &out->limit) ? 0
		       : refuse(of, unit, "a unit of time is needed: ns, us, ms or s");
	if (scale_count(out->stat, unit, end, &out->limit))
		return 0;
	return refuse(of, unit, out->stat == CONDITION_BUSY
		      ? "busy is in %: nothing else can follow the number"
		      : "nothing can follow the number but k or M");
}

int condition_parse(struct condition *out, const char *text, struct diag *why)
{
	const struct condition_text of = { .text = text, .end = text + strlen(text), .why = why };
	const char *sign = find_operator(&of);
	int err;

	*out = (struct condition){ .limit = 0 };
	if (strlen(text) >= CONDITION_BYTES / 4)	/* sanitized it may be four times as long */
		return diag_set(why, -EINVAL, "a condition of %zu bytes is too long: at most %d",
				strlen(text), CONDITION_BYTES / 4 - 1);
	sanitize_text(out->text, sizeof(out->text), text, strlen(text));
	if (!sign)
		return refuse(&of, of.end,
			      "a comparison is missing: > or <; a condition is " FORMS);
	err = parse_left(out, &of, sign);
	if (err)
		return err;
	out->comparison = *sign == '>' ? CONDITION_ABOVE : CONDITION_BELOW;
	if (*++sign == '=') {
		out->comparison++;
		sign++;
	}
	return parse_limit(out, &of, sign);
}

bool condition_needs_latency(const struct condition *condition)
{
	return condition->stat >= CONDITION_P50;
}

char *condition_format(char out[CONDITION_VALUE_BYTES], const struct condition *condition,
		       double value)
{
	static const struct { double ns; const char *name; } units[] = {
		{ 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" },
	};
	size_t i = 0;

	if (condition_needs_latency(condition)) {
		while (i + 1 < sizeof(units) / sizeof(units[0]) && value < units[i].ns)
			i++;
		snprintf(out, CONDITION_VALUE_BYTES, "%.3g %s", value / units[i].ns, units[i].name);
	} else if (condition->stat == CONDITION_BUSY) {
		snprintf(out, CONDITION_VALUE_BYTES, "%.1f %%", value);
	} else {
		snprintf(out, CONDITION_VALUE_BYTES, "%.0f%s", value,
			 condition->stat == CONDITION_RATE ? "/s" : "");
	}
	return out;
}

static bool is_fulfilled(const struct condition *condition, double value)
{
	switch (condition->comparison) {
	case CONDITION_ABOVE:	 return value > condition->limit;
	case CONDITION_AT_LEAST: return value >= condition->limit;
	case CONDITION_BELOW:	 return value < condition->limit;
	case CONDITION_AT_MOST:	 return value <= condition->limit;
	}
	return false;
}

bool condition_note(const struct condition *condition, struct condition_state *state, bool is_known,
		    double value, uint64_t end_ns)
{
	const bool was_true = state->is_true;

	state->is_known = is_known;
	state->value = is_known ? value : 0;
	state->is_true = is_known && is_fulfilled(condition, value);
	if (!state->is_true || was_true)
		return false;
	state->fired++;
	state->fired_ns = end_ns;
	return true;
}
