/* near_name.c - see near_name.h. */
#include "base/near_name.h"

#include <string.h>

#define TYPED_MAX_BYTES 40	/* longer than any name there is: such text is near to none */
#define KNOWN_MAX_BYTES 64

/* Levenshtein's distance, one row at a time. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t row[KNOWN_MAX_BYTES + 1];
	size_t width = strlen(b);

	for (size_t j = 0; j <= width; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < width; j++) {
			size_t replace = diagonal + (a[i] != b[j]);
			size_t step = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;

			diagonal = row[j + 1];
			row[j + 1] = replace < step ? replace : step;
		}
	}
	return row[width];
}

void near_name_start(struct near_name *near, const char *typed)
{
	const size_t length = strlen(typed);

	near->typed = typed;
	near->nearest = NULL;
	/* One error in three letters is near. */
	near->distance = length > TYPED_MAX_BYTES ? 0 : length / 3 + 1;
}

void near_name_try(struct near_name *near, const char *known)
{
	size_t distance;

	if (near->distance == 0 || strlen(known) > KNOWN_MAX_BYTES)
		return;
	distance = edit_distance(near->typed, known);
	if (distance < near->distance) {
		near->distance = distance;
		near->nearest = known;
	}
}
