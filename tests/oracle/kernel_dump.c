/* kernel_dump.c - the name at each kernel address on standard input, for check_kernel_names:
 *
 *   kernel_dump KALLSYMS        ADDRESS (hexadecimal) -> ADDRESS NAME MODULE, "-" for none
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbols/kallsyms.h"

static void print_name(const struct flat_table *table, const char *address)
{
	uint32_t row = flat_table_find(table, strtoull(address, NULL, 16));
	const char *module = row == FLAT_NONE ? NULL : flat_table_dso_name(table, row);

	printf("%s %s %s\n", address, row == FLAT_NONE ? "-" : flat_table_name(table, row),
	       module ? module : "-");
}

int main(int argc, char **argv)
{
	const atomic_bool no_cancel = false;
	struct kallsyms kallsyms;
	struct diag why = { .err = 0 };
	char address[32];

	if (argc != 2)
		return 2;
	if (kallsyms_load(&kallsyms, argv[1], 0, &no_cancel, &why)) {
		fprintf(stderr, "kernel_dump: %s\n", why.text);
		return why.err == -1 ? 77 : 3;
	}
	while (scanf("%31s", address) == 1)
		print_name(&kallsyms.table, address);
	kallsyms_finish(&kallsyms);
	return 0;
}
