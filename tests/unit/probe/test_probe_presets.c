/* Every preset is a spec that parses, and has a name of its own. Whether the tracepoints and fields
 * are there is a live test's matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/sanitize.h"
#include "probe/targets.h"
#include "probe/probe_spec.h"
#include "unit_tests.h"

static void test_every_preset_parses_as_it_is_written(void **state)
{
	(void)state;
	for (size_t i = 0; i < probe_preset_count; i++) {
		struct probe_spec spec;
		struct diag why;

		if (probe_spec_parse(&spec, probe_presets[i].spec, &why))
			fail_msg("%s: %s", probe_presets[i].spec, why.text);
		assert_string_equal(spec.text, probe_presets[i].spec);
	}
}

/* What a filter asks for is there to be seen, too, but for what never changes. */
static void test_values_are_listed_but_for_constants(void **state)
{
	(void)state;
	for (size_t i = 0; i < probe_preset_count; i++) {
		struct probe_spec spec;

		assert_int_equal(probe_spec_parse(&spec, probe_presets[i].spec, NULL), 0);
		for (uint32_t k = 0; k < spec.argument_count; k++)
			assert_true(!spec.arguments[k].is_implied ||
				    !strcmp(spec.arguments[k].name, "nr_sector") ||	/* bytes */
				    !strcmp(spec.arguments[k].name, "protocol") ||
				    !strcmp(spec.arguments[k].name, "oldstate") ||
				    !strcmp(spec.arguments[k].name, "newstate"));
	}
}

static void test_names_differ_and_fit_into_the_finder(void **state)
{
	(void)state;
	for (size_t i = 0; i < probe_preset_count; i++) {
		const struct probe_preset *preset = &probe_presets[i];

		assert_true(strlen(preset->spec) < TARGET_SPEC_BYTES);
		assert_true(strlen(preset->description) < TARGET_NOTE_BYTES);
		assert_true(sanitize_is_clean(preset->name, strlen(preset->name)));
		for (size_t k = 0; k < i; k++) {
			assert_string_not_equal(preset->name, probe_presets[k].name);
			assert_string_not_equal(preset->spec, probe_presets[k].spec);
		}
	}
}

static void test_the_classics_are_there(void **state)
{
	static const char *const classics[] = {
		"new processes", "file opens", "TCP connects", "DNS latency", "malloc sizes",
		"futex waits", "page faults", "system call latency", "block I/O latency",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(classics) / sizeof(classics[0]); i++) {
		size_t k = 0;

		while (k < probe_preset_count && strcmp(probe_presets[k].name, classics[i]) != 0)
			k++;
		assert_true(k < probe_preset_count);
	}
}

UNIT_TESTS(test_probe_presets)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_preset_parses_as_it_is_written),
		cmocka_unit_test(test_values_are_listed_but_for_constants),
		cmocka_unit_test(test_names_differ_and_fit_into_the_finder),
		cmocka_unit_test(test_the_classics_are_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
