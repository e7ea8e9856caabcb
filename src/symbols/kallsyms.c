/* kallsyms.c - see symbols/kallsyms.h.
 *
 * The file has addresses without sizes, so a symbol goes on to the next address that has any
 * symbol: data and end marks ("_etext") count as ends although they are no rows. Names of modules
 * and BPF programs stand in brackets in column 4; lines of one module need not be neighbours and
 * are not in order with the kernel's own.
 *
 * Aliases: perf(1) 6.1 shows the last line of an address (only that one gets an end before it
 * chooses), and so do we: symbols without a size, see symbols/flat_builder.h.
 */
#include "symbols/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/flat_builder.h"

#define FIRST_READ_BYTES   (8u << 20)	/* 5 to 15 MiB are usual */
#define TEXT_BYTES_MAX	   (256u << 20)
#define LAST_SYMBOL_BYTES  4096		/* of a module's last symbol: its page, like perf */
#define FIRST_REAL_ADDRESS 4096		/* below: per-CPU offsets and constants, not addresses */

struct line {
	uint64_t address;
	char type;
	const char *name, *object_name;	/* object_name NULL: the kernel itself */
};

struct parser {
	struct flat_builder *builder;
	uint64_t slide, text_address;
	size_t lines, lines_with_address;
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Splits one terminated line in place: "address type name[\t[object]]". */
static bool split_line(char *text, struct line *out)
{
	char *bracket, *end;
	int digits = 0, digit;

	out->address = 0;
	for (; (digit = hex_digit(*text)) >= 0 && digits < 16; digits++, text++)
		out->address = out->address << 4 | (uint64_t)digit;
	if (digits == 0 || text[0] != ' ' || !text[1] || text[2] != ' ' || !text[3])
		return false;
	out->type = text[1];
	out->name = text + 3;
	out->object_name = NULL;
	end = text + 3 + strcspn(text + 3, " \t");
	bracket = strchr(end, '[');
	*end = '\0';
	if (bracket && strchr(bracket, ']')) {
		*strchr(bracket, ']') = '\0';
		out->object_name = bracket + 1;
	}
	return out->name[0] != '\0';
}

static bool is_text_type(char type)
{
	return type == 'T' || type == 't' || type == 'W' || type == 'w';
}

static int add_line(void *context, const struct line *line)
{
	struct parser *parser = context;
	uint64_t address = line->address + parser->slide;

	parser->lines++;
	if (line->address < FIRST_REAL_ADDRESS || line->type == 'A' || line->type == 'a')
		return 0;
	parser->lines_with_address++;
	if (line->object_name && parser->slide)
		return 0;
	if (!line->object_name && strcmp(line->name, "_text") == 0)
		parser->text_address = address;
	if (!is_text_type(line->type) || strcmp(line->name, "_etext") == 0)
		return flat_builder_add_boundary(parser->builder, address, line->object_name);
	return flat_builder_add(parser->builder, address, 0, line->name, line->object_name, 0);
}

/* @text is changed. 0, what @take returned, or -ECANCELED: who waits for our thread stops it. */
static int walk_lines(char *text, size_t len, const atomic_bool *is_stopping,
		      int (*take)(void *context, const struct line *line), void *context)
{
	char *end = text + len;

	while (text < end) {
		char *newline = memchr(text, '\n', (size_t)(end - text));
		struct line line;
		int err;

		if (!newline)
			break;	/* half a line: the file was cut while we read it */
		if (atomic_load_explicit(is_stopping, memory_order_relaxed))
			return -ECANCELED;
		*newline = '\0';
		err = split_line(text, &line) ? take(context, &line) : 0;
		if (err)
			return err;
		text = newline + 1;
	}
	return 0;
}

/* @text is changed. */
static int parse(struct kallsyms *out, char *text, size_t len, uint64_t slide,
		 const atomic_bool *is_stopping, struct diag *why)
{
	struct parser parser = { .slide = slide, .builder = flat_builder_create() };
	size_t bytes_count;
	int err = parser.builder ? walk_lines(text, len, is_stopping, add_line, &parser) : -ENOMEM;

	if (!err && !parser.lines)
		err = diag_set(why, -EBADMSG, "no kernel symbols: the kernel lists none");
	else if (!err && !parser.lines_with_address)
		err = diag_set(why, -EPERM, "the kernel hides its addresses: run as root or with "
			       "CAP_SYSLOG and kernel.kptr_restrict at most 1; others need "
			       "kernel.kptr_restrict=0 and kernel.perf_event_paranoid at most 1");
	else if (!err)
		err = flat_builder_finish(parser.builder, LAST_SYMBOL_BYTES, &out->bytes,
					  &bytes_count);
	flat_builder_destroy(parser.builder);
	if (err == -ENOMEM || err == -E2BIG)
		return diag_set(why, err, "no memory for the kernel's symbols");
	if (err == -ECANCELED)
		return diag_set(why, err, "ended before it was read");
	if (err)
		return err;
	out->text_address = parser.text_address;
	return flat_table_check(&out->table, out->bytes, bytes_count, why);
}

int kallsyms_parse(struct kallsyms *out, const char *text, size_t len, uint64_t slide,
		   struct diag *why)
{
	static const atomic_bool never;
	char *copy = malloc(len + 1);
	int err;

