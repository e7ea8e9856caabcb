/* cpu_list.c - see scope.h. */
#include "capture/scope.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
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

static int read_socket(const char *directory, int cpu)
{
	char path[PATH_MAX];
	int socket = -1;
	FILE *file;

	snprintf(path, sizeof(path), "%s/cpu%d/topology/physical_package_id", directory, cpu);
	file = fopen(path, "re");
	if (!file)
		return -1;
	if (fscanf(file, "%d", &socket) != 1)
		socket = -1;
	fclose(file);
	return socket;
}

/* Reads the possible CPUs in ascending order. */
static void read_possible(const char *directory, int **cpus, size_t *count)
{
	char path[PATH_MAX], text[4096] = "";
	FILE *file;

	*cpus = NULL;
	*count = 0;
	snprintf(path, sizeof(path), "%s/possible", directory);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(text, sizeof(text), file)) {
		text[strcspn(text, "\n")] = '\0';
		cpu_list_parse(text, cpus, count, NULL);
	}
	fclose(file);
}

void cpu_sockets_read(struct cpu_sockets *out, const char *directory)
{
	size_t count;
	int *cpus;

	*out = (struct cpu_sockets){ .of_cpu = NULL };
	read_possible(directory, &cpus, &count);
	if (count)
		out->of_cpu = malloc(((size_t)cpus[count - 1] + 1) * sizeof(*out->of_cpu));
	if (out->of_cpu) {
		out->count = (uint32_t)cpus[count - 1] + 1;
		for (uint32_t i = 0; i < out->count; i++)
			out->of_cpu[i] = -1;
		for (size_t i = 0; i < count; i++)
			out->of_cpu[cpus[i]] = read_socket(directory, cpus[i]);
	}
	free(cpus);
}

void cpu_sockets_finish(struct cpu_sockets *sockets)
{
	free(sockets->of_cpu);
	memset(sockets, 0, sizeof(*sockets));
}

/* Reads the first line of a file of the PMU. Returns false when there is none, or it is empty. */
static bool read_line(const char *devices, const char *name, const char *file, char *out,
		      int room)
{
	char path[PATH_MAX];
	FILE *from;
	bool has_line;

	if (snprintf(path, sizeof(path), "%s/%s/%s", devices, name, file) >= (int)sizeof(path))
		return false;
	from = fopen(path, "re");
	if (!from)
		return false;
	has_line = fgets(out, room, from) != NULL;
	fclose(from);
	if (has_line)
		out[strcspn(out, "\n")] = '\0';
	return has_line && out[0];
}

void core_pmus_add(struct core_pmus *pmus, const char *name, uint32_t type, int *cpus,
		   size_t cpu_count)
{
	struct core_pmu *pmu;
	size_t at = 0;

	if (pmus->count == CORE_PMUS_MAX || strlen(name) >= sizeof(pmu->name)) {
		free(cpus);
		return;
	}
	while (at < pmus->count && pmus->list[at].type <= type)
		at++;
	pmu = &pmus->list[at];
	memmove(pmu + 1, pmu, (pmus->count++ - at) * sizeof(*pmu));
	*pmu = (struct core_pmu){ .type = type, .cpus = cpus, .cpu_count = cpu_count };
	snprintf(pmu->name, sizeof(pmu->name), "%s", name);
}

void pmu_cpumask_read(const char *devices, const char *pmu, int **cpus, size_t *count)
{
	char text[4096];	/* a sysfs file is at most a page */

	*cpus = NULL;
	*count = 0;
	if (read_line(devices, pmu, "cpumask", text, sizeof(text)))
		cpu_list_parse(text, cpus, count, NULL);
}

static void read_one(struct core_pmus *pmus, const char *devices, const char *name)
{
	char text[4096];	/* a sysfs file is at most a page */
	size_t cpu_count = 0;
	int *cpus = NULL;

	if (read_line(devices, name, "cpus", text, sizeof(text))) {
		if (cpu_list_parse(text, &cpus, &cpu_count, NULL))
			return;
	} else if (strcmp(name, "cpu") != 0) {
		return;		/* also a PMU of cores that are all offline */
	}
	if (read_line(devices, name, "type", text, sizeof(text)))
		core_pmus_add(pmus, name, (uint32_t)strtoul(text, NULL, 10), cpus, cpu_count);
	else
		free(cpus);
}

void core_pmus_read(struct core_pmus *out, const char *devices)
{
	const struct dirent *entry;
	DIR *directory = opendir(devices);

	*out = (struct core_pmus){ .count = 0 };
	if (!directory)
		return;
	while ((entry = readdir(directory)) != NULL)
		if (entry->d_name[0] != '.')
			read_one(out, devices, entry->d_name);
	closedir(directory);
}

void core_pmus_finish(struct core_pmus *pmus)
{
	for (size_t i = 0; i < pmus->count; i++)
		free(pmus->list[i].cpus);
	*pmus = (struct core_pmus){ .count = 0 };
}

size_t core_pmus_of_cpu(const struct core_pmus *pmus, uint32_t cpu)
{
	for (size_t i = 0; i < pmus->count; i++) {
		const struct core_pmu *pmu = &pmus->list[i];

		if (cpu <= INT_MAX &&
		    (!pmu->cpus || cpu_list_has(pmu->cpus, pmu->cpu_count, (int)cpu)))
			return i;
	}
	return CORE_PMU_NONE;
}

size_t core_pmus_of_type(const struct core_pmus *pmus, uint32_t type)
{
	for (size_t i = 0; i < pmus->count; i++)
		if (pmus->list[i].type == type)
			return i;
	return CORE_PMU_NONE;
}
