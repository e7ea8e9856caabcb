/* frame_entries.c - see frame_entries.h.
 *
 *   .eh_frame     | CIE | FDE | FDE | CIE | FDE | 0 | FDE ...
 *                    ^-----'-----'
 *   entry         | length 4 | id 4 | ... |        length 0xffffffff: | 8 more bytes of length |
 *   CIE           | id: 0 | version 1 | augmentation "zPLR\0" | ... R: how FDEs write addresses
 *   FDE           | id: distance back to its CIE | start | size | ...
 *
 *   .debug_frame  the id of a CIE is all ones, that of an FDE is its CIE's offset in the section;
 *                 ids have 4 or 8 bytes like the length; addresses are absolute.
 *
 * A length of 0 is skipped, it is not the end: linkers leave crtend.o's in the middle.
 *
 * Cost: a CIE is parsed again only if it is not the previous FDE's, and CIEs longer than
 * CIE_BYTES_MAX count as unreadable: a hostile section takes linear time.
 *
 * Rejected: the sorted table of .eh_frame_hdr (it has the starts, not the ends, so that all of
 * .eh_frame must be read anyway, and some linkers leave it out).
 */
#include "frame_entries.h"

#include <string.h>

#define CIE_BYTES_MAX	   256	/* 20 to 30 are usual */
#define FRAME_HEADER_BYTES 20	/* version and 3 encodings, two numbers of at most 8 bytes */

/* DW_EH_PE_*: format in the low 4 bits, then the base of relative addresses. */
enum {
	FORM_ABSOLUTE = 0x00, FORM_ULEB = 0x01, FORM_U16 = 0x02, FORM_U32 = 0x03, FORM_U64 = 0x04,
	FORM_SLEB = 0x09, FORM_S16 = 0x0a, FORM_S32 = 0x0b, FORM_S64 = 0x0c, FORM_MASK = 0x0f,
	FROM_ZERO = 0x00, FROM_HERE = 0x10, FROM_MASK = 0x70,
	IS_INDIRECT = 0x80, IS_OMITTED = 0xff,
};

struct frames {
	struct frame_section section;
	const struct elf_file *main;	/* NULL: the code is in no file */
	frame_entry_visit *visit;
	void *context;
	uint64_t entries_left;	/* FDEs to read at most */
	uint64_t cie_at;	/* where `cie` is; UINT64_MAX: none yet */
	struct frame_cie cie;
};

static uint64_t read_form(const struct frame_section *section, struct byte_reader *reader,
			  unsigned int form)
{
	switch (form & FORM_MASK) {
	case FORM_ABSOLUTE:
		return byte_reader_number(reader, section->is_32_bit ? 4 : 8);
	case FORM_ULEB:
		return byte_reader_leb(reader, false);
	case FORM_SLEB:
		return byte_reader_leb(reader, true);
	case FORM_U16:
		return byte_reader_number(reader, 2);
	case FORM_S16:
		return (uint64_t)(int16_t)byte_reader_number(reader, 2);
	case FORM_U32:
		return byte_reader_number(reader, 4);
	case FORM_S32:
		return (uint64_t)(int32_t)byte_reader_number(reader, 4);
	case FORM_U64:
	case FORM_S64:
		return byte_reader_number(reader, 8);
	default:
		reader->is_bad = true;
		return 0;
	}
}

static uint64_t read_address(const struct frame_section *section, struct byte_reader *reader,
			     unsigned int encoding)
{
	uint64_t from = 0;

	if ((encoding & FROM_MASK) == FROM_HERE)
		from = section->vaddr + (uint64_t)(reader->at - section->bytes.at);
	return from + read_form(section, reader, encoding);
}

uint64_t frame_entry_read_address(const struct frame_entry *entry, struct byte_reader *reader)
{
	return read_address(entry->section, reader, entry->cie->encoding);
}

/* Reads the augmentation data of a CIE, described by the letters after 'z'. */
static void read_letters(struct frames *frames, struct byte_reader *reader, const char *letters)
{
	frames->cie.encoding = FORM_ABSOLUTE;
	while (*++letters) {
		switch (*letters) {
		case 'R':
			frames->cie.encoding = (unsigned int)byte_reader_number(reader, 1);
			break;
		case 'P':
			read_form(&frames->section, reader,
				  (unsigned int)byte_reader_number(reader, 1));
			break;
		case 'L':
			byte_reader_skip(reader, 1);
			break;
		case 'S':
			frames->cie.is_signal = true;
			break;
		case 'B':
			break;
		default:
			return;
		}
	}
}