	*out = (struct kallsyms){ .bytes = NULL };
	if (!copy)
		return diag_set(why, -ENOMEM, "no memory for the kernel's symbols");
	memcpy(copy, text, len);
	err = parse(out, copy, len, slide, &never, why);
	free(copy);
	return err;
}

/* The whole file; its size is not known beforehand. */
static int read_all(int fd, const atomic_bool *is_stopping, char **text, size_t *len)
{
	size_t capacity = FIRST_READ_BYTES;
	ssize_t got;

	*len = 0;
	*text = malloc(capacity);
	while (*text) {
		char *grown;

		if (atomic_load_explicit(is_stopping, memory_order_relaxed))
			return -ECANCELED;
		got = read(fd, *text + *len, capacity - *len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : 0;
		*len += (size_t)got;
		if (*len < capacity)
			continue;
		if (capacity >= TEXT_BYTES_MAX)
			return -E2BIG;
		capacity *= 2;
		grown = realloc(*text, capacity);
		if (!grown)
			return -ENOMEM;
		*text = grown;
	}
	return -ENOMEM;
}

/* *@text is the caller's, also on failure. */
static int read_path(const char *path, const atomic_bool *is_stopping, char **text, size_t *len,
		     struct diag *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), err;

	*text = NULL;
	if (fd < 0) {
		err = -errno;
		return diag_set(why, err, "cannot open %s: %s", path, strerror(-err));
	}
	err = read_all(fd, is_stopping, text, len);
	close(fd);
	return err ? diag_set(why, err, "cannot read %s: %s", path, strerror(-err)) : 0;
}

int kallsyms_load(struct kallsyms *out, const char *path, uint64_t slide,
		  const atomic_bool *is_stopping, struct diag *why)
{
	char *text;
	size_t len;
	int err = read_path(path, is_stopping, &text, &len, why);

	*out = (struct kallsyms){ .bytes = NULL };
	if (!err)
		err = parse(out, text, len, slide, is_stopping, why);
	free(text);
	return err;
}

struct listing {
	kallsyms_sink *sink;
	void *context;
};

static int tell_line(void *context, const struct line *line)
{
	const struct listing *listing = context;

	if (!is_text_type(line->type))
		return 0;
	return listing->sink(listing->context, line->address, line->name, line->object_name);
}

int kallsyms_list(const char *path, kallsyms_sink *sink, void *context,
		  const atomic_bool *is_stopping, struct diag *why)
{
	struct listing listing = { sink, context };
	char *text;
	size_t len;
	int err = read_path(path, is_stopping, &text, &len, why);

	if (!err)
		err = walk_lines(text, len, is_stopping, tell_line, &listing);
	free(text);
	return err;
}

void kallsyms_finish(struct kallsyms *kallsyms)
{
	free(kallsyms->bytes);
	*kallsyms = (struct kallsyms){ .bytes = NULL };
}

struct build_id kallsyms_build_id(void)
{
	struct build_id id = { .count = 0 };
	_Alignas(ElfW(Nhdr)) unsigned char notes[4096];	/* a few hundred bytes are usual */
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return id;
	len = read(fd, notes, sizeof(notes));
	close(fd);
	for (size_t at = 0; len > 0 && at + sizeof(ElfW(Nhdr)) <= (size_t)len;) {
		const ElfW(Nhdr) *note = (const void *)(notes + at);
		size_t name = at + sizeof(*note);
		size_t description = name + ((note->n_namesz + 3u) & ~3u);
		size_t next = description + ((note->n_descsz + 3u) & ~3u);

		if (next > (size_t)len || next <= at)
			break;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof("GNU") &&
		    memcmp(notes + name, "GNU", sizeof("GNU")) == 0 &&
		    note->n_descsz <= BUILD_ID_MAX_BYTES) {
			memcpy(id.bytes, notes + description, note->n_descsz);
			id.count = (uint8_t)note->n_descsz;
			break;
		}
		at = next;
	}
	return id;
}
