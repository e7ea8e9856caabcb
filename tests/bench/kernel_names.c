/* kernel_names - how long the names of the kernel take to be read: they are to be there 150 ms
 * after the start, from a thread that nobody waits for. Nearly all of it is the kernel's time. */
#include <stdio.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "symbols/kallsyms.h"

#define RUNS 9

int main(void)
{
	static const atomic_bool never;
	double least_ms = 1e9, most_ms = 0;
	uint32_t rows = 0;

	for (int run = 0; run < RUNS; run++) {
		const uint64_t begin_ns = clock_now_ns();
		struct kallsyms kallsyms;
		struct diag why;
		double ms;

		if (kallsyms_load(&kallsyms, "/proc/kallsyms", 0, &never, &why)) {
			printf("names of the kernel: %s\n", why.text);
			return 0;
		}
		ms = (double)(clock_now_ns() - begin_ns) / 1e6;
		least_ms = ms < least_ms ? ms : least_ms;
		most_ms = ms > most_ms ? ms : most_ms;
		rows = kallsyms.table.header->row_count;
		kallsyms_finish(&kallsyms);
	}
	printf("%u names of the kernel: %.0f to %.0f ms on the clock\n", rows, least_ms, most_ms);
	return 0;
}
