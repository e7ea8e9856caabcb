/* file_features.c - the features of a perf.data file: what it says of its machine, its events, its
 * files. See file_features.h.
 *
 *   | offset, size of each feature, lowest bit first | body | body | ...
 *
 * A text is its length with padding in 32 bits, and its bytes.
 */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "file_features.h"

enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_BRANCH_STACK = 15,
	FEATURE_GROUP_DESC = 17,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_CLOCKID = 23,
	FEATURE_CLOCKS = 29,
	FEATURE_PROBES = 200,	/* flametop's own: no other reader knows it, nor minds it */
	FEATURES,

	TEXT_ALIGN = 64,
	BUILD_ID_FIELD_BYTES = 24,
	BUILD_ID_HAS_SIZE = 1 << 15,	/* misc: byte 20 of the id field is its length */
};

static void add_text(struct byte_store *out, const char *text)
{
	const size_t len = strlen(text) + 1;
	const size_t padded = (len + TEXT_ALIGN - 1) / TEXT_ALIGN * TEXT_ALIGN;

	byte_store_add_u32(out, (uint32_t)padded);
	byte_store_add(out, text, len);
	byte_store_add_zeros(out, padded - len);
}

static void add_command_line(struct byte_store *out, char *const *arguments)
{
	uint32_t count = 0;

	while (arguments && arguments[count])
		count++;
	byte_store_add_u32(out, count);
	for (uint32_t i = 0; i < count; i++)
		add_text(out, arguments[i]);
}

static void add_events(struct byte_store *out, const struct file_features *features)
{
	byte_store_add_u32(out, features->event_count);
	byte_store_add_u32(out, sizeof(features->events->attr));
	for (uint32_t i = 0; i < features->event_count; i++) {
		const struct recording_event *event = &features->events[i];

		byte_store_add(out, &event->attr, sizeof(event->attr));
		byte_store_add_u32(out, 1);	/* ids */
		add_text(out, event->name);
		byte_store_add_u64(out, event->id);
	}
}

static void add_groups(struct byte_store *out, const struct file_features *features)
{
	const size_t at = out->count;
	uint32_t count = 0;

	byte_store_add_u32(out, 0);
	for (uint32_t i = 0; i < features->event_count; i++) {
		if (!features->events[i].members)
			continue;
		add_text(out, "{anon_group}");
		byte_store_add_u32(out, i);
		byte_store_add_u32(out, features->events[i].members + 1);
		count++;
	}
	if (!out->has_failed)
		memcpy(out->bytes + at, &count, sizeof(count));
}

/* A format that @events[@index] shares with an earlier event is not written twice. */
static bool is_first_of(const struct file_features *features, uint32_t index)
{
	const struct recording_event *event = &features->events[index];

	if (!event->format[0])
		return false;
	for (uint32_t i = 0; i < index; i++)
		if (!strcmp(features->events[i].format, event->format) &&
		    !strcmp(features->events[i].group, event->group))
			return false;
	return true;
}

static uint32_t count_formats(const struct file_features *features)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < features->event_count; i++)
		count += is_first_of(features, i);
	return count;
}

static uint32_t count_probes(const struct file_features *features)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < features->event_count; i++)
		count += features->events[i].probe[0] != '\0';
	return count;
}

/* Adds what each probe is, with the id of its event. */
static void add_probes(struct byte_store *out, const struct file_features *features)
{
	byte_store_add_u32(out, count_probes(features));
	for (uint32_t i = 0; i < features->event_count; i++) {
		const struct recording_event *event = &features->events[i];

		if (!event->probe[0])
			continue;
		add_text(out, event->probe);
		byte_store_add_u32(out, 1);	/* ids */
		byte_store_add_u64(out, event->id);
	}
}

/* The ring buffer's page and record header of a 64-bit kernel, as tracefs describes them. A
 * recording has no such pages, but readers refuse empty descriptions. */
static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char header_event[] =
	"# compressed entry header\n"
	"\ttype_len    :    5 bits\n"
	"\ttime_delta  :   27 bits\n"
	"\tarray       :   32 bits\n";

static void add_file(struct byte_store *out, const char *text)
{
	const size_t len = strlen(text);

	byte_store_add_u64(out, len);
	byte_store_add(out, text, len);
}

/* Each format is in a group of its own: groups may repeat. */
static void add_tracing(struct byte_store *out, const struct file_features *features)
{
	static const char magic[] = "\x17\x08\x44tracing" "0.5";	/* and a terminator */
	static const unsigned char order[] = { 0, sizeof(long) };

	byte_store_add(out, magic, sizeof(magic));
	byte_store_add(out, order, sizeof(order));
	byte_store_add_u32(out, (uint32_t)sysconf(_SC_PAGESIZE));
	byte_store_add(out, "header_page", sizeof("header_page"));
	add_file(out, header_page);
	byte_store_add(out, "header_event", sizeof("header_event"));
	add_file(out, header_event);
	byte_store_add_u32(out, 0);	/* formats of ftrace's own events */
	byte_store_add_u32(out, count_formats(features));
	for (uint32_t i = 0; i < features->event_count; i++) {
		const struct recording_event *event = &features->events[i];

		if (!is_first_of(features, i))
			continue;
		byte_store_add(out, event->group, strlen(event->group) + 1);
		byte_store_add_u32(out, 1);
		add_file(out, event->format);
	}
	byte_store_add_u32(out, 0);	/* bytes of kernel symbols */
	byte_store_add_u32(out, 0);	/* bytes of printk formats */
}

static void add_clock(struct byte_store *out)
{
	struct timespec resolution = { .tv_nsec = 1 };

	clock_getres(CLOCK_MONOTONIC, &resolution);
	byte_store_add_u64(out, (uint64_t)resolution.tv_sec * CLOCK_NS_PER_S +
				(uint64_t)resolution.tv_nsec);
}

