/* fuzz_probe_names.c - names that pass the check can be read through without harm; what the worker
 * makes of any file passes the check.
 *
 * Input that begins as an ELF file is one. With an odd first byte it is a reply, else a list of
 * changes, | place 2 | byte 1 | ..., to a small program with USDT probes that is built at the
 * start. */
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf_seed.h"
#include "sandbox/probe_names.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static const char recipe[] =
	"set -e; cd $(mktemp -d /tmp/fuzz_probe_names.XXXXXX)\n"
	"echo '#define _SDT_HAS_SEMAPHORES 1\n#include <sys/sdt.h>\n"
	"unsigned short a_b_semaphore __attribute__((section(\".probes\")));"
	"static int twice(int x) { DTRACE_PROBE1(a, b, x); return 2 * x; }"
	"int (*volatile held)(int) = twice; int main(void) { return held(3); }' >s.c\n"
	"cc -O1 -Wl,-z,norelro,-z,noseparate-code s.c -o program\n"
	"cat program >&%d; rm -r \"$PWD\"\n";

static struct elf_seed program;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	elf_seed_make(&program, recipe);
	return 0;
}

static void read_all(const struct probe_names *names)
{
	size_t bytes = 0;
	uint32_t count;

	for (uint32_t i = 0; i < names->header->function_count; i++) {
		const char *name = probe_names_text(names, names->functions[i].name);

		if (!probe_names_find_function(names, name, &count) || !count)
			abort();
		bytes += strlen(name) + strlen(probe_names_text(names, names->functions[i].shown));
	}
	for (uint32_t i = 0; i < names->header->usdt_count; i++) {
		const struct usdt_probe *usdt = &names->usdt_probes[i];

		if (!probe_names_find_usdt(names, probe_names_text(names, usdt->provider),
					   probe_names_text(names, usdt->name), &count))
			abort();
		bytes += strlen(probe_names_text(names, usdt->arguments));
	}
	if (bytes && !names->header->string_bytes)
		abort();
}

static void check_reply(const uint8_t *bytes, size_t count)
{
	const uint64_t magic = PROBE_NAMES_MAGIC;
	const uint32_t version = PROBE_NAMES_VERSION;
	struct probe_names names;
	uint8_t *copy = malloc(count + 1);	/* aligned, and its end is guarded */

	memcpy(copy, bytes, count);
	/* The worker is not trusted, but its magic is right: don't spend the time on guessing. */
	if (count >= sizeof(magic) + sizeof(version)) {
		memcpy(copy, &magic, sizeof(magic));
		memcpy(copy + sizeof(magic), &version, sizeof(version));
	}
	if (!probe_names_check(&names, copy, count, NULL))
		read_all(&names);
	free(copy);
}

static void compile(int fd)
{
	struct probe_names names;
	size_t reply_bytes;
	void *reply;
	int err;

	err = probe_names_compile(fd, -1, PROBE_NAMES_FUNCTIONS | PROBE_NAMES_USDT, &reply,
				  &reply_bytes, NULL);	/* not demangled: fuzz_demangle */
	if (err && err != -ENOEXEC && err != -EBADMSG && err != -E2BIG && err != -ENOMEM)
		abort();
	if (!err) {
		if (probe_names_check(&names, reply, reply_bytes, NULL))
			abort();
		read_all(&names);
	}
	free(reply);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	if (count > SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0)
		compile(elf_seed_file(bytes, count));
	else if (count && bytes[0] & 1)
		check_reply(bytes + 1, count - 1);
	else if (count)
		compile(elf_seed_damaged(&program, bytes + 1, count - 1));
	return 0;
}
