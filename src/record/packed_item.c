/* packed_item.c - see packed_item.h. */
#include "packed_item.h"

#include <string.h>

size_t packed_item_bytes(const struct recording_item *item)
{
	switch (item->kind) {
	case RECORDING_RECORD:
		return item->record->size;
	case RECORDING_EVENT:
		return strlen(item->event.name) + strlen(item->event.format) +
		       strlen(item->event.group) + strlen(item->event.probe) + 4;
	case RECORDING_BUILD_ID:
		return strlen(item->build_id.path) + 1;
	}
	return 0;
}

static char *append_text(char *at, const char *text)
{
	return stpcpy(at, text) + 1;
}

void packed_item_write(void *at, const struct recording_item *item)
{
	switch (item->kind) {
	case RECORDING_RECORD:
		memcpy(at, item->record, item->record->size);
		break;
	case RECORDING_EVENT:
		at = append_text(append_text(at, item->event.name), item->event.format);
		append_text(append_text(at, item->event.group), item->event.probe);
		break;
	case RECORDING_BUILD_ID:
		append_text(at, item->build_id.path);
		break;
	}
}

struct recording_item packed_item_open(const struct recording_item *item, const void *at)
{
	struct recording_item out = *item;

	switch (out.kind) {
	case RECORDING_RECORD:
		out.record = at;
		break;
	case RECORDING_EVENT:
		out.event.name = at;
		out.event.format = out.event.name + strlen(out.event.name) + 1;
		out.event.group = out.event.format + strlen(out.event.format) + 1;
		out.event.probe = out.event.group + strlen(out.event.group) + 1;
		break;
	case RECORDING_BUILD_ID:
		out.build_id.path = at;
		break;
	}
	return out;
}
