/* stack_copy.c - see capture/stack_copy.h. */
#include "capture/stack_copy.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

/* A sample holds one word per bit of the mask, lowest bit first: a register's place is the number
 * of bits below its own. Recordings choose their own mask, so a place is never a constant.
 *
 * Source: arch/x86/include/uapi/asm/perf_regs.h, arch/arm64/include/uapi/asm/perf_regs.h. A system
 * installs only the header of its own machine, so the numbers are here. */
struct register_table {
	uint64_t known_bits;	/* all that the kernel defines, so that other masks are refused */
	unsigned char bits[33];	/* bit of the mask by DWARF number */
	unsigned char count;	/* 0: an unknown machine */
	unsigned char ip, sp, bp, lr;	/* DWARF numbers; lr NO_NUMBER: the machine has none */
};

#define NO_NUMBER UINT8_MAX
#define BITS_BELOW(bit) ((UINT64_C(1) << (bit)) - 1)
#define ARM64_VG (UINT64_C(1) << 46)	/* length of SVE vectors; not a general register */

static const struct register_table tables[MACHINES] = {
	[MACHINE_X86_64] = {
		/* ax 0, bx 1, cx 2, dx 3, si 4, di 5, bp 6, sp 7, ip 8, flags and segments 9 to 15,
		 * r8 to r15 16 to 23 */
		.known_bits = BITS_BELOW(24),
		.bits = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 },
		.count = 17, .ip = 16, .sp = 7, .bp = 6, .lr = NO_NUMBER,
	},
	[MACHINE_X86_32] = {
		/* the same bits up to gs 15; DWARF: ax cx dx bx sp bp si di ip */
		.known_bits = BITS_BELOW(16),
		.bits = { 0, 2, 3, 1, 7, 6, 4, 5, 8 },
		.count = 9, .ip = 8, .sp = 4, .bp = 5, .lr = NO_NUMBER,
	},
	[MACHINE_AARCH64] = {
		/* x0 to x29, lr 30, sp 31, pc 32: as in DWARF */
		.known_bits = BITS_BELOW(33) | ARM64_VG,
		.bits = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
			  17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 },
		.count = 33, .ip = 32, .sp = 31, .bp = 29, .lr = 30,
	},
};

uint64_t user_registers_mask(void)
{
	const struct register_table *table = &tables[MACHINE_OWN];
	uint64_t mask = 0;

	for (size_t i = 0; i < table->count; i++)
		mask |= UINT64_C(1) << table->bits[i];
	return mask;
}

bool user_registers_are_known(enum machine machine)
{
	return tables[machine].count;
}

int user_registers_place(enum machine machine, uint64_t mask, unsigned int number)
{
	const struct register_table *table = &tables[machine];
	uint64_t bit;

	if (number >= table->count || (mask & ~table->known_bits))
		return -1;
	bit = UINT64_C(1) << table->bits[number];
	return mask & bit ? __builtin_popcountll(mask & (bit - 1)) : -1;
}

bool user_registers_find(const struct record_format *format, const struct record_sample *sample,
			 unsigned int number, uint64_t *out)
{
	const int place = user_registers_place(format->machine, format->user_regs_mask, number);

	if (!sample->user_regs || place < 0)
		return false;
	*out = sample->user_regs[place];
	return true;
}

void user_registers_add_lr(struct perf_event_attr *attr)
{
	const struct register_table *table = &tables[MACHINE_OWN];

	if (!table->count || table->lr == NO_NUMBER)
		return;
	attr->sample_type |= PERF_SAMPLE_REGS_USER;
	attr->sample_regs_user = UINT64_C(1) << table->bits[table->lr];
}

bool user_registers_have_lr(const struct record_format *format)
{
	return format->sample_type & PERF_SAMPLE_REGS_USER &&
	       user_registers_place(format->machine, format->user_regs_mask,
				    tables[format->machine].lr) >= 0;
}

bool user_registers_find_lr(const struct record_format *format, const struct record_sample *sample,
			    uint64_t *out)
{
	return user_registers_find(format, sample, tables[format->machine].lr, out);
}

bool user_registers_read(const struct record_format *format, const struct record_sample *sample,
			 struct user_registers *out)
{
	const struct register_table *table = &tables[format->machine];

	if (!user_registers_find_lr(format, sample, &out->lr))
		out->lr = 0;
	return user_registers_find(format, sample, table->ip, &out->ip) &&
	       user_registers_find(format, sample, table->sp, &out->sp) &&
	       user_registers_find(format, sample, table->bp, &out->bp);
}

