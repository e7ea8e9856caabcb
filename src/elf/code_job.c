/* code_job.c - see code_job.h. Everything here parses untrusted bytes.
 *
 * In a DSO code refers to virtual addresses, but samples and rows count in file offsets: each range
 * is decoded at the virtual address where its segment has it, and targets are converted back.
 *
 * Bytes that are no instruction become rows of data up to the next place where one begins. That
 * may be inside of the data, as with every disassembler; x86 code finds back after a few bytes.
 */
#include "code_job.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/whole_io.h"
#include "code_decoder.h"
#include "elf_file.h"
#include "kernel_file.h"
#include "sandbox/code_files.h"

#define ALIGNED	     8		/* bytes: what compilers align loops to at least; functions more */
#define FIRST_ROWS   1024
#define FIRST_TEXTS  16384
#define FIRST_BUCKETS 1024	/* a power of two */

/* How a row matters for what is padding; not in the reply. */
enum row_nature {
	IS_FILLER = 1,
	ENDS_FLOW = 2,
};

struct code_job {
	struct code_query query;
	int fd;			/* BORROWED */
	struct elf_file file;	/* `elf` is NULL: the input is not parsed */
	enum machine machine;
	struct code_decoder *decoder;
	const struct code_range *range;	/* the one that is decoded */
	uint8_t *code;		/* owned: its bytes */
	uint64_t vaddr;		/* where it runs, as its own code says it */
	struct code_row *rows;	/* owned, like the other arrays */
	uint8_t *natures;	/* enum row_nature of each row */
	uint32_t row_count, row_room;
	char *texts;
	uint32_t text_bytes, text_room;
	uint32_t *buckets;	/* hashed: offset of a text + 1; 0: free */
	uint32_t bucket_count, text_count;
	struct diag *why;
};

static int no_memory(const struct code_job *job)
{
	return diag_set(job->why, -ENOMEM, "no memory for the instructions");
}

static int read_query(struct code_job *job, int fd)
{
	struct code_query *query = &job->query;
	uint64_t bytes = 0;

	if (whole_pread(fd, query, sizeof(*query), 0) != (ssize_t)sizeof(*query) ||
	    query->machine >= MACHINES || !query->range_count ||
	    query->range_count > CODE_RANGES_MAX)
		return diag_set(job->why, -EINVAL, "no ranges of code");
	for (uint32_t i = 0; i < query->range_count; i++) {
		const struct code_range *range = &query->ranges[i];

		if (!range->bytes || range->bytes > CODE_RANGE_BYTES_MAX - bytes ||
		    range->offset > INT64_MAX - range->bytes ||
		    range->address > UINT64_MAX - range->bytes ||
		    (query->machine == MACHINE_UNKNOWN && range->address != range->offset))
			return diag_set(job->why, -EINVAL, "a range of code of 0x%" PRIx64
					" bytes at 0x%" PRIx64, range->bytes, range->address);
		bytes += range->bytes;
	}
	return 0;
}

static int open_file(struct code_job *job)
{
	int err;

	job->machine = job->query.machine;
	if (job->machine != MACHINE_UNKNOWN)
		return 0;
	err = elf_file_open(&job->file, job->fd, job->why);
	if (err)
		return err;
	job->machine = machine_of_elf(job->file.header.e_machine);
	return elf_file_read_segments(&job->file, job->why);
}

/* Returns the segment with the byte at @offset of the file, first of all one with code; or NULL. */
static const struct elf_segment *find_segment(const struct elf_file *file, uint64_t offset)
{
	const struct elf_segment *found = NULL;

	for (size_t i = 0; i < file->segment_count; i++) {
		const struct elf_segment *segment = &file->segments[i];

		if (offset - segment->offset < segment->bytes && (!found || segment->is_code))
			found = segment;
	}
	return found;
}

static int find_vaddr(struct code_job *job)
{
	const struct elf_segment *segment;

	job->vaddr = job->range->address;
	if (!job->file.elf)
		return 0;
	segment = find_segment(&job->file, job->range->offset);
	if (!segment || job->range->bytes > segment->offset + segment->bytes - job->range->offset)
		return diag_set(job->why, -EBADMSG, "the file has no code at 0x%" PRIx64,
				job->range->offset);
	job->vaddr = segment->vaddr + (job->range->offset - segment->offset);
	return 0;
}

/* Converts a target to the space of the rows' addresses; false: it is not in the file. */
static bool convert(const struct code_job *job, uint64_t *target)
{
	const struct elf_segment *segment;

	if (!job->file.elf)
		return true;
	segment = elf_file_find_segment(&job->file, *target);
	if (!segment)
		return false;
	*target = *target - segment->vaddr + segment->offset;
	return true;
}

