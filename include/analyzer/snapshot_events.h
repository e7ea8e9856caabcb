/* snapshot_events.h - hits and samples one by one, in a snapshot of --format events.
 *
 * Owns:   one block with all text, immutable, freed with the snapshot. Text sanitized, never NULL.
 * Order:  by time, over all events and probes, and over the snapshots of a run.
 */
#ifndef ANALYZER_SNAPSHOT_EVENTS_H
#define ANALYZER_SNAPSHOT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct snapshot_field {		/* a value that a hit carries */
	const char *name, *text;	/* text "": empty, or !is_known */
	bool is_known, is_number;	/* is_number: `text` is a decimal number */
};

struct snapshot_event {
	uint64_t time_ns;	/* end of the event: CLOCK_MONOTONIC, or the recording's clock */
	uint32_t cpu;		/* UINT32_MAX: unknown */
	uint32_t pid, tid;
	const char *comm, *event;
	uint64_t period;
	bool has_period;	/* true for a sample, false for a probe hit */
	int64_t latency_ns;	/* < 0: none */
	const char *symbol, *dso;	/* location of the leaf; "" unknown */
	const char *const *frames;	/* symbol names, else addresses; the leaf first */
	uint32_t frame_count;	/* 0: no stack was requested, or it is unknown */
	const struct snapshot_field *fields;
	uint32_t field_count;
};

struct snapshot_events {
	uint32_t count;
	const struct snapshot_event *list;
	uint64_t dropped;	/* events dropped since start, as the reader was too slow */
};

#endif
