/* kernel_core.c - code of the running kernel from its memory, see code_sources.h.
 *
 * Problem: /proc/kcore is all of the kernel's memory, and a BPF program can read all of it. What is
 * read is shown on a screen. And some machines have no such file: kernels built without it, and
 * containers, which cover it.
 *
 * Idea: only code is read: between _stext and _etext, in modules, and elsewhere (BPF programs,
 * trampolines) functions that the kernel lists. The file's headers come from the kernel, but are
 * checked all the same: a size or an offset of 2^56 finds nothing. A BPF program, which nothing
 * else bounds, reads no further than the next function that the kernel lists.
 *
 * Source: Linux, fs/proc/kcore.c; proc(5), kcore and modules.
 */
#include "code_sources.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/whole_io.h"
#include "bpf/kernel_reads.h"
#include "sandbox/code_files.h"
#include "sandbox/kernel_layout.h"
#include "symbols/kernel_debug.h"

#define HEADERS_MAX	 4096u	/* a range of memory each; 8 are usual */
#define TRAMPOLINE_BYTES 65536u	/* largest function outside of kernel and modules */

static const atomic_bool never;	/* nobody stops the reader before its end */

int code_reader_open_kcore(void)
{
	const int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat status;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode)) {	/* /dev/null */
		close(fd);
		return -ENXIO;
	}
	return fd;
}

int kernel_core_find_bounds(struct kernel_core *core, struct diag *why)
{
	int err;

	if (core->has_bounds)
		return 0;
	err = kallsyms_find_bounds(&core->bounds, "/proc/kallsyms", &never, why);
	if (!err && !core->bounds.begin)
		err = diag_set(why, -EPERM, "the kernel hides its addresses: run as root or with "
			       "CAP_SYSLOG and kernel.kptr_restrict at most 1");
	core->has_bounds = !err;
	return err;
}

/* Returns whether @bytes at @at are inside of @size bytes at @start. */
static bool is_inside(uint64_t at, uint64_t bytes, uint64_t start, uint64_t size)
{
	return at >= start && at - start <= size && bytes <= size - (at - start);
}

static int read_header(int fd, Elf64_Ehdr *header, struct diag *why)
{
	if (whole_pread(fd, header, sizeof(*header), 0) != sizeof(*header) ||
	    memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_type != ET_CORE ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
	    header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum > HEADERS_MAX ||
	    header->e_phoff > INT64_MAX - HEADERS_MAX * sizeof(Elf64_Phdr))
		return diag_set(why, -EBADMSG, "/proc/kcore has a header that is not understood");
	return 0;
}

int kernel_core_find(int fd, uint64_t address, uint64_t bytes, uint64_t *offset, struct diag *why)
{
	Elf64_Ehdr header;
	Elf64_Phdr part;
	uint64_t at;
	int err = read_header(fd, &header, why);

	if (err)
		return err;
	for (uint32_t i = 0; i < header.e_phnum; i++) {
		const off_t place = (off_t)(header.e_phoff + i * sizeof(part));

		if (whole_pread(fd, &part, sizeof(part), place) != sizeof(part))
			return diag_set(why, -EBADMSG, "/proc/kcore ends in its headers");
		if (part.p_type != PT_LOAD ||
		    !is_inside(address, bytes, part.p_vaddr, part.p_filesz))
			continue;
		at = address - part.p_vaddr;
		if (part.p_offset > INT64_MAX || at > INT64_MAX - part.p_offset ||
		    bytes > INT64_MAX - part.p_offset - at)
			continue;
		*offset = part.p_offset + at;
		return 0;
	}
	return diag_set(why, -ENODATA, "no bytes: /proc/kcore has nothing at 0x%" PRIx64, address);
}

bool kernel_core_find_module(const struct code_range *range, char name[KERNEL_MODULE_BYTES])
{
	FILE *modules = fopen("/proc/modules", "re");
	uint64_t start, size;
	char line[4096];
	bool is_found = false;

	while (modules && !is_found && fgets(line, sizeof(line), modules))
		is_found = sscanf(line, "%63s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &size,
				  &start) == 3 &&
			   start && is_inside(range->address, range->bytes, start, size);
	if (modules)
		fclose(modules);
	return is_found;
}

