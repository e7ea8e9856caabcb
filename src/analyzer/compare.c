/* compare.c - see compare.h. */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void compare_init(struct compare *compare, struct ingest *ingest)
{
	*compare = (struct compare){ .ingest = ingest };
}

void compare_forget(struct compare *compare)
{
	if (compare->has_rows)
		fold_finish(&compare->rows);
	compare->has_rows = false;
}

void compare_finish(struct compare *compare)
{
	compare_forget(compare);
	symbol_pairs_finish(&compare->pairs);
}

bool compare_is_wanted(const struct compare *compare, const struct query *query, uint32_t event)
{
	const struct baseline *baseline = &compare->ingest->baseline;

	if (query->keys & KEY_EVENT)	/* other events than the one shown may be in it */
		return query->compare && baseline->is_set;
	return query->compare && baseline_has_event(baseline, event);
}

/* Returns a number that grows whenever a name or the cgroup of a task changes. */
static uint64_t names_now(const struct ingest *ingest)
{
	return (uint64_t)ingest->trie.frames.forgotten + ingest->names.renamed +
	       ingest->tasks.settled;
}

const struct symbol_pairs *compare_pairs(struct compare *compare)
{
	/* Without memory for pairs different builds are not paired, which is correct, too. */
	symbol_pairs_find(&compare->pairs, &compare->ingest->names);
	return compare->pairs.count ? &compare->pairs : NULL;
}

static bool is_known(const struct compare *compare, const struct query *query, unsigned int keys,
		     uint32_t event)
{
	const struct ingest *ingest = compare->ingest;

	return compare->has_rows && compare->keys == keys && compare->event == event &&
	       compare->raw_waits == query->raw_waits &&
	       compare->hit_weight == query->hit_weight &&
	       compare->hit_group == query->hit_group && compare->inside == query->inside &&
	       compare->inside_probe == query->inside_probe &&
	       compare->baseline == ingest->baseline.number &&
	       compare->names == names_now(ingest) &&
	       (!compare->pairs.count || compare->symbol_count == ingest->names.count) &&
	       filter_is_same(&compare->filter, &query->filter);
}

static void add_baseline(struct fold *rows, struct slice base)
{
	if (fold_can_be_dense(rows))
		fold_add_slices_dense(rows, &base, NULL, 1);
	else
		fold_add(rows, base.entries, base.count, 1.0);
}

const struct fold *compare_rows(struct compare *compare, const struct query *query,
				unsigned int keys, uint32_t event,
				const struct wait_stacks *waits, struct slice base,
				const struct fold_stop *stop)
{
	struct ingest *ingest = compare->ingest;
	struct fold *rows = &compare->rows;

	if (is_known(compare, query, keys, event))
		return rows;
	compare_forget(compare);
	compare->filter = query->filter;
	compare->keys = keys;
	compare->event = event;
	compare->raw_waits = query->raw_waits;
	compare->hit_weight = query->hit_weight;
	compare->hit_group = query->hit_group;
	compare->inside = query->inside;
	compare->inside_probe = query->inside_probe;
	compare->baseline = ingest->baseline.number;
	compare->names = names_now(ingest);
	fold_init(rows, &ingest->trie, &ingest->names, &ingest->tasks, keys, event,
		  &compare->filter);
	fold_set_waits(rows, waits);
	compare->has_rows = true;
	rows->pairs = compare->pairs.count ? &compare->pairs : NULL;
	rows->stop = *stop;
	add_baseline(rows, base);
	compare->symbol_count = ingest->names.count;
	if (!rows->is_out_of_memory && !rows->is_stopped)
		return rows;
	compare_forget(compare);
	return NULL;
}

void compare_describe(const struct compare *compare, const struct fold *base,
		      struct snapshot *head)
{
	const struct baseline *baseline = &compare->ingest->baseline;

	head->has_baseline = baseline->is_set;
	head->is_compared = base;
	head->baseline = (struct snapshot_baseline){
		.begin_ns = baseline->begin_ns, .end_ns = baseline->end_ns,
		.window_s = (double)baseline_length_ns(baseline) / 1e9,
		.samples = base ? base->samples : 0, .weight = base ? base->weight : 0,
		.shown_weight = base ? base->shown_weight : 0,
		.label = baseline->label, .notice = baseline->notice,
	};
}

char *compare_notice(const struct compare *compare, const char *of_source)
{
	const char *own = compare->ingest->baseline.notice;
	const char *before = of_source ? of_source : "";
	const size_t bytes = strlen(before) + strlen(own) + 2;
	char *joined = malloc(bytes);

	if (joined)
		snprintf(joined, bytes, "%s%s%s", before, *before && *own ? "\n" : "", own);
	return joined;
}
