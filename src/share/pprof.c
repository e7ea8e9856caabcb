/* pprof.c - see pprof.h.
 *
 *   profile   sample types | strings, samples, mappings, locations, functions | period | comments
 *   sample    locations, the leaf first | a count and a weight for each event | labels
 *   location  mapping, address | lines: functions inlined there, innermost first, then the symbol's
 *
 * The fields of a message may come in any order, so strings are written when they are first needed,
 * and nothing but their numbers is kept.
 *
 * Addresses: a file is mapped once, at an address of its own, as a whole; so an address says where
 * in the file the code is. The kernel and generated code are mapped where they are in memory.
 */
#include "pprof.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/id_map.h"
#include "base/sanitize.h"
#include "fold/filter.h"
#include "fold/stack_samples.h"

/* Fields of profile.proto. */
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3, PROFILE_LOCATION = 4,
       PROFILE_FUNCTION = 5, PROFILE_STRING = 6, PROFILE_TIME = 9, PROFILE_DURATION = 10,
       PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12, PROFILE_COMMENT = 13,
       PROFILE_DEFAULT_TYPE = 14 };
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_TEXT = 2, LABEL_NUMBER = 3 };
enum { MAPPING_ID = 1, MAPPING_START = 2, MAPPING_LIMIT = 3, MAPPING_FILE = 5,
       MAPPING_BUILD_ID = 6, MAPPING_HAS_FUNCTIONS = 7, MAPPING_HAS_FILES = 8,
       MAPPING_HAS_LINES = 9, MAPPING_HAS_INLINED = 10 };
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_RAW_NAME = 3, FUNCTION_FILE = 4,
       FUNCTION_LINE = 5 };
enum { WIRE_NUMBER = 0, WIRE_BYTES = 2 };

#define OUT_BYTES   65536
#define GZIP_WINDOW (15 + 16)		/* the largest, with gzip's header */
#define PAGE	    UINT64_C(4096)
#define FILE_MAX    (UINT64_C(1) << 40)	/* greater addresses are in memory, not in a file */
#define FILES_BEGIN UINT64_C(0x10000000)

struct message {
	unsigned char *bytes;		/* owned */
	size_t used, capacity;
	bool is_out_of_memory;
};

struct writer {
	FILE *out;
	z_stream stream;
	unsigned char packed[OUT_BYTES];
	int err;
	uint64_t strings;		/* how many were written */
	struct id_map by_offset;	/* offset of a text in the samples -> string; cleared for
					 * each event */
	struct message message, part;	/* the one being made, and one in it */
	uint64_t mappings, locations, functions;	/* how many previous events have */
	uint64_t next_start;		/* where the next file is mapped */
};

static bool reserve(struct message *message, size_t bytes)
{
	const size_t needed = message->used + bytes;
	size_t capacity = message->capacity ? message->capacity : 256;
	unsigned char *bigger;

	if (needed <= message->capacity)
		return true;
	while (capacity < needed)
		capacity *= 2;
	bigger = realloc(message->bytes, capacity);
	if (!bigger) {
		message->is_out_of_memory = true;
		return false;
	}
	message->bytes = bigger;
	message->capacity = capacity;
	return true;
}

/* Seven bits in a byte, the lowest first; the eighth says that more follow. */
static void put_varint(struct message *message, uint64_t value)
{
	if (!reserve(message, 10))
		return;
	for (; value > 127; value >>= 7)
		message->bytes[message->used++] = (unsigned char)(value | 128);
	message->bytes[message->used++] = (unsigned char)value;
}

/* A number that is 0 is what a field without it means. */
static void put_number(struct message *message, unsigned int field, uint64_t value)
{
	if (!value)
		return;
	put_varint(message, field << 3 | WIRE_NUMBER);
	put_varint(message, value);
}

static void put_bytes(struct message *message, unsigned int field, const void *bytes, size_t count)
{
	put_varint(message, field << 3 | WIRE_BYTES);
	put_varint(message, count);
	if (!count || !reserve(message, count))
		return;
	memcpy(message->bytes + message->used, bytes, count);
	message->used += count;
}

