/* record.c - bytes of one perf record -> struct event_record.
 *
 * Problem: which fields a record has, and where, follows from the event's attr, and recordings
 * come from strangers: every length inside may lie.
 *
 * Idea: a record is a row of 64-bit words, and every field is taken from the front by a cursor
 * that cannot leave the record: past the end it gives zeros and remembers it. So fields are read
 * in the kernel's order without a check each, and one check at the end refuses the record.
 * Side-band records end in a few of the sample's words (the sample_id trailer). Its length is
 * fixed per event, so it is cut off first, and what is left is the body.
 *
 * Invariant: nothing outside of [bytes, bytes + header.size) is read; a count is compared with the
 * words that are left before it is multiplied or added.
 *
 * Rejected: structs laid over the bytes (no two records of one type have the same layout).
 */
#include "capture/record.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define WORD_BYTES	sizeof(uint64_t)
#define BRANCH_WORDS	(sizeof(struct perf_branch_entry) / WORD_BYTES)

/* PERF_SAMPLE_BRANCH_COUNTERS, Linux 6.8: older kernel headers lack it. */
#define BRANCH_COUNTERS (UINT64_C(1) << 19)

struct cursor {
	const uint64_t *at, *end;
	bool overrun;	/* a field was beyond the end: the record is refused */
};

static size_t cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

static const uint64_t *take_words(struct cursor *cursor, uint64_t count)
{
	const uint64_t *words = cursor->at;

	if (count > cursor_left(cursor)) {
		cursor->overrun = true;
		cursor->at = cursor->end;
		return NULL;
	}
	cursor->at += count;
	return words;
}

static uint64_t take(struct cursor *cursor)
{
	const uint64_t *word = take_words(cursor, 1);

	return word ? *word : 0;
}

/* Splits a word into its two 32-bit fields, in memory order. */
static void split_pair(uint64_t word, uint32_t *first, uint32_t *second)
{
	uint32_t halves[2];

	memcpy(halves, &word, sizeof(halves));
	*first = halves[0];
	*second = halves[1];
}

static void take_pair(struct cursor *cursor, uint32_t *first, uint32_t *second)
{
	split_pair(take(cursor), first, second);
}

/* Takes the rest as text: up to the first NUL, or all of it when there is none. */
static struct record_text take_text(struct cursor *cursor)
{
	struct record_text text = { .bytes = (const char *)cursor->at };

	text.len = strnlen(text.bytes, cursor_left(cursor) * WORD_BYTES);
	cursor->at = cursor->end;
	return text;
}

static uint64_t count_bits(uint64_t mask)
{
	return (uint64_t)__builtin_popcountll(mask);
}

/* Assigns the next word to @field if the record has it. */
static uint8_t place(uint64_t type, uint64_t field, uint8_t *words)
{
	return type & field ? (*words)++ : RECORD_NO_WORD;
}

/* Follows the order of the kernel's perf_output_sample(). */
static struct record_layout lay_front(uint64_t type)
{
	struct record_layout front = { .words = 0 };

	place(type, PERF_SAMPLE_IDENTIFIER, &front.words);
	front.ip = place(type, PERF_SAMPLE_IP, &front.words);
	front.task = place(type, PERF_SAMPLE_TID, &front.words);
	front.time = place(type, PERF_SAMPLE_TIME, &front.words);
	front.addr = place(type, PERF_SAMPLE_ADDR, &front.words);
	place(type, PERF_SAMPLE_ID, &front.words);
	place(type, PERF_SAMPLE_STREAM_ID, &front.words);
	front.cpu = place(type, PERF_SAMPLE_CPU, &front.words);
	front.period = place(type, PERF_SAMPLE_PERIOD, &front.words);
	return front;
}

/* Lays out the sample_id trailer, which ends every kernel record but samples:
 * perf_event__output_id_sample(). */
static struct record_layout lay_trailer(uint64_t type)
{
	struct record_layout trailer = { .words = 0 };

