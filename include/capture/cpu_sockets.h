/* cpu_sockets.h - which socket (package) each CPU of this machine is in.
 * Source: Documentation/admin-guide/cputopology.rst. Thread: any. */
#ifndef CAPTURE_CPU_SOCKETS_H
#define CAPTURE_CPU_SOCKETS_H

#include <stdint.h>

struct cpu_sockets {
	int *of_cpu;	/* owned; socket of each CPU; < 0: unknown, as for offline CPUs */
	uint32_t count;	/* number of CPUs in of_cpu, from CPU 0 on */
};

/* Reads @directory ("/sys/devices/system/cpu"). CPUs that can't be read are unknown or missing:
 * `count` is 0 at worst. */
void cpu_sockets_read(struct cpu_sockets *out, const char *directory);
void cpu_sockets_finish(struct cpu_sockets *sockets);

#endif
