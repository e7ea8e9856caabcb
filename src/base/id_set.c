/* id_set.c - see base/id_set.h. */
#include "base/id_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 256

static int resize(struct id_set *set, uint32_t slot_count, uint32_t rows, id_set_hash *hash,
		  const void *owner)
{
	uint32_t *slots = malloc(slot_count * sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	memset(slots, 0xff, slot_count * sizeof(*slots));
	free(set->tagged);
	*set = (struct id_set){ .tagged = slots, .slot_count = slot_count };
	for (uint32_t id = 0; id < rows; id++)
		id_set_add(set, hash(owner, id), id);
	return 0;
}

int id_set_grow(struct id_set *set, id_set_hash *hash, const void *owner)
{
	return resize(set, set->slot_count ? set->slot_count * 2 : FIRST_SLOTS, set->used, hash,
		      owner);
}

void id_set_clear(struct id_set *set)
{
	if (set->slot_count > FIRST_SLOTS && set->used < set->slot_count / 16)
		id_set_finish(set);
	else if (set->used)
		memset(set->tagged, 0xff, set->slot_count * sizeof(*set->tagged));
	set->used = 0;
}

int id_set_rebuild(struct id_set *set, uint32_t count, id_set_hash *hash, const void *owner)
{
	uint32_t slot_count = FIRST_SLOTS;

	while (count > slot_count / 4 * 3)
		slot_count *= 2;
	if (!resize(set, slot_count, count, hash, owner))
		return 0;
	if (set->slot_count < slot_count)
		return -ENOMEM;
	/* No memory for a smaller table: the old one serves. */
	memset(set->tagged, 0xff, set->slot_count * sizeof(*set->tagged));
	set->used = 0;
	for (uint32_t id = 0; id < count; id++)
		id_set_add(set, hash(owner, id), id);
	return 0;
}

void id_set_finish(struct id_set *set)
{
	free(set->tagged);
	memset(set, 0, sizeof(*set));
}