	trailer.ip = trailer.addr = trailer.period = RECORD_NO_WORD;
	trailer.task = place(type, PERF_SAMPLE_TID, &trailer.words);
	trailer.time = place(type, PERF_SAMPLE_TIME, &trailer.words);
	place(type, PERF_SAMPLE_ID, &trailer.words);
	place(type, PERF_SAMPLE_STREAM_ID, &trailer.words);
	trailer.cpu = place(type, PERF_SAMPLE_CPU, &trailer.words);
	place(type, PERF_SAMPLE_IDENTIFIER, &trailer.words);
	return trailer;
}

void record_format_init(struct record_format *format, const struct perf_event_attr *attr)
{
	*format = (struct record_format){
		.sample_type = attr->sample_type,
		.read_format = attr->read_format,
		.branch_sample_type = attr->branch_sample_type,
		.user_regs_mask = attr->sample_regs_user,
		.intr_regs_mask = attr->sample_regs_intr,
		.machine = MACHINE_OWN,
		.fixed_period = attr->freq ? 0 : attr->sample_period,
		.sample_id_all = attr->sample_id_all,
		.has_build_ids = attr->build_id,
		.front = lay_front(attr->sample_type),
		.trailer = lay_trailer(attr->sample_id_all ? attr->sample_type : 0),
	};
}

/* Reads pid, tid and time from @words. */
static void read_task_and_time(const struct record_layout *layout, const uint64_t *words,
			       struct event_record *out)
{
	if (layout->task != RECORD_NO_WORD) {
		split_pair(words[layout->task], &out->pid, &out->tid);
		out->has_pid = true;
	}
	if (layout->time != RECORD_NO_WORD) {
		out->time_ns = words[layout->time];
		out->has_time = true;
	}
}

static void read_cpu(const struct record_layout *layout, const uint64_t *words,
		     struct event_record *out)
{
	uint32_t unused;

	if (layout->cpu == RECORD_NO_WORD)
		return;
	split_pair(words[layout->cpu], &out->cpu, &unused);
	out->has_cpu = true;
}

static void take_sample_front(const struct record_format *format, struct cursor *cursor,
			      struct event_record *out)
{
	const struct record_layout *front = &format->front;
	const uint64_t *words = take_words(cursor, front->words);

	if (!words)
		return;
	read_task_and_time(front, words, out);
	read_cpu(front, words, out);
	if (front->ip != RECORD_NO_WORD)
		out->sample.ip = words[front->ip];
	if (front->addr != RECORD_NO_WORD)
		out->sample.addr = words[front->addr];
	if (front->period != RECORD_NO_WORD)
		out->sample.period = words[front->period];
	else
		out->sample.period = format->fixed_period ? format->fixed_period : 1;
}

/* Reads PERF_SAMPLE_READ: in a group the id follows each value, with one event the times lie
 * between value and id. */
static void take_read_values(const struct record_format *format, struct cursor *cursor,
			     struct record_sample *sample)
{
	const uint64_t type = format->read_format;
	const bool is_group = type & PERF_FORMAT_GROUP, has_id = type & PERF_FORMAT_ID;
	const uint64_t times = count_bits(type & (PERF_FORMAT_TOTAL_TIME_ENABLED |
						  PERF_FORMAT_TOTAL_TIME_RUNNING));
	const uint64_t words = 1 + count_bits(type & (PERF_FORMAT_ID | PERF_FORMAT_LOST));
	struct record_read read = { .count = is_group ? take(cursor) : 1 };

	if (is_group)
		take_words(cursor, times);
	read.stride = (uint8_t)(is_group ? words : words + times);
	read.id_at = (uint8_t)(!has_id ? 0 : is_group ? 1 : 1 + times);
	if (read.count > cursor_left(cursor) / read.stride) {
		cursor->overrun = true;
		return;
	}
	read.values = take_words(cursor, read.count * read.stride);
	sample->read = read;
	if (format->has_read_period && read.count)
		sample->period = read.values[0];
}

