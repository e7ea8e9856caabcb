/* symbol_names.c - see model/symbol_names.h. */
#include "model/symbol_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OBJECT_NAME_BYTES 255	/* NAME_MAX: of a file's name */
#define SYNTHETIC_BYTES	  (OBJECT_NAME_BYTES + 64)

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

void symbol_names_init(struct symbol_names *names, struct object_table *objects,
		       struct strpool *strings)
{
	*names = (struct symbol_names){ .objects = objects, .strings = strings };
}

void symbol_names_finish(struct symbol_names *names)
{
	free(names->symbols);
	id_set_finish(&names->index);
	id_map_finish(&names->meanings);
	memset(names, 0, sizeof(*names));
}

static bool is_idle_function(const char *name)
{
	for (size_t i = 0; i < sizeof(idle_functions) / sizeof(idle_functions[0]); i++)
		if (!strcmp(idle_functions[i], name))
			return true;
	return false;
}

static uint64_t hash_of(uint64_t address, uint32_t object, enum symbol_state state)
{
	return id_set_mix(address, (uint64_t)object << 2 | state);
}

static uint64_t symbol_hash(const void *owner, uint32_t id)
{
	const struct symbol *symbol = &((const struct symbol_names *)owner)->symbols[id];

	return hash_of(symbol->address, symbol->object, symbol->state);
}

static int reserve(struct symbol_names *names)
{
	uint32_t capacity = names->capacity ? names->capacity * 2 : 256;
	struct symbol *bigger;

	if (id_set_reserve(&names->index, symbol_hash, names))
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

static struct str_id intern(struct symbol_names *names, const char *text)
{
	return strpool_intern(names->strings, text, strlen(text));
}

/* "ext4" -> "[ext4]"; what has brackets keeps them. */
static struct str_id module_name(struct symbol_names *names, const char *module)
{
	char text[256];

	if (module[0] == '[')
		return intern(names, module);
	snprintf(text, sizeof(text), "[%s]", module);
	return intern(names, text);
}

/* "libfoo.so!fn_1a2b30": without its object it would be the name of other code in other objects. */
static struct str_id synthetic_name(struct symbol_names *names, const struct object *object,
				    const char *name)
{
	char text[SYNTHETIC_BYTES];

	snprintf(text, sizeof(text), "%.*s!%s", OBJECT_NAME_BYTES,
		 strpool_get(names->strings, object->name), name);
	return intern(names, text);
}

static void describe_named(struct symbol_names *names, struct symbol *symbol,
			   const struct object *object, uint32_t row)
{
	const char *name = flat_table_name(&object->table, row);
	const char *module = flat_table_object_name(&object->table, row);

	symbol->is_synthetic = object->table.rows[row].kind == FLAT_UNWIND;
	symbol->name = symbol->is_synthetic ? synthetic_name(names, object, name) :
					      intern(names, name);
	symbol->is_mangled = !symbol->is_synthetic && demangle_is_mangled(name);
	symbol->is_idle = object->mode == MODE_KERNEL && is_idle_function(name);
	if (object->is_run_time)
		symbol->object_name = symbol->object_path = intern(names, "[jit]");
	else if (module && module[0])
		symbol->object_name = symbol->object_path = module_name(names, module);
}

/* Fills in what is shown; the identity (address, object, state) is set. @row: of a named one. */
static void describe(struct symbol_names *names, struct symbol *symbol, uint32_t row)
{
	const struct object *object = &names->objects->objects[symbol->object];
	char text[32];

	symbol->mode = object->mode;
	symbol->object_name = object->name;
	symbol->object_path = object->path;
	if (object->state == OBJECT_IS_SYMBOL) {
		symbol->name = object->path;
	} else if (symbol->state == SYMBOL_NAMED) {
		describe_named(names, symbol, object, row);
	} else if (symbol->state != SYMBOL_LOADING) {
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)symbol->address);
		symbol->name = intern(names, text);
	}
}

/* At one address there may be other code now, of another name. */
static bool can_change(const struct object *object)
{
	return object->is_run_time || object->mode == MODE_KERNEL;
}

static void describe_again(struct symbol_names *names, uint32_t id, uint32_t row)
{
	struct symbol *symbol = &names->symbols[id];
	const struct str_id before = symbol->name;

	describe(names, symbol, row);
	if (symbol->name.v != before.v && id < names->asked)
		names->asked = id;	/* the new name is to be demangled, too */
}

static uint32_t symbol_intern(struct symbol_names *names, uint64_t address, uint32_t object,
			      enum symbol_state state, uint32_t row)
{
	const uint64_t hash = hash_of(address, object, state);
	uint32_t slot, id;

