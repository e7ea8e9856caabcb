/* record_bytes.h - writes one perf record down, word by word, for tests of what reads it.
 *
 * Use: record_begin(), record_add() and record_add_text() in the order of perf_event_open(2), then
 *      record_close(). The words are 8-byte aligned.
 */
#ifndef TESTS_RECORD_BYTES_H
#define TESTS_RECORD_BYTES_H

#include <asm/perf_regs.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/record.h"

/* What a sample with a copy of the stack brings: bp, sp, ip in this order, on every machine. */
#ifdef __aarch64__
#define COPY_REGISTERS (UINT64_C(1) << PERF_REG_ARM64_X29 | UINT64_C(1) << PERF_REG_ARM64_SP | \
			UINT64_C(1) << PERF_REG_ARM64_PC)
#else
#define COPY_REGISTERS (1 << PERF_REG_X86_BP | 1 << PERF_REG_X86_SP | 1 << PERF_REG_X86_IP)
#endif

/* Two 32-bit fields that share a word. */
#define PAIR(first, second) ((uint64_t)(second) << 32 | (uint32_t)(first))
#define COUNT_OF(array)	    (sizeof(array) / sizeof((array)[0]))

enum { RECORD_MAX_WORDS = 512 };

struct record_bytes {
	uint64_t words[RECORD_MAX_WORDS];
	size_t count;	/* the header included */
};

void record_begin(struct record_bytes *record, uint32_t type, uint16_t misc);
void record_add(struct record_bytes *record, const uint64_t *words, size_t count);
/* With its NUL, filled up to a whole word. */
void record_add_text(struct record_bytes *record, const char *text);
/* Writes the size into the header. */
void record_close(struct record_bytes *record);

/* Of an event with @sample_type, and trailers (sample_id_all) or none. */
struct record_format record_format_of(uint64_t sample_type, bool has_trailers);

/* Closes and parses it; pointers in *@out are good as long as @record. */
int record_close_and_parse(const struct record_format *format, struct record_bytes *record,
			   struct event_record *out);
/* Parses it as if it had only @count words, from memory that ends there. */
int record_parse_cut(const struct record_format *format, const struct record_bytes *record,
		     size_t count, struct event_record *out);

#endif