_Static_assert(KERNEL_MODULE_BYTES == 64, "the width in the format");

/* The kernel's own code has its bounds. */
static int has_address(void *context, uint64_t address, const char *name, const char *dso_name)
{
	(void)name;
	return dso_name && address == *(const uint64_t *)context;
}

/* Returns whether the range begins with a function that the kernel lists as one of a BPF program or
 * a trampoline. */
static bool is_listed(const struct code_range *range)
{
	uint64_t address = range->address;

	return range->bytes <= TRAMPOLINE_BYTES &&
	       kallsyms_list("/proc/kallsyms", has_address, &address, &never, NULL) == 1;
}

/* Returns whether the range is between _stext and _etext. */
static bool is_own_code(const struct kernel_core *core, const struct code_range *range)
{
	const struct kallsyms_bounds *bounds = &core->bounds;

	return bounds->end > bounds->begin &&
	       is_inside(range->address, range->bytes, bounds->begin,
			 bounds->end - bounds->begin);
}

static bool is_code(const struct kernel_core *core, const struct code_range *range)
{
	char module[KERNEL_MODULE_BYTES];

	return is_own_code(core, range) || kernel_core_find_module(range, module) ||
	       is_listed(range);
}

/* Returns 0 if all ranges are code. */
static int check_code(struct kernel_core *core, const struct code_copy *copy, struct diag *why)
{
	const int err = kernel_core_find_bounds(core, why);

	for (uint32_t i = 0; !err && i < copy->count; i++)
		if (!is_code(core, &copy->ranges[i]))
			return diag_set(why, -ENODATA, "no bytes: the kernel has no code at 0x%"
					PRIx64 " now", copy->ranges[i].address);
	return err;
}

static const char *reason_of(int err)
{
	switch (err) {
	case -EPERM: return "it needs CAP_SYS_RAWIO, and no lockdown";
	case -EACCES: return "run as root";
	case -ENXIO: return "another file covers it, as in a container";
	default: return strerror(-err);
	}
}

int kernel_core_read(struct kernel_core *core, const struct code_copy *copy, struct diag *why)
{
	uint64_t offset;
	int err;

	if (core->fd == -ENOENT)
		return diag_set(why, core->fd, "this kernel has no /proc/kcore");
	if (core->fd < 0)
		return diag_set(why, core->fd, "/proc/kcore can't be opened (%s)",
				reason_of(core->fd));
	err = check_code(core, copy, why);
	for (uint32_t i = 0; !err && i < copy->count; i++) {
		const struct code_range *range = &copy->ranges[i];

		err = kernel_core_find(core->fd, range->address, range->bytes, &offset, why);
		if (!err && whole_pread(core->fd, copy->bytes + range->offset, range->bytes,
					(off_t)offset) != (ssize_t)range->bytes)
			err = diag_set(why, -EIO, "/proc/kcore can't be read at 0x%" PRIx64,
				       range->address);
	}
	return err;
}

/* The beginnings of the functions around the ranges. */
struct neighbours {
	const struct code_copy *copy;
	bool is_in_order;	/* all ranges are the kernel's own, whose functions are in order */
	bool is_in_function[CODE_RANGES_MAX];
	uint64_t next[CODE_RANGES_MAX];		/* 0: there is none */
};

#define ALL_FOUND 1	/* ends the walk early */

static int note_neighbours(void *context, uint64_t address, const char *name, const char *dso_name)
{
	struct neighbours *neighbours = context;
	bool is_done = neighbours->is_in_order && !dso_name;

	(void)name;
	for (uint32_t i = 0; i < neighbours->copy->count; i++) {
		uint64_t *next = &neighbours->next[i];

		if (address <= neighbours->copy->ranges[i].address)
			neighbours->is_in_function[i] = true;
		else if (!*next || address < *next)
			*next = address;
		is_done = is_done && *next;
	}
	return is_done ? ALL_FOUND : 0;
}

/* Returns 0 if each range is within one function that the kernel lists. */
static int check_functions(const struct kernel_core *core, const struct code_copy *copy,
			   struct diag *why)
{
	struct neighbours neighbours = { .copy = copy, .is_in_order = true };
	int err;

