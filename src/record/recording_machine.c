/* recording_machine.c - what a recording says of its machine: recording_machine_read(). */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/whole_io.h"
#include "record/recording.h"

/* Finds "model name : TEXT" in /proc/cpuinfo; other machines have other keys. */
static void read_cpu(char *out, size_t room)
{
	static const char *const keys[] = { "model name", "Processor", "CPU part" };
	char text[4096];
	const int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
	ssize_t count = fd < 0 ? -1 : whole_read(fd, text, sizeof(text) - 1);
	const char *at = NULL;

	if (fd >= 0)
		close(fd);
	text[count > 0 ? count : 0] = '\0';
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && !at; i++)
		at = strstr(text, keys[i]);
	at = at ? strchr(at, ':') : NULL;
	at = at ? at + 1 + strspn(at + 1, " \t") : "unknown";
	snprintf(out, room, "%.*s", (int)strcspn(at, "\n"), at);
}

void recording_machine_read(struct recording_machine *out, char *const *arguments)
{
	static struct utsname names;
	static char cpu[128];
	const long available = sysconf(_SC_NPROCESSORS_CONF);
	const long online = sysconf(_SC_NPROCESSORS_ONLN);

	uname(&names);
	read_cpu(cpu, sizeof(cpu));
	*out = (struct recording_machine){
		.host = names.nodename, .release = names.release, .version = "flametop",
		.arch = names.machine, .cpu = cpu,
		.cpus_available = available > 0 ? (uint32_t)available : 1,
		.cpus_online = online > 0 ? (uint32_t)online : 1, .arguments = arguments,
	};
}
