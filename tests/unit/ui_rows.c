/* ui_rows.c - see ui_rows.h. */
#include "ui_rows.h"

#define POSTGRES "/usr/lib/postgresql/15/bin/postgres"
#define CRYPTO	 "/usr/lib/x86_64-linux-gnu/libcrypto.so.3"

/* Each kind of row once; idle is the first everywhere. */
static struct snapshot_row symbols[] = {
	{ .symbol = "pv_native_safe_halt", .dso = "[kernel]", .dso_path = "[kernel]",
	  .comm = "swapper/0", .tasks = 8, .pid = 0, .tid = 0, .cpu = -1, .mode = MODE_KERNEL,
	  .is_idle = true, .now.self.samples = 44000, .now.total.samples = 44000 },
	{ .symbol = "hash_search_with_hash_value", .dso = "postgres", .dso_path = POSTGRES,
	  .comm = "postgres", .tasks = 1, .pid = 4121, .tid = 4121, .cpu = 2, .mode = MODE_USER,
	  .now.self.samples = 14520, .now.total.samples = 24430 },
	{ .symbol = "copy_user_enhanced_fast_string", .dso = "[kernel]",
	  .dso_path = "[kernel]", .tasks = 12, .pid = -1, .tid = -1, .cpu = -1,
	  .mode = MODE_KERNEL, .now.self.samples = 7150, .now.total.samples = 7150 },
	{ .symbol = "ChaCha20_4xl", .dso = "libcrypto.so.3", .dso_path = CRYPTO,
	  .comm = "nginx", .tasks = 1, .pid = 77, .tid = 80, .cpu = 0, .mode = MODE_USER,
	  .now.self.samples = 5160, .now.total.samples = 15300 },
	{ .dso = "libjvm.so", .dso_path = "/usr/lib/jvm/lib/server/libjvm.so",
	  .comm = "java", .tasks = 3, .pid = 900, .tid = -1, .cpu = -1, .mode = MODE_USER,
	  .state = SYMBOL_LOADING, .now.self.samples = 3230, .now.total.samples = 3230 },
	{ .symbol = "0x8f31a0", .dso = "cc1plus", .dso_path = "/usr/lib/gcc/cc1plus",
	  .comm = "cc1plus", .tasks = 1, .pid = 5150, .tid = 5150, .cpu = 7, .mode = MODE_USER,
	  .state = SYMBOL_UNKNOWN, .now.self.samples = 2350, .now.total.samples = 2350 },
	{ .symbol = "0x1234", .dso = "stripped.bin", .dso_path = "/opt/stripped.bin",
	  .comm = "stripped", .tasks = 1, .pid = 61, .tid = 61, .cpu = 1, .mode = MODE_USER,
	  .state = SYMBOL_UNREADABLE, .reason = "not an ELF file", .now.self.samples = 1100,
	  .now.total.samples = 1100 },
	{ .symbol = "std::vector<std::pair<int, std::string>, std::allocator<std::pair<int, "
		    "std::string> > >::_M_realloc_insert(std::pair<int, std::string>&&)",
	  .dso = "a-rather-long-program-name-indeed",
	  .dso_path = "/opt/a-rather-long-program-name-indeed", .comm = "a-rather-long-p",
	  .tasks = 1, .pid = 4194304, .tid = 4194304, .cpu = 6, .mode = MODE_USER,
	  .now.self.samples = 900, .now.total.samples = 30000 },
	{ .symbol = "\u6f22\u5b57\u306e\u95a2\u6570", .dso = "unicode",
	  .dso_path = "/opt/unicode", .comm = "cafe\u0301", .tasks = 1, .pid = 12, .tid = 12,
	  .cpu = 3, .mode = MODE_USER, .now.self.samples = 310, .now.total.samples = 310 },
	{ .symbol = "vmx_vcpu_run", .dso = "[kernel]", .dso_path = "[kernel]",
	  .comm = "qemu", .tasks = 1, .pid = 13, .tid = 14, .cpu = 4, .mode = MODE_GUEST_KERNEL,
	  .now.self.samples = 120, .now.total.samples = 120 },
	{ .symbol = "guest_main", .dso = "[unknown]", .dso_path = "[unknown]",
	  .comm = "qemu", .tasks = 1, .pid = 13, .tid = 14, .cpu = 4, .mode = MODE_GUEST_USER,
	  .now.self.samples = 20, .now.total.samples = 20 },
	{ .symbol = "main", .dso = "postgres", .dso_path = POSTGRES, .comm = "postgres",
	  .tasks = 1, .pid = 4121, .tid = 4121, .cpu = 2, .mode = MODE_USER,
	  .now.total.samples = 24430 },
};