static void take_raw(struct cursor *cursor, struct record_sample *sample)
{
	const unsigned char *bytes = (const unsigned char *)cursor->at;
	uint64_t field_bytes;
	uint32_t raw_bytes;

	if (!cursor_left(cursor)) {
		cursor->overrun = true;
		return;
	}
	memcpy(&raw_bytes, bytes, sizeof(raw_bytes));
	field_bytes = sizeof(raw_bytes) + (uint64_t)raw_bytes;
	if (!take_words(cursor, (field_bytes + WORD_BYTES - 1) / WORD_BYTES))
		return;
	sample->raw = bytes + sizeof(raw_bytes);
	sample->raw_bytes = raw_bytes;
}

/* Reads struct perf_branch_stack; a word of counters for each entry follows all entries. */
static void take_branches(uint64_t branch_sample_type, struct cursor *cursor,
			  struct record_sample *sample)
{
	const uint64_t counters = branch_sample_type & BRANCH_COUNTERS ? 1 : 0;
	const uint64_t count = take(cursor);

	if (branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		take(cursor);
	if (count > cursor_left(cursor) / (BRANCH_WORDS + counters)) {
		cursor->overrun = true;
		return;
	}
	if (count)
		sample->branches = (const void *)take_words(cursor, count * BRANCH_WORDS);
	sample->branch_count = count;
	take_words(cursor, count * counters);
}

static void take_user_registers(uint64_t mask, struct cursor *cursor, struct record_sample *sample)
{
	sample->user_abi = take(cursor);
	if (sample->user_abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	sample->user_regs = take_words(cursor, count_bits(mask));
	sample->user_regs_count = (uint32_t)count_bits(mask);
}

static void take_interrupted_registers(uint64_t mask, struct cursor *cursor,
				       struct record_sample *sample)
{
	if (take(cursor) == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	sample->intr_regs = take_words(cursor, count_bits(mask));
	sample->intr_regs_count = (uint32_t)count_bits(mask);
}

static void take_user_stack(struct cursor *cursor, struct record_sample *sample)
{
	const uint64_t reserved_bytes = take(cursor);
	const void *stack;
	uint64_t filled_bytes;

	if (!reserved_bytes)
		return;	/* a kernel thread: not even the filled size follows */
	if (reserved_bytes % WORD_BYTES) {
		cursor->overrun = true;
		return;
	}
	stack = take_words(cursor, reserved_bytes / WORD_BYTES);
	filled_bytes = take(cursor);
	if (filled_bytes > reserved_bytes) {
		cursor->overrun = true;
		return;
	}
	sample->user_stack = stack;
	sample->user_stack_bytes = filled_bytes;
	sample->user_stack_reserved = reserved_bytes;
}

static uint64_t take_weight(uint64_t sample_type, struct cursor *cursor)
{
	uint32_t latency, unused;

	if (sample_type & PERF_SAMPLE_WEIGHT)
		return take(cursor);
	take_pair(cursor, &latency, &unused);	/* union perf_sample_weight */
	return latency;
}

/* Reads the remaining fields. Unused ones are checked too: a record cut in them is damaged. */
static void take_sample_rest(const struct record_format *format, struct cursor *cursor,
			     struct record_sample *sample)
{
	const uint64_t type = format->sample_type;

	if (type & PERF_SAMPLE_DATA_SRC)
		sample->memory_source = take(cursor);
	if (type & PERF_SAMPLE_TRANSACTION)
		sample->transaction = take(cursor);
	if (type & PERF_SAMPLE_REGS_INTR)
		take_interrupted_registers(format->intr_regs_mask, cursor, sample);
	take_words(cursor, count_bits(type & PERF_SAMPLE_PHYS_ADDR));
	sample->has_cgroup = type & PERF_SAMPLE_CGROUP;
	if (sample->has_cgroup)
		sample->cgroup = take(cursor);
	take_words(cursor, count_bits(type & (PERF_SAMPLE_DATA_PAGE_SIZE |
					      PERF_SAMPLE_CODE_PAGE_SIZE)));
	if (type & PERF_SAMPLE_AUX) {
		const uint64_t bytes = take(cursor);

		take_words(cursor, bytes / WORD_BYTES + (bytes % WORD_BYTES != 0));
	}
}

/* Rarely used fields, after the callchain. */
#define AFTER_CHAIN (~(uint64_t)(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |	\
				 PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |	\
				 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |			\
				 PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN))

static void take_after_chain(const struct record_format *format, struct cursor *cursor,
			     struct record_sample *sample)
{
	const uint64_t type = format->sample_type;

