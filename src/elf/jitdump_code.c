/* jitdump_code.c - see jitdump_code.h. Everything here parses untrusted bytes.
 *
 * Idea: one pass over the heads of all records lists the pieces of code: where each was in memory,
 * since when, and where its bytes are in the file. The ranges are then filled from the newest piece
 * backwards, so that every byte is read once, however often its address was used again.
 *
 * Code that was moved is a piece at its new address with the bytes of the piece that was last at
 * the old one; until it is overwritten it stays at the old address, too.
 */
#include "jitdump_code.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/whole_io.h"
#include "elf/file_jobs.h"
#include "jitdump_format.h"
#include "sandbox/code_files.h"
#include "sandbox/lines.h"

/* Code that was at an address since a time. */
struct jitdump_piece {
	uint64_t time_ns;
	uint64_t address, bytes;
	uint64_t logged_at;	/* its first address, before it was moved */
	uint64_t offset;	/* where the code is in the file */
	uint64_t name_at;	/* where its name is in the file */
	uint64_t debug_at;	/* where the record of its lines is in the file; 0: none */
};

/* Source lines.
 *
 * A debug record comes before the code that it is for, and has an entry for each address at which
 * another line begins:
 *
 *   | head | code_addr | nr_entry | entry...     entry = | addr | line | column | file name, NUL |
 *
 * The name "\xff" stands for that of the entry before.
 *
 * V8 counts addresses from the header of the ELF file that perf-inject(1) makes of the code, 64
 * bytes before it: then the first entry is at 64 from the code's address, where no other compiler
 * has it. And it may write bytes of other strings for a file name, NULs among them, since its
 * garbage collector has moved the name meanwhile; the length is right. If all entries have the
 * length that they have with the path in the code's own name, "JS:*function /path:1:13", it is that
 * path.
 */

#define RECORD_MAX   (8u << 20)	/* a function of 100 kB has some thousand entries of 50 bytes */
#define NAME_BYTES   1024
#define SAME_NAME    "\xff"

struct debug_entry {		/* the NUL-terminated name follows */
	uint64_t address;
	uint32_t line, column;
};

/* A record in memory. */
struct debug_record {
	char *bytes;		/* owned; a NUL follows */
	size_t count, at;
	const char *path;	/* file name of all entries; NULL: each has its own */
};

/* Takes the next entry; false: there is none. */
static bool take_entry(struct debug_record *record, struct debug_entry *entry, const char **name)
{
	size_t bytes;

	if (record->count - record->at <= sizeof(*entry))
		return false;
	memcpy(entry, record->bytes + record->at, sizeof(*entry));
	record->at += sizeof(*entry);
	bytes = record->path ? strlen(record->path)
			     : strnlen(record->bytes + record->at, record->count - record->at);
	if (record->path)
		*name = record->path;
	else if (strcmp(record->bytes + record->at, SAME_NAME) != 0)
		*name = record->bytes + record->at;
	record->at += bytes + 1;
	return record->at <= record->count;
}

/* Reads the record's body at @offset in the file. Returns how many entries it says it has. */
static uint64_t read_record(struct debug_record *record, int fd, uint64_t offset)
{
	struct jitdump_head head;
	struct jitdump_debug debug;
	const size_t fixed = sizeof(head) + sizeof(debug);

	if (whole_pread(fd, &head, sizeof(head), (off_t)offset) != sizeof(head) ||
	    whole_pread(fd, &debug, sizeof(debug), (off_t)(offset + sizeof(head))) !=
		    sizeof(debug) ||
	    head.total_size < fixed || head.total_size > RECORD_MAX)
		return 0;
	record->count = head.total_size - fixed;
	record->bytes = calloc(1, record->count + 1);
	if (!record->bytes || whole_pread(fd, record->bytes, record->count,
					  (off_t)(offset + fixed)) != (ssize_t)record->count)
		return 0;
	return debug.entry_count;
}

/* Fills in @rows[@count] from the entries; returns how many there are. */
static uint32_t list_entries(struct debug_record *record, const struct jitdump_piece *piece,
			     struct line_list_row *rows, uint32_t count)
{
	const uint64_t end = piece->address + piece->bytes;
	const char *name = "";
	struct debug_entry entry;
	uint64_t shift = 0;
	uint32_t used = 0;

