/* listing_fixture.c - see listing_fixture.h. */
#include "listing_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char code_texts[] =
	"push   %rbx\0"
	"mov    (%rdi),%rax\0"
	"test   %rax,%rax\0"
	"je\0"
	"cmp    %rsi,0x8(%rax)\0"
	"jmp\0"
	"nopl   0x0(%rax)\0"
	"call\0"
	"ret\0"
	"mov    $0xffffffff,%eax\0"
	"mov    (%rax),%rax";

enum code_text { PUSH = 0, MOV = 12, TEST = 31, JE = 48, CMP = 51, JMP = 73, NOPL = 77, CALL = 94,
		 RET = 99, MOV_1 = 103, NEXT = 127 };

static const struct code_row code[] = {
	{ 0x1000, 0, PUSH, 1, CODE_PLAIN, 0, 0 },
	{ 0x1001, 0, MOV, 3, CODE_PLAIN, 0, 0 },
	{ 0x1004, 0, TEST, 3, CODE_PLAIN, CODE_FUSES, 0 },
	{ 0x1007, 0x101e, JE, 2, CODE_BRANCH, CODE_HAS_TARGET, 0 },
	{ 0x1009, 0, CMP, 4, CODE_PLAIN, CODE_FUSES, 0 },
	{ 0x100d, 0x1018, JE, 2, CODE_BRANCH, CODE_HAS_TARGET, 0 },
	{ 0x100f, 0, NEXT, 3, CODE_PLAIN, 0, 0 },
	{ 0x1012, 0x1004, JMP, 2, CODE_JUMP, CODE_HAS_TARGET, 0 },
	{ 0x1014, 0, NOPL, 4, CODE_PADDING, 0, 0 },
	{ 0x1018, 0x3000, CALL, 5, CODE_CALL, CODE_HAS_TARGET, 0 },
	{ 0x101d, 0, RET, 1, CODE_RETURN, 0, 0 },
	{ 0x101e, 0, MOV_1, 5, CODE_PLAIN, 0, 0 },
	{ 0x1023, 0, RET, 1, CODE_RETURN, 0, 0 },
	{ 0x2000, 0x3108, CALL, 5, CODE_CALL, CODE_HAS_TARGET, 0 },
};

static const char line_texts[] = "\0search\0match\0/src/dyn.c\0/src/dyn.h";

enum line_text { SEARCH = 1, MATCH = 8, DYN_C = 14, DYN_H = 25 };

static const struct line_file files[] = { { .path = DYN_C }, { .path = DYN_H } };

/* Frames of the ranges, one for each line of search(), and two for match() inlined on line 15. */
static const struct line_range_frame frames[] = {
	{ SEARCH, 0, 10, 0, 10 }, { SEARCH, 0, 12, 0, 10 }, { SEARCH, 0, 14, 0, 10 },
	{ MATCH, 1, 4, 1, 3 }, { SEARCH, 0, 15, 0, 10 },
	{ SEARCH, 0, 16, 0, 10 }, { SEARCH, 0, 17, 0, 10 }, { SEARCH, 0, 19, 0, 10 },
	{ SEARCH, 0, 20, 0, 10 },
};

static const struct line_range ranges[] = {
	{ 0x1000, 0x1001, 0, 1, LINE_IS_STATEMENT, 0 },
	{ 0x1001, 0x1004, 1, 1, LINE_IS_STATEMENT, 0 },
	{ 0x1004, 0x1009, 2, 1, LINE_IS_STATEMENT, 0 },
	{ 0x1009, 0x100f, 3, 2, LINE_IS_STATEMENT, 0 },
	{ 0x100f, 0x1012, 6, 1, LINE_IS_STATEMENT, 0 },
	{ 0x1012, 0x1018, 2, 1, 0, 0 },
	{ 0x1018, 0x101e, 5, 1, LINE_IS_STATEMENT, 0 },
	{ 0x101e, 0x1023, 7, 1, LINE_IS_STATEMENT, 0 },
	{ 0x1023, 0x1024, 8, 1, LINE_IS_STATEMENT, 0 },
	{ 0x2000, 0x2005, 5, 1, 0, 0 },
};

static const struct line_statement statements[] = {
	{ 0x1000, 0, 10, 0, LINE_IS_DECLARATION | LINE_IS_MARKED },
	{ 0x1001, 0, 12, 1, LINE_IS_MARKED }, { 0x1004, 0, 14, 2, LINE_IS_MARKED },
	{ 0x1009, 0, 15, 4, LINE_IS_CALL | LINE_IS_MARKED }, { 0x1009, 1, 4, 3, LINE_IS_MARKED },
	{ 0x100f, 0, 17, 6, LINE_IS_MARKED }, { 0x1018, 0, 16, 5, LINE_IS_MARKED },
	{ 0x101e, 0, 19, 7, LINE_IS_MARKED }, { 0x1023, 0, 20, 8, 0 },
};

