/* fuzz_probe_spec.c - any text as a spec: what is taken is the same again from its own text and as
 * it is written, can be named, asked of a hit, computed, told to the kernel and paired. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe_expression.h"
#include "probe/probe_spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* Every other operand is unknown; the others are what the condition asks for, or nearly. */
static void look_up(const void *context, enum probe_operand operand, const char *name,
		    struct probe_value *out)
{
	*out = (struct probe_value){
		.is_known = name[0] % 2, .is_signed = operand == OPERAND_RETURN,
		.is_text = operand == OPERAND_COMM, .number = (uint64_t)name[0], .text = context,
		.text_bytes = strlen(context) / 2,
	};
}

static void ask(const struct probe_condition *condition, const char *text)
{
	char filter[200];

	(void)probe_condition_holds(condition, look_up, text);
	if (probe_condition_kernel_text(condition, filter, sizeof(filter)) &&
	    strlen(filter) >= sizeof(filter))
		abort();
}

/* Values are small, large and unknown. */
static bool look_up_number(const void *context, uint32_t argument, int64_t *out)
{
	const struct probe_spec *spec = context;

	if (argument >= spec->argument_count)
		abort();
	*out = argument % 3 ? INT64_MIN + argument : (int64_t)argument - 3;
	return argument % 5 != 4;
}

static void compute(const struct probe_spec *spec)
{
	for (uint32_t i = 0; i < spec->aggregate_count; i++) {
		const struct probe_aggregate *aggregate = &spec->aggregates[i];
		int64_t value = 0, begin, end;
		uint16_t bucket;
		char text[100];

		(void)probe_expression_value(&aggregate->value, look_up_number, spec, 7, &value);
		if (aggregate->kind != AGGREGATE_HIST && aggregate->kind != AGGREGATE_LHIST)
			continue;
		bucket = probe_aggregate_bucket(aggregate, value);
		probe_aggregate_range(aggregate, bucket, &begin, &end);
		if (value < begin || (value >= end && end != INT64_MAX))
			abort();
		probe_aggregate_range_write(aggregate, bucket, text, sizeof(text));
	}
	for (uint32_t i = 0; i < spec->key_count; i++)
		if (spec->keys[i].argument >= PROBE_ARGUMENTS_MAX ||
		    (spec->keys[i].kind == PROBE_KEY_VALUE &&
		     spec->keys[i].argument >= spec->argument_count))
			abort();
}

/* As it is written it means the same, unless it is too long then. */
static void check_written(const struct probe_spec *spec)
{
	static struct probe_spec written, again;
	char condition[PROBE_SPEC_BYTES];

	written = *spec;
	memcpy(condition, spec->text + spec->condition_from, spec->condition_bytes);
	condition[spec->condition_bytes] = '\0';
	if (probe_spec_write(&written, condition, NULL))
		return;
	if (probe_spec_parse(&again, written.text, NULL) ||
	    memcmp(&again, &written, sizeof(again)) != 0)
		abort();
}

static void check_again(const struct probe_spec *spec)
{
	struct probe_spec again, pair = *spec, back;
	char name[64];

	if (probe_spec_parse(&again, spec->text, NULL) || memcmp(&again, spec, sizeof(again)) != 0)
		abort();
	probe_spec_name(spec, name, sizeof(name));
	back = *spec;
	back.edge = spec->edge == PROBE_RETURN ? PROBE_ENTRY : PROBE_RETURN;
	if (probe_spec_pair(&pair, &back) && pair.edge != PROBE_LATENCY)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	static struct probe_spec spec;
	struct probe_condition condition;
	char *text = malloc(count + 1);

	if (!text)
		return 0;
	memcpy(text, bytes, count);
	text[count] = '\0';
	if (!probe_spec_parse(&spec, text, NULL)) {
		check_again(&spec);
		check_written(&spec);
		compute(&spec);
		ask(&spec.condition, text);
	}
	if (!probe_condition_parse(&condition, text, NULL))
		ask(&condition, text);
	free(text);
	return 0;
}
