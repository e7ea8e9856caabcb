/* target_match.c - see target_match.h.
 *
 * Problem: "vr" is in 20,000 names of a kernel. The one that is meant is where the letters begin
 * words or stand together; which letters of a name to take for that is a choice.
 *
 * Idea: sequence alignment. For letter i of the word at place j of the name:
 *
 *   ends[i][j] = best[i-1][j-1] + bonus(j)    or   ends[i-1][j-1] + ADJACENT
 *   best[i][j] = ends[i][j]                   or   best[i][j-1] - GAP
 *
 * Most names need no table: the bits of their letters differ. For the others only the places
 * between the leftmost and the rightmost match are filled in.
 *
 * Rejected: the first way that matches, without a table. It is no faster (most time goes to names
 * that don't match) and takes the "re" of "core_read" from "core".
 */
#include "target_match.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "finder/one_liner.h"

#define BIT(kind)	(1u << (kind))
#define EVENTS		(BIT(TARGET_TRACEPOINT_EVENT + 1) - BIT(TARGET_HARDWARE_EVENT))
#define ANY_KIND	(BIT(TARGET_TRACEPOINT_EVENT) - 1)	/* a tracepoint is found once */

static const struct kind_prefix {
	const char *text;
	unsigned int kinds;
} prefixes[] = {
	{ "k:", BIT(TARGET_KERNEL_FUNCTION) }, { "kr:", BIT(TARGET_KERNEL_FUNCTION) },
	{ "u:", BIT(TARGET_USER_FUNCTION) }, { "ur:", BIT(TARGET_USER_FUNCTION) },
	{ "t:", BIT(TARGET_TRACEPOINT) }, { "U:", BIT(TARGET_USDT) },
	{ "lat:", BIT(TARGET_KERNEL_FUNCTION) | BIT(TARGET_USER_FUNCTION) },
	{ TARGET_EVENTS, EVENTS },
};

/* Consumes the kind at the start of @text; returns what follows. */
static const char *take_prefix(struct target_query *query, const char *text)
{
	query->kinds = ANY_KIND;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		const size_t length = strlen(prefixes[i].text);

		if (strncmp(text, prefixes[i].text, length) != 0)
			continue;
		snprintf(query->prefix, sizeof(query->prefix), "%s", prefixes[i].text);
		query->kinds = prefixes[i].kinds;
		return text + length;
	}
	return text;
}

/* True: @text is a path: "/bin/app", "./app", "../app", "bin/app:main". */
static bool is_path(const char *text, size_t length)
{
	return length > 1 && memchr(text, '/', length);
}

/* Consumes a path, which ends before a colon or a blank; the rest is searched in that file. */
static const char *take_path(struct target_query *query, const char *text)
{
	const size_t length = strcspn(text, ": ");

	if (!is_path(text, length) || query->kinds == EVENTS)
		return text;
	memcpy(query->path, text, length);
	query->path[length] = '\0';
	query->kinds &= BIT(TARGET_USER_FUNCTION) | BIT(TARGET_USDT);
	return text + length + (text[length] == ':');
}

void target_query_make(struct target_query *out, const char *text)
{
	const char *rest;

	*out = (struct target_query){ .kinds = 0 };
	snprintf(out->text, sizeof(out->text), "%s", text + strspn(text, " "));
	out->is_one_liner = one_liner_is(out->text);
	if (out->is_one_liner)
		return;
	rest = take_path(out, take_prefix(out, out->text));
	snprintf(out->words, sizeof(out->words), "%s", rest);
	target_pattern_make(&out->pattern, out->words);
}

const char *target_query_prefix(const struct target_query *query, enum target_kind_found kind)
{
	switch (kind) {
	case TARGET_KERNEL_FUNCTION:
	case TARGET_USER_FUNCTION:
		return query->prefix[0] ? query->prefix : "lat:";
	case TARGET_TRACEPOINT:
		return "t:";
	case TARGET_USDT:
		return "U:";
	case TARGET_PRESET:
	case TARGET_TYPED:
	case TARGET_LEFTOVER:
	case TARGET_HARDWARE_EVENT:
	case TARGET_SOFTWARE_EVENT:
	case TARGET_CACHE_EVENT:
	case TARGET_PMU_EVENT:
	case TARGET_EVENT_FORM:
	case TARGET_TRACEPOINT_EVENT:
	case TARGET_PROBE:
		break;
	}
	return "";
}

