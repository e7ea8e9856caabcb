/* jit.c - names of run-time code: which processes have such code, when to read its names.
 *
 * Problem: an address in anonymous memory is different code in each process, the process writes its
 * names later and for as long as it lives, and there may be thousands of such processes.
 *
 * Idea: a process has one `struct jit_code` from its first mapping of such memory to its exec or
 * end, and the DSOs of that memory belong to it. If a sample hits that memory, the process's
 * files are read soon after the first such mapping, then at most once a second, and once more at
 * its end. A file that did not grow costs a look at its size. When no process has that memory
 * mapped any more, its frames get their final names and the table is freed.
 *
 * A child has the code that its parent had made before the fork, and shares its names.
 */
#include "jit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "requests.h"

#define FIRST_WAIT_NS (50 * CLOCK_NS_PER_MS)	/* the file may come after the memory */
#define WAIT_NS	      (CLOCK_NS_PER_S)
#define COST_SHARE    20	/* at most a 20th of the time goes into one process's files */
#define SWEEP_NS      (CLOCK_NS_PER_S)

struct jit_code {
	uint32_t number;	/* never used again; 0: the row is free */
	uint32_t pid;
	struct open_request *dump;	/* owned; the mapping of its jitdump, NULL: none seen */
	struct flat_table table;
	struct unwind_table unwind;
	uint64_t unwind_base;	/* the address that the unwind rows count from */
	bool has_table;		/* table, unwind and unwind_base are valid */
	bool is_read;		/* its files were looked at once, whatever came of it */
	bool is_awaited;	/* a stack went through it before is_read */
	bool has_maker;		/* its DSOs know which program made it */
	bool is_wanted;		/* a sample hit its memory since the last request */
	bool is_asked;
	bool is_ended;
	bool is_mapped, is_gone;	/* set and used by the sweep */
	uint64_t due_ns;	/* earliest time of the next read */
	uint64_t wait_ns;	/* interval between two reads */
};

static struct jit_code *code_of(struct ingest *ingest, uint32_t id)
{
	return &ingest->jit->codes[id - 1];
}

/* Returns the id of a free row; 0: out of memory. */
static uint32_t new_code(struct jit *jit)
{
	for (uint32_t i = 0; i < jit->count; i++)
		if (!jit->codes[i].number)
			return i + 1;
	if (jit->count == jit->capacity) {
		uint32_t capacity = jit->capacity ? jit->capacity * 2 : 16;
		struct jit_code *bigger = realloc(jit->codes, capacity * sizeof(*bigger));

		if (!bigger)
			return 0;
		jit->codes = bigger;
		jit->capacity = capacity;
	}
	return ++jit->count;
}

static uint32_t code_of_process(struct ingest *ingest, struct process *process)
{
	uint32_t id = process->code;

	if (id)
		return id;
	id = new_code(ingest->jit);
	if (!id)
		return 0;
	*code_of(ingest, id) = (struct jit_code){
		.number = ++ingest->jit->last_number, .pid = process->pid, .is_wanted = true,
		.wait_ns = FIRST_WAIT_NS,
	};
	process->code = id;
	return id;
}

uint64_t jit_place(struct ingest *ingest, struct process *process)
{
	const uint32_t id = code_of_process(ingest, process);

	return id ? code_of(ingest, id)->number : 0;
}

/* Gives the table of @code to @dso. Its frames keep their cached symbols for now. */
static void name_dso(struct ingest *ingest, uint32_t dso, const struct jit_code *code)
{
	const bool had_map = ingest->dsos.dsos[dso].is_run_time;

	if (!code->has_table ||
	    !dso_table_set_run_time(&ingest->dsos, dso, &code->table))
		return;
	ingest->has_new_names = true;
	if (!had_map)	/* the walker trusts frame pointers of code with a map */
		ingest->tables_epoch++;
}

void jit_add_dso(struct ingest *ingest, const struct process *process, uint32_t id, uint64_t bias)
{
	struct dso *dso = &ingest->dsos.dsos[id];

	if (!process->code)
		return;
	dso->code = process->code;
	dso->bias = bias;
	code_of(ingest, process->code)->has_maker = false;
	name_dso(ingest, id, code_of(ingest, process->code));
}

void jit_dso_failed(struct ingest *ingest, uint32_t id)
{
	const struct dso *dso = &ingest->dsos.dsos[id];

	if (dso->code)
		name_dso(ingest, id, code_of(ingest, dso->code));
}

void jit_add_dump(struct ingest *ingest, struct process *process,
		  const struct open_request *mapping)
{
	const uint32_t id = code_of_process(ingest, process);
	struct jit_code *code;

	if (!id)
		return;
	code = code_of(ingest, id);
	if (!code->dump)
		code->dump = malloc(sizeof(*code->dump));
	if (code->dump)
		*code->dump = *mapping;
	code->is_wanted = true;
}

