/* compiler.c - see symbols/compiler.h. Everything here reads bytes that a stranger chose.
 *
 * Problem: a profiler knows the file offset of a sample (address - mapping start + page offset);
 * the symbol table has virtual addresses; section offsets agree with neither where a linker or
 * optimizer made several executable segments.
 *
 * Idea: translate each st_value once, through the PT_LOAD that holds it. Then a look-up needs
 * neither segments nor a load bias.
 *
 * Trust: libelf's checked accessors only (gelf_*, elf_strptr); what they return is a foreign number
 * and is compared with the file's size before it is used in a sum. What does not fit is left out: a
 * bad symbol costs its own row, a bad section the table.
 */
#include "symbols/compiler.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "symbols/flat_builder.h"

#define FILE_BYTES_MAX	 ((uint64_t)2 << 30)	/* larger objects were not found in the wild */
#define NOTE_BYTES_MAX	 (1u << 20)
#define SIZELESS_CAP	 4096	/* sections end with a boundary, so this is hardly ever reached */
#define SEGMENTS_MAX	 1024	/* executable PT_LOADs: 1 usual, 2 with BOLT */
#define NAME_VERSION_SEP '@'	/* "name@VER", "name@@VER" in .symtab */

struct segment {
	uint64_t vaddr, offset, bytes;	/* offset + bytes <= file size, vaddr + bytes: no wrap */
};

struct code_section {
	uint64_t vaddr, bytes;	/* bytes 0: not code */
};

struct object {
	Elf *elf;		/* owned */
	uint64_t file_bytes;
	GElf_Ehdr header;
	struct segment *segments;	/* owned */
	size_t segment_count;
	struct code_section *sections;	/* owned; by section number */
	size_t section_count;
	struct flat_builder *builder;	/* owned */
	struct diag *why;
};

static int damaged(struct object *object, const char *what)
{
	int libelf_error = elf_errno();

	return diag_set(object->why, -EBADMSG, "damaged ELF file: %s%s%s", what,
			libelf_error ? ": " : "", libelf_error ? elf_errmsg(libelf_error) : "");
}

static int out_of_memory(struct object *object)
{
	return diag_set(object->why, -ENOMEM, "the symbol table needs more memory than allowed");
}

static bool is_inside(uint64_t offset, uint64_t bytes, uint64_t limit)
{
	return offset <= limit && bytes <= limit - offset;
}

static int open_elf(struct object *object, int fd)
{
	struct stat status;

	if (fstat(fd, &status))
		return diag_set(object->why, -errno, "cannot read the file's size");
	if ((uint64_t)status.st_size > FILE_BYTES_MAX)
		return diag_set(object->why, -E2BIG, "file is larger than 2 GiB");
	object->file_bytes = (uint64_t)status.st_size;
	elf_version(EV_CURRENT);
	object->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!object->elf || elf_kind(object->elf) != ELF_K_ELF)
		return diag_set(object->why, -ENOEXEC, "not an ELF file");
	if (!gelf_getehdr(object->elf, &object->header))
		return damaged(object, "header");
	if (object->header.e_shoff > object->file_bytes ||
	    object->header.e_phoff > object->file_bytes)
		return damaged(object, "cut short, its tables lie behind the end");
	return 0;
}

static int read_segments(struct object *object)
{
	size_t count;

	if (elf_getphdrnum(object->elf, &count))
		return damaged(object, "program headers");
	for (size_t i = 0; i < count && object->segment_count < SEGMENTS_MAX; i++) {
		GElf_Phdr phdr;
		uint64_t bytes;

		if (!gelf_getphdr(object->elf, (int)i, &phdr))
			return damaged(object, "program headers");
		if (phdr.p_type != PT_LOAD || !(phdr.p_flags & PF_X) ||
		    phdr.p_offset >= object->file_bytes)
			continue;
		bytes = phdr.p_filesz;
		if (bytes > object->file_bytes - phdr.p_offset)
			bytes = object->file_bytes - phdr.p_offset;
		if (bytes > UINT64_MAX - phdr.p_vaddr)
			continue;
		object->segments[object->segment_count++] = (struct segment){
			.vaddr = phdr.p_vaddr, .offset = phdr.p_offset, .bytes = bytes,
		};
	}
	return 0;
}

static const struct segment *find_segment(const struct object *object, uint64_t vaddr)
{
	for (size_t i = 0; i < object->segment_count; i++) {
		const struct segment *segment = &object->segments[i];

		if (vaddr >= segment->vaddr && vaddr - segment->vaddr < segment->bytes)
			return segment;
	}
	return NULL;
}

