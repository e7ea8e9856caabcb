/* probe_cost.c - see probe_cost.h. */
#include "probe_cost.h"

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define HITS 400	/* take 5 ms where a hit costs most */

/* Measured on an idle virtual machine of x86 with Linux 6.18; the costs of kernel probes on 6.1.
 * Those in user code of aarch64: a benchmark of Linux' commit ac4ad5c09b34, at 2.4 GHz. */
const struct probe_cost probe_cost_expected = {
#ifdef __aarch64__
	.emulated = 540, .stepped = 1100, .user_return = 480,
#else
	.emulated = 1100, .stepped = 12200, .user_return = 900,
#endif
	.kernel = 1000,
	.kernel_return = 1300, .tracepoint = 160, .record = 900, .stack = 2500,
};

static double of_site(const struct probe_cost *cost, const struct probe_point *points,
		      const struct probe_site *site, enum probe_edge edge)
{
	switch (points->spec.kind) {
	case PROBE_TRACEPOINT:
		return cost->tracepoint;
	case PROBE_KERNEL:
		return edge == PROBE_ENTRY ? cost->kernel
		       : edge == PROBE_RETURN ? cost->kernel_return
					      : cost->kernel + cost->kernel_return;
	case PROBE_USER:
	case PROBE_USDT:
		break;
	}
	return (site->is_emulated ? cost->emulated : cost->stepped) +
	       (edge == PROBE_ENTRY ? 0 : cost->user_return);
}

static double of_one_point(const struct probe_cost *cost, const struct probe_point *points,
			   enum probe_edge edge)
{
	const double records = edge == PROBE_LATENCY ? 2 : 1;
	double most = 0;

	for (uint32_t i = 0; i < points->site_count; i++) {
		const double ns = of_site(cost, points, &points->sites[i], edge);

		most = ns > most ? ns : most;
	}
	return most + records * cost->record;
}

double probe_cost_of_hit(const struct probe_cost *cost, const struct probe_point *points,
			 bool with_stacks)
{
	const struct probe_spec *spec = &points->spec;
	enum probe_edge edge = spec->edge;

	if (edge == PROBE_LATENCY && spec->end.function[0])
		edge = spec->is_from_return ? PROBE_RETURN : PROBE_ENTRY;
	return of_one_point(cost, points, edge) + (with_stacks ? cost->stack : 0);
}

double probe_cost_of_end(const struct probe_cost *cost, const struct probe_point *points)
{
	const struct probe_point *later;
	double ns = 0;

	for (uint32_t i = 1; (later = probe_point_at(points, i)) != NULL; i++)
		ns += of_one_point(cost, later, later->spec.edge);
	return ns;
}

/* Two empty functions. The kernel emulates the first instruction of one: nop on x86, a branch on
 * aarch64 (kernel/probes/decode-insn.c); it single-steps that of the other. */
#if defined(__x86_64__) || defined(__aarch64__)
extern void probe_cost_emulated(void), probe_cost_stepped(void);

#ifdef __x86_64__
#define EMULATED "	nop\n	xor %eax, %eax\n	ret\n"
#define STEPPED	 "	xor %eax, %eax\n	ret\n"
#else
#define EMULATED "	b 1f\n1:	mov w0, wzr\n	ret\n"
#define STEPPED	 "	mov w0, wzr\n	ret\n"
#endif

__asm__(".text\n"
	".p2align 4\n"
	".globl probe_cost_emulated\n"
	".hidden probe_cost_emulated\n"
	".type probe_cost_emulated, %function\n"
	"probe_cost_emulated:\n"
	EMULATED
	".p2align 4\n"
	".globl probe_cost_stepped\n"
	".hidden probe_cost_stepped\n"
	".type probe_cost_stepped, %function\n"
	"probe_cost_stepped:\n"
	STEPPED);

static uint64_t thread_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}

static double time_calls(void (*function)(void))
{
	const uint64_t begin_ns = thread_cpu_ns();

	for (int i = 0; i < HITS; i++)
		function();
	return (double)(thread_cpu_ns() - begin_ns) / HITS;
}

/* Finds the file offset that the code at @address is mapped from. */
static bool find_offset(uintptr_t address, uint64_t *offset)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long long start, end, at;
	char line[512];
	bool is_found = false;

	while (maps && !is_found && fgets(line, sizeof(line), maps)) {
		is_found = sscanf(line, "%llx-%llx %*s %llx", &start, &end, &at) == 3 &&
			   address >= start && address < end;
		if (is_found)
			*offset = address - start + at;
	}
	if (maps)
		fclose(maps);
	return is_found;
}

void probe_cost_call(bool is_stepped)
{
	if (is_stepped)
		probe_cost_stepped();
	else
		probe_cost_emulated();
}

bool probe_cost_find_call(bool is_stepped, uint64_t *offset)
{
	return find_offset(is_stepped ? (uintptr_t)probe_cost_stepped
				      : (uintptr_t)probe_cost_emulated, offset);
}

static uint32_t pmu_type(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	unsigned int type = 0;

	if (file) {
		if (fscanf(file, "%u", &type) != 1)
			type = 0;
		fclose(file);
	}
	return type;
}

static bool measure(void (*function)(void), double *out)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = pmu_type(),
					.config1 = (uintptr_t)"/proc/self/exe" };
	const double without = time_calls(function);
	double with;
	uint64_t offset;
	int fd;

	if (!attr.type || !find_offset((uintptr_t)function, &offset))
		return false;
	attr.config2 = offset;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return false;
	with = time_calls(function);
	close(fd);
	if (with <= without)
		return false;
	*out = with - without;
	return true;
}

void probe_cost_measure(struct probe_cost *cost)
{
	measure(probe_cost_emulated, &cost->emulated);
	measure(probe_cost_stepped, &cost->stepped);
}
#else
void probe_cost_measure(struct probe_cost *cost)
{
	(void)cost;	/* keeps the expected costs */
}

void probe_cost_call(bool is_stepped)
{
	(void)is_stepped;
}

bool probe_cost_find_call(bool is_stepped, uint64_t *offset)
{
	(void)is_stepped;
	(void)offset;
	return false;
}
#endif