/* The name of the program that @process runs: the kernel maps it below its libraries. Its comm is
 * shorter, and a thread may change it. 0: nothing is known. */
static struct str_id program_of(struct ingest *ingest, const struct process *process)
{
	const struct dso *dsos = ingest->dsos.dsos;
	const struct process_maps *maps = process->maps;
	const struct thread *first = task_table_find_thread(&ingest->tasks, process->pid);

	for (uint32_t i = 0; maps && i < maps->count; i++) {
		const struct mapping *row = &maps->rows[i];
		const struct dso *dso = &dsos[row->dso];

		if (!row->is_absolute && strpool_get(ingest->strings, dso->path)[0] == '/')
			return dso->name;
	}
	return first && first->has_comm ? strpool_intern_passing(ingest->strings, first->comm,
								 first->comm_len)
					: (struct str_id){ 0 };
}

/* Names the program that made the code, at the first sample: all its mappings are known then. */
static void name_maker(struct ingest *ingest, uint32_t id)
{
	struct jit_code *code = code_of(ingest, id);
	const struct process *process = task_table_find_process(&ingest->tasks, code->pid);
	struct dso *dsos = ingest->dsos.dsos;
	struct str_id maker;

	code->has_maker = true;
	if (!process || process->code != id)
		return;		/* it runs another program by now */
	maker = program_of(ingest, process);
	for (uint32_t i = 0; i < ingest->dsos.count; i++)
		if (dsos[i].code == id)
			dsos[i].maker = maker;
}

/* Requests names even if the address has one: it may be other code by now. */
void jit_note_sample(struct ingest *ingest, uint32_t code)
{
	code_of(ingest, code)->is_wanted = true;
	if (!code_of(ingest, code)->has_maker)
		name_maker(ingest, code);
}

const struct unwind_table *jit_find_unwind(const struct ingest *ingest, uint32_t code, uint64_t ip,
					   uint64_t *address)
{
	const struct jit_code *own = &ingest->jit->codes[code - 1];

	*address = ip - own->unwind_base;
	return own->has_table && *address <= UINT32_MAX ? &own->unwind : NULL;
}

bool jit_is_read(struct ingest *ingest, uint32_t code)
{
	struct jit_code *own = code_of(ingest, code);

	if (own->is_read || !ingest->opener || ingest->config.is_replay)
		return true;
	own->is_awaited = true;
	return false;
}

void jit_exit(struct ingest *ingest, const struct event_record *record)
{
	const struct process *process = record->pid == record->tid ?
		task_table_find_process(&ingest->tasks, record->pid) : NULL;

	if (!process || !process->code)
		return;
	code_of(ingest, process->code)->is_ended = true;
	code_of(ingest, process->code)->due_ns = 0;
}

void jit_request_later(struct ingest *ingest, uint32_t id)
{
	struct jit_code *code = code_of(ingest, id);

	code->is_asked = false;
	code->is_wanted = true;
	code->due_ns = clock_now_ns() + WAIT_NS;
}

static void ask(struct ingest *ingest, uint32_t id, enum jit_step step)
{
	struct jit_code *code = code_of(ingest, id);
	struct open_request request = { .dso = DSO_UNKNOWN };

	if (code->dump)
		request = *code->dump;
	request.jit = id;
	request.jit_step = step;
	request.pid = code->pid;
	code->is_wanted = false;
	code->is_asked = true;
	if (!requests_send(ingest, &request) && step != JIT_FORGET)
		jit_request_later(ingest, id);
}

static bool is_gone(struct ingest *ingest, uint32_t dso)
{
	const uint32_t code = ingest->dsos.dsos[dso].code;

	return code && code_of(ingest, code)->is_gone;
}

/* Frees the codes that are gone, after naming their frames, so that nothing refers to the tables.
 * One walk for all: there may be a million frames, and thousands of processes end in a second. */
static void forget_gone(struct ingest *ingest)
{
	const struct stack_frames *frames = &ingest->trie.frames;

	ingest->jit->forgotten++;
	for (uint32_t i = 0; i < frames->count; i++)
		if (is_gone(ingest, frames->dso[i]))
			symbol_names_of_frame(&ingest->names, &ingest->trie, i);
	for (uint32_t i = 0; i < ingest->dsos.count; i++) {
		struct dso *dso = &ingest->dsos.dsos[i];

		if (!is_gone(ingest, i))
			continue;
		dso->code = 0;
		if (!dso->is_run_time)
			continue;
		dso->state = DSO_NO_TABLE;
		dso->table = (struct flat_table){ .header = NULL };	/* the opener has it back */
	}
	for (uint32_t i = 0; i < ingest->jit->count; i++) {
		struct jit_code *code = &ingest->jit->codes[i];

		if (!code->is_gone)
			continue;
		ask(ingest, i + 1, JIT_FORGET);
		free(code->dump);
		*code = (struct jit_code){ .number = 0 };
	}
}