/* One moment by both clocks. */
static void add_clocks(struct byte_store *out, const struct file_features *features)
{
	byte_store_add_u32(out, 1);	/* version */
	byte_store_add_u32(out, CLOCK_MONOTONIC);
	byte_store_add_u64(out, features->first_ns + features->wall_offset_ns);
	byte_store_add_u64(out, features->first_ns);
}

static bool has_branches(const struct file_features *features)
{
	for (uint32_t i = 0; i < features->event_count; i++)
		if (features->events[i].attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
			return true;
	return false;
}

static bool has_groups(const struct file_features *features)
{
	for (uint32_t i = 0; i < features->event_count; i++)
		if (features->events[i].members)
			return true;
	return false;
}

static bool is_written(const struct file_features *features, int feature)
{
	switch (feature) {
	case FEATURE_TRACING_DATA:
		return count_formats(features) > 0;
	case FEATURE_BUILD_ID:
		return features->build_ids->count > 0;
	case FEATURE_GROUP_DESC:
		return has_groups(features);
	case FEATURE_BRANCH_STACK:
		return has_branches(features);
	case FEATURE_SAMPLE_TIME:
		return features->last_ns > 0;
	case FEATURE_CLOCKS:
		return features->first_ns > 0;
	case FEATURE_PROBES:
		return count_probes(features) > 0;
	case FEATURE_HOSTNAME:
	case FEATURE_OSRELEASE:
	case FEATURE_VERSION:
	case FEATURE_ARCH:
	case FEATURE_NRCPUS:
	case FEATURE_CPUDESC:
	case FEATURE_CMDLINE:
	case FEATURE_EVENT_DESC:
	case FEATURE_CLOCKID:
		return true;
	default:
		return false;
	}
}

static void add_feature(struct byte_store *out, const struct file_features *features, int feature)
{
	const struct recording_machine *machine = &features->machine;

	switch (feature) {
	case FEATURE_TRACING_DATA:
		add_tracing(out, features);
		break;
	case FEATURE_BUILD_ID:
		byte_store_add(out, features->build_ids->bytes, features->build_ids->count);
		break;
	case FEATURE_HOSTNAME:
		add_text(out, machine->host);
		break;
	case FEATURE_OSRELEASE:
		add_text(out, machine->release);
		break;
	case FEATURE_VERSION:
		add_text(out, machine->version);
		break;
	case FEATURE_ARCH:
		add_text(out, machine->arch);
		break;
	case FEATURE_NRCPUS:
		byte_store_add_u32(out, machine->cpus_available);
		byte_store_add_u32(out, machine->cpus_online);
		break;
	case FEATURE_CPUDESC:
		add_text(out, machine->cpu);
		break;
	case FEATURE_CMDLINE:
		add_command_line(out, machine->arguments);
		break;
	case FEATURE_EVENT_DESC:
		add_events(out, features);
		break;
	case FEATURE_GROUP_DESC:
		add_groups(out, features);
		break;
	case FEATURE_SAMPLE_TIME:
		byte_store_add_u64(out, features->first_ns);
		byte_store_add_u64(out, features->last_ns);
		break;
	case FEATURE_CLOCKID:
		add_clock(out);
		break;
	case FEATURE_CLOCKS:
		add_clocks(out, features);
		break;
	case FEATURE_PROBES:
		add_probes(out, features);
		break;
	}
}

void file_features_make(struct byte_store *out, const struct file_features *features, uint64_t at,
			uint64_t bits[FILE_FEATURE_WORDS])
{
	size_t count = 0, row = 0;

	memset(bits, 0, FILE_FEATURE_WORDS * sizeof(*bits));
	for (int feature = 0; feature < FEATURES; feature++)
		count += is_written(features, feature);
	byte_store_add_zeros(out, count * 2 * sizeof(uint64_t));
	for (int feature = 0; feature < FEATURES; feature++) {
		const uint64_t begin = out->count;
		uint64_t place[2];

		if (!is_written(features, feature))
			continue;
		add_feature(out, features, feature);
		place[0] = at + begin;
		place[1] = out->count - begin;
		byte_store_add_zeros(out, -out->count % sizeof(uint64_t));
		if (out->has_failed)
			return;
		memcpy(out->bytes + row, place, sizeof(place));
		row += sizeof(place);
		bits[feature / 64] |= UINT64_C(1) << feature % 64;
	}
}

void file_features_add_build_id(struct byte_store *rows, const struct recording_build_id *build_id)
{
	const size_t len = strlen(build_id->path) + 1;
	const size_t padded = (len + TEXT_ALIGN - 1) / TEXT_ALIGN * TEXT_ALIGN;
	const struct perf_event_header header = {
		.misc = (uint16_t)(BUILD_ID_HAS_SIZE | (build_id->is_kernel
							? PERF_RECORD_MISC_KERNEL
							: PERF_RECORD_MISC_USER)),
		.size = (uint16_t)(sizeof(header) + sizeof(uint32_t) + BUILD_ID_FIELD_BYTES +
				   padded),
	};
	unsigned char field[BUILD_ID_FIELD_BYTES] = { 0 };

	memcpy(field, build_id->build_id.bytes, build_id->build_id.count);
	field[BUILD_ID_MAX_BYTES] = build_id->build_id.count;
	byte_store_add(rows, &header, sizeof(header));
	byte_store_add_u32(rows, UINT32_MAX);	/* pid: of every process */
	byte_store_add(rows, field, sizeof(field));
	byte_store_add(rows, build_id->path, len);
	byte_store_add_zeros(rows, padded - len);
}
