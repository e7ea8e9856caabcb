/* symbol_names.c - see ingest/symbol_names.h. */
#include "ingest/symbol_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define DSO_NAME_BYTES 255	/* NAME_MAX */
#define NAMES_AT_ONCE	  128	/* half of the names that a worker gets at most */
#define NAMES_WAIT_NS	  CLOCK_NS_PER_S	    /* a key may request a snapshot at any time */
#define BEFORE_SNAPSHOT_NS (200 * CLOCK_NS_PER_MS)   /* a worker takes 10 ms, more under load */
#define SYNTHETIC_BYTES	  (DSO_NAME_BYTES + 64)
#define NAME_BYTES_MAX	  4095	/* longer names in a file are cut */
#define NO_ROOM_TEXT	  "(no room for more names)"

/* Functions in which a CPU without work is found, by kernel version and architecture: the leaf of
 * a sample in the idle loop, whichever task runs it (idle injection runs it outside of pid 0).
 * Source: kernel/sched/idle.c, drivers/idle, drivers/acpi/processor_idle.c, arch/x86. */
static const char *const idle_functions[] = {
	"acpi_idle_do_entry", "acpi_processor_ffh_cstate_enter", "acpi_safe_halt",
	"arch_cpu_idle", "cpu_idle", "cpu_idle_poll", "cpu_startup_entry", "cpuidle_enter",
	"cpuidle_enter_state", "default_idle", "default_idle_call", "do_idle", "enter_idle",
	"exit_idle", "intel_idle", "intel_idle_ibrs", "intel_idle_irq", "intel_idle_xstate",
	"mwait_idle", "mwait_idle_with_hints", "mwait_idle_with_hints.constprop.0",
	"native_safe_halt", "poll_idle", "ppc64_runlatch_off", "pseries_dedicated_idle_sleep",
	"psw_idle", "psw_idle_exit", "pv_native_safe_halt", "cpu_do_idle",
};

void symbol_names_init(struct symbol_names *names, struct dso_table *dsos, struct strpool *strings)
{
	*names = (struct symbol_names){ .dsos = dsos, .strings = strings };
}

void symbol_names_finish(struct symbol_names *names)
{
	free(names->symbols);
	id_set_finish(&names->index);
	id_map_finish(&names->meanings);
	id_map_finish(&names->under_way);
	memset(names, 0, sizeof(*names));
}

static bool is_idle_function(const char *name)
{
	for (size_t i = 0; i < sizeof(idle_functions) / sizeof(idle_functions[0]); i++)
		if (!strcmp(idle_functions[i], name))
			return true;
	return false;
}

static uint64_t hash_of(uint64_t address, uint32_t dso, enum symbol_state state)
{
	return id_set_mix(address, (uint64_t)dso << 3 | state);
}

uint64_t symbol_names_hash(const void *owner, uint32_t id)
{
	const struct symbol *symbol = &((const struct symbol_names *)owner)->symbols[id];

	return hash_of(symbol->address, symbol->dso, symbol->state);
}

static int reserve(struct symbol_names *names)
{
	uint32_t capacity = names->capacity ? names->capacity * 2 : 256;
	struct symbol *bigger;

	if (id_set_reserve(&names->index, symbol_names_hash, names))
		return -1;
	if (names->count < names->capacity)
		return 0;
	bigger = realloc(names->symbols, capacity * sizeof(*bigger));
	if (!bigger)
		return -1;
	names->symbols = bigger;
	names->capacity = capacity;
	return 0;
}

/* Interns @text. If the pool did not have it, its bytes are charged to @dso. */
static struct str_id intern(struct symbol_names *names, uint32_t dso, const char *text)
{
	const size_t len = strnlen(text, NAME_BYTES_MAX);
	const bool is_new = len && !strpool_find(names->strings, text, len).v;
	const struct str_id id = strpool_intern_passing(names->strings, text, len);

	if (is_new) {
		const size_t bytes = strlen(strpool_get(names->strings, id)) + 1; /* sanitized */

		names->text_bytes += bytes;
		names->dsos->dsos[dso].symbol_text_bytes += bytes;
	}
	return id;
}

