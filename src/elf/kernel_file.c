/* kernel_file.c - see kernel_file.h. Everything here parses untrusted bytes.
 *
 * Problem: a module is a relocatable file. The numbers in its debug sections, references to strings
 * among them, are zero; relocations have the values, relative to sections that have no address.
 *
 * Idea: its sections get the addresses where the kernel has loaded them, and the symbols, too, in
 * the private mapping of the file. Then the relocations of the debug sections are applied, and it
 * reads like any other file. A section that was not loaded, or was freed after the module's start,
 * gets an address in the first gigabyte, where no kernel code is.
 *
 * vmlinux is linked, and moved as a whole (KASLR) by the distance of _text.
 *
 * Rejected: libdwfl's relocation (opens files by path, maps more than one); reading vmlinux into
 * memory, as other files are (600 MB for one line). A mapped file that is cut short kills the
 * worker with SIGBUS, which is an error like any other of its deaths; main maps nothing.
 */
#include "kernel_file.h"

#include <errno.h>
#include <string.h>

#include "base/whole_io.h"
#include "elf_symbols.h"

#define NOWHERE	     0x10000ull		/* address of the first section that was not loaded */
#define NOWHERE_END  0x40000000ull

int kernel_layout_load(struct kernel_layout *out, int fd, struct diag *why)
{
	if (whole_pread(fd, out, sizeof(*out), 0) != (ssize_t)sizeof(*out) ||
	    out->section_count > KERNEL_SECTIONS_MAX || out->build_id.count > BUILD_ID_MAX_BYTES)
		return diag_set(why, -EINVAL, "no layout of the kernel");
	out->module[sizeof(out->module) - 1] = '\0';
	for (uint32_t i = 0; i < out->section_count; i++)
		out->sections[i].name[KERNEL_SECTION_BYTES - 1] = '\0';
	return 0;
}

static int damaged(struct diag *why)
{
	return diag_set(why, -EBADMSG, "damaged debug information of the kernel");
}

static int too_large(const struct dwarf_file *file, uint64_t memory_bytes, struct diag *why)
{
	return diag_set(why, -E2BIG, "its debug information takes %llu MiB, the limit is %llu MiB",
			(unsigned long long)(file->debug_bytes >> 20),
			(unsigned long long)(memory_bytes >> 20));
}

int kernel_file_is_stale(const struct build_id *found, const struct build_id *wanted,
			 struct diag *why)
{
	char is[BUILD_ID_HEX_BYTES], runs[BUILD_ID_HEX_BYTES];

	if (!wanted->count)
		return diag_set(why, -ESTALE, "the build-id of the running code is unknown");
	return diag_set(why, -ESTALE, "it has build-id %s, the running code %s",
			found->count ? build_id_format(found, is) : "(none)",
			build_id_format(wanted, runs));
}

static int check_build_id(struct elf_file *elf, const struct build_id *wanted, struct diag *why)
{
	const struct build_id found = elf_file_build_id(elf);

	return build_id_is_equal(&found, wanted) ? 0 : kernel_file_is_stale(&found, wanted, why);
}

uint64_t kernel_layout_find(const struct kernel_layout *layout, const char *name)
{
	for (uint32_t i = 0; i < layout->section_count; i++)
		if (strcmp(layout->sections[i].name, name) == 0)
			return layout->sections[i].address;
	return 0;
}

static int place_sections(struct elf_file *elf, const struct kernel_layout *layout,
			  struct diag *why)
{
	uint64_t nowhere = NOWHERE;

	for (size_t i = 1; i < elf->section_count; i++) {
		const struct elf_section *section = &elf->sections[i];
		uint64_t address;

		if (!(section->flags & SHF_ALLOC))
			continue;
		address = kernel_layout_find(layout, section->name);
		if (!address) {
			address = nowhere;
			if (section->bytes > NOWHERE_END - nowhere)
				return damaged(why);
			nowhere += (section->bytes + 0xfff) & ~0xfffull;
			if (nowhere > NOWHERE_END)
				return damaged(why);
		}
		if (!elf_file_place(elf, section, address))
			return damaged(why);
	}
	return 0;
}

/* Adds to each symbol the address of its section. */
static int place_symbols(struct elf_file *elf, struct diag *why)
{
	const struct elf_section *table = elf_file_section_of_type(elf, SHT_SYMTAB);
	unsigned char *at = table ? elf_file_edit(elf, table) : NULL;

	if (!at || elf->is_32_bit)
		return damaged(why);
	for (uint64_t i = 0; i < table->bytes / sizeof(Elf64_Sym); i++) {
		Elf64_Sym symbol;

		memcpy(&symbol, at + i * sizeof(symbol), sizeof(symbol));
		if (symbol.st_shndx >= elf->section_count || symbol.st_shndx >= SHN_LORESERVE)
			continue;
		symbol.st_value += elf->sections[symbol.st_shndx].vaddr;
		memcpy(at + i * sizeof(symbol), &symbol, sizeof(symbol));
	}
	return 0;
}

/* Returns how many bytes a relocation of @type changes; 0: it is none that debug sections have. */
static size_t relocated_bytes(uint16_t machine, uint32_t type)
{
	if (machine == EM_X86_64)
		return type == R_X86_64_64 ? 8 :
		       type == R_X86_64_32 || type == R_X86_64_32S ? 4 : 0;
	if (machine == EM_AARCH64)
		return type == R_AARCH64_ABS64 ? 8 : type == R_AARCH64_ABS32 ? 4 : 0;
	return 0;
}