/* Two letters side by side are worth more than two that begin words; everything is worth more than
 * what gaps can take away in a name of usual length. */
#define ADJACENT	200
#define AT_BEGIN	190
#define AT_WORD		160
#define AT_CAPITAL	140
#define GAP		2
#define LEADING		1
#define TRAILING	1
#define EXACT		1000	/* more than any other difference between names of that length */
#define NOTHING		(INT32_MIN / 2)		/* no score; leaves room to subtract more */

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

static unsigned int letter_bit(char c)
{
	const unsigned char byte = (unsigned char)fold(c);

	if (byte >= 'a' && byte <= 'z')
		return byte - 'a';
	if (byte >= '0' && byte <= '9')
		return 26u + byte - '0';
	return 36u + byte % 28u;
}

uint64_t target_match_letters(const char *text, size_t length)
{
	uint64_t letters = 0;

	for (size_t i = 0; i < length; i++)
		letters |= (uint64_t)1 << letter_bit(text[i]);
	return letters;
}

static void add_word(struct target_pattern *pattern, const char *text, size_t length)
{
	struct target_word *word = &pattern->words[pattern->count++];

	word->length = length < TARGET_WORD_BYTES ? length : TARGET_WORD_BYTES;
	for (size_t i = 0; i < word->length; i++)
		word->letters[i] = pattern->has_case ? text[i] : fold(text[i]);
	pattern->letters |= target_match_letters(word->letters, word->length);
}

static bool is_glob(const struct target_pattern *pattern)
{
	const struct target_word *word = &pattern->words[0];

	if (pattern->count != 1 || word->length == TARGET_WORD_BYTES)
		return false;
	for (size_t i = 0; i < word->length; i++)
		if (strchr("*?[", word->letters[i]))
			return true;
	return false;
}

void target_pattern_make(struct target_pattern *out, const char *text)
{
	size_t length;

	*out = (struct target_pattern){ .count = 0 };
	for (const char *at = text; *at; at++)
		out->has_case |= is_capital(*at);
	for (; *text && out->count < TARGET_WORDS_MAX; text += length) {
		text += strspn(text, " ");
		length = strcspn(text, " ");
		if (length)
			add_word(out, text, length);
	}
	out->is_glob = is_glob(out);
	if (out->is_glob)
		out->letters = 0;
}

static bool is_letter_at(const struct target_pattern *pattern, const struct target_text *text,
			 size_t place, char letter)
{
	return (pattern->has_case ? text->at[place] : fold(text->at[place])) == letter;
}

static int32_t bonus_at(const struct target_text *text, size_t place)
{
	if (place == 0 || place == text->name_at)
		return AT_BEGIN;
	if (!isalnum((unsigned char)text->at[place - 1]))
		return isalnum((unsigned char)text->at[place]) ? AT_WORD : 0;
	if (is_capital(text->at[place]) && !is_capital(text->at[place - 1]))
		return AT_CAPITAL;
	return 0;
}

/* Finds where each letter can be, from the leftmost match and the rightmost. */
static bool find_range(const struct target_pattern *pattern, const struct target_word *word,
		       const struct target_text *text, struct target_match_work *work)
{
	size_t letter = 0, place = text->length;

	for (size_t i = 0; i < text->length && letter < word->length; i++)
		if (is_letter_at(pattern, text, i, word->letters[letter]))
			work->first[letter++] = (uint16_t)i;
	if (letter < word->length)
		return false;
	while (letter) {
		place--;
		if (is_letter_at(pattern, text, place, word->letters[letter - 1]))
			work->last[--letter] = (uint16_t)place;
	}
	return true;
}

/* Returns the cost of the text before the first letter, without what precedes the name. */
static int32_t leading(const struct target_text *text, size_t place)
{
	return LEADING * (int32_t)(place < text->name_at ? place : place - text->name_at);
}

