/* Profiles for pprof: what a decoder of a few lines reads in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/sanitize.h"
#include "fold/sample_fold.h"
#include "ingest/ingest.h"
#include "share/shared_format.h"
#include "tree_fold_fixture.h"
#include "unit_tests.h"

#define TEST(test)    TREE_TEST(test)
#define STACKS_MANY   100000
#define DEPTH	      500
#define SAMPLES_KEPT  64
#define FRAMES_KEPT   1024
#define STRINGS_KEPT  1024
#define LABELS_KEPT   8
#define PROFILE_BYTES (64u << 20)

struct bytes {
	const unsigned char *at, *end;
};

struct field {
	unsigned int number;
	uint64_t value;		/* a number's */
	struct bytes bytes;	/* else */
};

/* What was read of a profile; lists keep their first members, and count all. */
struct profile {
	char *strings[STRINGS_KEPT];
	struct bytes functions[FRAMES_KEPT], locations[FRAMES_KEPT], samples[SAMPLES_KEPT];
	struct bytes mappings[SAMPLES_KEPT];
	uint64_t types[8], comments[8], default_type;
	size_t string_count, function_count, location_count, sample_count, mapping_count;
	size_t type_count, comment_count;
	unsigned char *text;	/* owned */
};

static struct profile profile;
static struct ingest ingest;	/* without DSOs: no line can be requested */

static uint64_t take_varint(struct bytes *from)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	do {
		assert_true(from->at < from->end && shift < 64);
		value |= (uint64_t)(*from->at & 127) << shift;
		shift += 7;
	} while (*from->at++ & 128);
	return value;
}

static bool take_field(struct bytes *from, struct field *out)
{
	uint64_t tag;

	if (from->at == from->end)
		return false;
	tag = take_varint(from);
	out->number = (unsigned int)(tag >> 3);
	out->value = take_varint(from);
	assert_true((tag & 7) == 0 || (tag & 7) == 2);
	if ((tag & 7) == 0)
		return true;
	assert_true(out->value <= (uint64_t)(from->end - from->at));
	out->bytes = (struct bytes){ from->at, from->at + out->value };
	from->at += out->value;
	return true;
}

/* The value of the first field @number in @from; 0: there is none. */
static uint64_t number_in(struct bytes from, unsigned int number)
{
	struct field field;

	while (take_field(&from, &field))
		if (field.number == number)
			return field.value;
	return 0;
}

/* The numbers that are packed in field @number. */
static size_t packed_in(struct bytes from, unsigned int number, uint64_t *out, size_t room)
{
	struct field field;
	size_t count = 0;

	while (take_field(&from, &field))
		while (field.number == number && field.bytes.at < field.bytes.end) {
			const uint64_t value = take_varint(&field.bytes);

			if (count < room)
				out[count] = value;
			count++;
		}
	return count;
}

static void keep(struct bytes *list, size_t room, size_t *count, struct bytes bytes)
{
	if (*count < room)
		list[*count] = bytes;
	++*count;
}

static void take_string(struct bytes bytes)
{
	const size_t length = (size_t)(bytes.end - bytes.at);
	char *text = strndup((const char *)bytes.at, length);

	assert_int_equal(strlen(text), length);
	assert_true(sanitize_is_clean(text, length));
	if (profile.string_count < STRINGS_KEPT)
		profile.strings[profile.string_count] = text;
	else
		free(text);
	profile.string_count++;
}

static void take_part(const struct field *field)
{
	switch (field->number) {
	case 1:
		profile.types[profile.type_count++] = number_in(field->bytes, 1);
		profile.types[profile.type_count++] = number_in(field->bytes, 2);
		break;
	case 2:
		keep(profile.samples, SAMPLES_KEPT, &profile.sample_count, field->bytes);
		break;
	case 3:
		keep(profile.mappings, SAMPLES_KEPT, &profile.mapping_count, field->bytes);
		break;
	case 4:
		keep(profile.locations, FRAMES_KEPT, &profile.location_count, field->bytes);
		break;
	case 5:
		keep(profile.functions, FRAMES_KEPT, &profile.function_count, field->bytes);
		break;
	case 6:
		take_string(field->bytes);
		break;
	case 13:
		profile.comments[profile.comment_count++] = field->value;
		break;
	case 14:
		profile.default_type = field->value;
		break;
	default:
		break;
	}
}

