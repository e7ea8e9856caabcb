/* kernel_types.c - see kernel_types.h.
 *
 * BTF has the types of a function's arguments in their order; the calling convention then tells
 * where each argument is, as long as all before it take one register: a struct by value ends that.
 * Compiler clones (.isra, .constprop) are not in BTF, which is right: their arguments differ.
 */
#include "kernel_types.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/fetch_value.h"

#ifndef BTF_KIND_TYPE_TAG
#define BTF_KIND_TYPE_TAG 18
#endif
#define MODULES_MAX   16	/* modules whose types are cached */
#define MODULE_BYTES  64
#define DEPTH_MAX     16	/* nesting of anonymous members, typedefs, pointers */
#define POINTER_BYTES 8

struct module_types {
	char name[MODULE_BYTES];
	struct btf *btf;	/* owned; NULL: the module has none */
};

struct kernel_types {
	struct btf *vmlinux;	/* owned; NULL: none */
	bool is_loaded;
	struct module_types modules[MODULES_MAX];
	size_t module_count;
};

/* A value while a path from an argument to nested members is followed. */
struct typed_place {
	const struct btf *btf;
	struct fetch_location place;
	__u32 type;
	uint32_t bits, first_bit;	/* bits 0: no bitfield */
	const char *name;		/* name of argument or member: text or buffer? */
};

static int keep_quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

struct kernel_types *kernel_types_create(void)
{
	return calloc(1, sizeof(struct kernel_types));
}

void kernel_types_destroy(struct kernel_types *types)
{
	if (!types)
		return;
	for (size_t i = 0; i < types->module_count; i++)
		btf__free(types->modules[i].btf);
	btf__free(types->vmlinux);
	free(types);
}

static const struct btf *types_of(struct kernel_types *types, const char *module)
{
	struct module_types *kept;

	if (!types->is_loaded) {
		libbpf_set_print(keep_quiet);	/* its messages would spoil the screen */
		types->vmlinux = btf__load_vmlinux_btf();
		if (libbpf_get_error(types->vmlinux))
			types->vmlinux = NULL;
		types->is_loaded = true;
	}
	if (!module[0] || !types->vmlinux)
		return types->vmlinux;
	for (size_t i = 0; i < types->module_count; i++)
		if (strcmp(types->modules[i].name, module) == 0)
			return types->modules[i].btf;
	if (types->module_count == MODULES_MAX)
		return NULL;
	kept = &types->modules[types->module_count++];
	snprintf(kept->name, sizeof(kept->name), "%s", module);
	kept->btf = btf__load_module_btf(module, types->vmlinux);
	if (libbpf_get_error(kept->btf))
		kept->btf = NULL;
	return kept->btf;
}

/* Returns the type without typedef, const, volatile, restrict and tags. */
static const struct btf_type *peel(const struct btf *btf, __u32 id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	for (int i = 0; type && i < DEPTH_MAX; i++) {
		if (!btf_is_mod(type) && !btf_is_typedef(type) &&
		    btf_kind(type) != BTF_KIND_TYPE_TAG)
			break;
		type = btf__type_by_id(btf, type->type);
	}
	return type;
}

static const char *name_of(const struct btf *btf, const struct btf_type *type)
{
	const char *name = btf__name_by_offset(btf, type->name_off);

	return name ? name : "";
}

/* Writes the type as in C: "const struct file *". */
static void write_type(const struct btf *btf, __u32 id, char *out, size_t room)
{
	char stars[DEPTH_MAX + 1] = "";
	const char *word = "", *constant = "";
	const struct btf_type *type = btf__type_by_id(btf, id);
	size_t depth = 0;

	for (int i = 0; type && id && i < DEPTH_MAX; i++) {
		if (btf_is_ptr(type))
			stars[depth++] = '*';
		else if (btf_is_const(type))
			constant = "const ";
		else if (!btf_is_mod(type) && btf_kind(type) != BTF_KIND_TYPE_TAG)
			break;
		id = type->type;
		type = btf__type_by_id(btf, id);
	}
	if (!id || !type) {
		snprintf(out, room, "%svoid%s%s", constant, depth ? " " : "", stars);
		return;
	}
	if (btf_is_struct(type))
		word = "struct ";
	else if (btf_is_union(type))
		word = "union ";
	else if (btf_is_any_enum(type))
		word = "enum ";
	snprintf(out, room, "%s%s%s%s%s", constant, word,
		 btf_is_func_proto(type) ? "(*)()" : name_of(btf, type), depth ? " " : "", stars);
}