	if (type & PERF_SAMPLE_RAW)
		take_raw(cursor, sample);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		take_branches(format->branch_sample_type, cursor, sample);
	if (type & PERF_SAMPLE_REGS_USER)
		take_user_registers(format->user_regs_mask, cursor, sample);
	if (type & PERF_SAMPLE_STACK_USER)
		take_user_stack(cursor, sample);
	if (type & PERF_SAMPLE_WEIGHT_TYPE)
		sample->weight = take_weight(type, cursor);
	take_sample_rest(format, cursor, sample);
}

/* Follows the order of the kernel's perf_output_sample(). */
static void take_sample(const struct record_format *format, struct cursor *cursor,
			struct event_record *out)
{
	const uint64_t type = format->sample_type;
	struct record_sample *sample = &out->sample;

	take_sample_front(format, cursor, out);
	if (type & PERF_SAMPLE_READ)
		take_read_values(format, cursor, sample);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		const uint64_t count = take(cursor);

		sample->chain = count ? take_words(cursor, count) : NULL;
		sample->chain_count = count;
	}
	if (type & AFTER_CHAIN)
		take_after_chain(format, cursor, sample);
}

/* Returns how many of @left words at @words are a record's own fields, where these tell; otherwise
 * 0. */
static uint64_t own_words(uint32_t type, const uint64_t *words, uint64_t left)
{
	uint16_t lengths[2];	/* TEXT_POKE: bytes of code before and after */

	if (left < 2)
		return 0;
	switch (type) {
	case PERF_RECORD_KSYMBOL:
		return 2 + 1 + strnlen((const char *)(words + 2), (left - 2) * WORD_BYTES) /
				       WORD_BYTES;
	case PERF_RECORD_BPF_EVENT:
		return 2;
	case PERF_RECORD_TEXT_POKE:
		memcpy(lengths, words + 1, sizeof(lengths));
		return 1 + (sizeof(lengths) + lengths[0] + lengths[1] + WORD_BYTES - 1) /
				   WORD_BYTES;
	default:
		return 0;
	}
}

/* Returns the words of @left at @words up to the end of the trailer. The kernel makes records of
 * these types longer by a trailer for each event of any program that has got them before, and
 * leaves what is after the trailer unwritten (seen in Linux 6.1 and later). */
static uint64_t written_words(const struct record_format *format, uint32_t type,
			      const uint64_t *words, uint64_t left)
{
	const uint64_t own = own_words(type, words, left);

	return own && own + format->trailer.words < left ? own + format->trailer.words : left;
}

/* Cuts the trailer off @cursor, so that it ends where the record's own fields end. */
static void cut_trailer(const struct record_format *format, struct cursor *cursor,
			struct event_record *out)
{
	if (format->trailer.words > cursor_left(cursor)) {
		cursor->overrun = true;
		return;
	}
	cursor->end -= format->trailer.words;
	read_task_and_time(&format->trailer, cursor->end, out);
	read_cpu(&format->trailer, cursor->end, out);
}

