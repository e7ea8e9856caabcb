/* cfi_program.h - executes the CFA instructions of an unwind entry: yields, for each of its
 * addresses, the rule that finds the caller.
 *
 * Source: DWARF 5, 6.4.2 and 6.4.3; LSB 5.0 core generic, 10.5 (GNU's instructions).
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_CFI_PROGRAM_H
#define ELF_CFI_PROGRAM_H

#include "frame_entries.h"
#include "sandbox/unwind_table.h"

#define CFI_REMEMBERED_MAX 16	/* nested DW_CFA_remember_state; compilers nest 1 */

/* Architecture-specific register numbers and known expressions. */
struct cfi_machine;
/* Returns the machine for @elf_machine (e_machine), valid forever; NULL: not supported. */
const struct cfi_machine *cfi_machine_find(uint16_t elf_machine);

/* Where a register of the caller is saved. */
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
	uint64_t cfa_register;	/* CFI_CFA_REGISTER: CFA = cfa_register + cfa_offset */
	int64_t cfa_offset;	/* also offset of the *_WORD; CFI_CFA_PLT: unwind_row.cfa */
	struct cfi_place places[CFI_REGISTERS];
};

struct cfi_program {
	const struct cfi_machine *machine;
	uint64_t cie_number;	/* frame_cie.number of the CIE that set `initial`; 0: none yet */
	bool is_bad_cie;
	struct cfi_rules initial, rules;
	struct cfi_rules remembered[CFI_REMEMBERED_MAX];
	uint32_t remembered_count;
};

struct cfi_rows {
	struct unwind_row *rows;	/* owned: free() */
	uint32_t count, capacity;
};

/* Appends @row. Returns 0; -ENOMEM; or -E2BIG: more than a table may have. After an error @rows is
 * unchanged. */
int cfi_rows_append(struct cfi_rows *rows, struct unwind_row row);

/* Appends the rows of @entry: at least one, the first at entry->offset, sorted, no two equal
 * neighbours, all inside the entry. Damaged or inexpressible rules become UNWIND_COMPLEX. Returns
 * 0, -ENOMEM or -E2BIG; after an error some rows may have been appended. */
int cfi_program_run(struct cfi_program *program, const struct frame_entry *entry,
		    struct cfi_rows *rows);

#endif
