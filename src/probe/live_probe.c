/* live_probe.c - see live_probe.h.
 *
 * Idea: a part is one definition and the descriptors on it. All parts of an edge have the same
 * layout, so their records are read as one stream; a site whose fields would lie elsewhere is
 * refused rather than read wrong. Without tracefs a part is a point of a PMU (probe_pmu.h).
 *
 * Invariant: a probe that could not be opened as a whole leaves nothing in the kernel.
 */
#include "live_probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "point_tracepoint.h"
#include "probe/probe_definition.h"
#include "probe_pmu.h"

/* True for the only tracepoints of Linux whose count is not the number of hits: they are made with
 * __perf_count() (include/trace/events/sched.h). */
static bool has_weight(const struct probe_spec *spec)
{
	static const char times[] = "sched_stat_";

	return spec->kind == PROBE_TRACEPOINT && !strcmp(spec->group, "sched") &&
	       !strncmp(spec->function, times, sizeof(times) - 1);
}

/* Returns the spec of the point where @part is. */
static const struct probe_spec *spec_of_part(const struct live_part *part,
					     const struct live_request *request)
{
	return &probe_point_of_edge(request->points, part->is_return)->spec;
}

static int find_tracepoint(struct live_part *part, const struct live_request *request,
			   struct diag *why)
{
	const struct probe_spec *spec = spec_of_part(part, request);

	return trace_group_find(request->group, spec->group, spec->function, &part->event, why);
}

static int define(struct live_part *part, const struct live_request *request,
		  const struct probe_site *site, struct diag *why)
{
	struct probe_definition made;
	struct trace_definition definition;
	int err = probe_definition_make(&made, request->points, site, part->is_return, why);

	if (err)
		return err;
	definition = (struct trace_definition){ .type = made.type, .site = made.site,
						.shown = made.shown,
						.fetch_args = made.fetch_args,
						.max_active = made.max_active };
	err = trace_group_add(request->group, &definition, &part->event, why);
	part->is_defined = !err;
	return err;
}

/* Opens the meter, which counts every hit and writes no record. */
static int open_meter(struct live_part *part, struct probe_link_config config, struct diag *why)
{
	config.kernel_filter = "";
	config.only_counts = true;
	return probe_link_open(&part->meter, NULL, &config, why);
}

/* Fails if the condition needs the kernel's filter: only the kernel can follow pointers. */
static int refuse_filter(const struct live_request *request, int err, struct diag *why)
{
	if (!probe_condition_has_pointed(&request->points->spec.condition))
		return 0;
	return diag_set(why, err ? err : -EOPNOTSUPP, "the kernel must compare what is behind "
			"a pointer, and takes no such filter here");
}

/* Opens the link with the kernel's part of the condition as its filter, and a meter to count what
 * that drops, which costs as much. part->link NULL: the analyzer must evaluate every hit. */
static int open_filtered(struct live_part *part, const struct live_request *request,
			 const struct probe_site *site, struct probe_link_config config,
			 struct diag *why)
{
	const bool is_second = part->is_return && request->points->spec.edge == PROBE_LATENCY;
	const bool is_asked = !is_second || probe_definition_asks_both_ends(request->points, site);
	char filter[PROBE_FILTER_BYTES];
	int err;

	if (!request->rings || config.has_weight || !is_asked ||
	    !probe_definition_filter(request->points, site, &part->event.fields, is_second,
				     filter, sizeof(filter), &part->rest))
		return request->rings && !is_second ? refuse_filter(request, 0, why) : 0;
	config.kernel_filter = filter;
	err = probe_link_open(&part->link, request->rings, &config, NULL);
	if (err)
		return refuse_filter(request, err, why);
	/* The first end of the pair already counts the hits. */
	part->is_filtered = is_second || !open_meter(part, config, NULL);
	if (!part->is_filtered)
		live_part_close(part);
	return part->is_filtered ? 0 : refuse_filter(request, -EOPNOTSUPP, why);
}

