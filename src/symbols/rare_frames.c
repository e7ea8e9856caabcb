/* rare_frames.c - see symbols/rare_frames.h.
 *
 * Invariant: nothing behind the first frame outside of the given objects comes from here: there
 * libunwind would have no rule and guess, where the walker may have one.
 */
#include "symbols/rare_frames.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

int rare_frames_request(const struct rare_request *request, const void *stack, struct diag *why)
{
	const struct iovec parts[] = {
		{ (void *)request, sizeof(*request) },
		{ (void *)stack, request->stack_bytes },
	};
	const size_t bytes = sizeof(*request) + request->stack_bytes;
	int fd = memfd_create("flametop-stack", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && writev(fd, parts, 2) == (ssize_t)bytes &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return fd;
	if (fd >= 0)
		close(fd);
	return diag_set(why, -ENOMEM, "no memory to ask for callers");
}

struct rare_job {
	struct rare_request request;
	unsigned char stack[RARE_STACK_BYTES_MAX];
	struct elf_file files[RARE_MAPPINGS_MAX];
	size_t file_count;
	struct remote_object objects[RARE_MAPPINGS_MAX];
};

static int read_request(struct rare_job *job, int fd, size_t input_count, struct diag *why)
{
	struct rare_request *request = &job->request;

	if (pread(fd, request, sizeof(*request), 0) != sizeof(*request) ||
	    request->mapping_count + 1 != input_count ||
	    request->stack_bytes > sizeof(job->stack) ||
	    pread(fd, job->stack, request->stack_bytes, sizeof(*request)) !=
		    (ssize_t)request->stack_bytes)
		return diag_set(why, -EBADMSG, "a request for callers that can't be");
	return 0;
}

/* Pages are mapped: the segment that is meant may begin behind the mapping's first byte. */
static int find_bias(const struct elf_file *file, const struct rare_mapping *mapping,
		     uint64_t *bias, struct diag *why)
{
	const uint64_t end = mapping->file_offset + (mapping->end - mapping->start);

	for (size_t i = 0; i < file->segment_count; i++) {
		const struct elf_segment *segment = &file->segments[i];

		if (!segment->is_code || segment->offset >= end ||
		    segment->offset + segment->bytes <= mapping->file_offset)
			continue;
		*bias = mapping->start - mapping->file_offset + segment->offset - segment->vaddr;
		return 0;
	}
	return diag_set(why, -EBADMSG, "no code where it is mapped");
}

static int open_object(struct rare_job *job, size_t number, int fd, struct diag *why)
{
	const struct rare_mapping *mapping = &job->request.mappings[number];
	struct elf_file *file = &job->files[number];
	int err = elf_file_open(file, fd, why);

	if (err)
		return err;
	job->file_count++;
	err = elf_file_read_segments(file, why);
	job->objects[number] = (struct remote_object){ file, mapping->start, mapping->end, 0 };
	return err ? err : find_bias(file, mapping, &job->objects[number].bias, why);
}

static bool is_inside(const struct rare_job *job, uint64_t ip)
{
	for (size_t i = 0; i < job->file_count; i++)
		if (ip >= job->objects[i].start && ip < job->objects[i].end)
			return true;
	return false;
}

static size_t count_inside(const struct rare_job *job, const struct remote_frame *frames,
			   size_t count)
{
	size_t inside = 1;

	while (inside < count && is_inside(job, frames[inside - 1].ip - (inside > 1)))
		inside++;
	return inside;
}

static int unwind_stack(const struct rare_job *job, void **bytes, size_t *bytes_count,
			struct diag *why)
{
	struct remote_unwind *unwind = remote_unwind_create(job->objects, job->file_count);
	struct remote_frame *frames = calloc(RARE_FRAMES_MAX, sizeof(*frames));
	struct remote_stack stack = {
		.start = job->request.stack_start,
		.bytes = job->stack,
		.count = job->request.stack_bytes,
	};
	size_t count;

	if (!unwind || !frames) {
		remote_unwind_destroy(unwind);
		free(frames);
		return diag_set(why, -ENOMEM, "no memory for callers");
	}
	memcpy(stack.registers, job->request.registers, sizeof(stack.registers));
	count = remote_unwind_frames(unwind, &stack, frames, RARE_FRAMES_MAX);
	remote_unwind_destroy(unwind);
	*bytes = frames;
	*bytes_count = count_inside(job, frames, count) * sizeof(*frames);
	return 0;
}

int rare_frames_unwind(const int *inputs, size_t input_count, void **bytes, size_t *bytes_count,
		       struct diag *why)
{
	struct rare_job *job = calloc(1, sizeof(*job));
	int err;

	if (!job)
		return diag_set(why, -ENOMEM, "no memory for callers");
	err = read_request(job, inputs[0], input_count, why);
	for (size_t i = 0; !err && i < job->request.mapping_count; i++)
		err = open_object(job, i, inputs[i + 1], why);
	if (!err)
		err = unwind_stack(job, bytes, bytes_count, why);
	for (size_t i = 0; i < job->file_count; i++)
		elf_file_close(&job->files[i]);
	free(job);
	return err;
}

int rare_frames_check(const struct rare_request *request, const void *bytes, size_t bytes_count,
		      const struct remote_frame **out, size_t *count, struct diag *why)
{
	const struct remote_frame *frames = bytes;

	*count = bytes_count / sizeof(*frames);
	if (bytes_count % sizeof(*frames) || *count == 0 || *count > RARE_FRAMES_MAX ||
	    frames[0].ip != request->registers[REMOTE_REGISTER_IP] ||
	    frames[0].sp != request->registers[REMOTE_REGISTER_SP])
		return diag_set(why, -EBADMSG, "callers that are none of this stack");
	for (size_t i = 1; i < *count; i++)
		if (frames[i].sp < frames[i - 1].sp)
			return diag_set(why, -EBADMSG, "callers whose stack falls");
	*out = frames;
	return 0;
}