/* Finds @name in @type, also inside of anonymous members; adds its bit offset to *@bit. */
static const struct btf_member *find_member(const struct btf *btf, const struct btf_type *type,
					    const char *name, uint64_t *bit, int depth)
{
	const struct btf_member *members = btf_members(type);

	for (__u32 i = 0; i < btf_vlen(type) && depth < DEPTH_MAX; i++) {
		const char *known = btf__name_by_offset(btf, members[i].name_off);
		const uint64_t offset = btf_member_bit_offset(type, i);
		const struct btf_type *inner;
		const struct btf_member *found;

		if (known && known[0]) {
			if (strcmp(known, name) != 0)
				continue;
			*bit += offset;
			return &members[i];
		}
		inner = peel(btf, members[i].type);
		if (!inner || !btf_is_composite(inner))
			continue;
		found = find_member(btf, inner, name, bit, depth + 1);
		if (found) {
			*bit += offset;
			return found;
		}
	}
	return NULL;
}

/* Returns how many bits the bitfield @member of @type, or of an anonymous member, has; else 0. */
static uint32_t bits_of(const struct btf *btf, const struct btf_type *type,
			const struct btf_member *member, int depth)
{
	for (__u32 i = 0; i < btf_vlen(type) && depth < DEPTH_MAX; i++) {
		const struct btf_type *inner = peel(btf, btf_members(type)[i].type);
		uint32_t bits;

		if (&btf_members(type)[i] == member)
			return btf_member_bitfield_size(type, i);
		bits = inner && btf_is_composite(inner) ? bits_of(btf, inner, member, depth + 1)
							: 0;
		if (bits)
			return bits;
	}
	return 0;
}

static bool go_to_member(struct typed_place *at, const struct value_step *step,
			 struct fetch_value *out)
{
	const struct btf_type *type = peel(at->btf, at->type);
	const struct btf_member *member;
	uint64_t bit = 0;

	if (type && btf_is_ptr(type)) {		/* people type '.' for "->", too */
		at->place = fetch_follow(&at->place);
		type = peel(at->btf, type->type);
	}
	if (!type || !btf_is_composite(type)) {
		fetch_value_refuse(out, "'%s' is no struct: it has no member '%s'", at->name,
				   step->name);
		return false;
	}
	member = find_member(at->btf, type, step->name, &bit, 0);
	if (!member) {
		fetch_value_refuse(out, "struct %s has no member '%s'", name_of(at->btf, type),
				   step->name);
		return false;
	}
	at->bits = bits_of(at->btf, type, member, 0);
	at->first_bit = (uint32_t)(bit % 8);
	at->place.offset += (int64_t)(bit / 8);
	at->type = member->type;
	at->name = step->name;
	return true;
}

static bool go_to_element(struct typed_place *at, const struct value_step *step,
			  struct fetch_value *out)
{
	const struct btf_type *type = peel(at->btf, at->type);
	__s64 bytes;

	if (type && btf_is_ptr(type)) {
		at->place = fetch_follow(&at->place);
		at->type = type->type;
	} else if (type && btf_is_array(type)) {
		at->type = btf_array(type)->type;
	} else {
		fetch_value_refuse(out, "'%s' is no array", at->name);
		return false;
	}
	bytes = btf__resolve_size(at->btf, at->type);
	if (bytes <= 0) {
		fetch_value_refuse(out, "the elements of '%s' have no size", at->name);
		return false;
	}
	at->place.offset += (int64_t)step->index * bytes;
	return true;
}

static bool is_char(const struct btf *btf, __u32 id)
{
	const struct btf_type *type = peel(btf, id);

	return type && btf_is_int(type) && type->size == 1 && strstr(name_of(btf, type), "char");
}