/* Whether the pool has @text, or the DSO may still add it. */
static bool has_room_for_text(const struct symbol_names *names, uint32_t dso, const char *text)
{
	const size_t len = strnlen(text, NAME_BYTES_MAX), used = names->text_bytes;
	const size_t share = used < SYMBOL_NAMES_TEXT_BYTES ?
			     (SYMBOL_NAMES_TEXT_BYTES - used) / SYMBOL_NAMES_SHARE : 0;

	return names->dsos->dsos[dso].symbol_text_bytes + len < share ||
	       strpool_find(names->strings, text, len).v;
}

/* "ext4" -> "[ext4]"; existing brackets stay. */
static struct str_id module_name(struct symbol_names *names, const char *module)
{
	char text[256];

	if (module[0] == '[')
		return intern(names, DSO_KERNEL, module);
	snprintf(text, sizeof(text), "[%s]", module);
	return intern(names, DSO_KERNEL, text);
}

/* "libfoo.so!fn_1a2b30": without its DSO it would be the name of other code in other DSOs. */
static struct str_id synthetic_name(struct symbol_names *names, uint32_t id, const char *name)
{
	const struct dso *dso = &names->dsos->dsos[id];
	char text[SYNTHETIC_BYTES];

	snprintf(text, sizeof(text), "%.*s!%s", DSO_NAME_BYTES,
		 strpool_get(names->strings, dso->name), name);
	return intern(names, id, text);
}

/* A function in the symtab of @dso, which is DSO_READY. A row number means nothing without
 * its table: the DSO that stands for @dso has the same symtab, but may have let it go. */
struct function_row {
	const struct dso *dso;		/* NULL: no function */
	uint32_t row;
};

static const struct function_row no_function;

static const char *function_name(const struct function_row *function)
{
	return flat_table_name(&function->dso->table, function->row);
}

static void describe_named(struct symbol_names *names, struct symbol *symbol,
			   const struct function_row *function)
{
	const struct dso *dso = function->dso;
	const char *name = function_name(function);
	const char *module = flat_table_dso_name(&dso->table, function->row);

	symbol->is_synthetic = dso->table.rows[function->row].kind == FLAT_UNWIND;
	symbol->name = symbol->is_synthetic ? synthetic_name(names, symbol->dso, name) :
					      intern(names, symbol->dso, name);
	symbol->is_mangled = !symbol->is_synthetic && demangle_is_mangled(name);
	symbol->is_idle = dso->mode == MODE_KERNEL && is_idle_function(name);
	if (dso->is_run_time)
		symbol->dso_name = symbol->dso_path = intern(names, DSO_UNKNOWN, "[jit]");
	else if (module && module[0])
		symbol->dso_name = symbol->dso_path = module_name(names, module);
}

static bool is_one_per_dso(enum symbol_state state, const struct dso *dso)
{
	return state == SYMBOL_NO_MAP || (state == SYMBOL_UNREADABLE && dso->is_jit);
}

/* "[anon] JIT of node, no map": where the code is, and which program made it. A map that is refused
 * has a reason, which stands beside the name. */
static struct str_id name_without_map(struct symbol_names *names, uint32_t id,
				      enum symbol_state state)
{
	const struct dso *dso = &names->dsos->dsos[id];
	char text[SYNTHETIC_BYTES], pid[24];
	const char *maker = strpool_get(names->strings, dso->maker);
	const char *map = state == SYMBOL_UNREADABLE ? "" :
			  dso->is_run_time ? ", not in its map" : ", no map";

	snprintf(pid, sizeof(pid), "pid %u", dso->brought_by);
	snprintf(text, sizeof(text), "%.30s JIT of %.*s%s",
		 strpool_get(names->strings, dso->name), DSO_NAME_BYTES,
		 maker[0] ? maker : pid, map);
	return intern(names, id, text);
}

