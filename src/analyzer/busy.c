/* busy.c - see busy.h.
 *
 * One list of readings serves the header, the CPUs and the activity graph. It is thinned out by
 * age: the first reading in each stretch of time is kept, and older stretches are longer. Shorter
 * ones divide longer ones, so the first reading in a long one was always kept. So is the newest.
 */
#include "busy.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/snapshot.h"
#include "base/clock.h"
#include "base/whole_io.h"

#define TEXT_START_BYTES 16384	/* a hundred CPUs */

void busy_finish(struct busy *busy)
{
	for (uint32_t i = 0; i < busy->count; i++)
		free(busy->points[i].cpus);
	free(busy->text);
	memset(busy, 0, sizeof(*busy));
}

bool busy_parse(const char *text, int64_t *cpu, uint64_t *busy, uint64_t *total)
{
	uint64_t user, nice, system, idle, iowait = 0, irq = 0, softirq = 0, steal = 0;
	int number_len = 0;

	if (strncmp(text, "cpu", 3))
		return false;
	text += 3;
	*cpu = -1;
	if (isdigit((unsigned char)*text) &&
	    sscanf(text, "%9" SCNd64 "%n", cpu, &number_len) != 1)
		return false;
	text += number_len;
	if (*text != ' ' ||
	    sscanf(text,
		   "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64,
		   &user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal) < 4)
		return false;
	/* guest time is part of user; steal is time that somebody else was busy: neither ours. */
	*busy = user + nice + system + irq + softirq;
	*total = *busy + idle + iowait + steal;
	return true;
}

static uint64_t stretch_ns(uint64_t age_ns)
{
	if (age_ns < 10 * CLOCK_NS_PER_S)
		return 100 * CLOCK_NS_PER_MS;
	/* One more than points: a share needs two readings; and one for the second in hand. */
	return age_ns < (ACTIVITY_POINTS + 2) * CLOCK_NS_PER_S ? CLOCK_NS_PER_S
							       : 60 * CLOCK_NS_PER_S;
}

/* Drops readings to leave room for one more. */
static void thin_out(struct busy *busy, uint64_t now_ns)
{
	uint32_t kept = busy->count ? 1 : 0;

	for (uint32_t i = 1; i < busy->count; i++) {
		const struct busy_point *point = &busy->points[i];
		const uint64_t length_ns = stretch_ns(now_ns - point->time_ns);

		if (point->time_ns / length_ns == busy->points[kept - 1].time_ns / length_ns)
			free(point->cpus);
		else
			busy->points[kept++] = *point;
	}
	if (kept == BUSY_POINTS) {
		free(busy->points[0].cpus);
		memmove(busy->points, busy->points + 1, --kept * sizeof(busy->points[0]));
	}
	busy->count = kept;
}

static bool put_cpu(struct busy_point *point, uint32_t cpu, uint64_t busy, uint64_t total)
{
	if (cpu >= point->cpu_count) {
		const uint32_t count = cpu < 8 ? 8 : cpu * 2;
		struct busy_cpu *bigger = realloc(point->cpus, count * sizeof(*bigger));

		if (!bigger)
			return false;
		memset(bigger + point->cpu_count, 0,
		       (count - point->cpu_count) * sizeof(*bigger));
		point->cpus = bigger;
		point->cpu_count = count;
	}
	point->cpus[cpu] = (struct busy_cpu){ (uint32_t)busy, (uint32_t)total };
	return true;
}

static void note_gone(struct busy *busy, uint32_t cpu)
{
	for (uint32_t i = 0; i < busy->gone_count && i < BUSY_GONE; i++)
		if (busy->gone[i] == cpu)
			return;
	if (busy->gone_count < BUSY_GONE)
		busy->gone[busy->gone_count] = cpu;
	busy->gone_count++;
}

static void compare_with_last(struct busy *busy, const struct busy_point *point)
{
	const struct busy_point *last = busy->count ? &busy->points[busy->count - 1] : NULL;

	for (uint32_t cpu = 0; last && cpu < last->cpu_count; cpu++)
		if (last->cpus[cpu].total &&
		    (cpu >= point->cpu_count || !point->cpus[cpu].total))
			note_gone(busy, cpu);
}

