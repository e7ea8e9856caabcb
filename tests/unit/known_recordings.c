/* known_recordings.c - see known_recordings.h. */
#include "known_recordings.h"

#define KERNEL	0xffffffff81000000
#define MODULE	0xffffffffc0000000
#define MODULE_PATH "/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko"

/* One more sample of event 0, with period 1. */
static void add(struct perf_data_writer *writer, uint16_t misc, uint32_t pid, uint32_t tid,
		uint64_t time_ns, uint64_t ip)
{
	const struct writer_sample sample = {
		.misc = misc, .pid = pid, .tid = tid, .time_ns = time_ns, .ip = ip, .period = 1,
	};

	perf_data_writer_sample(writer, &sample);
}

static void add_user(struct perf_data_writer *writer, uint32_t pid, uint32_t tid, uint64_t time_ns,
		     uint64_t ip)
{
	add(writer, PERF_RECORD_MISC_USER, pid, tid, time_ns, ip);
}

static void map_user(struct perf_data_writer *writer, uint32_t pid, uint64_t time_ns,
		     uint64_t start, uint64_t bytes, uint64_t offset, const char *path)
{
	perf_data_writer_mmap(writer, PERF_RECORD_MISC_USER, pid, time_ns, start, bytes, offset,
			      path);
}

static void map_kernel(struct perf_data_writer *writer)
{
	perf_data_writer_mmap(writer, PERF_RECORD_MISC_KERNEL, UINT32_MAX, 0, KERNEL, 0x1000000,
			      KERNEL, "[kernel.kallsyms]_text");
}

static void add_clock(struct perf_data_writer *writer, uint64_t sample_type)
{
	perf_data_writer_event(writer, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, sample_type,
			       "cpu-clock");
}

/* A machine with guests: what they run is distinguished by mode, the same addresses or not. */
static void write_guests(struct perf_data_writer *writer)
{
	static const uint16_t modes[] = {
		PERF_RECORD_MISC_GUEST_KERNEL, PERF_RECORD_MISC_GUEST_KERNEL,
		PERF_RECORD_MISC_GUEST_KERNEL, PERF_RECORD_MISC_KERNEL, PERF_RECORD_MISC_KERNEL,
		PERF_RECORD_MISC_HYPERVISOR, PERF_RECORD_MISC_CPUMODE_UNKNOWN,
	};

	add_clock(writer, WRITER_SAMPLE_TYPE);
	writer->attrs[0].exclude_guest = 0;
	map_kernel(writer);
	perf_data_writer_comm(writer, 10, 10, 0, "qemu", false);
	map_user(writer, 10, 0, 0x400000, 0x10000, 0, "/usr/bin/qemu");
	for (size_t i = 0; i < COUNT_OF(modes); i++)
		add(writer, modes[i], 10, 10, 100 + i, KERNEL + 0x100);
	add(writer, PERF_RECORD_MISC_GUEST_USER, 10, 10, 200, 0x401000);
	add(writer, PERF_RECORD_MISC_GUEST_USER, 10, 10, 201, 0x401000);
	add_user(writer, 10, 10, 202, 0x401000);
}

static const struct known_row guest_rows[] = {
	{ "cpu-clock", "qemu", 10, "[guest.kernel.kallsyms]", KERNEL + 0x100, 'g', 3, 3 },
	{ "cpu-clock", "qemu", 10, "[guest]", 0x401000, 'u', 2, 2 },
	{ "cpu-clock", "qemu", 10, "[kernel.kallsyms]", KERNEL + 0x100, 'k', 2, 2 },
	{ "cpu-clock", "qemu", 10, "[unknown]", KERNEL + 0x100, 'H', 2, 2 },
	{ "cpu-clock", "qemu", 10, "/usr/bin/qemu", 0x1000, '.', 1, 1 },
};

/* Shares follow the periods, counts do not; the field called weight (a latency) is neither. */
static void write_weights(struct perf_data_writer *writer)
{
	struct writer_sample sample = {
		.misc = PERF_RECORD_MISC_USER, .pid = 10, .tid = 10, .ip = 0x400100, .period = 1,
		.weight = 77,
	};

	add_clock(writer, WRITER_SAMPLE_TYPE | PERF_SAMPLE_WEIGHT);
	perf_data_writer_event(writer, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS,
			       WRITER_SAMPLE_TYPE | PERF_SAMPLE_WEIGHT, "instructions");
	perf_data_writer_comm(writer, 10, 10, 0, "program", false);
	map_user(writer, 10, 0, 0x400000, 0x10000, 0, "/bin/program");
	for (sample.time_ns = 100; sample.time_ns < 103; sample.time_ns++)
		perf_data_writer_sample(writer, &sample);
	sample.ip = 0x400200;
	sample.period = 1000;
	perf_data_writer_sample(writer, &sample);
	sample.event = 1;
	sample.period = UINT64_C(1) << 40;
	perf_data_writer_sample(writer, &sample);
	perf_data_writer_sample(writer, &sample);
}

static const struct known_row weight_rows[] = {
	{ "cpu-clock", "program", 10, "/bin/program", 0x100, '.', 3, 3 },
	{ "cpu-clock", "program", 10, "/bin/program", 0x200, '.', 1, 1000 },
	{ "instructions", "program", 10, "/bin/program", 0x200, '.', 2, UINT64_C(2) << 40 },
};

static void exit_task(struct perf_data_writer *writer, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	const uint64_t id = perf_data_writer_id(0);
	/* pid and parent, tid and parent, time; then the trailer: task, time, CPU, identifier */
	const uint64_t words[] = { PAIR(pid, pid), PAIR(tid, pid), time_ns,
				   PAIR(pid, tid), time_ns, 0, id };
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_EXIT, 0);
	record_add(&record, words, COUNT_OF(words));
	perf_data_writer_record(writer, &record);
}

