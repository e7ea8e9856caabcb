/* Machine code written by hand: where instructions begin, what the kernel emulates, and how
 * functions begin. Encodings: Intel SDM, volume 2. A build for AArch64 decodes no code of x86. */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/event.h"
#include "elf/point_code.h"
#include "probe/probe_pmu.h"
#include "unit_tests.h"

static struct point_code_look look(const char *bytes, size_t count, uint64_t at)
{
	struct point_code_look found;

	point_code_look(MACHINE_X86_64, (const uint8_t *)bytes, count, at, &found);
	return found;
}

#define LOOK(bytes, at) look(bytes, sizeof(bytes) - 1, at)
#ifdef __x86_64__
#define IS_EMULATED(bytes) (LOOK(bytes, 0).flags & POINT_CODE_EMULATED)

static void test_a_push_is_emulated_and_a_move_is_stepped(void **state)
{
	(void)state;
	assert_true(IS_EMULATED("\x55\x48\x89\xe5"));		/* push rbp */
	assert_true(IS_EMULATED("\x41\x57\xc3"));		/* push r15 */
	assert_true(IS_EMULATED("\x90\xc3"));			/* nop */
	assert_true(IS_EMULATED("\xe8\x10\x00\x00\x00\xc3"));	/* call */
	assert_true(IS_EMULATED("\xeb\x02\x90\x90\xc3"));	/* jmp */
	assert_true(IS_EMULATED("\x0f\x84\x10\x00\x00\x00\xc3"));	/* je, far */
	assert_true(IS_EMULATED("\x74\x02\xc3"));		/* je */
	assert_false(IS_EMULATED("\x48\x89\xe5\xc3"));		/* mov rbp, rsp */
	assert_false(IS_EMULATED("\x48\x83\xec\x08\xc3"));	/* sub rsp, 8 */
	assert_false(IS_EMULATED("\x6a\x05\xc3"));		/* push 5 */
}

static void test_only_borders_of_instructions_are_borders(void **state)
{
	/* push rbp | mov rbp, rsp (3) | lea rax, [rdi + rsi] (4) | ret */
	static const char code[] = "\x55\x48\x89\xe5\x48\x8d\x04\x37\xc3";
	static const char borders[] = "bb..b...b";

	(void)state;
	for (uint64_t at = 0; at < sizeof(code) - 1; at++) {
		const struct point_code_look found = LOOK(code, at);

		assert_true(found.flags & POINT_CODE_KNOWN);
		assert_int_equal((found.flags & POINT_CODE_BORDER) != 0, borders[at] == 'b');
	}
	assert_string_equal(LOOK(code, 6).text, "lea (%rdi,%rsi,1),%rax");
}

/* inc eax, which is a prefix in 64 bits. */
static void test_code_is_decoded_for_its_machine(void **state)
{
	static const uint8_t code[] = { 0x40, 0x55 };
	struct point_code_look found;

	(void)state;
	point_code_look(MACHINE_X86_32, code, sizeof(code), 1, &found);
	assert_int_equal(found.flags & POINT_CODE_BORDER, POINT_CODE_BORDER);
	point_code_look(MACHINE_X86_64, code, sizeof(code), 1, &found);
	assert_int_equal(found.flags & POINT_CODE_BORDER, 0);
	point_code_look(MACHINE_UNKNOWN, code, sizeof(code), 1, &found);
	assert_int_equal(found.flags & POINT_CODE_KNOWN, 0);
}

static void test_entry_probes_go_after_endbr64_where_that_is_cheaper(void **state)
{
	(void)state;
	assert_int_equal(LOOK("\xf3\x0f\x1e\xfa\x55\xc3", 0).skip, 4);
	assert_true(IS_EMULATED("\xf3\x0f\x1e\xfa\x55\xc3"));
	assert_int_equal(LOOK("\xf3\x0f\x1e\xfa\x31\xc0\xc3", 0).skip, 0);
	assert_false(IS_EMULATED("\xf3\x0f\x1e\xfa\x31\xc0\xc3"));
}

