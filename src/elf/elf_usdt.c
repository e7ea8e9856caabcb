/* elf_usdt.c - see elf_usdt.h.
 *
 *   | name bytes 8 | description bytes | type 3 | "stapsdt" | place | base | semaphore |
 *   | provider NUL | name NUL | arguments NUL |            each note padded to 4 bytes
 *
 * Problem: the section is not loaded, so prelinking leaves its addresses as they were.
 *
 * Idea, as designed by SystemTap: `base` is the link-time address of .stapsdt.base, which is
 * loaded; the USDT probes have moved as far as that section has.
 */
#include "elf_usdt.h"

#include <string.h>

#include "byte_reader.h"

#define NOTE_TYPE 3
#define NOTE_NAME "stapsdt"

struct notes {
	const struct elf_file *file;
	const struct elf_section *base;		/* NULL: none */
};

/* Reads a NUL-terminated text; NULL: not terminated, or too long. */
static const char *take_text(struct byte_reader *reader)
{
	const char *text = (const char *)reader->at;
	const void *end = memchr(text, '\0', byte_reader_left(reader));
	const size_t bytes = end ? (size_t)((const char *)end - text) + 1 : SIZE_MAX;

	if (bytes > USDT_NOTE_TEXT_MAX || !byte_reader_skip(reader, bytes))
		return NULL;
	return text;
}

/* Returns the semaphore's file offset, found by the same rule that perf and the kernel use. */
static uint64_t find_semaphore(const struct notes *notes, uint64_t vaddr)
{
	const struct elf_segment *segment = elf_file_find_segment(notes->file, vaddr);

	return segment ? vaddr - segment->vaddr + segment->offset : 0;
}

/* Reads a note's USDT probe. Rejects it if its semaphore can't be found: it would never fire. */
static bool read_usdt(const struct notes *notes, struct byte_reader description,
		      struct usdt_note *out)
{
	const size_t address_bytes = notes->file->is_32_bit ? 4 : 8;
	uint64_t place = byte_reader_number(&description, address_bytes);
	uint64_t base = byte_reader_number(&description, address_bytes);
	uint64_t semaphore = byte_reader_number(&description, address_bytes);
	uint64_t moved = notes->base && base ? notes->base->vaddr - base : 0, left;

	if (description.is_bad ||
	    !elf_file_find_code(notes->file, place + moved, &out->offset, &left))
		return false;
	out->semaphore = semaphore ? find_semaphore(notes, semaphore + moved) : 0;
	out->provider = take_text(&description);
	out->name = out->provider ? take_text(&description) : NULL;
	out->arguments = out->name ? take_text(&description) : NULL;
	return out->arguments && out->provider[0] && out->name[0] &&
	       (!semaphore || out->semaphore);
}

static uint64_t padded(uint64_t bytes)
{
	return (bytes + 3) & ~(uint64_t)3;
}

/* Reads the next note; returns false if it is not a USDT note. */
static bool take_note(const struct notes *notes, struct byte_reader *reader, struct usdt_note *out)
{
	uint64_t name_bytes = byte_reader_number(reader, 4);
	uint64_t description_bytes = byte_reader_number(reader, 4);
	uint64_t type = byte_reader_number(reader, 4);
	const unsigned char *name = reader->at, *description;
	uint64_t left;

	if (!byte_reader_skip(reader, padded(name_bytes)))
		return false;
	description = reader->at;
	if (!byte_reader_skip(reader, description_bytes))
		return false;
	left = byte_reader_left(reader);
	if (left)	/* the last note may lack its padding */
		byte_reader_skip(reader, padded(description_bytes) - description_bytes < left ?
					 padded(description_bytes) - description_bytes : left);
	return type == NOTE_TYPE && name_bytes == sizeof(NOTE_NAME) &&
	       memcmp(name, NOTE_NAME, sizeof(NOTE_NAME)) == 0 &&
	       read_usdt(notes, (struct byte_reader){ .at = description,
			 .end = description + description_bytes }, out);
}

int elf_usdt_read(struct elf_file *file, usdt_note_sink *sink, void *context)
{
	const struct elf_section *section = elf_file_section(file, ".note.stapsdt");
	struct notes notes = { file, elf_file_section(file, ".stapsdt.base") };
	struct elf_bytes bytes = { .at = NULL };
	struct byte_reader reader;
	int err = 0;

	if (section)
		bytes = elf_file_read(file, section);
	if (!bytes.at)
		return 0;
	reader = (struct byte_reader){ .at = bytes.at, .end = bytes.at + bytes.count };
	for (size_t i = 0; i < ELF_USDT_MAX && byte_reader_left(&reader) && !err; i++) {
		struct usdt_note usdt;

		if (take_note(&notes, &reader, &usdt))
			err = sink(context, &usdt);
	}
	return err;
}
