/* line_dump.c - prints the source lines and inline chains of a DSO, for check_lines.
 *
 * line_dump DSO DEBUG|- ALTERNATE|- < OFFSETS (hexadecimal, one a line)
 * Each offset: "# OFFSET", then a line per frame: FUNCTION<tab>FILE<tab>LINE. The last line says
 * what is missing: "alternate BUILD-ID NAME".
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/file_jobs.h"
#include "sandbox/lines.h"

static int open_input(const char *path)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : DWARF_LINES_NO_FILE;

	if (fd < 0 && strcmp(path, "-")) {
		perror(path);
		exit(2);
	}
	return fd;
}

static void print_chains(const struct line_chains *chains, const uint64_t *offsets)
{
	for (uint32_t i = 0; i < chains->header->address_count; i++) {
		printf("# %" PRIx64 "\n", offsets[i]);
		for (uint32_t f = chains->first[i]; f < chains->first[i + 1]; f++)
			printf("%s\t%s\t%" PRIu32 "\n",
			       line_chains_text(chains, chains->frames[f].function),
			       line_chains_text(chains, chains->frames[f].file),
			       chains->frames[f].line);
	}
}

/* The first batch with another missing file than before says so. */
static void print_missing(const struct line_header *header)
{
	static bool is_said;
	char hex[BUILD_ID_HEX_BYTES];

	if (header->alternate.count && !is_said)
		printf("alternate %s %s\n", build_id_format(&header->alternate, hex),
		       header->alternate_name);
	is_said = true;
}

static int dump(struct sandbox *sandbox, const struct dwarf_lines_inputs *files,
		const uint64_t *offsets, uint32_t count)
{
	const struct sandbox_request request = line_job_request(files, DWARF_LINES_MEMORY_MAX);
	struct line_chains chains;
	struct sandbox_bytes bytes;
	struct diag why = { .err = 0 };
	int err;

	if (ftruncate(files->offsets, 0) ||
	    pwrite(files->offsets, offsets, count * sizeof(*offsets), 0) < 0)
		return -1;
	err = sandbox_run(sandbox, &request, &bytes, &why);
	if (!err)
		err = line_chains_check(&chains, bytes.bytes, bytes.count, count, &why);
	if (err)
		fprintf(stderr, "%s\n", why.text);
	else
		print_chains(&chains, offsets);
	if (!err)
		print_missing(chains.header);
	sandbox_bytes_finish(&bytes);
	return err;
}

int main(int argc, char **argv)
{
	uint64_t offsets[LINE_ADDRESSES_MAX];
	struct dwarf_lines_inputs files;
	struct sandbox *sandbox;
	uint32_t count = 0;
	int err;

	if (argc != 4 || sandbox_start(&sandbox, worker_run, NULL))
		return 2;
	files = (struct dwarf_lines_inputs){
		.dso = open_input(argv[1]), .debug = open_input(argv[2]),
		.alternate = open_input(argv[3]), .offsets = memfd_create("offsets", MFD_CLOEXEC),
	};
	do {
		err = 0;
		for (count = 0; count < LINE_ADDRESSES_MAX &&
				scanf("%" SCNx64, &offsets[count]) == 1; count++)
			continue;
		if (count)
			err = dump(sandbox, &files, offsets, count);
	} while (!err && count == LINE_ADDRESSES_MAX);
	sandbox_stop(sandbox);
	return err ? 1 : 0;
}
