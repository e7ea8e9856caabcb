/* model_fixture.c - see model_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf/flat_builder.h"
#include "model_fixture.h"

static const char *const app_names[FN_COUNT] = { "main", "f", "g", "h", "leaf" };

static struct flat_table build(struct flat_builder *builder, void **bytes)
{
	struct flat_table table;
	struct diag why;
	size_t count;

	assert_int_equal(flat_builder_finish(builder, 1, bytes, &count), 0);
	assert_int_equal(flat_table_check(&table, *bytes, count, &why), 0);
	flat_builder_destroy(builder);
	return table;
}

static void set_ready(struct model_fixture *fixture, uint32_t dso, struct flat_builder *builder,
		      void **bytes)
{
	const struct flat_table table = build(builder, bytes);

	dso_table_set_ready(&fixture->dsos, dso, &table, &table.header->build_id);
}

static void add(struct flat_builder *builder, uint64_t start, const char *name, const char *module)
{
	assert_int_equal(flat_builder_add(builder, start, 0x100, name, module, 0), 0);
}

void fixture_init(struct model_fixture *fixture)
{
	static const struct build_id id = { .bytes = { 0xab, 0xcd }, .count = 2 };
	struct flat_builder *app = flat_builder_create(), *kernel = flat_builder_create();

	memset(fixture, 0, sizeof(*fixture));
	fixture->strings = strpool_create();
	assert_non_null(fixture->strings);
	assert_int_equal(dso_table_init(&fixture->dsos, fixture->strings), 0);
	assert_int_equal(stack_trie_init(&fixture->trie), 0);
	task_table_init(&fixture->tasks, fixture->strings);
	symbol_names_init(&fixture->names, &fixture->dsos, fixture->strings);

	flat_builder_set_build_id(app, &id);
	for (unsigned int i = 0; i < FN_COUNT; i++)
		add(app, FIXTURE_APP_ADDRESS(i), app_names[i], NULL);
	add(kernel, FIXTURE_SYSCALL_ADDRESS, "do_syscall_64", NULL);
	add(kernel, FIXTURE_IDLE_ADDRESS, "default_idle", NULL);
	add(kernel, FIXTURE_EXT4_ADDRESS, "ext4_read", "ext4");
	fixture->app = fixture_dso(fixture, "/bin/app", DSO_LOADING);
	set_ready(fixture, fixture->app, app, &fixture->tables[0]);
	set_ready(fixture, DSO_KERNEL, kernel, &fixture->tables[1]);
}

void fixture_finish(struct model_fixture *fixture)
{
	symbol_names_finish(&fixture->names);
	stack_trie_finish(&fixture->trie);
	task_table_finish(&fixture->tasks);
	dso_table_finish(&fixture->dsos);
	strpool_destroy(fixture->strings);
	free(fixture->tables[0]);
	free(fixture->tables[1]);
}

uint32_t fixture_dso(struct model_fixture *fixture, const char *path, enum dso_state state)
{
	const struct dso_key key = { .path = path, .path_len = strlen(path), .mode = MODE_USER };
	bool is_new;
	const uint32_t dso = dso_table_intern(&fixture->dsos, &key, &is_new);

	fixture->dsos.dsos[dso].state = state;
	return dso;
}

uint32_t fixture_frame(struct model_fixture *fixture, enum fixture_function function,
		       uint32_t offset)
{
	return stack_trie_frame(&fixture->trie, fixture->app,
				FIXTURE_APP_ADDRESS(function) + offset);
}

uint32_t fixture_kernel_frame(struct model_fixture *fixture, uint64_t address)
{
	return stack_trie_frame(&fixture->trie, DSO_KERNEL, address);
}

uint32_t fixture_stack(struct model_fixture *fixture, const uint32_t *frames, uint32_t count)
{
	uint32_t node = STACK_NODE_ROOT;

	for (uint32_t i = count - 1; i > 0; i--)
		node = stack_trie_child(&fixture->trie, node, frames[i]);
	return stack_trie_stack(&fixture->trie, node, frames[0]);
}

uint32_t fixture_calls(struct model_fixture *fixture, const enum fixture_function *functions,
		       uint32_t count)
{
	uint32_t frames[64];

	assert_true(count <= 64);
	for (uint32_t i = 0; i < count; i++)
		frames[i] = fixture_frame(fixture, functions[i], 0);
	return fixture_stack(fixture, frames, count);
}

uint32_t fixture_task(struct model_fixture *fixture, uint32_t pid, uint32_t tid, const char *comm)
{
	task_table_set_comm(&fixture->tasks, pid, tid, comm, strlen(comm), false);
	return task_table_task(&fixture->tasks, task_table_thread(&fixture->tasks, pid, tid));
}

uint32_t fixture_task_in(struct model_fixture *fixture, uint32_t pid, uint32_t tid,
			 const char *comm, const char *path)
{
	struct task_table *tasks = &fixture->tasks;
	struct process *process = task_table_process(tasks, pid);

	process->cgroup = cgroup_table_intern(&tasks->cgroups, path, strlen(path));
	thread_set_cgroup(task_table_thread(tasks, pid, tid), process->cgroup, false);
	return fixture_task(fixture, pid, tid, comm);
}

const struct filter fixture_no_filter;

struct fold fixture_fold_filtered(struct model_fixture *fixture, unsigned int keys,
				  const struct filter *filter, const struct slice_entry *entries,
				  uint32_t count)
{
	struct fold fold;

	fold_init(&fold, &fixture->trie, &fixture->names, &fixture->tasks, keys, 0, filter);
	fold_add(&fold, entries, count, 1.0);
	assert_false(fold.is_out_of_memory);
	return fold;
}

struct fold fixture_fold(struct model_fixture *fixture, unsigned int keys,
			 const struct slice_entry *entries, uint32_t count)
{
	return fixture_fold_filtered(fixture, keys, &fixture_no_filter, entries, count);
}

const struct fold_row *fixture_row(const struct fold *fold, const char *symbol, bool is_idle)
{
	for (uint32_t i = 0; i < fold->row_count; i++) {
		const struct symbol *found = &fold->names->symbols[fold->rows[i].symbol];

		if (!strcmp(strpool_get(fold->names->strings, found->name), symbol) &&
		    fold->rows[i].is_idle == is_idle)
			return &fold->rows[i];
	}
	return NULL;
}