static uint32_t hash(const char *text)
{
	uint32_t hash = 2166136261u;	/* FNV-1a */

	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * 16777619u;
	return hash;
}

static uint32_t *find_bucket(const struct code_job *job, const char *text)
{
	uint32_t at = hash(text) & (job->bucket_count - 1);

	while (job->buckets[at] && strcmp(job->texts + job->buckets[at] - 1, text))
		at = (at + 1) & (job->bucket_count - 1);
	return &job->buckets[at];
}

static bool grow_buckets(struct code_job *job)
{
	const uint32_t count = job->bucket_count ? job->bucket_count * 2 : FIRST_BUCKETS;
	uint32_t *buckets = calloc(count, sizeof(*buckets));

	if (!buckets)
		return false;
	free(job->buckets);
	job->buckets = buckets;
	job->bucket_count = count;
	for (uint32_t at = 0; at < job->text_bytes; at += (uint32_t)strlen(job->texts + at) + 1)
		*find_bucket(job, job->texts + at) = at + 1;
	return true;
}

static bool grow_texts(struct code_job *job)
{
	const uint32_t room = job->text_room ? job->text_room * 2 : FIRST_TEXTS;
	char *texts = realloc(job->texts, room);

	if (!texts)
		return false;
	job->texts = texts;
	job->text_room = room;
	return true;
}

/* Finds the offset of @text among the texts, after adding it if it is new. */
static int put_text(struct code_job *job, const char *text, uint32_t *offset)
{
	const uint32_t bytes = (uint32_t)strlen(text) + 1;
	uint32_t *bucket;

	if (job->text_room - job->text_bytes < bytes && !grow_texts(job))
		return no_memory(job);
	if (job->text_count * 2 >= job->bucket_count && !grow_buckets(job))
		return no_memory(job);
	bucket = find_bucket(job, text);
	if (!*bucket) {
		memcpy(job->texts + job->text_bytes, text, bytes);
		*bucket = job->text_bytes + 1;
		job->text_bytes += bytes;
		job->text_count++;
	}
	*offset = *bucket - 1;
	return 0;
}

static bool grow_rows(struct code_job *job)
{
	const uint32_t room = job->row_room ? job->row_room * 2 : FIRST_ROWS;
	struct code_row *rows = realloc(job->rows, room * sizeof(*rows));
	uint8_t *natures;

	if (!rows)
		return false;
	job->rows = rows;
	natures = realloc(job->natures, room);
	if (!natures)
		return false;
	job->natures = natures;
	job->row_room = room;
	return true;
}

static int add_row(struct code_job *job, const struct code_row *row, const char *text,
		   unsigned int nature)
{
	if (job->row_count == job->row_room && !grow_rows(job))
		return no_memory(job);
	job->rows[job->row_count] = *row;
	job->natures[job->row_count] = (uint8_t)nature;
	return put_text(job, text, &job->rows[job->row_count++].text);
}

static int add_undecoded(struct code_job *job, uint64_t into, uint64_t bytes)
{
	struct code_row row = { .address = job->range->address + into, .length = (uint8_t)bytes,
				.kind = CODE_DATA };
	char text[CODE_TEXT_BYTES] = ".byte ";
	size_t at = strlen(text);

	for (uint64_t i = 0; i < bytes; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, i ? ",0x%02x" : "0x%02x",
				       job->code[into + i]);
	return add_row(job, &row, text, 0);
}

static int add_instruction(struct code_job *job, uint64_t into,
			   struct code_instruction *instruction)
{
	struct code_row row = {
		.address = job->range->address + into, .length = instruction->length,
		.kind = instruction->kind, .flags = instruction->flags,
	};
	const size_t bytes = strlen(instruction->text);
	uint64_t target = instruction->target;

	if (instruction->is_fused && into)
		job->rows[job->row_count - 1].flags |= CODE_FUSES;
	if (!(row.flags & (CODE_HAS_TARGET | CODE_REFERS))) {
		/* It has none. */
	} else if (convert(job, &target)) {
		row.target = target;
	} else {
		if (row.flags & CODE_HAS_TARGET)
			snprintf(instruction->text + bytes, sizeof(instruction->text) - bytes,
				 " 0x%" PRIx64, target);
		row.flags &= CODE_FLAGS ^ (CODE_HAS_TARGET | CODE_REFERS);
	}
	return add_row(job, &row, instruction->text,
		       (instruction->is_filler ? IS_FILLER : 0u) |
		       (instruction->ends_flow ? ENDS_FLOW : 0u));
}

static bool decode(struct code_job *job, uint64_t into, struct code_instruction *out)
{
	return code_decoder_next(job->decoder, job->code + into, job->range->bytes - into,
				 job->vaddr + into, out);
}