/* Reads the task that the record is about; the trailer has the one that was running. */
static void take_task_ids(struct cursor *cursor, struct event_record *out)
{
	take_pair(cursor, &out->pid, &out->tid);
	out->has_pid = true;
}

/* Reads the time in the body, used if there is no trailer (none before Linux 2.6.38). */
static void take_body_time(struct cursor *cursor, struct event_record *out)
{
	const uint64_t time_ns = take(cursor);

	if (!out->has_time)
		out->time_ns = time_ns;
	out->has_time = true;
}

static void take_mmap(const struct perf_event_header *header, struct cursor *cursor,
		      struct event_record *out)
{
	struct record_mmap *map = &out->mmap;

	take_task_ids(cursor, out);
	map->start = take(cursor);
	map->bytes = take(cursor);
	map->file_offset = take(cursor);
	map->is_executable = !(header->misc & PERF_RECORD_MISC_MMAP_DATA);
	map->path = take_text(cursor);
}

static void take_map_build_id(const uint64_t *words, struct record_mmap *map)
{
	uint8_t bytes[3 * WORD_BYTES];	/* size, three reserved bytes, 20 bytes of id */

	memcpy(bytes, words, sizeof(bytes));
	map->has_build_id = true;
	map->build_id.count = bytes[0] < BUILD_ID_MAX_BYTES ? bytes[0] : BUILD_ID_MAX_BYTES;
	memcpy(map->build_id.bytes, bytes + 4, map->build_id.count);
}

/* Linux (seen in 6.18) also marks MMAP2 records of an event without attr.build_id if another event
 * on the CPU has it. So requires attr.build_id, and a length that linkers produce, which as the
 * major number of a device would be an old CD-ROM drive. */
static bool is_build_id(const struct record_format *format, const struct perf_event_header *header,
			const uint64_t *words)
{
	unsigned char bytes[4];		/* the length, three reserved bytes */

	if (!(header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID))
		return false;
	memcpy(bytes, words, sizeof(bytes));
	return format->has_build_ids ||
	       ((bytes[0] == 16 || bytes[0] == 20) && !bytes[1] && !bytes[2] && !bytes[3]);
}

static void take_mmap2(const struct record_format *format, const struct perf_event_header *header,
		       struct cursor *cursor, struct event_record *out)
{
	struct record_mmap *map = &out->mmap;
	const uint64_t *dso;
	uint32_t protection;

	take_task_ids(cursor, out);
	map->start = take(cursor);
	map->bytes = take(cursor);
	map->file_offset = take(cursor);
	dso = cursor->at;
	take_pair(cursor, &map->dev_major, &map->dev_minor);
	map->inode = take(cursor);
	map->inode_generation = take(cursor);
	take_pair(cursor, &protection, &map->flags);
	if (cursor->overrun)
		return;
	map->has_inode = true;
	if (is_build_id(format, header, dso)) {
		map->has_inode = false;
		map->dev_major = map->dev_minor = 0;
		map->inode = map->inode_generation = 0;
		take_map_build_id(dso, map);
	}
	map->is_executable = protection & PROT_EXEC;
	map->path = take_text(cursor);
}

static void take_comm(const struct perf_event_header *header, struct cursor *cursor,
		      struct event_record *out)
{
	take_task_ids(cursor, out);
	out->comm.is_exec = header->misc & PERF_RECORD_MISC_COMM_EXEC;
	out->comm.comm = take_text(cursor);
}

static void take_task(struct cursor *cursor, struct event_record *out)
{
	take_pair(cursor, &out->pid, &out->task.parent_pid);
	take_pair(cursor, &out->tid, &out->task.parent_tid);
	out->has_pid = true;
	take_body_time(cursor, out);
}