static void write_register(const struct record_format *format, unsigned int number, uint64_t value,
			   uint64_t *out)
{
	const int place = user_registers_place(format->machine, format->user_regs_mask, number);

	if (place >= 0)
		out[place] = value;
}

size_t user_registers_write(const struct record_format *format, const struct user_registers *from,
			    const uint64_t *all, uint64_t *out)
{
	const struct register_table *table = &tables[format->machine];
	const size_t count = (size_t)__builtin_popcountll(format->user_regs_mask);

	memset(out, 0, count * sizeof(*out));
	for (unsigned int number = 0; all && number < table->count; number++)
		write_register(format, number, all[number], out);
	if (all)
		return count;
	write_register(format, table->ip, from->ip, out);
	write_register(format, table->sp, from->sp, out);
	write_register(format, table->bp, from->bp, out);
	write_register(format, table->lr, from->lr, out);
	return count;
}

uint64_t user_registers_abi(uint64_t sp, uint64_t ip)
{
	return sizeof(long) == 8 && !(sp >> 32) && !(ip >> 32) ? PERF_SAMPLE_REGS_ABI_32
								: PERF_SAMPLE_REGS_ABI_64;
}

#define PAGE_BYTES 4096u
#define PAGES_MAX  16	/* that one call reads */

/* Page by page, as the last ones may not be there. */
size_t stack_copy_read(pid_t pid, uint64_t sp, void *out, size_t room)
{
	size_t copied = 0, wanted = 1;
	ssize_t got = 1;

	while (room > copied && got == (ssize_t)wanted) {
		struct iovec here = { (char *)out + copied, 0 };
		struct iovec there[PAGES_MAX];
		size_t pages = 0;

		for (wanted = 0; pages < PAGES_MAX && copied + wanted < room; pages++) {
			const uint64_t at = sp + copied + wanted;
			const size_t in_page = PAGE_BYTES - at % PAGE_BYTES;
			const size_t left = room - copied - wanted;
			const size_t bytes = in_page < left ? in_page : left;

			there[pages] = (struct iovec){ (void *)(uintptr_t)at, bytes };
			wanted += bytes;
		}
		here.iov_len = wanted;
		got = process_vm_readv(pid, &here, 1, there, pages, 0);
		copied += got > 0 ? (size_t)got : 0;
	}
	return copied;
}

/* header, fields | size | copy: needed, filled, unfilled | filled size | more fields
 *                    ^ lowered           ^ cut ............^ ^ lowered
 *
 * A size of 0 would mean that no filled size follows, so an empty copy keeps one word. A copy that
 * was cut below its filled size keeps one word more than its new filled size.
 */

#define WORD_BYTES sizeof(uint64_t)

bool record_trim_left_out(const struct record_sample *sample)
{
	return sample->user_stack_bytes &&
	       sample->user_stack_reserved - sample->user_stack_bytes >= WORD_BYTES;
}