/* Returns the length of the row of data that begins @begin bytes after the range's begin: up to
 * the next instruction, or one that is newer than the decoder. */
static uint64_t undecoded_bytes(struct code_job *job, uint64_t begin)
{
	const uint64_t bytes = job->range->bytes;
	struct code_instruction next;
	uint64_t into = begin;
	bool is_whole;
	size_t skip;

	do {
		skip = code_decoder_skip(job->decoder, job->code + into, bytes - into,
					 job->vaddr + into, &is_whole);
		if (is_whole && into == begin)
			return skip;
		if (!is_whole)
			into += skip;
	} while (!is_whole && into < bytes && into - begin < CODE_DATA_BYTES &&
		 !decode(job, into, &next));
	return into - begin;
}

/* Adds a row for what begins *@into bytes after the range's begin; moves *@into to its end. */
static int add_next(struct code_job *job, uint64_t *into)
{
	const uint64_t begin = *into;
	struct code_instruction instruction;
	uint64_t bytes;

	if (decode(job, begin, &instruction)) {
		*into += instruction.length;
		return add_instruction(job, begin, &instruction);
	}
	bytes = undecoded_bytes(job, begin);
	*into += bytes;
	return add_undecoded(job, begin, bytes);
}

static int read_code(struct code_job *job)
{
	const struct code_range *range = job->range;

	job->code = malloc(range->bytes);
	if (!job->code)
		return no_memory(job);
	if (whole_pread(job->fd, job->code, range->bytes, (off_t)range->offset) ==
	    (ssize_t)range->bytes)
		return 0;
	return diag_set(job->why, -EBADMSG, "its code at 0x%" PRIx64 " can't be read",
			range->offset);
}

/* Sets the bytes of @is_target that rows from @first on jump to. */
static void mark_targets(const struct code_job *job, uint32_t first, uint8_t *is_target)
{
	for (uint32_t i = first; i < job->row_count; i++) {
		const struct code_row *row = &job->rows[i];

		if (row->flags & CODE_HAS_TARGET &&
		    row->target - job->range->address < job->range->bytes)
			is_target[row->target - job->range->address] = 1;
	}
}

/* Returns where the run of filler that begins with row @i ends. */
static uint32_t end_of_run(const struct code_job *job, uint32_t i, const uint8_t *is_target)
{
	while (i < job->row_count && job->natures[i] & IS_FILLER &&
	       !is_target[job->rows[i].address - job->range->address])
		i++;
	return i;
}

/* Whether the rows @begin to @end - 1, all of them filler that nobody jumps to, are padding. */
static bool is_padding(const struct code_job *job, uint32_t begin, uint32_t end)
{
	const struct code_row *before = &job->rows[begin - 1], *last = &job->rows[end - 1];
	const uint64_t after = last->address + last->length - job->range->address;

	if (after == job->range->bytes)
		return job->natures[begin - 1] & ENDS_FLOW || before->kind == CODE_CALL ||
		       before->kind == CODE_INDIRECT_CALL;
	return job->natures[begin - 1] & ENDS_FLOW &&
	       ((job->vaddr + after) % ALIGNED == 0 ||
		!strcmp(job->texts + last->text, "int3"));
}

static int mark_padding(struct code_job *job, uint32_t first)
{
	uint8_t *is_target = calloc(1, job->range->bytes);

	if (!is_target)
		return no_memory(job);
	mark_targets(job, first, is_target);
	for (uint32_t i = first + 1, end; i < job->row_count; i = end + 1) {
		end = end_of_run(job, i, is_target);
		if (end != i && is_padding(job, i, end))
			while (i < end)
				job->rows[i++].kind = CODE_PADDING;
	}
	free(is_target);
	return 0;
}

static int decode_range(struct code_job *job, const struct code_range *range)
{
	const uint32_t first = job->row_count;
	int err;

	job->range = range;
	err = find_vaddr(job);
	if (!err)
		err = read_code(job);
	for (uint64_t into = 0; into < range->bytes && !err;)
		err = add_next(job, &into);
	if (!err)
		err = mark_padding(job, first);
	free(job->code);
	job->code = NULL;
	return err;
}

static int write_reply(struct code_job *job, void **bytes, size_t *bytes_count)
{
	const struct code_header header = {
		.magic = CODE_ROWS_MAGIC, .version = CODE_ROWS_VERSION, .machine = job->machine,
		.row_count = job->row_count, .string_bytes = job->text_bytes,
	};
	const size_t row_bytes = job->row_count * sizeof(*job->rows);
	char *at;

	*bytes_count = sizeof(header) + row_bytes + job->text_bytes;
	*bytes = at = malloc(*bytes_count);
	if (!at)
		return no_memory(job);
	memcpy(at, &header, sizeof(header));
	memcpy(at + sizeof(header), job->rows, row_bytes);
	memcpy(at + sizeof(header) + row_bytes, job->texts, job->text_bytes);
	return 0;
}

