/* dwarf_lines.c - see elf/file_jobs.h; the reply is drawn in sandbox/lines.h. */
#include "elf/file_jobs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dwarf_files.h"
#include "dwarf_index.h"
#include "elf/demangle.h"
#include "sandbox/lines.h"

#define TEXT_BYTES_MAX	  4096	/* bytes of a function or file name, NUL included */
#define STRING_BYTES_MAX  (2u << 20)
#define FRAMES_MAX	  (LINE_ADDRESSES_MAX * LINE_DEPTH_MAX)

_Static_assert(sizeof(struct line_header) + (LINE_ADDRESSES_MAX + 1) * sizeof(uint32_t) +
	       FRAMES_MAX * sizeof(struct line_frame) + STRING_BYTES_MAX <= LINE_CHAINS_BYTES_MAX,
	       "what is made here passes the check");

struct job {
	struct dwarf_files files;
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

static int read_files(struct job *job, uint64_t memory_bytes, struct diag *why)
{
	int err = dwarf_files_read(&job->files, why);

	if (err)
		return err;
	job->index = dwarf_index_create(&job->files, memory_bytes, why);
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

/* Returns the line where the function of the outermost frame is declared, or begins: compilers such
 * as older ones of Go say only that. 0: unknown. */
static uint32_t first_line_of(struct job *job, const struct dwarf_frame *function)
{
	struct dwarf_frame at_entry[LINE_DEPTH_MAX];
	int count;

	if (function->declared.line || !function->entry)
		return function->declared.line;
	count = dwarf_index_find(job->index, function->entry, at_entry, LINE_DEPTH_MAX, NULL);
	return count > 0 ? at_entry[count - 1].place.line : 0;
}

static int find_one(struct job *job, uint64_t offset)
{
	struct dwarf_frame frames[LINE_DEPTH_MAX];
	uint64_t address;
	int count = 0;

	if (dwarf_files_address(&job->files, offset, &address))
		count = dwarf_index_find(job->index, address, frames, LINE_DEPTH_MAX, NULL);
	for (int i = 0; i < count; i++) {
		const struct line_frame frame = {
			.function = put_function(job, frames[i].function),
			.file = put_text(job, frames[i].place.file),
			.line = frames[i].place.line,
			.first_line = i == count - 1 ? first_line_of(job, &frames[i])
						     : frames[i].declared.line,
		};

		job->frames[job->frame_count++] = frame;
	}
	return count < 0 ? count : 0;
}

static int find_all(struct job *job, uint64_t memory_bytes, struct diag *why)
{
	int err = read_files(job, memory_bytes, why);

	if (err)
		return err;
	for (uint32_t i = 0; i < job->address_count; i++) {
		err = find_one(job, job->offsets[i]);
		if (err)
			return err == -ENOMEM ? out_of_memory(why) : err;
		job->first[i + 1] = job->frame_count;
	}
	return 0;
}

static int put_reply(struct job *job, void **bytes, size_t *bytes_count, struct diag *why)
{
	struct line_header header = {
		.magic = LINE_CHAINS_MAGIC, .version = LINE_CHAINS_VERSION,
		.address_count = job->address_count, .frame_count = job->frame_count,
		.string_bytes = job->string_bytes,
		.build_id = elf_file_build_id(&job->files.dso.elf),
	};
	const size_t first_bytes = (job->address_count + 1) * sizeof(*job->first);
	const size_t frames_bytes = job->frame_count * sizeof(*job->frames);
	char *at;

	if (dwarf_files_lack_alternate(&job->files)) {
		header.alternate = job->files.source->alternate;
		dwarf_files_alternate_name(&job->files, header.alternate_name);
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
	if (memory_bytes > DWARF_LINES_MEMORY_MAX)
		memory_bytes = DWARF_LINES_MEMORY_MAX;
	err = read_offsets(job, inputs->offsets, why);
	if (!err)
		err = inputs->is_of_kernel
			? dwarf_files_open_kernel(&job->files, inputs->dso, inputs->debug,
						  memory_bytes, why)
			: dwarf_files_open(&job->files, inputs->dso, inputs->debug,
					   inputs->alternate, why);
	if (!err)
		err = dwarf_files_check_cost(&job->files, memory_bytes, why);
	if (!err && inputs->alternate == DWARF_LINES_NOT_ASKED &&
	    job->files.source->alternate.count)
		err = ask_for_alternate(job, why);
	else if (!err)
		err = find_all(job, memory_bytes, why);
	if (!err)
		err = put_reply(job, bytes, bytes_count, why);
	dwarf_index_destroy(job->index);
	dwarf_files_close(&job->files);
	free(job->offsets);
	free(job->frames);
	free(job->strings);
	free(job);
	return err;
}