/* Fills in what is shown; the identity (address, DSO, state) is set. */
static void describe(struct symbol_names *names, struct symbol *symbol,
		     const struct function_row *function)
{
	const struct dso *dso = &names->dsos->dsos[symbol->dso];
	char text[32];

	symbol->mode = dso->mode;
	symbol->dso_name = dso_shown_name(dso);
	symbol->dso_path = dso->path;
	if (dso->state == DSO_IS_SYMBOL) {
		symbol->name = dso->path;
	} else if (function->dso) {
		describe_named(names, symbol, function);
	} else if (is_one_per_dso(symbol->state, dso)) {
		symbol->name = name_without_map(names, symbol->dso, symbol->state);
	} else if (symbol->address == SYMBOL_NAMES_REST) {
		symbol->name = intern(names, DSO_UNKNOWN, NO_ROOM_TEXT);
	} else if (symbol->address == SYMBOL_NAMES_LET_GO) {
		symbol->name = intern(names, DSO_UNKNOWN, "(names let go for want of room)");
	} else if (symbol->state != SYMBOL_LOADING) {
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)symbol->address);
		symbol->name = intern(names, symbol->dso, text);
	}
}

void symbol_names_rename_dso(struct symbol_names *names, uint32_t dso)
{
	const struct dso *renamed = &names->dsos->dsos[dso];

	for (uint32_t i = 0; i < names->count; i++) {
		struct symbol *symbol = &names->symbols[i];

		if (symbol->dso == dso && symbol->dso_path.v == renamed->path.v)
			symbol->dso_name = dso_shown_name(renamed);
	}
}

/* Whether there may be other code, with another name, at one address later. */
static bool can_change(const struct dso *dso)
{
	return dso->is_run_time || dso->mode == MODE_KERNEL;
}

static bool has_room_for_name(const struct symbol_names *names, uint32_t dso,
			      const struct function_row *function)
{
	return !function->dso || has_room_for_text(names, dso, function_name(function));
}

/* Replaces the name by NO_ROOM_TEXT: the old name would be that of other code. */
static void take_name_away(struct symbol_names *names, struct symbol *symbol)
{
	const struct str_id before = symbol->name;

	symbol->name = intern(names, DSO_UNKNOWN, NO_ROOM_TEXT);
	symbol->is_mangled = symbol->is_synthetic = false;
	names->refused += symbol->name.v != before.v;
	names->is_full = true;
}

static void describe_again(struct symbol_names *names, uint32_t id,
			   const struct function_row *function)
{
	struct symbol *symbol = &names->symbols[id];
	const struct str_id before = symbol->name;

	if (has_room_for_name(names, symbol->dso, function))
		describe(names, symbol, function);
	else
		take_name_away(names, symbol);
	if (symbol->name.v != before.v && id < names->asked)
		names->asked = id;	/* the new name is to be demangled, too */
}

static bool has_share_left(const struct symbol_names *names, uint32_t dso)
{
	const uint32_t rows = SYMBOL_NAMES_ROWS - SYMBOL_NAMES_RESERVE;
	const struct dso *owner = &names->dsos->dsos[dso];

	return names->count < rows && names->text_bytes < SYMBOL_NAMES_TEXT_BYTES &&
	       owner->symbols <= (rows - names->count) / SYMBOL_NAMES_SHARE &&
	       owner->symbol_text_bytes <=
	       (SYMBOL_NAMES_TEXT_BYTES - names->text_bytes) / SYMBOL_NAMES_SHARE;
}

static uint32_t symbol_intern(struct symbol_names *names, uint64_t address, uint32_t dso,
			      enum symbol_state state, const struct function_row *function)
{
	const uint64_t hash = hash_of(address, dso, state);
	uint32_t slot, id;

	if (reserve(names))
		return ID_SET_NONE;
	for (slot = id_set_first(&names->index, hash);
	     (id = id_set_at(&names->index, &slot, hash)) != ID_SET_NONE;
	     slot = id_set_next(&names->index, slot)) {
		const struct symbol *symbol = &names->symbols[id];

		if (symbol->address != address || symbol->dso != dso ||
		    symbol->state != state)
			continue;
		if (can_change(&names->dsos->dsos[dso]))
			describe_again(names, id, function);
		return id;
	}
	if (address < SYMBOL_NAMES_LET_GO && !has_share_left(names, dso) &&
	    !is_one_per_dso(state, &names->dsos->dsos[dso])) {
		names->is_full = true;
		return symbol_intern(names, SYMBOL_NAMES_REST, dso, SYMBOL_UNKNOWN,
				     &no_function);
	}
	if (names->count >= SYMBOL_NAMES_ROWS - 2 && dso != DSO_UNKNOWN)
		return symbol_intern(names, SYMBOL_NAMES_REST, DSO_UNKNOWN, SYMBOL_UNKNOWN,
				     &no_function);	/* a full table would grow */
	id = names->count++;
	names->dsos->dsos[dso].symbols++;
	names->symbols[id] = (struct symbol){
		.address = address, .dso = dso, .state = state,
	};
	describe(names, &names->symbols[id], function);
	id_set_add(&names->index, hash, id);
	return id;
}

