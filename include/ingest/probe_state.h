/* probe_state.h - the analyzer's state of probes: a row per slot, how its records are decoded,
 * unpaired entries, values and the log of hits. The records themselves go through ingest/ingest.h
 * (probe_records.c).
 *
 * Thread: the analyzer's.
 */
#ifndef INGEST_PROBE_STATE_H
#define INGEST_PROBE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "capture/event.h"
#include "capture/record.h"
#include "ingest/hit_groups.h"
#include "ingest/snapshot_probes.h"
#include "probe/probe_condition.h"
#include "timeline/timeline.h"

/* Interns the values of hits: (probe, column, value) -> id, so that a value is
 * counted in the slices like a stack (EVENT_OF_VALUES, timeline/timeline.h).
 *
 * Bounds: PROBE_VALUES_KNOWN_MAX ids and PROBE_VALUES_TEXT_MAX bytes of text. Beyond them numbers
 *         share an id per octave and sign, and texts one id, until a compaction makes room.
 * Thread: the analyzer's.
 */

#define PROBE_VALUES_KNOWN_MAX 65536
#define PROBE_VALUES_TEXT_MAX  (4u << 20)
#define PROBE_TEXT_BYTES_MAX   256	/* longer texts are cut off */

enum value_form {
	VALUE_OF_NUMBER,
	VALUE_OF_TEXT,
	VALUE_UNKNOWN,		/* the value could not be read */
	VALUE_OTHER_NUMBERS,	/* `number`: octave, + 64 if negative; 128 for zero */
	VALUE_OTHER_TEXTS,
	VALUE_UNPAIRED,		/* no value: counts hits without a partner */
	VALUE_FILTERED,		/* no value: counts hits for which the condition was false */
};

struct value_row {
	uint64_t number;	/* VALUE_OF_TEXT: hash of the text */
	uint32_t probe;		/* the probe's id */
	uint8_t column;
	uint8_t form;		/* enum value_form */
	bool is_signed;
	uint32_t text, text_bytes;	/* in probe_values.text: raw bytes */
	uint32_t dso, serial;		/* see struct probe_value */
	/* VALUE_OTHER_NUMBERS: statistics of all numbers counted in this row. */
	uint64_t min, max;	/* int64_t, if is_signed */
	double sum;
	uint64_t uses;
};

struct probe_values {
	struct value_row *rows;	/* owned */
	uint32_t count, capacity;
	struct id_set index;
	char *text;		/* owned */
	uint32_t text_used, text_capacity;
	bool is_full;		/* a value had no room since the last compaction */
};

void probe_values_finish(struct probe_values *values);	/* a zeroed struct is fine */

/* The four functions below return an id, or ID_SET_NONE: out of memory. */
uint32_t probe_values_number(struct probe_values *values, uint32_t probe, uint8_t column,
			     bool is_signed, uint64_t number);
/* Interns an address in a DSO of a process. */
uint32_t probe_values_place(struct probe_values *values, uint32_t probe, uint8_t column,
			    const struct probe_value *value);
uint32_t probe_values_text(struct probe_values *values, uint32_t probe, uint8_t column,
			   const char *text, size_t bytes);
/* Interns a row without a value: VALUE_UNKNOWN, _UNPAIRED, _FILTERED. */
uint32_t probe_values_mark(struct probe_values *values, uint32_t probe, uint8_t column,
			   enum value_form form);

/* Forgets the rows with !used[id] (count elements). @renumbered[old] = new or ID_SET_NONE. */
void probe_values_compact(struct probe_values *values, const unsigned char *used,
			  uint32_t *renumbered);

bool probe_number_is_less(bool is_signed, uint64_t left, uint64_t right);

/* Octave of the magnitude of @number, which is not 0; index of snapshot_value.octaves. */
unsigned int probe_values_octave(bool is_signed, uint64_t number);

/* The newest hits of one probe, a line each, and the slowest ones.
 *
 * A line keeps raw numbers; src/analyzer/probe_builder.c formats those that are shown.
 * Bounds: PROBE_LOG_LINES and PROBE_SLOWEST lines; the number of columns gives their length.
 * Thread: the analyzer's.
 */

