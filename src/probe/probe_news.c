/* probe_news.c - see probe/probe_news.h. */
#include "probe/probe_news.h"

#include <stdlib.h>

static void stream_finish(struct probe_stream *stream)
{
	raw_fields_finish(&stream->fields);
	free(stream->ids);
}

void probe_reading_destroy(struct probe_reading *reading)
{
	if (!reading)
		return;
	stream_finish(&reading->entry);
	stream_finish(&reading->leave);
	free(reading->names);
	free(reading);
}
