/* bpf_code.c - code of BPF programs, from what the kernel says of them, see code_sources.h.
 *
 * The program is found by the address of one of its functions: neither its tag nor its name is
 * unique. Everything here comes from the kernel, except the texts in a program's BTF.
 *
 * Source: bpf(2); Linux, kernel/bpf/syscall.c, bpf_prog_get_info_by_fd().
 */
#include "code_sources.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/lines.h"

#define FUNCTIONS_MAX 4096u
#define CODE_MAX      (16u << 20)	/* a program may have a million instructions */

/* What is asked of a program: its functions, and their code one after the other. */
struct bpf_functions {
	uint32_t count;
	uint32_t code_bytes;
	uint64_t *addresses;	/* owned */
	uint32_t *bytes;	/* owned */
	unsigned char *code;	/* owned; NULL: not asked for */
};

static void finish(struct bpf_functions *functions)
{
	free(functions->addresses);
	free(functions->bytes);
	free(functions->code);
	*functions = (struct bpf_functions){ .count = 0 };
}

static int ask(int program, struct bpf_prog_info *out)
{
	uint32_t bytes = sizeof(*out);

	return bpf_obj_get_info_by_fd(program, out, &bytes) ? -errno : 0;
}

/* Reads the addresses of the program's functions, and with @has_code their code. */
static int read_functions(int program, struct bpf_functions *out, bool has_code)
{
	struct bpf_prog_info sizes = { 0 }, wanted = { 0 };
	int err = ask(program, &sizes);

	*out = (struct bpf_functions){ .count = sizes.nr_jited_ksyms,
				       .code_bytes = sizes.jited_prog_len };
	if (err || !out->count || out->count > FUNCTIONS_MAX ||
	    sizes.nr_jited_func_lens != out->count || out->code_bytes > CODE_MAX)
		return err ? err : -ENOENT;
	out->addresses = calloc(out->count, sizeof(*out->addresses));
	out->bytes = calloc(out->count, sizeof(*out->bytes));
	out->code = has_code ? malloc((size_t)out->code_bytes + 1) : NULL;
	if (!out->addresses || !out->bytes || (has_code && !out->code))
		return -ENOMEM;
	wanted.nr_jited_ksyms = wanted.nr_jited_func_lens = out->count;
	wanted.jited_ksyms = (uintptr_t)out->addresses;
	wanted.jited_func_lens = (uintptr_t)out->bytes;
	wanted.jited_prog_len = has_code ? out->code_bytes : 0;
	wanted.jited_prog_insns = (uintptr_t)out->code;
	err = ask(program, &wanted);
	if (!err && (wanted.nr_jited_ksyms != out->count ||
		     wanted.nr_jited_func_lens != out->count ||
		     (has_code && wanted.jited_prog_len != out->code_bytes)))
		err = -ENOENT;	/* it is another program, or its code is kept secret */
	return err;
}

/* Returns whether a function has the range's begin; sets *@offset to its place in the code, and
 * *@left to the bytes from there to the function's end. */
static bool find_range(const struct bpf_functions *functions, const struct code_range *range,
		       uint64_t *offset, uint64_t *left)
{
	uint64_t before = 0;

	for (uint32_t i = 0; i < functions->count; i++) {
		const uint64_t at = range->address - functions->addresses[i];

		if (range->address >= functions->addresses[i] && at < functions->bytes[i]) {
			*offset = before + at;
			*left = functions->bytes[i] - at;
			return *offset + *left <= functions->code_bytes;
		}
		before += functions->bytes[i];
	}
	return false;
}

static bool has_code_at(int program, const struct code_range *range)
{
	struct bpf_functions functions;
	uint64_t offset, left;
	const bool has = !read_functions(program, &functions, false) &&
			 find_range(&functions, range, &offset, &left);

	finish(&functions);
	return has;
}