/* Buffers are char *, too: only names that suggest text count as text. */
static bool sounds_like_text(const char *name)
{
	static const char *const words[] = { "name", "path", "str", "comm", "text", "fmt", "file" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

static void put_pointer(struct fetch_value *out, const struct typed_place *at,
			const struct btf_type *type)
{
	const bool is_text = is_char(at->btf, type->type) && sounds_like_text(at->name);

	fetch_value_put(out, &at->place, true, is_text ? "string" : "x64");
}

/* Fetches the value by its own type. */
static void put_natural(struct fetch_value *out, const struct typed_place *at)
{
	const struct btf_type *type = peel(at->btf, at->type);
	char word[FETCH_TYPE_BYTES];
	char letter = 'u';

	if (!type || btf_is_void(type))
		fetch_value_refuse(out, "void: there is nothing to fetch");
	else if (btf_is_ptr(type))
		put_pointer(out, at, type);
	else if (btf_is_array(type) && is_char(at->btf, btf_array(type)->type))
		fetch_value_put(out, &at->place, false, "string");
	else if (btf_is_array(type))
		fetch_value_refuse(out, "an array: take one element, %.40s[0]", at->name);
	else if (btf_is_composite(type))
		fetch_value_refuse(out, "a struct: take a member of it");
	else if (at->bits)
		fetch_value_put_bits(out, &at->place, at->first_bit, at->bits, type->size);
	else if (btf_is_int(type) || btf_is_any_enum(type)) {
		if (btf_is_int(type) ? btf_int_encoding(type) & BTF_INT_SIGNED : btf_kflag(type))
			letter = 's';
		if (fetch_integer_type(word, letter, type->size))
			fetch_value_put(out, &at->place, false, word);
		else
			fetch_value_refuse(out, "%u bytes: probes fetch 1, 2, 4 or 8", type->size);
	} else {
		fetch_value_refuse(out, "a type that probes can't fetch");
	}
}

/* True: @type may point to a text; saved registers have type long. */
static bool is_address(const struct btf_type *type)
{
	return btf_is_ptr(type) || (btf_is_int(type) && type->size == POINTER_BYTES);
}

static void put_typed(struct fetch_value *out, struct typed_place *at,
		      const struct value_path *path, const char *wanted)
{
	const struct btf_type *type;

	for (uint32_t i = 0; i < path->step_count; i++)
		if (path->steps[i].kind == VALUE_INDEX ? !go_to_element(at, &path->steps[i], out)
						       : !go_to_member(at, &path->steps[i], out))
			return;
	write_type(at->btf, at->type, out->type, sizeof(out->type));
	type = peel(at->btf, at->type);
	if (!wanted[0])
		put_natural(out, at);
	else
		fetch_value_put(out, &at->place, type && is_address(type), wanted);
}

static const struct btf_type *prototype_of(const struct btf *btf, const char *function)
{
	__s32 id = btf ? btf__find_by_name_kind(btf, function, BTF_KIND_FUNC) : -1;
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(btf, (__u32)id);

	return type ? btf__type_by_id(btf, type->type) : NULL;
}

/* Finds where argument @index is at the function's start. False: unknown. */
static bool place_of(const struct btf *btf, const struct btf_type *prototype, uint32_t index,
		     struct fetch_location *place, struct fetch_value *out)
{
	const struct btf_param *params = btf_params(prototype);

	for (uint32_t i = 0; i <= index; i++) {
		const struct btf_type *type = peel(btf, params[i].type);

		if (!params[i].type)
			fetch_value_refuse(out, "one of a variable number of arguments");
		else if (!type || btf_is_composite(type) || btf_is_array(type) ||
			 (btf_is_int(type) && type->size > POINTER_BYTES))
			fetch_value_refuse(out, "an argument before it, or it itself, is passed by "
					   "value in several registers");
		else
			continue;
		return false;
	}
	*place = fetch_argument(MACHINE_OWN, index);
	return true;
}

static int find_param(const struct btf *btf, const struct btf_type *prototype,
		      const struct value_path *path)
{
	const struct btf_param *params = btf_params(prototype);

	if (path->base == VALUE_ARGUMENT)
		return path->number <= btf_vlen(prototype) ? (int)path->number - 1 : -1;
	for (int i = 0; i < btf_vlen(prototype); i++) {
		const char *name = btf__name_by_offset(btf, params[i].name_off);

		if (name && strcmp(name, path->name) == 0)
			return i;
	}
	return -1;
}

static void list_params(const struct btf *btf, const struct btf_type *prototype,
			const char *wanted, struct fetch_value *out)
{
	const struct btf_param *params = btf_params(prototype);
	char names[FETCH_REASON_BYTES] = "";
	size_t used = 0;

	for (int i = 0; i < btf_vlen(prototype) && used < sizeof(names); i++) {
		const char *name = btf__name_by_offset(btf, params[i].name_off);

		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 name ? name : "");
	}
	fetch_value_refuse(out, "no argument '%.24s': it has %.60s", wanted,
			   names[0] ? names : "none");
}

/* Fetches the value by BTF. False: BTF does not have the function. */
static bool put_by_btf(const struct btf *btf, const char *function, const struct value_path *path,
		       const char *wanted, bool at_begin, struct fetch_value *out)
{
	const struct btf_type *prototype = prototype_of(btf, function);
	struct typed_place at = { .btf = btf };
	int index;

	if (!prototype)
		return false;
	if (path->base == VALUE_RETURNED) {
		at.place = fetch_register("$retval");
		at.type = prototype->type;
		at.name = "$retval";
		put_typed(out, &at, path, wanted);
		return true;
	}
	index = find_param(btf, prototype, path);
	if (index < 0 && path->base == VALUE_ARGUMENT)
		return false;
	if (index < 0)
		list_params(btf, prototype, path->name, out);
	else if (!at_begin)
		fetch_value_refuse(out, "arguments are known only where the function begins");
	else if (place_of(btf, prototype, (uint32_t)index, &at.place, out)) {
		at.type = btf_params(prototype)[index].type;
		at.name = btf__name_by_offset(btf, btf_params(prototype)[index].name_off);
		put_typed(out, &at, path, wanted);
	}
	return true;
}

static void fill_fetch(struct probe_fetch *out, const char *name, const struct fetch_value *value,
		       enum probe_origin origin, bool is_return)
{
	*out = (struct probe_fetch){ .kind = (enum probe_value_kind)value->kind, .origin = origin,
				     .is_return = is_return };
	snprintf(out->name, sizeof(out->name), "%s", name);
	snprintf(out->type, sizeof(out->type), "%s", value->type);
	snprintf(out->fetch, sizeof(out->fetch), "%s", value->fetch);
	if (!value->fetch[0])
		snprintf(out->reason, sizeof(out->reason), "%s", value->reason);
}

void kernel_types_fetch(struct kernel_types *types, const char *module, const char *function,
			const struct probe_argument *argument, bool at_begin,
			struct probe_fetch *out)
{
	struct fetch_value value = { .fetch = "" };
	const char *type = probe_meaning_fetched_as(argument->type);
	enum probe_origin origin = ORIGIN_BTF;
	struct value_path path;
	struct diag why;

	if (value_path_parse(&path, argument->value, &why)) {
		fetch_value_refuse(&value, "%s", why.text);
		origin = ORIGIN_TYPED;
	} else if (path.base == VALUE_RAW) {
		fetch_value_put_raw(&value, argument->value, type);
		origin = ORIGIN_TYPED;
	} else if (!put_by_btf(types_of(types, module), function, &path, type, at_begin,
			       &value)) {
		fetch_value_put_by_convention(&value, &path, type, at_begin, MACHINE_OWN);
		origin = ORIGIN_ABI;
	}
	fill_fetch(out, argument->name, &value, origin, value_path_is_return(argument->value));
	probe_fetch_set_meaning(out, argument);
}

static uint32_t offer_one(struct kernel_types *types, const char *module, const char *function,
			  const char *value, struct probe_fetch *out)
{
	struct probe_argument argument = { .type = "" };

	snprintf(argument.value, sizeof(argument.value), "%s", value);
	snprintf(argument.name, sizeof(argument.name), "%s", value);
	kernel_types_fetch(types, module, function, &argument, true, out);
	return 1;
}

uint32_t kernel_types_offer(struct kernel_types *types, const char *module, const char *function,
			    struct probe_fetch *out, uint32_t most)
{
	const struct btf *btf = types_of(types, module);
	const struct btf_type *prototype = prototype_of(btf, function);
	const uint32_t arguments = prototype ? btf_vlen(prototype)
					     : fetch_argument_registers(MACHINE_OWN);
	uint32_t count = 0;
	char value[16];

	for (uint32_t i = 0; i < arguments && count + 1 < most; i++) {
		const char *name = NULL;

		if (prototype && !btf_params(prototype)[i].type)
			break;
		snprintf(value, sizeof(value), "$arg%u", i + 1);
		if (prototype)
			name = btf__name_by_offset(btf, btf_params(prototype)[i].name_off);
		count += offer_one(types, module, function, name && name[0] ? name : value,
				   &out[count]);
	}
	if (!prototype || prototype->type)
		count += offer_one(types, module, function, "$retval", &out[count]);
	return count;
}