#define HIT_COMM_BYTES 16
#define HIT_TEXT_BYTES	 56	/* longest text that is stored in its line */
#define HIT_BEGIN_BYTES	 48	/* begin of a longer text, stored in the line */
#define HIT_TEXTS_BYTES	 (128u * 1024)	/* ring of longer texts; the newest are whole */
#define HIT_LONGEST_BYTES 255	/* longer texts are cut off */
#define HIT_STACKS_KEPT	 50	/* number of newest lines whose stacks outlive history */

struct hit_line_value {
	bool is_known, is_text, is_signed;
	uint8_t text_bytes;
	union {
		struct {
			uint64_t number;
			uint32_t dso, serial;		/* see struct probe_value */
		};
		char text[HIT_TEXT_BYTES];	/* raw; texts of at most HIT_TEXT_BYTES */
		struct {		/* texts over HIT_TEXT_BYTES */
			char begin[HIT_BEGIN_BYTES];
			uint64_t at;	/* position of the whole text, like texts_used */
		} longer;
	};
};

struct hit_line {
	uint64_t time_ns, number;
	int64_t latency_ns;	/* < 0: none */
	uint32_t cpu, pid, tid;
	uint32_t parent_pid;	/* 0: unknown, or it had ended */
	uint8_t comm_bytes;	/* 0: unknown */
	char comm[HIT_COMM_BYTES];
	uint32_t stack;		/* in the trie; ID_SET_NONE: none, not yet, or it left history */
	struct hit_line_value values[];
};

struct hit_log {
	unsigned char *lines;	/* owned; a ring */
	unsigned char *slowest;	/* owned; unordered */
	char *texts;		/* owned; a ring of HIT_TEXTS_BYTES; NULL: no long text yet */
	uint64_t texts_used;	/* bytes ever written to `texts` */
	uint32_t columns, line_bytes;
	uint32_t slowest_count;
	uint64_t last_number;	/* number of the newest line; the first is 1 */
};

void hit_log_finish(struct hit_log *log);	/* a zeroed struct is fine */

/* Adds a hit with the fields of @line, but for its number, and @values[@columns]. Returns its
 * number; 0: out of memory. Another number of columns than before begins a new log. */
uint64_t hit_log_add(struct hit_log *log, const struct hit_line *line,
		     const struct probe_value *values, uint32_t columns);
/* Sets the stack of the line with that number, among the newest and among the slowest lines. */
void hit_log_set_stack(struct hit_log *log, uint64_t number, uint32_t stack);

/* How many lines there are, and the one at @index, oldest first. BORROWED. */
uint32_t hit_log_count(const struct hit_log *log);
const struct hit_line *hit_log_line(const struct hit_log *log, uint32_t index);
/* The line with that number among the newest ones; NULL: no longer there. The caller may set its
 * stack, when stacks are renumbered. BORROWED. */
struct hit_line *hit_log_recent(const struct hit_log *log, uint64_t number);
/* The line with that number among the newest and the slowest; NULL: it is not kept. BORROWED. */
const struct hit_line *hit_log_find(const struct hit_log *log, uint64_t number);
/* Copies the text of a value with is_text. A text over HIT_TEXT_BYTES that has left the ring
 * becomes its begin and "...". Returns the length; adds no terminator. */
size_t hit_log_text(const struct hit_log *log, const struct hit_line_value *value,
		    char out[HIT_LONGEST_BYTES]);
/* The slowest line at @index, in no order. The caller may set its stack, when stacks are
 * renumbered. BORROWED. */
struct hit_line *hit_log_slowest(const struct hit_log *log, uint32_t index);

/* Hits and samples one by one, in time order, until they are printed.
 *
 * Problem: a sample may wait for its process or callers to be read while later ones are counted.
 * Idea:   a line goes into a heap when its sample is counted, and leaves it when nothing older can
 *         come any more.
 *         The records with a hit's values are gone when its pending sample is counted: so its
 *         line is created with the hit, and gets task and stack with the sample.
 * Bounds: live, bytes_max, a part of history's memory; lines beyond it are dropped and counted.
 *         In a replay, reading stops while a batch of lines waits for the reader of the output.
 */
#define EVENT_LINES_BATCH 2048	/* lines of one snapshot, at most */