static struct snapshot_row dsos[] = {
	{ .dso = "[kernel]", .dso_path = "[kernel]", .comm = "swapper/0", .tasks = 8,
	  .pid = 0, .tid = 0, .cpu = -1, .mode = MODE_KERNEL, .is_idle = true,
	  .now.self.samples = 44000, .now.total.samples = 44000 },
	{ .dso = "postgres", .dso_path = POSTGRES, .comm = "postgres", .tasks = 1,
	  .pid = 4121, .tid = 4121, .cpu = 2, .mode = MODE_USER, .now.self.samples = 14520,
	  .now.total.samples = 24430 },
	{ .dso = "[kernel]", .dso_path = "[kernel]", .tasks = 13, .pid = -1, .tid = -1,
	  .cpu = -1, .mode = MODE_KERNEL, .now.self.samples = 7270, .now.total.samples = 7270 },
	{ .dso = "libcrypto.so.3", .dso_path = CRYPTO, .comm = "nginx", .tasks = 1,
	  .pid = 77, .tid = 80, .cpu = 0, .mode = MODE_USER, .now.self.samples = 5160,
	  .now.total.samples = 15300 },
	{ .dso = "libjvm.so", .dso_path = "/usr/lib/jvm/lib/server/libjvm.so",
	  .comm = "java", .tasks = 3, .pid = 900, .tid = -1, .cpu = -1, .mode = MODE_USER,
	  .now.self.samples = 3230, .now.total.samples = 3230 },
	{ .dso = "cc1plus", .dso_path = "/usr/lib/gcc/cc1plus", .comm = "cc1plus",
	  .tasks = 1, .pid = 5150, .tid = 5150, .cpu = 7, .mode = MODE_USER,
	  .now.self.samples = 2350, .now.total.samples = 2350 },
	{ .dso = "stripped.bin", .dso_path = "/opt/stripped.bin", .comm = "stripped",
	  .tasks = 1, .pid = 61, .tid = 61, .cpu = 1, .mode = MODE_USER, .now.self.samples = 1100,
	  .now.total.samples = 1100 },
	{ .dso = "a-rather-long-program-name-indeed",
	  .dso_path = "/opt/a-rather-long-program-name-indeed", .comm = "a-rather-long-p",
	  .tasks = 1, .pid = 4194304, .tid = 4194304, .cpu = 6, .mode = MODE_USER,
	  .now.self.samples = 900, .now.total.samples = 30000 },
	{ .dso = "unicode", .dso_path = "/opt/unicode", .comm = "cafe\u0301", .tasks = 1,
	  .pid = 12, .tid = 12, .cpu = 3, .mode = MODE_USER, .now.self.samples = 310,
	  .now.total.samples = 310 },
	{ .dso = "[unknown]", .dso_path = "[unknown]", .comm = "qemu", .tasks = 1,
	  .pid = 13, .tid = 14, .cpu = 4, .mode = MODE_GUEST_USER, .now.self.samples = 20,
	  .now.total.samples = 20 },
};