int code_job_run(const int *inputs, uint32_t input_count, void **bytes, size_t *bytes_count,
		 struct diag *why)
{
	struct code_job job = { .why = why };
	int err;

	*bytes = NULL;
	if (input_count < 2)
		return diag_set(why, -EINVAL, "no ranges of code");
	job.fd = inputs[0];
	err = read_query(&job, inputs[1]);
	if (!err)
		err = open_file(&job);
	if (!err)
		err = code_decoder_create(&job.decoder, job.machine, why);
	for (uint32_t i = 0; i < job.query.range_count && !err; i++)
		err = decode_range(&job, &job.query.ranges[i]);
	if (!err)
		err = write_reply(&job, bytes, bytes_count);
	code_decoder_destroy(job.decoder);
	elf_file_close(&job.file);
	free(job.rows);
	free(job.natures);
	free(job.texts);
	free(job.buckets);
	return err;
}

/* Segments. */

static void add(struct elf_segments *out, struct elf_segment_row row)
{
	uint32_t at = out->count;

	if (at == ELF_SEGMENTS_MAX || row.bytes > UINT64_MAX - row.address)
		return;
	for (; at > 0 && out->rows[at - 1].address > row.address; at--)
		out->rows[at] = out->rows[at - 1];
	out->rows[at] = row;
	out->count++;
}

/* @slide is added to all addresses. */
static void add_segments(struct elf_segments *out, const struct elf_file *file, uint64_t slide)
{
	const struct elf_section *text = elf_file_section(file, ".text");

	if (text && text->type == SHT_NOBITS)
		return;
	for (size_t i = 0; i < file->segment_count; i++)
		add(out, (struct elf_segment_row){
			.address = file->segments[i].vaddr + slide,
			.offset = file->segments[i].offset, .bytes = file->segments[i].bytes,
			.is_code = file->segments[i].is_code,
		});
}

/* Adds the code of a relocatable file where its sections are loaded. */
static void add_sections(struct elf_segments *out, const struct elf_file *file,
			 const struct kernel_layout *layout)
{
	for (size_t i = 1; i < file->section_count; i++) {
		const struct elf_section *section = &file->sections[i];
		const uint64_t address = kernel_layout_find(layout, section->name);

		if (address && elf_file_is_code(section) && section->type != SHT_NOBITS)
			add(out, (struct elf_segment_row){
				.address = address, .offset = section->offset,
				.bytes = section->bytes, .is_code = 1,
			});
	}
}

/* Returns how far the kernel was moved. */
static uint64_t slide_of(const struct elf_file *file, const struct kernel_layout *layout)
{
	const struct elf_section *text = elf_file_section(file, ".text");

	return text ? layout->text_address - text->vaddr : 0;
}

static int list(struct elf_segments *out, struct elf_file *file,
		const struct kernel_layout *layout, struct diag *why)
{
	int err = 0;

	if (file->header.e_phnum)	/* without: the build-id is in a section */
		err = elf_file_read_segments(file, why);
	if (err)
		return err;
	out->magic = ELF_SEGMENTS_MAGIC;
	out->build_id = elf_file_build_id(file);
	out->is_32_bit = file->is_32_bit;
	out->machine = file->header.e_machine;
	if (!layout)
		add_segments(out, file, 0);
	else if (!build_id_is_equal(&out->build_id, &layout->build_id))
		return kernel_file_is_stale(&out->build_id, &layout->build_id, why);
	else if (file->header.e_type == ET_REL)
		add_sections(out, file, layout);
	else
		add_segments(out, file, slide_of(file, layout));
	return 0;
}

int elf_segments_list(int fd, int layout_fd, void **bytes, size_t *count, struct diag *why)
{
	struct kernel_layout layout;
	struct elf_segments *out;
	struct elf_file file;
	int err = layout_fd < 0 ? 0 : kernel_layout_load(&layout, layout_fd, why);

	if (!err)
		err = elf_file_open(&file, fd, why);
	if (err)
		return err;
	out = calloc(1, sizeof(*out));
	err = out ? list(out, &file, layout_fd < 0 ? NULL : &layout, why)
		  : diag_set(why, -ENOMEM, "no memory for its segments");
	elf_file_close(&file);
	if (err) {
		free(out);
		return err;
	}
	*bytes = out;
	*count = sizeof(*out);
	return 0;
}
