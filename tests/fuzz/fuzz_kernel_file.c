/* fuzz_kernel_file.c - whatever bytes a module has, it is placed and relocated, or refused.
 *
 * The input is a list of changes, | place 2 | byte 1 | ..., to a small module that is built when
 * the fuzzer starts; the first byte says whether its debug sections are compressed. libdw does not
 * get it: see fuzz_probe_points.c. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/kernel_file.h"
#include "elf/point_symbols.h"
#include "elf_seed.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static const char recipe[] =
	"set -e; cd $(mktemp -d /tmp/fuzz_kernel_file.XXXXXX)\n"
	"echo 'int held; int work(int n) { return held + n; }"
	" __attribute__((section(\".init.text\"))) int start(void) { return work(3); }' >s.c\n"
	"cc -O1 -g -mcmodel=kernel -fno-pie -c s.c; ld -r --build-id -o module s.o\n"
	"objcopy --compress-debug-sections module small\n"
	"cat module >&%d; cat small >&%d; rm -r \"$PWD\"\n";

static struct elf_seed plain, compressed;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const int plain_fd = memfd_create("module", 0), small_fd = memfd_create("small", 0);
	char command[sizeof(recipe) + 32];

	(void)argc;
	(void)argv;
	snprintf(command, sizeof(command), recipe, plain_fd, small_fd);
	if (system(command))
		abort();
	elf_seed_read(&plain, plain_fd);
	elf_seed_read(&compressed, small_fd);
	return 0;
}

static void fill_layout(struct kernel_layout *layout, int fd)
{
	struct elf_file file;

	memset(layout, 0, sizeof(*layout));
	strcpy(layout->module, "module");
	strcpy(layout->sections[0].name, ".text");
	layout->sections[0].address = 0xffffffffc0001000;
	layout->section_count = 1;
	layout->text_address = 0xffffffff81000000;
	if (elf_file_open(&file, fd, NULL))
		return;
	layout->build_id = elf_file_build_id(&file);	/* that of the running code */
	elf_file_close(&file);
}

static void read_symbols(struct dwarf_file *file)
{
	struct dwarf_file none = { .dwarf = NULL };
	struct point_symbols symbols;
	char name[POINT_NAME_BYTES];
	struct diag why;
	uint64_t begin;

	if (!point_symbols_read(&symbols, &file->elf, &none.elf, &why))
		point_symbols_finish(&symbols);
	point_symbols_variable(&file->elf, 0x10000, name, &begin);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct kernel_layout layout;
	struct dwarf_file file;
	uint64_t slide;
	int fd, err;

	if (!count)
		return 0;
	fd = elf_seed_damaged(bytes[0] % 2 ? &compressed : &plain, bytes + 1, count - 1);
	fill_layout(&layout, fd);
	err = kernel_file_open(&file, fd, DWARF_LOCATIONS, &layout, 1 << 20, &slide, NULL);
	if (!err) {
		read_symbols(&file);
		dwarf_file_close(&file);
	} else if (err != -ESTALE && err != -ENODATA && err != -EBADMSG && err != -ENOEXEC &&
		   err != -E2BIG && err != -ENOMEM) {
		abort();
	}
	close(fd);
	return 0;
}
