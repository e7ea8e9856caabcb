/* code_compare FILE <LISTING
 * code_compare FILE OFFSET BYTES - prints the rows: kind, flags, target, text.
 *
 * Compares the rows of a SANDBOX_CODE job with what `objdump -dwz FILE`, the LISTING, says of the
 * same code: where instructions begin and end, where they jump, and what they refer to.
 *
 * Prints a line of numbers for check_code, and the first differences of each kind before it. Lines
 * that objdump itself has no instruction for, such as "(bad)" and prefixes alone, are data. Where
 * the decoder has an instruction, too, but the job's rows begin elsewhere, it is out of step. */
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/code_decoder.h"
#include "elf/code_job.h"

#define CHUNK_BYTES (64u << 10)	/* a longer function is asked for in parts */
#define SHOWN_MAX   10

/* What objdump says of one instruction; file offsets. */
struct listed {
	uint64_t offset;
	uint32_t line;		/* in `texts` */
	uint8_t length;
	bool is_none, has_target, has_reference;
	uint64_t target;	/* where it goes, or what it refers to */
};

struct segment {
	uint64_t vaddr, offset, bytes;
};

static struct comparison {
	int file, query;
	struct segment segments[64];
	size_t segment_count;
	bool is_x86;
	struct listed *list;	/* instructions that are not compared yet */
	size_t count, room;
	char *texts;
	size_t text_bytes, text_room;
	struct code_query ranges;
	uint64_t range_bytes;
	struct code_decoder *decoder;
	uint64_t instructions, data, misses, steps, other_targets, other_references, other_names;
} all;

static bool to_offset(uint64_t vaddr, uint64_t *offset)
{
	for (size_t i = 0; i < all.segment_count; i++) {
		const struct segment *segment = &all.segments[i];

		if (vaddr - segment->vaddr < segment->bytes) {
			*offset = vaddr - segment->vaddr + segment->offset;
			return true;
		}
	}
	return false;
}

static void fail(const char *what)
{
	fprintf(stderr, "code_compare: %s\n", what);
	exit(2);
}

static void read_segments(void)
{
	Elf *elf;
	GElf_Ehdr header;
	GElf_Phdr phdr;
	size_t count = 0;

	elf_version(EV_CURRENT);
	elf = elf_begin(all.file, ELF_C_READ, NULL);
	if (!gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &count))
		fail("no ELF file");
	all.is_x86 = header.e_machine != EM_AARCH64;
	if (code_decoder_create(&all.decoder, all.is_x86 ? MACHINE_X86_64 : MACHINE_AARCH64, NULL))
		fail("no decoder");
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, &phdr) && phdr.p_type == PT_LOAD &&
		    all.segment_count < 64)
			all.segments[all.segment_count++] =
				(struct segment){ phdr.p_vaddr, phdr.p_offset, phdr.p_filesz };
	elf_end(elf);
}

/* "26f40 <main+0x10>". */
static bool read_address(const char *text, uint64_t *vaddr)
{
	char *end;

	if (!strchr("0123456789abcdef", text[0]) || !text[0])
		return false;
	*vaddr = strtoull(text, &end, 16);
	return !strncmp(end, " <", 2);
}

/* Of AArch64: b, bl, b.eq, cbz, tbnz. */
static bool is_branch(const char *text)
{
	return (text[0] == 'b' && strchr("\t.l", text[1])) || !strncmp(text, "cb", 2) ||
	       !strncmp(text, "tb", 2);
}

/* Returns the operand that is an address, the last one; NULL: none is there. */
static const char *address_operand(const char *text)
{
	const char *operand = strstr(text, " <");

	while (operand && operand > text && operand[-1] != ' ' && operand[-1] != '\t')
		operand--;
	return operand;
}

/* Sets where the instruction goes, or what it refers to. */
static void read_target(const char *text, struct listed *out)
{
	const char *comment = strstr(text, "# "), *operand = address_operand(text);
	uint64_t vaddr;

	if (all.is_x86 && comment && read_address(comment + 2, &vaddr))
		out->has_reference = to_offset(vaddr, &out->target);
	else if (operand && read_address(operand, &vaddr) && (all.is_x86 || is_branch(text)))
		out->has_target = to_offset(vaddr, &out->target);
	else if (operand && read_address(operand, &vaddr))
		out->has_reference = to_offset(vaddr, &out->target);
}

