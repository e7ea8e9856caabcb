/* print.h - what is written to files and pipes: a snapshot as text, JSON or a table, its listing,
 * hits and samples, folded stacks, counts.
 * Thread: any. Errors stay in @out (ferror(3)). */
#ifndef EXPORT_PRINT_H
#define EXPORT_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/snapshot.h"
#include "base/diag.h"
#include "capture/counter_set.h"
#include "capture/event.h"
#include "fold/filter.h"
#include "listing/listing_rows.h"
#include "probe/probe_spec.h"
#include "sandbox/sandbox.h"

struct export_options {
	struct filter filter;	/* the snapshot's filter, for the header */
	bool show_idle;		/* include rows of idle samples */
	bool has_period;	/* add the sum of each row's periods */
	bool has_source;	/* add each row's source line */
	bool has_groups;	/* a tree of groups was requested: text shows it instead of rows */
	bool by_total;		/* sort rows of a compared snapshot by the change of total */
	size_t max_rows;	/* SIZE_MAX: all; else the output says how many are left out */
	const char *command;	/* JSON: command line that prints the same, sanitized; NULL, "":
				 * unknown */
};

/* Writes header and table of one snapshot, without the chain after it: text_has_all_events(). */
void text_write(FILE *out, const struct snapshot *snapshot, const struct export_options *options);
/* Writes the lines above the table, each after "# ": what was sampled, its losses, notices,
 * baseline and filter. Two blanks separate what the first line says. */
void text_put_head(FILE *out, const struct snapshot *snapshot,
		   const struct export_options *options);
/* Writes how often the event is sampled: " 997 Hz", " every 1000"; nothing for a probe. */
void text_put_rate(FILE *out, const struct snapshot *snapshot);
/* True if the table of @snapshot has all events of its chain as groups: the snapshots after it in
 * the chain then have no groups. */
bool text_has_all_events(const struct snapshot *snapshot, const struct export_options *options);

/* Writes one JSON object (RFC 8259) and a newline. Fields: flametop(8), JSON. */
void json_write(FILE *out, const struct snapshot *snapshot, const struct export_options *options);

/* Writes the snapshot's listing, in the layer asked for or the next one that there is. 0 or
 * -ENOMEM. */
int listing_text_write(FILE *out, const struct snapshot *snapshot, enum listing_layer layer);
int listing_json_write(FILE *out, const struct snapshot *snapshot, enum listing_layer layer);

/* Tables: as CSV (RFC 4180, lines end with LF) for programs and spreadsheets, or in GitHub's
 * Markdown for people. A table has the same columns in all refreshes of a run; programs get its
 * titles once, people with each refresh, below what the head of the text says.
 *
 * Use:    table_writer_create() for a run, table_writer_write() for each refresh, then
 *         table_writer_destroy().
 * Thread: any, one at a time. */
enum table_style { TABLE_CSV, TABLE_MARKDOWN };

/* In the order of option_tables:
 * the rows of the snapshot; its tree of groups; its tree of calls, a row for each path; probes;
 * groups of the hits of all probes; buckets of their groups and latencies; and its listing. */
enum table_kind {
	TABLE_ROWS, TABLE_GROUPS, TABLE_TREE, TABLE_PROBES, TABLE_HIT_GROUPS, TABLE_HISTOGRAMS,
	TABLE_LISTING
};

struct table_options {
	enum table_style style;
	enum table_kind kind;
	bool continues;			/* CSV: the titles were written already */
	struct export_options print;
	enum listing_layer layer;	/* TABLE_LISTING */
	/* BORROWED until table_writer_create() returns: their keys and aggregates have columns.
	 * NULL: those of the first snapshot have. */
	const struct probe_spec *probes;
	size_t probe_count;
};

struct table_writer;

/* 0, with *@out for table_writer_destroy(), or -ENOMEM. */
int table_writer_create(struct table_writer **out, const struct table_options *options);
void table_writer_destroy(struct table_writer *writer);	/* NULL is fine */
/* Writes a refresh: @snapshot and the chain after it. 0 or -ENOMEM. */
int table_writer_write(struct table_writer *writer, FILE *out, const struct snapshot *snapshot);

/* Writes hits and samples, a line each, as text or as JSON lines.
 * Thread: any. Errors stay in @out (ferror(3)). */

enum event_field {		/* in the order of option_event_fields */
	EVENT_TIME, EVENT_CPU, EVENT_COMM, EVENT_PID, EVENT_TID, EVENT_NAME, EVENT_PERIOD,
	EVENT_LATENCY, EVENT_SYMBOL, EVENT_DSO, EVENT_VALUES, EVENT_STACK,
	EVENT_BRANCHES, EVENT_PPID,
	EVENT_FIELD_COUNT
};