/* The rings of two CPUs, one after the other: a child runs, in the file, before it is born. */
static void write_lives(struct perf_data_writer *writer)
{
	add_clock(writer, WRITER_SAMPLE_TYPE);
	perf_data_writer_comm(writer, 10, 10, 0, "parent", false);
	map_user(writer, 10, 0, 0x400000, 0x10000, 0x1000, "/bin/parent");
	/* CPU 1 */
	add_user(writer, 20, 20, 155, 0x400600);	/* born, still the parent's code */
	add_user(writer, 20, 20, 170, 0x400700);	/* after its exec */
	add_user(writer, 10, 11, 190, 0x400800);	/* a thread with a name of its own */
	add_user(writer, 10, 11, 330, 0x400900);	/* its last steps, after its exit record */
	add_user(writer, 99, 99, 340, 0x7000);		/* nobody ever heard of it */
	add_user(writer, UINT32_MAX, UINT32_MAX, 345, 0x7000);	/* a task that is no more */
	perf_data_writer_round(writer);
	/* CPU 0 */
	add_user(writer, 10, 10, 140, 0x400500);
	perf_data_writer_fork(writer, 20, 20, 10, 10, 150);
	perf_data_writer_comm(writer, 20, 20, 160, "child", true);
	map_user(writer, 20, 165, 0x400000, 0x10000, 0, "/bin/child");
	perf_data_writer_fork(writer, 10, 11, 10, 10, 180);
	perf_data_writer_comm(writer, 10, 11, 185, "worker", false);
	exit_task(writer, 10, 11, 320);
	perf_data_writer_round(writer);
}

static const struct known_row life_rows[] = {
	{ "cpu-clock", "parent", 10, "/bin/parent", 0x1500, '.', 1, 1 },
	{ "cpu-clock", "parent", 20, "/bin/parent", 0x1600, '.', 1, 1 },
	{ "cpu-clock", "child", 20, "/bin/child", 0x700, '.', 1, 1 },
	{ "cpu-clock", "worker", 10, "/bin/parent", 0x1800, '.', 1, 1 },
	{ "cpu-clock", "worker", 10, "/bin/parent", 0x1900, '.', 1, 1 },
	{ "cpu-clock", ":99", 99, "[unknown]", 0x7000, '.', 1, 1 },
	{ "cpu-clock", ":-1", -1, "[unknown]", 0x7000, '.', 1, 1 },
};

/* Mappings over mappings, and all that is no file. */
static void write_maps(struct perf_data_writer *writer)
{
	add_clock(writer, WRITER_SAMPLE_TYPE);
	map_kernel(writer);
	perf_data_writer_mmap(writer, PERF_RECORD_MISC_KERNEL, UINT32_MAX, 0, MODULE, 0x4000, 0,
			      MODULE_PATH);
	perf_data_writer_comm(writer, 10, 10, 0, "program", false);
	map_user(writer, 10, 0, 0x400000, 0x10000, 0x1000, "/bin/program");
	add_user(writer, 10, 10, 100, 0x404010);	/* the plugin is not there yet */
	map_user(writer, 10, 110, 0x404000, 0x1000, 0x5000, "/lib/plugin.so");
	map_user(writer, 10, 111, 0x7ffff7fc1000, 0x2000, 0x4000, "[vdso]");
	map_user(writer, 10, 112, 0x10000000, 0x1000, 0, "//anon");
	add_user(writer, 10, 10, 120, 0x403fff);	/* before it, in it, after it */
	add_user(writer, 10, 10, 121, 0x404010);
	add_user(writer, 10, 10, 122, 0x405020);
	add_user(writer, 10, 10, 123, 0x410000);	/* after the last byte */
	add_user(writer, 10, 10, 124, 0x7ffff7fc1123);
	add_user(writer, 10, 10, 125, 0x10000100);
	add(writer, PERF_RECORD_MISC_KERNEL, 10, 10, 126, MODULE + 0x200);
	add(writer, PERF_RECORD_MISC_KERNEL, 10, 10, 127, MODULE + 0x4000);
	add(writer, PERF_RECORD_MISC_KERNEL, 0, 0, 128, KERNEL + 0x300);
}

static const struct known_row map_rows[] = {
	{ "cpu-clock", "program", 10, "/bin/program", 0x5010, '.', 1, 1 },
	{ "cpu-clock", "program", 10, "/bin/program", 0x4fff, '.', 1, 1 },
	{ "cpu-clock", "program", 10, "/lib/plugin.so", 0x5010, '.', 1, 1 },
	{ "cpu-clock", "program", 10, "/bin/program", 0x6020, '.', 1, 1 },
	{ "cpu-clock", "program", 10, "[unknown]", 0x410000, '.', 1, 1 },
	{ "cpu-clock", "program", 10, "[vdso]", 0x123, '.', 1, 1 },
	{ "cpu-clock", "program", 10, "//anon", 0x10000100, '.', 1, 1 },
	{ "cpu-clock", "program", 10, MODULE_PATH, MODULE + 0x200, 'k', 1, 1 },
	{ "cpu-clock", "program", 10, "[unknown]", MODULE + 0x4000, 'k', 1, 1 },
	{ "cpu-clock", "swapper", 0, "[kernel.kallsyms]", KERNEL + 0x300, 'k', 1, 1 },
};

#define ROWS(array) array, COUNT_OF(array)

const struct known_recording known_recordings[] = {
	{ "guests", write_guests, ROWS(guest_rows) },
	{ "weights", write_weights, ROWS(weight_rows) },
	{ "lives", write_lives, ROWS(life_rows) },
	{ "maps", write_maps, ROWS(map_rows) },
};
const size_t known_recording_count = COUNT_OF(known_recordings);
