/* dwarf_lines.c - see elf/dwarf_lines.h; the answer is drawn in sandbox/line_chains.h.
 *
 * The debug information is the object's own, else its debug file's. Offsets are converted to
 * addresses with the object's segments, because a debug file's are garbage.
 */
#include "elf/dwarf_lines.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dwarf_file.h"
#include "dwarf_index.h"
#include "elf/demangle.h"
#include "elf_debug_file.h"
#include "sandbox/line_chains.h"

#define TEXT_BYTES_MAX	  4096	/* bytes of a function or file name, NUL included */
#define STRING_BYTES_MAX  (2u << 20)
#define FRAMES_MAX	  (LINE_ADDRESSES_MAX * LINE_DEPTH_MAX)

_Static_assert(sizeof(struct line_header) + (LINE_ADDRESSES_MAX + 1) * sizeof(uint32_t) +
	       FRAMES_MAX * sizeof(struct line_frame) + STRING_BYTES_MAX <= LINE_CHAINS_BYTES_MAX,
	       "what is made here passes the check");

struct job {
	struct dwarf_file object, debug, alternate;
	struct dwarf_file *source;	/* object or debug: the one with debug information */
	struct dwarf_index *index;	/* owned, as are offsets, frames and strings */
	uint64_t *offsets;
	struct line_frame *frames;
	char *strings;
	uint32_t address_count, frame_count, string_bytes;
	uint32_t first[LINE_ADDRESSES_MAX + 1];
};

static int out_of_memory(struct diag *why)
{
	return diag_set(why, -ENOMEM, "no memory for source lines");
}

static int read_offsets(struct job *job, int fd, struct diag *why)
{
	ssize_t bytes;

	job->offsets = calloc(LINE_ADDRESSES_MAX + 1, sizeof(*job->offsets));
	if (!job->offsets)
		return out_of_memory(why);
	bytes = pread(fd, job->offsets, (LINE_ADDRESSES_MAX + 1) * sizeof(*job->offsets), 0);
	if (bytes < 0 || (size_t)bytes > LINE_ADDRESSES_MAX * sizeof(*job->offsets))
		return diag_set(why, -EINVAL, "more than %d source lines at once",
				LINE_ADDRESSES_MAX);
	job->address_count = (uint32_t)((size_t)bytes / sizeof(*job->offsets));
	return 0;
}

static int open_files(struct job *job, const struct dwarf_lines_inputs *inputs, struct diag *why)
{
	int err = dwarf_file_open(&job->object, inputs->object, why);

	if (!err)
		err = elf_file_read_segments(&job->object.elf, why);
	if (!err && inputs->debug >= 0)
		err = dwarf_file_open(&job->debug, inputs->debug, why);
	if (err)
		return err;
	if (inputs->debug >= 0 &&
	    !elf_debug_file_belongs(&job->object.elf, &job->debug.elf, inputs->debug))
		dwarf_file_close(&job->debug);
	job->source = job->debug.debug_bytes ? &job->debug : &job->object;
	return 0;
}

/* Opens dwz's file; ignores it if its build-id is not the one referred to. */
static int open_alternate(struct job *job, int fd, struct diag *why)
{
	struct build_id id;
	int err;

	if (fd < 0 || !job->source->alternate.count)
		return 0;
	err = dwarf_file_open(&job->alternate, fd, why);
	if (err)
		return err;
	id = elf_file_build_id(&job->alternate.elf);
	if (!build_id_is_equal(&id, &job->source->alternate))
		dwarf_file_close(&job->alternate);
	return 0;
}

static int check_cost(const struct job *job, uint64_t memory_bytes, struct diag *why)
{
	uint64_t bytes = job->source->debug_bytes;

	if (memory_bytes > DWARF_LINES_MEMORY_MAX)
		memory_bytes = DWARF_LINES_MEMORY_MAX;
	bytes = job->alternate.debug_bytes > UINT64_MAX - bytes
			? UINT64_MAX : bytes + job->alternate.debug_bytes;
	if (bytes <= memory_bytes)
		return 0;
	return diag_set(why, -E2BIG, "its debug information takes %llu MiB, the limit is %llu MiB",
			(unsigned long long)(bytes >> 20),
			(unsigned long long)(memory_bytes >> 20));
}

static int read_files(struct job *job, struct diag *why)
{
	const bool has_alternate = job->alternate.debug_bytes != 0;
	int err = has_alternate ? dwarf_file_read(&job->alternate, NULL, why) : 0;

	if (!err)
		err = dwarf_file_read(job->source, has_alternate ? &job->alternate : NULL, why);
	if (err)
		return err;
	job->index = dwarf_index_create(job->source->dwarf);
	job->frames = calloc(FRAMES_MAX, sizeof(*job->frames));
	job->strings = malloc(STRING_BYTES_MAX);
	if (!job->index || !job->frames || !job->strings)
		return out_of_memory(why);
	job->strings[0] = '\0';
	job->string_bytes = 1;
	return 0;
}

/* Makes a reply without frames: the dwz file, named in the header, is needed first. */
static int ask_for_alternate(struct job *job, struct diag *why)
{
	job->strings = calloc(1, 1);
	if (!job->strings)
		return out_of_memory(why);
	job->string_bytes = 1;
	return 0;
}

