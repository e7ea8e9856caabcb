/* unit_tests.c - main() of the unit tests of a room, and the list of their files. */
#include <stdio.h>
#include <string.h>

#include "unit_tests.h"

#define FILES_MAX 128

static struct {
	const char *name;
	int (*run)(void);
} files[FILES_MAX];
static int file_count;

void unit_tests_add(const char *name, int (*run)(void))
{
	if (file_count == FILES_MAX)
		__builtin_trap();
	files[file_count].name = name;
	files[file_count++].run = run;
}

int main(int argc, char **argv)
{
	for (int i = 0; i < file_count; i++) {
		if (argc < 2)
			printf("%s\n", files[i].name);
		else if (!strcmp(files[i].name, argv[1]))
			return files[i].run();
	}
	if (argc < 2)
		return 0;
	fprintf(stderr, "%s: no file is called %s\n", argv[0], argv[1]);
	return 1;
}
