/* Thousands of damaged ELF files through the whole sandbox: a worker may refuse a file, but it must
 * neither die over it nor come back late, and main takes what it says or has a reason.
 *
 * Variants come from a seed that is printed: HOSTILE_SEED=n makes others. One that fails is kept as
 * a file, and its path printed. What they are: elf_variant.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "elf/file_jobs.h"
#include "elf_variant.h"
#include "random_numbers.h"
#include "sandbox/sandbox.h"
#include "sandbox/unwind_table.h"
#include "unit_tests.h"

#define VARIANTS	4000
#define VARIANTS_MIN	400		/* on a machine where the rest would take too long */
#define TIME_NS		(30 * CLOCK_NS_PER_S)

/* Beside the test's own file. */
static void keep_variant(int fd, uint64_t seed, uint32_t number, const char *what)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/hostile-%llu-%u-%s",
		 getenv("BUILD") ? getenv("BUILD") : "/tmp", (unsigned long long)seed, number,
		 what);
	elf_variant_keep(fd, path);
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
			const struct elf_original *files, uint32_t file_count, uint64_t seed,
			uint32_t number, struct tally *tally)
{
	const uint32_t large = file_count - 1;
	const uint32_t which = random_below(random, 8) ? random_below(random, large) : large;
	int fd = elf_variant_make(random, &files[which]);
	int debug_fd = random_below(random, 4) ? -1 : elf_variant_make(random, &files[which]);
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
	struct elf_original files[3];
	struct tally tally = { 0, 0 };
	struct sandbox *sandbox;
	uint32_t file_count = 0, done;

	(void)state;
	assert_int_equal(sandbox_start(&sandbox, worker_run, NULL), 0);
	elf_original_read(&files[file_count++], "/bin/true");
	file_count += elf_original_copy_vdso(&files[file_count]);
	elf_original_read(&files[file_count++], "/proc/self/exe");	/* large, so it is rare */
	for (done = 0; done < VARIANTS; done++) {
		if (done >= VARIANTS_MIN && clock_now_ns() - begin > TIME_NS)
			break;
		try_variant(sandbox, &random, files, file_count, seed, done, &tally);
	}
	print_message("seed %llu: %u variants, %u read, %u refused\n", (unsigned long long)seed,
		      done, tally.read, tally.refused);
	assert_in_range(tally.read, 1, done);	/* else the damage hides all after the header */
	assert_in_range(tally.refused, 1, done);
	sandbox_stop(sandbox);
	while (file_count)
		free(files[--file_count].bytes);
}

UNIT_TESTS(test_hostile_elf)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_damaged_file_ends_a_worker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
