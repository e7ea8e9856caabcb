/* target_index.c - see target_index.h.
 *
 * Problem: 150,000 names, and the next key comes 50 ms later.
 *
 * Idea: the data that a search reads first is contiguous: 8 bytes a name that tell which letters it
 * has. They rule out nine names of ten. Matches of "vfs_r" are cached: "vfs_re" looks only at them.
 *
 * Invariant: `survivors` has all rows that match `searched`, in their order, or `searched` is "".
 */
#include "target_index.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize.h"
#include "probe/probe_spec.h"
#include "probe/probe_section.h"

#define FIRST_ROOM	1024
#define STEP		1024	/* names between two checks of whether the search is still wanted */
#define UNABLE_COST	150	/* score: less than a letter */
#define NOTE_COST	(TARGET_SCATTERED / 2)	/* score: less than a scattered word costs */
#define PREFERRED	100	/* score: more than C++ types cost, less than a letter */
#define PRESET		(TARGET_SCATTERED / 4)	/* score: more than all else, less than a scattered
						 * word costs */

_Static_assert(TARGET_TEXT_BYTES <= TARGET_SHOWN_BYTES, "what matched is shown");

struct row {
	uint32_t raw, shown, note;	/* offsets into `texts`; note TARGET_NO_TEXT: the index's */
	uint32_t aliases;		/* offset; TARGET_NO_TEXT: none */
	uint16_t shown_length;
	uint8_t reason;
	uint8_t is_stale : 1, is_counted : 1;
};

struct target_index {
	enum target_kind_found kind;
	char front[TARGET_TEXT_BYTES / 2], path[PROBE_FILE_BYTES], note[TARGET_NOTE_BYTES];
	char reasons[TARGET_REASONS_MAX][TARGET_NOTE_BYTES];
	unsigned int reason_count;
	size_t front_length;
	uint64_t front_letters;
	uint64_t *letters;	/* owned, like `rows`: one per row */
	struct row *rows;
	uint32_t count, room;
	char *texts;		/* owned */
	size_t text_bytes, text_room;
	uint32_t *survivors;	/* owned: rows that matched last; NULL: none were kept */
	uint32_t survivor_count;
	char searched[TARGET_QUERY_BYTES];
	bool is_preferred;
};

/* Makes what is shown before each name: "libc.so.6:". */
static void make_front(struct target_index *index, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (!path[0])
		return;
	index->front_length = sanitize_text(index->front, sizeof(index->front) - 1, name,
					    strlen(name));
	index->front[index->front_length++] = ':';
	index->front_letters = target_match_letters(index->front, index->front_length);
}

struct target_index *target_index_create(enum target_kind_found kind, const char *path,
					 const char *note)
{
	struct target_index *index = calloc(1, sizeof(*index));

	if (!index)
		return NULL;
	index->kind = kind;
	make_front(index, path);
	snprintf(index->path, sizeof(index->path), "%s", path);
	sanitize_text(index->note, sizeof(index->note), note, strlen(note));
	return index;
}

void target_index_destroy(struct target_index *index)
{
	if (!index)
		return;
	free(index->letters);
	free(index->rows);
	free(index->texts);
	free(index->survivors);
	free(index);
}

unsigned int target_index_reason(struct target_index *index, const char *reason)
{
	char clean[TARGET_NOTE_BYTES];

	sanitize_text(clean, sizeof(clean), reason, strlen(reason));
	for (unsigned int i = 0; i < index->reason_count; i++)
		if (strcmp(index->reasons[i], clean) == 0)
			return i + 1;
	if (index->reason_count == TARGET_REASONS_MAX)
		return 0;
	memcpy(index->reasons[index->reason_count], clean, sizeof(clean));
	return ++index->reason_count;
}

