/* dwarf_files.c - see dwarf_files.h.
 *
 * The debug information is the DSO's own, else its debug file's. Offsets are converted to
 * addresses with the DSO's segments, because a debug file's are garbage.
 */
#include "dwarf_files.h"

#include <errno.h>
#include <string.h>

#include "elf_debug_file.h"
#include "kernel_file.h"

/* Opens dwz's file; ignores it if its build-id is not the one referred to. */
static int open_alternate(struct dwarf_files *files, int fd, struct diag *why)
{
	struct build_id id;
	int err;

	if (fd < 0 || !files->source->alternate.count)
		return 0;
	err = dwarf_file_open(&files->alternate, fd, why);
	if (err)
		return err;
	id = elf_file_build_id(&files->alternate.elf);
	if (!build_id_is_equal(&id, &files->source->alternate))
		dwarf_file_close(&files->alternate);
	return 0;
}

int dwarf_files_open(struct dwarf_files *files, int dso, int debug, int alternate,
		     struct diag *why)
{
	int err = dwarf_file_open(&files->dso, dso, why);

	if (!err)
		err = elf_file_read_segments(&files->dso.elf, why);
	if (!err && debug >= 0)
		err = dwarf_file_open(&files->debug, debug, why);
	if (err)
		return err;
	if (debug >= 0 && !elf_debug_file_belongs(&files->dso.elf, &files->debug.elf, debug))
		dwarf_file_close(&files->debug);
	files->source = files->debug.debug_bytes ? &files->debug : &files->dso;
	return open_alternate(files, alternate, why);
}

int dwarf_files_open_kernel(struct dwarf_files *files, int dso, int layout, uint64_t memory_bytes,
			    struct diag *why)
{
	struct kernel_layout loaded;
	int err = kernel_layout_load(&loaded, layout, why);

	files->is_of_kernel = true;
	files->source = &files->dso;
	return err ? err : kernel_file_open(&files->dso, dso, DWARF_LINES, &loaded, memory_bytes,
					    &files->slide, why);
}

bool dwarf_files_address(const struct dwarf_files *files, uint64_t offset, uint64_t *address)
{
	*address = offset - files->slide;
	return files->is_of_kernel || dwarf_file_address(&files->dso, offset, address);
}

bool dwarf_files_offset(const struct dwarf_files *files, uint64_t address, uint64_t *offset,
			uint64_t *left)
{
	if (!elf_file_find_code(&files->dso.elf, address, offset, left))
		return false;
	if (files->is_of_kernel)
		*offset = address + files->slide;
	return true;
}

void dwarf_files_close(struct dwarf_files *files)
{
	dwarf_file_close(&files->dso);
	dwarf_file_close(&files->debug);
	dwarf_file_close(&files->alternate);
}

int dwarf_files_check_cost(const struct dwarf_files *files, uint64_t memory_bytes,
			   struct diag *why)
{
	uint64_t bytes = files->source->debug_bytes;

	bytes = files->alternate.debug_bytes > UINT64_MAX - bytes
			? UINT64_MAX : bytes + files->alternate.debug_bytes;
	if (bytes <= memory_bytes)
		return 0;
	return diag_set(why, -E2BIG, "its debug information takes %llu MiB, the limit is %llu MiB",
			(unsigned long long)(bytes >> 20),
			(unsigned long long)(memory_bytes >> 20));
}

bool dwarf_files_lack_alternate(const struct dwarf_files *files)
{
	return files->source->alternate.count && !files->alternate.debug_bytes;
}

void dwarf_files_alternate_name(const struct dwarf_files *files, char out[LINE_ALTERNATE_BYTES])
{
	const char *path = files->source->alternate_path;
	const char *directory = strstr(path, "/.dwz/");
	const char *slash = strrchr(path, '/');
	const char *name = directory ? directory + strlen("/.dwz/") : slash ? slash + 1 : path;

	out[0] = '\0';
	if (strlen(name) < LINE_ALTERNATE_BYTES)
		strcpy(out, name);
}

int dwarf_files_read(struct dwarf_files *files, struct diag *why)
{
	const bool has_alternate = files->alternate.debug_bytes != 0;
	int err = has_alternate ? dwarf_file_read(&files->alternate, NULL, why) : 0;

	return err ? err : dwarf_file_read(files->source, has_alternate ? &files->alternate : NULL,
					   why);
}