static int32_t score_letter(const struct target_text *text, const struct target_match_work *work,
			    size_t letter, size_t place)
{
	int32_t apart, adjacent;

	if (letter == 0)
		return work->bonus[place] - leading(text, place);
	apart = work->best[letter - 1][place - 1] + work->bonus[place];
	adjacent = work->ends[letter - 1][place - 1] + ADJACENT;
	return apart > adjacent ? apart : adjacent;
}

/* Fills the row of the table for one letter, from its first place to one place before the last
 * where the next letter can be: the next row reads no more. */
static void fill_row(const struct target_pattern *pattern, const struct target_word *word,
		     const struct target_text *text, struct target_match_work *work, size_t letter)
{
	const size_t end = letter + 1 < word->length ? work->last[letter + 1] :
						       work->last[letter] + 1u;
	int32_t best = NOTHING;

	for (size_t j = work->first[letter]; j < end; j++) {
		int32_t here = NOTHING;

		if (j <= work->last[letter] &&
		    is_letter_at(pattern, text, j, word->letters[letter]))
			here = score_letter(text, work, letter, j);
		best = best - GAP > here ? best - GAP : here;
		work->ends[letter][j] = here;
		work->best[letter][j] = best;
	}
}

/* Finds the best place for the last letter; *@score includes the cost of the text after it. */
static size_t find_end(const struct target_word *word, const struct target_text *text,
		       const struct target_match_work *work, int32_t *score)
{
	const size_t letter = word->length - 1;
	size_t end = work->first[letter];

	*score = NOTHING;
	for (size_t j = work->first[letter]; j <= work->last[letter]; j++) {
		int32_t here = work->ends[letter][j] - TRAILING * (int32_t)(text->length - 1 - j);

		if (here <= *score)
			continue;
		*score = here;
		end = j;
	}
	return end;
}

static bool has_letters_at(const struct target_pattern *pattern, const struct target_word *word,
			   const struct target_text *text, size_t from)
{
	for (size_t i = 0; i < word->length; i++)
		if (!is_letter_at(pattern, text, from + i, word->letters[i]))
			return false;
	return true;
}

static bool is_exact(const struct target_pattern *pattern, const struct target_word *word,
		     const struct target_text *text, size_t from)
{
	const size_t end = from + word->length;

	if (end > text->length || (end < text->length && text->at[end] != '('))
		return false;	/* only a C++ function's types may follow the name */
	return has_letters_at(pattern, word, text, from);
}

/* True: the word's letters are adjacent, the first one from @from on, before @end. */
static bool is_together(const struct target_pattern *pattern, const struct target_word *word,
			const struct target_text *text, size_t from, size_t end)
{
	for (size_t j = from; j < end && j + word->length <= text->length; j++)
		if (has_letters_at(pattern, word, text, j))
			return true;
	return false;
}

/* Makes work->whole[1] from work->whole[0]. False: the letter can be nowhere. */
static bool extend_pieces(const struct target_pattern *pattern, const struct target_word *word,
			  const struct target_text *text, struct target_match_work *work,
			  size_t letter)
{
	const bool *before = work->whole[0];
	bool *here = work->whole[1], has_begun = letter == 0, is_any = false;
	size_t j = letter ? work->first[letter - 1] : 0;

	memset(here, 0, text->length);
	for (; j <= work->last[letter]; j++) {
		const bool is_next = letter && j && before[j - 1];

		here[j] = j >= work->first[letter] &&
			  (is_next || (has_begun && work->bonus[j] > 0)) &&
			  is_letter_at(pattern, text, j, word->letters[letter]);
		is_any |= here[j];
		has_begun |= letter && before[j];
	}
	return is_any;
}

static bool is_in_pieces(const struct target_pattern *pattern, const struct target_word *word,
			 const struct target_text *text, struct target_match_work *work)
{
	for (size_t i = 0; i < word->length; i++) {
		if (!extend_pieces(pattern, word, text, work, i))
			return false;
		memcpy(work->whole[0], work->whole[1], text->length);
	}
	return true;
}

static bool is_whole(const struct target_pattern *pattern, const struct target_word *word,
		     const struct target_text *text, struct target_match_work *work)
{
	return is_together(pattern, word, text, work->first[0], work->last[0] + 1u) ||
	       is_in_pieces(pattern, word, text, work);
}

