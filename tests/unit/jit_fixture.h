/* jit_fixture.h - files of names for run-time code, and what the parsers make of them. */
#ifndef JIT_FIXTURE_H
#define JIT_FIXTURE_H

#include <stdint.h>

#include "elf/file_jobs.h"

struct jit_names {
	void *bytes;		/* owned */
	size_t count;
	struct jit_tables tables;
};

/* An open file with these bytes in it; close(2) it. */
int jit_fixture_file(const void *bytes, size_t count);
/* Checks a reply; takes over @bytes. */
void jit_fixture_take(struct jit_names *names, void *bytes, size_t count);
void jit_fixture_finish(struct jit_names *names);

/* The unwind row at @address is of the same rule as @row. */
void jit_fixture_expect_row(const struct jit_names *names, uint64_t address,
			    struct unwind_row row);

/* The name at @address, or "". */
const char *jit_fixture_name(const struct jit_names *names, uint64_t address);

#endif