struct event_fields {
	enum event_field list[EVENT_FIELD_COUNT];	/* in the order of printing */
	uint32_t count;
};

/* NULL-terminated, by enum event_field. */
extern const char *const event_field_names[EVENT_FIELD_COUNT + 1];

/* Selects time, CPU, command, pid, tid, event, latency, symbol and values. */
void event_fields_set_default(struct event_fields *out);
/* Parses "time,comm,stack", or "+stack,-cpu" to change the fields in @out. 0 or -EINVAL; @as: the
 * option, for the reason. */
int event_fields_parse(struct event_fields *out, const char *as, const char *text,
		       struct diag *why);
bool event_fields_has(const struct event_fields *fields, enum event_field field);

void events_write_titles(FILE *out, const struct event_fields *fields);
void events_write(FILE *out, const struct snapshot_events *events,
		  const struct event_fields *fields);
/* Writes a JSON object per line; null where a value is unknown or the hit has none. */
void events_write_json(FILE *out, const struct snapshot_events *events,
		       const struct event_fields *fields);

/* Writes hits and samples in the layout of perf-script(1), which its readers parse:
 *
 *   comm pid/tid [cpu] time: period event: trace
 *	address symbol+offset (DSO)		the leaf first; only where callers were sampled
 *	  file:line				only where it is asked for and known
 *
 * Thread: any. Errors stay in @out (ferror(3)). */

enum script_field {		/* names and order: script_field_names, flametop(8) */
	SCRIPT_COMM, SCRIPT_TID, SCRIPT_PID, SCRIPT_TIME, SCRIPT_CPU, SCRIPT_EVENT, SCRIPT_TRACE,
	SCRIPT_IP, SCRIPT_SYM, SCRIPT_DSO, SCRIPT_SYMOFF, SCRIPT_PERIOD,
	SCRIPT_ADDR, SCRIPT_BRSTACK, SCRIPT_SRCLINE,	/* only where they are asked for */
	SCRIPT_FIELD_COUNT
};

/* Bits 1 << enum script_field. A zeroed one selects what suits an event: a tracepoint or hit has
 * `trace` in place of `period`, and a stack only where callers were sampled. */
struct script_fields {
	bool is_chosen;
	uint32_t chosen;	/* is_chosen: shown of every event */
	uint32_t added, removed;	/* else: changes of what suits */
};

/* NULL-terminated, by enum script_field: the names of perf-script(1). */
extern const char *const script_field_names[SCRIPT_FIELD_COUNT + 1];

/* Parses "comm,tid,time,event", or "+symoff,-cpu" to change what suits. 0 or -EINVAL with the
 * column of what is no field; @as: the option, for the reason. */
int script_fields_parse(struct script_fields *out, const char *as, const char *text,
			struct diag *why);
/* Returns whether the samples of some of the @count @events have what @fields asks for beyond what
 * each sample has. 0 or -EINVAL with what is missing; @as: the option, for the reason. */
int script_fields_check(const struct script_fields *fields, const char *as,
			const struct event_desc *const *events, uint32_t count, struct diag *why);
/* Returns whether @fields may show @field of some event. */
bool script_fields_have(const struct script_fields *fields, enum script_field field);

/* Prints what tracepoints wrote, by their print formats, in workers: sandbox/trace_texts.h. An
 * event whose format or bytes end its worker is not printed from then on.
 * Thread: that of the sandbox. */
struct trace_printer;

/* @sandbox and the @count events of the source stay the caller's; no other jobs may run in
 * @sandbox. 0 or -ENOMEM. */
int trace_printer_create(struct trace_printer **out, struct sandbox *sandbox,
			 const struct event_desc *const *events, uint32_t count);
void trace_printer_destroy(struct trace_printer *printer);	/* NULL is fine */
/* Returns a text for each of @events, sanitized; NULL: it wrote nothing, or that can't be printed.
 * BLOCKS for a worker's lifetime. BORROWED until the next call; NULL: none has a text. */
const char *const *trace_printer_print(struct trace_printer *printer,
				       const struct snapshot_events *events);

/* @traces[i]: what event i carries, sanitized; NULL: its values are written as "name=value".
 * @traces may be NULL: all are. */
void script_write(FILE *out, const struct snapshot_events *events,
		  const struct script_fields *fields, const char *const *traces);

/* Writes all of the recording @path as text: header, events, each record with its fields, features.
 * Damage ends what it makes unreadable: the rest is written, then the first damage is returned.
 * @sandbox: for the records of a compressed recording, which are unpacked there. 0; -EBADMSG; or an
 * error of perf_data_walk_open(). */
int dump_write(FILE *out, const char *path, struct sandbox *sandbox, struct diag *why);