static void unpack(const char *packed, size_t bytes)
{
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)packed, .avail_in = (uInt)bytes };
	struct bytes from;
	struct field field;

	profile.text = malloc(PROFILE_BYTES);
	assert_non_null(profile.text);
	stream.next_out = profile.text;
	stream.avail_out = PROFILE_BYTES;
	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	from = (struct bytes){ profile.text, stream.next_out };
	inflateEnd(&stream);
	while (take_field(&from, &field))
		take_part(&field);
}

static void forget(void)
{
	for (size_t i = 0; i < profile.string_count && i < STRINGS_KEPT; i++)
		free(profile.strings[i]);
	free(profile.text);
	memset(&profile, 0, sizeof(profile));
}

/* The samples of @entries, and of @base if that has some, as the query asks for them. */
static struct stack_samples *make(const struct slice_entry *entries, uint32_t count,
				  const struct slice_entry *base, uint32_t base_count)
{
	const struct source_lines lines = { .ingest = &ingest, .inlined = known_chains };
	struct sample_fold fold;
	struct stack_samples *samples;

	sample_fold_init(&fold, &model.trie, &model.names, &model.tasks, &query, 0);
	sample_fold_add(&fold, entries, count, 1.0);
	sample_fold_add_base(&fold, base, base_count);
	samples = sample_fold_make(&fold);
	assert_non_null(samples);
	sample_fold_finish(&fold);
	assert_int_equal(stack_samples_put_lines(samples, &lines), 0);
	return samples;
}

static void write_profile(struct snapshot *snapshot)
{
	const struct shared_options options = { .format = SHARED_PPROF, .command = "flametop -x" };
	char *packed = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&packed, &bytes);

	snapshot->event = "cpu-clock";
	snapshot->hit_weight = "";
	snapshot->target = "t";
	assert_int_equal(shared_write(out, snapshot, &options), 0);
	assert_int_equal(fclose(out), 0);
	unpack(packed, bytes);
	free(packed);
	stack_samples_destroy(snapshot->stack_samples);
}

static const char *string(uint64_t number)
{
	assert_true(number < profile.string_count && number < STRINGS_KEPT);
	return profile.strings[number];
}

/* The name of the function @line of the location @id, counted from the innermost one. */
static const char *name_at(uint64_t id, unsigned int line)
{
	struct bytes from = profile.locations[id - 1];
	struct field field;

	assert_int_equal(number_in(from, 1), id);
	while (take_field(&from, &field))
		if (field.number == 4 && !line--)
			return string(number_in(profile.functions[number_in(field.bytes, 1) - 1],
						2));
	return "";
}

/* "main < f": the symbols of a sample, the leaf first. */
static const char *path_of(struct bytes sample)
{
	static char path[256];
	uint64_t locations[16];
	const size_t count = packed_in(sample, 1, locations, 16);

	path[0] = '\0';
	for (size_t i = 0; i < count; i++)
		snprintf(path + strlen(path), sizeof(path) - strlen(path), "%s%s", i ? " < " : "",
			 name_at(locations[i], 0));
	return path;
}

/* The text of the sample's label @key; "": it has none. */
static const char *label_of(struct bytes sample, const char *key)
{
	struct field field;

	while (take_field(&sample, &field))
		if (field.number == 3 && !strcmp(string(number_in(field.bytes, 1)), key))
			return string(number_in(field.bytes, 2));
	return "";
}

static uint64_t number_of(struct bytes sample, const char *key)
{
	struct field field;

	while (take_field(&sample, &field))
		if (field.number == 3 && !strcmp(string(number_in(field.bytes, 1)), key))
			return number_in(field.bytes, 3);
	return 0;
}