	if (reserve(names))
		return ID_SET_NONE;
	for (slot = id_set_first(&names->index, hash);
	     (id = id_set_at(&names->index, &slot, hash)) != ID_SET_NONE;
	     slot = id_set_next(&names->index, slot)) {
		const struct symbol *symbol = &names->symbols[id];

		if (symbol->address != address || symbol->object != object ||
		    symbol->state != state)
			continue;
		if (can_change(&names->objects->objects[object]))
			describe_again(names, id, row);
		return id;
	}
	id = names->count++;
	names->symbols[id] = (struct symbol){
		.address = address, .object = object, .state = state,
	};
	describe(names, &names->symbols[id], row);
	id_set_add(&names->index, hash, id);
	return id;
}

static uint32_t look_up(struct symbol_names *names, uint32_t object_id, uint64_t address)
{
	const struct object *object = &names->objects->objects[object_id];
	const uint64_t bias = object->is_run_time ? object->bias : 0;
	uint32_t row;

	switch (object->state) {
	case OBJECT_LOADING:
		return symbol_intern(names, 0, object_id, SYMBOL_LOADING, FLAT_NONE);
	case OBJECT_UNREADABLE:
		return symbol_intern(names, address, object->canonical, SYMBOL_UNREADABLE,
				     FLAT_NONE);
	case OBJECT_READY:
		row = flat_table_find(&object->table, address + bias);
		if (row != FLAT_NONE)
			return symbol_intern(names, object->table.rows[row].start - bias,
					     object->canonical, SYMBOL_NAMED, row);
		break;
	case OBJECT_IS_SYMBOL:
		return symbol_intern(names, 0, object_id, SYMBOL_NAMED, FLAT_NONE);
	case OBJECT_NO_TABLE:
		break;
	}
	names->nameless_in_kernel += object_id == OBJECT_KERNEL;
	return symbol_intern(names, address, object->canonical, SYMBOL_UNKNOWN, FLAT_NONE);
}

uint32_t symbol_names_of_frame(struct symbol_names *names, struct stack_trie *trie, uint32_t frame)
{
	struct stack_frames *frames = &trie->frames;

	if (frames->symbol[frame] == ID_SET_NONE)
		frames->symbol[frame] = look_up(names, frames->object[frame],
						frames->address[frame]);
	return frames->symbol[frame];
}

void symbol_names_forget_object(struct stack_trie *trie, uint32_t object)
{
	for (uint32_t i = 0; i < trie->frames.count; i++)
		if (trie->frames.object[i] == object)
			trie->frames.symbol[i] = ID_SET_NONE;
	trie->frames.named = 0;
	trie->frames.forgotten++;
}

void symbol_names_forget_code(const struct symbol_names *names, struct stack_trie *trie,
			      uint32_t code)
{
	const struct object *objects = names->objects->objects;

	for (uint32_t i = 0; i < trie->frames.count; i++)
		if (objects[trie->frames.object[i]].code == code)
			trie->frames.symbol[i] = ID_SET_NONE;
	trie->frames.named = 0;
	trie->frames.forgotten++;
}

static uint64_t meaning_key(uint32_t object, uint32_t name)
{
	return (uint64_t)object << 32 | name;
}

struct str_id symbol_names_shown(const struct symbol_names *names, const struct symbol *symbol)
{
	uint32_t meaning;

	if (!symbol->is_mangled)
		return symbol->name;
	meaning = id_map_get(&names->meanings, meaning_key(symbol->object, symbol->name.v));
	return meaning == ID_MAP_NONE ? symbol->name : (struct str_id){ meaning };
}

/* False: no more can be asked for now. Asked for once: until the answer comes, and when it is none,
 * or there is no memory, the name means itself. */
static bool ask_for_name(struct symbol_names *names, const struct symbol *symbol)
{
	const uint64_t key = meaning_key(symbol->object, symbol->name.v);

	if (!symbol->is_mangled || id_map_get(&names->meanings, key) != ID_MAP_NONE)
		return true;
	if (!demangler_request(names->demangler, symbol->name.v, symbol->object,
			       strpool_get(names->strings, symbol->name)))
		return false;
	id_map_put(&names->meanings, key, symbol->name.v);
	return true;
}

bool symbol_names_demangle(struct symbol_names *names, struct stack_trie *trie)
{
	struct demangled reply;
	bool is_changed = false;

	if (!names->demangler)
		return false;
	while (trie->frames.named < trie->frames.count)
		symbol_names_of_frame(names, trie, trie->frames.named++);
	while (demangler_reply(names->demangler, &reply)) {
		if (!reply.text[0])
			continue;
		id_map_put(&names->meanings, meaning_key(reply.owner, reply.id),
			   intern(names, reply.text).v);
		is_changed = true;
		names->renamed++;
	}
	while (names->asked < names->count && ask_for_name(names, &names->symbols[names->asked]))
		names->asked++;
	return is_changed;
}

bool symbol_names_are_pending(const struct symbol_names *names)
{
	return names->demangler &&
	       (names->asked < names->count || demangler_under_way(names->demangler));
}
