/* Listings of this very program: their documents come from a real worker, part by part, once. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/listing_builder.h"
#include "elf/file_jobs.h"
#include "elf/flat_builder.h"
#include "ingest_fixture.h"
#include "listing/listing_rows.h"
#include "unit_tests.h"

static struct sandbox *sandbox;
static struct code_reader *code;
static struct listing_server *server;
static struct ingest_fixture feed;
static struct listing_builder builder;
static struct query query;
static void *table_bytes;
static uint32_t own_dso;

static __attribute__((noinline)) int first(int number)
{
	for (int i = 0; i < number; i++)
		__asm__ volatile("" : : "r"(i));	/* the loop of first() */
	return number;
}

static __attribute__((noinline)) int second(int number)
{
	return first(number) + 2;
}

/* Adds the mapping of this program's code, with both functions in its table. */
static void map_own_text(void)
{
	unsigned long start, end, offset;
	char line[512], path[256] = "";
	FILE *maps = fopen("/proc/self/maps", "re");
	struct flat_builder *names = flat_builder_create();
	struct flat_table table;
	struct stat status;
	struct dso *dso;
	struct diag why;
	size_t bytes;
	bool is_found = false;

	while (!is_found && fgets(line, sizeof(line), maps))
		is_found = sscanf(line, "%lx-%lx %*s %lx %*s %*s %255s", &start, &end, &offset,
				  path) == 4 &&
			   (uintptr_t)first >= start && (uintptr_t)first < end;
	fclose(maps);
	assert_true(is_found);
	feed_mmap(&feed, 1, (uint32_t)getpid(), start, end - start, offset, path);
	feed_round(&feed, 2);
	dso = feed_dso(&feed, path);
	own_dso = (uint32_t)(dso - feed.ingest.dsos.dsos);
	assert_int_equal(stat(path, &status), 0);
	dso->device = status.st_dev;
	dso->inode = status.st_ino;
	flat_builder_add(names, (uintptr_t)first - start + offset, 256, "first", NULL, 0);
	flat_builder_add(names, (uintptr_t)second - start + offset, 16, "second", NULL, 0);
	assert_int_equal(flat_builder_finish(names, 1, &table_bytes, &bytes), 0);
	flat_builder_destroy(names);
	assert_int_equal(flat_table_check(&table, table_bytes, bytes, &why), 0);
	dso_table_set_ready(&feed.ingest.dsos, own_dso, &table, &table.header->build_id);
}

static int set_up(void **state)
{
	const struct ingest_config config = { .is_replay = false };
	struct diag why;

	(void)state;
	assert_int_equal(sandbox_start(&sandbox, worker_run, &why), 0);
	assert_int_equal(code_reader_create(&code, sandbox, -1, &why), 0);
	assert_int_equal(listing_server_create(&server, sandbox, code, NULL, &why), 0);
	feed_init(&feed, &config, NULL);
	map_own_text();
	listing_builder_init(&builder, server, &feed.ingest);
	query = (struct query){ .keys = KEY_DSO | KEY_SYMBOL };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	listing_builder_finish(&builder);
	assert_true(listing_server_destroy(server));
	code_reader_destroy(code);
	sandbox_stop(sandbox);
	feed_finish(&feed);
	free(table_bytes);
	return 0;
}

static const char *event_name(const void *owner, uint32_t event)
{
	(void)owner;
	(void)event;
	return "cpu-clock";
}

static struct listing *list(const char *name)
{
	struct ingest *ingest = &feed.ingest;
	struct listing_sources sources = { .query = &query, .event_count = 1,
					   .event_name = event_name };
	struct listing_function function;
	struct listing_fold fold;
	struct listing *listing = NULL;
	struct fold rows;

	strcpy(query.listing_name, name);
	fold_init(&rows, &ingest->trie, &ingest->names, &ingest->tasks, query.keys, 0,
		  &query.filter);
	sources.rows = &rows;
	assert_true(listing_builder_begin(&builder, &sources, &function, &fold, &listing));
	listing_fold_sort(&fold);
	listing = listing_builder_make(&builder, &sources, &fold);
	listing_fold_finish(&fold);
	fold_finish(&rows);
	assert_non_null(listing);
	return listing;
}

