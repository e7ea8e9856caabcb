/* fuzz_probe_spec.c - any text as a spec: what is taken is the same again from its own text, can be
 * named, asked of a hit, told to the kernel and paired. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
		ask(&spec.condition, text);
	}
	if (!probe_condition_parse(&condition, text, NULL))
		ask(&condition, text);
	free(text);
	return 0;
}
