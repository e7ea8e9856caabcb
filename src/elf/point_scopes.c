/* point_scopes.c - see point_scopes.h. Everything here parses untrusted bytes.
 *
 * There is only one query per file, so nothing is indexed: the units are walked. An address is
 * looked up in .debug_aranges first, which clang does not write.
 */
#include "point_scopes.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "dwarf_index.h"

#define DEPTH_MAX 64	/* nested scopes: damaged files may have cycles */

static uint64_t cost_of(const struct point_job *job)
{
	const uint64_t bytes = job->source->debug_bytes;

	return job->alternate.debug_bytes > UINT64_MAX - bytes
		       ? UINT64_MAX : bytes + job->alternate.debug_bytes;
}

static void refuse_debug(struct point_job *job, const char *reason)
{
	job->rows.header.no_debug_reason = point_rows_text(&job->rows, reason);
}

/* Writes the name of dwz's file to the reply: the path below .dwz, where distributions keep such
 * files, or the base name. */
static void ask_for_alternate(struct point_job *job)
{
	struct point_header *header = &job->rows.header;
	const char *path = job->source->alternate_path;
	const char *directory = strstr(path, "/.dwz/"), *slash = strrchr(path, '/');
	const char *name = directory ? directory + strlen("/.dwz/") : slash ? slash + 1 : path;

	header->alternate = job->source->alternate;
	if (strlen(name) < sizeof(header->alternate_name))
		strcpy(header->alternate_name, name);
}

int point_scopes_open(struct point_job *job)
{
	const struct point_query *query = job->query;
	const struct dwarf_file *alternate = NULL;
	struct diag why = { .err = 0 };

	if (!job->source->debug_bytes)
		return 0;
	if (cost_of(job) > query->memory_bytes || cost_of(job) > POINT_MEMORY_MAX) {
		refuse_debug(job, "its debug information is larger than the limit");
		return 0;
	}
	if (job->source->alternate.count && !job->alternate.debug_bytes && !query->no_alternate &&
	    !query->has_alternate) {
		ask_for_alternate(job);
		return -EAGAIN;
	}
	if (job->alternate.debug_bytes && !dwarf_file_read(&job->alternate, NULL, &why))
		alternate = &job->alternate;
	if (dwarf_file_read(job->source, alternate, &why)) {
		refuse_debug(job, why.text);
		return 0;
	}
	job->dwarf = job->source->dwarf;
	if (!query->is_of_kernel)	/* has .debug_frame, and .eh_frame is not relocated */
		job->frames = dwarf_getcfi_elf(job->dso.elf.elf);
	job->rows.header.flags |= POINT_HAS_DEBUG;
	return 0;
}

void point_scopes_close(struct point_job *job)
{
	dwarf_cfi_end(job->frames);
	job->frames = NULL;
}

void point_scopes_units(struct point_job *job, point_unit_visit *visit, void *context)
{
	Dwarf_Off offset = 0, next;
	size_t header_bytes;
	Dwarf_Die unit;

	while (dwarf_nextcu(job->dwarf, offset, &next, &header_bytes, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(job->dwarf, offset + header_bytes, &unit) &&
		    !visit(job, &unit, context))
			return;
		if (next <= offset)
			return;
		offset = next;
	}
}

struct at {
	uint64_t vaddr;
	Dwarf_Die unit, function;
	bool is_found;
};

static int look_at_function(Dwarf_Die *function, void *context)
{
	struct at *at = context;

	if (dwarf_haspc(function, at->vaddr) != 1)
		return DWARF_CB_OK;
	at->function = *function;
	at->is_found = true;
	return DWARF_CB_ABORT;
}

static bool look_at_unit(struct point_job *job, Dwarf_Die *unit, void *context)
{
	struct at *at = context;

	(void)job;
	/* Units without ranges of their own are searched. */
	if (dwarf_haspc(unit, at->vaddr) == 0 &&
	    (dwarf_hasattr(unit, DW_AT_ranges) || dwarf_hasattr(unit, DW_AT_high_pc)))
		return true;
	at->unit = *unit;
	dwarf_getfuncs(unit, look_at_function, at, 0);
	return !at->is_found;
}

bool point_scopes_entry(Dwarf_Die *die, uint64_t *entry)
{
	Dwarf_Addr base, start, end;

	if (dwarf_entrypc(die, entry) == 0)
		return true;
	if (dwarf_ranges(die, 0, &base, &start, &end) <= 0)
		return false;
	*entry = start;
	return true;
}

static bool read_number(Dwarf_Die *die, unsigned int name, Dwarf_Word *out)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) && !dwarf_formudata(&attribute, out);
}