static void test_a_sample_has_its_stack_values_and_labels(void **state)
{
	const enum fixture_function calls[] = { FN_G, FN_F, FN_MAIN };
	const struct slice_entry entries[] = { {
		.task = fixture_task_in(&model, 7, 8, "worker", "/a.slice"), .count = 3,
		.stack = fixture_calls(&model, calls, 3), .weight = 3000 } };
	struct snapshot snapshot = { .window_s = 1, .freq_hz = 1000 };
	uint64_t values[2];

	(void)state;
	snapshot.stack_samples = make(entries, 1, NULL, 0);
	snapshot.stack_samples->has_times = true;
	write_profile(&snapshot);
	assert_string_equal(string(0), "");
	assert_int_equal(profile.type_count, 4);
	assert_string_equal(string(profile.types[0]), "samples");
	assert_string_equal(string(profile.types[1]), "count");
	assert_string_equal(string(profile.types[2]), "cpu");
	assert_string_equal(string(profile.types[3]), "nanoseconds");
	assert_string_equal(string(profile.default_type), "cpu");
	assert_int_equal(profile.sample_count, 1);
	assert_string_equal(path_of(profile.samples[0]), "g < f < main");
	assert_int_equal(packed_in(profile.samples[0], 2, values, 2), 2);
	assert_int_equal(values[0], 3);
	assert_int_equal(values[1], 3000);
	assert_string_equal(label_of(profile.samples[0], "comm"), "worker");
	assert_string_equal(label_of(profile.samples[0], "cgroup"), "/a.slice");
	assert_int_equal(number_of(profile.samples[0], "pid"), 7);
	assert_int_equal(number_of(profile.samples[0], "tid"), 8);
	assert_int_equal(profile.mapping_count, 1);
	assert_string_equal(string(number_in(profile.mappings[0], 5)), "/bin/app");
	assert_string_equal(string(number_in(profile.mappings[0], 6)), "abcd");
	for (unsigned int flag = 7; flag <= 10; flag++)
		assert_int_equal(number_in(profile.mappings[0], flag), 1);
	/* A caller is where its call is, before the address to return to. */
	assert_int_equal(number_in(profile.locations[0], 3) -
			 number_in(profile.mappings[0], 2), FIXTURE_APP_ADDRESS(FN_MAIN));
	assert_string_equal(string(profile.comments[0]), "flametop -x");
	forget();
}

static void test_inlined_functions_are_lines_innermost_first(void **state)
{
	const enum fixture_function calls[] = { FN_G, FN_MAIN };
	static const char *const inlined[] = { "inner", "middle", NULL };
	const struct slice_entry entries[] = { { .task = fixture_task(&model, 7, 7, "a"),
		.count = 1, .stack = fixture_calls(&model, calls, 2), .weight = 1 } };
	struct snapshot snapshot = { .window_s = 1 };
	uint64_t locations[2];
	struct bytes leaf, function;
	struct field field;

	(void)state;
	tree_fold_fixture_inline(FN_G, 0, inlined);
	assert_int_equal(inline_chains_add_place(&known_chains, "/src/a.h", 3, 2), 0);
	assert_int_equal(inline_chains_add_place(&known_chains, "/src/a.h", 9, 8), 0);
	assert_int_equal(inline_chains_add_place(&known_chains, "/src/b.c", 20, 18), 0);
	snapshot.stack_samples = make(entries, 1, NULL, 0);
	write_profile(&snapshot);
	assert_int_equal(packed_in(profile.samples[0], 1, locations, 2), 2);
	assert_string_equal(name_at(locations[0], 0), "inner");
	assert_string_equal(name_at(locations[0], 1), "middle");
	assert_string_equal(name_at(locations[0], 2), "g");
	assert_string_equal(name_at(locations[1], 0), "main");
	leaf = profile.locations[locations[0] - 1];
	while (take_field(&leaf, &field) && field.number != 4)
		;
	assert_int_equal(number_in(field.bytes, 2), 3);
	function = profile.functions[number_in(field.bytes, 1) - 1];
	assert_string_equal(string(number_in(function, 4)), "/src/a.h");
	assert_int_equal(number_in(function, 5), 2);
	forget();
}