/* Prefixes that nothing follows, and what objdump can't decode. */
static bool is_none(const char *text)
{
	static const char *const alone[] = { "lock", "rep", "repz", "repnz", "data16", "addr32",
					     "cs", "ds", "es", "fs", "gs", "ss", "rex", "bnd",
					     "notrack" };
	char word[32];

	if (strstr(text, "(bad)") || strstr(text, "undefined") || text[0] == '.' ||
	    !strncmp(text, "udf", 3))
		return true;
	if (sscanf(text, "%31s", word) != 1)
		return true;
	if (strcspn(text, " \t") != strlen(text) && strspn(text + strcspn(text, " \t"), " \t") +
	    strcspn(text, " \t") != strlen(text))
		return false;
	if (!strncmp(word, "rex.", 4))
		return true;
	for (size_t i = 0; i < sizeof(alone) / sizeof(alone[0]); i++)
		if (!strcmp(word, alone[i]))
			return true;
	return false;
}

static uint32_t keep_text(const char *text)
{
	const size_t bytes = strlen(text) + 1;
	const uint32_t at = (uint32_t)all.text_bytes;

	if (all.text_room - all.text_bytes < bytes) {
		all.text_room = all.text_room * 2 + bytes;
		all.texts = realloc(all.texts, all.text_room);
	}
	memcpy(all.texts + at, text, bytes);
	all.text_bytes += bytes;
	return at;
}

static void show(const struct listed *listed, const char *what, uint64_t number, const char *ours)
{
	if (number <= SHOWN_MAX)
		printf("0x%" PRIx64 ": %s: objdump has %u bytes, %s; ours is %s\n",
		       listed->offset, what, listed->length, all.texts + listed->line, ours);
}

/* Whether the decoder has this instruction, too, if it begins here. */
static bool is_decoded(const struct listed *listed)
{
	struct code_instruction instruction;
	uint8_t bytes[CODE_LENGTH_MAX] = { 0 };
	const ssize_t got = pread(all.file, bytes, sizeof(bytes), (off_t)listed->offset);

	return got > 0 && code_decoder_next(all.decoder, bytes, (size_t)got, listed->offset,
					    &instruction) &&
	       instruction.length == listed->length;
}

static bool is_same_name(const char *theirs, const char *ours)
{
	const size_t bytes = strcspn(theirs, " \t");

	if (!strncmp(ours, "nop", 3))	/* objdump's have prefixes, or are xchg %ax,%ax */
		return true;
	return !strncmp(theirs, ours, bytes) && (ours[bytes] == ' ' || !ours[bytes]);
}

static void compare_row(const struct listed *listed, const struct code_row *row, const char *text)
{
	const bool has_target = row->flags & CODE_HAS_TARGET;
	bool has_reference = row->flags & CODE_REFERS;

	if (listed->is_none) {
		all.data++;
		return;
	}
	all.instructions++;
	if (row->address != listed->offset || row->length != listed->length ||
	    row->kind == CODE_DATA) {
		if (is_decoded(listed))
			show(listed, "out of step", ++all.steps, text);
		else
			show(listed, "no instruction", ++all.misses, text);
		return;
	}
	if (has_target != listed->has_target || (has_target && row->target != listed->target))
		show(listed, "another target", ++all.other_targets, text);
	if (!all.is_x86 && !listed->has_reference)	/* a pair has it: objdump does not */
		has_reference = false;
	if (has_reference != listed->has_reference ||
	    (has_reference && row->target != listed->target))
		show(listed, "another reference", ++all.other_references, text);
	if (!is_same_name(all.texts + listed->line, text))
		show(listed, "another name", ++all.other_names, text);
}

static void compare_rows(const struct code_rows *rows)
{
	static const struct code_row none;
	uint32_t next = 0;

	for (size_t i = 0; i < all.count; i++) {
		const struct listed *listed = &all.list[i];

		/* Ranges are in the order of the list, and so are rows. */
		while (next < rows->header->row_count &&
		       rows->rows[next].address < listed->offset)
			next++;
		if (next < rows->header->row_count)
			compare_row(listed, &rows->rows[next],
				    code_rows_text(rows, &rows->rows[next]));
		else
			compare_row(listed, &none, "none");
	}
}

