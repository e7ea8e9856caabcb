/* point_symbols.c - see point_symbols.h.
 *
 * Flat tables keep one name per address and drop the aliases, but a user may type any of them. So
 * all tables of the file are read here: .symtab (the debug file's first), .dynsym, .gnu_debugdata.
 */
#include "point_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/name_match.h"
#include "elf/demangle.h"

#define NAME_MAX_BYTES 1024	/* nobody types longer names */
#define OUTER_MAX      64	/* symbols that begin between an address and its own symbol */

static int out_of_memory(struct diag *why)
{
	return diag_set(why, -ENOMEM, "no memory for its symbols");
}

static void add_symbol(struct point_symbols *out, const struct elf_symbols *table, size_t index,
		       const struct elf_file *main)
{
	static const char morestack[] = "__morestack";
	struct elf_function function;

	if (!elf_symbols_function(table, index, main, &function))
		return;
	if (function.name.bytes == strlen(morestack) &&
	    !memcmp(function.name.text, morestack, strlen(morestack)))
		out->is_split_stack = true;
	out->list[out->count++] = (struct point_symbol){
		.vaddr = elf_symbols_get(table, index).value, .offset = function.offset,
		.bytes = function.size, .name = function.name,
		.is_chosen_late = function.is_resolver,
	};
}

/* Adds a symbol table; an unreadable one counts as missing. Returns 0 or -ENOMEM. */
static int add_table(struct point_symbols *out, struct elf_file *file, uint32_t type,
		     const struct elf_file *main, bool *is_there, struct diag *why)
{
	struct point_symbol *grown;
	struct elf_symbols table;

	*is_there = elf_symbols_read(&table, file, type, why) == 0;
	why->err = 0;
	if (!*is_there)
		return 0;
	/* + 1: a table may turn out empty, and the size must not be 0. */
	grown = realloc(out->list, (out->count + table.count + 1) * sizeof(*grown));
	if (!grown)
		return out_of_memory(why);
	out->list = grown;
	for (size_t i = 1; i < table.count; i++)
		add_symbol(out, &table, i, main);
	return 0;
}

static int by_vaddr(const void *a, const void *b)
{
	const struct point_symbol *x = a, *y = b;

	if (x->vaddr != y->vaddr)
		return x->vaddr < y->vaddr ? -1 : 1;
	return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

/* Computes the size of sizeless symbols, which are common in assembler code. */
static void end_sizeless(struct point_symbols *symbols)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = symbols->count; i-- > 0;) {
		struct point_symbol *symbol = &symbols->list[i];

		if (i + 1 < symbols->count && symbols->list[i + 1].vaddr > symbol->vaddr)
			next = symbols->list[i + 1].vaddr;
		if (!symbol->bytes && next != UINT64_MAX)
			symbol->bytes = next - symbol->vaddr;
	}
}

int point_symbols_read(struct point_symbols *out, struct elf_file *main, struct elf_file *debug,
		       struct diag *why)
{
	bool ignored;
	int err = 0;

	*out = (struct point_symbols){ .list = NULL };
	if (debug->elf)
		err = add_table(out, debug, SHT_SYMTAB, main, &out->has_symtab, why);
	if (!err && !out->has_symtab)
		err = add_table(out, main, SHT_SYMTAB, main, &out->has_symtab, why);
	if (!err && !out->has_symtab && !elf_minidebug_open(&out->minidebug, main))
		err = add_table(out, &out->minidebug.file, SHT_SYMTAB, main, &ignored, why);
	if (!err)
		err = add_table(out, main, SHT_DYNSYM, main, &ignored, why);
	if (err)
		return err;
	if (out->count)
		qsort(out->list, out->count, sizeof(*out->list), by_vaddr);
	end_sizeless(out);
	return 0;
}

void point_symbols_finish(struct point_symbols *symbols)
{
	free(symbols->list);
	elf_minidebug_close(&symbols->minidebug);
	*symbols = (struct point_symbols){ .list = NULL };
}