/* Returns whether @copy is inlined by a call in line @line of @source. */
static bool is_called_at(Dwarf_Die *unit, Dwarf_Die *copy, const char *source, int line)
{
	Dwarf_Word file, call_line;
	Dwarf_Files *files;
	size_t count;

	return read_number(copy, DW_AT_call_line, &call_line) && call_line == (Dwarf_Word)line &&
	       read_number(copy, DW_AT_call_file, &file) &&
	       !dwarf_getsrcfiles(unit, &files, &count) && file < count &&
	       dwarf_path_ends(dwarf_filesrc(files, file, NULL, NULL), source);
}

/* Finds the innermost inlined copy that contains @vaddr, but none that is called at @line of
 * @source; line 0: any. */
static void find_inner(Dwarf_Die *scope, uint64_t vaddr, const char *source, int line,
		       struct point_scope *out, int depth)
{
	Dwarf_Die child;

	if (depth > DEPTH_MAX || dwarf_child(scope, &child) != 0)
		return;
	do {
		const int tag = dwarf_tag(&child);

		if ((tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) ||
		    dwarf_haspc(&child, vaddr) != 1)
			continue;
		if (tag == DW_TAG_inlined_subroutine && line &&
		    is_called_at(&out->unit, &child, source, line))
			return;
		if (tag == DW_TAG_inlined_subroutine) {
			out->inner = child;
			out->is_inlined = true;
		}
		find_inner(&child, vaddr, source, line, out, depth + 1);
		return;
	} while (dwarf_siblingof(&child, &child) == 0);
}

static bool fill_scope(const struct at *at, const char *source, int line,
		       struct point_scope *out)
{
	*out = (struct point_scope){ .unit = at->unit, .function = at->function,
				     .inner = at->function };
	find_inner(&out->function, at->vaddr, source, line, out, 0);
	return point_scopes_entry(&out->inner, &out->entry);
}

bool point_scopes_at(struct point_job *job, uint64_t vaddr, struct point_scope *out)
{
	return point_scopes_at_line(job, vaddr, NULL, 0, out);
}

bool point_scopes_at_line(struct point_job *job, uint64_t vaddr, const char *source, int line,
			  struct point_scope *out)
{
	struct at at = { .vaddr = vaddr };
	Dwarf_Die unit;

	if (!job->dwarf)
		return false;
	if (dwarf_addrdie(job->dwarf, vaddr, &unit))
		look_at_unit(job, &unit, &at);
	if (!at.is_found)
		point_scopes_units(job, look_at_unit, &at);
	return at.is_found && fill_scope(&at, source, line, out);
}

void point_scopes_leave_inlined(struct point_scope *scope)
{
	if (!scope->is_inlined || !point_scopes_entry(&scope->function, &scope->entry))
		return;
	scope->inner = scope->function;
	scope->is_inlined = false;
}

struct named {
	struct point_job *job;
	point_scope_sink *sink;
	void *context;
	Dwarf_Die *unit;
};

static void tell(struct named *named, uint64_t entry, Dwarf_Die *inner, bool is_inlined)
{
	struct at at = { .vaddr = entry };
	struct point_scope scope;

	look_at_unit(named->job, named->unit, &at);
	if (!at.is_found)
		return;
	scope = (struct point_scope){ .unit = at.unit, .function = at.function, .inner = *inner,
				      .is_inlined = is_inlined, .entry = entry };
	named->sink(named->job, &scope, named->context);
}

static int tell_instance(Dwarf_Die *instance, void *context)
{
	uint64_t entry;

	if (point_scopes_entry(instance, &entry))
		tell(context, entry, instance, true);
	return DWARF_CB_OK;
}

static bool is_declared_in(const struct point_query *query, Dwarf_Die *function)
{
	struct dwarf_place place;

	if (!query->declared_in[0])
		return true;
	dwarf_declared_place(function, &place);
	return dwarf_path_ends(place.file, query->declared_in);
}

static int tell_function(Dwarf_Die *function, void *context)
{
	struct named *named = context;
	uint64_t entry;

	if (!dwarf_is_named(function, named->job->query->function) ||
	    !is_declared_in(named->job->query, function))
		return DWARF_CB_OK;
	if (point_scopes_entry(function, &entry))
		tell(named, entry, function, false);
	if (dwarf_func_inline(function))
		dwarf_func_inline_instances(function, tell_instance, named);
	return DWARF_CB_OK;
}

static bool tell_unit(struct point_job *job, Dwarf_Die *unit, void *context)
{
	struct named *named = context;

	(void)job;
	named->unit = unit;
	dwarf_getfuncs(unit, tell_function, named, 0);
	return true;
}

void point_scopes_named(struct point_job *job, point_scope_sink *sink, void *context)
{
	struct named named = { job, sink, context, NULL };

	if (job->dwarf)
		point_scopes_units(job, tell_unit, &named);
}