static void read_augmentation(struct frames *frames, struct byte_reader *reader,
			      const char *letters)
{
	struct byte_reader block;
	uint64_t bytes;

	frames->cie.is_signal = false;
	frames->cie.has_augmentation = *letters == 'z';
	if (*letters != 'z') {	/* "eh": gcc before 3 */
		frames->cie.encoding = *letters ? IS_OMITTED : FORM_ABSOLUTE;
		return;
	}
	bytes = byte_reader_leb(reader, false);
	block = *reader;
	byte_reader_skip(reader, bytes);
	read_letters(frames, &block, letters);
	reader->is_bad |= block.is_bad;
}

/* Moves @reader from a CIE's length to its version, and its end to the CIE's end. */
static void enter_cie(const struct frames *frames, struct byte_reader *reader)
{
	uint64_t bytes = byte_reader_number(reader, 4);
	const bool is_wide = bytes == UINT32_MAX;

	if (is_wide)
		bytes = byte_reader_number(reader, 8);
	if (bytes > byte_reader_left(reader) || bytes > CIE_BYTES_MAX)
		reader->is_bad = true;
	else
		reader->end = reader->at + bytes;
	byte_reader_skip(reader, is_wide && frames->section.is_debug ? 8 : 4);
}

/* Parses a CIE; leaves cie.encoding unchanged if the CIE has no known form. */
static void read_cie(struct frames *frames, struct byte_reader *reader)
{
	struct frame_cie *cie = &frames->cie;
	const unsigned char *letters_end;
	const char *letters;
	unsigned int version;

	enter_cie(frames, reader);
	version = (unsigned int)byte_reader_number(reader, 1);
	letters = (const char *)reader->at;
	letters_end = memchr(reader->at, '\0', byte_reader_left(reader));
	if (reader->is_bad || !letters_end || (version != 1 && version != 3 && version != 4))
		return;
	reader->at = letters_end + 1;
	if (version == 4)
		byte_reader_skip(reader, 2);	/* sizes of addresses and of segment selectors */
	cie->code_align = byte_reader_leb(reader, false);
	cie->data_align = (int64_t)byte_reader_leb(reader, true);
	cie->return_register = version == 1 ? byte_reader_number(reader, 1) :
					      byte_reader_leb(reader, false);
	read_augmentation(frames, reader, letters);
	cie->program = *reader;
}

/* Loads the CIE at @at into frames->cie; sets its encoding to IS_OMITTED if it can't be read. */
static void use_cie(struct frames *frames, uint64_t at)
{
	const struct elf_bytes *bytes = &frames->section.bytes;
	struct frame_cie *cie = &frames->cie;
	struct byte_reader reader = { .is_bad = false };

	if (at == frames->cie_at)
		return;
	frames->cie_at = at;
	cie->number++;
	cie->encoding = IS_OMITTED;
	if (at >= bytes->count)
		return;
	reader.at = bytes->at + at;
	reader.end = bytes->at + bytes->count;
	read_cie(frames, &reader);
	if (reader.is_bad || cie->encoding & IS_INDIRECT ||
	    ((cie->encoding & FROM_MASK) != FROM_ZERO && (cie->encoding & FROM_MASK) != FROM_HERE))
		cie->encoding = IS_OMITTED;
}

/* Visits an FDE; @reader is at the start of its range and ends with the FDE. */
static int visit_range(struct frames *frames, struct byte_reader *reader)
{
	struct frame_entry entry = { .section = &frames->section, .cie = &frames->cie };
	uint64_t left = UINT64_MAX;

	entry.vaddr = read_address(&frames->section, reader, frames->cie.encoding);
	entry.bytes = read_form(&frames->section, reader, frames->cie.encoding);
	/* Address 0: code that the linker discarded. */
	if (reader->is_bad || !entry.vaddr || !entry.bytes ||
	    (frames->main &&
	     !elf_file_find_code(frames->main, entry.vaddr, &entry.offset, &left)))
		return 0;
	if (entry.bytes > left)
		entry.bytes = left;
	if (frames->cie.has_augmentation)
		byte_reader_skip(reader, byte_reader_leb(reader, false));
	entry.program = *reader;
	return frames->visit(frames->context, &entry);
}

