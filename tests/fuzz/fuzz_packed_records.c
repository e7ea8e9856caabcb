/* fuzz_packed_records.c - any bytes as compressed records: unpacked to whole records, or refused
 * with a sentence. */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sandbox/packed_records.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	const struct packed_range range = { 0, count };
	const int in = memfd_create("packed", MFD_CLOEXEC);
	const int out = memfd_create("plain", MFD_CLOEXEC);
	struct diag why = { .err = 0 };
	int err;

	if (in < 0 || out < 0 || write(in, bytes, count) != (ssize_t)count)
		abort();
	err = packed_records_unpack(in, &range, out, &why);
	if (err != why.err || (err && !why.text[0]))
		abort();
	close(in);
	close(out);
	return 0;
}