struct event_line {
	uint64_t time_ns;
	uint64_t order;		/* order of counting, for lines of equal time */
	int64_t latency_ns;	/* < 0: none */
	uint32_t cpu;		/* CPU of its end; UINT32_MAX: unknown */
	bool is_hit;		/* a probe hit, which has no period; else a sample */
	uint64_t ip;		/* address of the sample, in memory */
	uint64_t addr;		/* PERF_SAMPLE_ADDR; else 0 */
	struct slice_entry entry;	/* the entry it was counted as */
	bool is_counted;	/* the heap owns it */
	bool is_pending;	/* its pending sample owns it */
	uint32_t bytes;		/* size of this allocation */
	uint32_t value_count;
	uint32_t branch_count;
	const struct perf_branch_entry *branches;	/* after the values; NULL: none */
	const void *raw;	/* after the branches: what a tracepoint wrote; NULL: none */
	uint32_t raw_bytes;
	struct probe_value values[];	/* followed by branches, raw bytes and texts */
};

struct event_lines {
	bool is_on;		/* lines are printed; false: none are made */
	bool has_raw;		/* bytes that tracepoints wrote are kept */
	bool has_branches;	/* those of samples are kept: up to 64 KiB a line */
	size_t bytes_max;	/* live: lines beyond it are dropped; 0: no limit */
	struct event_line **heap;	/* owned, each line too; the oldest first */
	uint32_t count, capacity;
	size_t bytes;		/* size of all lines, counted or not */
	uint64_t last_order, dropped;
};

void event_lines_finish(struct event_lines *lines);	/* a zeroed struct is fine */

/* Returns a copy of @head, its branches and raw bytes with @values[@count], owned by the caller
 * until it is pushed; NULL: no room, counted as dropped. */
struct event_line *event_lines_create(struct event_lines *lines, const struct event_line *head,
				      const struct probe_value *values, uint32_t count);
void event_lines_destroy(struct event_lines *lines, struct event_line *line);	/* NULL is fine */
/* Adds @line, which was counted, and takes ownership; out of memory: it stays the caller's. */
void event_lines_push(struct event_lines *lines, struct event_line *line);
/* The oldest line, if it is older than @limit_ns, else NULL. BORROWED until the next call. */
const struct event_line *event_lines_peek(const struct event_lines *lines, uint64_t limit_ns);
void event_lines_pop(struct event_lines *lines);

/* Creates the line of a hit that ended with @end and carried @values[@count]; NULL: lines are off,
 * or there is no room. */
struct event_line *event_lines_begin(struct event_lines *lines, const struct event_record *end,
				     int64_t latency_ns, const struct probe_value *values,
				     uint32_t count);
/* Publishes @line (NULL is fine), whose hit was counted as @entry. */
void event_lines_counted(struct event_lines *lines, struct event_line *line,
			 const struct slice_entry *entry);
/* Destroys @line if its hit was neither counted nor pending. NULL is fine. */
void event_lines_end(struct event_lines *lines, struct event_line *line);
/* Appends a line for the sample @record, which was counted as @entry. */
void event_lines_sample(struct event_lines *lines, const struct event_record *record,
			const struct slice_entry *entry, const struct probe_value *values,
			uint32_t count);
/* Appends a line for a wait that ended at @end_ns, which was counted as @entry with the task and
 * stack of @record. */
void event_lines_wait(struct event_lines *lines, const struct event_record *record,
		      uint64_t end_ns, const struct slice_entry *entry);

/* Each time a probe is attached, a new generation decodes its records, while records of older ones
 * are still in flight. Four suffice: attaching four times takes longer than a record's delivery. */
#define PROBE_GENERATIONS 4

struct probe_generation {
	struct probe_reading *reading;	/* owned; NULL: there is none */
	uint32_t number;		/* increasing over all probes */
	uint64_t ignore_ns;		/* later hits are dropped; UINT64_MAX: none */
};

#define PROBE_PEAK_SECONDS 128

struct probe_peaks {		/* longest call of each of the last seconds, at second % SECONDS */
	uint64_t second[PROBE_PEAK_SECONDS], ns[PROBE_PEAK_SECONDS];
};

#define PROBE_TURNS 16