#else
static void test_code_of_a_machine_that_is_not_decoded_has_no_borders(void **state)
{
	(void)state;
	assert_int_equal(LOOK("\x55\x48\x89\xe5", 0).flags, POINT_CODE_FUNCTION);
	assert_string_equal(LOOK("\x55\x48\x89\xe5", 0).text, "");
	assert_int_equal(LOOK("\x48\x89\xe5\xc3", 0).flags, 0);
}
#endif

static void test_code_that_cannot_be_read_has_no_borders(void **state)
{
	(void)state;
	assert_false(LOOK("\x55\x06\x55\xc3", 2).flags & POINT_CODE_KNOWN);	/* 06: none */
	assert_false(LOOK("\x55", 1).flags & POINT_CODE_KNOWN);
	assert_false(LOOK("\x48\x8d\x04", 0).flags & POINT_CODE_KNOWN);		/* cut off */
	assert_string_equal(LOOK("\x48\x8d\x04", 0).text, "");
}

#define BEGINS_FUNCTION(bytes) (LOOK(bytes, 0).flags & POINT_CODE_FUNCTION)

static void test_what_compilers_begin_functions_with(void **state)
{
	(void)state;
	assert_true(BEGINS_FUNCTION("\xf3\x0f\x1e\xfa"));		/* endbr64 */
	assert_true(BEGINS_FUNCTION("\x41\x57"));			/* push r15 */
	assert_true(BEGINS_FUNCTION("\x48\x83\xec\x08"));		/* sub rsp, 8 */
	assert_true(BEGINS_FUNCTION("\x48\x81\xec\0\1\0\0"));		/* sub rsp, 256 */
	assert_false(BEGINS_FUNCTION("\xff\x35\0\0\0\0"));		/* push [rip]: .plt */
	assert_false(BEGINS_FUNCTION("\x48\x83\xc4\x08"));		/* add rsp, 8 */
	assert_false(BEGINS_FUNCTION("\xf3\x0f\x1e"));			/* cut off */
	assert_false(look(NULL, 0, 0).flags);
}

