/* elf_unwind.c - see symbols/elf_unwind.h.
 *
 *   .eh_frame     | CIE | FDE | FDE | CIE | FDE | 0 | FDE ...
 *                    ^-----'-----'
 *   entry         | length 4 | id 4 | ... |        length 0xffffffff: | 8 more bytes of length |
 *   CIE           | id: 0 | version 1 | augmentation "zPLR\0" | ... R: how FDEs write addresses
 *   FDE           | id: distance back to its CIE | start | size | ...
 *
 *   .debug_frame  the id of a CIE is all ones, that of an FDE its CIE's offset in the section;
 *                 4 or 8 bytes as the length; addresses are absolute.
 *
 * A length of 0 is skipped, not taken for the end: linkers leave those of crtend.o in the middle.
 *
 * Cost: each FDE looks at its CIE again only when it is another one than before, and no more than
 * CIE_BYTES_MAX of that: a hostile section takes linear time.
 *
 * Rejected: the sorted table of .eh_frame_hdr (it has the starts, not the ends, so that all of
 * .eh_frame must be read anyway, and some linkers leave it out).
 */
#include "symbols/elf_unwind.h"

#include <string.h>

#define CIE_BYTES_MAX	   64	/* up to the encoding, which is what is read; 20 are usual */
#define FRAME_HEADER_BYTES 20	/* 4 of forms, two addresses of at most 8 */

/* DW_EH_PE_*: the form in the low 4 bits, then what it counts from. */
enum {
	FORM_ABSOLUTE = 0x00, FORM_ULEB = 0x01, FORM_U16 = 0x02, FORM_U32 = 0x03, FORM_U64 = 0x04,
	FORM_SLEB = 0x09, FORM_S16 = 0x0a, FORM_S32 = 0x0b, FORM_S64 = 0x0c, FORM_MASK = 0x0f,
	FROM_ZERO = 0x00, FROM_HERE = 0x10, FROM_MASK = 0x70,
	IS_INDIRECT = 0x80, IS_OMITTED = 0xff,
};

/* Reads forward; after anything that does not fit, @at is @end and @is_bad is set. */
struct reader {
	const unsigned char *at, *end;
	bool is_bad;
};

struct frames {
	struct elf_bytes section;
	uint64_t vaddr;		/* of the section */
	bool is_debug;		/* .debug_frame */
	bool is_32_bit;
	const struct elf_file *main;
	struct flat_builder *builder;
	uint64_t entries_left;	/* FDEs to read at most */
	size_t cie;		/* whose encoding that is; SIZE_MAX: none yet */
	unsigned int encoding;	/* IS_OMITTED: cannot be read */
};

static bool skip_bytes(struct reader *reader, size_t bytes)
{
	if ((size_t)(reader->end - reader->at) < bytes) {
		reader->at = reader->end;
		reader->is_bad = true;
		return false;
	}
	reader->at += bytes;
	return true;
}

/* At most 8 bytes; 0 when they are not there. */
static uint64_t read_number(struct reader *reader, size_t bytes)
{
	uint64_t number = 0;

	if (skip_bytes(reader, bytes))
		memcpy(&number, reader->at - bytes, bytes);	/* little-endian, as this machine */
	return number;
}

static uint64_t read_leb(struct reader *reader, bool is_signed)
{
	uint64_t number = 0;
	unsigned int shift = 0, byte;

	do {
		byte = (unsigned int)read_number(reader, 1);
		if (shift < 64)
			number |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && shift < 64 && byte & 0x40)
		number |= UINT64_MAX << shift;
	return number;
}

static uint64_t read_form(const struct frames *frames, struct reader *reader, unsigned int form)
{
	switch (form & FORM_MASK) {
	case FORM_ABSOLUTE:
		return read_number(reader, frames->is_32_bit ? 4 : 8);
	case FORM_ULEB:
		return read_leb(reader, false);
	case FORM_SLEB:
		return read_leb(reader, true);
	case FORM_U16:
		return read_number(reader, 2);
	case FORM_S16:
		return (uint64_t)(int16_t)read_number(reader, 2);
	case FORM_U32:
		return read_number(reader, 4);
	case FORM_S32:
		return (uint64_t)(int32_t)read_number(reader, 4);
	case FORM_U64:
	case FORM_S64:
		return read_number(reader, 8);
	default:
		reader->is_bad = true;
		return 0;
	}
}