/* True: @part's tracepoint is the entry of the system call whose texts are copied, or its exit. */
static bool find_texts(const struct live_part *part, const struct live_request *request,
		       struct syscall_texts_config *out)
{
	const bool is_exit = part->is_return && probe_point_is_system_call(&request->points->spec);
	const struct probe_point *point =
		is_exit ? request->points : probe_point_of_edge(request->points, part->is_return);

	if (!request->rings || point->spec.kind != PROBE_TRACEPOINT ||
	    !point_tracepoint_texts(point, is_exit, out))
		return false;
	out->record_type = (uint16_t)part->event.id;
	return true;
}

static int open_with_texts(struct live_part *part, const struct live_request *request,
			   const struct syscall_texts_config *texts,
			   struct probe_link_config config, struct diag *why)
{
	const int err = refuse_filter(request, 0, why);

	config.texts = texts;
	return err ? err : probe_link_open(&part->link, request->rings, &config, why);
}

static void warn_of_programs(const struct live_part *part, const struct live_request *request)
{
	char name[PROBE_GROUP_BYTES + TRACE_NAME_BYTES];

	snprintf(name, sizeof(name), "%s:%s", spec_of_part(part, request)->group, part->event.name);
	probe_link_warn_of_programs(part->link, name);
}

static int open_by_tracefs(struct live_part *part, const struct live_request *request,
			   const struct probe_site *site, struct probe_link_config *config,
			   struct diag *why)
{
	const bool is_tracepoint = spec_of_part(part, request)->kind == PROBE_TRACEPOINT;
	struct syscall_texts_config texts;
	int err = is_tracepoint ? find_tracepoint(part, request, why)
				: define(part, request, site, why);

	if (err)
		return err;
	config->type = PERF_TYPE_TRACEPOINT;
	config->config = part->event.id;
	if (find_texts(part, request, &texts))
		return open_with_texts(part, request, &texts, *config, why);
	/* Of two points, the first has the values that are compared. */
	err = open_filtered(part, request, request->points->end ? request->points->sites : site,
			    *config, why);
	if (!err && !part->link) {
		err = probe_link_open(&part->link, request->rings, config, why);
		if (!err && request->rings && config->has_weight)
			err = open_meter(part, *config, why);
	}
	if (!err && is_tracepoint)
		warn_of_programs(part, request);
	return err;
}

static int open_by_pmu(struct live_part *part, const struct live_request *request,
		       const struct probe_site *site, struct probe_link_config *config,
		       struct diag *why)
{
	struct probe_pmu_definition made;
	int err = probe_pmu_define(&made, config, request->points, site, part->is_return, why);

	if (err)
		return err;
	part->event.fields = made.fields;
	return probe_link_open(&part->link, request->rings, config, why);
}

static int open_part(struct live_part *part, const struct live_request *request,
		     const struct probe_site *site, struct diag *why)
{
	struct probe_link_config config = {
		.scope = request->scope, .kernel_filter = "",
		.only_counts = !request->rings,
		.has_weight = has_weight(spec_of_part(part, request)),
		/* A pair's entry has the stack: the return's is cut at the function. */
		.with_stacks = request->with_stacks && request->rings &&
			       !(part->is_return && request->points->spec.edge == PROBE_LATENCY),
		.copy_bytes = request->copy_bytes,
	};

	return request->group ? open_by_tracefs(part, request, site, &config, why)
			      : open_by_pmu(part, request, site, &config, why);
}

static int add_ids(struct probe_stream *stream, const struct probe_link *link)
{
	size_t count;
	const uint64_t *ids = probe_link_ids(link, &count);
	uint64_t *more = realloc(stream->ids, (stream->id_count + count) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	memcpy(more + stream->id_count, ids, count * sizeof(*more));
	stream->ids = more;
	stream->id_count += (uint32_t)count;
	return 0;
}

static bool have_same_layout(const struct raw_fields *a, const struct raw_fields *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->list[i].name, b->list[i].name) != 0 ||
		    strcmp(a->list[i].type, b->list[i].type) != 0 ||
		    a->list[i].offset != b->list[i].offset || a->list[i].size != b->list[i].size)
			return false;
	return true;
}