/* Returns the offset of a copy of @text, cut if too long; 0 is "". Reuses recent copies: the same
 * file often comes again, and in sorted addresses the one before the last does, too. */
static uint32_t put_text(struct job *job, const char *text)
{
	const size_t len = text ? strnlen(text, TEXT_BYTES_MAX - 1) : 0;
	uint32_t at = job->string_bytes;

	if (!len || len >= STRING_BYTES_MAX - job->string_bytes)
		return 0;
	for (uint32_t i = job->frame_count; i > 0 && job->frame_count - i < 4; i--) {
		const struct line_frame *frame = &job->frames[i - 1];

		if (!strncmp(job->strings + frame->file, text, TEXT_BYTES_MAX - 1))
			return frame->file;
	}
	memcpy(job->strings + at, text, len);
	job->strings[at + len] = '\0';
	job->string_bytes += (uint32_t)len + 1;
	return at;
}

static uint32_t put_function(struct job *job, const char *name)
{
	char readable[DEMANGLE_TEXT_MAX + 1];
	const bool is_done = name && demangle_is_mangled(name) && demangle_name(name, readable);

	return put_text(job, is_done ? readable : name);
}

static int find_one(struct job *job, uint64_t offset)
{
	struct dwarf_frame frames[LINE_DEPTH_MAX];
	uint64_t address;
	int count = 0;

	if (dwarf_file_address(&job->object, offset, &address))
		count = dwarf_index_find(job->index, address, frames, LINE_DEPTH_MAX);
	for (int i = 0; i < count; i++) {
		const struct line_frame frame = {
			.function = put_function(job, frames[i].function),
			.file = put_text(job, frames[i].file),
			.line = frames[i].line,
		};

		job->frames[job->frame_count++] = frame;
	}
	return count < 0 ? count : 0;
}

static int find_all(struct job *job, struct diag *why)
{
	int err = read_files(job, why);

	if (err)
		return err;
	for (uint32_t i = 0; i < job->address_count; i++) {
		if (find_one(job, job->offsets[i]))
			return out_of_memory(why);
		job->first[i + 1] = job->frame_count;
	}
	return 0;
}

/* Writes the part of @path below .dwz, where distributions keep such files, or the base name. */
static void put_alternate_name(char out[LINE_ALTERNATE_BYTES], const char *path)
{
	const char *directory = strstr(path, "/.dwz/");
	const char *slash = strrchr(path, '/');
	const char *name = directory ? directory + strlen("/.dwz/") : slash ? slash + 1 : path;

	if (strlen(name) < LINE_ALTERNATE_BYTES)
		strcpy(out, name);
}

static int put_answer(struct job *job, void **bytes, size_t *bytes_count, struct diag *why)
{
	struct line_header header = {
		.magic = LINE_CHAINS_MAGIC, .version = LINE_CHAINS_VERSION,
		.address_count = job->address_count, .frame_count = job->frame_count,
		.string_bytes = job->string_bytes, .build_id = elf_file_build_id(&job->object.elf),
	};
	const size_t first_bytes = (job->address_count + 1) * sizeof(*job->first);
	const size_t frames_bytes = job->frame_count * sizeof(*job->frames);
	char *at;

	if (!job->alternate.dwarf && job->source->alternate.count) {
		header.alternate = job->source->alternate;
		put_alternate_name(header.alternate_name, job->source->alternate_path);
	}
	*bytes_count = sizeof(header) + first_bytes + frames_bytes + job->string_bytes;
	*bytes = at = malloc(*bytes_count);
	if (!at)
		return out_of_memory(why);
	memcpy(at, &header, sizeof(header));
	memcpy(at + sizeof(header), job->first, first_bytes);
	if (frames_bytes)
		memcpy(at + sizeof(header) + first_bytes, job->frames, frames_bytes);
	memcpy(at + sizeof(header) + first_bytes + frames_bytes, job->strings, job->string_bytes);
	return 0;
}

int dwarf_lines_find(const struct dwarf_lines_inputs *inputs, uint64_t memory_bytes, void **bytes,
		     size_t *bytes_count, struct diag *why)
{
	struct job *job = calloc(1, sizeof(*job));
	int err;

	*bytes = NULL;
	if (!job)
		return out_of_memory(why);
	err = read_offsets(job, inputs->offsets, why);
	if (!err)
		err = open_files(job, inputs, why);
	if (!err)
		err = open_alternate(job, inputs->alternate, why);
	if (!err)
		err = check_cost(job, memory_bytes, why);
	if (!err && inputs->alternate == DWARF_LINES_NOT_ASKED && job->source->alternate.count)
		err = ask_for_alternate(job, why);
	else if (!err)
		err = find_all(job, why);
	if (!err)
		err = put_answer(job, bytes, bytes_count, why);
	dwarf_index_destroy(job->index);
	dwarf_file_close(&job->object);
	dwarf_file_close(&job->debug);
	dwarf_file_close(&job->alternate);
	free(job->offsets);
	free(job->frames);
	free(job->strings);
	free(job);
	return err;
}
