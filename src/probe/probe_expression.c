/* probe_expression.c - see probe/probe_expression.h. */
#include "probe/probe_expression.h"

#include <stdio.h>

#include "probe_number.h"

#define NUMBER_BYTES 40
#define ZERO_BUCKET  64		/* that of zero, by powers of two */

/* Divides, with the result of the shifted dividend for INT64_MIN / -1. False: by zero. */
static bool divide(enum probe_term_kind kind, int64_t left, int64_t right, int64_t *out)
{
	if (!right)
		return false;
	if (right == -1)
		*out = kind == TERM_DIVIDE ? (int64_t)(0 - (uint64_t)left) : 0;
	else
		*out = kind == TERM_DIVIDE ? left / right : left % right;
	return true;
}

/* Applies the operator @kind to two numbers. False: it divides by zero. */
static bool apply(enum probe_term_kind kind, int64_t left, int64_t right, int64_t *out)
{
	const uint64_t a = (uint64_t)left, b = (uint64_t)right;

	switch (kind) {
	case TERM_ADD:
		*out = (int64_t)(a + b);
		break;
	case TERM_SUBTRACT:
		*out = (int64_t)(a - b);
		break;
	case TERM_MULTIPLY:
		*out = (int64_t)(a * b);
		break;
	case TERM_AND:
		*out = (int64_t)(a & b);
		break;
	case TERM_OR:
		*out = (int64_t)(a | b);
		break;
	case TERM_SHIFT_LEFT:
		*out = b < 64 ? (int64_t)(a << b) : 0;
		break;
	case TERM_SHIFT_RIGHT:
		*out = b > 63 ? -(left < 0) : (int64_t)(left < 0 ? ~(~a >> b) : a >> b);
		break;
	default:
		return divide(kind, left, right, out);
	}
	return true;
}

bool probe_expression_value(const struct probe_expression *expression,
			    probe_argument_value *look_up, const void *context,
			    int64_t latency_ns, int64_t *out)
{
	int64_t stack[PROBE_TERMS_MAX];
	uint32_t depth = 0;

	for (uint32_t i = 0; i < expression->count; i++) {
		const struct probe_term *term = &expression->terms[i];
		bool is_known = true;

		if (term->kind == TERM_NUMBER) {
			stack[depth++] = term->number;
		} else if (term->kind == TERM_VALUE) {
			is_known = look_up(context, term->argument, &stack[depth++]);
		} else if (term->kind == TERM_LATENCY) {
			stack[depth++] = latency_ns;
			is_known = latency_ns >= 0;
		} else if (term->kind == TERM_NEGATE) {
			stack[depth - 1] = (int64_t)(0 - (uint64_t)stack[depth - 1]);
		} else {
			depth--;
			is_known = apply(term->kind, stack[depth - 1], stack[depth],
					 &stack[depth - 1]);
		}
		if (!is_known)
			return false;
	}
	if (depth != 1)
		return false;
	*out = stack[0];
	return true;
}

bool probe_expression_is_time(const struct probe_expression *expression)
{
	return expression->count == 1 && expression->terms[0].kind == TERM_LATENCY;
}

static uint16_t bucket_of_power(int64_t value)
{
	const uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	const int octave = value ? 63 - __builtin_clzll(magnitude) : 0;

	return (uint16_t)(!value ? ZERO_BUCKET
			  : value < 0 ? ZERO_BUCKET - 1 - octave : ZERO_BUCKET + 1 + octave);
}

static uint16_t bucket_of_step(const struct probe_aggregate *aggregate, int64_t value)
{
	const int64_t from = aggregate->limits[0], to = aggregate->limits[1];
	const uint64_t step = (uint64_t)aggregate->limits[2];
	const uint64_t width = (uint64_t)to - (uint64_t)from;
	uint64_t at;

	if (value < from)
		return 0;
	at = value >= to ? (width + step - 1) / step
			 : ((uint64_t)value - (uint64_t)from) / step;
	return (uint16_t)(at < PROBE_BUCKETS_MAX - 2 ? at + 1 : PROBE_BUCKETS_MAX - 1);
}

uint16_t probe_aggregate_bucket(const struct probe_aggregate *aggregate, int64_t value)
{
	uint16_t bucket = 0;

	if (aggregate->kind == AGGREGATE_LHIST)
		return bucket_of_step(aggregate, value);
	if (!aggregate->limit_count)
		return bucket_of_power(value);
	while (bucket < aggregate->limit_count && value >= aggregate->limits[bucket])
		bucket++;
	return bucket;
}

/* The magnitude 2^(@octave) as a limit; INT64_MAX: larger than any value. */
static int64_t power(unsigned int octave)
{
	return octave < 63 ? INT64_C(1) << octave : INT64_MAX;
}

/* The smallest number above -2^(@octave). */
static int64_t above_power(unsigned int octave)
{
	return octave < 63 ? 1 - (INT64_C(1) << octave) : INT64_MIN + 1;
}

void probe_aggregate_range(const struct probe_aggregate *aggregate, uint16_t bucket,
			   int64_t *begin, int64_t *end)
{
	const int64_t *limits = aggregate->limits;

	if (aggregate->kind == AGGREGATE_LHIST) {
		const uint64_t width = (uint64_t)limits[1] - (uint64_t)limits[0];
		const uint64_t steps = (width + (uint64_t)limits[2] - 1) / (uint64_t)limits[2];
		const uint64_t at = bucket - UINT64_C(1);

		*begin = !bucket ? INT64_MIN
			 : at >= steps ? limits[1]
				       : (int64_t)((uint64_t)limits[0] + at * (uint64_t)limits[2]);
		*end = !bucket ? limits[0]
		       : at >= steps ? INT64_MAX
		       : at + 1 == steps ? limits[1] : *begin + limits[2];
	} else if (aggregate->limit_count) {
		*begin = bucket ? limits[bucket - 1] : INT64_MIN;
		*end = bucket < aggregate->limit_count ? limits[bucket] : INT64_MAX;
	} else if (bucket > ZERO_BUCKET) {
		*begin = power(bucket - ZERO_BUCKET - 1u);
		*end = power(bucket - ZERO_BUCKET - 0u);
	} else if (bucket == ZERO_BUCKET) {
		*begin = 0;
		*end = 1;
	} else {
		*begin = bucket ? above_power(ZERO_BUCKET - bucket) : INT64_MIN;
		*end = above_power(ZERO_BUCKET - bucket - 1u);
	}
}

size_t probe_aggregate_range_write(const struct probe_aggregate *aggregate, uint16_t bucket,
				   char *out, size_t room)
{
	const bool is_time = probe_expression_is_time(&aggregate->value);
	char from[NUMBER_BYTES], to[NUMBER_BYTES];
	int64_t begin, end;

	probe_aggregate_range(aggregate, bucket, &begin, &end);
	probe_number_write(begin, is_time, from, sizeof(from));
	probe_number_write(end, is_time, to, sizeof(to));
	if (begin == INT64_MIN)
		return (size_t)snprintf(out, room, "below %s", to);
	if (end == INT64_MAX)
		return (size_t)snprintf(out, room, "%s and more", from);
	if (end == begin + 1)
		return (size_t)snprintf(out, room, "%s", from);
	return (size_t)snprintf(out, room, "%s..%s", from, to);
}
