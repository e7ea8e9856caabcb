/* cpu_list.c - see cpu_list.h. */
#include "capture/cpu_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_NUMBER_END 65536	/* above any NR_CPUS: "0-4000000000" must not fill memory */

static int compare_cpus(const void *a, const void *b)
{
	int left = *(const int *)a, right = *(const int *)b;

	return (left > right) - (left < right);
}

/* Reads one number; returns the text after it, or NULL. */
static const char *read_number(const char *text, int *out)
{
	char *end;
	long value;

	if (!isdigit((unsigned char)*text))
		return NULL;
	value = strtol(text, &end, 10);
	if (value >= CPU_NUMBER_END)
		return NULL;
	*out = (int)value;
	return end;
}

static int append_range(int **cpus, size_t *count, int first, int last)
{
	size_t more = (size_t)(last - first) + 1;
	int *grown = realloc(*cpus, (*count + more) * sizeof(**cpus));

	if (!grown)
		return -ENOMEM;
	*cpus = grown;
	for (int cpu = first; cpu <= last; cpu++)
		grown[(*count)++] = cpu;
	return 0;
}

static size_t sort_unique(int *cpus, size_t count)
{
	size_t kept = 0;

	qsort(cpus, count, sizeof(*cpus), compare_cpus);
	for (size_t i = 0; i < count; i++)
		if (!kept || cpus[kept - 1] != cpus[i])
			cpus[kept++] = cpus[i];
	return kept;
}

int cpu_list_parse(const char *text, int **cpus, size_t *count, struct diag *why)
{
	const char *at = text;
	int err;

	*cpus = NULL;
	*count = 0;
	for (;;) {
		int first, last;

		at = read_number(at, &first);
		last = first;
		if (at && *at == '-')
			at = read_number(at + 1, &last);
		if (!at || last < first || (*at && *at != ','))
			break;
		err = append_range(cpus, count, first, last);
		if (err) {
			diag_set(why, err, "no memory for a list of CPUs");
			goto fail;
		}
		if (!*at++) {
			*count = sort_unique(*cpus, *count);
			return 0;
		}
	}
	err = diag_set(why, -EINVAL, "\"%s\" is not a list of CPUs: write it as 0-3,8", text);
fail:
	free(*cpus);
	*cpus = NULL;
	*count = 0;
	return err;
}

/* Reads the online CPUs from the lines "cpuN ..." of /proc/stat, where sysfs is not mounted. */
static int read_proc_stat(int **cpus, size_t *count, struct diag *why)
{
	FILE *file = fopen("/proc/stat", "re");
	char *line = NULL;
	size_t room = 0;
	int cpu, err = 0;

	if (!file)
		return diag_set(why, -errno, "cannot tell which CPUs there are: neither /sys nor "
				"/proc/stat can be read (%s)", strerror(errno));
	while (!err && getline(&line, &room, file) >= 0)
		if (!strncmp(line, "cpu", 3) && read_number(line + 3, &cpu))
			err = append_range(cpus, count, cpu, cpu);
	free(line);
	fclose(file);
	if (!err && !*count)
		err = -EIO;
	if (!err) {
		*count = sort_unique(*cpus, *count);
		return 0;
	}
	free(*cpus);
	*cpus = NULL;
	*count = 0;
	return diag_set(why, err, "cannot tell from /proc/stat which CPUs there are");
}

int cpu_list_online(int **cpus, size_t *count, struct diag *why)
{
	static const char path[] = "/sys/devices/system/cpu/online";
	char *line = NULL;
	size_t room = 0;
	FILE *file = fopen(path, "re");
	int err;

	*cpus = NULL;
	*count = 0;
	if (!file)
		return read_proc_stat(cpus, count, why);
	if (getline(&line, &room, file) < 0) {
		err = diag_set(why, -EIO, "cannot read %s", path);
	} else {
		line[strcspn(line, "\n")] = '\0';
		err = cpu_list_parse(line, cpus, count, why);
	}
	free(line);
	fclose(file);
	return err;
}

int cpu_list_first_online(void)
{
	size_t count;
	int *cpus, first = 0;

	if (cpu_list_online(&cpus, &count, NULL) == 0)
		first = cpus[0];
	free(cpus);
	return first;
}

bool cpu_list_has(const int *cpus, size_t count, int cpu)
{
	return bsearch(&cpu, cpus, count, sizeof(*cpus), compare_cpus) != NULL;
}
