/* dwarf_file.c - see symbols/dwarf_file.h. Everything here reads bytes that a stranger chose.
 *
 * Problem: libdw reads and inflates every debug section when it opens a file, a third of which
 * (locations, macros, names) no source line needs; and it looks for the file that dwz made by
 * itself, by a path that the file names.
 *
 * Idea: before libdw sees the file, the sections that are not wanted are turned, in memory, into
 * sections without contents, which libdw passes over. The sizes of the others give the cost, known
 * before anything is inflated. The link to dwz's file goes the same way, unless the file is given.
 */
#include "symbols/dwarf_file.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTE_BYTES_MAX	  (1u << 20)
#define ALTLINK_BYTES_MAX 4096
#define GNU_ZLIB_BYTES	  12	/* "ZLIB" and the size, big-endian: before SHF_COMPRESSED */
#define ALTLINK_SECTION	  ".gnu_debugaltlink"

static int damaged(const char *what, struct diag *why)
{
	return diag_set(why, -EBADMSG, "damaged debug information: %s", what);
}

static bool is_inside(uint64_t offset, uint64_t bytes, uint64_t limit)
{
	return offset <= limit && bytes <= limit - offset;
}

static bool is_wanted(const char *name)
{
	static const char *const wanted[] = {
		"info", "abbrev", "aranges", "line", "line_str", "str", "str_offsets", "addr",
		"ranges", "rnglists", "types",
	};
	const char *kind;

	if (strncmp(name, ".debug_", 7) == 0)
		kind = name + 7;
	else if (strncmp(name, ".zdebug_", 8) == 0)
		kind = name + 8;
	else
		return false;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (strcmp(kind, wanted[i]) == 0)
			return true;
	return false;
}

/* What the section takes in memory, the compressed form besides the other. */
static uint64_t section_cost(Elf_Scn *scn, const GElf_Shdr *shdr, const char *name, int fd)
{
	unsigned char header[GNU_ZLIB_BYTES];
	uint64_t inflated = 0;
	GElf_Chdr chdr;

	if (shdr->sh_flags & SHF_COMPRESSED) {
		inflated = gelf_getchdr(scn, &chdr) ? chdr.ch_size : 0;
	} else if (name[1] == 'z' && shdr->sh_size > sizeof(header) &&
		   pread(fd, header, sizeof(header), (off_t)shdr->sh_offset) == sizeof(header)) {
		for (size_t i = 4; i < sizeof(header); i++)
			inflated = inflated << 8 | header[i];
	}
	return inflated > UINT64_MAX - shdr->sh_size ? UINT64_MAX : inflated + shdr->sh_size;
}

static bool hide_section(Elf_Scn *scn, GElf_Shdr *shdr)
{
	shdr->sh_type = SHT_NOBITS;
	return gelf_update_shdr(scn, shdr) != 0;
}

/* "PATH\0BUILD-ID" */
static void read_altlink(struct dwarf_file *file, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = shdr->sh_size <= ALTLINK_BYTES_MAX ? elf_rawdata(scn, NULL) : NULL;
	const char *path = data ? data->d_buf : NULL;
	const char *end = path ? memchr(path, '\0', data->d_size) : NULL;
	size_t id_bytes;

	if (!end)
		return;
	id_bytes = data->d_size - (size_t)(end + 1 - path);
	if (!id_bytes || id_bytes > BUILD_ID_MAX_BYTES)
		return;
	memcpy(file->alternate.bytes, end + 1, id_bytes);
	file->alternate.count = (uint8_t)id_bytes;
	file->alternate_path = path;
}

static int look_at_section(struct dwarf_file *file, Elf_Scn *scn, size_t names, int fd,
			   struct diag *why)
{
	const char *name;
	GElf_Shdr shdr;
	uint64_t cost;

	if (!gelf_getshdr(scn, &shdr))
		return damaged("section headers", why);
	name = elf_strptr(file->elf, names, shdr.sh_name);
	if (!name || shdr.sh_type == SHT_NOBITS)
		return 0;
	if (strcmp(name, ALTLINK_SECTION) == 0 &&
	    is_inside(shdr.sh_offset, shdr.sh_size, file->file_bytes)) {
		read_altlink(file, scn, &shdr);
		return 0;
	}
	if (strncmp(name, ".debug_", 7) != 0 && strncmp(name, ".zdebug_", 8) != 0)
		return 0;
	if (!is_wanted(name) || !is_inside(shdr.sh_offset, shdr.sh_size, file->file_bytes))
		return hide_section(scn, &shdr) ? 0 : damaged("section headers", why);
	cost = section_cost(scn, &shdr, name, fd);
	file->debug_bytes = cost > UINT64_MAX - file->debug_bytes ? UINT64_MAX
								  : file->debug_bytes + cost;
	return 0;
}

