/* go_symbols.h - the functions of a Go program by the table that its runtime prints stacks with,
 * and how large their frames are: it is there when everything else was stripped.
 *
 * Source: Go's src/debug/gosym/pclntab.go and src/runtime/symtab.go (pcHeader, moduledata, _func,
 *         pcvalue) of 1.2, 1.16, 1.18, 1.20 and 1.26.
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_GO_SYMBOLS_H
#define ELF_GO_SYMBOLS_H

#include "cfi_program.h"
#include "elf/flat_builder.h"

/* Adds the functions of @main's .gopclntab, if one is there and can be read. 0, -ENOMEM or
 * -E2BIG. */
int go_symbols_add(struct elf_file *main, struct flat_builder *builder);

/* A function whose rows are those of the rows' array from @first_row on; @bytes > 0, all of it in
 * the code of the file. Not 0: the walk ends, and that is what it returns. */
typedef int go_function_visit(void *context, uint64_t offset, uint64_t bytes, uint32_t first_row);

/* Appends the unwind rows of each function of @main's .gopclntab to @rows, and visits it then.
 * Functions without a table of frame sizes are left out, and those that are not in order of their
 * addresses. 0, -ENOMEM, -E2BIG, or what @visit said. */
int go_unwind_walk(struct elf_file *main, struct cfi_rows *rows, go_function_visit *visit,
		   void *context);

#endif