static uint32_t look_up(struct symbol_names *names, uint32_t dso_id, uint64_t address)
{
	struct dso *dso = &names->dsos->dsos[dso_id];
	const uint64_t bias = dso->is_run_time ? dso->bias : 0;
	uint32_t row;

	switch (dso->state) {
	case DSO_LOADING:
		return symbol_intern(names, 0, dso_id, SYMBOL_LOADING, &no_function);
	case DSO_UNREADABLE:
		return symbol_intern(names, dso->is_jit ? 0 : address, dso->canonical,
				     SYMBOL_UNREADABLE, &no_function);
	case DSO_READY:
		dso->needed_round = names->dsos->round;
		row = flat_table_find(&dso->table, address + bias);
		if (row != FLAT_NONE)
			return symbol_intern(names, dso->table.rows[row].start - bias,
					     dso->canonical, SYMBOL_NAMED,
					     &(struct function_row){ dso, row });
		break;
	case DSO_LET_GO:
		names->dsos->wanted += !dso->is_wanted;
		dso->is_wanted = true;
		return symbol_intern(names, SYMBOL_NAMES_LET_GO, dso->canonical, SYMBOL_UNKNOWN,
				     &no_function);
	case DSO_IS_SYMBOL:
		return symbol_intern(names, 0, dso_id, SYMBOL_NAMED, &no_function);
	case DSO_NO_TABLE:
		break;
	}
	if (dso->is_jit && (dso->is_run_time || dso->state == DSO_NO_TABLE))
		return symbol_intern(names, 0, dso_id, SYMBOL_NO_MAP, &no_function);
	names->nameless_in_kernel += dso_id == DSO_KERNEL;
	return symbol_intern(names, address, dso->canonical, SYMBOL_UNKNOWN, &no_function);
}

uint32_t symbol_names_of_frame(struct symbol_names *names, struct stack_trie *trie, uint32_t frame)
{
	struct stack_frames *frames = &trie->frames;
	const uint32_t before = frames->symbol[frame];
	uint32_t symbol;

	if (before < SYMBOL_AGED)
		return before;
	symbol = look_up(names, frames->dso[frame], frames->address[frame]);
	if (symbol != ID_SET_NONE) {
		frames->symbol[frame] = symbol;
		names->refused += before == ID_SET_NONE && symbol_is_rest(names, symbol);
	}
	return symbol;
}

void symbol_names_forget_frame(const struct symbol_names *names, struct stack_trie *trie,
			       uint32_t frame)
{
	uint32_t *symbol = &trie->frames.symbol[frame];

	if (*symbol < SYMBOL_AGED)
		*symbol = symbol_is_rest(names, *symbol) ? SYMBOL_REFUSED_BEFORE : ID_SET_NONE;
}

void symbol_names_forget_dso(const struct symbol_names *names, struct stack_trie *trie,
			     uint32_t dso)
{
	for (uint32_t i = 0; i < trie->frames.count; i++)
		if (trie->frames.dso[i] == dso)
			symbol_names_forget_frame(names, trie, i);
	trie->frames.named = 0;
	trie->frames.forgotten++;
}

void symbol_names_forget_code(const struct symbol_names *names, struct stack_trie *trie,
			      uint32_t code)
{
	const struct dso *dsos = names->dsos->dsos;

	for (uint32_t i = 0; i < trie->frames.count; i++)
		if (dsos[trie->frames.dso[i]].code == code)
			symbol_names_forget_frame(names, trie, i);
	trie->frames.named = 0;
	trie->frames.forgotten++;
}

