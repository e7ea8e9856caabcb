/* symtab_builder.c - see symtab_builder.h. Everything here parses untrusted bytes.
 *
 * Sources of names, in order: .symtab of the debug file or of the file itself; without one,
 * .gnu_debugdata, .dynsym and the Go runtime's table together; then the PLT slots; then the unwind
 * entries of code that none of these name.
 *
 * Trust: a bad symbol or entry loses its own row; a bad section of unwind entries or relocations
 * its rows; a damaged or foreign debug file its symbols. Only if the file is no ELF file, is
 * truncated, or its symbol table can't be read, there is no table: then nothing is reliable.
 */
#include "symtab_builder.h"

#include <errno.h>

#include "elf/flat_builder.h"
#include "elf_debug_file.h"
#include "elf_file.h"
#include "elf_plt.h"
#include "elf_symbols.h"
#include "frame_entries.h"
#include "go_symbols.h"

static int add_range(void *context, const struct frame_entry *entry)
{
	return flat_builder_add_unwind(context, entry->offset, entry->bytes, entry->vaddr);
}

/* Adds the ranges of all FDEs that frame_entries_walk() finds. Returns 0, -ENOMEM or -E2BIG. */
static int elf_unwind_add(struct elf_file *main, struct elf_file *debug,
			  struct flat_builder *builder)
{
	return frame_entries_walk(main, debug, add_range, builder);
}

#define SIZELESS_CAP 4096	/* bytes; rarely reached, because sections end with a boundary */

struct compilation {
	struct elf_file main, debug;	/* debug.elf NULL: none that belongs to it */
	struct elf_minidebug minidebug;
	struct flat_builder *builder;	/* owned */
	struct diag *why;
};

static int refuse_size(struct compilation *job, int err)
{
	if (err == -E2BIG)
		return diag_set(job->why, err, "more than %u symbols, or names of %u MiB",
				FLAT_BUILDER_MAX_SYMBOLS, FLAT_BYTES_MAX >> 20);
	return diag_set(job->why, err, "the symbol table needs more memory than allowed");
}

/* Adds a boundary at each section's end: sizeless symbols must not extend into .plt or .fini. */
static int add_section_ends(struct compilation *job)
{
	int err = 0;

	for (size_t i = 1; i < job->main.section_count && !err; i++) {
		const struct elf_section *section = &job->main.sections[i];
		uint64_t offset, left;

		if (elf_file_is_code(section) &&
		    elf_file_find_code(&job->main, section->vaddr, &offset, &left) &&
		    section->bytes <= left)
			err = flat_builder_add_boundary(job->builder, offset + section->bytes,
							NULL);
	}
	return err ? refuse_size(job, err) : 0;
}

/* Adds the symbols of @file's table of @type. Returns -ENOENT if it has none. */
static int add_symbols(struct compilation *job, struct elf_file *file, uint32_t type)
{
	struct elf_symbols symbols;
	int err = elf_symbols_read(&symbols, file, type, job->why);

	if (err)
		return err;
	flat_builder_reserve(job->builder, symbols.count);
	err = elf_symbols_add(&symbols, &job->main, job->builder);
	/* The table is not needed again. Its names are; a hostile file has both in one section. */
	if (type == SHT_SYMTAB && symbols.names.at != symbols.symbols.at)
		elf_file_drop(file, elf_file_section_of_type(file, type));
	return err ? refuse_size(job, err) : 0;
}

/* Maps damage of an optional file to -ENOENT: it counts as missing. */
static int without_damage(int err)
{
	return err == -EBADMSG || err == -ENOEXEC ? -ENOENT : err;
}

static int add_symtab(struct compilation *job)
{
	int err = -ENOENT;

	if (job->debug.elf)
		err = without_damage(add_symbols(job, &job->debug, SHT_SYMTAB));
	return err == -ENOENT ? add_symbols(job, &job->main, SHT_SYMTAB) : err;
}

/* Records why .gnu_debugdata can't be used; the file keeps its other names. */
static int refuse_minidebug(struct compilation *job, enum flat_minidebug reason)
{
	flat_builder_set_minidebug(job->builder, reason);
	return -ENOENT;
}

static int add_minidebug_symbols(struct compilation *job)
{
	int err = elf_minidebug_open(&job->minidebug, &job->main);

	if (err == -ENOMEM)
		return refuse_size(job, err);
	if (!err)
		err = add_symbols(job, &job->minidebug.file, SHT_SYMTAB);
	else if (err == -E2BIG)
		return refuse_minidebug(job, FLAT_MINIDEBUG_TOO_LARGE);
	if (err == -EBADMSG || err == -ENOEXEC)
		return refuse_minidebug(job, FLAT_MINIDEBUG_DAMAGED);
	return err;
}

/* Adds the symbol sources of a file without .symtab; each may have functions that others lack. */
static int add_remaining_symbols(struct compilation *job)
{
	int err = add_minidebug_symbols(job);

	if (!err || err == -ENOENT)
		err = add_symbols(job, &job->main, SHT_DYNSYM);
	if (err && err != -ENOENT)
		return err;
	err = go_symbols_add(&job->main, job->builder);
	return err ? refuse_size(job, err) : 0;
}

static int add_all_symbols(struct compilation *job)
{
	int err = add_symtab(job);

	flat_builder_set_symtab(job->builder, err == 0);
	return err == -ENOENT ? add_remaining_symbols(job) : err;
}

static int add_plt_slots(struct compilation *job)
{
	int err = elf_plt_add(&job->main, job->builder);

	return err ? refuse_size(job, err) : 0;
}

static int add_unwind_entries(struct compilation *job)
{
	int err = elf_unwind_add(&job->main, job->debug.elf ? &job->debug : NULL, job->builder);

	return err ? refuse_size(job, err) : 0;
}

static void fill_header(struct compilation *job)
{
	struct elf_debug_link link = elf_debug_link_read(&job->main);
	struct build_id id = elf_file_build_id(&job->main);

	flat_builder_set_build_id(job->builder, &id);
	flat_builder_set_debug_link(job->builder, link.name, link.crc);
}

static int compile(struct compilation *job, int fd, int debug_fd, void **bytes,
		   size_t *bytes_count)
{
	int err = elf_file_open(&job->main, fd, job->why);

	if (!err)
		err = elf_file_read_segments(&job->main, job->why);
	if (err)
		return err;
	elf_debug_file_open(&job->debug, &job->main, debug_fd);
	fill_header(job);
	err = add_section_ends(job);
	if (!err)
		err = add_all_symbols(job);
	if (!err)
		err = add_plt_slots(job);
	if (!err)
		err = add_unwind_entries(job);
	if (err)
		return err;
	err = flat_builder_finish(job->builder, SIZELESS_CAP, bytes, bytes_count);
	return err ? refuse_size(job, err) : 0;
}

int symtab_builder_build(int fd, int debug_fd, void **bytes, size_t *bytes_count, struct diag *why)
{
	struct compilation job = { .why = why, .builder = flat_builder_create() };
	int err;

	*bytes = NULL;
	if (job.builder)
		err = compile(&job, fd, debug_fd, bytes, bytes_count);
	else
		err = refuse_size(&job, -ENOMEM);
	elf_minidebug_close(&job.minidebug);
	elf_file_close(&job.debug);
	elf_file_close(&job.main);
	flat_builder_destroy(job.builder);
	return err;
}
