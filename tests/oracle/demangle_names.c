/* demangle_names.c - prints what the demangler makes of each line of its input, for
 * check_demangle.py; a line that stays as it is comes back. */
#include <stdio.h>
#include <string.h>

#include "elf/demangle.h"

int main(void)
{
	static char name[1 << 20], text[DEMANGLE_TEXT_MAX + 1];

	while (fgets(name, sizeof(name), stdin)) {
		name[strcspn(name, "\n")] = '\0';
		puts(demangle_name(name, text) ? text : name);
	}
	return 0;
}