const struct point_symbol *point_symbols_at(const struct point_symbols *symbols, uint64_t vaddr)
{
	size_t low = 0, high = symbols->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->list[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i > 0 && low - i < OUTER_MAX; i--) {
		const struct point_symbol *symbol = &symbols->list[i - 1];

		if (vaddr - symbol->vaddr < symbol->bytes)
			return symbol;
	}
	return NULL;
}

static bool is_text_match(const char *pattern, bool is_wildcard, const char *text)
{
	return is_wildcard ? name_pattern_matches(pattern, text) : !strcmp(pattern, text);
}

/* Removes the suffix of gcc's clones that are called instead of the function; not .part.N and
 * .cold, which are parts of it. */
static bool cut_clone_suffix(char *name)
{
	char *isra = strstr(name, ".isra."), *constprop = strstr(name, ".constprop.");
	char *first = !isra || (constprop && constprop < isra) ? constprop : isra;

	if (!first || strstr(first, ".cold") || strstr(first, ".part."))
		return false;
	*first = '\0';
	return true;
}

/* "ns::f(int) const" -> "ns::f"; "operator()" and templates keep their own parentheses. */
static void cut_parameters(char *name)
{
	size_t len = strlen(name), at = len;
	int depth = 0;

	while (at > 0 && name[at - 1] != ')')
		at--;
	for (; at > 0; at--) {
		depth += (name[at - 1] == ')') - (name[at - 1] == '(');
		if (!depth)
			break;
	}
	if (at > 1)
		name[at - 1] = '\0';
}

static bool matches_demangled(const char *pattern, bool is_wildcard, const char *name)
{
	char readable[DEMANGLE_TEXT_MAX + 1];

	if (!demangle_is_mangled(name) || !demangle_name(name, readable))
		return false;
	if (is_text_match(pattern, is_wildcard, readable))
		return true;
	cut_parameters(readable);
	return is_text_match(pattern, is_wildcard, readable);
}

bool point_name_matches(const char *pattern, bool is_wildcard, bool demangles, const char *name,
			size_t bytes)
{
	char text[NAME_MAX_BYTES];

	if (bytes >= sizeof(text))
		return false;
	memcpy(text, name, bytes);
	text[bytes] = '\0';
	if (is_text_match(pattern, is_wildcard, text))
		return true;
	if (demangles)
		return matches_demangled(pattern, is_wildcard, text);
	return !is_wildcard && cut_clone_suffix(text) && !strcmp(pattern, text);
}

static bool is_named(const struct flat_name *name, const char *wanted)
{
	return name->bytes == strlen(wanted) && !memcmp(name->text, wanted, name->bytes);
}

/* Variables per CPU are in a section of their own, at addresses that are offsets from each CPU's
 * base. */
static bool is_per_cpu(const struct elf_file *file, const struct elf_symbol *symbol)
{
	return strstr(file->sections[symbol->section].name, "percpu") != NULL;
}

bool point_symbols_variable(struct elf_file *file, uint64_t vaddr, char name[POINT_NAME_BYTES],
			    uint64_t *begin)
{
	struct elf_symbols table;
	uint32_t same = 0;

	name[0] = '\0';
	if (elf_symbols_read(&table, file, SHT_SYMTAB, NULL))
		return false;
	for (size_t i = 1; i < table.count && !name[0]; i++) {
		const struct elf_symbol symbol = elf_symbols_get(&table, i);
		const struct flat_name text = elf_symbols_name(&table, &symbol);

		if (symbol.type != STT_OBJECT || vaddr - symbol.value >= symbol.size ||
		    is_per_cpu(file, &symbol) || text.bytes >= POINT_NAME_BYTES)
			continue;
		memcpy(name, text.text, text.bytes);
		name[text.bytes] = '\0';
		*begin = symbol.value;
	}
	for (size_t i = 1; i < table.count && name[0]; i++) {
		const struct elf_symbol symbol = elf_symbols_get(&table, i);
		const struct flat_name text = elf_symbols_name(&table, &symbol);

		same += symbol.section && is_named(&text, name);
	}
	return same == 1;
}
