/* elf_relocation.c - see elf_relocation.h. */
#include "elf_relocation.h"

#include <string.h>

static size_t entry_bytes(const struct elf_file *file, uint32_t section_type)
{
	if (section_type == SHT_RELA)
		return file->is_32_bit ? sizeof(Elf32_Rela) : sizeof(Elf64_Rela);
	return file->is_32_bit ? sizeof(Elf32_Rel) : sizeof(Elf64_Rel);
}

struct elf_relocations elf_relocations_read(struct elf_file *file,
					    const struct elf_section *section)
{
	struct elf_relocations relocations = { .is_32_bit = file->is_32_bit };

	if ((section->type != SHT_RELA && section->type != SHT_REL) ||
	    !(section->flags & SHF_ALLOC))
		return relocations;
	relocations.entry_bytes = entry_bytes(file, section->type);
	relocations.bytes = elf_file_read(file, section);
	relocations.count = relocations.bytes.count / relocations.entry_bytes;
	return relocations;
}

struct elf_relocation elf_relocations_get(const struct elf_relocations *relocations, size_t index)
{
	const unsigned char *at = relocations->bytes.at + index * relocations->entry_bytes;
	Elf64_Rela wide = { 0 };
	Elf32_Rela narrow = { 0 };

	if (!relocations->is_32_bit) {
		memcpy(&wide, at, relocations->entry_bytes);
		return (struct elf_relocation){
			.place = wide.r_offset, .addend = (uint64_t)wide.r_addend,
			.type = (uint32_t)ELF64_R_TYPE(wide.r_info),
			.symbol = (uint32_t)ELF64_R_SYM(wide.r_info),
		};
	}
	memcpy(&narrow, at, relocations->entry_bytes);
	return (struct elf_relocation){
		.place = narrow.r_offset, .addend = (uint32_t)narrow.r_addend,
		.type = ELF32_R_TYPE(narrow.r_info), .symbol = ELF32_R_SYM(narrow.r_info),
	};
}
