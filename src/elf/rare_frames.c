/* rare_frames.c - see elf/rare_frames.h.
 *
 * Invariant: no frames after the first one outside the given DSOs are returned: libunwind would
 * have no rule there and guess, while the walker may have one.
 */
#include "elf/rare_frames.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/whole_io.h"

struct stack_head {	/* then @bytes of the copy */
	uint64_t registers[REMOTE_REGISTERS];
	uint64_t start, bytes;
};

#define ANSWER_BYTES_MAX                                                                          \
	(RARE_STACKS_MAX * (sizeof(uint64_t) + RARE_FRAMES_MAX * sizeof(struct remote_frame)))

static bool write_stack(int fd, const struct remote_stack *stack)
{
	struct stack_head head = { .start = stack->start, .bytes = stack->count };
	const struct iovec parts[] = {
		{ &head, sizeof(head) },
		{ (void *)stack->bytes, stack->count },
	};

	memcpy(head.registers, stack->registers, sizeof(head.registers));
	return writev(fd, parts, 2) == (ssize_t)(sizeof(head) + stack->count);
}

static bool write_request(int fd, const struct rare_request *request,
			  const struct remote_stack *stacks)
{
	if (whole_write(fd, request, sizeof(*request)) != sizeof(*request))
		return false;
	for (size_t i = 0; i < request->stack_count; i++)
		if (!write_stack(fd, &stacks[i]))
			return false;
	return !fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

int rare_frames_request(const struct rare_request *request, const struct remote_stack *stacks,
			struct diag *why)
{
	int fd = memfd_create("flametop-stacks", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert(request->stack_count <= RARE_STACKS_MAX);
	if (fd >= 0 && write_request(fd, request, stacks))
		return fd;
	if (fd >= 0)
		close(fd);
	return diag_set(why, -ENOMEM, "no memory to ask for callers");
}

struct rare_work {
	struct rare_request request;
	int fd;		/* the request; its file offset is at the next stack */
	unsigned char stack[RARE_STACK_BYTES_MAX];
	struct elf_file files[RARE_MAPPINGS_MAX];
	size_t file_count;
	struct remote_object objects[RARE_MAPPINGS_MAX];
};

static bool read_all(int fd, void *bytes, size_t count)
{
	return whole_read(fd, bytes, count) == (ssize_t)count;
}

static int is_impossible(struct diag *why)
{
	return diag_set(why, -EBADMSG, "a request for callers that can't be");
}

static int read_request(struct rare_work *work, int fd, size_t input_count, struct diag *why)
{
	struct rare_request *request = &work->request;

	work->fd = fd;
	if (lseek(fd, 0, SEEK_SET) || !read_all(fd, request, sizeof(*request)) ||
	    request->mapping_count + 1 != input_count || request->stack_count > RARE_STACKS_MAX)
		return is_impossible(why);
	return 0;
}

static int read_stack(struct rare_work *work, struct remote_stack *stack, struct diag *why)
{
	struct stack_head head;

	if (!read_all(work->fd, &head, sizeof(head)) || head.bytes > sizeof(work->stack) ||
	    !read_all(work->fd, work->stack, head.bytes))
		return is_impossible(why);
	*stack = (struct remote_stack){ .start = head.start, .bytes = work->stack,
					.count = head.bytes };
	memcpy(stack->registers, head.registers, sizeof(stack->registers));
	return 0;
}

/* Finds the segment that @mapping maps. The segment may begin after the mapping's first byte,
 * because whole pages are mapped. */
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

static int open_object(struct rare_work *work, size_t number, int fd, struct diag *why)
{
	const struct rare_mapping *mapping = &work->request.mappings[number];
	struct elf_file *file = &work->files[number];
	struct build_id found;
	int err = elf_file_open(file, fd, why);

	if (err)
		return err;
	work->file_count++;
	found = elf_file_build_id(file);
	if (mapping->build_id.count && !build_id_is_equal(&found, &mapping->build_id))
		return diag_set(why, -ESTALE, "replaced: its path now holds another file");
	err = elf_file_read_segments(file, why);
	work->objects[number] = (struct remote_object){ file, mapping->start, mapping->end, 0 };
	return err ? err : find_bias(file, mapping, &work->objects[number].bias, why);
}

static bool is_inside(const struct rare_work *work, const struct remote_frame *frame)
{
	const uint64_t ip = frame->ip - !frame->is_exact;

	for (size_t i = 0; i < work->file_count; i++)
		if (ip >= work->objects[i].start && ip < work->objects[i].end)
			return true;
	return false;
}

static size_t count_inside(const struct rare_work *work, const struct remote_frame *frames,
			   size_t count)
{
	size_t inside = 1;

	while (inside < count && is_inside(work, &frames[inside - 1]))
		inside++;
	return inside;
}

static int unwind_stacks(struct rare_work *work, struct remote_unwind *unwind, char *out,
			 size_t *bytes_count, struct diag *why)
{
	struct remote_stack stack;

	*bytes_count = 0;
	for (size_t i = 0; i < work->request.stack_count; i++) {
		uint64_t *count = (uint64_t *)(void *)(out + *bytes_count);
		struct remote_frame *frames = (struct remote_frame *)(count + 1);
		int err = read_stack(work, &stack, why);

		if (err)
			return err;
		*count = remote_unwind_frames(unwind, &stack, frames, RARE_FRAMES_MAX);
		*count = count_inside(work, frames, *count);
		*bytes_count += sizeof(*count) + *count * sizeof(*frames);
	}
	return 0;
}

static int answer_request(struct rare_work *work, void **bytes, size_t *bytes_count,
			  struct diag *why)
{
	struct remote_unwind *unwind = remote_unwind_create(work->objects, work->file_count);
	int err = -ENOMEM;

	*bytes = malloc(ANSWER_BYTES_MAX);
	if (unwind && *bytes)
		err = unwind_stacks(work, unwind, *bytes, bytes_count, why);
	else
		diag_set(why, err, "no memory for callers");
	remote_unwind_destroy(unwind);
	if (err)
		free(*bytes);
	return err;
}

int rare_frames_unwind(const int *inputs, size_t input_count, void **bytes, size_t *bytes_count,
		       struct diag *why)
{
	struct rare_work *work = calloc(1, sizeof(*work));
	int err;

	if (!work)
		return diag_set(why, -ENOMEM, "no memory for callers");
	err = read_request(work, inputs[0], input_count, why);
	for (size_t i = 0; !err && i < work->request.mapping_count; i++)
		err = open_object(work, i, inputs[i + 1], why);
	if (!err)
		err = answer_request(work, bytes, bytes_count, why);
	for (size_t i = 0; i < work->file_count; i++)
		elf_file_close(&work->files[i]);
	free(work);
	return err;
}

static int is_of_another(struct diag *why)
{
	return diag_set(why, -EBADMSG, "callers that are none of this stack");
}

static int check_frames(const struct remote_stack *stack, const struct rare_answer *answer,
			struct diag *why)
{
	const struct remote_frame *frames = answer->frames;

	if (frames[0].ip != stack->registers[REMOTE_REGISTER_IP] ||
	    frames[0].sp != stack->registers[REMOTE_REGISTER_SP])
		return is_of_another(why);
	for (size_t i = 0; i < answer->count; i++)
		if (frames[i].is_exact > 1 || (i && frames[i].sp < frames[i - 1].sp))
			return diag_set(why, -EBADMSG, "callers whose stack falls");
	return 0;
}

int rare_frames_check(const struct rare_request *request, const struct remote_stack *stacks,
		      const void *bytes, size_t bytes_count, struct rare_answer *answers,
		      struct diag *why)
{
	const char *at = bytes;
	int err = 0;

	for (size_t i = 0; i < request->stack_count && !err; i++) {
		uint64_t count = 0;

		if (bytes_count >= sizeof(count))
			memcpy(&count, at, sizeof(count));
		if (count == 0 || count > RARE_FRAMES_MAX ||
		    count * sizeof(struct remote_frame) > bytes_count - sizeof(count))
			return is_of_another(why);
		answers[i].frames = (const void *)(at + sizeof(count));
		answers[i].count = count;
		err = check_frames(&stacks[i], &answers[i], why);
		at += sizeof(count) + count * sizeof(struct remote_frame);
		bytes_count -= sizeof(count) + count * sizeof(struct remote_frame);
	}
	return err || !bytes_count ? err : is_of_another(why);
}