/* When a probe was attached, oldest first; the last turn may go on. */
struct probe_turns {
	uint64_t begin_ns[PROBE_TURNS], end_ns[PROBE_TURNS];	/* UINT64_MAX: still attached */
	uint32_t count;
	uint64_t earlier_ns;	/* time attached in turns no longer kept */
};

struct probe_row {
	uint32_t id;		/* 0: the slot is free */
	uint16_t event;		/* timeline event that counts the hits: PROBE_EVENT_FIRST + slot,
				 * or the number of a recording's event */
	struct probe_spec *spec;	/* owned */
	char name[PROBE_FUNCTION_BYTES], dso[PROBE_FILE_BYTES], scope[64];
	bool with_stacks;
	struct probe_status status;
	struct probe_generation generations[PROBE_GENERATIONS];
	uint32_t newest;	/* index of the newest generation */
	uint64_t first_ns;	/* when it was attached for the first time; 0: never */
	struct probe_turns turns;
	struct hit_log log;
	struct probe_peaks peaks;
};

/* How to decode a record. */
struct probe_stream_ref {
	struct probe_row *row;
	struct probe_generation *generation;
	const struct probe_stream *stream;
	uint32_t slot;
	bool is_leave;
	uint32_t middle;	/* the point between the first and the last, counted from 1; 0: one
				 * of these */
};

struct probe_hits {
	struct probe_row rows[PROBE_SLOTS];
	struct id_map stream_of;	/* perf event id -> slot, generation, entry or return */
	uint8_t recorded[TIMELINE_MAX_EVENTS];	/* event of a recording -> slot + 1; 0: none */
	struct probe_pairs *pairs;	/* owned; entries whose returns have not come */
	struct probe_values values;
	struct probe_values keys;	/* those of `tuples`: others must not take their room */
	struct hit_tuples tuples;
	struct inside inside;
	uint32_t last_generation;
	bool has_rings;
	bool has_uid_keys;		/* the user is, or was, a key of a probe */
	uint64_t limit_ns;		/* limit of the last round of the probe rings */
	uint64_t newest_ns;		/* time of the newest record */
	uint64_t lost_before, missed_before, absent_before;	/* sums of removed probes */
};

struct probe_calls;	/* src/ingest/probe_pairs.h */

struct probe_hits *probe_hits_create(void);	/* NULL: out of memory */
void probe_hits_destroy(struct probe_hits *hits);	/* NULL is fine */

/* Values of recorded hits. A recording has one sample for each hit, with the raw bytes of its first
 * record. Values that are in no field of these bytes (of a return, of a stage, in a part of a
 * field) are added as words after the fields that all events have; the event's own fields follow.
 * The word of a text is that of a __data_loc field. The word before them all says by bits which are
 * known. joined_hit.c writes them, src/record/recorded_format.c describes them. */
#define PROBE_KNOWN_AT		8
#define PROBE_KNOWN_NAME	"__probe_known"
#define PROBE_ADDED_AT(i)	(PROBE_KNOWN_AT + (1 + (size_t)(i)) * sizeof(uint64_t))
#define PROBE_ADDED_BYTES(count) ((count) ? (1 + (size_t)(count)) * sizeof(uint64_t) : 0)

/* Finds the columns whose values are added. Returns how many. */
uint32_t probe_reading_added(const struct probe_reading *reading,
			     uint8_t columns[PROBE_VALUES_MAX]);
/* The stream whose raw bytes a recorded hit has. BORROWED. */
const struct probe_stream *probe_reading_stream(const struct probe_reading *reading);
/* True: the field is no other way to read one that is listed before it, which has its name. */
bool probe_field_is_listed(const struct raw_fields *fields, size_t index);
/* True: a BPF program appends the bytes, to which the event's own field has only a pointer. Its
 * name is that of the first field. */
bool probe_field_is_copied(const struct raw_field *field);

/* Writes what a recording says of the probe @row beside the format of its raw bytes: all that
 * probe_description_read() needs. @columns[@count]: the values; @fields: what the field of each is
 * called in the format. Returns a text that the caller frees; NULL: out of memory. */
#define PROBE_FIELD_BYTES 80
char *probe_description_write(const struct probe_row *row, const struct probe_column *columns,
			      uint32_t count, const char (*fields)[PROBE_FIELD_BYTES]);