/* What the letters of a CIE's augmentation say of the addresses in its FDEs. */
static unsigned int read_augmentation(const struct frames *frames, struct reader *reader,
				      const char *letters)
{
	unsigned int encoding = FORM_ABSOLUTE;

	if (*letters != 'z')
		return *letters ? IS_OMITTED : FORM_ABSOLUTE;	/* "eh": gcc before 3 */
	read_leb(reader, false);
	while (*++letters) {
		switch (*letters) {
		case 'R':
			encoding = (unsigned int)read_number(reader, 1);
			break;
		case 'P':
			read_form(frames, reader, (unsigned int)read_number(reader, 1));
			break;
		case 'L':
			skip_bytes(reader, 1);
			break;
		case 'S':
		case 'B':
			break;
		default:
			return encoding;
		}
	}
	return encoding;
}

static unsigned int read_cie(const struct frames *frames, size_t at)
{
	struct reader reader = { frames->section.at + at, NULL, false };
	const char *letters;
	const unsigned char *letters_end;
	size_t left = frames->section.count - at;
	unsigned int version, encoding;

	reader.end = reader.at + (left < CIE_BYTES_MAX ? left : CIE_BYTES_MAX);
	if (read_number(&reader, 4) == UINT32_MAX)
		skip_bytes(&reader, frames->is_debug ? 8 + 8 : 8 + 4);
	else
		skip_bytes(&reader, 4);
	version = (unsigned int)read_number(&reader, 1);
	letters = (const char *)reader.at;
	letters_end = memchr(reader.at, '\0', (size_t)(reader.end - reader.at));
	if (!letters_end || (version != 1 && version != 3 && version != 4))
		return IS_OMITTED;
	reader.at = letters_end + 1;
	if (version == 4)
		skip_bytes(&reader, 2);	/* sizes of addresses and of segment selectors */
	read_leb(&reader, false);
	read_leb(&reader, true);
	if (version == 1)
		skip_bytes(&reader, 1);
	else
		read_leb(&reader, false);
	encoding = read_augmentation(frames, &reader, letters);
	return reader.is_bad ? IS_OMITTED : encoding;
}

/* Finds the encoding of the FDEs of the CIE at @cie. */
static void use_cie(struct frames *frames, uint64_t cie)
{
	if (cie == frames->cie)
		return;
	frames->encoding = IS_OMITTED;
	if (cie >= frames->section.count)
		return;
	frames->cie = (size_t)cie;
	frames->encoding = read_cie(frames, (size_t)cie);
	if (frames->encoding & IS_INDIRECT ||
	    ((frames->encoding & FROM_MASK) != FROM_ZERO &&
	     (frames->encoding & FROM_MASK) != FROM_HERE))
		frames->encoding = IS_OMITTED;
}

/* @reader is at the start of an FDE's range. */
static int add_range(struct frames *frames, struct reader *reader)
{
	uint64_t start = 0, size, offset, left;

	if ((frames->encoding & FROM_MASK) == FROM_HERE)
		start = frames->vaddr + (uint64_t)(reader->at - frames->section.at);
	start += read_form(frames, reader, frames->encoding);
	size = read_form(frames, reader, frames->encoding);
	/* 0: of code that the linker threw away. */
	if (reader->is_bad || !start || !size ||
	    !elf_file_find_code(frames->main, start, &offset, &left))
		return 0;
	return flat_builder_add_unwind(frames->builder, offset, size < left ? size : left, start);
}

