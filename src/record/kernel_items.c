/* kernel_items.c - the maps of the running kernel: recording_describe_kernel().
 *
 * Source: /proc/modules; the records that perf synthesises: a module that is called by its name in
 *         brackets needs no path, and the file offset of the kernel's map is the address of the
 *         symbol that its name ends with.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/recording.h"
#include "symbols/kallsyms.h"
#include "written_record.h"

static bool write_map(const struct recording_sink *sink, const struct written_map *map)
{
	static const struct written_trailer trailer = { .pid = UINT32_MAX, .cpu = UINT32_MAX,
							.id = WRITTEN_FIRST_ID };
	struct written_record record;

	written_record_map(&record, map, &trailer);
	return sink->write(sink->owner, &(struct recording_item){
		.kind = RECORDING_RECORD, .record = (const void *)record.words,
	});
}

/* Reads "ext4 1110016 1 - Live 0xffffffffc0a00000". Hidden addresses are 0. */
static bool read_module(const char *line, struct written_map *out, char name[80])
{
	char raw[64];

	return sscanf(line, "%63s %" SCNu64 " %*s %*s %*s %" SCNx64, raw, &out->bytes,
		      &out->start) == 3 &&
	       out->start && snprintf(name, 80, "[%s]", raw) > 0;
}

static void write_modules(const struct recording_sink *sink)
{
	FILE *modules = fopen("/proc/modules", "re");
	char *line = NULL, name[80];
	size_t room = 0;

	while (modules && getline(&line, &room, modules) > 0) {
		struct written_map map = { .path = name, .is_kernel = true };

		if (read_module(line, &map, name) && !write_map(sink, &map))
			break;
	}
	free(line);
	if (modules)
		fclose(modules);
}

void recording_describe_kernel(const struct recording_sink *sink)
{
	static const atomic_bool never;
	const struct recording_item build_id = {
		.kind = RECORDING_BUILD_ID,
		.build_id = { .path = RECORDING_KERNEL, .build_id = kallsyms_build_id(),
			      .is_kernel = true },
	};
	struct kallsyms_bounds bounds = { 0 };
	struct written_map map = { .path = RECORDING_KERNEL KALLSYMS_TEXT, .is_kernel = true };

	if (build_id.build_id.build_id.count)
		sink->write(sink->owner, &build_id);
	if (kallsyms_find_bounds(&bounds, "/proc/kallsyms", &never, NULL) || !bounds.begin ||
	    bounds.end <= bounds.begin)
		return;
	map.start = map.file_offset = bounds.begin;
	map.bytes = bounds.end - bounds.begin;
	if (write_map(sink, &map))
		write_modules(sink);
}