/* The end of a section stops sizeless symbols: what follows (.plt, .fini) is not theirs. */
static int add_section_end(struct object *object, const struct code_section *section)
{
	const struct segment *segment = find_segment(object, section->vaddr);
	uint64_t into;
	int err = 0;

	if (!segment)
		return 0;
	into = section->vaddr - segment->vaddr;
	if (section->bytes <= segment->bytes - into)
		err = flat_builder_add_boundary(object->builder,
						segment->offset + into + section->bytes, NULL);
	return err ? out_of_memory(object) : 0;
}

static int read_sections(struct object *object)
{
	if (elf_getshdrnum(object->elf, &object->section_count))
		return damaged(object, "section headers");
	if (object->header.e_shoff && !object->section_count)
		return damaged(object, "cut short, its section headers are missing");
	object->sections = calloc(object->section_count + 1, sizeof(*object->sections));
	if (!object->sections)
		return out_of_memory(object);
	for (size_t i = 1; i < object->section_count; i++) {
		const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;
		GElf_Shdr shdr;
		int err;

		if (!gelf_getshdr(elf_getscn(object->elf, i), &shdr))
			return damaged(object, "section headers");
		if ((shdr.sh_flags & code) != code)
			continue;
		object->sections[i] = (struct code_section){ shdr.sh_addr, shdr.sh_size };
		err = add_section_end(object, &object->sections[i]);
		if (err)
			return err;
	}
	return 0;
}

static bool find_build_id(Elf_Data *notes, struct build_id *out)
{
	GElf_Nhdr note;
	size_t offset = 0, name, description, next;

	while ((next = gelf_getnote(notes, offset, &note, &name, &description)) > 0) {
		const char *bytes = notes->d_buf;

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(bytes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 &&
		    note.n_descsz > 0 && note.n_descsz <= BUILD_ID_MAX_BYTES) {
			memcpy(out->bytes, bytes + description, note.n_descsz);
			out->count = (uint8_t)note.n_descsz;
			return true;
		}
		offset = next;
	}
	return false;
}

/* From PT_NOTE, where the kernel looks too: its records carry what it found there. */
static struct build_id read_build_id(const struct object *object)
{
	struct build_id id = { .count = 0 };
	size_t count;

	if (elf_getphdrnum(object->elf, &count))
		return id;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr phdr;
		Elf_Data *notes;

		if (!gelf_getphdr(object->elf, (int)i, &phdr) || phdr.p_type != PT_NOTE ||
		    phdr.p_filesz > NOTE_BYTES_MAX ||
		    !is_inside(phdr.p_offset, phdr.p_filesz, object->file_bytes))
			continue;
		notes = elf_getdata_rawchunk(object->elf, (int64_t)phdr.p_offset, phdr.p_filesz,
					     phdr.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (notes && find_build_id(notes, &id))
			break;
	}
	return id;
}

/* Kinds that perf shows as functions; a hidden NOTYPE symbol is a label inside of one. */
static bool is_code_symbol(const GElf_Sym *symbol)
{
	int visibility = GELF_ST_VISIBILITY(symbol->st_other);

	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE:
		return visibility != STV_HIDDEN && visibility != STV_INTERNAL;
	default:
		return false;
	}
}

/* Order of aliases (flat_builder.h): not NOTYPE, then not WEAK, then GLOBAL. */
static unsigned int symbol_rank(const GElf_Sym *symbol)
{
	int bind = GELF_ST_BIND(symbol->st_info);

	return (GELF_ST_TYPE(symbol->st_info) != STT_NOTYPE ? 4u : 0u) |
	       (bind != STB_WEAK ? 2u : 0u) | (bind == STB_GLOBAL ? 1u : 0u);
}

/* @name without its version. @buffer takes the shortened text; NULL: nothing left to show. */
static const char *strip_version(const char *name, char **buffer, size_t *buffer_bytes)
{
	const char *at = strchr(name, NAME_VERSION_SEP);
	size_t len;
	char *grown;

	if (!at)
		return *name ? name : NULL;
	len = (size_t)(at - name);
	if (len == 0)
		return NULL;
	if (len + 1 > *buffer_bytes) {
		grown = realloc(*buffer, len + 1);
		if (!grown)
			return NULL;
		*buffer = grown;
		*buffer_bytes = len + 1;
	}
	memcpy(*buffer, name, len);
	(*buffer)[len] = '\0';
	return *buffer;
}

struct symbol_section {
	Elf_Data *symbols, *indices;	/* indices: SHT_SYMTAB_SHNDX or NULL */
	size_t strings;			/* section number of the names */
	char *name_buffer;		/* owned */
	size_t name_buffer_bytes;
};

