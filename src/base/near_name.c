/* near_name.c - see near_name.h. */
#include "base/near_name.h"

#include <string.h>

#define TYPED_MAX_BYTES 40	/* longer than any name there is: such text is near to none */
#define KNOWN_MAX_BYTES 64

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Levenshtein's distance, where two neighbours that are swapped are one error as well (optimal
 * string alignment). Three rows of its table are kept. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t rows[3][KNOWN_MAX_BYTES + 1];
	size_t *two_back = rows[0], *back = rows[1], *row = rows[2];
	const size_t width = strlen(b);

	for (size_t j = 0; j <= width; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t *const oldest = two_back;

		two_back = back;
		back = row;
		row = oldest;
		row[0] = i + 1;
		for (size_t j = 0; j < width; j++) {
			row[j + 1] = smaller(smaller(row[j], back[j + 1]) + 1,
					     back[j] + (a[i] != b[j]));
			if (i && j && a[i] == b[j - 1] && a[i - 1] == b[j])
				row[j + 1] = smaller(row[j + 1], two_back[j - 1] + 1);
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