static int look_at_sections(struct dwarf_file *file, int fd, struct diag *why)
{
	Elf_Scn *scn = NULL;
	size_t names;
	int err;

	if (elf_getshdrstrndx(file->elf, &names))
		return damaged("section names", why);
	while ((scn = elf_nextscn(file->elf, scn))) {
		err = look_at_section(file, scn, names, fd, why);
		if (err)
			return err;
	}
	return 0;
}

static bool take_build_id(Elf_Data *notes, struct build_id *out)
{
	GElf_Nhdr note;
	size_t at = 0, name, description;

	while ((at = gelf_getnote(notes, at, &note, &name, &description)) > 0) {
		const char *bytes = notes->d_buf;

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(bytes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 &&
		    note.n_descsz > 0 && note.n_descsz <= BUILD_ID_MAX_BYTES) {
			memcpy(out->bytes, bytes + description, note.n_descsz);
			out->count = (uint8_t)note.n_descsz;
			return true;
		}
	}
	return false;
}

/* By sections: files that hold nothing but debug information have no segments to go by. */
static void read_build_id(struct dwarf_file *file)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(file->elf, scn))) {
		GElf_Shdr shdr;
		Elf_Data *notes;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_NOTE ||
		    shdr.sh_size > NOTE_BYTES_MAX ||
		    !is_inside(shdr.sh_offset, shdr.sh_size, file->file_bytes))
			continue;
		notes = elf_getdata(scn, NULL);
		if (notes && take_build_id(notes, &file->build_id))
			return;
	}
}

int dwarf_file_open(struct dwarf_file *file, int fd, struct diag *why)
{
	struct stat status;
	int err;

	*file = (struct dwarf_file){ .alternate_path = "" };
	if (fstat(fd, &status))
		return diag_set(why, -errno, "cannot read the file's size");
	file->file_bytes = (uint64_t)status.st_size;
	elf_version(EV_CURRENT);
	file->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF)
		err = diag_set(why, -ENOEXEC, "not an ELF file");
	else
		err = look_at_sections(file, fd, why);
	if (err)
		dwarf_file_close(file);
	else
		read_build_id(file);
	return err;
}

void dwarf_file_close(struct dwarf_file *file)
{
	dwarf_end(file->dwarf);
	elf_end(file->elf);
	memset(file, 0, sizeof(*file));
}

/* Else libdw would look for the file by itself. */
static bool hide_altlink(struct dwarf_file *file)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(file->elf, &names))
		return false;
	while ((scn = elf_nextscn(file->elf, scn))) {
		GElf_Shdr shdr;
		const char *name = gelf_getshdr(scn, &shdr)
					   ? elf_strptr(file->elf, names, shdr.sh_name) : NULL;

		if (name && strcmp(name, ALTLINK_SECTION) == 0 && !hide_section(scn, &shdr))
			return false;
	}
	return true;
}

/* libdw has no way to fail there. The worker dies, and main says so. */
static _Noreturn void out_of_memory(void)
{
	abort();
}

int dwarf_file_read(struct dwarf_file *file, const struct dwarf_file *alternate, struct diag *why)
{
	if (!file->debug_bytes)
		return diag_set(why, -ENODATA, "has no debug information");
	if (!alternate && !hide_altlink(file))
		return damaged("section headers", why);
	file->dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	if (!file->dwarf)
		return damaged(dwarf_errmsg(-1), why);
	dwarf_new_oom_handler(file->dwarf, out_of_memory);
	if (alternate)
		dwarf_setalt(file->dwarf, alternate->dwarf);
	return 0;
}

bool dwarf_file_address(const struct dwarf_file *file, uint64_t offset, uint64_t *address)
{
	size_t count;

	if (elf_getphdrnum(file->elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(file->elf, (int)i, &phdr))
			return false;
		if (phdr.p_type == PT_LOAD && (phdr.p_flags & PF_X) && offset >= phdr.p_offset &&
		    offset - phdr.p_offset < phdr.p_filesz) {
			*address = phdr.p_vaddr + (offset - phdr.p_offset);
			return true;
		}
	}
	return false;
}