/* Samples of what is compared with: negative, with the label that Go's pprof looks for. */
static void test_the_baseline_is_negative(void **state)
{
	const enum fixture_function calls[] = { FN_G, FN_MAIN };
	const uint32_t task = fixture_task(&model, 7, 7, "a");
	const uint32_t stack = fixture_calls(&model, calls, 2);
	const struct slice_entry now[] = { { .task = task, .count = 2, .stack = stack,
					     .weight = 20 } };
	const struct slice_entry base[] = { { .task = task, .count = 5, .stack = stack,
					      .weight = 50 } };
	struct snapshot snapshot = { .window_s = 1, .is_compared = true };
	uint64_t values[2];

	(void)state;
	snapshot.stack_samples = make(now, 1, base, 1);
	write_profile(&snapshot);
	assert_int_equal(profile.sample_count, 2);
	packed_in(profile.samples[0], 2, values, 2);
	assert_int_equal((int64_t)values[0], 2);
	assert_string_equal(label_of(profile.samples[0], "pprof::base"), "");
	packed_in(profile.samples[1], 2, values, 2);
	assert_int_equal((int64_t)values[0], -5);
	assert_int_equal((int64_t)values[1], -50);
	assert_string_equal(label_of(profile.samples[1], "pprof::base"), "true");
	forget();
}

/* The kernel is mapped where it is; code without a name is one function of its DSO. */
static void test_kernel_and_unknown_code(void **state)
{
	const uint32_t dso = fixture_dso(&model, "/lib/libx.so", DSO_NO_TABLE);
	const uint32_t frames[] = {
		fixture_kernel_frame(&model, FIXTURE_SYSCALL_ADDRESS + 9),
		stack_trie_frame(&model.trie, dso, 0x5000),
		fixture_frame(&model, FN_MAIN, 4),
	};
	const struct slice_entry entries[] = { { .task = fixture_task(&model, 7, 7, "a"),
		.count = 1, .stack = fixture_stack(&model, frames, 3), .weight = 1 } };
	struct snapshot snapshot = { .window_s = 1 };

	(void)state;
	snapshot.stack_samples = make(entries, 1, NULL, 0);
	write_profile(&snapshot);
	assert_string_equal(path_of(profile.samples[0]), "do_syscall_64 < [libx.so] < main");
	assert_int_equal(profile.mapping_count, 3);
	assert_string_equal(string(number_in(profile.mappings[0], 5)), "/bin/app");
	for (size_t i = 0; i < 3; i++)
		if (number_in(profile.locations[i], 3) == FIXTURE_SYSCALL_ADDRESS + 9)
			return forget();
	fail_msg("no location has the kernel's address");
}

