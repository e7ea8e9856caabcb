/* first_pictures.c - see first_pictures.h. */
#include "first_pictures.h"

#include "base/clock.h"
#include "ingest/ingest.h"

#define FIRST_NS (150 * CLOCK_NS_PER_MS)	/* the screen should not stay empty */
#define STEP_NS	 (100 * CLOCK_NS_PER_MS)	/* a faster change can't be read */
#define LAST_NS	 (650 * CLOCK_NS_PER_MS)	/* by then the kernel's names are there */

void first_pictures_begin(struct first_pictures *pictures, uint64_t now_ns)
{
	*pictures = (struct first_pictures){ .begin_ns = now_ns };
}

static bool has_samples(const struct ingest *ingest)
{
	return ingest->timeline.count || timeline_open_count(&ingest->timeline);
}

/* Nothing that was sampled waits for its name, but the kernel's, which takes longest. */
static bool is_settled(const struct ingest *ingest)
{
	const uint32_t kernel =
		ingest->objects.objects[OBJECT_KERNEL].state == OBJECT_LOADING ? 1 : 0;

	return has_samples(ingest) && !ingest->parked_count && !ingest->is_held &&
	       ingest->opening <= kernel && !symbol_names_are_pending(&ingest->names);
}

uint64_t first_pictures_due_ns(const struct first_pictures *pictures, const struct ingest *ingest)
{
	const uint64_t step_ns = pictures->last_ns + STEP_NS;
	const uint64_t end_ns = pictures->begin_ns + LAST_NS;
	bool has_news;

	if (!pictures->begin_ns)
		return UINT64_MAX;
	if (!pictures->last_ns)
		return is_settled(ingest) ? 0 : pictures->begin_ns + FIRST_NS;
	/* A snapshot requested before there were samples does not count as the first. */
	has_news = ingest->has_new_names || (!pictures->has_samples && is_settled(ingest));
	return has_news && step_ns < end_ns ? step_ns : end_ns;
}

void first_pictures_made(struct first_pictures *pictures, const struct ingest *ingest,
			 uint64_t now_ns)
{
	pictures->last_ns = now_ns;
	pictures->has_samples = has_samples(ingest);
	if (now_ns >= pictures->begin_ns + LAST_NS)
		pictures->begin_ns = 0;
}
