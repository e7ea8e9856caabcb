/* probe_definition.h - writes a probe site as a definition for the kernel, and finds the fields of
 * the records that the kernel then sends: the two must agree.
 *
 * Names:  the values are a0, a1 ... in the order of the spec's arguments, the stack pointer is sp.
 * Thread: any; pure.
 */
#ifndef PROBE_PROBE_DEFINITION_H
#define PROBE_PROBE_DEFINITION_H

#include "capture/record.h"
#include "capture/tracefs.h"
#include "probe/probe_point.h"

#define PROBE_DEFINITION_BYTES 2560	/* room for all values at their longest */
#define PROBE_FILTER_BYTES     2048

/* One kind of record that a probe sends. */
struct probe_stream {
	struct record_format format;
	struct raw_fields fields;	/* owned */
	uint64_t *ids;			/* owned: PERF_SAMPLE_IDENTIFIER of each descriptor */
	uint32_t id_count;
	int sp_field;			/* index of the field with the stack pointer; -1: none */
	int entered_field;		/* index of the field with the address in the program that
					 * entered the kernel, which is the leaf; 0: none */
	int ra_field;			/* index of the field with the return address of a call that
					 * begins; -1: none */
};

struct probe_column {			/* one value of a hit, as shown */
	char name[32];
	char type[48];
	enum probe_value_kind kind;
	enum probe_meaning meaning;
	enum probe_origin origin;
	bool is_return;			/* the value is in the return's record */
	bool is_copied;			/* a BPF program copied it: where it is unknown, its page
					 * was not in memory */
	uint8_t stage;			/* the time of a stage, counted from 1, which is in no
					 * record; 0: another value */
	uint8_t known_bit;		/* recordings: 1 + bit of `known_field` that says that the
					 * value is known; 0: there is none */
	int field;			/* index into the stream's `fields`; of a recording: of
					 * `entry`, whatever the value is of; of a stage: 0, but in
					 * recordings */
	int late_field;			/* index into those of `leave`: the same text, read again
					 * there; used where the first could not be read; 0, which
					 * is a field of all events: none */
};

/* Cached name of a number in a column: looking it up takes long. */
#define PROBE_NAMES 128
struct probe_name {
	uint64_t number;
	uint32_t column;	/* counted from 1; 0: this cache entry is empty */
	bool is_named;
	char text[160];
};

/* How the records of one probe are read. Made at each attach; constant except for `names`. */
struct probe_reading {
	struct probe_stream entry, leave;	/* `leave`: of PROBE_RETURN and _LATENCY */
	struct probe_stream middles[PROBE_MIDDLES_MAX];	/* by spec.middles; for pairing only */
	struct probe_column columns[PROBE_VALUES_MAX];
	uint32_t column_count;
	int entry_keys[PROBE_ON_MAX], leave_keys[PROBE_ON_MAX];	/* by spec.on: indices into the
								 * streams' `fields` */
	int middle_keys[PROBE_MIDDLES_MAX][PROBE_ON_MAX];
	int known_field;		/* recordings: index of the field with the bits, see
					 * ingest/probe_state.h; 0: none */
	struct probe_condition condition;	/* the part the kernel does not filter */
	struct probe_name *names;	/* owned by the analyzer's thread: [PROBE_NAMES], or NULL */
	bool has_filtered_entries;	/* the kernel drops entries: a return alone is no loss */
	uint32_t pid;			/* count only this process and its descendants; 0: all */
};

void probe_reading_destroy(struct probe_reading *reading);	/* NULL is fine */

struct probe_definition {
	enum trace_type type;
	char site[PROBE_FUNCTION_BYTES + 64];
	char shown[PROBE_FILE_BYTES + 64];	/* as people see it: "/bin/app:0x1139" */
	char fetch_args[PROBE_DEFINITION_BYTES];
	uint32_t max_active;
};

/* Makes the definition for @site's entry or return, or with @is_return for a site of @points->end,
 * the second of two points. -E2BIG: it is too long for one command. */
int probe_definition_make(struct probe_definition *out, const struct probe_point *points,
			  const struct probe_site *site, bool is_return, struct diag *why);

/* Finds the field of each value and of each key, once the streams of @reading have their fields. */
void probe_definition_columns(struct probe_reading *reading, const struct probe_point *points);

/* Writes to @out the parts of the condition, joined by "and", that the kernel can evaluate at the
 * event at @site, which has @fields. *@rest becomes the other parts, for the analyzer; count 0:
 * none. False: no filter for the kernel. For a pair, of whose ends the kernel sees one at a time,
 * it gets parts only if the analyzer can't evaluate one, then at the first end, or if
 * probe_definition_asks_both_ends(), then at both: @is_second is about the second one, and @site is
 * of the first. */
bool probe_definition_filter(const struct probe_point *points, const struct probe_site *site,
			     const struct raw_fields *fields, bool is_second, char *out,
			     size_t room, struct probe_condition *rest);

/* True: @points is a pair of tracepoints, and its condition uses only numbers that are equal at
 * both, as those that join them. The kernel then filters both ends, and so drops whole pairs. */
bool probe_definition_asks_both_ends(const struct probe_point *points,
				     const struct probe_site *site);

/* A field of a tracepoint's record as an argument selects it: one element of an array, another
 * type, the bytes as a network address; or as the event itself prints it. */
struct field_view {
	struct raw_field field;		/* the record's field, or a copy with changes */
	enum probe_value_kind kind;
	enum probe_meaning meaning;
};

/* Fills @out[@room] with the field's name in @value: "daddr" for "daddr[3]". */
void field_view_name(const char *value, char *out, size_t room);

/* Makes the view of field @index of the event @group:@name for @argument; NULL: as the event has
 * it. 0; -EINVAL: the field is not of that type, @reason[@room] says why; -ENOTSUP: the record has
 * only the address of the text or of the socket's address. */
int field_view_make(struct field_view *out, const struct raw_fields *fields, int index,
		    const char *group, const char *name, const struct probe_argument *argument,
		    char *reason, size_t room);

#endif