/* Returns a descriptor of the program that has @range; or -ENOENT, -EPERM. */
static int find_program(const struct code_range *range)
{
	uint32_t id = 0;

	while (!bpf_prog_get_next_id(id, &id)) {
		const int program = bpf_prog_get_fd_by_id(id);

		if (program < 0)
			continue;	/* gone meanwhile */
		if (has_code_at(program, range))
			return program;
		close(program);
	}
	return errno == EPERM ? -EPERM : -ENOENT;
}

static int copy_code(int program, const struct code_copy *copy, struct diag *why)
{
	struct bpf_functions functions;
	uint64_t offset, left;
	int err = read_functions(program, &functions, true);

	for (uint32_t i = 0; !err && i < copy->count; i++) {
		struct code_range *range = &copy->ranges[i];

		if (!find_range(&functions, range, &offset, &left)) {
			err = -ENOENT;
			break;
		}
		if (range->bytes > left)
			range->bytes = left;
		memcpy(copy->bytes + range->offset, functions.code + offset, range->bytes);
	}
	finish(&functions);
	return err ? diag_set(why, err, "the BPF program's code can't be read: %s", strerror(-err))
		   : 0;
}

int bpf_code_read(const struct code_copy *copy, struct code_bytes *out, struct diag *why)
{
	const int program = find_program(&copy->ranges[0]);
	int err;

	if (program < 0)
		return diag_set(why, program, "no BPF program is there");
	err = copy_code(program, copy, why);
	if (!err)
		bpf_lines_read(program, copy, out);	/* none is no error */
	close(program);
	return err;
}

/* Source lines, in the form of line_ranges.h.
 *
 * A program's BTF has, for an instruction at a time, file, line and the text of that line. They are
 * those of the machine code, too: the kernel knows where each of these instructions came to be.
 * There is no file to look for, and of the source nothing but these lines: they become the embedded
 * text of their file.
 *
 * Trust: the numbers are the kernel's, which has verified them; the texts are those of the
 *        program's author. All are checked against the size of what they count in all the same.
 * Source: Linux, Documentation/bpf/btf.rst.
 */

#define BTF_BYTES_MAX (16u << 20)

/* A place in the machine code where a line begins. */
struct bpf_place {
	uint64_t address;
	uint32_t file, text;	/* offsets into the strings of the BTF */
	uint32_t line, column;
};

struct bpf_lines {
	char name[BPF_OBJ_NAME_LEN];	/* the program's */
	struct bpf_place *places;	/* owned */
	uint32_t count;
	char *btf;			/* owned */
	const char *strings;		/* in btf */
	uint32_t string_bytes;
};

static void finish_lines(struct bpf_lines *lines)
{
	free(lines->places);
	free(lines->btf);
}

static int put_places(struct bpf_lines *lines, const struct bpf_line_info *rows,
		      const uint64_t *addresses)
{
	lines->places = calloc(lines->count, sizeof(*lines->places));
	if (!lines->places)
		return -ENOMEM;
	for (uint32_t i = 0; i < lines->count; i++)
		lines->places[i] = (struct bpf_place){
			.address = addresses[i], .file = rows[i].file_name_off,
			.text = rows[i].line_off, .line = BPF_LINE_INFO_LINE_NUM(rows[i].line_col),
			.column = BPF_LINE_INFO_LINE_COL(rows[i].line_col),
		};
	return 0;
}

static int read_places(struct bpf_lines *lines, int program, uint32_t *btf_id)
{
	struct bpf_prog_info sizes = { 0 }, wanted = { 0 };
	struct bpf_line_info *rows;
	uint64_t *addresses;
	int err = ask(program, &sizes);

	*btf_id = sizes.btf_id;
	lines->count = sizes.nr_line_info;
	memcpy(lines->name, sizes.name, sizeof(lines->name));
	lines->name[sizeof(lines->name) - 1] = '\0';
	if (err || !lines->count || lines->count != sizes.nr_jited_line_info ||
	    lines->count > LINE_RANGES_MAX)
		return err ? err : -ENOENT;
	rows = calloc(lines->count, sizeof(*rows));
	addresses = calloc(lines->count, sizeof(*addresses));
	wanted.nr_line_info = wanted.nr_jited_line_info = lines->count;
	wanted.line_info_rec_size = sizeof(*rows);
	wanted.jited_line_info_rec_size = sizeof(*addresses);
	wanted.line_info = (uintptr_t)rows;
	wanted.jited_line_info = (uintptr_t)addresses;
	err = rows && addresses ? ask(program, &wanted) : -ENOMEM;
	if (!err && (wanted.nr_line_info != lines->count ||
		     wanted.nr_jited_line_info != lines->count))
		err = -ENOENT;	/* kept secret */
	if (!err)
		err = put_places(lines, rows, addresses);
	free(rows);
	free(addresses);
	return err;
}

