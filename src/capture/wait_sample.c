/* wait_sample.c - see wait_sample.h.
 *
 * The kernel's chains of user code end where a stack does, so those by frame pointers are walked in
 * a copy of the stack as the kernel would walk it.
 */
#include "wait_sample.h"

#include <string.h>

#include "bpf/kernel_reads.h"
#include "capture/stack_copy.h"

#define USER_FRAMES   64
#define RECORD_WORDS  256	/* without the stack copy: registers 64, chain 107, raw 10 */
#define FRAMES_BYTES  (16u * 1024)	/* a stack is read so far for its frame pointers */
#define STACK_BYTES_MAX (60u * 1024)	/* a record is smaller than 64 KiB */
#define UNKNOWN_BP    1u	/* no stack is there: a walk that needs it ends */

#ifdef __aarch64__
enum { BP = 29, SP = 31, IP = 32 };	/* DWARF numbers */
#else
enum { BP = 6, SP = 7, IP = 16 };
#endif

static uint64_t ip_of(const struct wait_sample *sample)
{
	return sample->registers ? sample->registers[IP] : sample->ip;
}

static uint64_t sp_of(const struct wait_sample *sample)
{
	return sample->registers ? sample->registers[SP] : sample->sp;
}

/* Writes at most USER_FRAMES addresses of user code, innermost first: what frame pointers lead to
 * in the stack that was read. Returns their number. */
static size_t walk_frames(const struct wait_sample *sample, uint64_t *out)
{
	const uint64_t sp = sp_of(sample);
	const size_t bytes = sample->stack_bytes;
	uint64_t frame = sample->registers ? sample->registers[BP] : UNKNOWN_BP;
	uint64_t low = sp, pair[2];	/* the caller's frame, its address */
	size_t count = 0;

	out[count++] = ip_of(sample);
	if (user_registers_abi(sp, ip_of(sample)) == PERF_SAMPLE_REGS_ABI_32)
		return count;
	while (count < USER_FRAMES && bytes >= sizeof(pair) && frame >= low &&
	       frame - sp <= bytes - sizeof(pair)) {
		memcpy(pair, sample->stack + (frame - sp), sizeof(pair));
#ifdef __aarch64__
		pair[1] &= (UINT64_C(1) << 48) - 1;	/* without a signature */
#endif
		if (!pair[1])
			break;
		out[count++] = pair[1];
		low = frame + sizeof(pair);
		frame = pair[0];
	}
	return count;
}

static bool has_kernel(const struct wait_sample *sample)
{
	return sample->kernel && sample->kernel[0];
}

/* Writes the call chain. Returns the number of words written. */
static size_t write_chain(const struct wait_sample_form *form, const struct wait_sample *sample,
			  uint64_t *out)
{
	const uint64_t *kernel = sample->kernel;
	size_t count = 1;

	for (size_t depth = 0; kernel && depth < TASK_KERNEL_FRAMES && kernel[depth]; depth++) {
		if (!depth)
			out[count++] = PERF_CONTEXT_KERNEL;
		out[count++] = kernel[depth];
	}
	if (form->walks_frames) {
		out[count++] = PERF_CONTEXT_USER;
		count += walk_frames(sample, out + count);
	}
	out[0] = count - 1;
	return count;
}

/* Writes ABI and registers. Returns the number of words written. */
static size_t write_registers(const struct wait_sample_form *form,
			      const struct wait_sample *sample, uint64_t *out)
{
	const struct user_registers known = { .ip = sample->ip, .sp = sample->sp,
					      .bp = UNKNOWN_BP };

	out[0] = ip_of(sample) ? user_registers_abi(sp_of(sample), ip_of(sample))
			       : PERF_SAMPLE_REGS_ABI_NONE;
	return out[0] == PERF_SAMPLE_REGS_ABI_NONE
	       ? 1 : 1 + user_registers_write(&form->format, &known, sample->registers, out + 1);
}