/* Which samples are there and where their paths begin is as in a tree of callees. */
static void test_filters_are_those_of_a_tree(void **state)
{
	static const struct {
		enum filter_field field;
		const char *name;
		bool is_negated;
		const char *path;	/* that the first sample has */
		uint32_t frames;	/* in the file: those of what matches */
	} filters[] = {
		{ FILTER_SYMBOL, "f", false, "g < f", 2 },
		{ FILTER_SYMBOL, "g", true, "f < main", 3 },
		{ FILTER_COMMAND, "a", false, "g < f < main", 3 },
		{ FILTER_DSO, "/bin/app", false, "g < f < main", 4 },
		{ FILTER_TEXT, "g", false, "g < f < main", 3 },
	};
	const enum fixture_function calls[] = { FN_G, FN_F, FN_MAIN }, others[] = { FN_H, FN_MAIN };
	const struct slice_entry entries[] = {
		{ .task = fixture_task(&model, 7, 7, "a"), .count = 4, .weight = 4,
		  .stack = fixture_calls(&model, calls, 3) },
		{ .task = fixture_task(&model, 9, 9, "b"), .count = 2, .weight = 2,
		  .stack = fixture_calls(&model, others, 2) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		struct snapshot snapshot = { .window_s = 1 }, *tree;
		uint64_t samples;

		query.filter.count = 0;
		tree_fold_fixture_add_part(filters[i].field, filters[i].name,
					   filters[i].is_negated);
		query.tree_limit_pct = -1;
		tree = tree_fold_fixture_build(entries, 2);
		snapshot.stack_samples = make(entries, 2, NULL, 0);
		samples = snapshot.stack_samples->load.now.samples;
		assert_int_equal(samples, tree->tree.samples);
		assert_int_equal(snapshot.stack_samples->frame_count, filters[i].frames);
		snapshot_destroy(tree);
		write_profile(&snapshot);
		assert_string_equal(path_of(profile.samples[0]), filters[i].path);
		forget();
	}
}

static void test_deep_stacks_are_whole(void **state)
{
	uint32_t frames[DEPTH];
	struct slice_entry entry = { .task = fixture_task(&model, 7, 7, "a"), .count = 1 };
	struct snapshot snapshot = { .window_s = 1 };
	uint64_t locations[DEPTH];

	(void)state;
	for (uint32_t i = 0; i < DEPTH; i++)
		frames[i] = fixture_frame(&model, FN_F, 8);
	entry.stack = fixture_stack(&model, frames, DEPTH);
	snapshot.stack_samples = make(&entry, 1, NULL, 0);
	write_profile(&snapshot);
	assert_int_equal(packed_in(profile.samples[0], 1, locations, DEPTH), DEPTH);
	assert_int_equal(profile.function_count, 1);
	forget();
}

static void test_many_stacks_are_all_there(void **state)
{
	struct slice_entry *entries = calloc(STACKS_MANY, sizeof(*entries));
	const uint32_t task = fixture_task(&model, 7, 7, "a");
	struct snapshot snapshot = { .window_s = 1 };

	(void)state;
	assert_non_null(entries);
	for (uint32_t i = 0; i < STACKS_MANY; i++) {
		const uint32_t frames[] = {
			fixture_frame(&model, FN_G, i % 100),
			fixture_frame(&model, FN_F, i / 100 % 100),
			fixture_frame(&model, FN_MAIN, i / 10000),
		};

		entries[i] = (struct slice_entry){ .task = task, .count = 1, .weight = 1,
						   .stack = fixture_stack(&model, frames, 3) };
	}
	snapshot.stack_samples = make(entries, STACKS_MANY, NULL, 0);
	write_profile(&snapshot);
	assert_int_equal(profile.sample_count, STACKS_MANY);
	assert_int_equal(profile.function_count, 3);
	forget();
	free(entries);
}

/* take_string() looks at each text. */
static void test_hostile_texts_are_clean(void **state)
{
	static const char hostile[] = "a\nb\x1b[2J\xe2\x80\xae\xff</script>";
	const uint32_t dso = fixture_dso(&model, "/tmp/\n\x1b]0;x\x07.so", DSO_NO_TABLE);
	const uint32_t frames[] = { stack_trie_frame(&model.trie, dso, 0x10),
				    fixture_frame(&model, FN_MAIN, 0) };
	const struct slice_entry entry = {
		.task = fixture_task_in(&model, 7, 7, hostile, "/\n\xe2\x80\xae"), .count = 1,
		.stack = fixture_stack(&model, frames, 2), .weight = 1 };
	struct snapshot snapshot = { .window_s = 1 };

	(void)state;
	snapshot.stack_samples = make(&entry, 1, NULL, 0);
	write_profile(&snapshot);
	assert_non_null(strstr(label_of(profile.samples[0], "comm"), "\\x0ab"));
	forget();
}

UNIT_TESTS(test_pprof)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_sample_has_its_stack_values_and_labels),
		TEST(test_inlined_functions_are_lines_innermost_first),
		TEST(test_the_baseline_is_negative),
		TEST(test_kernel_and_unknown_code),
		TEST(test_filters_are_those_of_a_tree),
		TEST(test_deep_stacks_are_whole),
		TEST(test_many_stacks_are_all_there),
		TEST(test_hostile_texts_are_clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
