/* tables.c - symtabs and unwind tables of DSOs: requests, applies and evicts them.
 *
 * A DSO keeps its names when its file cannot be read again; if the file's content has changed,
 * it is another DSO, the successor.
 */
#include "tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "jit.h"
#include "kernel.h"
#include "requests.h"

struct tables *tables_create(void)
{
	struct tables *tables = calloc(1, sizeof(*tables));

	if (tables)
		unwind_set_init(&tables->unwind, UNWIND_SET_BYTES_MAX);
	return tables;
}

void tables_destroy(struct tables *tables)
{
	if (!tables)
		return;
	id_map_finish(&tables->program_names);
	unwind_set_finish(&tables->unwind);
	table_set_finish(&tables->names);
	free(tables);
}

/* Handles a reply. True: it had no table, and another location of the file was requested. */
static bool ask_other(struct ingest *ingest, struct dso *dso, bool is_ready)
{
	struct open_request *other = dso->other;

	dso->is_asked = other && !is_ready;
	dso->other = NULL;
	if (dso->is_asked)
		requests_send(ingest, other);
	free(other);
	return dso->is_asked;
}

static void dso_is_unreadable(struct ingest *ingest, uint32_t id, const char *reason)
{
	const struct dso *dso = &ingest->dsos.dsos[id];
	const struct str_id before = dso->reason;
	const bool was_unreadable = dso->state == DSO_UNREADABLE;

	dso_table_set_unreadable(&ingest->dsos, id, reason);
	if (!was_unreadable || dso->reason.v != before.v)
		log_note("%s: %s", strpool_get(ingest->strings, dso->path), reason);
}

static bool is_copy(const struct dso *dso, const struct dso *other)
{
	return other->path.v == dso->path.v && other->mode == dso->mode &&
	       build_id_is_equal(&other->build_id, &dso->build_id);
}

/* Wants the evicted tables of DSOs that seem to be copies of @dso: only the tables can show
 * whether they are. */
static void want_copies(struct dso_table *dsos, const struct dso *dso)
{
	for (uint32_t i = 0; i < dsos->count; i++) {
		struct dso *other = &dsos->dsos[i];

		if (other->state != DSO_LET_GO || other->canonical == dso->canonical ||
		    other->table_sum != dso->table_sum || !is_copy(dso, other))
			continue;
		dsos->wanted += !other->is_wanted;
		other->is_wanted = true;
	}
}

/* Forgets the names of @dso and its copies, which are looked up in another copy's table from now
 * on. A copy without a table keeps the names that its frames have. */
static void forget_copies(struct ingest *ingest, const struct dso *dso)
{
	for (uint32_t i = 0; i < ingest->dsos.count; i++) {
		const struct dso *other = &ingest->dsos.dsos[i];

		if (other->canonical == dso->canonical && other->state == DSO_READY)
			symbol_names_forget_dso(&ingest->names, &ingest->trie, i);
	}
}

static void set_ready(struct ingest *ingest, uint32_t id, const struct open_reply *reply)
{
	struct dso *dso = &ingest->dsos.dsos[id];

	ingest->has_new_names = true;
	if (dso_table_set_ready(&ingest->dsos, id, &reply->table, &reply->build_id))
		forget_copies(ingest, dso);
	dso->table_number = reply->table_number;
	dso->table_sum = reply->table_sum;
	want_copies(&ingest->dsos, dso);
}

/* Tables without names are all the same one. */
static bool is_other_build(const struct build_id *known, const struct build_id *found)
{
	return known->count && found->count && !build_id_is_equal(known, found);
}

/* Handles a repeated request for a DSO with names. They stay if the process had ended. If the
 * file's content has changed, the table goes to a successor. Without room for one the names stay,
 * too, as one DSO can't have the names of two; the new table is unused then, and evicted first. */
static void table_arrived_again(struct ingest *ingest, const struct open_reply *reply)
{
	const uint32_t id = dso_table_current(&ingest->dsos, reply->dso);
	const struct dso *dso = &ingest->dsos.dsos[id];
	uint32_t successor;

	if (!reply->is_ready || (dso->table.header == reply->table.header &&
				 !is_other_build(&dso->build_id, &reply->build_id)))
		return;
	if (dso->state == DSO_LET_GO && dso->table_sum == reply->table_sum) {
		set_ready(ingest, id, reply);
		symbol_names_forget_dso(&ingest->names, &ingest->trie, id);
		return;
	}
	successor = dso_table_succeed(&ingest->dsos, id);
	if (successor != id)
		set_ready(ingest, successor, reply);
}