static struct snapshot_row comms[] = {
	{ .comm = "swapper/0", .tasks = 8, .pid = 0, .tid = 0, .cpu = -1, .is_idle = true,
	  .now.self.samples = 44000, .now.total.samples = 44000 },
	{ .comm = "postgres", .tasks = 1, .pid = 4121, .tid = 4121, .cpu = 2,
	  .now.self.samples = 18520, .now.total.samples = 24430 },
	{ .comm = "nginx", .tasks = 4, .pid = 77, .tid = -1, .cpu = -1, .now.self.samples = 7160,
	  .now.total.samples = 15300 },
	{ .comm = "java", .tasks = 3, .pid = 900, .tid = -1, .cpu = -1, .now.self.samples = 4380,
	  .now.total.samples = 4380 },
	{ .comm = "cc1plus", .tasks = 1, .pid = 5150, .tid = 5150, .cpu = 7,
	  .now.self.samples = 2350, .now.total.samples = 2350 },
	{ .comm = "stripped", .tasks = 1, .pid = 61, .tid = 61, .cpu = 1, .now.self.samples = 1100,
	  .now.total.samples = 1100 },
	{ .comm = "a-rather-long-p", .tasks = 1, .pid = 4194304, .tid = 4194304, .cpu = 6,
	  .now.self.samples = 900, .now.total.samples = 30000 },
	{ .comm = "cafe\u0301", .tasks = 1, .pid = 12, .tid = 12, .cpu = 3, .now.self.samples = 310,
	  .now.total.samples = 310 },
	{ .comm = "qemu", .tasks = 1, .pid = 13, .tid = 14, .cpu = 4, .now.self.samples = 140,
	  .now.total.samples = 140 },
};

/* Processes, and threads of two of them; `tasks` of a process are its threads with samples. */
static struct snapshot_row tasks[] = {
	{ .id = 1, .comm = "swapper/0", .tasks = 8, .pid = 0, .tid = -1, .cpu = -1,
	  .is_idle = true, .cpu_pct = -1, .busy_pct = -1, .now.self.samples = 44000,
	  .now.total.samples = 44000 },
	{ .id = 4121, .comm = "postgres", .tasks = 1, .pid = 4121, .tid = -1, .cpu = 2,
	  .threads = 1, .task_state = 'R', .cpu_pct = 185.7, .busy_pct = -1,
	  .command_line = "postgres: bench shop 10.1.4.20(41022) SELECT",
	  .cgroup = "/system.slice/system-postgresql.slice/postgresql@15-main.service",
	  .unit = "postgresql@15-main.service",
	  .now.self.samples = 18520, .now.total.samples = 24430 },
	{ .id = 77, .comm = "nginx", .tasks = 4, .pid = 77, .tid = -1, .cpu = -1, .threads = 4,
	  .task_state = 'S', .cpu_pct = 71.8, .busy_pct = -1,
	  .command_line = "nginx: worker process", .cgroup = "/lxc.payload.web/nginx.service",
	  .unit = "nginx.service", .container = "web", .now.self.samples = 7160,
	  .now.total.samples = 15300 },
	{ .id = 900, .comm = "java", .tasks = 3, .pid = 900, .tid = -1, .cpu = -1, .threads = 48,
	  .task_state = 'S', .cpu_pct = 43.9, .busy_pct = -1,
	  .command_line = "/usr/bin/java -Xmx4g -XX:+UseG1GC -Dserver.port=8080 -jar "
			  "/srv/shop/shop-service-2.14.0.jar --profile=production",
	  .now.self.samples = 4380, .now.total.samples = 4380 },
	{ .id = 9001, .group_id = 900, .comm = "C2 CompilerThre", .tasks = 1, .pid = 900,
	  .tid = 912, .cpu = 5, .task_state = 'R', .cpu_pct = 25.1, .busy_pct = -1,
	  .now.self.samples = 2500, .now.total.samples = 2500 },
	{ .id = 5150, .comm = "cc1plus", .tasks = 1, .pid = 5150, .tid = -1, .cpu = 7,
	  .task_state = 'X', .cpu_pct = -1, .busy_pct = -1, .now.self.samples = 2350,
	  .now.total.samples = 2350 },
	{ .id = 61, .comm = "stripped", .tasks = 1, .pid = 61, .tid = -1, .cpu = 1, .threads = 1,
	  .task_state = 'D', .cpu_pct = 11, .busy_pct = -1, .command_line = "/opt/stripped.bin",
	  .now.self.samples = 1100, .now.total.samples = 1100 },
	{ .id = 9002, .group_id = 900, .comm = "java", .tasks = 1, .pid = 900, .tid = 901,
	  .cpu = -1, .task_state = 'S', .cpu_pct = 10, .busy_pct = -1, .now.self.samples = 1000,
	  .now.total.samples = 1000 },
	{ .id = 4194304, .comm = "a-rather-long-p", .tasks = 1, .pid = 4194304, .tid = -1,
	  .cpu = 6, .threads = 12345, .task_state = 'S', .cpu_pct = 10240.5, .busy_pct = -1,
	  .command_line = "/opt/a-rather-long-program-name-indeed", .now.self.samples = 900,
	  .now.total.samples = 30000 },
	{ .id = 9003, .group_id = 900, .comm = "GC Thread#0", .tasks = 1, .pid = 900, .tid = 905,
	  .cpu = -1, .task_state = 'S', .cpu_pct = 8.8, .busy_pct = -1, .now.self.samples = 880,
	  .now.total.samples = 880 },
	{ .id = 12, .comm = "cafe\u0301", .tasks = 1, .pid = 12, .tid = -1, .cpu = 3,
	  .threads = 1, .task_state = 'S', .cpu_pct = 3.1, .busy_pct = -1,
	  .command_line = "cafe\u0301 --menu \u6f22\u5b57", .now.self.samples = 310,
	  .now.total.samples = 310 },
	{ .id = 13, .comm = "qemu", .tasks = 2, .pid = 13, .tid = -1, .cpu = 4, .threads = 6,
	  .task_state = 'S', .cpu_pct = 1.4, .busy_pct = -1,
	  .command_line = "qemu-system-x86_64 -m 2048", .now.self.samples = 140,
	  .now.total.samples = 140 },
};

