/* cpu_sockets.c - see capture/cpu_sockets.h. */
#include "capture/cpu_sockets.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/cpu_list.h"

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