/* Assembled by GNU as 2.40; what the kernel does: arch/arm64/kernel/probes/decode-insn.c. */
static const struct {
	uint32_t word;
	uint8_t flags;		/* besides KNOWN and BORDER */
	const char *text;
} aarch64_words[] = {
	{ 0xd503245f, POINT_CODE_FUNCTION, "bti c" },
	{ 0xd503233f, POINT_CODE_FUNCTION, "paciasp" },
	{ 0xa9bd7bfd, POINT_CODE_FUNCTION, "stp x29, x30, [sp, #-48]!" },
	{ 0xf81a0ff3, POINT_CODE_FUNCTION, "str x19, [sp, #-96]!" },
	{ 0xd10083ff, POINT_CODE_FUNCTION, "sub sp, sp, #0x20" },
	{ 0x910083ff, 0, "add sp, sp, #0x20" },
	{ 0xa9017bfd, 0, "stp x29, x30, [sp, #16]" },
	{ 0xa8c37bfd, 0, "ldp x29, x30, [sp], #48" },
	{ 0xaa0103e0, 0, "mov x0, x1" },
	{ 0xd503201f, 0, "nop" },
	{ 0xd50320ff, 0, "xpaclri" },
	{ 0x14000002, POINT_CODE_EMULATED, "b" },
	{ 0x94000010, POINT_CODE_EMULATED, "bl" },
	{ 0x54000041, POINT_CODE_EMULATED, "b.ne" },
	{ 0xb4000040, POINT_CODE_EMULATED, "cbz x0" },
	{ 0x37000040, POINT_CODE_EMULATED, "tbnz w0, #0" },
	{ 0x90000010, POINT_CODE_EMULATED, "adrp x16" },
	{ 0xd61f0220, POINT_CODE_EMULATED, "br x17" },
	{ 0xd63f0020, POINT_CODE_EMULATED, "blr x1" },
	{ 0xd65f03c0, POINT_CODE_EMULATED, "ret" },
	{ 0xd50323bf, POINT_CODE_NOWHERE_ELSE, "autiasp" },
	{ 0xd65f0bff, POINT_CODE_NOWHERE_ELSE, "retaa" },
	{ 0xd503203f, POINT_CODE_NOWHERE_ELSE, "yield" },
	{ 0xd4000001, POINT_CODE_NOWHERE_ELSE, "svc #0" },
	{ 0xd4200000, POINT_CODE_NOWHERE_ELSE, "brk #0" },
	{ 0xd51bd040, POINT_CODE_NOWHERE_ELSE, "msr tpidr_el0, x0" },
	{ 0xd53b4220, POINT_CODE_NOWHERE_ELSE, "mrs x0, daif" },
	{ 0xd53bd040, 0, "mrs x0, tpidr_el0" },
	{ 0x885f7c20, POINT_CODE_EXCLUSIVE, "ldxr w0, [x1]" },
	{ 0x887f8400, POINT_CODE_EXCLUSIVE, "ldaxp w0, w1, [x0]" },
	{ 0xc8027c20, POINT_CODE_EXCLUSIVE, "stxr w2, x0, [x1]" },
	{ 0xc8228440, POINT_CODE_EXCLUSIVE, "stlxp w2, x0, x1, [x2]" },
	{ 0x48207c82, POINT_CODE_NOWHERE_ELSE, "casp x0, x1, x2, x3, [x4]" },
	{ 0x88dffc20, 0, "ldar w0, [x1]" },
	{ 0xc8a07c41, 0, "cas x0, x1, [x2]" },
	{ 0x58000040, POINT_CODE_NOWHERE_ELSE, "ldr x0" },
	{ 0x98000040, POINT_CODE_NOWHERE_ELSE, "ldrsw x0" },
	{ 0xd8000040, POINT_CODE_NOWHERE_ELSE, "prfm pldl1keep" },
	{ 0x1c000040, POINT_CODE_NOWHERE_ELSE, "ldr s0" },
	{ 0x54000050, POINT_CODE_NOWHERE_ELSE, "bc.eq" },
};

static void test_what_the_kernel_does_with_instructions_of_aarch64(void **state)
{
	struct point_code_look found;

	(void)state;
	for (size_t i = 0; i < sizeof(aarch64_words) / sizeof(aarch64_words[0]); i++) {
		uint32_t words[] = { aarch64_words[i].word, 0xd503201f };

		point_code_look(MACHINE_AARCH64, (const uint8_t *)words, sizeof(words), 0, &found);
		if (found.flags != (aarch64_words[i].flags | POINT_CODE_KNOWN | POINT_CODE_BORDER))
			fail_msg("%s: %#x", aarch64_words[i].text, found.flags);
		assert_int_equal(found.skip, 0);
	}
}

/* An atomic addition, as compilers make it for ARMv8.0:
 *   mov x3, x0 | 1: ldxr w0, [x3] | add w1, w0, w4 | stlxr w2, w1, [x3] | cbnz w2, 1b | ret */
static const uint32_t addition[] = { 0xaa0003e3, 0x885f7c60, 0x0b040001, 0x8802fc61, 0x35ffffa2,
				     0xd65f03c0 };

static void test_between_an_exclusive_load_and_its_store_no_breakpoint_goes(void **state)
{
	static const bool is_exclusive[] = { false, true, true, true, false, false };
	struct point_code_look found;

	(void)state;
	for (size_t i = 0; i < sizeof(addition) / sizeof(addition[0]); i++) {
		point_code_look(MACHINE_AARCH64, (const uint8_t *)addition, sizeof(addition), 4 * i,
				&found);
		assert_int_equal((found.flags & POINT_CODE_EXCLUSIVE) != 0, is_exclusive[i]);
	}
}

