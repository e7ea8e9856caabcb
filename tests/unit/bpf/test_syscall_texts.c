/* System calls of this process with known texts, addresses and missing pages are compared with what
 * the program recorded of them. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bpf/syscall_texts.h"
#include "need_bpf.h"
#include "need_root.h"
#include "unit_tests.h"

#define CPUS_MAX    256
#define RECORDS_MAX 256
#define RING_PAGES  64
#define RECORD_TYPE 4711

struct ring {
	int fd;
	size_t bytes;
	struct perf_event_mmap_page *page;
};

struct seen_record {
	uint32_t bytes;
	unsigned char raw[4096];
};

/* What was recorded of a thread's calls since watch_open(). */
struct watch {
	struct ring rings[CPUS_MAX];
	int cpus[CPUS_MAX], events[CPUS_MAX];
	size_t ring_count;
	struct seen_record *seen;	/* owned */
	size_t seen_count, all_count;	/* the thread's; all */
	uint64_t lost;
	pid_t thread;		/* its records are kept; at first the test itself */
	struct syscall_texts *texts;
};

static bool open_ring(struct ring *ring, int cpu, size_t pages)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT, .sample_period = 1, .disabled = 1,
		.sample_type = PERF_SAMPLE_RAW, .watermark = 1, .wakeup_watermark = 1u << 30,
	};

	ring->bytes = pages * (size_t)sysconf(_SC_PAGESIZE);
	ring->fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return false;
	ring->page = mmap(NULL, ring->bytes + (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			  MAP_SHARED, ring->fd, 0);
	assert_true(ring->page != MAP_FAILED);
	return true;
}

