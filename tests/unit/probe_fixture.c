/* probe_fixture.c - see probe_fixture.h. */
#include "probe_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define POSTGRES "/usr/lib/postgresql/15/bin/postgres"
#define HEAT_SECONDS 60
#define HIT_LINES    40

static struct snapshot_value values[] = {
	{ .name = "hashvalue", .type = "uint32", .origin = "DWARF", .kind = VALUE_UNSIGNED,
	  .count = 124000, .min = 0, .max = 70000, .mean = 4096.5, .zeros = 24000,
	  .octaves = { [0] = 20000, [1] = 10000, [3] = 40000, [16] = 30000 }, .top_count = 3,
	  .top = { { "8", true, 8, 40000, false }, { "0", true, 0, 24000, false },
		   { "1", true, 1, 20000, false } },
	  .other = 40000 },
	{ .name = "name", .type = "char *", .origin = "DWARF", .kind = VALUE_TEXT,
	  .count = 124000, .unknown = 4000, .top_count = 2,
	  .top = { { "pg_class", false, 0, 90000, false }, { "pg_index", false, 0, 20000, false } },
	  .other = 10000 },
	{ .name = "ret", .type = "int", .origin = "DWARF", .kind = VALUE_SIGNED,
	  .is_return = true, .count = 124000, .is_signed = true, .min = (uint64_t)-22,
	  .max = 4096, .mean = 17,
	  .negatives = 4000, .zeros = 100000, .octaves = { [4] = 4000, [12] = 20000 },
	  .top_count = 2,
	  .top = { { "0", true, 0, 100000, false }, { "4096", true, 4096, 20000, false } },
	  .other = 4000 },
};

static struct snapshot_probe probes[PROBE_FIXTURE_COUNT] = {
	{ .id = 3, .event = 128, .name = "hash_search_with_hash_value", .dso = "postgres",
	  .spec = "lat:" POSTGRES ":hash_search_with_hash_value hashvalue name ret=$retval",
	  .scope = "pid 4121", .kind = PROBE_USER, .edge = PROBE_LATENCY, .with_stacks = true,
	  .state = PROBE_ATTACHED, .reason = "", .hits = 124000, .hits_per_s = 12400,
	  .hits_since = 560000, .in_flight = 1, .lease_s = 581, .cost_pct = 1.31,
	  .own_ns = 610,
	  .spark_count = 30, .has_latency = true,
	  .latency = { .count = 124000, .p50_ns = 1200, .p90_ns = 3900, .p99_ns = 48000,
		       .max_ns = 3100000,
		       .octaves = { [9] = 4000, [10] = 80000, [11] = 30000, [12] = 8000,
				    [15] = 1500, [16] = 400, [21] = 100 } } },
	{ .id = 4, .event = 129, .name = "vfs_read", .dso = "[kernel]",
	  .spec = "lat:vfs_read if lat > 1us", .scope = "whole system", .kind = PROBE_KERNEL,
	  .edge = PROBE_LATENCY, .state = PROBE_ATTACHED, .reason = "", .hits = 31000,
	  .hits_per_s = 3100, .hits_since = 99000, .lost_since = 12, .missed_since = 3,
	  .unpaired = 2, .filtered = 500, .lease_s = 242, .cost_pct = 0.2, .spark_count = 8,
	  .has_latency = true,
	  .latency = { .count = 31000, .p50_ns = 900, .p90_ns = 9000, .p99_ns = 210000,
		       .max_ns = 41000000, .octaves = { [9] = 20000, [25] = 11000 } } },
	{ .id = 5, .event = 130, .name = "sched:sched_switch", .dso = "[kernel]",
	  .spec = "t:sched:sched_switch prev_comm", .scope = "whole system",
	  .kind = PROBE_TRACEPOINT, .state = PROBE_IS_OFF, .reason = "", .lease_s = -1 },
	{ .id = 7, .event = 131, .name = "malloc", .dso = "libc.so.6",
	  .spec = "ur:/usr/lib/x86_64-linux-gnu/libc.so.6:malloc", .scope = "every libc.so.6",
	  .kind = PROBE_USER, .edge = PROBE_RETURN, .state = PROBE_CAPPED,
	  .reason = "90000 hits/s of 1.1 us are over its cap, 5 %", .hits = 900000,
	  .hits_per_s = 90000, .hits_since = 900000, .lease_s = 30, .cost_pct = 0,
	  .spark_count = 12 },
	{ .id = 8, .event = 132, .name = "do_idle", .dso = "[kernel]", .spec = "lat:do_idle",
	  .scope = "whole system", .kind = PROBE_KERNEL, .edge = PROBE_LATENCY,
	  .state = PROBE_REFUSED,
	  .reason = "called with interrupts off, on the kernel's blacklist", .lease_s = -1 },
	{ .id = 9, .event = 133, .name = "getaddrinfo", .dso = "libc.so.6",
	  .spec = "lat:libc.so.6:getaddrinfo", .scope = "every libc.so.6", .kind = PROBE_USER,
	  .edge = PROBE_LATENCY, .state = PROBE_ATTACHING, .reason = "", .lease_s = 600,
	  .has_latency = true },
};

