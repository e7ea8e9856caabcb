/* hits.c - see hits.h. */
#include "hits.h"

struct hit hits_find(const struct hits *hits, int x, int y)
{
	for (size_t i = hits->count; i-- > 0;) {	/* what was drawn last lies on top */
		struct hit hit = hits->list[i];

		if (x < hit.x || x >= hit.x + hit.width || y < hit.y || y >= hit.y + hit.height)
			continue;
		if (hit.kind == HIT_ROWS)
			hit.number += (size_t)(y - hit.y);
		return hit;
	}
	return (struct hit){ .kind = HIT_NOTHING };
}
