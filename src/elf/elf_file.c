/* elf_file.c - see elf_file.h.
 *
 * Idea: headers are read once, through libelf, into arrays that later steps walk freely; every
 * number that is used as a position in the file is compared with the file's size right before the
 * bytes are read.
 *
 * Rejected: libelf's accessors for each symbol and name (three calls and two searches a symbol:
 * 40 ms for a library of 150,000), and its reading of whole sections (small pages; see
 * large_block.h).
 */
#include "elf_file.h"

#include <errno.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "large_block.h"

#define FILE_BYTES_MAX	  ((uint64_t)2 << 30)	/* larger DSOs were not found in the wild */
#define INFLATED_MAX	  (256u << 20)	/* per section: ten times the largest .debug_frame seen */
#define READS_MAX	  4	/* times the file's size: names of two sections may be shared */
#define NOTE_BYTES_MAX	  (1u << 20)
#define NOTES_MAX	  32		/* searched for the build-id; it is in the first 3 */
#define SECTIONS_MAX	  100000	/* DSOs that run have 20 to 50 */
#define SEGMENTS_MAX	  1024		/* 2 to 6 are usual */
#define SECTION_NAME_MAX  64		/* longer names are never looked up */

static int refuse_damaged(struct diag *why, const char *what)
{
	int libelf_error = elf_errno();

	return diag_set(why, -EBADMSG, "damaged ELF file: %s%s%s", what,
			libelf_error ? ": " : "", libelf_error ? elf_errmsg(libelf_error) : "");
}

static bool is_inside(uint64_t offset, uint64_t bytes, uint64_t limit)
{
	return offset <= limit && bytes <= limit - offset;
}

/* Charges a read to the file's budget: a hostile file can have 100,000 sections that each span the
 * whole file. Returns false if the range is outside the file or the budget is exhausted. */
static bool take_bytes(struct elf_file *file, uint64_t offset, uint64_t bytes)
{
	if (!is_inside(offset, bytes, file->file_bytes) || bytes > file->unread_bytes)
		return false;
	file->unread_bytes -= bytes;
	return true;
}

static int refuse_memory(struct diag *why)
{
	return diag_set(why, -ENOMEM, "the symbol table needs more memory than allowed");
}

static const char *section_name(const struct elf_file *file, uint32_t offset)
{
	const struct elf_bytes *names = &file->section_names;
	size_t left;

	if (offset >= names->count)
		return "";
	left = names->count - offset;
	if (!memchr(names->at + offset, '\0', left < SECTION_NAME_MAX ? left : SECTION_NAME_MAX))
		return "";
	return (const char *)names->at + offset;
}

static void read_section_names(struct elf_file *file)
{
	GElf_Shdr shdr;
	size_t number;

	if (!elf_getshdrstrndx(file->elf, &number) &&
	    gelf_getshdr(elf_getscn(file->elf, number), &shdr))
		file->section_names = elf_file_read_at(file, shdr.sh_offset, shdr.sh_size);
}

static int read_sections(struct elf_file *file, struct diag *why)
{
	if (elf_getshdrnum(file->elf, &file->section_count))
		return refuse_damaged(why, "section headers");
	if (file->header.e_shoff && !file->section_count)
		return refuse_damaged(why, "cut short, its section headers are missing");
	if (file->section_count > SECTIONS_MAX)
		return diag_set(why, -E2BIG, "more than %d sections", SECTIONS_MAX);
	file->sections = calloc(file->section_count + 1, sizeof(*file->sections));
	if (!file->sections)
		return refuse_memory(why);
	file->sections[0].name = "";
	read_section_names(file);
	for (size_t i = 1; i < file->section_count; i++) {
		GElf_Shdr shdr;

		if (!gelf_getshdr(elf_getscn(file->elf, i), &shdr))
			return refuse_damaged(why, "section headers");
		file->sections[i] = (struct elf_section){
			.name = section_name(file, shdr.sh_name), .vaddr = shdr.sh_addr,
			.offset = shdr.sh_offset, .bytes = shdr.sh_size, .flags = shdr.sh_flags,
			.type = shdr.sh_type, .link = shdr.sh_link,
			.target = shdr.sh_info,
		};
	}
	return 0;
}