/* Whether it has, or had, the names of its file. */
static bool is_named(const struct dso *dso)
{
	return dso->state == DSO_LET_GO ||
	       (dso->state == DSO_READY && !dso->is_run_time);
}

/* Whether its DSO was removed; the id may be another's by now. Fixed DSOs stay. */
static bool is_late(const struct ingest *ingest, const struct open_reply *reply)
{
	return reply->dso >= DSO_FIXED_COUNT &&
	       reply->serial != ingest->dsos.dsos[reply->dso].serial;
}

/* Keeps the unwind table of a removed DSO, unused, until it is evicted. Clears the request, as
 * a DSO that shares the table may have to repeat it. */
static void keep_late_unwind(struct ingest *ingest, const struct open_reply *reply)
{
	if (reply->unwind_asked)
		unwind_set_held(&ingest->tables->unwind, reply->unwind_asked)->is_asked = false;
	if (reply->is_ready && !reply->is_unchanged)
		unwind_set_add(&ingest->tables->unwind, reply->unwind_number, &reply->unwind);
}

/* Requests unwind tables of DSOs, and evicts them.
 *
 * A table is requested with the names of its DSO, when the mapping is first seen. If it was not
 * needed then (see requests_choose_tables()), or was evicted since, it is requested by the mapping
 * that a sample hits.
 */
bool tables_expect_unwind(const struct dso *dso)
{
	return !dso->is_run_time && (dso->state == DSO_READY ||
				     dso->state == DSO_LOADING ||
				     dso->state == DSO_LET_GO);
}

/* Requests the table. @gone: number of the evicted table; 0: none. */
static void ask_for_rows(struct ingest *ingest, uint32_t pid, const struct mapping *mapping,
			 uint64_t gone)
{
	struct open_request request;

	ingest_mapping_place(ingest, pid, mapping, &request);
	request.purpose = OPEN_UNWIND;
	request.symbols = ingest->config.only_records ? SYMBOLS_UNUSED : SYMBOLS_SHOWN;
	request.table_number = gone;
	requests_send(ingest, &request);
}

/* Whether its table was evicted so long ago that the opener has forgotten its number. */
static bool is_lost(const struct ingest *ingest, const struct dso *dso)
{
	return dso->unwind == DSO_UNWIND_KNOWN &&
	       unwind_set_is_lost(&ingest->tables->unwind, dso->unwind_number);
}

const struct unwind_table *tables_find_unwind(struct ingest *ingest, uint32_t pid,
					      const struct mapping *mapping, bool *is_loading)
{
	const uint32_t id = dso_table_current(&ingest->dsos, mapping->dso);
	struct dso *dso = &ingest->dsos.dsos[id];
	const struct unwind_table *table = NULL;
	bool *is_asked = NULL;

	if (is_lost(ingest, dso))
		dso->unwind = DSO_UNWIND_UNASKED;
	if (dso->unwind == DSO_UNWIND_KNOWN) {
		table = unwind_set_hit(&ingest->tables->unwind, dso->unwind_number);
		is_asked = &unwind_set_held(&ingest->tables->unwind, dso->unwind_number)->is_asked;
		if (!table && !*is_asked)
			ask_for_rows(ingest, pid, mapping, dso->unwind_number);
		*is_asked |= !table && dso->unwind == DSO_UNWIND_KNOWN;
	} else if (dso->unwind == DSO_UNWIND_UNASKED && ingest->opener &&
		   tables_expect_unwind(dso)) {
		dso->unwind = DSO_UNWIND_LOADING;
		ask_for_rows(ingest, pid, mapping, 0);
	}
	*is_loading = dso->unwind == DSO_UNWIND_LOADING ||
		      (dso->unwind == DSO_UNWIND_KNOWN && !table);
	return table;
}

static void give_back_coldest(struct ingest *ingest)
{
	struct open_request request = { .purpose = OPEN_RETURN_UNWIND };

	while (unwind_set_evict(&ingest->tables->unwind, &request.table_number,
				&request.table_received))
		requests_send(ingest, &request);
}

