/* elf_variant.c - see elf_variant.h. */
#include "elf_variant.h"

#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "random_numbers.h"

#define EDITS_MAX 6

static void add_zone(struct elf_original *file, uint64_t offset, uint64_t bytes)
{
	if (bytes && offset < file->count && bytes <= file->count - offset &&
	    file->zone_count < ELF_VARIANT_ZONES)
		file->zones[file->zone_count++] = (struct elf_zone){ offset, bytes };
}

/* Headers and tables, and every section but code and plain bytes. */
static void find_zones(struct elf_original *file)
{
	Elf64_Ehdr header;

	memcpy(&header, file->bytes, sizeof(header));
	assert_int_equal(header.e_ident[EI_CLASS], ELFCLASS64);
	add_zone(file, 0, sizeof(header));
	add_zone(file, header.e_phoff, (uint64_t)header.e_phnum * sizeof(Elf64_Phdr));
	add_zone(file, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr));
	for (size_t i = 0; i < header.e_shnum; i++) {
		Elf64_Shdr section;

		memcpy(&section, file->bytes + header.e_shoff + i * sizeof(section),
		       sizeof(section));
		if (section.sh_type != SHT_NOBITS)
			add_zone(file, section.sh_offset, section.sh_size);
	}
}

void elf_original_read(struct elf_original *file, const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0 && fstat(fd, &status) == 0);
	*file = (struct elf_original){ .count = (size_t)status.st_size };
	file->bytes = malloc(file->count);
	assert_non_null(file->bytes);
	assert_int_equal(read(fd, file->bytes, file->count), file->count);
	close(fd);
	find_zones(file);
}

bool elf_original_copy_vdso(struct elf_original *file)
{
	const unsigned char *vdso = (const unsigned char *)getauxval(AT_SYSINFO_EHDR);
	Elf64_Ehdr header;

	if (!vdso)
		return false;
	memcpy(&header, vdso, sizeof(header));
	*file = (struct elf_original){
		.count = header.e_shoff + (uint64_t)header.e_shnum * sizeof(Elf64_Shdr),
	};
	file->bytes = malloc(file->count);
	assert_non_null(file->bytes);
	memcpy(file->bytes, vdso, file->count);
	find_zones(file);
	return true;
}

static uint64_t chosen_number(uint64_t *random, size_t file_bytes)
{
	const uint64_t numbers[] = { 0, 1, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 1ull << 31,
				     1ull << 63, INT64_MAX, UINT64_MAX, file_bytes, file_bytes - 1,
				     file_bytes + 1, random_next(random) };

	return numbers[random_below(random, sizeof(numbers) / sizeof(numbers[0]))];
}

static void edit(uint64_t *random, const struct elf_original *file, unsigned char *bytes)
{
	/* Every other edit is in the headers and tables, which come first. */
	const uint32_t zones = random_below(random, 2) ? (uint32_t)file->zone_count : 3;
	const struct elf_zone *zone = &file->zones[random_below(random, zones)];
	const size_t widths[] = { 1, 2, 4, 8 };
	size_t width = widths[random_below(random, 4)];
	size_t offset = zone->offset + random_below(random, (uint32_t)zone->bytes);
	uint64_t number = chosen_number(random, file->count);

	/* Most numbers of the format lie at a multiple of their size. */
	if (random_below(random, 4))
		offset -= offset % width;
	if (width > file->count - offset)
		width = file->count - offset;
	memcpy(bytes + offset, &number, width);
}

int elf_variant_make(uint64_t *random, const struct elf_original *file)
{
	unsigned char *bytes = malloc(file->count);
	size_t count = file->count;
	int fd = memfd_create("variant", MFD_CLOEXEC);

	assert_true(bytes && fd >= 0);
	memcpy(bytes, file->bytes, count);
	for (uint32_t edits = 1 + random_below(random, EDITS_MAX); edits; edits--)
		edit(random, file, bytes);
	if (random_below(random, 8) == 0)
		count = random_below(random, (uint32_t)count);
	assert_int_equal(write(fd, bytes, count), count);
	free(bytes);
	return fd;
}

void elf_variant_keep(int fd, const char *path)
{
	char bytes[65536];
	ssize_t got, written = 0;
	const int out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	lseek(fd, 0, SEEK_SET);
	while (out >= 0 && written >= 0 && (got = read(fd, bytes, sizeof(bytes))) > 0)
		written = write(out, bytes, (size_t)got);
	if (out >= 0)
		close(out);
}
