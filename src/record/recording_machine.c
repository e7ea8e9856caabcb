/* recording_machine.c - what a recording says of its machine: recording_machine_read(). */
#include <sys/utsname.h>
#include <unistd.h>

#include "record/recording.h"

void recording_machine_read(struct recording_machine *out, char *const *arguments)
{
	static struct utsname names;
	const long available = sysconf(_SC_NPROCESSORS_CONF);
	const long online = sysconf(_SC_NPROCESSORS_ONLN);

	uname(&names);
	*out = (struct recording_machine){
		.host = names.nodename, .release = names.release, .version = "flametop",
		.arch = names.machine,
		.cpus_available = available > 0 ? (uint32_t)available : 1,
		.cpus_online = online > 0 ? (uint32_t)online : 1, .arguments = arguments,
	};
}
