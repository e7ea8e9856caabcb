/* write_known DIRECTORY - writes the recordings of tests/unit/known_recordings.h, for perf. */
#include <stdio.h>

#include "../unit/known_recordings.h"

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: write_known DIRECTORY\n");
		return 2;
	}
	for (size_t i = 0; i < known_recording_count; i++) {
		struct perf_data_writer writer;
		char path[4096];

		snprintf(path, sizeof(path), "%s/known-%s.data", argv[1], known_recordings[i].name);
		perf_data_writer_init(&writer);
		known_recordings[i].write(&writer);
		perf_data_writer_save(&writer, path);
		perf_data_writer_finish(&writer);
	}
	return 0;
}
