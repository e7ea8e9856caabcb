/* one_liner_dump.c - translates the programs of bpftrace's files, for check_one_liners.
 *
 * usage: one_liner_dump FILE...
 *
 * For each file one line: the specs with " | " between them, or "refused: " and the sentence.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finder/one_liner.h"

#define PROGRAM_BYTES 65536

static int read_program(const char *path, char text[PROGRAM_BYTES])
{
	FILE *in = fopen(path, "r");
	size_t bytes;

	if (!in) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	bytes = fread(text, 1, PROGRAM_BYTES - 1, in);
	text[bytes] = '\0';
	fclose(in);
	return 0;
}

int main(int argc, char **argv)
{
	static char text[PROGRAM_BYTES];
	static struct one_liner made;

	for (int i = 1; i < argc; i++) {
		struct diag why = { .text = "" };

		if (read_program(argv[i], text))
			return EXIT_FAILURE;
		if (one_liner_translate(&made, text, &why))
			printf("refused: %s", why.text);
		for (uint32_t k = 0; k < made.count; k++)
			printf("%s%s", k ? " | " : "", made.specs[k]);
		printf("\n");
	}
	return EXIT_SUCCESS;
}