static void note_steal(struct busy *busy, const char *text)
{
	if (sscanf(text, "cpu %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &busy->steal) != 1)
		return;
	if (!busy->has_steal)
		busy->steal_first = busy->steal;
	busy->has_steal = true;
}

uint64_t busy_stolen_ns(const struct busy *busy)
{
	const uint64_t tick_ns = CLOCK_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);

	return busy->steal > busy->steal_first ? (busy->steal - busy->steal_first) * tick_ns : 0;
}

void busy_add(struct busy *busy, uint64_t now_ns, const char *text)
{
	struct busy_point point = { .time_ns = now_ns };
	uint64_t cpu_busy, cpu_total;
	const char *line = text;
	int64_t cpu;

	if (!busy_parse(line, &cpu, &point.busy, &point.total) || cpu >= 0)
		return;
	while ((line = strchr(line, '\n')) &&
	       busy_parse(++line, &cpu, &cpu_busy, &cpu_total))
		if (cpu < 0 || cpu >= UINT16_MAX ||
		    !put_cpu(&point, (uint32_t)cpu, cpu_busy, cpu_total))
			break;
	note_steal(busy, text);
	compare_with_last(busy, &point);
	thin_out(busy, now_ns);
	busy->points[busy->count++] = point;
}

/* Reads all lines of CPUs, which come first, into busy->text; false: error. */
static bool read_text(struct busy *busy, int fd)
{
	size_t used = 0;
	ssize_t got;

	do {
		if (busy->text_bytes - used < 2) {
			const size_t bytes = busy->text_bytes ? busy->text_bytes * 2
							      : TEXT_START_BYTES;
			char *bigger = realloc(busy->text, bytes);

			if (!bigger)
				return false;
			busy->text = bigger;
			busy->text_bytes = bytes;
		}
		got = whole_read(fd, busy->text + used, busy->text_bytes - used - 1);
		if (got > 0)
			used += (size_t)got;
		busy->text[used] = '\0';
	} while (got > 0 && !strstr(busy->text, "\nintr"));
	return got >= 0;
}

void busy_read(struct busy *busy, uint64_t now_ns)
{
	const int fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);

	busy->read_ns = now_ns;
	if (fd < 0)
		return;
	if (read_text(busy, fd))
		busy_add(busy, now_ns, busy->text);
	close(fd);
}

uint64_t busy_due_ns(const struct busy *busy)
{
	return (busy->read_ns / CLOCK_NS_PER_S + 1) * CLOCK_NS_PER_S;
}

static double share(uint64_t busy, uint64_t total)
{
	const double pct = 100.0 * (double)busy / (double)total;

	return pct < 100 ? pct : 100;
}

double busy_point_pct(const struct busy_point *from, const struct busy_point *to)
{
	if (to->total <= from->total)
		return -1;
	if (to->busy < from->busy)	/* iowait, for one, may run backwards */
		return 0;
	return share(to->busy - from->busy, to->total - from->total);
}

/* Finds two different readings around the window. False: there are none. */
static bool find_points(const struct busy *busy, uint64_t since_ns, uint64_t until_ns,
			uint32_t *from, uint32_t *to)
{
	if (busy->count < 2)
		return false;
	for (*to = busy->count - 1; *to > 1 && busy->points[*to - 1].time_ns >= until_ns; --*to)
		;
	for (*from = *to - 1; *from > 0 && busy->points[*from].time_ns > since_ns; --*from)
		;
	return true;
}

double busy_pct(const struct busy *busy, uint64_t since_ns, uint64_t until_ns)
{
	uint32_t from, to;

	if (!find_points(busy, since_ns, until_ns, &from, &to))
		return -1;
	return busy_point_pct(&busy->points[from], &busy->points[to]);
}

static bool has_cpu(const struct busy_point *point, uint32_t cpu)
{
	return cpu < point->cpu_count && point->cpus[cpu].total;
}

double busy_cpu_pct(const struct busy *busy, uint32_t cpu, uint64_t since_ns, uint64_t until_ns)
{
	uint32_t from, to, busy_ticks, ticks;

	if (!find_points(busy, since_ns, until_ns, &from, &to))
		return -1;
	while (from < to && !has_cpu(&busy->points[from], cpu))
		from++;
	while (from < to && !has_cpu(&busy->points[to], cpu))
		to--;
	if (from == to)
		return -1;
	ticks = busy->points[to].cpus[cpu].total - busy->points[from].cpus[cpu].total;
	busy_ticks = busy->points[to].cpus[cpu].busy - busy->points[from].cpus[cpu].busy;
	if (!ticks || ticks > INT32_MAX)	/* no time has passed, or it ran backwards */
		return -1;
	return busy_ticks > INT32_MAX ? 0 : share(busy_ticks, ticks);
}

char *busy_notice(const struct busy *busy, const char *asked)
{
	const size_t bytes = strlen(asked) + 256;
	char more[32] = "", *all = malloc(bytes);

	if (!all)
		return NULL;
	if (busy->gone_count > 1)
		snprintf(more, sizeof(more), " and %" PRIu32 " more", busy->gone_count - 1);
	if (busy->gone_count)
		snprintf(all, bytes,
			 "%s%sCPU %" PRIu32 "%s went offline and is not sampled since, also when "
			 "it is back, until the events are opened anew: another rate (f) or target "
			 "(t)", asked, asked[0] ? "\n" : "", busy->gone[0], more);
	else
		snprintf(all, bytes, "%s", asked);
	return all;
}
