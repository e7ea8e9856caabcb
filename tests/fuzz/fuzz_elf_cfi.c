/* fuzz_elf_cfi.c - whatever the unwind entries of a file are, its rows pass the check, or there are
 * none.
 *
 * The file is made here; the input becomes its entries. The first byte says how, so that the fuzzer
 * need not find out first what an entry looks like: the whole section; or the instructions of a CIE
 * (as many bytes as the second byte says) and of an FDE of it, the others following as they are; or
 * Go's table, as a whole or after a header of one of its versions, the second byte being the count
 * of functions. */
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/elf_cfi.h"
#include "sandbox/unwind_table.h"

#define ENTRIES_MAX 8192
#define CODE_BYTES  4096

/* The first byte holds these, and in its two uppermost bits the version of Go's table. */
enum { IS_ENTRIES = 1, IS_DEBUG_FRAME = 2, IS_SIGNAL = 4, IS_GO = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* All of it is loaded at address 0x1000, so that the first CODE_BYTES are 0x1000 to 0x1fff. */
struct file {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[3];
	char names[48];
	uint8_t entries[ENTRIES_MAX];
};

static const char names[] = "\0.eh_frame\0.debug_frame\0.names\0.gopclntab";

static uint32_t name_of(uint8_t flags)
{
	if (flags & IS_GO)
		return 31;
	return flags & IS_DEBUG_FRAME ? 11 : 1;
}

static void make_file(struct file *file, uint32_t name, size_t entry_bytes)
{
	file->header = (Elf64_Ehdr){
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_phoff = offsetof(struct file, segment),
		.e_shoff = offsetof(struct file, sections), .e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 2,
	};
	file->segment = (Elf64_Phdr){
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x1000,
		.p_filesz = sizeof(*file), .p_memsz = sizeof(*file), .p_align = 0x1000,
	};
	file->sections[1] = (Elf64_Shdr){
		.sh_name = name, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC,
		.sh_addr = 0x1000 + offsetof(struct file, entries),
		.sh_offset = offsetof(struct file, entries), .sh_size = entry_bytes,
	};
	file->sections[2] = (Elf64_Shdr){
		.sh_name = 24, .sh_type = SHT_STRTAB, .sh_offset = offsetof(struct file, names),
		.sh_size = sizeof(names),
	};
	memcpy(file->names, names, sizeof(names));
}

static size_t put(uint8_t *at, const void *bytes, size_t count)
{
	memcpy(at, bytes, count);
	return count;
}

/* | CIE "zR" or "zRS", absolute addresses of 4 bytes | FDE of CODE_BYTES | the rest | */
static size_t put_entries(uint8_t *at, uint8_t flags, const uint8_t *bytes, size_t count)
{
	const size_t cie_bytes = count && bytes[0] < count ? bytes[0] : 0;
	const size_t fde_bytes = count > cie_bytes ? (count - cie_bytes) / 2 : 0;
	const bool is_signal = flags & IS_SIGNAL;
	const uint32_t cie_id = flags & IS_DEBUG_FRAME ? UINT32_MAX : 0;
	const uint32_t cie_head[] = { (uint32_t)(4 + 9 + is_signal + cie_bytes), cie_id };
	const uint8_t cie_tail[] = { 1, 0x78, 16, 1, 3 };	/* aligns, rip, augmentation */
	size_t used = put(at, cie_head, sizeof(cie_head));
	uint32_t fde_head[4] = { (uint32_t)(4 + 8 + 1 + fde_bytes), 0, 0x1000, CODE_BYTES };

	used += put(at + used, is_signal ? "\1zRS" : "\1zR", is_signal ? 5 : 4);
	used += put(at + used, cie_tail, sizeof(cie_tail));
	used += put(at + used, bytes, cie_bytes);
	fde_head[1] = flags & IS_DEBUG_FRAME ? 0 : (uint32_t)used + 4;
	used += put(at + used, fde_head, sizeof(fde_head));
	used += put(at + used, "", 1);
	used += put(at + used, bytes + cie_bytes, fde_bytes);
	return used + put(at + used, bytes + cie_bytes + fde_bytes, count - cie_bytes - fde_bytes);
}

/* | magic, 8 bytes a word | words | the rest | Offsets of names, frame sizes and functions count
 * from the rest; in 1.2 the rest follows the first word. */
static size_t put_go(uint8_t *at, uint8_t flags, const uint8_t *bytes, size_t count)
{
	static const uint32_t magics[] = { 0xfffffffbu, 0xfffffffau, 0xfffffff0u, 0xfffffff1u };
	const uint64_t rest = 8 + 8 * sizeof(uint64_t);
	const uint64_t words[8] = { bytes[0], 0, 0x1000, rest, rest, rest, rest, rest };
	const uint32_t magic = magics[flags >> 6];
	size_t used = put(at, &magic, sizeof(magic));

	used += put(at + used, "\0\0\1\10", 4);
	used += put(at + used, words, flags >> 6 ? sizeof(words) : sizeof(words[0]));
	return used + put(at + used, bytes + 1, count - 1);
}

static void compile(const struct file *file)
{
	int fd = memfd_create("elf", MFD_CLOEXEC), err;
	struct unwind_table table;
	size_t count;
	void *bytes;

	if (fd < 0 || write(fd, file, sizeof(*file)) != sizeof(*file))
		abort();
	err = elf_cfi_compile(fd, -1, &bytes, &count, NULL);
	if (err && err != -EBADMSG && err != -E2BIG && err != -ENOMEM)
		abort();
	if (!err && unwind_table_check(&table, bytes, count, NULL))
		abort();
	free(bytes);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	static struct file file;
	size_t entry_bytes;

	if (count < 2 || count > ENTRIES_MAX / 2)
		return 0;
	if (bytes[0] & IS_ENTRIES)
		entry_bytes = put(file.entries, bytes + 1, count - 1);
	else if (bytes[0] & IS_GO)
		entry_bytes = put_go(file.entries, bytes[0], bytes + 1, count - 1);
	else
		entry_bytes = put_entries(file.entries, bytes[0], bytes + 1, count - 1);
	make_file(&file, name_of(bytes[0]), entry_bytes);
	compile(&file);
	return 0;
}
