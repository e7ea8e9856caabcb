/* point_rows.c - see point_rows.h. */
#include "point_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SITES_MAX   (POINT_FUNCTIONS_MAX * POINT_SITES_MAX)
#define VALUES_MAX   (POINT_FUNCTIONS_MAX * POINT_OFFERED_MAX + 8192)
#define STRINGS_MAX  (2u << 20)
#define TEXT_MAX     1024

_Static_assert(sizeof(struct point_header) + sizeof(uint32_t) +
	       POINT_FUNCTIONS_MAX * sizeof(struct point_function) +
	       SITES_MAX * sizeof(struct point_site) + VALUES_MAX * sizeof(struct point_value) +
	       STRINGS_MAX <= POINT_REPLY_BYTES, "what is made here passes the check");

int point_rows_create(struct point_rows *out)
{
	*out = (struct point_rows){
		.functions = calloc(POINT_FUNCTIONS_MAX, sizeof(*out->functions)),
		.sites = calloc(SITES_MAX, sizeof(*out->sites)),
		.values = calloc(VALUES_MAX, sizeof(*out->values)),
		.strings = calloc(STRINGS_MAX, 1),
		.header = { .magic = POINT_REPLY_MAGIC, .version = POINT_REPLY_VERSION,
			    .string_bytes = 1 },
	};
	return out->functions && out->sites && out->values && out->strings ? 0 : -ENOMEM;
}

void point_rows_destroy(struct point_rows *rows)
{
	free(rows->functions);
	free(rows->sites);
	free(rows->values);
	free(rows->strings);
}

static uint32_t put_text(struct point_rows *rows, const char *text, size_t bytes)
{
	const uint32_t at = rows->header.string_bytes;

	if (!bytes)
		return 0;
	if (bytes >= STRINGS_MAX - at) {
		rows->is_full = true;
		return 0;
	}
	memcpy(rows->strings + at, text, bytes);
	rows->header.string_bytes += (uint32_t)bytes + 1;
	return at;
}

uint32_t point_rows_text(struct point_rows *rows, const char *text)
{
	return put_text(rows, text, text ? strnlen(text, TEXT_MAX) : 0);
}

struct point_function *point_rows_add_function(struct point_rows *rows, const char *name,
					       size_t bytes)
{
	struct point_function *function;

	if (rows->header.function_count == POINT_FUNCTIONS_MAX) {
		rows->is_full = true;
		return NULL;
	}
	function = &rows->functions[rows->header.function_count++];
	function->name = put_text(rows, name, bytes > TEXT_MAX ? TEXT_MAX : bytes);
	function->first_site = rows->header.site_count;
	return function;
}

static struct point_site *point_rows_add_site(struct point_rows *rows)
{
	struct point_function *function = &rows->functions[rows->header.function_count - 1];

	if (function->site_count == POINT_SITES_MAX) {
		rows->is_full = true;
		return NULL;
	}
	function->site_count++;
	rows->sites[rows->header.site_count].first_value = rows->header.value_count;
	return &rows->sites[rows->header.site_count++];
}

void point_rows_add_value(struct point_rows *rows, const struct point_value_text *value)
{
	struct point_value *row = &rows->values[rows->header.value_count];

	if (rows->header.value_count == VALUES_MAX) {
		rows->is_full = true;
		return;
	}
	rows->header.value_count++;
	*row = (struct point_value){
		.name = point_rows_text(rows, value->name),
		.type = point_rows_text(rows, value->value.type),
		.fetch = point_rows_text(rows, value->value.fetch),
		.reason = point_rows_text(rows, value->value.reason),
		.kind = (uint8_t)value->value.kind, .origin = (uint8_t)value->origin,
		.is_return = value->is_return, .is_located = value->value.is_located,
	};
}

static char *append(char *at, const void *bytes, size_t count)
{
	if (count)
		memcpy(at, bytes, count);
	return at + count;
}

int point_rows_finish(struct point_rows *rows, void **bytes, size_t *bytes_count,
		      struct diag *why)
{
	const struct point_header *header = &rows->header;
	const size_t functions = header->function_count * sizeof(*rows->functions);
	const size_t gap = header->function_count % 2 ? sizeof(uint32_t) : 0;
	const size_t sites = header->site_count * sizeof(*rows->sites);
	const size_t values = header->value_count * sizeof(*rows->values);
	char *at;

	if (rows->is_full)
		return diag_set(why, -E2BIG, "more than %d sites match, or they have "
				"too many variables: name one", POINT_SITES_MAX);
	*bytes_count = sizeof(*header) + functions + gap + sites + values + header->string_bytes;
	*bytes = at = calloc(1, *bytes_count);
	if (!at)
		return diag_set(why, -ENOMEM, "no memory for the sites of a probe");
	at = append(at, header, sizeof(*header));
	at = append(at, rows->functions, functions) + gap;
	at = append(at, rows->sites, sites);
	at = append(at, rows->values, values);
	append(at, rows->strings, header->string_bytes);
	return 0;
}

enum machine point_job_machine(const struct point_job *job)
{
	const enum machine machine = machine_of_elf(job->dso.elf.header.e_machine);

	/* x32: code for x86-64, but pointers and words on the stack are short. */
	return machine == MACHINE_X86_64 && job->dso.elf.is_32_bit ? MACHINE_X86_32 : machine;
}

bool point_job_offset(const struct point_job *job, uint64_t vaddr, uint64_t *offset)
{
	uint64_t left;

	if (!elf_file_find_code(&job->dso.elf, vaddr, offset, &left))
		return false;
	if (job->query->is_of_kernel)
		*offset = vaddr + job->slide;
	return true;
}

struct point_site *point_job_add_site(struct point_job *job, uint64_t vaddr)
{
	const struct point_symbol *symbol = point_symbols_at(&job->symbols, vaddr);
	char name[POINT_NAME_BYTES] = "";
	struct point_site *site;
	uint64_t offset;

	if (!point_job_offset(job, vaddr, &offset))
		return NULL;
	site = point_rows_add_site(&job->rows);
	if (!site)
		return NULL;
	site->offset = site->begin = offset;
	site->address = vaddr;
	if (!symbol)
		return site;
	site->begin = offset - (vaddr - symbol->vaddr);
	site->address = symbol->vaddr;
	site->bytes = symbol->bytes;
	if (symbol->name.bytes < sizeof(name))
		memcpy(name, symbol->name.text, symbol->name.bytes);
	site->symbol = point_rows_text(&job->rows, name);
	return site;
}