/* Puts @part into @message, and empties it. */
static void put_part(struct message *message, unsigned int field, struct message *part)
{
	put_bytes(message, field, part->bytes, part->used);
	part->used = 0;
	message->is_out_of_memory |= part->is_out_of_memory;
}

static void compress_bytes(struct writer *writer, const void *bytes, size_t count, int flush)
{
	z_stream *stream = &writer->stream;

	stream->next_in = (Bytef *)(uintptr_t)bytes;
	stream->avail_in = (uInt)count;
	do {
		size_t made;

		stream->next_out = writer->packed;
		stream->avail_out = OUT_BYTES;
		if (deflate(stream, flush) == Z_STREAM_ERROR)
			writer->err = -EIO;
		made = OUT_BYTES - stream->avail_out;
		errno = 0;
		if (!writer->err && fwrite(writer->packed, 1, made, writer->out) != made)
			writer->err = errno ? -errno : -EIO;
	} while (!writer->err && !stream->avail_out);
}

/* Writes the message that was made as a field of the profile, and empties it. */
static void write_message(struct writer *writer, unsigned int field)
{
	struct message head = { .bytes = NULL };

	put_varint(&head, field << 3 | WIRE_BYTES);
	put_varint(&head, writer->message.used);
	if (head.is_out_of_memory || writer->message.is_out_of_memory)
		writer->err = -ENOMEM;
	if (!writer->err)
		compress_bytes(writer, head.bytes, head.used, Z_NO_FLUSH);
	if (!writer->err && writer->message.used)
		compress_bytes(writer, writer->message.bytes, writer->message.used, Z_NO_FLUSH);
	writer->message.used = 0;
	free(head.bytes);
}

static void write_number(struct writer *writer, unsigned int field, uint64_t value)
{
	struct message number = { .bytes = NULL };

	put_number(&number, field, value);
	if (number.is_out_of_memory)
		writer->err = -ENOMEM;
	else if (!writer->err && number.used)
		compress_bytes(writer, number.bytes, number.used, Z_NO_FLUSH);
	free(number.bytes);
}

/* Writes @text and returns its number. */
static uint64_t write_string(struct writer *writer, const char *text)
{
	struct message string = { .bytes = NULL };

	put_bytes(&string, PROFILE_STRING, text, strlen(text));
	if (string.is_out_of_memory)
		writer->err = -ENOMEM;
	else if (!writer->err)
		compress_bytes(writer, string.bytes, string.used, Z_NO_FLUSH);
	free(string.bytes);
	return writer->strings++;
}

/* Returns the number of the text at @offset in @samples, writing it if it is new. */
static uint64_t string_of(struct writer *writer, const struct stack_samples *samples,
			  uint32_t offset)
{
	const uint32_t known = id_map_get(&writer->by_offset, offset);
	uint64_t made;

	if (!offset)
		return 0;
	if (known != ID_MAP_NONE)
		return known;
	made = write_string(writer, stack_samples_text(samples, offset));
	if (id_map_put(&writer->by_offset, offset, (uint32_t)made))
		writer->err = -ENOMEM;
	return made;
}

/* What the values of an event are. */
struct value_types {
	char count[160], weight[160];
	const char *unit;
	bool has_weight;	/* the weight says more than the count */
};

static void describe_values(const struct snapshot *snapshot, bool is_first,
			    struct value_types *out)
{
	const struct stack_samples *samples = snapshot->stack_samples;
	const char *of = is_first ? "" : snapshot->event, *space = is_first ? "" : " ";
	const bool is_clock = samples->has_times && !snapshot->is_of_waits;