static bool has_gone(const struct ingest *ingest, const struct dso *dso)
{
	return dso->unwind == DSO_UNWIND_KNOWN &&
	       (is_lost(ingest, dso) ||
		!unwind_set_held(&ingest->tables->unwind, dso->unwind_number)->bytes);
}

void tables_take_unwind(struct ingest *ingest, const struct open_reply *reply)
{
	const uint32_t id = dso_table_current(&ingest->dsos, reply->dso);
	struct dso *dso = &ingest->dsos.dsos[id];
	const struct dso before = *dso;
	const uint64_t changes = ingest->tables->unwind.changes;

	/* The DSO may have another table by now; sharers of the requested one may request it. */
	if (reply->unwind_asked)
		unwind_set_held(&ingest->tables->unwind, reply->unwind_asked)->is_asked = false;
	if (reply->is_unchanged)
		return;
	if (reply->is_ready &&
	    unwind_set_add(&ingest->tables->unwind, reply->unwind_number, &reply->unwind) == 0) {
		dso->unwind = DSO_UNWIND_KNOWN;
		dso->unwind_number = reply->unwind_number;
		if (!dso->build_id.count)	/* SYMBOLS_UNUSED */
			dso->build_id = reply->unwind.header->build_id;
		give_back_coldest(ingest);
	} else if (reply->is_postponed && dso->unwind == DSO_UNWIND_LOADING) {
		dso->unwind = DSO_UNWIND_UNASKED;
	} else if (dso->unwind == DSO_UNWIND_LOADING || has_gone(ingest, dso)) {
		dso->unwind = DSO_UNWIND_NONE;
		requests_note_refused(ingest, dso, reply->is_refused);
	}
	if (dso->unwind != before.unwind || dso->unwind_number != before.unwind_number ||
	    ingest->tables->unwind.changes != changes)
		ingest->tables_epoch++;
}

/* Programs that are started by another name than their file's: redis-server,
 * which is a link to redis-check-rdb.
 *
 * A process has the comm it was started by. Whether that is a name of its program's file only the
 * file system knows, so the DSO opener checks it: scripts and programs that rename themselves
 * may have any comm. A name is requested once per DSO, and again if the process had ended
 * before the check.
 */
#define ASKED_MAX 4096	/* beyond it all are forgotten, and requested at the next start */

static uint64_t key_of(const struct ingest *ingest, uint32_t dso, const char *comm)
{
	uint64_t key = ingest->dsos.dsos[dso].serial;

	for (; *comm; comm++)
		key = id_map_mix(key ^ (unsigned char)*comm);
	return key;
}

/* Compares a comm, which the kernel cuts to THREAD_COMM_BYTES - 1, with a file name. */
static bool is_name_of_file(const char *comm, const char *name)
{
	return strlen(comm) == THREAD_COMM_BYTES - 1
	       ? !strncmp(comm, name, THREAD_COMM_BYTES - 1) : !strcmp(comm, name);
}

static void set_started(struct ingest *ingest, uint32_t id, const char *name)
{
	const uint32_t dso =
		ingest->dsos.dsos[dso_table_current(&ingest->dsos, id)].canonical;

	if (!dso_table_set_started(&ingest->dsos, dso, name))
		return;
	symbol_names_rename_dso(&ingest->names, dso);
	ingest->has_new_names = true;
}

/* Notes a request. False: it was made already, or out of memory. */
static bool note_asked(struct ingest *ingest, uint64_t key)
{
	if (id_map_get(&ingest->tables->program_names, key) != ID_MAP_NONE)
		return false;
	if (ingest->tables->program_names.used >= ASKED_MAX)
		id_map_clear(&ingest->tables->program_names);
	return !id_map_put(&ingest->tables->program_names, key, 1);
}

static void forget_asked(struct ingest *ingest, uint32_t dso, const char *comm)
{
	id_map_remove(&ingest->tables->program_names, key_of(ingest, dso, comm));
}

void tables_program_mapped(struct ingest *ingest, struct open_request *request)
{
	const struct thread *first = task_table_find_thread(&ingest->tasks, request->pid);
	const char *name = strpool_get(ingest->strings,
				       ingest->dsos.dsos[request->dso].name);

	if (!first || !first->has_comm || !first->comm_len)
		return;
	memcpy(request->comm, first->comm, first->comm_len);
	if (is_name_of_file(request->comm, name)) {
		set_started(ingest, request->dso, name);
	} else if (!strchr(request->comm, '/') && !ingest->requests->waiting_count &&
		   note_asked(ingest, key_of(ingest, request->dso, request->comm))) {
		request->is_again = true;	/* nothing waits for the reply */
		if (!requests_send(ingest, request))
			forget_asked(ingest, request->dso, request->comm);
	}
}