static int make_row_room(struct target_index *index)
{
	const uint32_t room = index->room ? 2 * index->room : FIRST_ROOM;
	uint64_t *letters;
	struct row *rows;

	if (index->count < index->room)
		return 0;
	letters = reallocarray(index->letters, room, sizeof(*letters));
	if (!letters)
		return -ENOMEM;
	index->letters = letters;
	rows = reallocarray(index->rows, room, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	index->rows = rows;
	index->room = room;
	return 0;
}

/* Appends @length bytes and a terminator. */
static int add_text(struct target_index *index, const char *text, size_t length, uint32_t *offset)
{
	size_t room = index->text_room ? index->text_room : FIRST_ROOM;
	char *grown;

	while (room - index->text_bytes <= length)
		room *= 2;
	if (room > index->text_room) {
		grown = realloc(index->texts, room);
		if (!grown)
			return -ENOMEM;
		index->texts = grown;
		index->text_room = room;
	}
	*offset = (uint32_t)index->text_bytes;
	memcpy(index->texts + index->text_bytes, text, length);
	index->texts[index->text_bytes + length] = '\0';
	index->text_bytes += length + 1;
	return 0;
}

/* Adds the display text, which mostly equals the raw name and is then not stored twice. */
static int add_shown(struct target_index *index, const struct target_name *name, struct row *row)
{
	const char *text = name->shown ? name->shown : name->raw;
	char clean[TARGET_TEXT_BYTES];

	if (!name->shown && sanitize_is_clean(text, strlen(text))) {
		row->shown = row->raw;
		row->shown_length = (uint16_t)strlen(text);
		return 0;
	}
	row->shown_length = (uint16_t)sanitize_text(clean, sizeof(clean), text, strlen(text));
	return add_text(index, clean, row->shown_length, &row->shown);
}

static int add_note(struct target_index *index, const char *note, struct row *row)
{
	char clean[TARGET_NOTE_BYTES];
	size_t length;

	row->note = TARGET_NO_TEXT;
	if (!note)
		return 0;
	/* functions of one module are adjacent and share a note */
	if (index->count && index->rows[index->count - 1].note != TARGET_NO_TEXT &&
	    strcmp(index->texts + index->rows[index->count - 1].note, note) == 0) {
		row->note = index->rows[index->count - 1].note;
		return 0;
	}
	length = sanitize_text(clean, sizeof(clean), note, strlen(note));
	return add_text(index, clean, length, &row->note);
}

/* Limits memory: a foreign file may have any number of names. */
static bool is_full(const struct target_index *index)
{
	const size_t row_bytes = sizeof(*index->rows) + sizeof(*index->letters);

	return index->text_bytes + index->count * row_bytes >= TARGET_INDEX_BYTES_MAX;
}

static uint64_t letters_of(const struct target_index *index, const struct row *row)
{
	uint64_t letters = index->front_letters;

	letters |= target_match_letters(index->texts + row->shown, row->shown_length);
	if (row->aliases != TARGET_NO_TEXT)
		letters |= target_match_letters(index->texts + row->aliases,
						strlen(index->texts + row->aliases));
	if (target_is_event(index->kind) && row->note != TARGET_NO_TEXT)
		letters |= target_match_letters(index->texts + row->note,
						strlen(index->texts + row->note));
	return letters;
}

int target_index_add(struct target_index *index, const struct target_name *name)
{
	const size_t length = strlen(name->raw);
	struct row row = { .reason = (uint8_t)name->reason, .is_stale = name->is_stale,
			   .is_counted = name->is_counted,
			   .aliases = TARGET_NO_TEXT };
	int err;

	if (length >= (index->kind == TARGET_PRESET ? TARGET_SPEC_BYTES : PROBE_FUNCTION_BYTES) ||
	    length == 0)
		return 0;
	if (is_full(index))
		return -E2BIG;
	err = make_row_room(index);
	if (!err)
		err = add_text(index, name->raw, length, &row.raw);
	if (!err)
		err = add_shown(index, name, &row);
	if (!err)
		err = add_note(index, name->note, &row);
	if (!err && name->aliases)
		err = add_text(index, name->aliases, strlen(name->aliases), &row.aliases);
	if (err)
		return err;
	index->letters[index->count] = letters_of(index, &row);
	index->rows[index->count++] = row;
	return 0;
}

void target_index_prefer(struct target_index *index)
{
	index->is_preferred = true;
}

enum target_kind_found target_index_kind(const struct target_index *index)
{
	return index->kind;
}

const char *target_index_path(const struct target_index *index)
{
	return index->path;
}

uint32_t target_index_count(const struct target_index *index)
{
	return index->count;
}

size_t target_index_bytes(const struct target_index *index)
{
	return sizeof(*index) + index->text_room +
	       index->room * (sizeof(*index->rows) + sizeof(*index->letters));
}

static bool is_before(const struct target_hit *a, const struct target_hit *b)
{
	if (a->score != b->score)
		return a->score > b->score;
	if (a->order != b->order)
		return a->order < b->order;
	if (a->length != b->length)
		return a->length < b->length;
	return strcmp(a->index->texts + a->index->rows[a->row].shown,
		      b->index->texts + b->index->rows[b->row].shown) < 0;
}

/* Adds one hit, if it is among the best. */
static void target_ranking_offer(struct target_ranking *ranking, const struct target_hit *hit)
{
	size_t at = ranking->count;

	ranking->matches++;
	if (ranking->count == TARGET_RESULTS_MAX) {
		if (!is_before(hit, &ranking->hits[--at]))
			return;
	} else {
		ranking->count++;
	}
	for (; at > 0 && is_before(hit, &ranking->hits[at - 1]); at--)
		ranking->hits[at] = ranking->hits[at - 1];
	ranking->hits[at] = *hit;
}

/* Returns the display text of a row, after the front, which @buffer begins with already. */
static struct target_text text_of(const struct target_index *index, const struct row *row,
				  char *buffer)
{
	size_t length = row->shown_length, room = TARGET_TEXT_BYTES - index->front_length;

	if (!index->front_length)
		return (struct target_text){ index->texts + row->shown, length, 0 };
	length = length < room ? length : room;
	memcpy(buffer + index->front_length, index->texts + row->shown, length);
	return (struct target_text){ buffer, index->front_length + length, index->front_length };
}

/* Moves text->name_at past the group: "sched:" in "sched:sched_switch". */
static void find_name(const struct target_index *index, struct target_text *text)
{
	const char *colon;

	if (index->kind != TARGET_TRACEPOINT && index->kind != TARGET_USDT &&
	    index->kind != TARGET_TRACEPOINT_EVENT)
		return;
	colon = memchr(text->at + text->name_at, ':', text->length - text->name_at);
	if (colon)
		text->name_at = (size_t)(colon + 1 - text->at);
}

/* Returns the text as searched and shown: "new processes (execsnoop)" with an alias. @buffer begins
 * with the front already. */
static struct target_text found_text(const struct target_index *index, const struct row *row,
				     uint32_t alias, char buffer[TARGET_TEXT_BYTES])
{
	struct target_text text = text_of(index, row, buffer);
	const char *name;
	int length;

	find_name(index, &text);
	if (alias == TARGET_NO_TEXT)
		return text;
	name = index->texts + row->aliases + alias;
	memmove(buffer, text.at, text.length);
	length = snprintf(buffer + text.length, TARGET_TEXT_BYTES - text.length, " (%.*s)",
			  (int)strcspn(name, " "), name);
	text.at = buffer;
	text.length += (size_t)length;
	text.length = text.length < TARGET_TEXT_BYTES ? text.length : TARGET_TEXT_BYTES - 1;
	return text;
}

static bool try_text(const struct target_search *search, const struct target_text *text,
		     struct target_hit *hit)
{
	int32_t score;

	if (hit->index->kind == TARGET_PRESET && !target_match_has_words(search->pattern, text))
		return false;
	score = target_match_score(search->pattern, text, search->work);
	if (score == TARGET_NO_MATCH || score <= hit->score)
		return false;
	hit->score = score;
	hit->length = (uint32_t)text->length;
	return true;
}

/* Tries the name alone; if it does not match, the name with each of its aliases. */
static bool try_names(const struct target_search *search, char buffer[TARGET_TEXT_BYTES],
		      struct target_hit *hit)
{
	const struct target_index *index = hit->index;
	const struct row *row = &index->rows[hit->row];
	struct target_text text = found_text(index, row, TARGET_NO_TEXT, buffer);
	const bool is_found = try_text(search, &text, hit);
	const char *aliases, *at;

	if (is_found || row->aliases == TARGET_NO_TEXT)
		return is_found;
	aliases = index->texts + row->aliases;
	for (at = aliases; *at; at += strspn(at, " ")) {
		text = found_text(index, row, (uint32_t)(at - aliases), buffer);
		if (try_text(search, &text, hit))
			hit->alias = (uint32_t)(at - aliases);
		at += strcspn(at, " ");
	}
	return hit->score != TARGET_NO_MATCH;
}

/* Tries what an event is, which its name may not say: all words must occur in it. */
static bool try_note(const struct target_search *search, struct target_hit *hit)
{
	const struct row *row = &hit->index->rows[hit->row];
	struct target_text text = { .at = hit->index->texts + row->note };

	if (!target_is_event(hit->index->kind) || row->note == TARGET_NO_TEXT ||
	    search->pattern->is_glob)
		return false;
	text.length = strlen(text.at);
	if (!target_match_has_words(search->pattern, &text))
		return false;
	hit->score = -NOTE_COST;
	hit->length = (uint32_t)text.length;
	return true;
}

static bool try_row(const struct target_index *index, uint32_t number,
		    const struct target_search *search, char *buffer)
{
	const struct row *row = &index->rows[number];
	struct target_hit hit = { .index = index, .row = number, .order = search->order,
				  .score = TARGET_NO_MATCH, .alias = TARGET_NO_TEXT };

	if (search->pattern->letters & ~index->letters[number] ||
	    (!try_names(search, buffer, &hit) && !try_note(search, &hit)))
		return false;
	if (!search->pattern->count && target_is_event(index->kind))
		hit.length = number;	/* in their order; what does not open comes last */
	if (index->kind == TARGET_PRESET)
		hit.score += PRESET;
	if (row->reason)
		hit.score -= UNABLE_COST;
	if (index->is_preferred)
		hit.score += PREFERRED;
	target_ranking_offer(search->ranking, &hit);
	return true;
}

static bool is_wanted(const struct target_search *search)
{
	/* pairs with the store of target_finder_ask(); only a hint, so no order is needed */
	return atomic_load_explicit(search->newest, memory_order_relaxed) == search->number;
}

static bool begins_with(const char *text, const char *begin)
{
	return begin[0] && strncmp(text, begin, strlen(begin)) == 0;
}

bool target_index_search(struct target_index *index, const struct target_search *search)
{
	const bool is_narrower = index->survivors && !search->pattern->is_glob &&
				 begins_with(search->text, index->searched);
	const uint32_t count = is_narrower ? index->survivor_count : index->count;
	char buffer[TARGET_TEXT_BYTES];
	uint32_t kept = 0;

	if (!index->survivors)
		index->survivors = reallocarray(NULL, index->count + 1, sizeof(uint32_t));
	index->searched[0] = '\0';
	memcpy(buffer, index->front, index->front_length);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t row = is_narrower ? index->survivors[i] : i;

		if (i % STEP == 0 && !is_wanted(search))
			return false;
		if (try_row(index, row, search, buffer) && index->survivors)
			index->survivors[kept++] = row;
	}
	index->survivor_count = kept;
	if (index->survivors)
		snprintf(index->searched, sizeof(index->searched), "%s", search->text);
	return true;
}

