/* go_symbols.h - the functions of a Go program by the table that its runtime prints stacks with: it
 * is there when everything else was stripped.
 *
 * Source: Go's src/debug/gosym/pclntab.go and src/runtime/symtab.go (pcHeader, moduledata) of 1.2,
 *         1.16, 1.18, 1.20 and 1.26.
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef SYMBOLS_GO_SYMBOLS_H
#define SYMBOLS_GO_SYMBOLS_H

#include "symbols/elf_file.h"
#include "symbols/flat_builder.h"

/* Adds the functions of @main's .gopclntab, if one is there and can be read. 0, -ENOMEM or
 * -E2BIG. */
int go_symbols_add(struct elf_file *main, struct flat_builder *builder);

#endif