static void take_ksymbol(struct cursor *cursor, struct event_record *out)
{
	struct record_ksymbol *symbol = &out->ksymbol;
	uint32_t type_and_flags;
	uint16_t halves[2];

	symbol->start = take(cursor);
	take_pair(cursor, &symbol->bytes, &type_and_flags);
	memcpy(halves, &type_and_flags, sizeof(halves));
	symbol->type = halves[0];
	symbol->is_unregister = halves[1] & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	symbol->name = take_text(cursor);
}

static enum record_kind kind_of_type(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_SAMPLE:
		return RECORD_SAMPLE;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return RECORD_MMAP;
	case PERF_RECORD_COMM:
		return RECORD_COMM;
	case PERF_RECORD_FORK:
		return RECORD_FORK;
	case PERF_RECORD_EXIT:
		return RECORD_EXIT;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return RECORD_LOST;
	case PERF_RECORD_THROTTLE:
		return RECORD_THROTTLE;
	case PERF_RECORD_UNTHROTTLE:
		return RECORD_UNTHROTTLE;
	case PERF_RECORD_KSYMBOL:
		return RECORD_KSYMBOL;
	case PERF_RECORD_BPF_EVENT:
		return RECORD_BPF;
	case PERF_RECORD_CGROUP:
		return RECORD_CGROUP;
	default:
		return RECORD_OTHER;
	}
}

static void take_sideband(const struct record_format *format,
			  const struct perf_event_header *header, struct cursor *cursor,
			  struct event_record *out)
{
	switch (header->type) {
	case PERF_RECORD_MMAP:
		take_mmap(header, cursor, out);
		break;
	case PERF_RECORD_MMAP2:
		take_mmap2(format, header, cursor, out);
		break;
	case PERF_RECORD_COMM:
		take_comm(header, cursor, out);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		take_task(cursor, out);
		break;
	case PERF_RECORD_LOST:
		take(cursor);	/* the event's id, see record_peek_id() */
		out->lost.count = take(cursor);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		out->lost.count = take(cursor);
		out->lost.is_samples = true;
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		take_body_time(cursor, out);
		take_words(cursor, 2);	/* id, stream id */
		break;
	case PERF_RECORD_KSYMBOL:
		take_ksymbol(cursor, out);
		break;
	case PERF_RECORD_BPF_EVENT:
		take_words(cursor, 2);	/* type, flags and id; tag */
		break;
	case PERF_RECORD_CGROUP:
		out->cgroup.id = take(cursor);
		out->cgroup.path = take_text(cursor);
		break;
	}
}

static enum cpu_mode mode_of_misc(uint16_t misc)
{
	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		return MODE_KERNEL;
	case PERF_RECORD_MISC_USER:
		return MODE_USER;
	case PERF_RECORD_MISC_HYPERVISOR:
		return MODE_HYPERVISOR;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return MODE_GUEST_KERNEL;
	case PERF_RECORD_MISC_GUEST_USER:
		return MODE_GUEST_USER;
	default:
		return MODE_UNKNOWN;
	}
}

/* Sets @cursor to the words after the header. 0, or -EBADMSG when the sizes do not fit. */
static inline int open_body(const void *bytes, size_t available, struct cursor *cursor)
{
	const struct perf_event_header *header = bytes;

	assert((uintptr_t)bytes % WORD_BYTES == 0);
	if (available < sizeof(*header) || header->size > available ||
	    header->size < sizeof(*header) || header->size % WORD_BYTES)
		return -EBADMSG;
	*cursor = (struct cursor){
		.at = (const uint64_t *)bytes + sizeof(*header) / WORD_BYTES,
		.end = (const uint64_t *)bytes + header->size / WORD_BYTES,
	};
	return 0;
}

static void take_other(const struct record_format *format, const struct perf_event_header *header,
		       struct cursor *cursor, struct event_record *out)
{
	out->kind = kind_of_type(header->type);
	if (header->type >= PERF_RECORD_MAX)
		return;
	cursor->end = cursor->at + written_words(format, header->type, cursor->at,
						 cursor_left(cursor));
	cut_trailer(format, cursor, out);
	take_sideband(format, header, cursor, out);
}