static uint64_t whole_words(uint64_t bytes)
{
	return (bytes + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
}

/* Returns true when cutting below the filled size would save nothing, the extra word included. */
static bool is_all_needed(uint64_t filled_bytes, uint64_t needed_bytes)
{
	return needed_bytes >= filled_bytes ||
	       whole_words(needed_bytes) + WORD_BYTES >= filled_bytes;
}

void record_trim_init(struct record_trim *trim, const struct perf_event_header *record,
		      const struct event_record *parsed, size_t needed_bytes)
{
	const struct record_sample *sample;
	uint64_t kept;

	*trim = (struct record_trim){ .record = record, .head_bytes = record->size,
				      .bytes = record->size };
	if (!parsed || parsed->kind != RECORD_SAMPLE || !parsed->sample.user_stack)
		return;
	sample = &parsed->sample;
	trim->filled_bytes = needed_bytes;
	kept = whole_words(needed_bytes) + WORD_BYTES;
	if (is_all_needed(sample->user_stack_bytes, needed_bytes)) {
		trim->filled_bytes = sample->user_stack_bytes;
		kept = trim->filled_bytes ? whole_words(trim->filled_bytes) : WORD_BYTES;
	}
	trim->head_bytes = (size_t)((const unsigned char *)sample->user_stack -
				    (const unsigned char *)record) + kept;
	trim->size_offset = trim->head_bytes - kept - WORD_BYTES;
	trim->cut_bytes = sample->user_stack_reserved - kept;
	trim->bytes -= trim->cut_bytes;
}

void record_trim_write(const struct record_trim *trim, void *to)
{
	const unsigned char *from = (const unsigned char *)trim->record;
	struct perf_event_header header = *trim->record;
	unsigned char *out = to;
	uint64_t copy_bytes;

	memcpy(out, from, trim->head_bytes);
	memcpy(out + trim->head_bytes, from + trim->head_bytes + trim->cut_bytes,
	       trim->bytes - trim->head_bytes);
	if (!trim->cut_bytes)
		return;
	header.size = (uint16_t)trim->bytes;
	memcpy(out, &header, sizeof(header));
	copy_bytes = trim->head_bytes - trim->size_offset - WORD_BYTES;
	memcpy(out + trim->size_offset, &copy_bytes, sizeof(copy_bytes));
	memcpy(out + trim->head_bytes, &trim->filled_bytes, sizeof(trim->filled_bytes));
}

#define WORD_BYTES sizeof(uint64_t)

struct known_end {	/* values of one row */
	uint64_t end, word;
};

static size_t row_of(uint32_t tid)
{
	return tid % STACK_ENDS_ROWS;	/* tids are consecutive */
}

/* Reads the word before @end. Returns false when it is not in the copy. */
static bool read_word_before(const struct stack_copy *copy, uint64_t end, uint64_t *word)
{
	const uint64_t bytes = end - copy->sp;	/* huge if @end is below sp */

	if (bytes < WORD_BYTES || bytes > copy->count)
		return false;
	memcpy(word, copy->bytes + bytes - WORD_BYTES, WORD_BYTES);
	return true;
}

static bool is_valid(const struct known_end *known, const struct stack_copy *copy)
{
	uint64_t word;

	return known->end && read_word_before(copy, known->end, &word) && word == known->word;
}

size_t stack_ends_needed(const struct stack_ends *ends, const struct stack_copy *copy)
{
	const struct stack_end *row = &ends->rows[row_of(copy->tid)];
	/* pair with put()'s stores, RELEASE */
	const uint64_t key = atomic_load_explicit(&row->key, memory_order_acquire);
	const struct known_end known = {
		.end = atomic_load_explicit(&row->end, memory_order_acquire),
		.word = atomic_load_explicit(&row->word, memory_order_acquire),
	};

	if (!copy->tid || (uint32_t)key != copy->tid || !is_valid(&known, copy) ||
	    atomic_load_explicit(&row->key, memory_order_relaxed) != key)
		return copy->count;
	return (size_t)(known.end - copy->sp);
}

/* Loads a value in the writer, which alone stores it. */
static uint64_t own(const _Atomic uint64_t *value)
{
	return atomic_load_explicit(value, memory_order_relaxed);
}

static bool is_of(const struct stack_end *row, uint32_t tid)
{
	return (uint32_t)own(&row->key) == tid;
}

/* Returns true for the row of a live thread whose copies are taken whole; it is not replaced. */
static bool is_of_whole(const struct stack_end *row)
{
	return !is_of(row, 0) && !own(&row->end);
}

static void put(struct stack_end *row, uint32_t tid, const struct known_end *known)
{
	const uint64_t writes = (own(&row->key) >> 32) + 1;

	/* pair with stack_ends_needed()'s loads, ACQUIRE */
	atomic_store_explicit(&row->key, writes << 32, memory_order_release);
	atomic_store_explicit(&row->end, known->end, memory_order_release);
	atomic_store_explicit(&row->word, known->word, memory_order_release);
	atomic_store_explicit(&row->key, writes << 32 | tid, memory_order_release);
}

/* For a thread with several stacks keeps the highest end that is valid: copies of lower stacks are
 * then longer than needed, but never too short. */
void stack_ends_learn(struct stack_ends *ends, const struct stack_copy *copy, uint64_t end)
{
	struct stack_end *row = &ends->rows[row_of(copy->tid)];
	const struct known_end known = { .end = own(&row->end), .word = own(&row->word) };
	struct known_end found = { .end = end };

	if (!copy->tid || is_of_whole(row) || !read_word_before(copy, end, &found.word))
		return;
	if (is_of(row, copy->tid) &&
	    ((known.end == end && known.word == found.word) ||
	     (known.end > end && is_valid(&known, copy))))
		return;
	put(row, copy->tid, &found);
}

/* Does not depend on the end in the row, which may since be that of another stack. */
void stack_ends_was_cut(struct stack_ends *ends, uint32_t tid)
{
	static const struct known_end whole = { .end = 0 };
	struct stack_end *row = &ends->rows[row_of(tid)];

	if (tid && !is_of_whole(row))
		put(row, tid, &whole);
}

void stack_ends_forget(struct stack_ends *ends, uint32_t tid)
{
	static const struct known_end none = { .end = 0 };
	struct stack_end *row = &ends->rows[row_of(tid)];

	if (is_of(row, tid))
		put(row, 0, &none);
}