/* Finds the strings in lines->btf[@bytes]. */
static int find_strings(struct bpf_lines *lines, uint32_t bytes)
{
	const struct btf_header *header = (const void *)lines->btf;
	uint64_t start;

	if (bytes < sizeof(*header) || header->magic != BTF_MAGIC)
		return -EBADMSG;
	start = (uint64_t)header->hdr_len + header->str_off;
	if (!header->str_len || start > bytes || header->str_len > bytes - start ||
	    lines->btf[start + header->str_len - 1] != '\0')
		return -EBADMSG;
	lines->strings = lines->btf + start;
	lines->string_bytes = header->str_len;
	return 0;
}

static int read_btf(struct bpf_lines *lines, uint32_t id)
{
	struct bpf_btf_info about = { 0 };
	uint32_t about_bytes = sizeof(about), bytes;
	const int fd = bpf_btf_get_fd_by_id(id);
	int err;

	if (fd < 0)
		return -errno;
	err = bpf_obj_get_info_by_fd(fd, &about, &about_bytes) ? -errno : 0;
	bytes = about.btf_size;
	if (!err && bytes > BTF_BYTES_MAX)
		err = -E2BIG;
	lines->btf = err ? NULL : malloc((size_t)bytes + 1);
	if (!err && !lines->btf)
		err = -ENOMEM;
	about = (struct bpf_btf_info){ .btf = (uintptr_t)lines->btf, .btf_size = bytes };
	about_bytes = sizeof(about);
	if (!err && bpf_obj_get_info_by_fd(fd, &about, &about_bytes))
		err = -errno;
	close(fd);
	return err ? err : find_strings(lines, bytes);
}

static const char *text_at(const struct bpf_lines *lines, uint32_t offset)
{
	return offset < lines->string_bytes ? lines->strings + offset : "";
}

/* Adds to @rows the parts of each line's code that are in the ranges. Returns how many. */
static uint32_t list_rows(const struct bpf_lines *lines, const struct code_copy *copy,
			  struct line_list_row *rows)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < lines->count; i++) {
		const struct bpf_place *place = &lines->places[i];

		for (uint32_t j = 0; j < copy->count; j++) {
			const struct code_range *range = &copy->ranges[j];
			const uint64_t range_end = range->address + range->bytes;

			if (place->address < range->address || place->address >= range_end)
				continue;
			rows[count++] = (struct line_list_row){
				.begin = place->address, .end = range_end,
				.line = place->line, .column = place->column,
				.file = text_at(lines, place->file),
				.text = text_at(lines, place->text),
			};
		}
	}
	return count;
}

static int build(const struct bpf_lines *lines, const struct code_copy *copy,
		 struct code_bytes *out)
{
	struct line_list_row *rows = calloc((size_t)lines->count * copy->count, sizeof(*rows));
	int err = -ENOMEM;

	if (rows)
		err = line_list_build(rows, list_rows(lines, copy, rows), lines->name, &out->lines,
				      &out->lines_bytes);
	free(rows);
	return err;
}

int bpf_lines_read(int program, const struct code_copy *copy, struct code_bytes *out)
{
	struct bpf_lines lines = { .count = 0 };
	uint32_t btf_id;
	int err = read_places(&lines, program, &btf_id);

	if (!err)
		err = read_btf(&lines, btf_id);
	if (!err)
		err = build(&lines, copy, out);
	finish_lines(&lines);
	return err;
}
