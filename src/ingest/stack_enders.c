/* stack_enders.c - see ingest/stack_enders.h.
 *
 * Sources of the options: java(1), node(1), the documentation of Python ("perf profiling"), .NET
 * ("debugging and profiling settings"), Erlang (erl(1), +JPperf) and QEMU (-perfmap).
 */
#include "ingest/stack_enders.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/sanitize.h"
#include "ingest/ingest.h"

/* A process may load the library of its run-time system after its first samples. */
#define EARLY_STACKS 64

/* Run-time systems by the beginning of the name of a file that their processes map. A remedy ""
 * says that nothing helps. */
static const struct run_time {
	const char *file;
	const char *no_map, *no_rows;	/* remedies for STACK_END_NO_MAP and STACK_END_RUN_TIME */
} run_times[] = {
	{ "libjvm.so",
	  "java -XX:+PreserveFramePointer; names come from jcmd PID Compiler.perfmap",
	  "java -XX:+PreserveFramePointer" },
	{ "libcoreclr.so", "DOTNET_PerfMapEnabled=1 in its environment",
	  "DOTNET_PerfMapEnabled=1 in its environment" },
	{ "node", "node --perf-basic-prof", "node --interpreted-frames-native-stack" },
	{ "libnode.so", "node --perf-basic-prof", "node --interpreted-frames-native-stack" },
	{ "beam.smp", "erl +JPperf true", "erl +JPperf true" },
	{ "libluajit", "luajit -joff, which compiles nothing", "luajit -joff" },
	{ "luajit", "luajit -joff, which compiles nothing", "luajit -joff" },
	{ "qemu-", "names come from its option -perfmap (QEMU 8.0); callers stay unknown", "" },
	{ "python3", "python -X perf (3.12 and later)", "python -X perf (3.12 and later)" },
	{ "libpython3", "python -X perf (3.12 and later)", "python -X perf (3.12 and later)" },
};

/* Whether @name is @file or a version of it: "python3.11" for "python3", not "node_exporter" for
 * "node". */
static bool begins_with_file(const char *name, const char *file)
{
	const size_t len = strlen(file);

	return !strncmp(name, file, len) &&
	       (file[len - 1] == '-' || !isalpha((unsigned char)name[len])) && name[len] != '_';
}

static const struct run_time *run_time_of_file(const char *name)
{
	for (size_t i = 0; i < sizeof(run_times) / sizeof(run_times[0]); i++)
		if (begins_with_file(name, run_times[i].file))
			return &run_times[i];
	return NULL;
}

/* The run-time system of a process. If it has mapped several, embedded or as Python libraries, the
 * first of the list. */
static const struct run_time *find_run_time(const struct ingest *ingest,
					    const struct address_map *maps)
{
	const struct run_time *found = NULL, *next;

	for (uint32_t i = 0; maps && i < maps->count; i++) {
		const struct object *object = &ingest->objects.objects[maps->rows[i].object];

		next = run_time_of_file(strpool_get(ingest->strings, object->name));
		if (next && (!found || next < found))
			found = next;
	}
	return found;
}

static const char *find_remedy(const struct ingest *ingest, const struct address_map *maps,
			       enum stack_fault fault)
{
	const struct run_time *run_time;

	if (fault != STACK_END_NO_MAP && fault != STACK_END_RUN_TIME)
		return NULL;
	run_time = find_run_time(ingest, maps);
	if (!run_time)
		return NULL;
	return fault == STACK_END_NO_MAP ? run_time->no_map : run_time->no_rows;
}

static void copy_text(char out[ENDER_TEXT_BYTES], const char *text)
{
	sanitize_text(out, ENDER_TEXT_BYTES, text, strlen(text));
}

/* Sets the program's name: its file is mapped below its libraries. */
static void name_program(const struct ingest *ingest, const struct address_map *maps,
			 struct stack_ender *out)
{
	for (uint32_t i = 0; maps && i < maps->count; i++) {
		const struct mapping *row = &maps->rows[i];
		const struct object *object = &ingest->objects.objects[row->object];

		if (!row->is_absolute && strpool_get(ingest->strings, object->path)[0] == '/') {
			copy_text(out->program, strpool_get(ingest->strings, object->name));
			return;
		}
	}
}

/* Takes one from the count of each row, and returns a row whose count is 0 now. NULL: none is. */
static struct stack_ender *make_room(struct stack_ender *rows)
{
	struct stack_ender *free_row = NULL;

	for (size_t i = 0; i < STACK_ENDERS; i++)
		if (!--rows[i].count)
			free_row = &rows[i];
	return free_row;
}

/* Returns the row of @ender, or a free one that the caller fills in (*@is_new). NULL: no row is
 * free. */
static struct stack_ender *find_row(struct stack_ender *rows, const struct stack_ender *ender,
				    bool *is_new)
{
	struct stack_ender *free_row = NULL;

	*is_new = false;
	for (size_t i = 0; i < STACK_ENDERS; i++) {
		if (!rows[i].count)
			free_row = &rows[i];
		else if (rows[i].pid == ender->pid && !strcmp(rows[i].file, ender->file) &&
			 !strcmp(rows[i].program, ender->program))
			return &rows[i];
	}
	*is_new = true;
	return free_row ? free_row : make_room(rows);
}

void stack_enders_add(struct ingest *ingest, enum stack_fault fault, uint32_t pid,
		      const struct address_map *maps, uint32_t object)
{
	struct stack_enders *enders = &ingest->stack_enders;
	struct stack_ender ender = { .pid = pid }, *row;
	bool is_new;

	if (fault == STACK_END_NONE)
		return;
	enders->total[fault]++;
	name_program(ingest, maps, &ender);
	if (fault == STACK_END_FILE)
		copy_text(ender.file, strpool_get(ingest->strings,
						  ingest->objects.objects[object].name));
	row = find_row(enders->rows[fault], &ender, &is_new);
	if (!row)
		return;
	if (is_new)
		*row = ender;
	if (is_new || (!row->remedy && row->count < EARLY_STACKS))
		row->remedy = find_remedy(ingest, maps, fault);
	row->count++;
}

const struct stack_ender *stack_enders_main(const struct stack_enders *enders,
					    enum stack_fault fault)
{
	for (size_t i = 0; i < STACK_ENDERS; i++) {
		const struct stack_ender *row = &enders->rows[fault][i];

		if (row->count > enders->total[fault] / 2 && row->program[0])
			return row;
	}
	return NULL;
}
