/* machine.h - the architectures whose code, registers and stacks flametop knows.
 *
 * A machine belongs to what is examined: a file, a process, a recording. A recording may be from
 * another machine than the one that flametop runs on.
 *
 * Source: <elf.h> for e_machine; uname(2) for the names, as perf.data has them.
 * Thread: any, pure.
 */
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

#include <elf.h>
#include <stdint.h>
#include <string.h>

enum machine { MACHINE_UNKNOWN, MACHINE_X86_64, MACHINE_X86_32, MACHINE_AARCH64, MACHINES };

/* The machine that flametop was built for. */
#if defined(__x86_64__)
#define MACHINE_OWN MACHINE_X86_64
#elif defined(__aarch64__)
#define MACHINE_OWN MACHINE_AARCH64
#else
#define MACHINE_OWN MACHINE_UNKNOWN
#endif

/* Returns the machine for @elf_machine (e_machine); MACHINE_UNKNOWN for others. */
static inline enum machine machine_of_elf(uint32_t elf_machine)
{
	switch (elf_machine) {
	case EM_X86_64:
		return MACHINE_X86_64;
	case EM_386:
		return MACHINE_X86_32;
	case EM_AARCH64:
		return MACHINE_AARCH64;
	default:
		return MACHINE_UNKNOWN;
	}
}

/* Returns the machine that uname(2) calls @name; MACHINE_UNKNOWN for others. */
static inline enum machine machine_of_name(const char *name)
{
	if (!strcmp(name, "x86_64"))
		return MACHINE_X86_64;
	if (name[0] == 'i' && name[1] >= '3' && name[1] <= '6' && !strcmp(name + 2, "86"))
		return MACHINE_X86_32;
	return strcmp(name, "aarch64") ? MACHINE_UNKNOWN : MACHINE_AARCH64;
}

#endif