/* Visits the entry whose id is at @at and which ends at @end, if it is an FDE. */
static int visit_entry(struct frames *frames, size_t at, size_t end, bool is_wide)
{
	const bool is_debug = frames->section.is_debug;
	const uint64_t cie_id = !is_debug ? 0 : is_wide ? UINT64_MAX : UINT32_MAX;
	const unsigned char *bytes = frames->section.bytes.at;
	struct byte_reader reader = { bytes + at, bytes + end, false };
	uint64_t id = byte_reader_number(&reader, is_wide && is_debug ? 8 : 4);

	if (reader.is_bad || id == cie_id)
		return 0;
	frames->entries_left--;
	use_cie(frames, is_debug ? id : at - id);
	return frames->cie.encoding == IS_OMITTED ? 0 : visit_range(frames, &reader);
}

static int visit_entries(struct frames *frames)
{
	const struct elf_bytes *bytes = &frames->section.bytes;
	size_t at = 0;
	int err = 0;

	frames->cie_at = UINT64_MAX;
	while (!err && frames->entries_left && bytes->count - at >= 4) {
		struct byte_reader reader = { bytes->at + at, bytes->at + bytes->count, false };
		uint64_t length = byte_reader_number(&reader, 4);
		bool is_wide = length == UINT32_MAX;
		size_t id;

		if (is_wide)
			length = byte_reader_number(&reader, 8);
		id = (size_t)(reader.at - bytes->at);
		if (reader.is_bad || length > bytes->count - id)
			break;
		if (length)
			err = visit_entry(frames, id, id + (size_t)length, is_wide);
		at = id + (size_t)length;
	}
	return err;
}

static int visit_section(struct frames *frames, struct elf_file *file, const char *name)
{
	const struct elf_section *section = elf_file_section(file, name);

	if (!section)
		return 0;
	frames->entries_left = UINT64_MAX;
	frames->section.bytes = elf_file_read(file, section);
	frames->section.vaddr = section->vaddr;
	return frames->section.bytes.at ? visit_entries(frames) : 0;
}

/* Finds the start of .eh_frame and its number of FDEs with .eh_frame_hdr at @phdr; entries_left is
 * 0 if that can't be read. */
static void read_frame_header(struct frames *frames, struct elf_file *main, const GElf_Phdr *phdr)
{
	struct frame_section *section = &frames->section;
	const struct elf_segment *segment;
	unsigned int version, pointer_form, count_form;
	struct byte_reader reader;

	frames->entries_left = 0;
	section->bytes = elf_file_read_at(main, phdr->p_offset, FRAME_HEADER_BYTES);
	if (!section->bytes.at)
		return;
	reader = (struct byte_reader){ section->bytes.at, section->bytes.at + FRAME_HEADER_BYTES,
				       false };
	version = (unsigned int)byte_reader_number(&reader, 1);
	pointer_form = (unsigned int)byte_reader_number(&reader, 1);
	count_form = (unsigned int)byte_reader_number(&reader, 1);
	byte_reader_skip(&reader, 1);	/* encoding of the table's addresses */
	if (version != 1 || (pointer_form & 0xf0) != FROM_HERE || count_form == IS_OMITTED)
		return;
	section->vaddr = phdr->p_vaddr + 4 + read_form(section, &reader, pointer_form);
	segment = elf_file_find_segment(main, section->vaddr);
	if (!segment)
		return;
	frames->entries_left = read_form(section, &reader, count_form);
	section->bytes = elf_file_read_at(main, section->vaddr - segment->vaddr + segment->offset,
					  segment->bytes - (section->vaddr - segment->vaddr));
}

/* Finds .eh_frame in a file without section headers. */
static int visit_by_program_header(struct frames *frames, struct elf_file *main)
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
		read_frame_header(frames, main, &phdr);
		return frames->section.bytes.at ? visit_entries(frames) : 0;
	}
	return 0;
}

int frame_entries_walk(struct elf_file *main, struct elf_file *debug, frame_entry_visit *visit,
		       void *context)
{
	struct frames frames = {
		.main = main, .visit = visit, .context = context,
		.section.is_32_bit = main->is_32_bit,
	};
	int err;

	if (elf_file_section(main, ".eh_frame"))
		err = visit_section(&frames, main, ".eh_frame");
	else
		err = visit_by_program_header(&frames, main);
	if (!err)
		err = visit_section(&frames, main, ".bolt.org.eh_frame");
	frames.section.is_debug = true;
	if (!err)
		err = visit_section(&frames, debug && elf_file_section(debug, ".debug_frame") ?
				    debug : main, ".debug_frame");
	return err;
}

int frame_entries_read(struct elf_bytes bytes, uint64_t vaddr, frame_entry_visit *visit,
		       void *context)
{
	struct frames frames = {
		.visit = visit, .context = context, .entries_left = UINT64_MAX,
		.section = { .bytes = bytes, .vaddr = vaddr },
	};

	return visit_entries(&frames);
}
