/* core_pmus.c - for LD_PRELOAD: a kernel with PMUs of cores, for programs that open perf events by
 * syscall(3). What is opened for a PMU is cpu-clock in truth, or an event that stays at 0.
 *
 *   CORE_PMUS=4=0;10=1	the PMU of type 4 is CPU 0's, that of type 10 is CPU 1's
 *   CORE_PMUS_LACK=10=5	the PMU of type 10 lacks the hardware event 5 (branch-misses)
 *   CORE_PMUS_PLAIN=1	no types of PMUs in configs, as Arm's driver before Linux 6.6
 *   CORE_PMUS_IDLE=1	the counters stay at 0
 *   CORE_PMUS_ALONE=1	no PMU takes a second event into a group
 *   CORE_PMUS_COUNT=9	the PMU of type 9 counts, and does not sample
 *   CORE_PMUS_BRANCHES=95	the error with which events with branches are refused
 *
 * Source: kernel/events/core.c, perf_init_event(); arch/x86/events/core.c, x86_pmu_event_init();
 * drivers/perf/arm_pmu.c, armpmu_event_init().
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define TYPE_BITS 32

typedef long syscall_function(long number, ...);

static const char *pmus, *lacks;	/* the lists of the environment */
static bool is_plain, is_idle, is_alone;
static int branch_error;
static uint32_t only_counts;	/* type of a PMU; 0: none */

/* The program clears its environment before it opens events. */
__attribute__((constructor)) static void read_environment(void)
{
	pmus = getenv("CORE_PMUS");
	lacks = getenv("CORE_PMUS_LACK");
	is_plain = getenv("CORE_PMUS_PLAIN");
	is_idle = getenv("CORE_PMUS_IDLE");
	is_alone = getenv("CORE_PMUS_ALONE");
	only_counts = getenv("CORE_PMUS_COUNT") ? (uint32_t)atoi(getenv("CORE_PMUS_COUNT")) : 0;
	branch_error = getenv("CORE_PMUS_BRANCHES") ? atoi(getenv("CORE_PMUS_BRANCHES")) : 0;
}

/* Finds "@key=@value" in a list. */
static bool has_pair(const char *at, unsigned long key, unsigned long value)
{
	while (at && *at) {
		char *end;
		const unsigned long found = strtoul(at, &end, 10);

		if (*end == '=' && found == key && strtoul(end + 1, &end, 10) == value)
			return true;
		at = strchr(end, ';');
		at += at != NULL;
	}
	return false;
}

/* The type of the PMU that opens the event, 0: it is none of cores. */
static uint32_t pmu_type(const struct perf_event_attr *attr, int cpu)
{
	const uint32_t in_config = (uint32_t)(attr->config >> TYPE_BITS);

	if (attr->type != PERF_TYPE_HARDWARE && attr->type != PERF_TYPE_HW_CACHE)
		return attr->type;
	if (is_plain && in_config)
		return UINT32_MAX;
	for (uint32_t type = 4; is_plain && type < 32; type++)	/* the PMU finds itself */
		if (cpu >= 0 && has_pair(pmus, type, (unsigned long)cpu))
			return type;
	return in_config ? in_config : PERF_TYPE_RAW;
}

static bool is_of_core_pmu(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
	       attr->type == PERF_TYPE_RAW || attr->type >= 8;
}

static bool exists(const struct perf_event_attr *attr, int cpu)
{
	const uint32_t type = pmu_type(attr, cpu);

	if (cpu >= 0 && !has_pair(pmus, type, (unsigned long)cpu))
		return false;
	return attr->type != PERF_TYPE_HARDWARE ||
	       !has_pair(lacks, type, attr->config & UINT32_MAX);
}

__attribute__((visibility("default"))) long syscall(long number, ...)
{
	syscall_function *real = (syscall_function *)dlsym(RTLD_NEXT, "syscall");
	struct perf_event_attr attr;
	long arguments[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	if (number != SYS_perf_event_open)
		return real(number, arguments[0], arguments[1], arguments[2], arguments[3],
			    arguments[4], arguments[5]);
	memcpy(&attr, (const void *)arguments[0], sizeof(attr));
	if (is_of_core_pmu(&attr)) {
		if (!exists(&attr, (int)arguments[2])) {
			errno = ENOENT;
			return -1;
		}
		if ((only_counts && attr.type == only_counts && attr.sample_period) ||
		    (is_alone && (int)arguments[3] >= 0)) {
			errno = EINVAL;
			return -1;
		}
		if (branch_error && attr.sample_type & PERF_SAMPLE_BRANCH_STACK) {
			errno = branch_error;
			return -1;
		}
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = is_idle ? PERF_COUNT_SW_DUMMY : PERF_COUNT_SW_CPU_CLOCK;
		attr.config1 = attr.config2 = 0;
		attr.precise_ip = 0;
	}
	return real(number, &attr, arguments[1], arguments[2], arguments[3], arguments[4]);
}