	out->has_weight = true;
	out->unit = "count";
	snprintf(out->count, sizeof(out->count), "%s%s%s", of, space,
		 samples->is_of_hits ? "hits" : "samples");
	snprintf(out->weight, sizeof(out->weight), "%s", snapshot->event);
	if (samples->is_of_hits) {
		out->has_weight = snapshot->hit_weight[0];
		snprintf(out->weight, sizeof(out->weight), "%s%s%s", of, space,
			 snapshot->is_hit_time ? "latency" : snapshot->hit_weight);
	} else if (is_clock) {
		snprintf(out->weight, sizeof(out->weight), "%s%scpu", of, space);
	}
	if (samples->has_times || snapshot->is_hit_time)
		out->unit = "nanoseconds";
}

static void put_type(struct writer *writer, struct message *message, const char *type,
		     const char *unit)
{
	put_number(message, TYPE_TYPE, write_string(writer, type));
	put_number(message, TYPE_UNIT, write_string(writer, unit));
}

/* Returns the time between two samples, or what else they are apart; 0: unknown. */
static uint64_t period_of(const struct snapshot *snapshot)
{
	const struct stack_samples *samples = snapshot->stack_samples;

	if (snapshot->fixed_period)
		return snapshot->fixed_period;
	return samples->has_times && !snapshot->is_of_waits && snapshot->freq_hz
	       ? CLOCK_NS_PER_S / snapshot->freq_hz : 0;
}

static void write_types(struct writer *writer, const struct snapshot *first)
{
	struct value_types types;

	for (const struct snapshot *each = first; each; each = each->next_event) {
		describe_values(each, each == first, &types);
		put_type(writer, &writer->message, types.count, "count");
		write_message(writer, PROFILE_SAMPLE_TYPE);
		if (!types.has_weight)
			continue;
		put_type(writer, &writer->message, types.weight, types.unit);
		write_message(writer, PROFILE_SAMPLE_TYPE);
	}
	describe_values(first, true, &types);
	put_type(writer, &writer->message, types.has_weight ? types.weight : types.count,
		 types.has_weight ? types.unit : "count");
	write_message(writer, PROFILE_PERIOD_TYPE);
	write_number(writer, PROFILE_PERIOD, period_of(first));
	write_number(writer, PROFILE_DEFAULT_TYPE,
		     write_string(writer, types.has_weight ? types.weight : types.count));
}

static bool is_kernel(const struct sampled_dso *dso)
{
	return dso->mode == MODE_KERNEL || dso->mode == MODE_GUEST_KERNEL;
}

static bool is_in_memory(const struct sampled_dso *dso)
{
	return is_kernel(dso) || dso->is_run_time || dso->high >= FILE_MAX;
}

/* Returns how likely it is that the program is meant: the file that has most of the weight, and is
 * no library. */
static double program_rank(const struct stack_samples *samples, uint32_t number, double weight)
{
	const struct sampled_dso *dso = &samples->dsos[number];
	const char *path = stack_samples_text(samples, dso->path);

	return dso->mode != MODE_USER || path[0] != '/' || strstr(path, ".so") ? -1 : weight;
}

/* Readers take the first mapping for the program. */
static uint32_t find_program(struct writer *writer, const struct stack_samples *samples)
{
	double *weights = calloc(samples->dso_count + 1, sizeof(*weights)), most = -1;
	uint32_t program = 0;

	if (!weights) {
		writer->err = -ENOMEM;
		return 0;
	}
	for (uint32_t i = 0; i < samples->frame_count; i++)
		weights[samples->frames[i].dso] += samples->frames[i].weight;
	for (uint32_t i = 0; i < samples->dso_count; i++) {
		const double rank = program_rank(samples, i, weights[i]);

		program = rank > most ? i : program;
		most = rank > most ? rank : most;
	}
	free(weights);
	return program;
}