/* Sets spec, names and columns from @text, a stranger's; the fields of @reading->entry are known.
 * 0; -EBADMSG: @text is invalid; -ENOMEM. */
int probe_description_read(const char *text, struct probe_row *row,
			   struct probe_reading *reading);
/* The number that the probe had; 0: @text says none. */
uint32_t probe_description_id(const char *text);

/* Creates the rows of a recording: one for each of its @count @events whose raw bytes have known
 * fields, at most PROBE_SLOTS. Their hits are the samples of these events, and are counted as such;
 * those of events with a description are counted as hits of a probe.
 * *@out is the caller's; NULL where there is no such event. 0 or -ENOMEM. */
int probe_hits_create_recorded(struct probe_hits **out, const struct event_desc *const *events,
			       uint32_t count);
/* The row of @event of a recording; NULL: it has none. @hits may be NULL. Its `event` tells whether
 * samples are counted as such. */
struct probe_row *probe_hits_of_recorded(struct probe_hits *hits, uint32_t event);

/* Applies @event, and frees what it owns and is not kept. ENGINE_EVENT_REMOVED leaves the row to
 * the caller; the row of ENGINE_EVENT_ADDED must be free. Returns the row that it is about, or
 * NULL. */
struct probe_row *probe_hits_take(struct probe_hits *hits, struct engine_event *event);
/* Frees the row. */
void probe_hits_remove(struct probe_hits *hits, uint32_t slot);

/* Finds how to decode records with that perf event id. False: the id is not known. */
bool probe_hits_find(struct probe_hits *hits, uint64_t id, struct probe_stream_ref *out);

/* The row of timeline event PROBE_EVENT_FIRST + slot. NULL: there is no such probe. */
struct probe_row *probe_hits_of_event(struct probe_hits *hits, uint32_t event);
/* Event of the probe that was added first; UINT32_MAX: there is none. */
uint32_t probe_hits_first_event(const struct probe_hits *hits);
/* Time up to which the kernel's counts of all attached probes have been read; UINT64_MAX: no probe
 * is attached. */
uint64_t probe_hits_read_ns(const struct probe_hits *hits);
/* Whether some probe is, or will be, attached. */
bool probe_hits_are_live(const struct probe_hits *hits);
/* Records that the kernel could not write, since start. */
uint64_t probe_hits_lost(const struct probe_hits *hits);
/* Hits that the kernel could not see, by its own count, since start. */
uint64_t probe_hits_missed(const struct probe_hits *hits);
/* Texts of system calls that were not in memory, since start. */
uint64_t probe_hits_absent(const struct probe_hits *hits);

/* Returns the return address that a probe replaced by @replaced on the stack at @slot; 0: no known
 * probe did. @calls: those at the time of the sample @record; NULL: the calls pending now. @hits
 * may be NULL. */
uint64_t probe_hits_return_address(const struct probe_hits *hits, const struct event_record *record,
				   const struct probe_calls *calls, uint64_t slot,
				   uint64_t replaced);
/* Entries of the probe whose returns have not come. */
uint32_t probe_hits_in_flight(const struct probe_hits *hits, uint32_t slot);
/* Copies the probed calls that the thread is in. @out->list is the caller's to free; often NULL.
 * @hits may be NULL. */
void probe_hits_calls(const struct probe_hits *hits, const struct event_record *record,
		      struct probe_calls *out);

/* Begins a turn; ends the one before, if it has no end yet. */
void probe_turns_begin(struct probe_turns *turns, uint64_t time_ns);
/* Ends the present turn, if there is one. */
void probe_turns_end(struct probe_turns *turns, uint64_t time_ns);
/* How long the probe was attached between the two times. Exact unless @begin_ns lies before the
 * oldest kept turn: of earlier turns only the sum is known. */
uint64_t probe_turns_between(const struct probe_turns *turns, uint64_t begin_ns, uint64_t end_ns);

void probe_peaks_add(struct probe_peaks *peaks, uint64_t time_ns, uint64_t latency_ns);
/* The longest known call between the two times, to the second, ignoring those over @most_ns; 0:
 * none. */
uint64_t probe_peaks_between(const struct probe_peaks *peaks, uint64_t begin_ns, uint64_t end_ns,
			     uint64_t most_ns);

#endif