struct relocating {
	const struct elf_file *elf;
	struct elf_bytes symbols;
	unsigned char *target;		/* bytes of the section that is relocated */
	size_t target_bytes;
};

static void relocate_one(const struct relocating *at, const Elf64_Rela *relocation)
{
	const size_t bytes = relocated_bytes(at->elf->header.e_machine,
					     (uint32_t)ELF64_R_TYPE(relocation->r_info));
	const uint64_t index = ELF64_R_SYM(relocation->r_info);
	Elf64_Sym symbol;
	uint64_t value;

	if (!bytes || index >= at->symbols.count / sizeof(symbol) ||
	    relocation->r_offset > at->target_bytes ||
	    bytes > at->target_bytes - relocation->r_offset)
		return;
	memcpy(&symbol, at->symbols.at + index * sizeof(symbol), sizeof(symbol));
	value = symbol.st_value + (uint64_t)relocation->r_addend;
	memcpy(at->target + relocation->r_offset, &value, bytes);	/* little endian */
}

static bool is_debug(const struct elf_section *section)
{
	return strncmp(section->name, ".debug_", strlen(".debug_")) == 0;
}

/* Returns the bytes that libdw will see, inflated if necessary; NULL: not wanted, or damaged. */
static Elf_Data *target_of(struct elf_file *elf, size_t number)
{
	Elf_Scn *scn = elf_getscn(elf->elf, number);
	GElf_Shdr shdr;

	/* Unneeded sections are hidden by now: dwarf_file.c. */
	if (!is_debug(&elf->sections[number]) || !gelf_getshdr(scn, &shdr) ||
	    shdr.sh_type == SHT_NOBITS)
		return NULL;
	if (shdr.sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0)
		return NULL;
	return elf_getdata(scn, NULL);
}

static void relocate_section(struct elf_file *elf, const struct elf_section *table,
			     struct elf_bytes symbols, Elf_Data *target)
{
	const struct relocating at = { elf, symbols, target->d_buf, target->d_size };
	const struct elf_bytes rows = elf_file_read(elf, table);

	for (size_t i = 0; rows.at && i < rows.count / sizeof(Elf64_Rela); i++) {
		Elf64_Rela relocation;

		memcpy(&relocation, rows.at + i * sizeof(relocation), sizeof(relocation));
		relocate_one(&at, &relocation);
	}
}

/* Returns the debug section that the relocations in section @number are for, or NULL. */
static Elf_Data *find_target(struct elf_file *elf, size_t number)
{
	const struct elf_section *table = &elf->sections[number];

	return table->type == SHT_RELA && table->target && table->target < elf->section_count
		       ? target_of(elf, table->target) : NULL;
}

/* Applies the relocations of the debug sections. Their pages become memory of the worker's own,
 * which debug_bytes counts. */
static int relocate(struct dwarf_file *file, uint64_t memory_bytes, struct diag *why)
{
	struct elf_file *elf = &file->elf;
	struct elf_symbols symbols;
	int err = elf_symbols_read(&symbols, elf, SHT_SYMTAB, why);

	if (err)
		return err == -ENOENT ? damaged(why) : err;
	for (size_t i = 1; i < elf->section_count; i++) {
		Elf_Data *target = find_target(elf, i);

		if (!target || !target->d_buf)
			continue;
		file->debug_bytes += target->d_size;	/* at most 2 GiB each */
		if (file->debug_bytes > memory_bytes)
			return too_large(file, memory_bytes, why);
		relocate_section(elf, &elf->sections[i], symbols.symbols, target);
	}
	return 0;
}

static int place_module(struct dwarf_file *file, const struct kernel_layout *layout,
			uint64_t memory_bytes, struct diag *why)
{
	int err = place_sections(&file->elf, layout, why);

	if (!err)
		err = place_symbols(&file->elf, why);
	return err ? err : relocate(file, memory_bytes, why);
}

/* Finds the distance that the kernel was moved by. */
static int find_slide(const struct elf_file *elf, const struct kernel_layout *layout,
		      uint64_t *slide, struct diag *why)
{
	const struct elf_section *text = elf_file_section(elf, ".text");

	if (!text)
		return diag_set(why, -EBADMSG, "it has no section .text");
	*slide = layout->text_address - text->vaddr;
	return 0;
}

int kernel_file_open(struct dwarf_file *out, int fd, enum dwarf_request request,
		     const struct kernel_layout *layout, uint64_t memory_bytes, uint64_t *slide,
		     struct diag *why)
{
	int err = dwarf_file_open_mapped(out, fd, request, why);

	*slide = 0;
	if (err)
		return err;
	err = check_build_id(&out->elf, &layout->build_id, why);
	if (!err && !out->debug_bytes)
		err = diag_set(why, -ENODATA, "no debug information");
	if (!err && out->debug_bytes > memory_bytes)
		err = too_large(out, memory_bytes, why);
	if (!err && out->elf.header.e_type == ET_REL)
		err = place_module(out, layout, memory_bytes, why);
	else if (!err && layout->text_address)
		err = find_slide(&out->elf, layout, slide, why);
	if (!err)
		err = elf_file_make_segments(&out->elf, why);
	if (err)
		dwarf_file_close(out);
	return err;
}