static int add_symbol(struct object *object, struct symbol_section *section, int index)
{
	const struct segment *segment;
	const char *name;
	GElf_Sym symbol;
	Elf32_Word number = 0;
	uint64_t into, bytes;
	int err;

	if (!gelf_getsymshndx(section->symbols, section->indices, index, &symbol, &number))
		return damaged(object, "symbol table");
	if (symbol.st_shndx != SHN_XINDEX)
		number = symbol.st_shndx;
	if (number >= object->section_count || !object->sections[number].bytes ||
	    (symbol.st_shndx >= SHN_LORESERVE && symbol.st_shndx != SHN_XINDEX) ||
	    !is_code_symbol(&symbol))
		return 0;
	segment = find_segment(object, symbol.st_value);
	name = elf_strptr(object->elf, section->strings, symbol.st_name);
	if (name)
		name = strip_version(name, &section->name_buffer, &section->name_buffer_bytes);
	if (!segment || !name)
		return 0;
	into = symbol.st_value - segment->vaddr;
	bytes = symbol.st_size;
	if (bytes > segment->bytes - into)
		bytes = segment->bytes - into;
	err = flat_builder_add(object->builder, segment->offset + into, bytes, name, NULL,
			       symbol_rank(&symbol));
	if (err == -E2BIG)
		return diag_set(object->why, err, "more than %u symbols",
				FLAT_BUILDER_MAX_SYMBOLS);
	return err ? out_of_memory(object) : 0;
}

static Elf_Scn *find_section(struct object *object, GElf_Word type, size_t link, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(object->elf, scn)))
		if (gelf_getshdr(scn, shdr) && shdr->sh_type == type &&
		    (!link || shdr->sh_link == link))
			return scn;
	return NULL;
}

static int add_symbols(struct object *object, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	struct symbol_section section = { .strings = shdr->sh_link };
	GElf_Shdr indices_shdr;
	Elf_Scn *indices;
	size_t count;
	int err = 0;

	if (!is_inside(shdr->sh_offset, shdr->sh_size, object->file_bytes))
		return damaged(object, "cut short, its symbols lie behind the end");
	section.symbols = elf_getdata(scn, NULL);
	if (!section.symbols || section.symbols->d_type != ELF_T_SYM)
		return damaged(object, "symbol table");
	indices = find_section(object, SHT_SYMTAB_SHNDX, elf_ndxscn(scn), &indices_shdr);
	if (indices)
		section.indices = elf_getdata(indices, NULL);
	count = section.symbols->d_size / gelf_fsize(object->elf, ELF_T_SYM, 1, EV_CURRENT);
	if (count > FLAT_BUILDER_MAX_SYMBOLS)
		return diag_set(object->why, -E2BIG, "more than %u symbols",
				FLAT_BUILDER_MAX_SYMBOLS);
	for (size_t i = 1; i < count && !err; i++)
		err = add_symbol(object, &section, (int)i);
	free(section.name_buffer);
	return err;
}

static int read_symbols(struct object *object)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = find_section(object, SHT_SYMTAB, 0, &shdr);

	if (!scn)
		scn = find_section(object, SHT_DYNSYM, 0, &shdr);
	return scn ? add_symbols(object, scn, &shdr) : 0;
}

static int compile(struct object *object, int fd, void **bytes, size_t *bytes_count)
{
	struct build_id id;
	int err = open_elf(object, fd);

	if (!err)
		err = read_segments(object);
	if (!err)
		err = read_sections(object);
	if (!err)
		err = read_symbols(object);
	if (err)
		return err;
	id = read_build_id(object);
	flat_builder_set_build_id(object->builder, &id);
	err = flat_builder_finish(object->builder, SIZELESS_CAP, bytes, bytes_count);
	if (err == -E2BIG)
		return diag_set(object->why, err, "symbols need more than %u MiB",
				FLAT_BYTES_MAX >> 20);
	return err ? out_of_memory(object) : 0;
}

int compiler_compile(int fd, int debug_fd, void **bytes, size_t *bytes_count, struct diag *why)
{
	struct object object = { .why = why };
	int err;

	(void)debug_fd;
	*bytes = NULL;
	object.builder = flat_builder_create();
	object.segments = calloc(SEGMENTS_MAX, sizeof(*object.segments));
	if (object.builder && object.segments)
		err = compile(&object, fd, bytes, bytes_count);
	else
		err = out_of_memory(&object);
	elf_end(object.elf);
	flat_builder_destroy(object.builder);
	free(object.segments);
	free(object.sections);
	return err;
}
