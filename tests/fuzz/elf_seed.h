/* elf_seed.h - a program that a fuzzer has built and then damages: what changes is the input.
 *
 * Errors: abort(), as of the fuzzer itself. Thread: the fuzzer's.
 */
#ifndef FUZZ_ELF_SEED_H
#define FUZZ_ELF_SEED_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define ELF_SEED_BYTES	 65536
#define ELF_RECIPE_BYTES 2048

struct elf_seed {
	uint8_t bytes[ELF_SEED_BYTES];
	size_t count;
};

/* Takes over @fd. */
static inline void elf_seed_read(struct elf_seed *seed, int fd)
{
	const ssize_t got = pread(fd, seed->bytes, sizeof(seed->bytes), 0);

	if (got <= 0 || got == ELF_SEED_BYTES)
		abort();
	seed->count = (size_t)got;
	close(fd);
}

/* @recipe: a shell's commands with one %d, the descriptor that the program is to be written to. */
__attribute__((format(printf, 2, 0)))
static inline void elf_seed_make(struct elf_seed *seed, const char *recipe)
{
	const int fd = memfd_create("program", 0);
	char command[ELF_RECIPE_BYTES];

	snprintf(command, sizeof(command), recipe, fd);
	if (system(command))
		abort();
	elf_seed_read(seed, fd);
}

/* A file of these bytes; the caller's. */
static inline int elf_seed_file(const void *bytes, size_t count)
{
	const int fd = memfd_create("elf", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, count) != (ssize_t)count)
		abort();
	return fd;
}

/* The seed with a byte changed for every three of @changes: place, place, value. The caller's. */
static inline int elf_seed_damaged(const struct elf_seed *seed, const uint8_t *changes,
				   size_t count)
{
	static struct elf_seed changed;

	changed = *seed;
	for (; count >= 3; changes += 3, count -= 3)
		changed.bytes[(size_t)(changes[0] | changes[1] << 8) % seed->count] = changes[2];
	return elf_seed_file(changed.bytes, changed.count);
}

#endif