/* Fills @starts with where each DSO is mapped, less the address of its begin. */
static void write_mapping(struct writer *writer, const struct stack_samples *samples,
			  uint32_t number, uint64_t *starts)
{
	const struct sampled_dso *dso = &samples->dsos[number];
	const bool is_in_place = is_in_memory(dso);
	const uint64_t low = is_in_place ? dso->low & ~(PAGE - 1) : 0;
	const uint64_t high = dso->high > UINT64_MAX - PAGE ? UINT64_MAX
							       : (dso->high | (PAGE - 1)) + 1;
	char build_id[BUILD_ID_HEX_BYTES];
	struct message *message = &writer->message;

	starts[number] = is_in_place ? 0 : writer->next_start;
	put_number(message, MAPPING_ID, writer->mappings + number + 1);
	put_number(message, MAPPING_START, starts[number] + low);
	put_number(message, MAPPING_LIMIT, starts[number] + high);
	put_number(message, MAPPING_FILE,
		   is_kernel(dso) && !strcmp(stack_samples_text(samples, dso->name),
						"[kernel]")
			   ? write_string(writer, "[kernel.kallsyms]")
			   : string_of(writer, samples, dso->path));
	if (dso->build_id.count)
		put_number(message, MAPPING_BUILD_ID,
			   write_string(writer, build_id_format(&dso->build_id, build_id)));
	/* Else readers would look for names in what this path is on their own machine. */
	put_number(message, MAPPING_HAS_FUNCTIONS, 1);
	put_number(message, MAPPING_HAS_FILES, 1);
	put_number(message, MAPPING_HAS_LINES, 1);
	put_number(message, MAPPING_HAS_INLINED, 1);
	write_message(writer, PROFILE_MAPPING);
	if (!is_in_place)
		writer->next_start += high + PAGE;
}

/* The program's mapping is the first. */
static void write_mappings(struct writer *writer, const struct stack_samples *samples,
			   uint64_t *starts)
{
	const uint32_t program = find_program(writer, samples);

	if (program < samples->dso_count)
		write_mapping(writer, samples, program, starts);
	for (uint32_t i = 0; i < samples->dso_count && !writer->err; i++)
		if (i != program)
			write_mapping(writer, samples, i, starts);
}

static void write_functions(struct writer *writer, const struct stack_samples *samples)
{
	struct message *message = &writer->message;

	for (uint32_t i = 0; i < samples->function_count && !writer->err; i++) {
		const struct sampled_function *function = &samples->functions[i];

		put_number(message, FUNCTION_ID, writer->functions + i + 1);
		put_number(message, FUNCTION_NAME, string_of(writer, samples, function->name));
		put_number(message, FUNCTION_RAW_NAME,
			   string_of(writer, samples, function->raw_name));
		put_number(message, FUNCTION_FILE, string_of(writer, samples, function->file));
		put_number(message, FUNCTION_LINE, function->first_line);
		write_message(writer, PROFILE_FUNCTION);
	}
}

static void write_locations(struct writer *writer, const struct stack_samples *samples,
			    const uint64_t *starts)
{
	struct message *message = &writer->message;

	for (uint32_t i = 0; i < samples->frame_count && !writer->err; i++) {
		const struct sampled_frame *frame = &samples->frames[i];

		put_number(message, LOCATION_ID, writer->locations + i + 1);
		put_number(message, LOCATION_MAPPING, writer->mappings + frame->dso + 1);
		put_number(message, LOCATION_ADDRESS, starts[frame->dso] + frame->address);
		for (uint32_t k = 0; k < frame->line_count; k++) {
			const struct sampled_line *line = &samples->lines[frame->first_line + k];

			put_number(&writer->part, LINE_FUNCTION,
				   writer->functions + line->function + 1);
			put_number(&writer->part, LINE_LINE, line->line);
			put_part(message, LOCATION_LINE, &writer->part);
		}
		write_message(writer, PROFILE_LOCATION);
	}
}

/* Keys of labels, as numbers of strings. */
struct label_keys {
	uint64_t comm, pid, tid, cgroup, container, base, yes;
};

static void put_label(struct writer *writer, uint64_t key, uint64_t text, uint64_t number)
{
	if (!text && !number)
		return;
	put_number(&writer->part, LABEL_KEY, key);
	put_number(&writer->part, LABEL_TEXT, text);
	put_number(&writer->part, LABEL_NUMBER, number);
	put_part(&writer->message, SAMPLE_LABEL, &writer->part);
}