	while (used < count && take_entry(record, &entry, &name)) {
		if (!used && entry.address == piece->logged_at + sizeof(Elf64_Ehdr))
			shift = sizeof(Elf64_Ehdr);
		rows[used].begin = entry.address - shift - piece->logged_at + piece->address;
		rows[used].end = end;
		if (rows[used].begin < piece->address || rows[used].begin >= end)
			continue;
		rows[used].line = entry.line;
		rows[used].column = entry.column;
		rows[used].file = name;
		used++;
	}
	return used;
}

/* Cuts ":LINE:COLUMN" off. */
static void cut_position(char *name)
{
	char *end = name + strlen(name);

	for (int colons = 0; end > name && colons < 2; end--) {
		if (end[-1] != ':' && (end[-1] < '0' || end[-1] > '9'))
			return;
		colons += end[-1] == ':';
	}
	*end = '\0';
}

/* Sets record->path to the path in the code's @name, which is changed, if entries have its length.
 * */
static void find_path(struct debug_record *record, uint64_t entries, char *name)
{
	cut_position(name);
	for (char *space = strchr(name, ' '); space; space = strchr(space + 1, ' ')) {
		const size_t bytes = sizeof(struct debug_entry) + strlen(space + 1) + 1;

		if (record->count / bytes == entries && record->count % bytes == 0)
			record->path = space + 1;
	}
}

/* Reads the code's name, which follows the fixed part of its record. */
static void read_name(int fd, const struct jitdump_piece *piece, char name[NAME_BYTES])
{
	const ssize_t got = whole_pread(fd, name, NAME_BYTES - 1, (off_t)piece->name_at);

	name[got > 0 ? got : 0] = '\0';
}

static int build_lines(int fd, const struct jitdump_piece *piece, void **bytes, size_t *count)
{
	struct debug_record record = { .bytes = NULL };
	char name[NAME_BYTES], path[NAME_BYTES];
	uint64_t entries;
	int err = -ENODATA;
	struct line_list_row *rows;

	if (!piece->debug_at)
		return err;
	entries = read_record(&record, fd, piece->debug_at);
	if (entries > LINE_RANGES_MAX)
		entries = LINE_RANGES_MAX;
	rows = entries ? calloc(entries, sizeof(*rows)) : NULL;
	if (rows) {
		read_name(fd, piece, name);
		strcpy(path, name);
		find_path(&record, entries, path);
		err = line_list_build(rows, list_entries(&record, piece, rows, (uint32_t)entries),
				      name, bytes, count);
	}
	free(rows);
	free(record.bytes);
	return err;
}

/* Code. */

#define PIECES_MAX (1u << 22)	/* 224 MiB of them */

struct code_dump {
	int fd;
	uint64_t bytes;
	struct jitdump_piece *pieces;	/* owned; in the order of the file */
	uint32_t count, capacity;
	struct jit_code_query query;
	unsigned char *code;	/* owned: the reply after its header */
	unsigned char *is_filled;	/* owned: one for each byte of code */
	uint64_t missing;	/* bytes not filled yet */
	const struct jitdump_piece *first;	/* the piece that has the first byte; NULL: none */
	struct jitdump_debug debug;	/* the last such record */
	uint64_t debug_at;		/* its place in the file; 0: none, or of other code */
	bool is_later;
	struct diag *why;
};

static int add_piece(struct code_dump *dump, struct jitdump_piece piece)
{
	if (piece.bytes == 0 || piece.bytes > UINT64_MAX - piece.address)
		return 0;
	if (dump->count == dump->capacity) {
		const uint32_t capacity = dump->capacity ? 2 * dump->capacity : 1024;
		struct jitdump_piece *grown = dump->count < PIECES_MAX
			? realloc(dump->pieces, capacity * sizeof(*grown)) : NULL;

		if (!grown)
			return diag_set(dump->why, -ENOMEM,
					"jitdump needs more memory than allowed");
		dump->pieces = grown;
		dump->capacity = capacity;
	}
	dump->pieces[dump->count++] = piece;
	return 0;
}

/* The code is the end of its record. */
static int add_load(struct code_dump *dump, const struct jitdump_head *head,
		    const struct jitdump_load *load, uint64_t at)
{
	const uint64_t fixed = sizeof(*head) + sizeof(*load), debug_at = dump->debug_at;

	dump->debug_at = 0;
	if (load->code_size > head->total_size - fixed)
		return 0;
	return add_piece(dump, (struct jitdump_piece){
		.time_ns = head->timestamp, .address = load->code_addr, .bytes = load->code_size,
		.logged_at = load->code_addr, .offset = at + head->total_size - load->code_size,
		.name_at = at + fixed,
		.debug_at = dump->debug.code_addr == load->code_addr ? debug_at : 0,
	});
}