#ifdef __aarch64__
#define PAGE_BYTES 65536	/* the greatest */
#define RET	   0xd65f03c0u

/* A file with @count words, each followed by two returns, and its executable mapping. */
struct code_file {
	int fd;
	const uint8_t *code;
};

static struct code_file map_words(const uint32_t *words, size_t count)
{
	struct code_file file = { .fd = memfd_create("words", MFD_CLOEXEC) };
	uint32_t *all = calloc(1, PAGE_BYTES);

	assert_true(count * 3 * sizeof(*words) <= PAGE_BYTES);
	for (size_t i = 0; i < count; i++) {
		all[3 * i] = words[i];
		all[3 * i + 1] = all[3 * i + 2] = RET;
	}
	assert_int_equal(write(file.fd, all, PAGE_BYTES), PAGE_BYTES);
	free(all);
	file.code = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, file.fd, 0);
	assert_true(file.code != MAP_FAILED);
	return file;
}

static void unmap_words(struct code_file *file)
{
	munmap((void *)file->code, PAGE_BYTES);
	close(file->fd);
}

/* Returns a descriptor, or what the kernel has against a breakpoint at @offset: -errno. */
static int open_probe(const struct code_file *file, uint64_t offset)
{
	char path[40];
	const struct probe_pmu_site site = { .is_user = true, .name = path, .offset = offset };
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct probe_link_config config = { 0 };

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	assert_int_equal(probe_pmu_point_at(&config, &site, NULL), 0);
	attr.type = config.type;
	attr.config = config.config;
	attr.config1 = config.config1;
	attr.config2 = config.config2;
	return event_open(&attr, 0, -1);
}

static void skip_without_uprobes(void)
{
	if (!probe_pmu_try(true, NULL))
		return;
	print_message("SKIP: needs uprobes\n");
	skip();
}

/* The kernel accepts a breakpoint on ldr s0 and bc.eq, and then runs a copy that errs. */
static bool goes_wrong(uint32_t word)
{
	return word == 0x1c000040 || word == 0x54000050;
}

static void test_the_kernel_refuses_what_it_is_said_to_refuse(void **state)
{
	const size_t count = sizeof(aarch64_words) / sizeof(aarch64_words[0]);
	uint32_t words[sizeof(aarch64_words) / sizeof(aarch64_words[0])];
	struct code_file file;

	(void)state;
	skip_without_uprobes();
	for (size_t i = 0; i < count; i++)
		words[i] = aarch64_words[i].word;
	file = map_words(words, count);
	for (size_t i = 0; i < count; i++) {
		const bool is_refused = aarch64_words[i].flags &
					(POINT_CODE_NOWHERE_ELSE | POINT_CODE_EXCLUSIVE);
		const int fd = open_probe(&file, 12 * i);

		if (fd != -EINVAL && fd < 0)
			fail_msg("%s: %s", aarch64_words[i].text, strerror(-fd));
		if ((fd < 0) != (is_refused && !goes_wrong(words[i])))
			fail_msg("%s: %s", aarch64_words[i].text, fd < 0 ? "refused" : "accepted");
		if (fd >= 0)
			close(fd);
	}
	unmap_words(&file);
}

/* The kernel maps a page for the copies that it steps over when it first needs one. */
static bool has_copies(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	bool is_found = false;

	while (maps && !is_found && fgets(line, sizeof(line), maps))
		is_found = strstr(line, "[uprobes]") != NULL;
	if (maps)
		fclose(maps);
	return is_found;
}

