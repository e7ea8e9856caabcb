/* busy.c - see model/busy.h. */
#include "model/busy.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool busy_parse(const char *text, uint64_t *busy, uint64_t *total)
{
	uint64_t user, nice, system, idle, iowait = 0, irq = 0, softirq = 0, steal = 0;

	if (strncmp(text, "cpu ", 4))
		return false;
	if (sscanf(text,
		   "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		   " %" SCNu64 " %" SCNu64,
		   &user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal) < 4)
		return false;
	/* guest time is part of user; steal is time that somebody else was busy: neither ours. */
	*busy = user + nice + system + irq + softirq;
	*total = *busy + idle + iowait + steal;
	return true;
}

void busy_read(struct busy *busy, uint64_t now_ns)
{
	struct busy_point point = { .time_ns = now_ns };
	char text[512];
	ssize_t got;
	int fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	got = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0)
		return;
	text[got] = '\0';
	if (busy_parse(text, &point.busy, &point.total))
		busy->points[busy->count++ % BUSY_POINTS] = point;
}

double busy_pct(const struct busy *busy, uint64_t since_ns)
{
	const struct busy_point *newest, *from;
	uint64_t at = busy->count;
	double pct;

	if (busy->count < 2)
		return -1;
	newest = &busy->points[--at % BUSY_POINTS];
	do {
		from = &busy->points[--at % BUSY_POINTS];
	} while (at > 0 && busy->count - at < BUSY_POINTS && from->time_ns > since_ns);
	if (newest->total <= from->total)
		return -1;
	if (newest->busy < from->busy)	/* iowait, for one, may run backwards */
		return 0;
	pct = 100.0 * (double)(newest->busy - from->busy) / (double)(newest->total - from->total);
	return pct < 100 ? pct : 100;
}