static void fill_rows(const struct target_pattern *pattern, const struct target_word *word,
		      const struct target_text *text, struct target_match_work *work)
{
	for (size_t i = 0; i < word->length; i++)
		fill_row(pattern, word, text, work, i);
}

static void fill_bonus(const struct target_text *text, struct target_match_work *work)
{
	for (size_t j = 0; j < text->length; j++)
		work->bonus[j] = bonus_at(text, j);
}

static struct target_text cut(const struct target_text *text)
{
	struct target_text part = *text;

	if (part.length > TARGET_TEXT_BYTES)
		part.length = TARGET_TEXT_BYTES;
	return part;
}

/* Scores a glob: all names that match do so equally well. */
static int32_t glob_score(const struct target_pattern *pattern, const struct target_text *text)
{
	const int flags = pattern->has_case ? 0 : FNM_CASEFOLD;
	char glob[TARGET_WORD_BYTES], name[TARGET_TEXT_BYTES + 1];

	memcpy(glob, pattern->words[0].letters, pattern->words[0].length);
	glob[pattern->words[0].length] = '\0';
	memcpy(name, text->at, text->length);
	name[text->length] = '\0';
	return !fnmatch(glob, name, flags) || !fnmatch(glob, name + text->name_at, flags)
	       ? EXACT : TARGET_NO_MATCH;
}

int32_t target_match_score(const struct target_pattern *pattern, const struct target_text *whole,
			   struct target_match_work *work)
{
	const struct target_text text = cut(whole);
	int32_t sum = 0;

	if (pattern->is_glob)
		return glob_score(pattern, &text);
	for (size_t i = 0; i < pattern->count; i++)
		if (!find_range(pattern, &pattern->words[i], &text, work))
			return TARGET_NO_MATCH;
	if (pattern->count)
		fill_bonus(&text, work);
	for (size_t i = 0; i < pattern->count; i++) {
		const struct target_word *word = &pattern->words[i];
		int32_t score;

		if (pattern->count > 1)		/* with one word the range is already there */
			find_range(pattern, word, &text, work);
		fill_rows(pattern, word, &text, work);
		find_end(word, &text, work, &score);
		sum += score;
		if (!is_whole(pattern, word, &text, work))
			sum -= TARGET_SCATTERED;
		if (is_exact(pattern, word, &text, 0) ||
		    is_exact(pattern, word, &text, text.name_at))
			sum += EXACT;
	}
	return sum;
}

bool target_match_has_words(const struct target_pattern *pattern, const struct target_text *whole)
{
	const struct target_text text = cut(whole);

	for (size_t i = 0; i < pattern->count; i++)
		if (!is_together(pattern, &pattern->words[i], &text, 0, text.length))
			return false;
	return true;
}

/* Traces back from the best end: letter i - 1 is next to letter i if that scored better. */
static void mark_places(const struct target_word *word, const struct target_text *text,
			const struct target_match_work *work, bool places[TARGET_TEXT_BYTES])
{
	int32_t score;
	size_t place = find_end(word, text, work, &score);

	for (size_t letter = word->length; letter-- > 0;) {
		bool is_adjacent;

		places[place] = true;
		if (letter == 0)
			break;
		is_adjacent = work->ends[letter][place] ==
			      work->ends[letter - 1][place - 1] + ADJACENT;
		place--;
		while (!is_adjacent && work->ends[letter - 1][place] !=
				       work->best[letter - 1][place])
			place--;
	}
}

uint64_t target_match_places(const struct target_pattern *pattern,
			     const struct target_text *whole, struct target_match_work *work)
{
	const struct target_text text = cut(whole);
	bool places[TARGET_TEXT_BYTES] = { false };
	uint64_t matched = 0;
	unsigned int character = 0;

	fill_bonus(&text, work);
	for (size_t i = 0; i < pattern->count; i++) {
		if (!find_range(pattern, &pattern->words[i], &text, work))
			continue;
		fill_rows(pattern, &pattern->words[i], &text, work);
		mark_places(&pattern->words[i], &text, work, places);
	}
	for (size_t j = 0; j < text.length && character < 64; j++) {
		const bool is_last = j + 1 == text.length || (text.at[j + 1] & 0xc0) != 0x80;

		matched |= (uint64_t)places[j] << character;
		character += is_last;
	}
	return matched;
}
