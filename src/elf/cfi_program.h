/* cfi_program.h - runs the instructions of an unwind entry: by which rule the caller is found from
 * each of its addresses on.
 *
 * Source: DWARF 5, 6.4.2 and 6.4.3; LSB 5.0 core generic, 10.5 (GNU's instructions).
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_CFI_PROGRAM_H
#define ELF_CFI_PROGRAM_H

#include "frame_entries.h"
#include "sandbox/unwind_table.h"

#define CFI_REMEMBERED_MAX 16	/* compilers nest 1 */

/* What a kind of CPU has of its own. */
struct cfi_machine;
/* By e_machine; NULL: its rows can't be made. Valid for ever. */
const struct cfi_machine *cfi_machine_find(uint16_t elf_machine);

/* Where a caller's register is. */
struct cfi_place {
	enum {
		CFI_UNSAID, CFI_SAME, CFI_UNDEFINED, CFI_AT_CFA, CFI_AT_BP, CFI_IN_DI,
		CFI_ELSEWHERE
	} where;
	int64_t offset;		/* CFI_AT_CFA: in memory at CFA + offset */
};

enum cfi_register { CFI_BP, CFI_SP, CFI_BX, CFI_RETURN, CFI_REGISTERS };

struct cfi_rules {
	enum {
		CFI_CFA_UNSAID, CFI_CFA_REGISTER, CFI_CFA_SP_WORD, CFI_CFA_BP_WORD, CFI_CFA_PLT,
		CFI_CFA_SIGNAL, CFI_CFA_ELSE
	} cfa;
	uint64_t cfa_register;	/* CFI_CFA_REGISTER: CFA = register + offset */
	int64_t cfa_offset;	/* also of the words; CFI_CFA_PLT: the byte of unwind_row.cfa */
	struct cfi_place places[CFI_REGISTERS];
};

struct cfi_program {
	const struct cfi_machine *machine;
	uint64_t cie_number;	/* whose `initial` that is; 0: none yet */
	bool is_bad_cie;
	struct cfi_rules initial, rules;
	struct cfi_rules remembered[CFI_REMEMBERED_MAX];
	uint32_t remembered_count;
};

struct cfi_rows {
	struct unwind_row *rows;	/* owned: free() */
	uint32_t count, capacity;
};

/* 0; -ENOMEM, or -E2BIG: more than a table may have; then the rows are as they were. */
int cfi_rows_append(struct cfi_rows *rows, struct unwind_row row);

/* Appends the rows of @entry: at least one, the first at entry->offset, in order, no two equal
 * neighbours, all in the entry. What is damaged or can't be expressed is UNWIND_COMPLEX. 0; -ENOMEM
 * or -E2BIG: the rows are as they were, or some were appended. */
int cfi_program_run(struct cfi_program *program, const struct frame_entry *entry,
		    struct cfi_rows *rows);

#endif