static int read_headers(struct elf_file *file, struct diag *why)
{
	const unsigned char own_order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB :
										    ELFDATA2MSB;

	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF)
		return diag_set(why, -ENOEXEC, "not an ELF file");
	if (!gelf_getehdr(file->elf, &file->header))
		return refuse_damaged(why, "header");
	if (file->header.e_ident[EI_DATA] != own_order)
		return diag_set(why, -ENOEXEC, "an ELF file of another byte order");
	file->is_32_bit = file->header.e_ident[EI_CLASS] == ELFCLASS32;
	if (file->header.e_shoff > file->file_bytes || file->header.e_phoff > file->file_bytes)
		return refuse_damaged(why, "cut short, its tables lie after the end");
	return read_sections(file, why);
}

static int finish_open(struct elf_file *file, struct diag *why)
{
	int err = read_headers(file, why);

	if (err)
		elf_file_close(file);
	return err;
}

int elf_file_open(struct elf_file *out, int fd, struct diag *why)
{
	struct stat status;

	*out = (struct elf_file){ .fd = fd };
	if (fstat(fd, &status))
		return diag_set(why, -errno, "cannot read the file's size");
	if ((uint64_t)status.st_size > FILE_BYTES_MAX)
		return diag_set(why, -E2BIG, "file is larger than 2 GiB");
	out->file_bytes = (uint64_t)status.st_size;
	out->unread_bytes = READS_MAX * out->file_bytes;
	elf_version(EV_CURRENT);
	out->elf = elf_begin(fd, ELF_C_READ, NULL);
	return finish_open(out, why);
}

int elf_file_open_image(struct elf_file *out, void *image, size_t bytes, struct diag *why)
{
	*out = (struct elf_file){
		.image = image, .file_bytes = bytes, .unread_bytes = READS_MAX * bytes,
	};
	elf_version(EV_CURRENT);
	out->elf = elf_memory(image, bytes);
	return finish_open(out, why);
}

int elf_file_open_mapped(struct elf_file *out, int fd, struct diag *why)
{
	struct stat status;
	void *image;
	int err;

	*out = (struct elf_file){ .elf = NULL };
	if (fstat(fd, &status))
		return diag_set(why, -errno, "cannot read the file's size");
	if ((uint64_t)status.st_size > FILE_BYTES_MAX)
		return diag_set(why, -E2BIG, "file is larger than 2 GiB");
	if (!status.st_size)
		return diag_set(why, -ENOEXEC, "not an ELF file");
	image = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (image == MAP_FAILED)
		return diag_set(why, -errno, "cannot map the file: %s", strerror(errno));
	err = elf_file_open_image(out, image, (size_t)status.st_size, why);
	if (err)
		munmap(image, (size_t)status.st_size);
	else
		out->mapped = image;
	return err;
}

void elf_file_close(struct elf_file *file)
{
	elf_end(file->elf);
	if (file->mapped)
		munmap(file->mapped, file->file_bytes);
	for (size_t i = 0; file->sections && i < file->section_count; i++)
		free(file->sections[i].owned);
	free(file->sections);
	free(file->segments);
	*file = (struct elf_file){ .elf = NULL };
}

static void add_segment(struct elf_file *file, const GElf_Phdr *phdr)
{
	uint64_t bytes = phdr->p_filesz;
	size_t at = file->segment_count;

	if (phdr->p_type != PT_LOAD || phdr->p_offset >= file->file_bytes)
		return;
	if (bytes > file->file_bytes - phdr->p_offset)
		bytes = file->file_bytes - phdr->p_offset;
	if (bytes > UINT64_MAX - phdr->p_vaddr)
		return;
	/* Insertion sort: the gABI requires ascending order already. */
	for (; at > 0 && file->segments[at - 1].vaddr > phdr->p_vaddr; at--)
		file->segments[at] = file->segments[at - 1];
	file->segments[at] = (struct elf_segment){
		.vaddr = phdr->p_vaddr, .offset = phdr->p_offset, .bytes = bytes,
		.is_code = phdr->p_flags & PF_X,
	};
	file->segment_count++;
}

