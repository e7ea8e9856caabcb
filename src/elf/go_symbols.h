/* go_symbols.h - functions and frame sizes of a Go program from .gopclntab, the table with which
 * its runtime prints stacks; stripping does not remove it.
 *
 * Source: Go's src/debug/gosym/pclntab.go and src/runtime/symtab.go (pcHeader, moduledata, _func,
 *         pcvalue) of 1.2, 1.16, 1.18, 1.20 and 1.26.
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_GO_SYMBOLS_H
#define ELF_GO_SYMBOLS_H

#include "cfi_program.h"
#include "elf/flat_builder.h"

/* Adds the functions of @main's .gopclntab, if it has a readable one. Returns 0, -ENOMEM or
 * -E2BIG. */
int go_symbols_add(struct elf_file *main, struct flat_builder *builder);

/* Called for a function whose unwind rows start at index @first_row; @bytes > 0, all inside the
 * file's code. Returns 0 to continue; any other value ends the walk and becomes its result. */
typedef int go_function_visit(void *context, uint64_t offset, uint64_t bytes, uint32_t first_row);

/* For each function of @main's .gopclntab, appends its unwind rows to @rows, then calls @visit.
 * Skips functions without a table of frame sizes and those that are out of address order. Returns
 * 0, -ENOMEM, -E2BIG, or the value from @visit. */
int go_unwind_walk(struct elf_file *main, struct cfi_rows *rows, go_function_visit *visit,
		   void *context);

#endif
