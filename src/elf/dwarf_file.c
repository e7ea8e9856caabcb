/* dwarf_file.c - see dwarf_file.h. Everything here parses untrusted bytes.
 *
 * Problem: libdw reads and inflates every debug section when it opens a file, although a third of
 * that (locations, macros, names) is not needed for source lines; and it opens the dwz file on its
 * own, by a path from the file.
 *
 * Idea: before libdw sees the file, unneeded sections are changed, in memory, to SHT_NOBITS, which
 * libdw skips. The sizes of the others give the cost before anything is inflated. The section with
 * the link to dwz's file is hidden in the same way, unless dwz's file is given.
 */
#include "dwarf_file.h"

#include <errno.h>
#include <string.h>

#define ALTLINK_BYTES_MAX 4096
#define ALTLINK_SECTION	  ".gnu_debugaltlink"
#define GNU_ZLIB_BYTES	  12	/* "ZLIB" and big-endian size: older than SHF_COMPRESSED */

static int damaged(const char *what, struct diag *why)
{
	return diag_set(why, -EBADMSG, "damaged debug information: %s", what);
}

/* Returns the name of a debug section without its prefix; NULL: no debug section. */
static const char *debug_kind(const char *name)
{
	if (strncmp(name, ".debug_", 7) == 0)
		return name + 7;
	return strncmp(name, ".zdebug_", 8) == 0 ? name + 8 : NULL;
}

static bool is_wanted(const char *kind, enum dwarf_request request)
{
	static const char *const wanted[] = {
		"loc", "loclists", "frame",	/* DWARF_LOCATIONS */
		"info", "abbrev", "aranges", "line", "line_str", "str", "str_offsets", "addr",
		"ranges", "rnglists", "types",
	};

	const size_t first = request == DWARF_LOCATIONS ? 0 : 3;

	for (size_t i = first; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (strcmp(kind, wanted[i]) == 0)
			return true;
	return false;
}

static bool is_in_file(const struct elf_file *elf, const struct elf_section *section)
{
	return section->offset <= elf->file_bytes &&
	       section->bytes <= elf->file_bytes - section->offset;
}

static uint64_t add_capped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Returns the memory that the section needs: its bytes and, if compressed, the inflated ones. */
static uint64_t section_cost(struct elf_file *elf, size_t number)
{
	const struct elf_section *section = &elf->sections[number];
	const uint64_t read_bytes = elf->mapped ? 1 : section->bytes;
	struct elf_bytes header = { .at = NULL };
	uint64_t inflated = 0;
	GElf_Chdr chdr;

	if (section->flags & SHF_COMPRESSED) {
		if (gelf_getchdr(elf_getscn(elf->elf, number), &chdr))
			inflated = chdr.ch_size;
	} else if (section->name[1] == 'z' && section->bytes > GNU_ZLIB_BYTES) {
		header = elf_file_read_at(elf, section->offset, GNU_ZLIB_BYTES);
	}
	for (size_t i = 4; header.at && i < GNU_ZLIB_BYTES; i++)
		inflated = inflated << 8 | header.at[i];
	return add_capped(inflated, read_bytes);
}

static bool hide_section(struct elf_file *elf, size_t number)
{
	Elf_Scn *scn = elf_getscn(elf->elf, number);
	GElf_Shdr shdr;

	if (!gelf_getshdr(scn, &shdr))
		return false;
	shdr.sh_type = SHT_NOBITS;
	return gelf_update_shdr(scn, &shdr) != 0;
}

/* Reads .gnu_debugaltlink: "PATH\0BUILD-ID". */
static void read_altlink(struct dwarf_file *file, const struct elf_section *section)
{
	struct elf_bytes link = { .at = NULL };
	const unsigned char *end;
	size_t id_bytes;

	if (section->bytes <= ALTLINK_BYTES_MAX)
		link = elf_file_read(&file->elf, section);
	end = link.at ? memchr(link.at, '\0', link.count) : NULL;
	if (!end)
		return;
	id_bytes = link.count - (size_t)(end + 1 - link.at);
	if (!id_bytes || id_bytes > BUILD_ID_MAX_BYTES)
		return;
	memcpy(file->alternate.bytes, end + 1, id_bytes);
	file->alternate.count = (uint8_t)id_bytes;
	file->alternate_path = (const char *)link.at;
}

static bool look_at_section(struct dwarf_file *file, size_t number, enum dwarf_request request)
{
	const struct elf_section *section = &file->elf.sections[number];
	const char *kind = debug_kind(section->name);

	if (section->type == SHT_NOBITS)
		return true;
	if (strcmp(section->name, ALTLINK_SECTION) == 0)
		read_altlink(file, section);
	if (!kind)
		return true;
	if (!is_wanted(kind, request) || !is_in_file(&file->elf, section))
		return hide_section(&file->elf, number);
	file->debug_bytes = add_capped(file->debug_bytes, section_cost(&file->elf, number));
	return true;
}

static int look_at_sections(struct dwarf_file *file, enum dwarf_request request, struct diag *why)
{
	int err = 0;

	for (size_t i = 1; !err && i < file->elf.section_count; i++)
		if (!look_at_section(file, i, request))
			err = damaged("section headers", why);
	if (err)
		dwarf_file_close(file);
	return err;
}

int dwarf_file_open_with(struct dwarf_file *file, int fd, enum dwarf_request request,
			 struct diag *why)
{
	int err;

	*file = (struct dwarf_file){ .dwarf = NULL };
	err = elf_file_open(&file->elf, fd, why);
	return err ? err : look_at_sections(file, request, why);
}

int dwarf_file_open_mapped(struct dwarf_file *file, int fd, enum dwarf_request request,
			   struct diag *why)
{
	int err;

	*file = (struct dwarf_file){ .dwarf = NULL };
	err = elf_file_open_mapped(&file->elf, fd, why);
	return err ? err : look_at_sections(file, request, why);
}

int dwarf_file_open(struct dwarf_file *file, int fd, struct diag *why)
{
	return dwarf_file_open_with(file, fd, DWARF_LINES, why);
}

void dwarf_file_close(struct dwarf_file *file)
{
	dwarf_end(file->dwarf);
	elf_file_close(&file->elf);
	*file = (struct dwarf_file){ .dwarf = NULL };
}

/* Else libdw would look for the file by itself. */
static bool hide_altlink(struct dwarf_file *file)
{
	for (size_t i = 1; i < file->elf.section_count; i++)
		if (strcmp(file->elf.sections[i].name, ALTLINK_SECTION) == 0 &&
		    !hide_section(&file->elf, i))
			return false;
	return true;
}

int dwarf_file_read(struct dwarf_file *file, const struct dwarf_file *alternate, struct diag *why)
{
	if (!file->debug_bytes)
		return diag_set(why, -ENODATA, "no debug information");
	if (!alternate && !hide_altlink(file))
		return damaged("section headers", why);
	file->dwarf = dwarf_begin_elf(file->elf.elf, DWARF_C_READ, NULL);
	if (!file->dwarf)
		return damaged(dwarf_errmsg(-1), why);
	if (alternate)
		dwarf_setalt(file->dwarf, alternate->dwarf);
	return 0;
}

bool dwarf_file_address(const struct dwarf_file *file, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < file->elf.segment_count; i++) {
		const struct elf_segment *segment = &file->elf.segments[i];

		if (segment->is_code && offset >= segment->offset &&
		    offset - segment->offset < segment->bytes) {
			*address = segment->vaddr + (offset - segment->offset);
			return true;
		}
	}
	return false;
}
