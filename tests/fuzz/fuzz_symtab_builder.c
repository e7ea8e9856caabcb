/* fuzz_symtab_builder.c - whatever bytes an ELF file has, its table passes the check, or there is
 * none.
 *
 * Input that begins as an ELF file is one. Other input is a list of changes to a small program
 * that is built when the fuzzer starts: | place 2 | byte 1 | ... so that it need not find out first
 * what a whole file looks like; the first byte says whether the program or its debug file is
 * changed. */
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/symtab_builder.h"
#include "elf_seed.h"
#include "sandbox/flat_table.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static const char recipe[] =
	"set -e; cd $(mktemp -d /tmp/fuzz_symtab.XXXXXX)\n"
	"echo 'int puts(const char *); static int twice(int x) { return puts(\"\") + 2 * x; }'"
	" 'int (*volatile held)(int) = twice; int main(void) { return held(3); }' >s.c\n"
	"cc -O1 -g -s -Wl,-z,norelro,-z,noseparate-code s.c -o program\n"
	"cc -O1 -g -Wl,-z,norelro,-z,noseparate-code s.c -o whole\n"
	"objcopy --only-keep-debug --compress-debug-sections whole debug\n"
	"objcopy --only-keep-debug -g whole inner; xz inner\n"
	"objcopy --add-section .gnu_debugdata=inner.xz program\n"
	"cat program >&%d; cat debug >&%d; rm -r \"$PWD\"\n";

static struct elf_seed program, debug;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	int program_fd = memfd_create("program", 0), debug_fd = memfd_create("debug", 0);
	char command[sizeof(recipe) + 32];

	(void)argc;
	(void)argv;
	snprintf(command, sizeof(command), recipe, program_fd, debug_fd);
	if (system(command))
		abort();
	elf_seed_read(&program, program_fd);
	elf_seed_read(&debug, debug_fd);
	return 0;
}

static void compile(int fd, int debug_fd)
{
	struct flat_table table;
	void *bytes;
	size_t count;
	int err = symtab_builder_build(fd, debug_fd, &bytes, &count, NULL);

	if (err && err != -ENOEXEC && err != -EBADMSG && err != -E2BIG && err != -ENOMEM)
		abort();
	if (!err && flat_table_check(&table, bytes, count, NULL))
		abort();
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	bool is_debug = count && bytes[0] & 1;
	int fd, debug_fd = -1;

	if (count > SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0) {
		fd = elf_seed_file(bytes, count);
	} else if (count) {
		fd = elf_seed_damaged(&program, bytes + 1, is_debug ? 0 : count - 1);
		debug_fd = elf_seed_damaged(&debug, bytes + 1, is_debug ? count - 1 : 0);
		if (!is_debug && bytes[0] & 2) {
			close(debug_fd);
			debug_fd = -1;
		}
	} else {
		return 0;
	}
	compile(fd, debug_fd);
	close(fd);
	if (debug_fd >= 0)
		close(debug_fd);
	return 0;
}