static void mark_mapped(struct ingest *ingest, const struct process_maps *map)
{
	for (uint32_t i = 0; map && i < map->count; i++) {
		const uint32_t id = ingest->dsos.dsos[map->rows[i].dso].code;

		if (id)
			code_of(ingest, id)->is_mapped = true;
	}
}

/* Memory is unmapped by exec and by the end of the last process that has it. */
static void sweep(struct ingest *ingest)
{
	struct jit *jit = ingest->jit;
	bool has_gone = false;

	for (uint32_t i = 0; i < jit->count; i++)
		jit->codes[i].is_mapped = false;
	for (uint32_t i = 0; i < ingest->tasks.process_count; i++) {
		const struct process *process = &ingest->tasks.processes[i];

		mark_mapped(ingest, process->maps);
		if (process->code)	/* a jitdump may come before the memory */
			code_of(ingest, process->code)->is_mapped = true;
	}
	for (uint32_t i = 0; i < jit->count; i++) {
		struct jit_code *code = &jit->codes[i];

		code->is_gone = code->number && !code->is_mapped && !code->is_asked;
		has_gone |= code->is_gone;
	}
	if (has_gone)
		forget_gone(ingest);
}

void jit_poll(struct ingest *ingest)
{
	struct jit *jit = ingest->jit;
	uint64_t now_ns;

	if (!jit->count || !ingest->opener || ingest->config.is_replay)
		return;
	now_ns = clock_now_ns();
	for (uint32_t i = 0; i < jit->count; i++) {
		const struct jit_code *code = &jit->codes[i];

		if (code->number && code->is_wanted && !code->is_asked && now_ns >= code->due_ns)
			ask(ingest, i + 1, code->is_ended ? JIT_LAST_LOOK : JIT_LOOK);
	}
	if (now_ns < jit->swept_ns + SWEEP_NS)
		return;
	jit->swept_ns = now_ns;
	sweep(ingest);
}

/* Shows the reason why a file was refused where its names are missing. Having none is usual. */
static void refuse(struct ingest *ingest, uint32_t id, const struct diag *why)
{
	const struct jit_code *code = code_of(ingest, id);
	bool has_changed = false;

	if (why->err == -ENOENT || code->has_table)
		return;
	for (uint32_t i = 0; i < ingest->dsos.count; i++) {
		const struct dso *dso = &ingest->dsos.dsos[i];

		if (dso->code != id || dso->state != DSO_NO_TABLE)
			continue;
		dso_table_set_unreadable(&ingest->dsos, i, why->text);
		has_changed = true;
	}
	if (!has_changed)
		return;
	symbol_names_forget_code(&ingest->names, &ingest->trie, id);
	ingest->has_new_names = true;
	log_note("process %u: %s", code->pid, why->text);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void jit_reply(struct ingest *ingest, const struct open_reply *reply)
{
	struct jit_code *code;

	if (reply->jit_step == JIT_FORGET)
		return;
	code = code_of(ingest, reply->jit);
	code->is_asked = false;
	code->is_read = true;
	if (code->is_awaited)
		ingest->tables_epoch++;
	code->is_awaited = false;
	ingest->counters.tables_let_go += reply->is_let_go;
	code->wait_ns = code->wait_ns * 2 < WAIT_NS ? code->wait_ns * 2 : WAIT_NS;
	if (!code->is_ended)
		code->due_ns = clock_now_ns() + larger(code->wait_ns,
						       reply->took_ns * COST_SHARE);
	if (reply->is_ready && !reply->is_shared) {
		const bool had_rows = code->has_table && code->unwind.header->row_count;

		code->table = reply->table;
		code->unwind = reply->unwind;
		code->unwind_base = reply->unwind_base;
		code->has_table = true;
		if (had_rows || code->unwind.header->row_count)
			ingest->tables_epoch++;
		for (uint32_t i = 0; i < ingest->dsos.count; i++)
			if (ingest->dsos.dsos[i].code == reply->jit)
				name_dso(ingest, i, code);
		symbol_names_forget_code(&ingest->names, &ingest->trie, reply->jit);
	}
	if (reply->why.err)
		refuse(ingest, reply->jit, &reply->why);
}

void jit_destroy(struct jit *jit)
{
	for (uint32_t i = 0; jit && i < jit->count; i++)
		free(jit->codes[i].dump);
	if (jit)
		free(jit->codes);
	free(jit);
}

bool ingest_run_time_place(struct ingest *ingest, uint32_t dso, struct open_request *out,
			   bool *is_ended)
{
	const uint32_t id = ingest->dsos.dsos[dso].code;
	const struct jit_code *code = id ? code_of(ingest, id) : NULL;

	if (!code || code->is_gone)
		return false;
	*is_ended = code->is_ended;
	if (code->dump)
		*out = *code->dump;
	out->pid = code->pid;
	return true;
}