static void watch_open(struct watch *watch, struct syscall_texts_config config, size_t pages)
{
	struct diag why = { .text = "" };

	need_root();
	need_bpf();
	memset(watch, 0, sizeof(*watch));
	watch->thread = gettid();
	for (int cpu = 0; cpu < CPUS_MAX && cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		if (open_ring(&watch->rings[watch->ring_count], cpu, pages)) {
			watch->cpus[watch->ring_count] = cpu;
			watch->events[watch->ring_count] = watch->rings[watch->ring_count].fd;
			watch->ring_count++;
		}
	watch->seen = calloc(RECORDS_MAX, sizeof(*watch->seen));
	assert_non_null(watch->seen);
	config.record_type = RECORD_TYPE;
	config.cpus = watch->cpus;
	config.events = watch->events;
	config.event_count = watch->ring_count;
	if (syscall_texts_open(&watch->texts, &config, &why))
		fail_msg("%s", why.text);
}

static void watch_turn(const struct watch *watch, unsigned long request)
{
	for (size_t i = 0; i < watch->ring_count; i++)
		assert_int_equal(ioctl(watch->rings[i].fd, request, 0), 0);
}

static void keep(struct watch *watch, const unsigned char *raw, uint32_t bytes)
{
	int32_t thread;

	watch->all_count++;
	memcpy(&thread, raw + 4, sizeof(thread));
	if (thread != watch->thread || watch->seen_count == RECORDS_MAX)
		return;
	assert_true(bytes <= sizeof(watch->seen->raw));
	watch->seen[watch->seen_count].bytes = bytes;
	memcpy(watch->seen[watch->seen_count++].raw, raw, bytes);
}

static void read_ring(struct watch *watch, const struct ring *ring)
{
	const unsigned char *begin = (unsigned char *)ring->page + sysconf(_SC_PAGESIZE);
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	unsigned char record[65536];
	struct perf_event_header header;

	for (uint64_t at = ring->page->data_tail; at < head; at += header.size) {
		uint64_t lost;
		uint32_t bytes;

		memcpy(&header, begin + at % ring->bytes, sizeof(header));
		for (uint32_t i = 0; i < header.size; i++)
			record[i] = begin[(at + i) % ring->bytes];
		if (header.type == PERF_RECORD_LOST) {
			memcpy(&lost, record + 16, sizeof(lost));
			watch->lost += lost;
		} else if (header.type == PERF_RECORD_SAMPLE) {
			memcpy(&bytes, record + 8, sizeof(bytes));
			keep(watch, record + 12, bytes);
		}
	}
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

static void watch_read(struct watch *watch)
{
	watch_turn(watch, PERF_EVENT_IOC_DISABLE);
	for (size_t i = 0; i < watch->ring_count; i++)
		read_ring(watch, &watch->rings[i]);
}

static struct syscall_texts_counts watch_close(struct watch *watch)
{
	struct syscall_texts_counts counts;
	struct diag why = { .text = "" };

	if (syscall_texts_read(watch->texts, &counts, &why))
		fail_msg("%s", why.text);
	syscall_texts_close(watch->texts);
	for (size_t i = 0; i < watch->ring_count; i++) {
		munmap(watch->rings[i].page,
		       watch->rings[i].bytes + (size_t)sysconf(_SC_PAGESIZE));
		close(watch->rings[i].fd);
	}
	free(watch->seen);
	return counts;
}

static uint64_t number_at(const struct seen_record *record, uint32_t at, uint32_t bytes)
{
	uint64_t number = 0;

	assert_true(at + bytes <= record->bytes);
	memcpy(&number, record->raw + at, bytes);
	return number;
}

/* Returns the text; NULL: it could not be read. */
static const char *text_of(const struct seen_record *record, uint32_t index, uint32_t *bytes)
{
	const uint32_t place = (uint32_t)number_at(record, SYSCALL_TEXT_AT(index), 4);

	*bytes = place >> 16;
	assert_true((place & 0xffff) + *bytes <= record->bytes);
	return *bytes ? (const char *)record->raw + (place & 0xffff) : NULL;
}

static void expect_text(const struct watch *watch, size_t record, uint32_t index,
			const char *expected)
{
	const char *text;
	uint32_t bytes;

	assert_true(record < watch->seen_count);
	text = text_of(&watch->seen[record], index, &bytes);
	if (!expected) {
		assert_null(text);
		return;
	}
	assert_non_null(text);
	assert_int_equal(text[bytes - 1], 0);
	assert_string_equal(text, expected);
}

/* A page that nobody has touched. */
static char *absent_page(void)
{
	char *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(page != MAP_FAILED);
	return page;
}

static void free_page(char *page)
{
	munmap(page, (size_t)sysconf(_SC_PAGESIZE));
}

static const struct syscall_texts_config opens = {
	.call = SYS_openat, .texts = { { SYSCALL_STRING, 1 } }, .text_count = 1,
};

static void open_name(const char *name)
{
	const int fd = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
}

static void test_an_entry_has_the_fields_of_the_tracepoint_and_the_text(void **state)
{
	const char there[] = "/dev/null", absent[] = "/no such file";
	struct watch watch;

	(void)state;
	watch_open(&watch, opens, RING_PAGES);
	watch_turn(&watch, PERF_EVENT_IOC_ENABLE);
	open_name(there);
	open_name(absent);
	watch_read(&watch);
	assert_int_equal(watch.seen_count, 2);
	expect_text(&watch, 0, 0, "/dev/null");
	expect_text(&watch, 1, 0, "/no such file");
	assert_int_equal(number_at(&watch.seen[0], 0, 2), RECORD_TYPE);
	assert_int_equal(number_at(&watch.seen[0], 8, 4), SYS_openat);
	assert_int_equal(number_at(&watch.seen[0], SYSCALL_ARGUMENT_AT(0), 4),
			 (uint32_t)AT_FDCWD);
	assert_int_equal(number_at(&watch.seen[0], SYSCALL_ARGUMENT_AT(2), 8),
			 O_RDONLY | O_CLOEXEC);
	watch_close(&watch);
}

static void test_nothing_is_written_or_counted_while_events_are_off(void **state)
{
	struct syscall_texts_counts counts;
	struct watch watch;

	(void)state;
	watch_open(&watch, opens, RING_PAGES);
	open_name("/dev/null");
	watch_read(&watch);
	assert_int_equal(watch.all_count, 0);
	counts = watch_close(&watch);
	assert_int_equal(counts.records + counts.refused, 0);
}

static void test_texts_that_are_cut_null_or_empty(void **state)
{
	char name[2000], cut[SYSCALL_STRING_BYTES], empty[] = "";
	struct watch watch;

	(void)state;
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	memset(cut, 'x', sizeof(cut));
	cut[sizeof(cut) - 1] = '\0';
	watch_open(&watch, opens, RING_PAGES);
	watch_turn(&watch, PERF_EVENT_IOC_ENABLE);
	open_name(name);
	open_name(NULL);
	open_name(empty);
	watch_read(&watch);
	expect_text(&watch, 0, 0, cut);
	expect_text(&watch, 1, 0, SYSCALL_TEXT_NULL);
	expect_text(&watch, 2, 0, "");
	watch_close(&watch);
}

/* The kernel reads the page during the call, so it is there at the exit. */
static void test_an_absent_page_is_counted_and_read_again_at_the_exit(void **state)
{
	struct syscall_texts_config exits = opens;
	struct syscall_texts_counts counts;
	char *page = absent_page();
	struct watch watch;

	(void)state;
	watch_open(&watch, opens, RING_PAGES);
	watch_turn(&watch, PERF_EVENT_IOC_ENABLE);
	open_name(page);
	watch_read(&watch);
	expect_text(&watch, 0, 0, NULL);
	counts = watch_close(&watch);
	assert_true(counts.absent >= 1);
	free_page(page);

	page = absent_page();
	exits.is_exit = true;
	watch_open(&watch, exits, RING_PAGES);
	watch_turn(&watch, PERF_EVENT_IOC_ENABLE);
	open_name(page);
	watch_read(&watch);
	expect_text(&watch, 0, 0, "");
	assert_int_equal(number_at(&watch.seen[0], SYSCALL_ARGUMENT_AT(0), 8), (uint64_t)-ENOENT);
	watch_close(&watch);
	free_page(page);
}

static void test_the_strings_of_an_argv_are_joined_and_cut(void **state)
{
	static const struct syscall_texts_config config = {
		.call = SYS_execve, .starts_program = true,
		.texts = { { SYSCALL_STRING, 0 }, { SYSCALL_STRINGS, 1 } }, .text_count = 2,
	};
	char words[] = "one\0\0three 3\0a\0b", number[20][4];
	char *none[] = { NULL }, *many[21] = { NULL };
	char *few[] = { words, words + 4, words + 5, NULL };
	char *page = absent_page();
	char *with_absent[] = { words + 13, page, words + 15, NULL };
	char path[] = "/nonexistent";
	struct watch watch;

	(void)state;
	for (int i = 0; i < 20; i++) {	/* on the stack, which is in memory */
		snprintf(number[i], sizeof(number[i]), "%d", i);
		many[i] = number[i];
	}
	watch_open(&watch, config, RING_PAGES);
	watch_turn(&watch, PERF_EVENT_IOC_ENABLE);
	syscall(SYS_execve, path, few, NULL);
	syscall(SYS_execve, path, many, NULL);
	syscall(SYS_execve, path, none, NULL);
	syscall(SYS_execve, path, NULL, NULL);
	syscall(SYS_execve, path, with_absent, NULL);
	watch_read(&watch);
	expect_text(&watch, 0, 0, "/nonexistent");
	expect_text(&watch, 0, 1, "one  three 3");
	expect_text(&watch, 1, 1, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 ...");
	expect_text(&watch, 2, 1, "");
	expect_text(&watch, 3, 1, SYSCALL_TEXT_NULL);
	expect_text(&watch, 4, 1, "a " SYSCALL_TEXT_ABSENT " b");
	watch_close(&watch);
	free_page(page);
}

static void test_the_address_of_a_socket_is_copied(void **state)
{
	static const struct syscall_texts_config config = {
		.call = SYS_connect, .texts = { { SYSCALL_ADDRESS, 1 } }, .text_count = 1,
	};
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(9),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const char *text;
	struct watch watch;
	uint32_t bytes;

	(void)state;
	watch_open(&watch, config, RING_PAGES);
	watch_turn(&watch, PERF_EVENT_IOC_ENABLE);
	syscall(SYS_connect, -1, &address, sizeof(address));
	syscall(SYS_connect, -1, &address, 0);
	syscall(SYS_connect, -1, NULL, sizeof(address));
	watch_read(&watch);
	assert_int_equal(watch.seen_count, 3);
	text = text_of(&watch.seen[0], 0, &bytes);
	assert_int_equal(bytes, sizeof(address));
	assert_memory_equal(text, &address, sizeof(address));
	expect_text(&watch, 1, 0, NULL);
	expect_text(&watch, 2, 0, NULL);
	watch_close(&watch);
}

/* Rings of one page, which nobody reads meanwhile. */
static void test_every_hit_is_a_record_or_counted_as_refused(void **state)
{
	static const struct syscall_texts_config config = {
		.call = SYS_symlinkat, .texts = { { SYSCALL_STRING, 0 }, { SYSCALL_STRING, 2 } },
		.text_count = 2,
	};
	const char to[] = "to", from[] = "from";
	struct syscall_texts_counts counts;
	struct watch watch;

	(void)state;
	watch_open(&watch, config, 1);
	watch_turn(&watch, PERF_EVENT_IOC_ENABLE);
	for (int i = 0; i < 1000; i++)
		syscall(SYS_symlinkat, to, -1, from);
	watch_read(&watch);
	expect_text(&watch, 0, 1, "from");
	counts = watch_close(&watch);
	assert_int_equal(counts.records, watch.all_count);
	assert_true(counts.refused > 0);
	assert_true(counts.records + counts.refused + counts.skipped >= 1000);
}

/* The pointers of execve() lead into the program that is gone. */
static void test_no_text_is_read_after_a_successful_execve(void **state)
{
	static const struct syscall_texts_config config = {
		.call = SYS_execve, .is_exit = true, .starts_program = true,
		.texts = { { SYSCALL_STRING, 0 } }, .text_count = 1,
	};
	struct watch watch;
	pid_t child;

	(void)state;
	watch_open(&watch, config, RING_PAGES);
	watch_turn(&watch, PERF_EVENT_IOC_ENABLE);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	watch.thread = child;
	watch_read(&watch);
	assert_int_equal(watch.seen_count, 1);
	expect_text(&watch, 0, 0, NULL);
	assert_int_equal(number_at(&watch.seen[0], SYSCALL_ARGUMENT_AT(0), 8), 0);
	watch_close(&watch);
}

#ifdef __x86_64__
/* The number of openat() is another call's there. */
static void test_calls_of_32_bit_code_are_left_out(void **state)
{
	struct watch watch;
	pid_t child;
	int status;

	(void)state;
	watch_open(&watch, opens, RING_PAGES);
	watch_turn(&watch, PERF_EVENT_IOC_ENABLE);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		long result = SYS_openat;

		__asm__ volatile("int $0x80" : "+a"(result)
				 : "b"(-1), "c"(0), "d"(0), "S"(0), "D"(0) : "memory");
		_exit(0);
	}
	waitpid(child, &status, 0);
	watch.thread = child;
	watch_read(&watch);
	assert_int_equal(watch.seen_count, 0);
	watch_close(&watch);
	if (WIFSIGNALED(status)) {
		print_message("SKIP: the kernel runs no 32-bit code\n");
		skip();
	}
}
#endif

UNIT_TESTS(test_syscall_texts)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_entry_has_the_fields_of_the_tracepoint_and_the_text),
		cmocka_unit_test(test_nothing_is_written_or_counted_while_events_are_off),
		cmocka_unit_test(test_texts_that_are_cut_null_or_empty),
		cmocka_unit_test(test_an_absent_page_is_counted_and_read_again_at_the_exit),
		cmocka_unit_test(test_the_strings_of_an_argv_are_joined_and_cut),
		cmocka_unit_test(test_the_address_of_a_socket_is_copied),
		cmocka_unit_test(test_every_hit_is_a_record_or_counted_as_refused),
		cmocka_unit_test(test_no_text_is_read_after_a_successful_execve),
#ifdef __x86_64__
		cmocka_unit_test(test_calls_of_32_bit_code_are_left_out),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