static const struct listing_address addresses[] = {
	{ .address = 0x1001, .now = { { 2, 2 } }, .base = { { 8, 8 } } },
	{ .address = 0x1004, .now = { { 10, 10 }, { 4, 4 } } },
	{ .address = 0x1007, .now = { { 5, 5 } } },
	{ .address = 0x1009, .now = { { 40, 40 }, { 2, 2 } }, .base = { { 2, 2 } } },
	{ .address = 0x100d, .now = { { 3, 3 } } },
	{ .address = 0x100f, .now = { { 30, 30 }, { 1, 1 } } },
	{ .address = 0x1018, .now = { { 4, 4 } } },
	{ .address = 0x2000, .now = { { 1, 1 } } },
};

static const struct listing_target targets[] = {
	{ 0x3000, 0, "value_of" }, { 0x3108, 8, "abort" },
};

static const struct listing_callee callees[] = {
	{ 0x101d, 70, 70, "value_of", 1, 0x3000 }, { 0x101d, 2, 2, "malloc", 2, 0x99 },
};

static const char dyn_c[] =
	"\n\n\n\n\n\n\n\n\n"
	"long search(struct table *t,\n"
	"\t    long key)\n"
	"{\tstruct entry *e = t->first;\n"
	"\n"
	"\twhile (e) {\n"
	"\t\tif (match(e, key))\n"
	"\t\t\treturn value_of(e);\n"
	"\t\te = e->next;\n"
	"\t}\n"
	"\treturn -1;\n"
	"}\n";

static const char dyn_h[] = "\n\nstatic inline bool match(...)\n\treturn e->key == key;\n}\n";

#define COUNT_OF(list) ((uint32_t)(sizeof(list) / sizeof((list)[0])))

static void read_sources(struct listing_fixture *fixture)
{
	struct diag why;

	assert_int_equal(source_file_create(&fixture->sources[0].file, dyn_c, strlen(dyn_c),
					    "/src/dyn.c", &why), 0);
	assert_int_equal(source_file_create(&fixture->sources[1].file, dyn_h, strlen(dyn_h),
					    "/src/dyn.h", &why), 0);
}

static void fill_document(struct listing_fixture *fixture)
{
	struct listing_document *document = &fixture->document;

	fixture->code_header.row_count = COUNT_OF(code);
	fixture->line_header.range_count = COUNT_OF(ranges);
	fixture->line_header.statement_count = COUNT_OF(statements);
	fixture->line_header.frame_count = COUNT_OF(frames);
	fixture->line_header.file_count = COUNT_OF(files);
	atomic_init(&document->references, 1);
	document->is_final = document->has_code = document->has_lines = true;
	document->code = (struct code_rows){ &fixture->code_header, code, code_texts };
	document->lines = (struct line_ranges){ &fixture->line_header, ranges, statements, frames,
						files, line_texts };
	document->sources = fixture->sources;
	strcpy(document->note, "bytes of the mapped file");
}

void listing_fixture_init(struct listing_fixture *fixture, enum listing_layer layer)
{
	struct listing *listing = &fixture->listing;
	const struct listing_options options = { .layer = layer };

	memset(fixture, 0, sizeof(*fixture));
	read_sources(fixture);
	fill_document(fixture);
	listing->document = &fixture->document;
	listing->state = LISTING_READY;
	listing->function = (struct listing_function){
		.dso = 1, .section_count = 2,
		.sections = { { 0x1000, 0x1024 }, { 0x2000, 0x2005 } },
	};
	listing->symbol = listing->raw_symbol = "search";
	listing->dso = "libdyn.so";
	listing->dso_path = "/usr/lib/libdyn.so";
	listing->reason = listing->others = "";
	listing->event_count = 2;
	listing->events[0] = "cpu-clock";
	listing->events[1] = "page-faults";
	listing->addresses = addresses;
	listing->address_count = COUNT_OF(addresses);
	listing->targets = targets;
	listing->target_count = COUNT_OF(targets);
	listing->callees = callees;
	listing->callee_count = COUNT_OF(callees);
	for (uint32_t i = 0; i < listing->address_count; i++)
		for (uint32_t event = 0; event < 2; event++) {
			load_add(&listing->now[event], &addresses[i].now[event]);
			load_add(&listing->base[event], &addresses[i].base[event]);
		}
	listing_fixture_build(fixture, &options);
}

void listing_fixture_build(struct listing_fixture *fixture, const struct listing_options *options)
{
	listing_rows_finish(&fixture->rows);
	assert_int_equal(listing_rows_build(&fixture->rows, &fixture->listing, options), 0);
}

void listing_fixture_finish(struct listing_fixture *fixture)
{
	listing_rows_finish(&fixture->rows);
	for (int i = 0; i < 2; i++)
		source_file_destroy(fixture->sources[i].file);
}

uint32_t listing_fixture_row(const struct listing_fixture *fixture, const char *text)
{
	char found[256];

	for (uint32_t i = 0; i < fixture->rows.count; i++) {
		listing_rows_text(&fixture->rows, i, false, found, sizeof(found));
		if (!strcmp(found, text))
			return i;
	}
	fail_msg("no row \"%s\"", text);
	return UINT32_MAX;
}
