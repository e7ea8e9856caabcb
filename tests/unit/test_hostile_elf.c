/* Thousands of damaged ELF files through the whole sandbox: a worker may refuse a file, but it must
 * neither die over it nor come back late, and main takes what it says or has a reason.
 *
 * Variants come from a seed that is printed: HOSTILE_SEED=n makes others. One that fails is kept as
 * a file, and its path printed. Each is one of a few files with 1 to 6 edits where a parser looks:
 * headers, tables and the sections that name things; every eighth is cut short as well. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "random_numbers.h"
#include "symbols/sandbox.h"
#include "symbols/unwind_table.h"

#define VARIANTS	4000
#define VARIANTS_MIN	400		/* on a machine where the rest would take too long */
#define TIME_NS		(30 * CLOCK_NS_PER_S)
#define EDITS_MAX	6
#define ZONES_MAX	64

struct zone {
	size_t offset, bytes;
};

/* A file without damage. */
struct original {
	unsigned char *bytes;	/* owned */
	size_t count;
	struct zone zones[ZONES_MAX];
	size_t zone_count;
};

static void add_zone(struct original *file, uint64_t offset, uint64_t bytes)
{
	if (bytes && offset < file->count && bytes <= file->count - offset &&
	    file->zone_count < ZONES_MAX)
		file->zones[file->zone_count++] = (struct zone){ offset, bytes };
}

/* Headers and tables, and every section but code and plain bytes. */
static void find_zones(struct original *file)
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

static void read_original(struct original *file, const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0 && fstat(fd, &status) == 0);
	*file = (struct original){ .count = (size_t)status.st_size };
	file->bytes = malloc(file->count);
	assert_non_null(file->bytes);
	assert_int_equal(read(fd, file->bytes, file->count), file->count);
	close(fd);
	find_zones(file);
}

/* The kernel's own: small, with dynamic symbols, unwind entries and notes. */
static bool copy_vdso(struct original *file)
{
	const unsigned char *vdso = (const unsigned char *)getauxval(AT_SYSINFO_EHDR);
	Elf64_Ehdr header;

	if (!vdso)
		return false;
	memcpy(&header, vdso, sizeof(header));
	*file = (struct original){
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

static void edit(uint64_t *random, const struct original *file, unsigned char *bytes)
{
	/* Every other edit is in the headers and tables, which come first. */
	const uint32_t zones = random_below(random, 2) ? (uint32_t)file->zone_count : 3;
	const struct zone *zone = &file->zones[random_below(random, zones)];
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

/* A sealed file, the caller's. */
static int make_variant(uint64_t *random, const struct original *file)
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

/* Beside the test's own file. */
static void keep_variant(int fd, uint64_t seed, uint32_t number, const char *what)
{
	char path[256], bytes[65536];
	ssize_t got, written = 0;
	int out;

	snprintf(path, sizeof(path), "%s/hostile-%llu-%u-%s",
		 getenv("BUILD") ? getenv("BUILD") : "/tmp", (unsigned long long)seed, number,
		 what);
	out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	lseek(fd, 0, SEEK_SET);
	while (out >= 0 && written >= 0 && (got = read(fd, bytes, sizeof(bytes))) > 0)
		written = write(out, bytes, (size_t)got);
	if (out >= 0)
		close(out);
	print_message("kept %s\n", path);
}

static bool is_refusal(int err)
{
	return err == -ENOEXEC || err == -EBADMSG || err == -E2BIG || err == -ENOMEM;
}

struct tally {
	uint32_t read, refused;
};

/* The other job that reads such a file. */
static int make_rows(struct sandbox *sandbox, int fd, int debug_fd, struct diag *why)
{
	const struct sandbox_request request = {
		.kind = SANDBOX_UNWIND, .inputs = { fd, debug_fd },
		.input_count = debug_fd >= 0 ? 2 : 1,
	};
	struct sandbox_bytes bytes;
	struct unwind_table table;
	int err = sandbox_run(sandbox, &request, &bytes, why);

	if (!err && unwind_table_check(&table, bytes.bytes, bytes.count, why))
		err = -EINVAL;	/* no refusal: our own compiler wrote what we do not take */
	sandbox_bytes_finish(&bytes);
	return err;
}

/* One file, and now and then another one as its debug file. */
static void try_variant(struct sandbox *sandbox, uint64_t *random,
			const struct original *files, uint32_t file_count, uint64_t seed,
			uint32_t number, struct tally *tally)
{
	const uint32_t large = file_count - 1;
	const uint32_t which = random_below(random, 8) ? random_below(random, large) : large;
	int fd = make_variant(random, &files[which]);
	int debug_fd = random_below(random, 4) ? -1 : make_variant(random, &files[which]);
	struct sandbox_table table;
	struct diag why = { .err = 0 };
	int err = sandbox_compile(sandbox, fd, debug_fd, &table, &why);

	tally->read += err == 0;
	tally->refused += is_refusal(err);
	if (!err || is_refusal(err))
		err = make_rows(sandbox, fd, debug_fd, &why);
	if (err && !is_refusal(err)) {
		keep_variant(fd, seed, number, "file");
		if (debug_fd >= 0)
			keep_variant(debug_fd, seed, number, "debug");
		fail_msg("seed %llu, variant %u: %d, %s", (unsigned long long)seed, number, err,
			 why.text);
	}
	sandbox_table_finish(&table);
	close(fd);
	if (debug_fd >= 0)
		close(debug_fd);
}

static void test_no_damaged_file_ends_a_worker(void **state)
{
	const char *wanted = getenv("HOSTILE_SEED");
	const uint64_t seed = wanted ? strtoull(wanted, NULL, 10) : 4, begin = clock_now_ns();
	uint64_t random = seed ? seed : 1;
	struct original files[3];
	struct tally tally = { 0, 0 };
	struct sandbox *sandbox;
	uint32_t file_count = 0, done;

	(void)state;
	assert_int_equal(sandbox_start(&sandbox, NULL), 0);
	read_original(&files[file_count++], "/bin/true");
	file_count += copy_vdso(&files[file_count]);
	read_original(&files[file_count++], "/proc/self/exe");	/* large, so it is rare */
	for (done = 0; done < VARIANTS; done++) {
		if (done >= VARIANTS_MIN && clock_now_ns() - begin > TIME_NS)
			break;
		try_variant(sandbox, &random, files, file_count, seed, done, &tally);
	}
	print_message("seed %llu: %u variants, %u read, %u refused\n", (unsigned long long)seed,
		      done, tally.read, tally.refused);
	assert_in_range(tally.read, 1, done);	/* else the damage hides all behind the header */
	assert_in_range(tally.refused, 1, done);
	sandbox_stop(sandbox);
	while (file_count)
		free(files[--file_count].bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_damaged_file_ends_a_worker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