static void put(char out[TARGET_SPEC_BYTES], const char *text)
{
	const size_t used = strlen(out);

	snprintf(out + used, TARGET_SPEC_BYTES - used, "%s", text);
}

static void put_section(char out[TARGET_SPEC_BYTES], const char *text)
{
	const size_t used = strlen(out);

	probe_section_write(text, out + used, TARGET_SPEC_BYTES - used);
}

static void put_spec(const struct target_index *index, const struct row *row, const char *prefix,
		     char out[TARGET_SPEC_BYTES])
{
	const char *raw = index->texts + row->raw;

	out[0] = '\0';
	put(out, prefix);
	if (index->path[0]) {
		put_section(out, index->path);
		put(out, ":");
	}
	if (index->kind == TARGET_USER_FUNCTION || index->kind == TARGET_KERNEL_FUNCTION)
		put_section(out, raw);
	else
		put(out, raw);
}

void target_index_result(const struct target_hit *hit, const struct target_pattern *pattern,
			 struct target_match_work *work, const char *prefix,
			 struct target_result *out)
{
	const struct target_index *index = hit->index;
	const struct row *row = &index->rows[hit->row];
	const char *note = row->note == TARGET_NO_TEXT ? index->note : index->texts + row->note;
	char buffer[TARGET_TEXT_BYTES];
	struct target_text text;

	memcpy(buffer, index->front, index->front_length);
	text = found_text(index, row, hit->alias, buffer);
	*out = (struct target_result){ .kind = index->kind, .is_able = !row->reason,
				       .is_event = target_is_event(index->kind),
				       .is_stale = row->is_stale,
				       .is_counted = row->is_counted };
	out->matched = target_match_places(pattern, &text, work);
	put_spec(index, row, prefix, out->spec);
	sanitize_text(out->shown, sizeof(out->shown), text.at, text.length);
	snprintf(out->note, sizeof(out->note), "%s",
		 row->reason ? index->reasons[row->reason - 1] : note);
}
