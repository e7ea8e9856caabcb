/* What the kernel is asked for with each way to sample stacks. */
#include "capture/event.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/stack_copy.h"
#include "unit_tests.h"

static struct perf_event_attr complete(enum call_graph_mode mode, uint32_t copy_bytes)
{
	const struct event_sampling sampling = {
		.features.stack_copies = true, .call_graph = { mode, copy_bytes },
		.ring_bytes = 8192, .sideband_ring_bytes = 4096,
	};
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK };

	event_attr_complete(&attr, &sampling);
	return attr;
}

static void test_copies_come_with_registers_and_the_kernels_own_chain(void **state)
{
	const struct perf_event_attr attr = complete(CALL_GRAPH_DWARF, 32768);
	const uint64_t fields = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
				PERF_SAMPLE_STACK_USER;

	(void)state;
	assert_true((attr.sample_type & fields) == fields);
	assert_true(attr.exclude_callchain_user);
	assert_false(attr.exclude_callchain_kernel);
	assert_int_equal(attr.sample_stack_user, 32768);
	assert_true(attr.sample_regs_user == user_registers_mask());
	assert_true(attr.disabled);
}

/* Besides it takes aarch64's lr: <asm/perf_regs.h>, PERF_REG_ARM64_LR. */
static void test_frame_pointers_are_the_kernels_chain_of_both(void **state)
{
	const struct perf_event_attr attr = complete(CALL_GRAPH_FP, 0);
#ifdef __aarch64__
	const uint64_t fields = PERF_SAMPLE_REGS_USER, registers = UINT64_C(1) << 30;
#else
	const uint64_t fields = 0, registers = 0;
#endif

	(void)state;
	assert_true(attr.sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_int_equal(attr.sample_type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER),
			 fields);
	assert_int_equal(attr.sample_regs_user, registers);
	assert_false(attr.exclude_callchain_user);
	assert_int_equal(attr.sample_stack_user, 0);
}

static void test_without_stacks_nothing_of_them_is_asked_for(void **state)
{
	const struct perf_event_attr attr = complete(CALL_GRAPH_OFF, 0);

	(void)state;
	assert_false(attr.sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
					 PERF_SAMPLE_STACK_USER));
}

/* The attr of perf record --call-graph lbr. The kernel's chain has what is not user code. */
static void test_the_cpus_calls_come_with_the_kernels_chain(void **state)
{
	const struct perf_event_attr attr = complete(CALL_GRAPH_LBR, 0);
	const uint64_t fields = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK;

	(void)state;
	assert_true((attr.sample_type & fields) == fields);
	assert_false(attr.exclude_callchain_user);	/* the user code's leaf is in the chain */
	assert_int_equal(attr.branch_sample_type,
			 PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
			 PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES);
}

static void test_branches_are_of_the_levels_that_may_be_sampled(void **state)
{
	struct event_sampling sampling = {
		.branch_filter = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
				 PERF_SAMPLE_BRANCH_KERNEL,
	};
	struct perf_event_attr all = { 0 }, of_user = { 0 }, read = { 0 };

	(void)state;
	event_attr_complete(&all, &sampling);
	assert_true(all.sample_type & PERF_SAMPLE_BRANCH_STACK);
	assert_int_equal(all.branch_sample_type, sampling.branch_filter);
	sampling.exclude_kernel = true;
	event_attr_complete(&of_user, &sampling);
	assert_int_equal(of_user.branch_sample_type,
			 PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	event_attr_complete(&read, &sampling);
	event_attr_follow(&read);		/* a count has no samples */
	assert_false(read.sample_type & PERF_SAMPLE_BRANCH_STACK);
	assert_int_equal(read.branch_sample_type, 0);
}

static void test_a_quarter_of_its_ring_wakes_the_reader_or_half_if_by_time(void **state)
{
	const struct event_sampling sampling = { .ring_bytes = 8192, .sideband_ring_bytes = 4096 };
	struct perf_event_attr by_time = { 0 }, sideband;

	(void)state;
	assert_int_equal(complete(CALL_GRAPH_FP, 0).wakeup_watermark, 2048);
	by_time.freq = 1;
	event_attr_complete(&by_time, &sampling);
	assert_int_equal(by_time.wakeup_watermark, 4096);
	event_attr_sideband(&sideband, &sampling);
	assert_int_equal(sideband.wakeup_watermark, 1024);
	assert_false(sideband.sample_type & PERF_SAMPLE_CALLCHAIN);
}

/* With the period in its records a software event writes one for each hit, whatever the period. */
static void test_a_fixed_period_over_1_is_kept_by_the_kernel_and_not_in_the_records(void **state)
{
	const struct event_sampling sampling = { .ring_bytes = 8192 };
	struct perf_event_attr each = { .sample_period = 1 }, some = { .sample_period = 2 };
	struct perf_event_attr by_time = { .freq = 1, .sample_freq = 997 };

	(void)state;
	event_attr_complete(&each, &sampling);
	event_attr_complete(&some, &sampling);
	event_attr_complete(&by_time, &sampling);
	assert_true(each.sample_type & PERF_SAMPLE_PERIOD);
	assert_false(some.sample_type & PERF_SAMPLE_PERIOD);
	assert_true(by_time.sample_type & PERF_SAMPLE_PERIOD);
}

static void test_this_kernel_takes_every_size_that_may_be_asked_for(void **state)
{
	static const uint32_t sizes[] = { 8, CALL_GRAPH_COPY_MIN_BYTES, CALL_GRAPH_COPY_BYTES,
					  CALL_GRAPH_COPY_MAX_BYTES };
	struct event_features features;

	(void)state;
	event_features_probe(&features);
	if (!features.stack_copies)
		skip();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct perf_event_attr attr = complete(CALL_GRAPH_DWARF, sizes[i]);
		int fd;

		attr.exclude_kernel = attr.exclude_hv = 1;
		attr.sample_period = 1000000;
		fd = event_open(&attr, 0, -1);
		assert_true(fd >= 0);
		close(fd);
	}
}

static void test_a_directory_that_is_no_cgroup_is_named(void **state)
{
	const int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct diag why = { .err = 0 };
	const int err = event_check_cgroup(fd, "/", 0, &why);

	(void)state;
	close(fd);
	if (err == -EINVAL || err == -EACCES || err == -EPERM)
		skip();		/* this kernel, or this user, comes no further */
	assert_int_equal(err, -EBADF);
	assert_string_equal(why.text, "/ is not a cgroup");
}

UNIT_TESTS(test_event_open)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies_come_with_registers_and_the_kernels_own_chain),
		cmocka_unit_test(test_frame_pointers_are_the_kernels_chain_of_both),
		cmocka_unit_test(test_without_stacks_nothing_of_them_is_asked_for),
		cmocka_unit_test(test_the_cpus_calls_come_with_the_kernels_chain),
		cmocka_unit_test(test_branches_are_of_the_levels_that_may_be_sampled),
		cmocka_unit_test(test_a_quarter_of_its_ring_wakes_the_reader_or_half_if_by_time),
		cmocka_unit_test(
			test_a_fixed_period_over_1_is_kept_by_the_kernel_and_not_in_the_records),
		cmocka_unit_test(test_this_kernel_takes_every_size_that_may_be_asked_for),
		cmocka_unit_test(test_a_directory_that_is_no_cgroup_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
