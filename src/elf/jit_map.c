/* jit_map.c - see elf/file_jobs.h. Everything here parses untrusted text.
 *
 * The file grows while it is read: a line without its newline is left for the next job. A malformed
 * line is skipped and counted.
 *
 * The map has no unwind information. For CPython's trampolines (-X perf) rows are known here: they
 * are copies of one of four pieces of machine code, recognized by size, and for each of their
 * addresses the distance from sp to the return address is known. Their callers need not keep bp.
 *
 *   3.12 to 3.13.5  sub $8, %rsp (4) | call *%rcx (2) | add $8, %rsp (4) | ret (1)
 *   3.13.6, 3.14    push %rbp (1) | mov %rsp, %rbp (3) | call *%rcx (2) | pop %rbp (1) | ret (1)
 *
 * Built with -fcf-protection both begin with endbr64 (4).
 * Source: CPython, Python/asm_trampoline.S, Python/perf_trampoline.c.
 */
#include "elf/file_jobs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Reads the hex number at *@at, before @end, and advances *@at past it and the mandatory blanks. */
static bool take_hex(const char **at, const char *end, uint64_t *value)
{
	const char *next = *at;
	int digits = 0, digit;

	if (end - next > 2 && next[0] == '0' && (next[1] | 0x20) == 'x')
		next += 2;
	for (*value = 0; next < end && (digit = hex_digit(*next)) >= 0; next++) {
		if (*value >> 60)
			return false;	/* more than 64 bits */
		*value = *value << 4 | (uint64_t)digit;
		digits++;
	}
	if (!digits || next == end || !is_blank(*next))
		return false;
	while (next < end && is_blank(*next))
		next++;
	*at = next;
	return true;
}

#define PYTHON_PREFIX "py::"

static const struct trampoline {
	uint64_t bytes;
	enum machine machine;
	struct unwind_row rows[3];
} trampolines[] = {
	{ 11, MACHINE_X86_64,
	  { { 0, 1, 0, UNWIND_SP, 0 }, { 4, 2, 0, UNWIND_SP, 0 }, { 10, 1, 0, UNWIND_SP, 0 } } },
	{ 15, MACHINE_X86_64,
	  { { 0, 1, 0, UNWIND_SP, 0 }, { 8, 2, 0, UNWIND_SP, 0 }, { 14, 1, 0, UNWIND_SP, 0 } } },
	{ 8, MACHINE_X86_64,
	  { { 0, 1, 0, UNWIND_SP, 0 }, { 1, 2, -2, UNWIND_SP, 0 }, { 7, 1, 0, UNWIND_SP, 0 } } },
	{ 12, MACHINE_X86_64,
	  { { 0, 1, 0, UNWIND_SP, 0 }, { 5, 2, -2, UNWIND_SP, 0 }, { 11, 1, 0, UNWIND_SP, 0 } } },
	{ 20, MACHINE_AARCH64,
	  { { 0, 0, 0, UNWIND_ARM_SP, 0 },
	    { 4, 2, -2, UNWIND_ARM_SP, UNWIND_SAVES_PAIR },
	    { 16, 0, 0, UNWIND_ARM_SP, 0 } } },
};

/* Returns the rows of the CPython trampoline with that name and size; NULL: it is none. */
static const struct trampoline *find_trampoline(const char *name, const char *end, uint64_t bytes)
{
	const size_t prefix = sizeof(PYTHON_PREFIX) - 1;

	if ((size_t)(end - name) < prefix || memcmp(name, PYTHON_PREFIX, prefix) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof(trampolines) / sizeof(trampolines[0]); i++)
		if (trampolines[i].bytes == bytes)
			return &trampolines[i];
	return NULL;
}

static int add_line(struct jit_rows *rows, const char *line, const char *end)
{
	const struct trampoline *trampoline;
	uint64_t start, size;
	int err;

	if (end > line && end[-1] == '\r')
		end--;
	if (!take_hex(&line, end, &start) || !take_hex(&line, end, &size)) {
		jit_rows_skip(rows);
		return 0;
	}
	err = jit_rows_add(rows, start, size, line, (size_t)(end - line));
	trampoline = find_trampoline(line, end, size);
	if (err || !trampoline)
		return err;
	return jit_rows_add_unwind(rows, trampoline->machine, trampoline->rows,
				   sizeof(trampoline->rows) / sizeof(trampoline->rows[0]));
}

/* Adds the complete lines of @text; sets *@taken to their size in bytes. */
static int add_lines(struct jit_rows *rows, const char *text, size_t len, size_t *taken)
{
	const char *at = text, *end;
	int err = 0;

	while (!err && (end = memchr(at, '\n', len - (size_t)(at - text)))) {
		err = add_line(rows, at, end);
		at = end + 1;
	}
	*taken = (size_t)(at - text);
	return err;
}

/* Reads up to @cap bytes; returns how many, or -errno. */
static ssize_t read_text(int fd, char *text, size_t cap, uint64_t offset)
{
	size_t used = 0;

	while (used < cap) {
		ssize_t got = pread(fd, text + used, cap - used, (off_t)(offset + used));

		if (got < 0 && errno != EINTR)
			return -errno;
		if (got == 0)
			break;
		if (got > 0)
			used += (size_t)got;
	}
	return (ssize_t)used;
}

static int read_lines(struct jit_rows *rows, int fd, uint64_t *offset, struct diag *why)
{
	struct stat status;
	size_t cap, taken;
	ssize_t len;
	char *text;
	int err;

	if (fstat(fd, &status))
		return diag_set(why, -errno, "cannot read the perf map's size");
	if (status.st_size > JIT_MAP_BYTES_MAX)
		return diag_set(why, -E2BIG, "perf map is larger than %u MiB",
				JIT_MAP_BYTES_MAX >> 20);
	if ((uint64_t)status.st_size <= *offset)
		return 0;
	cap = (size_t)status.st_size - (size_t)*offset;
	text = malloc(cap);
	if (!text)
		return diag_set(why, -ENOMEM, "no memory for the perf map");
	len = read_text(fd, text, cap, *offset);
	if (len < 0) {
		err = diag_set(why, (int)len, "cannot read the perf map");
	} else {
		err = add_lines(rows, text, (size_t)len, &taken);
		*offset += taken;
		if (err)
			diag_set(why, err, "perf map needs more memory than allowed");
	}
	free(text);
	return err;
}

int jit_map_compile(int fd, int before_fd, uint64_t offset, void **bytes, size_t *bytes_count,
		    struct diag *why)
{
	struct jit_rows *rows = jit_rows_create();
	int err;

	if (!rows)
		return diag_set(why, -ENOMEM, "no memory for the perf map");
	err = jit_rows_add_reply(rows, before_fd, why);
	if (!err)
		err = read_lines(rows, fd, &offset, why);
	if (!err) {
		err = jit_rows_finish(rows, offset, bytes, bytes_count);
		if (err)
			diag_set(why, err, "perf map needs more memory than allowed");
	}
	jit_rows_destroy(rows);
	return err;
}