/* A call tree as folded stacks, one line each, as flame graph programs read them:
 *
 *   postgres;main;PostgresMain;ExecScan;read;ksys_read_[k] 42
 *
 * Names: a ';' in a name is written ':', as ';' separates names. Code without a name has that of
 *        its DSO: "[libfoo.so]".
 * Count: samples whose stack ends there, or (@is_of_waits) ns that they waited; all lines add up to
 *        the tree's. Compared, there are two counts as difffolded.pl writes them: the baseline's,
 *        then the window's, neither scaled: flamegraph.pl draws the second in the colours of the
 *        difference.
 * Thread: any.
 */

/* Writes @tree, a callees tree. @event: it is the first name of each stack, so that the stacks of
 * several events can stand in one text without being added up; "": they have none. @marks_kernel:
 * append "_[k]" to names of kernel code. @is_compared: two counts a line. Errors stay in @out
 * (ferror(3)). 0 or -ENOMEM: the rest is missing. */
int folded_write(FILE *out, const struct call_tree *tree, const char *event, bool marks_kernel,
		 bool is_compared, bool is_of_waits);

/* What counters have counted (capture/counter_set.h), as text, JSON and tables.
 * Thread: any. Errors stay in @out (ferror(3)). */

/* Mean and deviation of repeated runs, by Welford's method. A zeroed one has no run. */
struct counter_mean {
	double mean, squares;	/* squares: sum of the squared distances from the mean */
	uint64_t runs;
};

void counter_mean_add(struct counter_mean *mean, double value);
/* Returns the standard error of the mean in % of the mean; < 0: fewer than two runs. */
double counter_mean_deviation_pct(const struct counter_mean *mean);

enum counter_state { COUNTER_COUNTED, COUNTER_NOT_COUNTED, COUNTER_NOT_SUPPORTED };

/* What is shown of one event in one row. */
struct counter_cell {
	enum counter_state state;
	double value;		/* scaled; a mean if there were several runs */
	double deviation_pct;	/* < 0: one run */
	double running_pct;	/* how much of the time it was counted; below 100 it was scaled */
	uint64_t enabled_ns, running_ns;
};

/* Makes the cell of one reading of @event, in its unit: scales the value to the whole time if it
 * was counted for a part of it (multiplexing). @is_part: of an interval, in which a task may not
 * have run at all: then it is counted as 0. */
struct counter_cell counter_cell_of(const struct counter_value *value,
				    const struct counter_event *event, bool is_part);

struct counter_report {
	const struct counter_event *events;	/* BORROWED like all that follows */
	const struct counter_row *rows;
	const struct counter_cell *cells;	/* row by row, in a row event by event */
	const struct counter_value *own;	/* this process's share by event; NULL: none */
	size_t event_count, row_count;
	enum counter_rows rows_are;
	const char *target;		/* "command make", "8 CPUs", ...; unsanitized */
	const char *notice;		/* sentences, a line each; "": none */
	bool is_interval;		/* one of several; the title is above the first */
	bool is_first;
	bool only_nonzero;		/* leave out events that counted 0 in every row */
	double time_s;			/* end of the interval, since the start */
	double elapsed_s;
	struct counter_mean elapsed, user, system;	/* s, of the command; runs 0: no command */
};

struct counter_ratio {
	double value;
	const char *unit;		/* "insn per cycle", "% of all branches"; "/sec" has a
					 * prefix only in text */
};

/* Computes the ratio that is usual for @event in @row from other events with the same levels:
 * instructions per cycle, GHz, misses in % of accesses, a rate. Returns false when an event that it
 * needs was not counted. */
bool counter_ratio_find(const struct counter_report *report, size_t row, size_t event,
			struct counter_ratio *out);

/* What became of the slots in which a core could have issued an operation. */
enum topdown_share { TOPDOWN_RETIRING, TOPDOWN_BAD_SPECULATION, TOPDOWN_FRONTEND, TOPDOWN_BACKEND,
		     TOPDOWN_SHARES };

/* Returns whether @event is one of top-down level 1, as sysfs names them: slots, topdown-*; and if
 * @like is not NULL, of the same PMU and levels as it. */
bool counter_is_topdown(const struct counter_event *event, const struct counter_event *like);

/* Computes the shares in % of all slots, of the PMU of @event, which is one of its events. Returns
 * false if one that is needed was not counted. */
bool counter_topdown_find(const struct counter_report *report, size_t row, size_t event,
			  double shares[TOPDOWN_SHARES]);

void counter_text_write(FILE *out, const struct counter_report *report);
/* Writes one JSON object and a newline. */
void counter_json_write(FILE *out, const struct counter_report *report);
/* Writes a line for each row of each event; as CSV with titles above the first report only. */
void counter_table_write(FILE *out, const struct counter_report *report, enum table_style style);

#endif
