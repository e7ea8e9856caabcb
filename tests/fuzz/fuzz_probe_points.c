/* fuzz_probe_points.c - a reply about probe sites that passes the check can be read through without
 * harm; what the worker makes of a damaged program passes the check.
 *
 * With an odd first byte the input is a reply. Else it is a list of changes, | place 2 | byte 1 |
 * ..., to a small program that is built at the start; the second byte says what is asked about it.
 * It has no debug information: libdw reads over the ends of damaged strings, which is why a worker
 * has it read. What comes of that is tested with workers (test_probe_points_damage.c). */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/fetch_value.h"
#include "elf/point_job.h"
#include "elf_seed.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static const char recipe[] =
	"set -e; cd $(mktemp -d /tmp/fuzz_probe_points.XXXXXX)\n"
	"echo 'struct s { int a : 3; union { int u; char t[8]; }; struct s *n; const char *c; };\n"
	"static inline int in(struct s *p, int k) { return p->u * k; }\n"
	"__attribute__((noinline)) int work(struct s *p, int n, double d) { volatile int l = n;\n"
	"for (int i = 0; i < n; i++) l += in(p, i) + in(p->n, 3); return l + (int)d; }\n"
	"int main(int c, char **v) { struct s s = { 1, { 2 }, 0, v[0] }; s.n = &s;\n"
	"return work(&s, c, 1.5); }' >s.c\n"
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

static size_t length(const struct point_reply *reply, uint32_t text)
{
	return strlen(point_reply_text(reply, text));
}

static void read_all(const struct point_reply *reply, size_t count)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < reply->header->function_count; i++) {
		const struct point_function *function = &reply->functions[i];

		bytes += length(reply, function->name);
		for (uint32_t p = 0; p < function->site_count; p++) {
			const struct point_site *site = &reply->sites[function->first_site + p];

			for (uint32_t v = 0; v < site->value_count; v++)
				bytes += length(reply,
						reply->values[site->first_value + v].fetch);
		}
		for (uint32_t v = 0; v < function->offered_count; v++)
			bytes += length(reply, reply->values[function->first_offered + v].type);
	}
	if (bytes && !count)
		abort();
}

static void check_reply(const uint8_t *bytes, size_t count)
{
	const struct point_query query = { .functions_max = 4, .argument_count = 1 };
	const struct point_header magic = { .magic = POINT_REPLY_MAGIC,
					    .version = POINT_REPLY_VERSION };
	struct point_reply reply;
	void *copy = malloc(count + 1);	/* aligned, and its end is guarded */

	memcpy(copy, bytes, count);
	if (count >= offsetof(struct point_header, function_count))
		memcpy(copy, &magic, offsetof(struct point_header, function_count));
	if (!point_reply_check(&reply, copy, count, &query, NULL))
		read_all(&reply, count);
	free(copy);
}

static void fill_query(struct point_query *query, uint8_t what)
{
	static const char *const functions[] = { "work", "in", "*", "main", "no_such" };
	static const char *const values[] = { "p->n->c", "p->t", "n", "$retval", "p->a", "i",
					      "$arg1", "p->n[2].u", "d", "l" };

	memset(query, 0, sizeof(*query));
	query->functions_max = 16;
	query->memory_bytes = UINT64_MAX;
	strcpy(query->function, functions[what % 5]);
	query->is_wildcard = what % 5 == 2;
	query->line = what & 64 ? 2 : 0;
	query->offset = what & 32 && !query->line ? 5 : 0;
	if (what & 128) {
		query->function[0] = '\0';
		strcpy(query->source, "s.c");
		query->line = 1 + what % 8;
	}
	if (what % 3 == 1)
		query->request = (uint8_t)(POINT_REQUEST_SOURCE + what % 4 % 3);
	if (what % 7 == 1) {
		query->lines[0] = what % 16;
		query->lines[1] = 16 + what % 8;
		query->line_count = 2;
		query->line = 0;
	}
	if (what % 11 == 1)
		strcpy(query->declared_in, "s.c");
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		strcpy(query->arguments[query->argument_count++].value, values[i]);
}

/* Takes over @file. */
static void ask(int file, uint8_t what)
{
	struct point_query query;
	struct point_reply reply;
	struct diag why = { .err = 0 };
	size_t reply_bytes;
	int inputs[2], err;
	void *bytes;

	fill_query(&query, what);
	inputs[0] = file;
	inputs[1] = elf_seed_file(&query, sizeof(query));
	err = point_job_run(inputs, 2, &bytes, &reply_bytes, &why);
	if (err > 0)
		abort();
	if (!err && point_reply_check(&reply, bytes, reply_bytes, &query, &why))
		abort();
	if (!err)
		read_all(&reply, reply_bytes);
	free(bytes);
	close(inputs[0]);
	close(inputs[1]);
}

static void read_mark(const uint8_t *bytes, size_t count)
{
	char text[256];
	const char *at = text;
	struct usdt_argument copies[2] = { { .reason = "" } };
	struct fetch_value value;
	enum machine machine;

	if (!count || count >= sizeof(text))
		return;
	machine = bytes[count - 1] % 2 ? MACHINE_AARCH64 : MACHINE_X86_64;
	memcpy(text, bytes, count);
	text[count] = '\0';
	for (size_t i = 1; usdt_argument_next(&at, machine, &copies[0]); i = 2) {
		usdt_argument_fetch(copies, i, 0, "", &value);
		if (!value.fetch[0] == !value.reason[0])
			abort();
		copies[1] = copies[0];
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	if (count < 2 || bytes[0] % 2) {
		check_reply(bytes + (count > 0), count - (count > 0));
		read_mark(bytes, count);
		return 0;
	}
	ask(elf_seed_damaged(&program, bytes + 2, count - 2), bytes[1]);
	return 0;
}