/* In a process of its own, which has no such page yet. */
static bool is_stepped(uint32_t word)
{
	struct code_file file = map_words(&word, 1);
	void (*function)(void);
	const pid_t pid = fork();
	int status;

	if (!pid) {
		const int fd = open_probe(&file, 0);

		memcpy(&function, &file.code, sizeof(function));
		if (fd < 0 || has_copies())
			_exit(2);
		function();
		_exit(has_copies());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
	unmap_words(&file);
	return WEXITSTATUS(status);
}

static void test_the_kernel_emulates_what_it_is_said_to_emulate(void **state)
{
	/* mov x0, x1; bti c; mrs x0, tpidr_el0; b, b.ne, cbz, tbnz over a word; adrp, ret */
	static const uint32_t harmless[] = { 0xaa0103e0, 0xd503245f, 0xd53bd040, 0x14000002,
					     0x54000041, 0xb4000040, 0x37000040, 0x90000010, RET };
	struct point_code_look found;

	(void)state;
	skip_without_uprobes();
	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++) {
		point_code_look(MACHINE_AARCH64, (const uint8_t *)&harmless[i], 4, 0, &found);
		if (is_stepped(harmless[i]) != !(found.flags & POINT_CODE_EMULATED))
			fail_msg("%s", found.text);
	}
}
#endif

static void test_instructions_of_aarch64_begin_at_every_fourth_byte(void **state)
{
	static const uint32_t code[] = { 0xd503245f, 0x94000010, 0xd65f03c0 };
	struct point_code_look found;

	(void)state;
	for (uint64_t at = 0; at < sizeof(code); at++) {
		point_code_look(MACHINE_AARCH64, (const uint8_t *)code, sizeof(code), at, &found);
		assert_true(found.flags & POINT_CODE_KNOWN && found.flags & POINT_CODE_FUNCTION);
		assert_int_equal((found.flags & POINT_CODE_BORDER) != 0, at % 4 == 0);
		assert_int_equal((found.flags & POINT_CODE_EMULATED) != 0, at == 4 || at == 8);
	}
	point_code_look(MACHINE_AARCH64, (const uint8_t *)code, 7, 4, &found);	/* cut off */
	assert_int_equal(found.flags, POINT_CODE_FUNCTION);
	point_code_look(MACHINE_AARCH64, NULL, 0, 0, &found);
	assert_int_equal(found.flags, 0);
}

#ifdef __aarch64__
/* Of columns one space is left. */
static void test_an_instruction_of_aarch64_has_its_text(void **state)
{
	static const uint32_t code[] = { 0xa9bd7bfd, 0x94000010, 0x54000041, 0 };
	static const char *const texts[] = { "stp x29, x30, [sp, #-0x30]!", "bl", "b.ne", "" };
	struct point_code_look found;

	(void)state;
	for (uint64_t at = 0; at < sizeof(code); at++) {
		point_code_look(MACHINE_AARCH64, (const uint8_t *)code, sizeof(code), at, &found);
		assert_string_equal(found.text, texts[at / 4]);
	}
}
#endif

UNIT_TESTS(test_point_code)
{
	const struct CMUnitTest tests[] = {
#ifdef __x86_64__
		cmocka_unit_test(test_a_push_is_emulated_and_a_move_is_stepped),
		cmocka_unit_test(test_only_borders_of_instructions_are_borders),
		cmocka_unit_test(test_code_is_decoded_for_its_machine),
		cmocka_unit_test(test_entry_probes_go_after_endbr64_where_that_is_cheaper),
#else
		cmocka_unit_test(test_code_of_a_machine_that_is_not_decoded_has_no_borders),
#endif
		cmocka_unit_test(test_code_that_cannot_be_read_has_no_borders),
		cmocka_unit_test(test_what_compilers_begin_functions_with),
		cmocka_unit_test(test_what_the_kernel_does_with_instructions_of_aarch64),
		cmocka_unit_test(test_between_an_exclusive_load_and_its_store_no_breakpoint_goes),
		cmocka_unit_test(test_instructions_of_aarch64_begin_at_every_fourth_byte),
#ifdef __aarch64__
		cmocka_unit_test(test_the_kernel_refuses_what_it_is_said_to_refuse),
		cmocka_unit_test(test_the_kernel_emulates_what_it_is_said_to_emulate),
		cmocka_unit_test(test_an_instruction_of_aarch64_has_its_text),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
