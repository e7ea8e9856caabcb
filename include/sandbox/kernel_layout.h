/* kernel_layout.h - which kernel or module runs, and where it was loaded. Input of jobs that read
 * its debug information: what the debug file has are addresses as linked (the kernel's, without
 * KASLR) or offsets in sections (a module's).
 *
 * Use:    filled by flametop (symbols/kernel_debug.h) and passed as a sealed memfd with one struct.
 * Source: /sys/kernel/notes, /proc/kallsyms; /sys/module/MODULE/notes, /sys/module/MODULE/sections.
 * Thread: any.
 */
#ifndef SANDBOX_KERNEL_LAYOUT_H
#define SANDBOX_KERNEL_LAYOUT_H

#include <stdint.h>

#include "base/build_id.h"

#define KERNEL_MODULE_BYTES  64		/* MODULE_NAME_LEN is 56 */
#define KERNEL_SECTION_BYTES 56
#define KERNEL_SECTIONS_MAX  128	/* modules of Debian have 40 at most */

struct kernel_section {
	char name[KERNEL_SECTION_BYTES];
	uint64_t address;	/* at run time */
};

/* Zero it before filling it. */
struct kernel_layout {
	char module[KERNEL_MODULE_BYTES];	/* "": the kernel itself */
	struct build_id build_id;		/* the running code's; count 0: unknown */
	uint8_t padding[3];
	uint64_t text_address;	/* run-time address of the kernel's section .text; 0:
				 * unknown, or a module */
	uint32_t section_count;	/* a module's */
	uint32_t padding2;
	struct kernel_section sections[KERNEL_SECTIONS_MAX];
};

#endif