static int add_move(struct code_dump *dump, const struct jitdump_head *head,
		    const struct jitdump_move *move)
{
	for (uint32_t i = dump->count; i > 0; i--) {
		struct jitdump_piece piece = dump->pieces[i - 1];

		if (piece.address != move->old_code_addr)
			continue;
		piece.time_ns = head->timestamp;
		piece.address = move->new_code_addr;
		if (move->code_size < piece.bytes)
			piece.bytes = move->code_size;
		return add_piece(dump, piece);
	}
	return 0;
}

static int add_record(struct code_dump *dump, const struct jitdump_head *head, uint64_t at)
{
	const size_t body_bytes = head->total_size - sizeof(*head);
	union {
		struct jitdump_load load;
		struct jitdump_move move;
		struct jitdump_debug debug;
	} body;
	const size_t wanted = head->id == JIT_CODE_LOAD ? sizeof(body.load)
			      : head->id == JIT_CODE_MOVE ? sizeof(body.move)
			      : head->id == JIT_CODE_DEBUG ? sizeof(body.debug) : 0;

	if (!wanted || body_bytes < wanted)
		return 0;
	if (whole_pread(dump->fd, &body, wanted, (off_t)(at + sizeof(*head))) != (ssize_t)wanted)
		return diag_set(dump->why, -EIO, "the jitdump became shorter");
	if (head->id == JIT_CODE_LOAD)
		return add_load(dump, head, &body.load, at);
	if (head->id == JIT_CODE_MOVE)
		return add_move(dump, head, &body.move);
	dump->debug = body.debug;
	dump->debug_at = at;
	return 0;
}

/* Lists the pieces of all complete records. */
static int list_pieces(struct code_dump *dump, uint64_t at)
{
	struct jitdump_head head;
	int err = 0;

	while (!err && at <= dump->bytes && dump->bytes - at >= sizeof(head) &&
	       whole_pread(dump->fd, &head, sizeof(head), (off_t)at) == sizeof(head) &&
	       head.total_size >= sizeof(head) && head.total_size <= dump->bytes - at) {
		err = add_record(dump, &head, at);
		at += head.total_size;
	}
	return err;
}

/* Fills what is missing of [@from, @to) of the code; @offset: where @from is in the file. */
static int fill(struct code_dump *dump, uint64_t from, uint64_t to, uint64_t offset)
{
	for (uint64_t next; from < to; offset += next - from, from = next) {
		const unsigned char state = dump->is_filled[from];

		for (next = from + 1; next < to && dump->is_filled[next] == state; next++)
			continue;
		if (state)
			continue;
		if (whole_pread(dump->fd, dump->code + from, next - from, (off_t)offset) !=
		    (ssize_t)(next - from))
			return diag_set(dump->why, -EIO, "the jitdump became shorter");
		memset(dump->is_filled + from, 1, next - from);
		dump->missing -= next - from;
	}
	return 0;
}

/* Fills what is missing from @piece. */
static int fill_from(struct code_dump *dump, const struct jitdump_piece *piece)
{
	const uint64_t missing = dump->missing;
	const bool had_first = dump->is_filled[0];
	uint64_t at = 0;	/* where the range begins in the code */

	for (uint32_t i = 0; i < dump->query.range_count; i++) {
		const struct code_range *range = &dump->query.ranges[i];
		const uint64_t range_end = range->address + range->bytes;
		const uint64_t piece_end = piece->address + piece->bytes;
		const uint64_t from = range->address > piece->address ? range->address
								      : piece->address;
		const uint64_t to = range_end < piece_end ? range_end : piece_end;
		const int err = from >= to ? 0
			: fill(dump, at + (from - range->address), at + (to - range->address),
			       piece->offset + (from - piece->address));

		if (err)
			return err;
		at += range->bytes;
	}
	if (!had_first && dump->is_filled[0])
		dump->first = piece;
	dump->is_later |= dump->missing < missing && piece->time_ns > dump->query.time_ns;
	return 0;
}

