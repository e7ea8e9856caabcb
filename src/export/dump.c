/* dump.c - a recording as text: see export/print.h. A line per record, as in
 *
 *   0x5e0 [0x70] PERF_RECORD_SAMPLE misc=0x1(kernel) event=cpu-clock ip=0xffffffff81775dda
 *	callchain[7]:
 *		0xffffffffffffff80 (kernel)
 *		0xffffffff81775dda
 *
 * What the record parser does not read (AUX, SWITCH, what perf itself wrote) is printed as bytes.
 */
#include "export/print.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/safe_print.h"
#include "capture/perf_data.h"
#include "sandbox/packed_records.h"

#define SECOND_NS  UINT64_C(1000000000)
#define LINE_BYTES 16	/* bytes of a record that are shown in a line */
#define TEXT_BYTES (4 * 4096)

struct bit_name {
	uint64_t bit;
	const char *name;
};

#define SAMPLE(name) { PERF_SAMPLE_##name, #name }

static const struct bit_name sample_types[] = {
	SAMPLE(IP), SAMPLE(TID), SAMPLE(TIME), SAMPLE(ADDR), SAMPLE(READ), SAMPLE(CALLCHAIN),
	SAMPLE(ID), SAMPLE(CPU), SAMPLE(PERIOD), SAMPLE(STREAM_ID), SAMPLE(RAW),
	SAMPLE(BRANCH_STACK), SAMPLE(REGS_USER), SAMPLE(STACK_USER), SAMPLE(WEIGHT),
	SAMPLE(DATA_SRC), SAMPLE(IDENTIFIER), SAMPLE(TRANSACTION), SAMPLE(REGS_INTR),
	SAMPLE(PHYS_ADDR), SAMPLE(AUX), SAMPLE(CGROUP), SAMPLE(DATA_PAGE_SIZE),
	SAMPLE(CODE_PAGE_SIZE), SAMPLE(WEIGHT_STRUCT),
};

static const struct bit_name read_formats[] = {
	{ PERF_FORMAT_TOTAL_TIME_ENABLED, "TOTAL_TIME_ENABLED" },
	{ PERF_FORMAT_TOTAL_TIME_RUNNING, "TOTAL_TIME_RUNNING" },
	{ PERF_FORMAT_ID, "ID" }, { PERF_FORMAT_GROUP, "GROUP" }, { PERF_FORMAT_LOST, "LOST" },
};

