/* kallsyms.c - see symbols/kallsyms.h.
 *
 * The file has addresses without sizes, so a symbol goes on to the next address that has any
 * symbol: data and end marks ("_etext") count as ends although they are no rows. Names of modules
 * and BPF programs stand in brackets in column 4; lines of one module need not be neighbours and
 * are not in order with the kernel's own.
 *
 * Aliases: perf(1) 6.1 shows the last line of an address (only that one gets an end before it
 * chooses), and so do we: symbols without a size, see elf/flat_builder.h.
 */
#include "symbols/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/whole_io.h"
#include "elf/flat_builder.h"

#define READ_BYTES	   65536	/* the kernel gives a page at a time; a line has 600 */
#define LAST_SYMBOL_BYTES  4096		/* size of a module's last symbol: a page, like perf */
#define FIRST_REAL_ADDRESS 4096		/* below: per-CPU offsets and constants, not addresses */

struct line {
	uint64_t address;
	char type;
	const char *name, *dso_name;	/* dso_name NULL: the kernel itself */
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

/* Splits one terminated line in place: "address type name[\t[DSO]]". Returns false for a line that
 * names nothing: damaged, or a mark of the AArch64 assembler ("$x", "$d.3"), of which modules have
 * many. */
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
	out->dso_name = NULL;
	end = text + 3 + strcspn(text + 3, " \t");
	bracket = strchr(end, '[');
	*end = '\0';
	if (bracket && strchr(bracket, ']')) {
		*strchr(bracket, ']') = '\0';
		out->dso_name = bracket + 1;
	}
	return out->name[0] != '\0' && out->name[0] != '$';
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
	if (line->dso_name && parser->slide)
		return 0;
	if (!line->dso_name && strcmp(line->name, KALLSYMS_TEXT) == 0)
		parser->text_address = address;
	if (!is_text_type(line->type) || strcmp(line->name, "_etext") == 0)
		return flat_builder_add_boundary(parser->builder, address, line->dso_name);
	return flat_builder_add(parser->builder, address, 0, line->name, line->dso_name, 0);
}

typedef int line_sink(void *context, const struct line *line);

/* Calls @take for each whole line of @text, which is changed; *@used: their bytes. 0, what @take
 * returned, or -ECANCELED if *@is_stopping. */
static int walk_lines(char *text, size_t len, size_t *used, const atomic_bool *is_stopping,
		      line_sink *take, void *context)
{
	char *at = text, *newline;

	while ((newline = memchr(at, '\n', len - (size_t)(at - text)))) {
		struct line line;
		int err;

		if (atomic_load_explicit(is_stopping, memory_order_relaxed))
			return -ECANCELED;
		*newline = '\0';
		err = split_line(at, &line) ? take(context, &line) : 0;
		if (err)
			return err;
		at = newline + 1;
	}
	*used = (size_t)(at - text);
	return 0;
}

/* Calls @take for the lines of @fd as they are read: the whole text has 5 to 15 MiB. Half a line at
 * its end is left out: it was cut while we read it. */
static int walk_file(int fd, const atomic_bool *is_stopping, line_sink *take, void *context)
{
	char text[READ_BYTES];
	size_t len = 0, used;
	ssize_t got;
	int err;

	for (;;) {
		got = read(fd, text + len, sizeof(text) - len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : 0;
		len += (size_t)got;
		err = walk_lines(text, len, &used, is_stopping, take, context);
		if (err)
			return err;
		len -= used;
		if (len == sizeof(text))
			return -EBADMSG;
		memmove(text, text + used, len);
	}
}

/* Reads the lines of the file behind @fd, which errors call @name. */
static int walk_named(int fd, const char *name, const atomic_bool *is_stopping, line_sink *take,
		      void *context, struct diag *why)
{
	const int err = walk_file(fd, is_stopping, take, context);

	if (err == -ENOMEM || err == -E2BIG)
		return diag_set(why, err, "no memory for the kernel's symbols");
	if (err == -ECANCELED)
		return diag_set(why, err, "ended before it was read");
	return err < 0 ? diag_set(why, err, "cannot read %s: %s", name, strerror(-err)) : err;
}

static int walk_path(const char *path, const atomic_bool *is_stopping, line_sink *take,
		     void *context, struct diag *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), err;

	if (fd < 0) {
		err = -errno;
		return diag_set(why, err, "cannot open %s: %s", path, strerror(-err));
	}
	err = walk_named(fd, path, is_stopping, take, context, why);
	close(fd);
	return err;
}

/* Builds the table after all lines were added. */
static int finish(struct kallsyms *out, const struct parser *parser, struct diag *why)
{
	size_t bytes_count;
	int err;

	if (!parser->lines)
		return diag_set(why, -EBADMSG, "no kernel symbols: the kernel lists none");
	if (!parser->lines_with_address)
		return diag_set(why, -EPERM, "the kernel hides its addresses: run as root or with "
				"CAP_SYSLOG and kernel.kptr_restrict at most 1; others need "
				"kernel.kptr_restrict=0 and kernel.perf_event_paranoid at most 1");
	err = flat_builder_finish(parser->builder, LAST_SYMBOL_BYTES, &out->bytes, &bytes_count);
	if (err)
		return diag_set(why, err, "no memory for the kernel's symbols");
	out->text_address = parser->text_address;
	return flat_table_check(&out->table, out->bytes, bytes_count, why);
}