static int fill_all(struct code_dump *dump)
{
	const uint64_t time_ns = dump->query.time_ns;
	int err = 0;

	for (uint32_t i = dump->count; !err && dump->missing && i > 0; i--)
		if (dump->pieces[i - 1].time_ns <= time_ns)
			err = fill_from(dump, &dump->pieces[i - 1]);
	for (uint32_t i = 0; !err && dump->missing && i < dump->count; i++)
		if (dump->pieces[i].time_ns > time_ns)
			err = fill_from(dump, &dump->pieces[i]);
	if (!err && dump->missing)
		err = diag_set(dump->why, -ENODATA, "the jitdump has no code at 0x%" PRIx64,
			       dump->query.ranges[0].address);
	return err;
}

static int read_query(struct jit_code_query *query, int fd, uint64_t *bytes, struct diag *why)
{
	*bytes = 0;
	if (whole_pread(fd, query, sizeof(*query), 0) != sizeof(*query) ||
	    query->range_count == 0 || query->range_count > CODE_RANGES_MAX)
		return diag_set(why, -EINVAL, "no query for code of a jitdump");
	for (uint32_t i = 0; i < query->range_count; i++) {
		const struct code_range *range = &query->ranges[i];

		if (range->bytes == 0 || range->bytes > CODE_RANGE_BYTES_MAX - *bytes ||
		    range->bytes > UINT64_MAX - range->address)
			return diag_set(why, -EINVAL, "a bad query for code of a jitdump");
		*bytes += range->bytes;
	}
	return 0;
}

static int read_machine(const struct jitdump_header *header, struct jit_code_header *out,
			struct diag *why)
{
	out->machine = machine_of_elf(header->elf_machine);
	return out->machine != MACHINE_UNKNOWN ?
		       0 : diag_set(why, -ENOEXEC, "jitdump for machine %u", header->elf_machine);
}

/* Reads the dump's header and its code into @reply, which the code follows. */
static int read_code(struct code_dump *dump, struct jit_code_header *reply)
{
	struct jitdump_header header;
	struct stat status;
	int err;

	if (fstat(dump->fd, &status))
		return diag_set(dump->why, -errno, "cannot read the jitdump's size");
	dump->bytes = (uint64_t)status.st_size;
	err = jitdump_read_header(dump->fd, dump->bytes, &header, dump->why);
	if (!err)
		err = read_machine(&header, reply, dump->why);
	if (err)
		return err;
	if (header.flags & JITDUMP_ARCH_TIMESTAMP)
		dump->query.time_ns = UINT64_MAX;
	err = list_pieces(dump, header.total_size);
	return err ? err : fill_all(dump);
}

/* Puts the reply together; @code: header and code. */
static int finish_reply(const struct code_dump *dump, struct jit_code_header *code, void **bytes,
			size_t *count)
{
	const size_t lines_at = jit_code_lines_at(code->bytes);
	size_t lines_bytes = 0;
	void *lines = NULL;
	char *reply;

	if (build_lines(dump->fd, dump->first, &lines, &lines_bytes))
		lines_bytes = 0;	/* none is no error */
	code->lines_bytes = lines_bytes;
	*count = lines_at + lines_bytes;
	*bytes = reply = calloc(1, *count);
	if (reply)
		memcpy(reply, code, sizeof(*code) + code->bytes);
	if (reply && lines_bytes)
		memcpy(reply + lines_at, lines, lines_bytes);
	free(lines);
	return reply ? 0 : -ENOMEM;
}

int jitdump_code_read(int fd, int query_fd, void **bytes, size_t *count, struct diag *why)
{
	struct code_dump dump = { .fd = fd, .why = why };
	struct jit_code_header *code;
	int err = read_query(&dump.query, query_fd, &dump.missing, why);

	if (err)
		return err;
	code = calloc(1, sizeof(*code) + dump.missing);
	dump.is_filled = calloc(1, dump.missing);
	if (code && dump.is_filled) {
		dump.code = (unsigned char *)(code + 1);
		code->magic = JIT_CODE_MAGIC;
		code->bytes = dump.missing;
		err = read_code(&dump, code);
		code->is_later = dump.is_later;
		if (!err)
			err = finish_reply(&dump, code, bytes, count);
	} else {
		err = -ENOMEM;
	}
	if (err == -ENOMEM)
		diag_set(why, err, "no memory for code of a jitdump");
	free(dump.pieces);
	free(dump.is_filled);
	free(code);
	return err;
}