/* Names of the kernel's records by type, then those of perf's own from 64 on. */
static const char *const kernel_types[] = {
	[PERF_RECORD_MMAP] = "MMAP", [PERF_RECORD_LOST] = "LOST", [PERF_RECORD_COMM] = "COMM",
	[PERF_RECORD_EXIT] = "EXIT", [PERF_RECORD_THROTTLE] = "THROTTLE",
	[PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE", [PERF_RECORD_FORK] = "FORK",
	[PERF_RECORD_READ] = "READ", [PERF_RECORD_SAMPLE] = "SAMPLE",
	[PERF_RECORD_MMAP2] = "MMAP2", [PERF_RECORD_AUX] = "AUX",
	[PERF_RECORD_ITRACE_START] = "ITRACE_START", [PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
	[PERF_RECORD_SWITCH] = "SWITCH", [PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
	[PERF_RECORD_NAMESPACES] = "NAMESPACES", [PERF_RECORD_KSYMBOL] = "KSYMBOL",
	[PERF_RECORD_BPF_EVENT] = "BPF_EVENT", [PERF_RECORD_CGROUP] = "CGROUP",
	[PERF_RECORD_TEXT_POKE] = "TEXT_POKE",
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
};

#define PERF_TYPES_FIRST 64	/* names as in tools/perf/util/event.c */
static const char *const perf_types[] = {
	"ATTR", "EVENT_TYPE", "TRACING_DATA", "BUILD_ID", "FINISHED_ROUND", "ID_INDEX",
	"AUXTRACE_INFO", "AUXTRACE", "AUXTRACE_ERROR", "THREAD_MAP", "CPU_MAP",
	"STAT_CONFIG", "STAT", "STAT_ROUND", "EVENT_UPDATE", "TIME_CONV",
	"FEATURE", "COMPRESSED", "FINISHED_INIT", "COMPRESSED2",
};

/* tools/perf/util/header.h, from HEADER_TRACING_DATA on. */
static const char *const features[] = {
	NULL, "TRACING_DATA", "BUILD_ID", "HOSTNAME", "OSRELEASE", "VERSION", "ARCH", "NRCPUS",
	"CPUDESC", "CPUID", "TOTAL_MEM", "CMDLINE", "EVENT_DESC", "CPU_TOPOLOGY", "NUMA_TOPOLOGY",
	"BRANCH_STACK", "PMU_MAPPINGS", "GROUP_DESC", "AUXTRACE", "STAT", "CACHE", "SAMPLE_TIME",
	"MEM_TOPOLOGY", "CLOCKID", "DIR_FORMAT", "BPF_PROG_INFO", "BPF_BTF", "COMPRESSED",
	"CPU_PMU_CAPS", "CLOCK_DATA", "HYBRID_TOPOLOGY", "PMU_CAPS",
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define FEATURE_PROBES 200	/* flametop's own */

static struct safe_text name_in(const char *const *names, size_t count, uint64_t index)
{
	return index < count && names[index] ? sanitize_checked(names[index])
					     : SAFE_TEXT("UNKNOWN");
}

static struct safe_text type_name(uint32_t type)
{
	return type < PERF_TYPES_FIRST
	       ? name_in(kernel_types, COUNT_OF(kernel_types), type)
	       : name_in(perf_types, COUNT_OF(perf_types), type - PERF_TYPES_FIRST);
}

/* Writes "IP|TID|TIME"; bits without a name as a number. */
static void put_bits(FILE *out, uint64_t bits, const struct bit_name *names, size_t count)
{
	bool is_first = true;

	for (size_t i = 0; i < count; i++) {
		if (!(bits & names[i].bit))
			continue;
		safe_print(out, "%s%s", is_first ? SAFE_TEXT("") : SAFE_TEXT("|"),
			   sanitize_checked(names[i].name));
		bits &= ~names[i].bit;
		is_first = false;
	}
	if (bits || is_first)
		safe_print(out, "%s0x%" PRIx64, is_first ? SAFE_TEXT("") : SAFE_TEXT("|"), bits);
}

/* Writes foreign bytes as a quoted text, up to their first NUL. */
static void put_text(FILE *out, const char *bytes, size_t length)
{
	char clean[TEXT_BYTES];

	safe_put_json(out, sanitize(clean, sizeof(clean), bytes, strnlen(bytes, length)));
}

/* Writes a line per LINE_BYTES, with their offset. */
static void put_bytes(FILE *out, const void *bytes, size_t count)
{
	const unsigned char *byte = bytes;

	for (size_t line = 0; line < count; line += LINE_BYTES) {
		safe_print(out, "\t\t%04zx: ", line);
		for (size_t i = line; i < line + LINE_BYTES && i < count; i++)
			safe_print(out, " %02x", (unsigned)byte[i]);
		safe_put(out, "\n");
	}
}

static void put_attr(FILE *out, const struct perf_event_attr *attr)
{
	const struct { bool is_set; const char *name; } flags[] = {
		{ attr->disabled, "disabled" }, { attr->inherit, "inherit" },
		{ attr->pinned, "pinned" }, { attr->exclusive, "exclusive" },
		{ attr->exclude_user, "exclude_user" }, { attr->exclude_kernel, "exclude_kernel" },
		{ attr->exclude_hv, "exclude_hv" }, { attr->exclude_idle, "exclude_idle" },
		{ attr->mmap, "mmap" }, { attr->comm, "comm" }, { attr->freq, "freq" },
		{ attr->inherit_stat, "inherit_stat" }, { attr->enable_on_exec, "enable_on_exec" },
		{ attr->task, "task" }, { attr->watermark, "watermark" },
		{ attr->mmap_data, "mmap_data" }, { attr->sample_id_all, "sample_id_all" },
		{ attr->exclude_host, "exclude_host" }, { attr->exclude_guest, "exclude_guest" },
		{ attr->mmap2, "mmap2" }, { attr->comm_exec, "comm_exec" },
		{ attr->use_clockid, "use_clockid" }, { attr->context_switch, "context_switch" },
		{ attr->write_backward, "write_backward" }, { attr->namespaces, "namespaces" },
		{ attr->ksymbol, "ksymbol" }, { attr->bpf_event, "bpf_event" },
		{ attr->cgroup, "cgroup" }, { attr->text_poke, "text_poke" },
		{ attr->build_id, "build_id" },
	};

	safe_print(out, "type=%" PRIu32 " size=%" PRIu32 " config=0x%" PRIx64 " ", attr->type,
		   attr->size, (uint64_t)attr->config);
	safe_print(out, "%s=%" PRIu64 " sample_type=",
		   attr->freq ? SAFE_TEXT("sample_freq") : SAFE_TEXT("sample_period"),
		   (uint64_t)attr->sample_period);
	put_bits(out, attr->sample_type, sample_types, COUNT_OF(sample_types));
	safe_put(out, " read_format=");
	put_bits(out, attr->read_format, read_formats, COUNT_OF(read_formats));
	for (size_t i = 0; i < COUNT_OF(flags); i++)
		if (flags[i].is_set)
			safe_print(out, " %s", sanitize_checked(flags[i].name));
	if (attr->precise_ip)
		safe_print(out, " precise_ip=%u", (unsigned)attr->precise_ip);
	if (attr->branch_sample_type)
		safe_print(out, " branch_sample_type=0x%" PRIx64,
			   (uint64_t)attr->branch_sample_type);
	if (attr->sample_regs_user)
		safe_print(out, " sample_regs_user=0x%" PRIx64, (uint64_t)attr->sample_regs_user);
	if (attr->sample_regs_intr)
		safe_print(out, " sample_regs_intr=0x%" PRIx64, (uint64_t)attr->sample_regs_intr);
	if (attr->sample_stack_user)
		safe_print(out, " sample_stack_user=%" PRIu32, attr->sample_stack_user);
	if (attr->use_clockid)
		safe_print(out, " clockid=%" PRId32, attr->clockid);
	safe_put(out, "\n");
}

static int put_ids(FILE *out, const struct perf_data_walk *walk,
		   const struct perf_data_section *ids, struct diag *why)
{
	uint64_t id;
	int err = 0;

	safe_print(out, "\tids[%" PRIu64 "]:", ids->bytes / sizeof(id));
	for (uint64_t at = 0; !err && at + sizeof(id) <= ids->bytes; at += sizeof(id)) {
		err = perf_data_walk_read(walk, ids->offset + at, &id, sizeof(id), why);
		if (!err)
			safe_print(out, " %" PRIu64, id);
	}
	safe_put(out, "\n");
	return err;
}

static void put_section(FILE *out, const char *name, const struct perf_data_section *section)
{
	safe_print(out, "\t%s: offset=0x%" PRIx64 " size=0x%" PRIx64 "\n", sanitize_checked(name),
		   section->offset, section->bytes);
}

static int put_header(FILE *out, const struct perf_data_walk *walk, struct diag *why)
{
	const struct perf_data_file_header *file = perf_data_walk_header(walk);
	const struct event_desc *event;
	int err = 0;

	safe_print(out, "header: PERFILE2, %s, size=0x%" PRIx64 ", file size=0x%" PRIx64 "\n",
		   perf_data_walk_is_piped(walk) ? SAFE_TEXT("piped") : SAFE_TEXT("file"),
		   file->header_bytes, perf_data_walk_file_bytes(walk));
	if (perf_data_walk_is_piped(walk))
		return 0;
	put_section(out, "attrs", &file->attrs);
	safe_print(out, "\tattr size: 0x%" PRIx64 "\n", file->attr_bytes);
	put_section(out, "records", &file->records);
	for (size_t i = 0; !err && (event = perf_data_walk_event(walk, i)); i++) {
		struct perf_event_attr attr;
		struct perf_data_section ids;
		char name[4 * sizeof(event->name)];

		safe_print(out, "event %zu: name=%s ", i,
			   sanitize(name, sizeof(name), event->name, strlen(event->name)));
		err = perf_data_walk_attr(walk, i, &attr, &ids, why);
		if (err)
			break;
		put_attr(out, &attr);
		err = put_ids(out, walk, &ids, why);
	}
	return err;
}

/* Reads a u32 length and that many bytes, as strings of features are stored. */
static void put_feature_text(FILE *out, const unsigned char *bytes, size_t count)
{
	uint32_t length;

	if (count < sizeof(length))
		return;
	memcpy(&length, bytes, sizeof(length));
	if (length > count - sizeof(length))
		length = (uint32_t)(count - sizeof(length));
	safe_put(out, " ");
	put_text(out, (const char *)bytes + sizeof(length), length);
}

static void put_feature_words(FILE *out, const unsigned char *bytes, size_t count)
{
	uint64_t word;

	for (size_t at = 0; at + sizeof(word) <= count; at += sizeof(word)) {
		memcpy(&word, bytes + at, sizeof(word));
		safe_print(out, " %" PRIu64, word);
	}
}

#define FEATURE_SHOWN 4096	/* bytes; those that are shown as text are shorter */

static void put_feature_value(FILE *out, uint32_t bit, const unsigned char *bytes, size_t count)
{
	switch (bit) {
	case 3: case 4: case 5: case 6: case 8: case 9:	/* HOSTNAME to ARCH, CPUDESC, CPUID */
		put_feature_text(out, bytes, count);
		break;
	case 7:	 /* NRCPUS: two u32 */
		if (count >= 2 * sizeof(uint32_t)) {
			uint32_t counts[2];

			memcpy(counts, bytes, sizeof(counts));
			safe_print(out, " available=%" PRIu32 " online=%" PRIu32, counts[0],
				   counts[1]);
		}
		break;
	case 10: case 21: case 23:	/* TOTAL_MEM, SAMPLE_TIME, CLOCKID */
		put_feature_words(out, bytes, count);
		break;
	default:
		break;
	}
}

static int put_feature(FILE *out, const struct perf_data_walk *walk, uint32_t bit,
		       struct diag *why)
{
	struct perf_data_section section;
	unsigned char bytes[FEATURE_SHOWN];
	size_t kept;
	int found = perf_data_walk_feature(walk, bit, &section, why), err;

	if (found <= 0)
		return found;
	kept = section.bytes < sizeof(bytes) ? (size_t)section.bytes : sizeof(bytes);
	safe_print(out, "feature %" PRIu32 " %s: offset=0x%" PRIx64 " size=0x%" PRIx64, bit,
		   bit == FEATURE_PROBES ? SAFE_TEXT("PROBES")
					 : name_in(features, COUNT_OF(features), bit),
		   section.offset, section.bytes);
	err = perf_data_walk_read(walk, section.offset, bytes, kept, why);
	if (!err)
		put_feature_value(out, bit, bytes, kept);
	safe_put(out, "\n");
	return err;
}

static int put_features(FILE *out, const struct perf_data_walk *walk, struct diag *why)
{
	int err = 0;

	for (uint32_t bit = 0; !err && bit < PERF_DATA_FEATURE_BITS; bit++)
		err = put_feature(out, walk, bit, why);
	return err;
}

static struct safe_text mode_name(enum cpu_mode mode)
{
	switch (mode) {
	case MODE_KERNEL:	return SAFE_TEXT("kernel");
	case MODE_USER:		return SAFE_TEXT("user");
	case MODE_HYPERVISOR:	return SAFE_TEXT("hypervisor");
	case MODE_GUEST_KERNEL: return SAFE_TEXT("guest kernel");
	case MODE_GUEST_USER:	return SAFE_TEXT("guest user");
	case MODE_UNKNOWN:	break;
	}
	return SAFE_TEXT("unknown");
}

static void put_identity(FILE *out, const struct event_record *parsed)
{
	if (parsed->has_pid)
		safe_print(out, " pid=%" PRId32 " tid=%" PRId32, (int32_t)parsed->pid,
			   (int32_t)parsed->tid);
	if (parsed->has_time)
		safe_print(out, " time=%" PRIu64 ".%09" PRIu64, parsed->time_ns / SECOND_NS,
			   parsed->time_ns % SECOND_NS);
	if (parsed->has_cpu)
		safe_print(out, " cpu=%" PRIu32, parsed->cpu);
}

static void put_mmap(FILE *out, const struct record_mmap *mmap)
{
	safe_print(out, " addr=0x%" PRIx64 " len=0x%" PRIx64 " pgoff=0x%" PRIx64 " %s", mmap->start,
		   mmap->bytes, mmap->file_offset,
		   mmap->is_executable ? SAFE_TEXT("exec") : SAFE_TEXT("no-exec"));
	if (mmap->has_inode)
		safe_print(out, " dev=%02x:%02x ino=%" PRIu64 " gen=%" PRIu64, mmap->dev_major,
			   mmap->dev_minor, mmap->inode, mmap->inode_generation);
	if (mmap->has_build_id) {
		safe_put(out, " build-id=");
		for (size_t i = 0; i < mmap->build_id.count; i++)
			safe_print(out, "%02x", (unsigned)mmap->build_id.bytes[i]);
	}
	safe_put(out, " file=");
	put_text(out, mmap->path.bytes, mmap->path.len);
}

static void put_words(FILE *out, const char *name, const uint64_t *words, uint64_t count)
{
	safe_print(out, "\n\t%s[%" PRIu64 "]:", sanitize_checked(name), count);
	for (uint64_t i = 0; i < count; i++)
		safe_print(out, " 0x%" PRIx64, words[i]);
}

static void put_chain(FILE *out, const struct record_sample *sample)
{
	safe_print(out, "\n\tcallchain[%" PRIu64 "]:", sample->chain_count);
	for (uint64_t i = 0; i < sample->chain_count; i++) {
		const int64_t marker = (int64_t)sample->chain[i];

		safe_print(out, "\n\t\t0x%016" PRIx64 "%s", sample->chain[i],
			   marker == -128   ? SAFE_TEXT(" (kernel)")
			   : marker == -512 ? SAFE_TEXT(" (user)") : SAFE_TEXT(""));
	}
}

static void put_read(FILE *out, const struct record_read *read)
{
	safe_print(out, "\n\tread[%" PRIu64 "]:", read->count);
	for (uint64_t i = 0; i < read->count; i++) {
		const uint64_t *value = read->values + i * read->stride;

		safe_print(out, " %" PRIu64, *value);
		if (read->id_at)
			safe_print(out, "(id %" PRIu64 ")", value[read->id_at]);
	}
}

static void put_sample(FILE *out, const struct record_sample *sample, uint64_t type)
{
	if (type & PERF_SAMPLE_IP)
		safe_print(out, " ip=0x%" PRIx64, sample->ip);
	if (type & PERF_SAMPLE_PERIOD)
		safe_print(out, " period=%" PRIu64, sample->period);
	if (type & PERF_SAMPLE_ADDR)
		safe_print(out, " addr=0x%" PRIx64, sample->addr);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		safe_print(out, " weight=%" PRIu64, sample->weight);
	if (sample->has_cgroup)
		safe_print(out, " cgroup=%" PRIu64, sample->cgroup);
	if (sample->read.values)
		put_read(out, &sample->read);
	if (type & PERF_SAMPLE_CALLCHAIN)
		put_chain(out, sample);
	if (sample->branches) {
		safe_print(out, "\n\tbranches[%" PRIu64 "]:", sample->branch_count);
		for (uint64_t i = 0; i < sample->branch_count; i++)
			safe_print(out, " 0x%" PRIx64 "/0x%" PRIx64,
				   (uint64_t)sample->branches[i].from,
				   (uint64_t)sample->branches[i].to);
	}
	if (sample->user_regs)
		put_words(out, "user_regs", sample->user_regs, sample->user_regs_count);
	if (type & PERF_SAMPLE_STACK_USER)
		safe_print(out, "\n\tuser_stack: %" PRIu64 " of %" PRIu64 " bytes",
			   sample->user_stack_bytes, sample->user_stack_reserved);
	if (sample->intr_regs)
		put_words(out, "intr_regs", sample->intr_regs, sample->intr_regs_count);
	if (sample->raw) {
		safe_print(out, "\n\traw[%" PRIu32 "]:\n", sample->raw_bytes);
		put_bytes(out, sample->raw, sample->raw_bytes);
		return;
	}
	safe_put(out, "\n");
}

/* Writes what the parser has read; false: it does not read records of this type. */
static bool put_fields(FILE *out, const struct perf_data_step *step)
{
	const struct event_record *parsed = &step->parsed;

	switch (parsed->kind) {
	case RECORD_SAMPLE:
		put_sample(out, &parsed->sample, step->event->format.sample_type);
		return true;
	case RECORD_MMAP:
		put_mmap(out, &parsed->mmap);
		break;
	case RECORD_COMM:
		safe_put_text(out, parsed->comm.is_exec ? SAFE_TEXT(" exec comm=")
							: SAFE_TEXT(" comm="));
		put_text(out, parsed->comm.comm.bytes, parsed->comm.comm.len);
		break;
	case RECORD_FORK:
	case RECORD_EXIT:
		safe_print(out, " ppid=%" PRId32 " ptid=%" PRId32, (int32_t)parsed->task.parent_pid,
			   (int32_t)parsed->task.parent_tid);
		break;
	case RECORD_LOST:
		safe_print(out, " lost=%" PRIu64, parsed->lost.count);
		break;
	case RECORD_KSYMBOL:
		safe_print(out, " addr=0x%" PRIx64 " len=%" PRIu32 " type=%u%s name=",
			   parsed->ksymbol.start, parsed->ksymbol.bytes,
			   (unsigned)parsed->ksymbol.type,
			   parsed->ksymbol.is_unregister ? SAFE_TEXT(" unregister")
							 : SAFE_TEXT(""));
		put_text(out, parsed->ksymbol.name.bytes, parsed->ksymbol.name.len);
		break;
	case RECORD_CGROUP:
		safe_print(out, " id=%" PRIu64 " path=", parsed->cgroup.id);
		put_text(out, parsed->cgroup.path.bytes, parsed->cgroup.path.len);
		break;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
		break;
	case RECORD_BPF:
	case RECORD_OTHER:
		return false;
	}
	safe_put(out, "\n");
	return true;
}

static void put_payload(FILE *out, const struct perf_event_header *record)
{
	safe_put(out, "\n");
	put_bytes(out, record + 1, record->size - sizeof(*record));
}

static void put_record(FILE *out, const struct perf_data_step *step)
{
	const struct perf_event_header *record = step->record;
	char name[4 * sizeof(step->event->name)];

	safe_print(out, "0x%" PRIx64 " [0x%x] PERF_RECORD_%s misc=0x%x", step->offset,
		   (unsigned)record->size, type_name(record->type), (unsigned)record->misc);
	if (record->type >= PERF_TYPES_FIRST) {
		put_payload(out, record);
		return;
	}
	if (step->err) {
		safe_put(out, " MALFORMED");
		put_payload(out, record);
		return;
	}
	safe_print(out, "(%s) event=%s", mode_name(step->parsed.mode),
		   sanitize(name, sizeof(name), step->event->name, strlen(step->event->name)));
	if (step->id)
		safe_print(out, " id=%" PRIu64, step->id);
	put_identity(out, &step->parsed);
	if (!put_fields(out, step))
		put_payload(out, record);
}

/* Writes the records; @damage: the first one that is malformed. */
static int put_records(FILE *out, struct perf_data_walk *walk, struct diag *damage,
		       struct diag *why)
{
	struct perf_data_step step;
	int got;

	while ((got = perf_data_walk_next(walk, &step, why)) > 0 && !ferror(out)) {
		put_record(out, &step);
		if (step.err && !damage->err)
			diag_set(damage, step.err, "the record at byte %" PRIu64 " is malformed",
				 step.offset);
	}
	return got < 0 ? got : 0;
}

/* Writes the records that a worker unpacks. The first error is the unpacker's if the records just
 * seem to end. */
static int put_packed(FILE *out, struct perf_data_walk *walk, struct sandbox *sandbox,
		      struct diag *damage, struct diag *why)
{
	struct record_unpacker_range range;
	struct record_unpacker *unpacker;
	struct diag reason;
	int records, ended;
	int err;

	perf_data_walk_is_packed(walk, &range.file, &range.begin, &range.end);
	err = record_unpacker_begin(&unpacker, sandbox, 1, &range, &records, why);
	if (err)
		return err;
	safe_put(out, "unpacked: the offsets of records count from the first one\n");
	err = perf_data_walk_unpacked(walk, records);
	if (err)
		diag_set(why, err, "no memory for a buffer");
	else
		err = put_records(out, walk, damage, why);
	shutdown(records, SHUT_RDWR);	/* unblocks a worker that writes */
	ended = record_unpacker_end(unpacker, &reason);
	close(records);
	if (!err && ended) {
		*why = reason;
		err = ended;
	}
	return err;
}

static bool is_packed(const struct perf_data_walk *walk)
{
	struct record_unpacker_range range = { .begin = 0 };

	return perf_data_walk_is_packed(walk, &range.file, &range.begin, &range.end);
}

int dump_write(FILE *out, const char *path, struct sandbox *sandbox, struct diag *why)
{
	struct diag damage = { .err = 0 };
	struct perf_data_walk *walk;
	int err = perf_data_walk_open(&walk, path, why);

	if (err)
		return err;
	err = put_header(out, walk, why);
	if (!err)
		err = is_packed(walk) ? put_packed(out, walk, sandbox, &damage, why)
				      : put_records(out, walk, &damage, why);
	if (!err && !perf_data_walk_damage(walk)->err)
		err = put_features(out, walk, why);
	if (!err && perf_data_walk_damage(walk)->err)
		damage = *perf_data_walk_damage(walk);
	if (!err && damage.err) {
		*why = damage;
		err = damage.err;
	}
	if (err)
		diag_prefix(why, "%s", path);
	perf_data_walk_close(walk);
	return err;
}