/* The entry whose id is at @at and which ends at @end. */
static int add_entry(struct frames *frames, size_t at, size_t end, bool is_wide)
{
	const bool has_wide_id = is_wide && frames->is_debug;
	const uint64_t cie_id = !frames->is_debug ? 0 : is_wide ? UINT64_MAX : UINT32_MAX;
	struct reader reader = { frames->section.at + at, frames->section.at + end, false };
	uint64_t id = read_number(&reader, has_wide_id ? 8 : 4);

	if (reader.is_bad || id == cie_id)
		return 0;
	frames->entries_left--;
	use_cie(frames, frames->is_debug ? id : at - id);
	return frames->encoding == IS_OMITTED ? 0 : add_range(frames, &reader);
}

static int add_entries(struct frames *frames)
{
	const size_t count = frames->section.count;
	size_t at = 0;
	int err = 0;

	while (!err && frames->entries_left && count - at >= 4) {
		struct reader reader = { frames->section.at + at, frames->section.at + count,
					 false };
		uint64_t bytes = read_number(&reader, 4);
		bool is_wide = bytes == UINT32_MAX;
		size_t id;

		if (is_wide)
			bytes = read_number(&reader, 8);
		id = (size_t)(reader.at - frames->section.at);
		if (reader.is_bad || bytes > count - id)
			break;
		if (bytes)
			err = add_entry(frames, id, id + (size_t)bytes, is_wide);
		at = id + (size_t)bytes;
	}
	return err;
}

static int add_section(struct frames frames, struct elf_file *file, const char *name)
{
	const struct elf_section *section = elf_file_section(file, name);

	if (!section)
		return 0;
	frames.section = elf_file_read(file, section);
	frames.vaddr = section->vaddr;
	return frames.section.at ? add_entries(&frames) : 0;
}

/* Where .eh_frame begins and how many FDEs it has, by .eh_frame_hdr at @phdr; entries_left 0 when
 * that cannot be read. */
static void read_frame_header(struct frames *frames, struct elf_file *main, const GElf_Phdr *phdr)
{
	const struct elf_segment *segment;
	unsigned int version, pointer_form, count_form;
	struct reader reader;

	frames->entries_left = 0;
	frames->section = elf_file_read_at(main, phdr->p_offset, FRAME_HEADER_BYTES);
	if (!frames->section.at)
		return;
	reader = (struct reader){ frames->section.at, frames->section.at + FRAME_HEADER_BYTES,
				  false };
	version = (unsigned int)read_number(&reader, 1);
	pointer_form = (unsigned int)read_number(&reader, 1);
	count_form = (unsigned int)read_number(&reader, 1);
	skip_bytes(&reader, 1);	/* of the table's addresses */
	if (version != 1 || (pointer_form & 0xf0) != FROM_HERE || count_form == IS_OMITTED)
		return;
	frames->vaddr = phdr->p_vaddr + 4 + read_form(frames, &reader, pointer_form);
	segment = elf_file_find_segment(main, frames->vaddr);
	if (!segment)
		return;
	frames->entries_left = read_form(frames, &reader, count_form);
	frames->section = elf_file_read_at(main, frames->vaddr - segment->vaddr + segment->offset,
					   segment->bytes - (frames->vaddr - segment->vaddr));
}

/* For files without section headers. */
static int add_by_program_header(struct frames frames, struct elf_file *main)
{
	size_t count;

	if (elf_getphdrnum(main->elf, &count))
		return 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(main->elf, (int)i, &phdr))
			return 0;
		if (phdr.p_type != PT_GNU_EH_FRAME)
			continue;
		read_frame_header(&frames, main, &phdr);
		return frames.section.at ? add_entries(&frames) : 0;
	}
	return 0;
}

int elf_unwind_add(struct elf_file *main, struct elf_file *debug, struct flat_builder *builder)
{
	struct frames frames = {
		.main = main, .builder = builder, .is_32_bit = main->is_32_bit,
		.entries_left = UINT64_MAX, .cie = SIZE_MAX,
	};
	int err;

	if (elf_file_section(main, ".eh_frame"))
		err = add_section(frames, main, ".eh_frame");
	else
		err = add_by_program_header(frames, main);
	if (!err)
		err = add_section(frames, main, ".bolt.org.eh_frame");
	frames.is_debug = true;
	if (!err)
		err = add_section(frames, debug && elf_file_section(debug, ".debug_frame") ?
				  debug : main, ".debug_frame");
	return err;
}