static struct snapshot_hit slowest[] = {
	{ .time_ns = 1236400000000, .probe = 3, .number = 77, .cpu = 1, .pid = 4121, .tid = 4121,
	  .comm = "postgres", .latency_ns = 3100000, .values = "hashvalue=8 name=pg_class ret=0",
	  .stack = "hash_search_with_hash_value\nBufTableLookup\nBufferAlloc\n"
		   "ReadBuffer_common\nExecScan\nmain" },
	{ .time_ns = 1200000123000, .probe = 3, .number = 12, .cpu = 0, .pid = 4121, .tid = 4121,
	  .comm = "postgres", .latency_ns = 2100000, .values = "hashvalue=0 name=pg_index ret=-22",
	  .stack = "hash_search_with_hash_value\nget_hash_entry" },
	{ .time_ns = 1100000000000, .probe = 3, .number = 5, .cpu = 3, .pid = 4121, .tid = 4121,
	  .comm = "postgres", .latency_ns = 98000, .values = "hashvalue=1 name=? ret=0",
	  .stack = "" },
};

static struct snapshot_hit log_lines[HIT_LINES];
static uint32_t heat[HEAT_SECONDS][LATENCY_OCTAVES];

/* Hit number 100 + i at 1234.i s; every fourth is slow, every fifth of another name. */
static void fill_log(void)
{
	for (uint32_t i = 0; i < HIT_LINES; i++)
		log_lines[i] = (struct snapshot_hit){
			.time_ns = 1234000000000 + i * 50001000ull, .number = 100 + i,
			.probe = 3,
			.cpu = i % 8, .pid = 4121, .tid = 4121, .comm = "postgres",
			.latency_ns = i % 4 == 3 ? 48000 : 1100 + i, .stack = "",
			.values = i % 5 ? "hashvalue=8 name=pg_class ret=0"
					: "hashvalue=0 name=pg_index ret=-22",
		};
}

/* Every fourth of those lines is a hit of the probe 7. */
static void fill_all(void)
{
	fill_log();
	for (uint32_t i = 0; i < HIT_LINES; i += 4) {
		log_lines[i].probe = 7;
		log_lines[i].comm = "psql";
		log_lines[i].latency_ns = -1;
		log_lines[i].values = "ret=0x55d0c0de";
	}
}

/* 10,000 fast ones each second, in the last ten seconds also slower ones: 1, 10, 100, 1000. */
static void fill_heat(void)
{
	memset(heat, 0, sizeof(heat));
	for (uint32_t second = 0; second < HEAT_SECONDS; second++) {
		heat[second][10] = 10000;
		heat[second][11] = second % 7 ? 1000 : 100;
		heat[second][15] = second >= HEAT_SECONDS - 10 ? 100 : 0;
		heat[second][16] = second == HEAT_SECONDS - 3 ? 10 : 0;
		heat[second][21] = second == HEAT_SECONDS - 3;
	}
}

struct snapshot_probes probe_fixture(uint32_t detail)
{
	for (size_t i = 0; i < PROBE_FIXTURE_COUNT; i++) {
		for (uint32_t k = 0; k < probes[i].spark_count; k++)
			probes[i].spark[k] = (float)((k * 7 + i * 3) % 9);
		probes[i].values = probes[i].id == 3 && detail == 3 ? values : NULL;
		probes[i].value_count = probes[i].values ? sizeof(values) / sizeof(values[0]) : 0;
	}
	if (detail == PROBE_ALL) {
		fill_all();
		return (struct snapshot_probes){
			.count = PROBE_FIXTURE_COUNT, .list = probes, .detail = detail,
			.log_count = HIT_LINES, .log = log_lines,
		};
	}
	if (detail != 3)
		return (struct snapshot_probes){ .count = PROBE_FIXTURE_COUNT, .list = probes,
						 .detail = detail };
	fill_log();
	fill_heat();
	return (struct snapshot_probes){
		.count = PROBE_FIXTURE_COUNT, .list = probes, .detail = detail,
		.log_count = HIT_LINES, .log = log_lines,
		.slowest_count = sizeof(slowest) / sizeof(slowest[0]), .slowest = slowest,
		.heat = { 1240000000000, HEAT_SECONDS, heat },
	};
}

const struct probe_request *probe_fixture_request(const struct ui *ui,
						  enum probe_request_kind kind)
{
	const struct probe_request *last =
		&ui->state.out.probe_requests[ui->state.out.probe_count - 1];

	assert_true(ui->state.out.probe_count > 0);
	assert_int_equal(last->kind, kind);
	assert_true(last->time_ns > 0);
	return last;
}

void probe_fixture_send(struct ui *ui)
{
	ui->state.out.probe_count = 0;
}

/* The number of the hit that the page asks for. */
static uint64_t hit_number(const struct ui *ui)
{
	const struct view *page = ui->state.pages[PAGE_HIT];
	struct query query = { .hit = 0 };

	page->ops->query(page, &ui->state, &query);
	return query.hit;
}

/* A hit of the log that the page is of. */
static struct snapshot_hit asked_hit(const struct ui *ui)
{
	struct snapshot_hit hit = { .number = 0 };

	for (uint32_t i = 0; i < HIT_LINES; i++)
		if (log_lines[i].number == hit_number(ui))
			hit = log_lines[i];
	hit.values = "hashvalue=8\nname=pg_class with blanks\nret=0";
	hit.stack = "hash_search_with_hash_value (postgres)\nBufTableLookup (postgres)\n"
		    "main (postgres)\n";
	return hit;
}

void probe_fixture_reply(struct ui *ui)
{
	ui_prepare(ui);
	ui->snapshot.probes = probe_fixture(state_kind(&ui->state) == VIEW_PROBES
					    ? state_probe_here(&ui->state) : 0);
	if (hit_number(ui))
		ui->snapshot.probes.hit = asked_hit(ui);
	ui_show(ui);
}