int kallsyms_parse(struct kallsyms *out, const char *text, size_t len, uint64_t slide,
		   struct diag *why)
{
	static const atomic_bool never;
	struct parser parser = { .slide = slide, .builder = flat_builder_create() };
	char *copy = malloc(len + 1);
	size_t used;
	int err = -ENOMEM;

	*out = (struct kallsyms){ .bytes = NULL };
	if (copy && parser.builder) {
		memcpy(copy, text, len);
		err = walk_lines(copy, len, &used, &never, add_line, &parser);
	}
	err = err ? diag_set(why, err, "no memory for the kernel's symbols")
		  : finish(out, &parser, why);
	flat_builder_destroy(parser.builder);
	free(copy);
	return err;
}

int kallsyms_load(struct kallsyms *out, const char *path, uint64_t slide,
		  const atomic_bool *is_stopping, struct diag *why)
{
	struct parser parser = { .slide = slide, .builder = flat_builder_create() };
	int err;

	*out = (struct kallsyms){ .bytes = NULL };
	if (!parser.builder)
		return diag_set(why, -ENOMEM, "no memory for the kernel's symbols");
	err = walk_path(path, is_stopping, add_line, &parser, why);
	if (!err)
		err = finish(out, &parser, why);
	flat_builder_destroy(parser.builder);
	return err;
}

int kallsyms_load_recorded(struct kallsyms *out, int fd, uint64_t slide,
			   const atomic_bool *is_stopping, struct diag *why)
{
	struct parser parser = { .slide = slide, .builder = flat_builder_create() };
	int err;

	*out = (struct kallsyms){ .bytes = NULL };
	if (!parser.builder)
		return diag_set(why, -ENOMEM, "no memory for the kernel's symbols");
	err = lseek(fd, 0, SEEK_SET) ? -errno : 0;
	if (err)
		diag_set(why, err, "cannot read its kallsyms: %s", strerror(-err));
	else
		err = walk_named(fd, "its kallsyms", is_stopping, add_line, &parser, why);
	if (!err)
		err = finish(out, &parser, why);
	if (err == -EPERM)
		diag_set(why, err, "its kallsyms has no addresses: record as root");
	flat_builder_destroy(parser.builder);
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
	return listing->sink(listing->context, line->address, line->name, line->dso_name);
}

int kallsyms_list(const char *path, kallsyms_sink *sink, void *context,
		  const atomic_bool *is_stopping, struct diag *why)
{
	struct listing listing = { sink, context };

	return walk_path(path, is_stopping, tell_line, &listing, why);
}

/* The size of the running kernel's own code, from _text to _etext: the second of these is among the
 * last of the list, whose lines take the kernel a third of a microsecond each. 0: unknown, or the
 * range of this architecture has more than that.
 *
 *	  01000000-02277287 : Kernel code		zeros for whoever may not see it
 */
static uint64_t running_code_bytes(void)
{
	uint64_t begin, end, bytes = 0;
	char line[256], name[16];
	FILE *ranges;

	if (MACHINE_OWN != MACHINE_X86_64)
		return 0;
	ranges = fopen("/proc/iomem", "re");
	while (ranges && !bytes && fgets(line, sizeof(line), ranges))
		if (sscanf(line, " %" SCNx64 "-%" SCNx64 " : Kernel %15s", &begin, &end, name) ==
		    3 && !strcmp(name, "code") && begin && end > begin)
			bytes = end - begin + 1;
	if (ranges)
		fclose(ranges);
	return bytes;
}

#define ALL_FOUND 1	/* ends the walk early */

struct bounds_search {
	struct kallsyms_bounds *bounds;
	uint64_t code_bytes;	/* 0: unknown */
};

static int find_bound(void *context, const struct line *line)
{
	const struct bounds_search *search = context;
	struct kallsyms_bounds *bounds = search->bounds;

	if (line->dso_name)
		return 0;
	if (!strcmp(line->name, KALLSYMS_TEXT)) {
		bounds->begin = line->address;
		if (search->code_bytes)
			bounds->end = bounds->begin + search->code_bytes;
	} else if (!strcmp(line->name, "_etext")) {
		bounds->end = line->address;
	}
	return bounds->begin && bounds->end ? ALL_FOUND : 0;
}

int kallsyms_find_bounds(struct kallsyms_bounds *out, const char *path,
			 const atomic_bool *is_stopping, struct diag *why)
{
	struct bounds_search search = {
		.bounds = out,
		.code_bytes = strcmp(path, "/proc/kallsyms") ? 0 : running_code_bytes(),
	};
	int err;

	*out = (struct kallsyms_bounds){ 0 };
	err = walk_path(path, is_stopping, find_bound, &search, why);
	return err == ALL_FOUND ? 0 : err;
}

void kallsyms_finish(struct kallsyms *kallsyms)
{
	free(kallsyms->bytes);
	*kallsyms = (struct kallsyms){ .bytes = NULL };
}

static struct build_id read_build_id(const char *path)
{
	struct build_id id = { .count = 0 };
	_Alignas(ElfW(Nhdr)) unsigned char notes[4096];	/* a few hundred bytes are usual */
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return id;
	len = whole_read(fd, notes, sizeof(notes));
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

struct build_id kallsyms_build_id(void)
{
	return read_build_id("/sys/kernel/notes");
}

struct build_id kallsyms_module_build_id(const char *name)
{
	char path[NAME_MAX + 64];

	if (!name[0] || name[0] == '.' || strchr(name, '/') || strlen(name) > NAME_MAX)
		return (struct build_id){ .count = 0 };
	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name);
	return read_build_id(path);
}