/* Returns the bytes that the rows lie in. */
static void *run_job(struct code_rows *rows)
{
	const int inputs[] = { all.file, all.query };
	struct diag why = { .text = "cannot write the query" };
	void *bytes = NULL;
	size_t count;

	if (pwrite(all.query, &all.ranges, sizeof(all.ranges), 0) != sizeof(all.ranges) ||
	    code_job_run(inputs, 2, &bytes, &count, &why) ||
	    code_rows_check(rows, bytes, count, &all.ranges, &why))
		fail(why.text);
	return bytes;
}

static void compare(void)
{
	struct code_rows rows;
	void *bytes;

	if (!all.count)
		return;
	bytes = run_job(&rows);
	compare_rows(&rows);
	free(bytes);
	all.count = all.text_bytes = all.ranges.range_count = 0;
	all.range_bytes = 0;
}

/* Adds the instruction to the last range, or begins another one: at each symbol, and where there
 * is a gap. */
static void add(const struct listed *listed, bool is_begin)
{
	struct code_query *query = &all.ranges;
	struct code_range *range = &query->ranges[query->range_count - 1];

	if (is_begin || !query->range_count || range->bytes > CHUNK_BYTES ||
	    range->offset + range->bytes != listed->offset) {
		if (query->range_count == CODE_RANGES_MAX)
			fail("too many ranges");
		range = &query->ranges[query->range_count++];
		*range = (struct code_range){ listed->offset, listed->offset, 0 };
	}
	range->bytes += listed->length;
	all.range_bytes += listed->length;
	if (all.count == all.room) {
		all.room = all.room * 2 + 1024;
		all.list = realloc(all.list, all.room * sizeof(*all.list));
	}
	all.list[all.count++] = *listed;
}

/* "  26f40:\tf3 0f 1e fa          \tendbr64". */
static void read_line(char *line, bool is_begin)
{
	struct listed listed = { .length = 0 };
	char *end, *text;
	unsigned int digits = 0;
	uint64_t vaddr = strtoull(line, &end, 16);

	if (end == line || end[0] != ':' || end[1] != '\t')
		return;
	for (text = end + 2; *text && *text != '\t'; text++)
		digits += *text != ' ';
	if (*text == '\t')
		text++;
	listed.length = (uint8_t)(digits / 2);
	if (!listed.length || !to_offset(vaddr, &listed.offset))
		return;
	listed.line = keep_text(text);
	listed.is_none = is_none(text);
	read_target(text, &listed);
	add(&listed, is_begin);
}

static void print_rows(uint64_t offset, uint64_t bytes)
{
	static const char *const kinds[] = { "plain", "jump", "branch", "call", "indirect-jump",
					     "indirect-call", "return", "padding", "data" };
	struct code_rows rows;
	void *reply;

	all.ranges.range_count = 1;
	all.ranges.ranges[0] = (struct code_range){ offset, offset, bytes };
	reply = run_job(&rows);
	for (uint32_t i = 0; i < rows.header->row_count; i++) {
		const struct code_row *row = &rows.rows[i];

		printf("%" PRIu64 " %s %u %" PRIi64 " %s\n", row->address - offset,
		       kinds[row->kind], row->flags,
		       row->target ? (int64_t)(row->target - offset) : -1,
		       code_rows_text(&rows, row));
	}
	free(reply);
}

int main(int argc, char **argv)
{
	size_t room = 0;
	char *line = NULL;
	bool is_begin = true;
	ssize_t bytes;

	if (argc != 2 && argc != 4)
		fail("usage: code_compare FILE [OFFSET BYTES]");
	all.file = open(argv[1], O_RDONLY | O_CLOEXEC);
	all.query = memfd_create("query", MFD_CLOEXEC);
	read_segments();
	if (argc == 4) {
		print_rows(strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0));
		return 0;
	}
	while ((bytes = getline(&line, &room, stdin)) > 0) {
		if (line[bytes - 1] == '\n')
			line[bytes - 1] = '\0';
		if (line[0] != ' ') {	/* a symbol, a section, or nothing */
			is_begin = true;
			continue;
		}
		if (all.ranges.range_count == CODE_RANGES_MAX || all.range_bytes > CHUNK_BYTES * 8)
			compare();
		read_line(line, is_begin);
		is_begin = false;
	}
	compare();
	printf("%" PRIu64 " instructions, %" PRIu64 " data, %" PRIu64 " missed, %" PRIu64
	       " out of step, %" PRIu64 " other targets, %" PRIu64 " other references, %" PRIu64
	       " other names\n", all.instructions, all.data, all.misses, all.steps,
	       all.other_targets, all.other_references, all.other_names);
	return 0;
}