	for (uint32_t i = 0; i < copy->count; i++)
		neighbours.is_in_order = neighbours.is_in_order &&
					 is_own_code(core, &copy->ranges[i]);
	err = kallsyms_list("/proc/kallsyms", note_neighbours, &neighbours, &never, why);
	if (err < 0)
		return err;
	for (uint32_t i = 0; i < copy->count; i++) {
		const struct code_range *range = &copy->ranges[i];
		const uint64_t next = neighbours.next[i];

		if (!neighbours.is_in_function[i] ||
		    (next && range->bytes > next - range->address))
			return diag_set(why, -ENODATA, "no bytes: the kernel lists no function of "
					"%" PRIu64 " bytes at 0x%" PRIx64 " now", range->bytes,
					range->address);
	}
	return 0;
}

int kernel_core_read_by_bpf(struct kernel_core *core, const struct code_copy *copy,
			    struct diag *why)
{
	int err = check_code(core, copy, why);

	if (!err)
		err = check_functions(core, copy, why);
	for (uint32_t i = 0; !err && i < copy->count; i++) {
		const struct code_range *range = &copy->ranges[i];

		err = kernel_code_read(range->address, (uint32_t)range->bytes,
				       copy->bytes + range->offset, why);
	}
	return err;
}

_Static_assert(KERNEL_CODE_BYTES_MAX == CODE_RANGE_BYTES_MAX, "a whole request can be read");

/* Code of a kernel or module from its file, for want of its memory: as it was linked, without what
 * alternatives, static keys, ftrace and probes have changed.
 */

/* Has a worker find out where the code in the file behind @fd is at run time. */
static int place_code(struct elf_segments *out, struct sandbox *sandbox, int fd,
		      const struct kernel_layout *layout, struct diag *why)
{
	const int layout_fd = sandbox_seal("flametop-layout", layout, sizeof(*layout));
	const struct sandbox_request job = { .kind = SANDBOX_SEGMENTS, .inputs = { fd, layout_fd },
					     .input_count = 2 };
	struct sandbox_bytes bytes;
	int err;

	if (layout_fd < 0)
		return diag_set(why, -ENOMEM, "no memory for the kernel's layout");
	err = sandbox_run(sandbox, &job, &bytes, why);
	close(layout_fd);
	if (err)
		return err;
	err = elf_segments_check(out, bytes.bytes, bytes.count, why);
	sandbox_bytes_finish(&bytes);
	return err;
}

static int copy_code(int fd, const struct elf_segments *segments, const struct code_copy *copy,
		     struct diag *why)
{
	uint64_t offset;

	for (uint32_t i = 0; i < copy->count; i++) {
		const struct code_range *range = &copy->ranges[i];

		if (!elf_segments_find_code(segments, range->address, range->bytes, &offset))
			return diag_set(why, -ENODATA, "it has not this code");
		if (whole_pread(fd, copy->bytes + range->offset, range->bytes, (off_t)offset) !=
		    (ssize_t)range->bytes)
			return diag_set(why, -EIO, "it can't be read");
	}
	return 0;
}

int kernel_image_read(struct sandbox *sandbox, const struct kernel_layout *layout,
		      const struct code_copy *copy, struct code_bytes *out, struct diag *why)
{
	struct kernel_debug_search search = { .layout = layout };
	struct elf_segments segments;
	int fd, err;

	while ((fd = kernel_debug_next(&search, why)) >= 0) {
		struct diag reason = { .err = 0 };

		err = place_code(&segments, sandbox, fd, layout, &reason);
		if (!err)
			err = copy_code(fd, &segments, copy, &reason);
		close(fd);
		if (!err) {
			out->origin = CODE_FROM_IMAGE;
			out->machine = machine_of_elf(segments.machine);
			out->build_id = layout->build_id;
			snprintf(out->note, sizeof(out->note), "bytes of %s, as on disk",
				 search.path);
			return 0;
		}
		kernel_debug_refused(&search, err, &reason);
	}
	return search.stale.err ? diag_set(why, -ENOENT, "%s", search.stale.text)
				: diag_set(why, -ENOENT, "there is no image of it");
}