static struct snapshot_row cpus[] = {
	{ .comm = "swapper/1", .tasks = 1, .pid = 0, .tid = 0, .cpu = 1, .busy_pct = 11.2,
	  .is_idle = true, .now.self.samples = 44000, .now.total.samples = 44000 },
	{ .comm = "postgres", .tasks = 1, .pid = 4121, .tid = 4121, .cpu = 2, .busy_pct = 100,
	  .now.self.samples = 9970, .now.total.samples = 9970 },
	{ .pid = -1, .tid = -1, .cpu = 4, .busy_pct = 76.9, .now.self.samples = 7680,
	  .now.total.samples = 7680 },
	{ .tasks = 4, .pid = -1, .tid = -1, .cpu = 5, .busy_pct = 67.8, .now.self.samples = 6760,
	  .now.total.samples = 6760 },
	{ .comm = "nginx", .tasks = 1, .pid = 77, .tid = 80, .cpu = 0, .busy_pct = 51.7,
	  .now.self.samples = 5160, .now.total.samples = 5160 },
	{ .tasks = 2, .pid = -1, .tid = -1, .cpu = 7, .busy_pct = -1, .now.self.samples = 2350,
	  .now.total.samples = 2350 },
	{ .tasks = 3, .pid = -1, .tid = -1, .cpu = 1, .busy_pct = 11.2, .now.self.samples = 1100,
	  .now.total.samples = 1100 },
	{ .tasks = 2, .pid = -1, .tid = -1, .cpu = 6, .busy_pct = 9.9, .now.self.samples = 1030,
	  .now.total.samples = 1030 },
	{ .tasks = 9, .pid = -1, .tid = -1, .cpu = 3, .busy_pct = 8.1, .now.self.samples = 810,
	  .now.total.samples = 810 },
};

#define ROWS_OF(array) { array, sizeof(array) / sizeof(array[0]) }

struct ui_rows ui_rows(enum view_kind kind)
{
	static const struct ui_rows all[VIEW_COUNT] = {
		[VIEW_SYMBOLS] = ROWS_OF(symbols),   [VIEW_DSOS] = ROWS_OF(dsos),
		[VIEW_COMMANDS] = ROWS_OF(comms),    [VIEW_TASKS] = ROWS_OF(tasks),
		[VIEW_CPUS] = ROWS_OF(cpus),
	};

	return all[kind];
}

#define QUIET 3, 4, 2, 3, 12, 3, 2, 0, 3, 5
#define WORK  22, 31, 35, 44, 41, 52, 47, 43, 38, 45
#define PEAK  61, 78, 84, 97, 100, 99, 91, 83, 70, 55

const float ui_activity[UI_ACTIVITY_POINTS] = {
	QUIET, WORK, WORK, PEAK, WORK, QUIET, QUIET, WORK,
	-1, -1, -1, -1, 44, 40, 39, 45, 46, 41, WORK, PEAK, WORK,
};