unsigned char *elf_file_edit(struct elf_file *file, const struct elf_section *section)
{
	if (!file->mapped || section->type == SHT_NOBITS || section->flags & SHF_COMPRESSED ||
	    !is_inside(section->offset, section->bytes, file->file_bytes))
		return NULL;
	return file->mapped + section->offset;
}

bool elf_file_place(struct elf_file *file, const struct elf_section *section, uint64_t vaddr)
{
	Elf_Scn *scn = elf_getscn(file->elf, (size_t)(section - file->sections));
	GElf_Shdr shdr;

	if (!gelf_getshdr(scn, &shdr))
		return false;
	shdr.sh_addr = vaddr;
	file->sections[section - file->sections].vaddr = vaddr;
	return gelf_update_shdr(scn, &shdr) != 0;
}

static int by_vaddr(const void *a, const void *b)
{
	const struct elf_segment *x = a, *y = b;

	return (x->vaddr > y->vaddr) - (x->vaddr < y->vaddr);
}

int elf_file_make_segments(struct elf_file *file, struct diag *why)
{
	free(file->segments);
	file->segment_count = 0;
	file->segments = calloc(file->section_count + 1, sizeof(*file->segments));
	if (!file->segments)
		return refuse_memory(why);
	for (size_t i = 1; i < file->section_count; i++) {
		const struct elf_section *section = &file->sections[i];

		if (elf_file_is_code(section) && section->bytes <= UINT64_MAX - section->vaddr)
			file->segments[file->segment_count++] = (struct elf_segment){
				.vaddr = section->vaddr, .offset = section->offset,
				.bytes = section->bytes, .is_code = true,
			};
	}
	qsort(file->segments, file->segment_count, sizeof(*file->segments), by_vaddr);
	return 0;
}

int elf_file_read_segments(struct elf_file *file, struct diag *why)
{
	size_t count;

	if (elf_getphdrnum(file->elf, &count))
		return refuse_damaged(why, "program headers");
	file->segments = calloc(SEGMENTS_MAX, sizeof(*file->segments));
	if (!file->segments)
		return refuse_memory(why);
	for (size_t i = 0; i < count && file->segment_count < SEGMENTS_MAX; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(file->elf, (int)i, &phdr))
			return refuse_damaged(why, "program headers");
		add_segment(file, &phdr);
	}
	return 0;
}

