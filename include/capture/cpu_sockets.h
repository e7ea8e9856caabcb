/* cpu_sockets.h - which socket (package) each CPU of this machine is in.
 * Source: Documentation/admin-guide/cputopology.rst. Thread: any. */
#ifndef CAPTURE_CPU_SOCKETS_H
#define CAPTURE_CPU_SOCKETS_H

#include <stdint.h>

struct cpu_sockets {
	int *of_cpu;	/* owned; < 0: not known, as of CPUs that are offline */
	uint32_t count;	/* of CPUs from 0 on */
};

/* Reads @directory ("/sys/devices/system/cpu") once. What can't be read is not known: 0 CPUs if
 * need be. */
void cpu_sockets_read(struct cpu_sockets *out, const char *directory);
void cpu_sockets_finish(struct cpu_sockets *sockets);

#endif