/* Writes the words before the stack copy. Returns the number of words written. */
static size_t write_words(const struct wait_sample_form *form, const struct wait_sample *sample,
			  uint64_t words[RECORD_WORDS])
{
	const struct record_layout *front = &form->format.front;
	const uint64_t type = form->format.sample_type;
	const struct wait_record *wait = &sample->wait;
	const uint32_t raw_bytes = sizeof(*wait) + 4;	/* with its own size a multiple of 8 */
	size_t count = front->words;

	memset(words, 0, front->words * sizeof(*words));
	words[front->ip] = has_kernel(sample) ? sample->kernel[0] : ip_of(sample);
	words[front->task] = sample->pid | (uint64_t)sample->tid << 32;
	words[front->time] = sample->time_ns;
	words[front->cpu] = sample->cpu;
	if (type & PERF_SAMPLE_CALLCHAIN)
		count += write_chain(form, sample, words + count);
	memcpy(words + count, &raw_bytes, 4);
	memcpy((char *)(words + count) + 4, wait, sizeof(*wait));
	memset((char *)(words + count) + 4 + sizeof(*wait), 0, 4);
	count += 1 + sizeof(*wait) / sizeof(*words);
	if (type & PERF_SAMPLE_REGS_USER)
		count += write_registers(form, sample, words + count);
	return count;
}

/* The sizes of a stack copy: |reserved| bytes |filled|. */
struct copy {
	uint64_t reserved, filled;
	size_t bytes;		/* the copy with its sizes */
};

/* A copy without all that was read has a word more, as record_trim_write() has it. */
static struct copy measure_copy(const struct wait_sample_form *form,
				const struct wait_sample *sample)
{
	struct copy copy = { .filled = sample->stack_bytes };
	bool is_cut;

	if (!(form->format.sample_type & PERF_SAMPLE_STACK_USER))
		return copy;
	if (copy.filled > form->copy_bytes || !ip_of(sample))
		copy.filled = ip_of(sample) ? form->copy_bytes : 0;
	is_cut = sample->needed_bytes < copy.filled;
	if (is_cut)
		copy.filled = sample->needed_bytes;
	copy.reserved = (copy.filled + 7) / 8 * 8 + (is_cut ? 8 : 0);
	copy.bytes = copy.reserved ? copy.reserved + 16 : 8;
	return copy;
}

static void write_copy(const struct wait_sample *sample, const struct copy *copy,
		       unsigned char *at)
{
	memcpy(at, &copy->reserved, 8);
	if (!copy->reserved)
		return;
	memset(at + 8 + copy->filled, 0, copy->reserved - copy->filled);
	memcpy(at + 8, sample->stack, copy->filled);
	memcpy(at + 8 + copy->reserved, &copy->filled, 8);
}

void wait_sample_form_init(struct wait_sample_form *form, const struct perf_event_attr *attr)
{
	*form = (struct wait_sample_form){ .copy_bytes = 0 };
	record_format_init(&form->format, attr);
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		form->copy_bytes = attr->sample_stack_user < STACK_BYTES_MAX
				   ? attr->sample_stack_user : STACK_BYTES_MAX;
	form->walks_frames = attr->sample_type & PERF_SAMPLE_CALLCHAIN &&
			     !attr->exclude_callchain_user && !form->copy_bytes;
	form->read_bytes = form->walks_frames ? FRAMES_BYTES : form->copy_bytes;
}

size_t wait_sample_max_bytes(const struct wait_sample_form *form)
{
	return sizeof(struct perf_event_header) + RECORD_WORDS * 8 + form->copy_bytes + 32;
}

bool wait_sample_queue(const struct wait_sample_form *form, const struct wait_sample *sample,
		       struct spsc *queue)
{
	const struct copy copy = measure_copy(form, sample);
	uint64_t words[RECORD_WORDS];
	const size_t count = write_words(form, sample, words);
	const size_t bytes = sizeof(struct perf_event_header) + count * 8 + copy.bytes;
	struct perf_event_header *header = spsc_reserve(queue, bytes);

	if (!header)
		return false;
	*header = (struct perf_event_header){
		.type = PERF_RECORD_SAMPLE, .size = (uint16_t)bytes,
		.misc = has_kernel(sample) || sample->is_in_kernel ? PERF_RECORD_MISC_KERNEL
								   : PERF_RECORD_MISC_USER,
	};
	memcpy(header + 1, words, count * 8);
	if (copy.bytes)
		write_copy(sample, &copy, (unsigned char *)(header + 1) + count * 8);
	spsc_commit(queue);
	return true;
}