static void put_labels(struct writer *writer, const struct stack_samples *samples,
		       const struct stack_sample *sample, const struct label_keys *keys)
{
	put_label(writer, keys->comm, string_of(writer, samples, sample->comm), 0);
	put_label(writer, keys->pid, 0, sample->pid);
	put_label(writer, keys->tid, 0, sample->tid);
	put_label(writer, keys->cgroup, string_of(writer, samples, sample->cgroup), 0);
	put_label(writer, keys->container, string_of(writer, samples, sample->container), 0);
}

/* The values of an event among those of all: @before and @after it others have zeros. */
struct value_place {
	uint32_t before, after;
	bool has_weight;
};

static uint64_t rounded(double weight)
{
	return weight < 9.2e18 ? (uint64_t)(weight + 0.5) : (uint64_t)INT64_MAX;
}

static void put_values(struct writer *writer, const struct load *load,
		       const struct value_place *place, bool is_base)
{
	const uint64_t values[] = { load->samples, rounded(load->weight) };

	for (uint32_t i = 0; i < place->before; i++)
		put_varint(&writer->part, 0);
	/* Of the baseline they are negative, so that sums are changes. */
	for (uint32_t i = 0; i < (place->has_weight ? 2 : 1); i++)
		put_varint(&writer->part, is_base ? -values[i] : values[i]);
	for (uint32_t i = 0; i < place->after; i++)
		put_varint(&writer->part, 0);
	put_part(&writer->message, SAMPLE_VALUES, &writer->part);
}

static void write_sample(struct writer *writer, const struct stack_samples *samples,
			 const struct stack_sample *sample, const struct label_keys *keys,
			 const struct value_place *place, bool is_base)
{
	const struct load *load = is_base ? &sample->load.base : &sample->load.now;

	if (!load->samples)
		return;
	for (uint32_t node = sample->node; node; node = samples->nodes[node].parent)
		put_varint(&writer->part, writer->locations + samples->nodes[node].frame + 1);
	put_part(&writer->message, SAMPLE_LOCATIONS, &writer->part);
	put_values(writer, load, place, is_base);
	put_labels(writer, samples, sample, keys);
	if (is_base)
		put_label(writer, keys->base, keys->yes, 0);
	write_message(writer, PROFILE_SAMPLE);
}

static void write_event(struct writer *writer, const struct snapshot *snapshot,
			const struct label_keys *keys, const struct value_place *place)
{
	const struct stack_samples *samples = snapshot->stack_samples;
	uint64_t *starts = calloc(samples->dso_count + 1, sizeof(*starts));

	id_map_clear(&writer->by_offset);
	if (!starts) {
		writer->err = -ENOMEM;
		return;
	}
	write_mappings(writer, samples, starts);
	write_functions(writer, samples);
	write_locations(writer, samples, starts);
	for (uint32_t i = 0; i < samples->count && !writer->err; i++) {
		write_sample(writer, samples, &samples->samples[i], keys, place, false);
		if (snapshot->is_compared)
			write_sample(writer, samples, &samples->samples[i], keys, place, true);
	}
	writer->mappings += samples->dso_count;
	writer->functions += samples->function_count;
	writer->locations += samples->frame_count;
	free(starts);
}

static void write_events(struct writer *writer, const struct snapshot *first)
{
	const struct label_keys keys = {
		.comm = write_string(writer, "comm"), .pid = write_string(writer, "pid"),
		.tid = write_string(writer, "tid"), .cgroup = write_string(writer, "cgroup"),
		.container = write_string(writer, "container"),
		/* Go's pprof knows samples of what is compared with by this label. */
		.base = write_string(writer, "pprof::base"), .yes = write_string(writer, "true"),
	};
	struct value_place place = { .before = 0 };
	struct value_types types;

	for (const struct snapshot *each = first; each; each = each->next_event) {
		describe_values(each, false, &types);
		place.after += types.has_weight ? 2 : 1;
	}
	for (const struct snapshot *each = first; each; each = each->next_event) {
		describe_values(each, false, &types);
		place.has_weight = types.has_weight;
		place.after -= types.has_weight ? 2 : 1;
		write_event(writer, each, &keys, &place);
		place.before += types.has_weight ? 2 : 1;
	}
}