/* Adds a part to its stream, whose fields are those of the first part. */
static int add_part(struct probe_reading *reading, struct live_part *part, struct diag *why)
{
	struct probe_stream *stream = part->middle ? &reading->middles[part->middle - 1]
				    : part->is_return ? &reading->leave : &reading->entry;

	if (!stream->id_count) {
		stream->format = *probe_link_format(part->link);
		stream->fields = part->event.fields;
		part->event.fields = (struct raw_fields){ .list = NULL };
	} else if (!have_same_layout(&stream->fields, &part->event.fields)) {
		return diag_set(why, -ENOTSUP, "the values of its copies have different types: "
				"probe it without arguments");
	}
	if (add_ids(stream, part->link))
		return diag_set(why, -ENOMEM, "no memory for a probe");
	return 0;
}

/* Parts of an edge have one filter, or none: then the analyzer evaluates the whole condition. */
static void set_condition(struct probe_reading *reading, const struct live_probe *live,
			  const struct probe_condition *whole)
{
	const struct live_part *filtered = NULL;
	bool is_everywhere = true, asks_both_ends = false;

	for (uint32_t i = 0; i < live->part_count; i++) {
		const struct live_part *part = &live->parts[i];

		asks_both_ends |= live->is_pair && part->is_return && part->is_filtered;
		if (part->is_filtered)
			filtered = part;
		else if (!live->is_pair || (!part->is_return && !part->middle))
			is_everywhere = false;
	}
	reading->condition = filtered && is_everywhere ? filtered->rest : *whole;
	reading->has_filtered_entries = live->is_pair && filtered && !asks_both_ends;
}

static int make_reading(struct probe_reading **out, struct live_probe *live,
			const struct live_request *request, struct diag *why)
{
	struct probe_reading *reading = calloc(1, sizeof(*reading));
	int err = reading ? 0 : diag_set(why, -ENOMEM, "no memory for a probe");

	for (uint32_t i = 0; i < live->part_count && !err; i++)
		err = add_part(reading, &live->parts[i], why);
	if (err) {
		probe_reading_destroy(reading);
		return err;
	}
	set_condition(reading, live, &request->points->spec.condition);
	probe_definition_columns(reading, request->points);
	*out = reading;
	return 0;
}

/* Opens a part at each site of one edge. */
static int open_edge(struct live_probe *live, const struct live_request *request, bool is_return,
		     struct diag *why)
{
	const struct probe_point *point = probe_point_of_edge(request->points, is_return);
	int err = 0;

	for (uint32_t i = 0; i < point->site_count && !err; i++) {
		struct live_part *part = &live->parts[live->part_count++];

		part->is_return = is_return;
		err = open_part(part, request, &point->sites[i], why);
	}
	return err;
}

/* Opens a part at each site of the point @middle, counted from 1, between the first and the last:
 * as one of a probe of its own, which has neither stacks nor a condition. */
static int open_middle(struct live_probe *live, const struct live_request *request, uint32_t middle,
		       struct diag *why)
{
	struct live_request own = *request;
	int err = 0;

	own.points = request->points->middles[middle - 1];
	own.with_stacks = false;
	for (uint32_t i = 0; i < own.points->site_count && !err; i++) {
		struct live_part *part = &live->parts[live->part_count++];

		part->is_return = own.points->spec.edge == PROBE_RETURN;
		part->middle = (uint8_t)middle;
		err = open_part(part, &own, &own.points->sites[i], why);
	}
	return err;
}

/* Opens returns first, and the other points from the last to the first: an entry whose return is
 * not probed yet would wait for it. */