static uint64_t meaning_key(const struct symbol_names *names, const struct symbol *symbol)
{
	return symbol_names_meaning_key(names->dsos->dsos[symbol->dso].serial,
					symbol->name.v);
}

struct str_id symbol_names_shown(const struct symbol_names *names, const struct symbol *symbol)
{
	uint32_t meaning;

	if (!symbol->is_mangled)
		return symbol->name;
	meaning = id_map_get(&names->meanings, meaning_key(names, symbol));
	return meaning == ID_MAP_NONE ? symbol->name : (struct str_id){ meaning };
}

/* Requests the demangled name, once. False: no more requests are possible now. Until the reply
 * comes, or if it has no name or there is no memory, the name stands for itself. */
static bool ask_for_name(struct symbol_names *names, const struct symbol *symbol)
{
	const uint64_t key = meaning_key(names, symbol);

	if (!symbol->is_mangled || id_map_get(&names->meanings, key) != ID_MAP_NONE ||
	    id_map_put(&names->under_way, key, symbol->dso))
		return true;
	if (!demangler_request(names->demangler, symbol->name.v,
			       names->dsos->dsos[symbol->dso].serial,
			       strpool_get(names->strings, symbol->name))) {
		id_map_remove(&names->under_way, key);
		return false;
	}
	id_map_put(&names->meanings, key, symbol->name.v);
	return true;
}

/* Applies a reply of the demangler. True: a name has changed. */
static bool take_meaning(struct symbol_names *names, const struct demangled *reply)
{
	const uint64_t key = symbol_names_meaning_key(reply->owner, reply->id);
	const uint32_t dso = id_map_remove(&names->under_way, key);

	if (!reply->text[0] || dso == ID_MAP_NONE ||
	    names->dsos->dsos[dso].serial != reply->owner)
		return false;	/* the DSO was removed */
	if (!has_room_for_text(names, dso, reply->text)) {
		names->refused++;
		names->is_full = true;
		return false;
	}
	id_map_put(&names->meanings, key, intern(names, dso, reply->text).v);
	names->renamed++;
	return true;
}

void symbol_names_pace(struct symbol_names *names, uint64_t now_ns, uint64_t snapshot_ns)
{
	names->now_ns = now_ns;
	names->snapshot_ns = snapshot_ns;
}

uint64_t symbol_names_due_ns(const struct symbol_names *names)
{
	const uint64_t latest_ns = names->asked_ns + NAMES_WAIT_NS;
	uint64_t before_ns;

	if (!names->waiting)
		return UINT64_MAX;
	if (!names->snapshot_ns || names->waiting >= NAMES_AT_ONCE)
		return 0;
	before_ns = names->snapshot_ns - BEFORE_SNAPSHOT_NS;
	return before_ns < latest_ns ? before_ns : latest_ns;
}

static void ask_for_names(struct symbol_names *names)
{
	const uint32_t under_way = demangler_under_way(names->demangler);

	if (names->looked_at < names->asked)
		names->looked_at = names->asked;
	while (names->looked_at < names->count)
		names->waiting += names->symbols[names->looked_at++].is_mangled;
	if (names->waiting && names->now_ns < symbol_names_due_ns(names))
		return;
	while (names->asked < names->count && ask_for_name(names, &names->symbols[names->asked]))
		names->asked++;
	names->waiting = 0;
	if (demangler_under_way(names->demangler) == under_way)
		return;		/* equal names had been requested before */
	names->asked_ns = names->now_ns;
	demangler_begin(names->demangler);
}

bool symbol_names_demangle(struct symbol_names *names, struct stack_trie *trie)
{
	struct demangled reply;
	bool is_changed = false;

	if (!names->demangler)
		return false;
	for (; trie->frames.named < trie->frames.count; trie->frames.named++)
		if (trie->frames.symbol[trie->frames.named] != SYMBOL_AGED)
			symbol_names_of_frame(names, trie, trie->frames.named);
	while (demangler_reply(names->demangler, &reply))
		is_changed |= take_meaning(names, &reply);
	ask_for_names(names);
	return is_changed;
}

bool symbol_names_are_pending(const struct symbol_names *names)
{
	return names->demangler &&
	       (names->asked < names->count || demangler_under_way(names->demangler));
}