static void take_program_name(struct ingest *ingest, const struct open_reply *reply)
{
	if (reply->is_ready)
		set_started(ingest, reply->dso, reply->comm);
	else if (reply->why.err != -ENOENT)
		forget_asked(ingest, reply->dso, reply->comm);
}

/* Problem: a machine on which programs are built and run all day shows thousands of files, each
 * with a table that no process needs after a second; but past windows still show its functions.
 *
 * Idea: a frame is looked up once and keeps its symbol (ingest/symbol_names.h). So all known frames
 * are named before a table is evicted, and the table is needed only for new addresses. Evicting
 * goes on to three quarters of the limit, so that scanning all mappings is rare.
 *
 * Rejected: evicting a table with its process: the next run of the same program comes soon.
 */
static void note_table(struct ingest *ingest, const struct open_reply *reply)
{
	if (reply->is_ready && reply->table_number &&
	    !table_set_add(&ingest->tables->names, reply->table_number,
			   flat_table_bytes(&reply->table)))
		ingest->counters.dropped_no_memory++;
}

static struct table_held *table_of(const struct ingest *ingest, const struct dso *dso)
{
	return dso->state == DSO_READY && dso->table_number &&
	       dso->table_number <= ingest->tables->names.count
	       ? &ingest->tables->names.held[dso->table_number - 1] : NULL;
}

static void look_who_needs(struct ingest *ingest)
{
	const struct dso *dsos = ingest->dsos.dsos;
	struct table_held *held;

	for (uint32_t i = 0; i < ingest->tables->names.count; i++) {
		ingest->tables->names.held[i].needed_round = 0;
		ingest->tables->names.held[i].is_mapped = false;
	}
	for (uint32_t i = 0; i < ingest->dsos.count; i++) {
		held = table_of(ingest, &dsos[i]);
		if (held && held->needed_round < dsos[i].needed_round)
			held->needed_round = dsos[i].needed_round;
	}
	for (uint32_t i = 0; i < ingest->tasks.process_count; i++) {
		const struct process *process = &ingest->tasks.processes[i];

		for (uint32_t m = 0; process->is_alive && process->maps &&
				     m < process->maps->count; m++) {
			held = table_of(ingest, &dsos[process->maps->rows[m].dso]);
			if (held)
				held->is_mapped = true;
		}
	}
}

struct candidate {
	uint32_t number, needed_round;
	bool is_mapped;
};

static int by_need(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->is_mapped != b->is_mapped)
		return a->is_mapped - b->is_mapped;
	if (a->needed_round != b->needed_round)
		return a->needed_round < b->needed_round ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Lists all loaded tables, least needed first. NULL: out of memory. */
static struct candidate *list_candidates(const struct ingest *ingest, uint32_t *count)
{
	struct candidate *list = calloc(ingest->tables->names.count, sizeof(*list));

	*count = 0;
	for (uint32_t i = 0; list && i < ingest->tables->names.count; i++) {
		const struct table_held *held = &ingest->tables->names.held[i];

		if (held->bytes)
			list[(*count)++] = (struct candidate){ i + 1, held->needed_round,
							       held->is_mapped };
	}
	if (*count)
		qsort(list, *count, sizeof(*list), by_need);
	return list;
}

static void name_frames(struct ingest *ingest)
{
	const struct stack_frames *frames = &ingest->trie.frames;

	for (uint32_t i = 0; i < frames->count; i++)
		if (ingest->dsos.dsos[frames->dso[i]].is_leaving)
			symbol_names_of_frame(&ingest->names, &ingest->trie, i);
}

static bool is_left(const struct ingest *ingest, const struct dso *dso)
{
	const struct table_held *held = table_of(ingest, dso);

	return held && !held->bytes;
}

/* Takes the tables from the DSOs whose tables are no longer in the set, after naming their
 * frames. */
static void let_dsos_go(struct ingest *ingest)
{
	struct dso *dsos = ingest->dsos.dsos;

	for (uint32_t i = 0; i < ingest->dsos.count; i++)
		dsos[i].is_leaving = is_left(ingest, &dsos[i]);
	name_frames(ingest);
	for (uint32_t i = 0; i < ingest->dsos.count; i++)
		if (dsos[i].is_leaving)
			dso_table_let_go(&ingest->dsos, i);
}