const struct elf_segment *elf_file_find_segment(const struct elf_file *file, uint64_t vaddr)
{
	const struct elf_segment *segment;
	size_t low = 0, high = file->segment_count;

	while (low < high) {	/* until low is the first segment that starts after @vaddr */
		size_t middle = low + (high - low) / 2;

		if (file->segments[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	segment = &file->segments[low - 1];
	return vaddr - segment->vaddr < segment->bytes ? segment : NULL;
}

bool elf_file_find_code(const struct elf_file *file, uint64_t vaddr, uint64_t *offset,
			uint64_t *left)
{
	const struct elf_segment *segment = elf_file_find_segment(file, vaddr);

	if (!segment || !segment->is_code)
		return false;
	*offset = vaddr - segment->vaddr + segment->offset;
	*left = segment->bytes - (vaddr - segment->vaddr);
	return true;
}

bool elf_file_is_code(const struct elf_section *section)
{
	const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;

	return (section->flags & code) == code;
}

const struct elf_section *elf_file_section(const struct elf_file *file, const char *name)
{
	for (size_t i = 1; i < file->section_count; i++)
		if (strcmp(file->sections[i].name, name) == 0)
			return &file->sections[i];
	return NULL;
}

const struct elf_section *elf_file_section_of_type(const struct elf_file *file, uint32_t type)
{
	for (size_t i = 1; i < file->section_count; i++)
		if (file->sections[i].type == type)
			return &file->sections[i];
	return NULL;
}

static struct elf_bytes to_bytes(const Elf_Data *bytes)
{
	if (!bytes || !bytes->d_buf)
		return (struct elf_bytes){ .at = NULL };
	return (struct elf_bytes){ bytes->d_buf, bytes->d_size };
}

static struct elf_bytes inflate(Elf_Scn *scn)
{
	GElf_Chdr chdr;

	if (!gelf_getchdr(scn, &chdr) || chdr.ch_size > INFLATED_MAX ||
	    elf_compress(scn, 0, 0) < 0)
		return (struct elf_bytes){ .at = NULL };
	return to_bytes(elf_getdata(scn, NULL));
}

static bool read_all(int fd, unsigned char *at, uint64_t bytes, uint64_t offset)
{
	while (bytes) {
		ssize_t got = pread(fd, at, bytes, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		bytes -= (uint64_t)got;
		offset += (uint64_t)got;
	}
	return true;
}

/* Reads a section without libelf, which would read it into small pages. */
static struct elf_bytes read_section(const struct elf_file *file, struct elf_section *section)
{
	struct elf_bytes bytes = { .count = section->bytes };

	if (file->image) {
		bytes.at = file->image + section->offset;
		return bytes;
	}
	section->owned = large_block_alloc(section->bytes + 1);
	if (section->owned && read_all(file->fd, section->owned, section->bytes, section->offset))
		bytes.at = section->owned;
	return bytes;
}

struct elf_bytes elf_file_read(struct elf_file *file, const struct elf_section *section)
{
	struct elf_section *own = &file->sections[section - file->sections];

	if (own->was_read)
		return own->content;
	own->was_read = true;
	if (own->type == SHT_NOBITS || !take_bytes(file, own->offset, own->bytes))
		return own->content;
	if (own->flags & SHF_COMPRESSED)
		own->content = inflate(elf_getscn(file->elf, (size_t)(own - file->sections)));
	else
		own->content = read_section(file, own);
	return own->content;
}

void elf_file_drop(struct elf_file *file, const struct elf_section *section)
{
	struct elf_section *own = &file->sections[section - file->sections];

	if (!own->owned)
		return;
	free(own->owned);
	own->owned = NULL;
	own->content = (struct elf_bytes){ .at = NULL };
	own->was_read = false;
}

struct elf_bytes elf_file_read_at(struct elf_file *file, uint64_t offset, uint64_t bytes)
{
	if (!take_bytes(file, offset, bytes))
		return (struct elf_bytes){ .at = NULL };
	return to_bytes(elf_getdata_rawchunk(file->elf, (int64_t)offset, bytes, ELF_T_BYTE));
}

static bool find_build_id(struct elf_file *file, uint64_t offset, uint64_t bytes, uint64_t align,
			  struct build_id *out)
{
	GElf_Nhdr note;
	Elf_Data *notes;
	size_t at = 0, next, name, description;

	if (bytes > NOTE_BYTES_MAX || !is_inside(offset, bytes, file->file_bytes))
		return false;
	notes = elf_getdata_rawchunk(file->elf, (int64_t)offset, bytes,
				     align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
	while (notes && (next = gelf_getnote(notes, at, &note, &name, &description)) > 0) {
		const char *start = notes->d_buf;

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(start + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 &&
		    note.n_descsz > 0 && note.n_descsz <= BUILD_ID_MAX_BYTES) {
			memcpy(out->bytes, start + description, note.n_descsz);
			out->count = (uint8_t)note.n_descsz;
			return true;
		}
		at = next;
	}
	return false;
}

static struct build_id build_id_of_sections(struct elf_file *file)
{
	struct build_id id = { .count = 0 };
	int notes = 0;

	for (size_t i = 1; i < file->section_count && notes < NOTES_MAX; i++) {
		const struct elf_section *section = &file->sections[i];

		if (section->type != SHT_NOTE)
			continue;
		if (find_build_id(file, section->offset, section->bytes, 4, &id))
			break;
		notes++;
	}
	return id;
}

struct build_id elf_file_build_id(struct elf_file *file)
{
	struct build_id id = { .count = 0 };
	int notes = 0;
	size_t count;

	if (!file->segments)
		return build_id_of_sections(file);
	if (elf_getphdrnum(file->elf, &count))
		return id;
	for (size_t i = 0; i < count && notes < NOTES_MAX; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(file->elf, (int)i, &phdr) || phdr.p_type != PT_NOTE)
			continue;
		if (find_build_id(file, phdr.p_offset, phdr.p_filesz, phdr.p_align, &id))
			break;
		notes++;
	}
	return id;
}

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