int record_parse(const struct record_format *format, const void *bytes, size_t available,
		 struct event_record *out)
{
	const struct perf_event_header *header = bytes;
	struct cursor cursor;
	int err;

	memset(out, 0, sizeof(*out));
	err = open_body(bytes, available, &cursor);
	if (err)
		return err;
	out->mode = mode_of_misc(header->misc);
	if (header->type == PERF_RECORD_SAMPLE) {
		out->kind = RECORD_SAMPLE;
		take_sample(format, &cursor, out);
	} else {
		take_other(format, header, &cursor, out);
	}
	return cursor.overrun ? -EBADMSG : 0;
}

int record_parse_front(const struct record_format *format, const void *bytes, size_t available,
		       struct event_record *out)
{
	const struct perf_event_header *header = bytes;
	struct cursor cursor;

	if (available < sizeof(*header) || header->type != PERF_RECORD_SAMPLE)
		return record_parse(format, bytes, available, out);
	if (open_body(bytes, available, &cursor) || format->front.words > cursor_left(&cursor))
		return -EBADMSG;
	out->kind = RECORD_SAMPLE;
	out->has_pid = out->has_time = false;
	out->pid = out->tid = 0;
	out->time_ns = 0;
	read_task_and_time(&format->front, cursor.at, out);
	return 0;
}

/* Counted from the record's end, unless what is after the trailer is not written. */
static int16_t time_in_trailer(const struct record_format *format,
			       const struct perf_event_header *record)
{
	const struct record_layout *trailer = &format->trailer;
	struct cursor cursor;
	uint64_t written;

	if (!open_body(record, record->size, &cursor)) {
		written = written_words(format, record->type, cursor.at, cursor_left(&cursor));
		if (written < cursor_left(&cursor))
			return (int16_t)(1 + written - trailer->words + trailer->time);
	}
	return (int16_t)(trailer->time - trailer->words);
}

int16_t record_time_word(const struct record_format *format,
			 const struct perf_event_header *record)
{
	const struct record_layout *front = &format->front, *trailer = &format->trailer;

	if (record->type == PERF_RECORD_SAMPLE)
		return front->time == RECORD_NO_WORD ? 0 : (int16_t)(1 + front->time);
	if (record->type < PERF_RECORD_MAX && trailer->time != RECORD_NO_WORD)
		return time_in_trailer(format, record);
	switch (record->type) {		/* in the body, see take_body_time() */
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return 3;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return 1;
	default:
		return 0;
	}
}

size_t record_written_bytes(const struct record_format *format,
			    const struct perf_event_header *record)
{
	struct cursor cursor;

	if (open_body(record, record->size, &cursor))
		return record->size;
	return sizeof(*record) + WORD_BYTES * written_words(format, record->type, cursor.at,
							   cursor_left(&cursor));
}

int record_peek_id(const struct record_format *format, const void *bytes, size_t available,
		   uint64_t *id)
{
	const uint64_t type = format->sample_type;
	const struct perf_event_header *header = bytes;
	struct cursor cursor;
	uint64_t before, after;

	if (!(type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)) ||
	    open_body(bytes, available, &cursor))
		return -ENOENT;
	if (header->type == PERF_RECORD_SAMPLE) {
		before = type & PERF_SAMPLE_IDENTIFIER ? 0 :
			 count_bits(type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
					    PERF_SAMPLE_ADDR));
	} else {
		after = type & PERF_SAMPLE_IDENTIFIER ? 1 :
			1 + count_bits(type & (PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU));
		before = written_words(format, header->type, cursor.at, cursor_left(&cursor));
		if (!format->sample_id_all || header->type >= PERF_RECORD_MAX || after > before)
			return -ENOENT;
		before -= after;
	}
	take_words(&cursor, before);
	*id = take(&cursor);
	return cursor.overrun ? -ENOENT : 0;
}