/* Takes all versions of the document that was requested; returns how many came. */
static int take_all(void)
{
	struct pollfd wait = { .fd = listing_server_fd(server), .events = POLLIN };
	int versions = 0;

	while (listing_builder_is_pending(&builder)) {
		assert_int_equal(poll(&wait, 1, 60000), 1);
		versions += listing_builder_take(&builder);
	}
	return versions;
}

static void test_a_listing_is_loading_until_its_code_came(void **state)
{
	struct listing *listing = list("first");

	(void)state;
	assert_int_equal(listing->state, LISTING_LOADING);
	assert_string_equal(listing->reason, "reading its code…");
	assert_true(listing_builder_is_pending(&builder));
	listing_destroy(listing);
	take_all();
}

static void test_the_document_has_instructions_lines_and_text(void **state)
{
	const struct listing_options options = { .layer = LISTING_SOURCE };
	struct listing_rows rows;
	struct listing *listing;
	bool is_found = false;
	char text[256];

	(void)state;
	listing_destroy(list("first"));
	assert_in_range(take_all(), 1, 3);	/* a newer version replaces an older one */
	listing = list("first");
	assert_int_equal(listing->state, LISTING_READY);
	assert_true(listing->document->is_final && listing->document->has_code);
	assert_true(listing->document->has_lines);
	assert_int_equal(listing_rows_build(&rows, listing, &options), 0);
	assert_int_equal(rows.layer, LISTING_SOURCE);
	for (uint32_t i = 0; i < rows.count; i++) {
		listing_rows_text(&rows, i, false, text, sizeof(text));
		is_found |= strstr(text, "the loop of first()") != NULL;
	}
	assert_true(is_found);
	listing_rows_finish(&rows);
	listing_destroy(listing);
}

static void test_a_document_is_made_once(void **state)
{
	struct listing *listing;

	(void)state;
	listing_destroy(list("first"));
	take_all();
	listing_destroy(list("second"));
	assert_true(listing_builder_is_pending(&builder));
	take_all();
	listing_builder_close(&builder);
	listing = list("first");
	assert_int_equal(listing->state, LISTING_READY);
	assert_true(listing->document->has_lines);
	assert_false(listing_builder_is_pending(&builder));
	listing_destroy(listing);
}

/* The document of first() may be incomplete when second() is wanted. */
static void test_an_incomplete_document_is_completed_later(void **state)
{
	struct listing *listing;

	(void)state;
	listing_destroy(list("first"));
	listing_destroy(list("second"));
	take_all();
	listing_destroy(list("first"));
	take_all();
	listing = list("first");
	assert_int_equal(listing->state, LISTING_READY);
	assert_true(listing->document->is_final && listing->document->has_lines);
	listing_destroy(listing);
}

static void test_a_snapshot_that_waits_gets_its_document(void **state)
{
	struct listing *listing = list("second");

	(void)state;
	take_all();
	assert_null(listing->document);
	listing_builder_complete(&builder, listing);
	assert_int_equal(listing->state, LISTING_READY);
	assert_string_equal(listing->symbol, "second");
	assert_non_null(listing->document);
	listing_destroy(listing);
	(void)second(1);
}

/* Returns a document of another function that needs @bytes. */
static struct listing_document *make_large(uint64_t begin, size_t bytes)
{
	struct listing_document *document = calloc(1, sizeof(*document));

	atomic_init(&document->references, 1);
	document->function.section_count = 1;
	document->function.sections[0] = (struct listing_section){ begin, begin + 1 };
	document->own_lines_bytes = bytes;
	return document;
}

static void test_large_documents_are_dropped(void **state)
{
	(void)state;
	builder.documents[0] = make_large(1, LISTINGS_BYTES_MAX / 2);
	builder.documents[1] = make_large(2, LISTINGS_BYTES_MAX);
	builder.documents[2] = make_large(3, 1);
	listing_destroy(list("first"));
	take_all();
	assert_non_null(builder.documents[1]);
	assert_int_equal(builder.documents[1]->function.sections[0].begin, 1);
	assert_null(builder.documents[2]);
	assert_null(builder.documents[3]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_listing_documents)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_listing_is_loading_until_its_code_came),
		TEST(test_the_document_has_instructions_lines_and_text),
		TEST(test_a_document_is_made_once),
		TEST(test_an_incomplete_document_is_completed_later),
		TEST(test_a_snapshot_that_waits_gets_its_document),
		TEST(test_large_documents_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