static void write_comment(struct writer *writer, const char *text)
{
	write_number(writer, PROFILE_COMMENT, write_string(writer, text));
}

static void write_filter(struct writer *writer, const struct filter *filter)
{
	char part[FILTER_PART_BYTES], text[FILTER_PART_BYTES + 16], clean[4 * sizeof(text)];

	for (uint32_t i = 0; i < filter->count; i++) {
		filter_format_part(&filter->parts[i], part);
		snprintf(text, sizeof(text), "filter: %s", part);
		sanitize_text(clean, sizeof(clean), text, strlen(text));
		write_comment(writer, clean);
	}
}

static void write_losses(struct writer *writer, const struct snapshot *snapshot)
{
	const struct stack_samples *samples = snapshot->stack_samples;
	const struct { uint64_t count; const char *what; } losses[] = {
		{ snapshot->lost_kernel, "samples lost since start, as a buffer was full" },
		{ snapshot->lost_malformed, "samples lost since start, as they were malformed" },
		{ snapshot->lost_late, "samples lost since start, as they came too late" },
		{ snapshot->evicted_samples, "older samples left out for want of memory" },
		{ snapshot->truncated_stacks, "stacks cut, as they have too many frames" },
		{ samples->unknown_lines, "addresses without a line, as it was not found in time" },
	};
	char text[128];

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		if (!losses[i].count)
			continue;
		snprintf(text, sizeof(text), "%" PRIu64 " %s", losses[i].count, losses[i].what);
		write_comment(writer, text);
	}
}

static void write_comments(struct writer *writer, const struct snapshot *snapshot,
			   const struct export_options *options, const char *given)
{
	const size_t room = 12 * strlen(given) + 1;
	char text[256], *command = malloc(room);

	if (!command) {
		writer->err = -ENOMEM;
		return;
	}
	sanitize_text(command, room, given, strlen(given));
	if (command[0])
		write_comment(writer, command);
	free(command);
	snprintf(text, sizeof(text), "window: %.3f s of %s", snapshot->window_s, snapshot->target);
	write_comment(writer, text);
	if (snapshot->is_compared) {
		snprintf(text, sizeof(text),
			 "compared with %.3f s: values of those samples are negative, and are not "
			 "scaled to the window", snapshot->baseline.window_s);
		write_comment(writer, text);
	}
	write_filter(writer, &options->filter);
	write_losses(writer, snapshot);
}

static void write_profile(struct writer *writer, const struct snapshot *snapshot,
			  const struct export_options *options, const char *command)
{
	write_string(writer, "");
	write_types(writer, snapshot);
	if (!snapshot->is_replay)
		write_number(writer, PROFILE_TIME, snapshot->begin_ns + clock_wall_offset_ns());
	write_number(writer, PROFILE_DURATION, rounded(snapshot->window_s * CLOCK_NS_PER_S));
	write_events(writer, snapshot);
	write_comments(writer, snapshot, options, command);
	if (!writer->err)
		compress_bytes(writer, "", 0, Z_FINISH);
}

int pprof_write(FILE *out, const struct snapshot *snapshot, const struct export_options *options,
		const char *command)
{
	struct writer *writer = calloc(1, sizeof(*writer));
	int err = -ENOMEM;

	if (!writer)
		return err;
	writer->out = out;
	writer->next_start = FILES_BEGIN;
	if (deflateInit2(&writer->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
			 Z_DEFAULT_STRATEGY) == Z_OK) {
		write_profile(writer, snapshot, options, command);
		deflateEnd(&writer->stream);
		err = writer->err;
	}
	id_map_finish(&writer->by_offset);
	free(writer->message.bytes);
	free(writer->part.bytes);
	free(writer);
	return err;
}