static void let_go(struct ingest *ingest, size_t aim_bytes)
{
	struct open_request request = { .purpose = OPEN_RETURN_NAMES };
	uint32_t count, gone = 0;
	struct candidate *list = list_candidates(ingest, &count);

	while (gone + 1 < count && ingest->tables->names.bytes > aim_bytes)
		table_set_remove(&ingest->tables->names, list[gone++].number);
	let_dsos_go(ingest);
	for (uint32_t i = 0; i < gone; i++) {
		request.table_number = list[i].number;
		request.table_received = ingest->tables->names.held[list[i].number - 1].received;
		requests_send(ingest, &request);
	}
	free(list);
	ingest->counters.tables_let_go += gone;
	if (gone)
		log_note("%u symbol tables let go for want of room", gone);
}

/* Requests the wanted tables of DSOs whose file a living process has mapped. */
static void ask_again(struct ingest *ingest)
{
	struct dso *dsos = ingest->dsos.dsos;

	for (uint32_t i = 0; i < ingest->tasks.process_count; i++) {
		const struct process *process = &ingest->tasks.processes[i];

		for (uint32_t m = 0; process->is_alive && process->maps &&
				     m < process->maps->count; m++) {
			const struct mapping *row = &process->maps->rows[m];

			if (dsos[dso_table_current(&ingest->dsos, row->dso)].is_wanted)
				requests_load_again(ingest, process->pid, row);
		}
	}
	for (uint32_t i = 0; i < ingest->dsos.count; i++)
		dsos[i].is_wanted = false;	/* set again at the next new address */
	ingest->dsos.wanted = 0;
}

void ingest_limit_tables(struct ingest *ingest, size_t limit_bytes)
{
	if (ingest->dsos.wanted)
		ask_again(ingest);
	ingest->dsos.round++;
	ingest->dsos.now_ns = ingest->watermark_ns;
	if (ingest->tables->names.bytes <= limit_bytes)
		return;
	look_who_needs(ingest);
	let_go(ingest, limit_bytes / 4 * 3);
}

static void table_arrived(struct ingest *ingest, const struct open_reply *reply)
{
	struct dso *dso = &ingest->dsos.dsos[reply->dso];

	ingest->opening--;
	note_table(ingest, reply);
	if (reply->jit) {
		jit_reply(ingest, reply);
		return;
	}
	if (is_late(ingest, reply)) {
		if (reply->is_unwind)
			keep_late_unwind(ingest, reply);
		return;
	}
	if (reply->is_program_name) {
		take_program_name(ingest, reply);
		return;
	}
	if (reply->is_unwind) {
		tables_take_unwind(ingest, reply);
		return;
	}
	requests_note_refused(ingest, dso, reply->is_refused);
	if (ask_other(ingest, dso, reply->is_ready))
		return;
	if (reply->dso != DSO_KERNEL && is_named(dso)) {
		table_arrived_again(ingest, reply);
		return;
	}
	ingest->has_new_names = true;
	if (reply->dso == DSO_KERNEL && reply->is_ready && kernel_slide(ingest, reply))
		return;
	if (reply->is_ready) {
		const char *caution = flat_table_caution(&reply->table);

		if (caution)
			log_note("%s: %s", strpool_get(ingest->strings, dso->path), caution);
		set_ready(ingest, reply->dso, reply);
		if (dso->mode == MODE_KERNEL && ingest->config.is_replay)
			kernel_share_table(ingest, reply->dso);
	} else if (reply->dso == DSO_KERNEL && ingest->kernel->is_asked) {
		log_note("the kernel's names cannot be read again: %s", reply->why.text);
	} else {
		dso_is_unreadable(ingest, reply->dso, reply->why.text);
		jit_dso_failed(ingest, reply->dso);
	}
	if (reply->dso == DSO_KERNEL)
		ingest->kernel->is_asked = false;
	symbol_names_forget_dso(&ingest->names, &ingest->trie, reply->dso);
}

void tables_poll(struct ingest *ingest)
{
	struct open_reply reply;

	if (!ingest->opener)
		return;
	while (dso_opener_reply(ingest->opener, &reply))
		table_arrived(ingest, &reply);
	requests_retry(ingest);
}