static int open_parts(struct live_probe *live, const struct live_request *request, struct diag *why)
{
	const bool is_return = live->is_pair || request->points->spec.edge == PROBE_RETURN;
	int err = open_edge(live, request, is_return, why);

	for (uint32_t i = live->is_pair ? request->points->spec.middle_count : 0; i && !err; i--)
		err = open_middle(live, request, i, why);

	return err || !live->is_pair ? err : open_edge(live, request, false, why);
}

/* Returns how many sites of all points are opened. */
static uint32_t count_sites(const struct live_probe *live, const struct probe_point *points)
{
	uint32_t count = points->site_count;

	if (live->is_pair)
		count += probe_point_of_edge(points, true)->site_count;
	for (uint32_t i = 0; live->is_pair && i < points->spec.middle_count; i++)
		count += points->middles[i]->site_count;
	return count;
}

int live_probe_open(struct live_probe *live, const struct live_request *request,
		    struct probe_reading **reading, struct diag *why)
{
	const struct probe_point *points = request->points;
	struct diag ignored;
	int err;

	live->is_pair = points->spec.edge == PROBE_LATENCY && request->rings &&
			!probe_spec_is_interval(&points->spec);
	live->part_count = 0;
	live->parts = calloc(count_sites(live, points), sizeof(*live->parts));
	if (!live->parts)
		return diag_set(why, -ENOMEM, "no memory for a probe");
	err = open_parts(live, request, why);
	if (!err && reading)
		err = make_reading(reading, live, request, why);
	if (!err)
		return 0;
	for (uint32_t i = 0; i < live->part_count; i++)
		live_part_close(&live->parts[i]);
	live_probe_undefine(live, request->group, &ignored);
	return err;
}

void live_probe_enable(struct live_probe *live)
{
	for (uint32_t i = 0; i < live->part_count; i++) {
		if (live->parts[i].meter)
			probe_link_enable(live->parts[i].meter);
		probe_link_enable(live->parts[i].link);
	}
}

static void live_probe_disable(struct live_probe *live)
{
	for (uint32_t i = live->part_count; i-- > 0;) {	/* disable entries first */
		probe_link_disable(live->parts[i].link);
		if (live->parts[i].meter)
			probe_link_disable(live->parts[i].meter);
	}
}

void live_probe_read(const struct live_probe *live, struct trace_group *group,
		     struct live_counts *out)
{
	*out = live->before;
	for (uint32_t i = 0; i < live->part_count; i++) {
		const struct live_part *part = &live->parts[i];
		uint64_t hits, lost, kept, ignored, absent;

		probe_link_read(part->link, &hits, &lost);
		if (part->meter) {
			kept = hits;
			probe_link_read(part->meter, &hits, &ignored);
			if (part->is_filtered)
				out->filtered += hits > kept ? hits - kept : 0;
		}
		*(live->is_pair && (part->is_return || part->middle) ? &out->end_hits
								     : &out->hits) += hits;
		out->lost += lost;
		out->missed += probe_link_missed(part->link, &absent);
		if (!live->is_pair || part->is_return)	/* at the return they are read again */
			out->absent += absent;
		if (part->is_defined)
			out->missed += trace_group_missed(group, &part->event);
	}
}

void live_probe_retire(struct live_probe *live, struct trace_group *group)
{
	struct live_counts counts;

	live_probe_disable(live);
	live_probe_read(live, group, &counts);
	live->before = counts;
}

void live_part_close(struct live_part *part)
{
	probe_link_close(part->meter);
	probe_link_close(part->link);
	part->link = part->meter = NULL;
}

int live_probe_undefine(struct live_probe *live, struct trace_group *group, struct diag *why)
{
	int err = 0;

	for (uint32_t i = 0; i < live->part_count; i++) {
		struct live_part *part = &live->parts[i];

		if (!part->is_defined)
			raw_fields_finish(&part->event.fields);
		else if (trace_group_remove(group, &part->event, why))
			err = why->err;
	}
	free(live->parts);
	live->parts = NULL;
	live->part_count = 0;
	return err;
}
