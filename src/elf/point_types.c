/* point_types.c - see point_types.h. Everything here parses untrusted bytes. */
#include "point_types.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#define DEPTH_MAX	  32	/* nested typedefs, pointers, members: there may be cycles */
#define REGISTER_BYTES	  8
#define BY_VALUE_MAX	  16	/* larger aggregates are passed in memory: AMD64 ABI, 3.2.3;
				 * AAPCS64, 6.8.2 */
#define FLOATS_MAX	  4	/* members of a homogeneous aggregate: AAPCS64, 5.9.5 */
#define MEMBERS_MAX	  1000	/* members of a type that are looked at for these rules */

static bool follow_type(Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, out);
}

bool point_types_of(Dwarf_Die *die, Dwarf_Die *out)
{
	return follow_type(die, out);
}

static bool is_qualifier(int tag)
{
	return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

/* Strips typedefs and qualifiers; false: void, or a cycle. */
static bool peel(const Dwarf_Die *type, Dwarf_Die *out)
{
	*out = *type;
	for (int i = 0; i < DEPTH_MAX; i++) {
		const int tag = dwarf_tag(out);

		if (tag != DW_TAG_typedef && !is_qualifier(tag))
			return true;
		if (!follow_type(out, out))
			return false;
	}
	return false;
}

static bool is_pointer(int tag)
{
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

static bool is_aggregate(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type;
}

static uint64_t size_of(Dwarf_Die *type)
{
	Dwarf_Word bytes;

	return dwarf_aggregate_size(type, &bytes) == 0 ? bytes : 0;
}

static bool read_number(Dwarf_Die *die, unsigned int name, uint64_t *number)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) &&
	       dwarf_formudata(&attribute, number) == 0;
}

static bool is_complex(Dwarf_Die *type)
{
	uint64_t encoding;

	return dwarf_tag(type) == DW_TAG_base_type &&
	       read_number(type, DW_AT_encoding, &encoding) && encoding == DW_ATE_complex_float;
}

static bool is_float(Dwarf_Die *type)
{
	uint64_t encoding;

	return dwarf_tag(type) == DW_TAG_base_type &&
	       read_number(type, DW_AT_encoding, &encoding) &&
	       (encoding == DW_ATE_float || encoding == DW_ATE_complex_float ||
		encoding == DW_ATE_imaginary_float || encoding == DW_ATE_decimal_float);
}

/* Returns whether @type is a short vector, which one vector register has: AAPCS64, 5.8. */
static bool is_vector(Dwarf_Die *type)
{
	return dwarf_tag(type) == DW_TAG_array_type && dwarf_hasattr(type, DW_AT_GNU_vector) &&
	       (size_of(type) == 8 || size_of(type) == 16);
}

/* Returns whether @member is static: one per class, not per instance. */
static bool is_static(Dwarf_Die *member)
{
	return dwarf_hasattr(member, DW_AT_external) || dwarf_hasattr(member, DW_AT_declaration);
}

static const struct point_passing mixed = { .class = POINT_CLASS_MIXED };
static const struct point_passing by_reference = { .class = POINT_CLASS_REFERENCE,
						   .registers = 1 };

static bool is_passed_by_reference(Dwarf_Die *aggregate)
{
	uint64_t convention = 0;

	read_number(aggregate, DW_AT_calling_convention, &convention);
	return convention == DW_CC_pass_by_reference;
}

/* Passes integers, pointers and what else is neither aggregate nor floating point. */
static struct point_passing pass_plain(Dwarf_Die *plain)
{
	const bool is_wide = !is_pointer(dwarf_tag(plain)) && size_of(plain) > REGISTER_BYTES;

	if (dwarf_tag(plain) == DW_TAG_array_type)
		return mixed;
	return (struct point_passing){ POINT_CLASS_INTEGER, is_wide ? 2 : 1, false };
}

static struct point_passing pass_x86(Dwarf_Die *plain)
{
	if (is_float(plain))
		return size_of(plain) > REGISTER_BYTES
			       ? mixed : (struct point_passing){ POINT_CLASS_VECTOR, 1, false };
	if (!is_aggregate(dwarf_tag(plain)))
		return pass_plain(plain);
	if (is_passed_by_reference(plain))
		return by_reference;
	if (size_of(plain) > BY_VALUE_MAX)
		return (struct point_passing){ .class = POINT_CLASS_MEMORY };
	return mixed;
}

/* What the members of an aggregate have in common. */
struct members {
	uint64_t float_bytes;	/* size of each, if all are floating point numbers; 0: none yet */
	uint32_t floats;	/* in a union: of its largest member */
	uint32_t visited;
	bool has_others;	/* not only floating point numbers of one size */
	bool has_wide_integer;	/* one of 16 bytes, which has to be aligned */
	bool has_alignment;	/* the source gives one */
};

static void look_at_members(Dwarf_Die *type, struct members *found, int depth);

static void look_at_float(struct members *found, uint64_t bytes, uint32_t count)
{
	found->has_others |= found->float_bytes && found->float_bytes != bytes;
	found->float_bytes = bytes;
	found->floats += count;
}

static void look_at_array(Dwarf_Die *array, struct members *found, int depth)
{
	struct members element = { .visited = found->visited };
	uint64_t one, all = size_of(array);
	Dwarf_Die type;

	if (!follow_type(array, &type) || !(one = size_of(&type))) {
		found->has_others = true;
		return;
	}
	look_at_members(&type, &element, depth + 1);
	found->has_others |= element.has_others || all / one > FLOATS_MAX;
	found->has_wide_integer |= element.has_wide_integer;
	found->has_alignment |= element.has_alignment;
	found->visited = element.visited;
	if (element.floats && all / one <= FLOATS_MAX)
		look_at_float(found, element.float_bytes, (uint32_t)(element.floats * (all / one)));
}

static void look_at_aggregate(Dwarf_Die *type, struct members *found, int depth)
{
	const bool is_union = dwarf_tag(type) == DW_TAG_union_type;
	uint32_t before = found->floats, most = found->floats;
	Dwarf_Die child, inner;

	found->has_alignment |= dwarf_hasattr(type, DW_AT_alignment) == 1;
	if (dwarf_child(type, &child) != 0)
		return;
	do {
		const int tag = dwarf_tag(&child);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || is_static(&child))
			continue;
		found->has_alignment |= dwarf_hasattr(&child, DW_AT_alignment) == 1;
		if (is_union)
			found->floats = before;
		if (follow_type(&child, &inner))
			look_at_members(&inner, found, depth + 1);
		else
			found->has_others = true;
		most = found->floats > most ? found->floats : most;
	} while (dwarf_siblingof(&child, &child) == 0);
	found->floats = most;
}

static void look_at_members(Dwarf_Die *type, struct members *found, int depth)
{
	Dwarf_Die plain;

	if (depth > DEPTH_MAX || ++found->visited > MEMBERS_MAX || !peel(type, &plain)) {
		found->has_others = found->has_alignment = true;
		return;
	}
	if (is_aggregate(dwarf_tag(&plain))) {
		look_at_aggregate(&plain, found, depth);
	} else if (is_complex(&plain)) {
		look_at_float(found, size_of(&plain) / 2, 2);
	} else if (is_float(&plain) || is_vector(&plain)) {
		look_at_float(found, size_of(&plain), 1);
	} else if (dwarf_tag(&plain) == DW_TAG_array_type) {
		look_at_array(&plain, found, depth);
	} else {
		found->has_others = true;
		found->has_wide_integer |= size_of(&plain) > REGISTER_BYTES;
	}
}

/* Passes an aggregate: up to four floating point numbers of one size in vector registers, others
 * in up to two registers for integers, and large ones by reference. */
static struct point_passing pass_aarch64_aggregate(Dwarf_Die *plain)
{
	const uint64_t bytes = size_of(plain);
	struct members found = { .floats = 0 };

	if (is_passed_by_reference(plain))
		return by_reference;
	look_at_members(plain, &found, 0);
	if (!found.has_others && found.floats && found.floats <= FLOATS_MAX &&
	    found.floats * found.float_bytes == bytes)
		return (struct point_passing){ POINT_CLASS_VECTOR, (uint8_t)found.floats, false };
	if (bytes > BY_VALUE_MAX)
		return by_reference;
	if (found.has_alignment || !bytes)
		return mixed;
	return (struct point_passing){ POINT_CLASS_INTEGER, bytes > REGISTER_BYTES ? 2 : 1,
				       found.has_wide_integer };
}

static struct point_passing pass_aarch64(Dwarf_Die *plain)
{
	struct point_passing passing;

	if (is_complex(plain))
		return (struct point_passing){ POINT_CLASS_VECTOR, 2, false };
	if (is_float(plain) || is_vector(plain))
		return (struct point_passing){ POINT_CLASS_VECTOR, 1, false };
	if (is_aggregate(dwarf_tag(plain)))
		return pass_aarch64_aggregate(plain);
	passing = pass_plain(plain);
	passing.is_even = passing.registers == 2;
	return passing;
}

struct point_passing point_types_passing(Dwarf_Die *type, enum machine machine)
{
	Dwarf_Die plain;

	if (!peel(type, &plain))
		return mixed;
	return machine == MACHINE_AARCH64 ? pass_aarch64(&plain) : pass_x86(&plain);
}

/* Writes the type's name with its qualifiers and stars: "const struct item *". */
static void write_name(const Dwarf_Die *type, char *out, size_t room)
{
	char stars[DEPTH_MAX + 1] = "", elements[24] = "";
	const char *constant = "", *word = "", *name = "void";
	Dwarf_Die at = *type;
	size_t depth = 0;
	bool is_there = true;

	for (int i = 0; i < DEPTH_MAX && is_there; i++) {
		const int tag = dwarf_tag(&at);

		if (is_pointer(tag)) {
			stars[depth++] = tag == DW_TAG_pointer_type ? '*' : '&';
		} else if (tag == DW_TAG_const_type) {
			constant = "const ";
		} else if (tag == DW_TAG_array_type && !elements[0]) {
			Dwarf_Die element;
			uint64_t one = follow_type(&at, &element) ? size_of(&element) : 0;

			snprintf(elements, sizeof(elements), "[%llu]",
				 (unsigned long long)(one ? size_of(&at) / one : 0));
		} else if (!is_qualifier(tag)) {
			break;
		}
		is_there = follow_type(&at, &at);
	}
	if (is_there) {
		const int tag = dwarf_tag(&at);

		name = dwarf_diename(&at);
		word = tag == DW_TAG_structure_type ? "struct " : tag == DW_TAG_union_type
			? "union " : tag == DW_TAG_enumeration_type ? "enum " : "";
		if (!name)
			name = tag == DW_TAG_subroutine_type ? "(*)()" : "{...}";
	}
	snprintf(out, room, "%s%s%s%s%s%s", constant, word, name, depth ? " " : "", stars,
		 elements);
}

struct found_member {
	Dwarf_Die die;
	uint64_t offset;	/* bytes from the start of the outermost struct */
	bool is_computed;	/* the offset depends on the instance: a virtual base */
};

/* Adds the offset of @member; members of a union may have no offset attribute. */
static void add_offset(Dwarf_Die *member, struct found_member *found)
{
	Dwarf_Attribute attribute;
	uint64_t offset = 0;
	Dwarf_Op *ops;
	size_t count;

	if (!dwarf_attr_integrate(member, DW_AT_data_member_location, &attribute))
		return;
	if (dwarf_formudata(&attribute, &offset) == 0)
		found->offset += offset;
	else if (dwarf_getlocation(&attribute, &ops, &count) == 0 && count == 1 &&
		 ops[0].atom == DW_OP_plus_uconst)	/* so DWARF 2 has it */
		found->offset += ops[0].number;
	else
		found->is_computed = true;
}

/* Finds a member by name, also in anonymous members and base classes. */
static bool find_member(Dwarf_Die *type, const char *name, struct found_member *found, int depth)
{
	Dwarf_Die child, inner, plain;

	if (depth > DEPTH_MAX || dwarf_child(type, &child) != 0)
		return false;
	do {
		const int tag = dwarf_tag(&child);
		const char *known = dwarf_diename(&child);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || is_static(&child))
			continue;
		if (tag == DW_TAG_member && known) {
			if (strcmp(known, name) != 0)
				continue;
			found->die = child;
			add_offset(&child, found);
			return true;
		}
		if (!follow_type(&child, &inner) || !peel(&inner, &plain) ||
		    !find_member(&plain, name, found, depth + 1))
			continue;
		add_offset(&child, found);
		return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

/* Reads a bitfield. In DWARF 4 and 5 DW_AT_data_bit_offset counts from the struct's start; before,
 * DW_AT_bit_offset counts from the highest bit of a word of DW_AT_byte_size. */
static void read_bits(struct point_place *at, const struct found_member *found)
{
	Dwarf_Die member = found->die, type;
	uint64_t bits, first, bytes = 0;

	at->bits = 0;
	at->place.offset += (int64_t)found->offset;
	if (!read_number(&member, DW_AT_bit_size, &bits) || bits > 64)
		return;
	if (!read_number(&member, DW_AT_data_bit_offset, &first)) {
		if (!read_number(&member, DW_AT_bit_offset, &first))
			return;
		if (!read_number(&member, DW_AT_byte_size, &bytes) && follow_type(&member, &type))
			bytes = size_of(&type);
		first = bytes * 8 - first - bits;
	}
	if (first > UINT32_MAX)
		return;
	at->bits = (uint32_t)bits;
	at->first_bit = (uint32_t)(first % 8);
	at->place.offset += (int64_t)(first / 8);
}

static bool go_to_member(struct point_place *at, const struct value_step *step,
			 struct fetch_value *out)
{
	struct found_member found = { .offset = 0 };
	const char *type;
	Dwarf_Die plain;
	bool has_type = at->has_type && peel(&at->type, &plain);

	if (has_type && is_pointer(dwarf_tag(&plain))) {	/* a '.' there means the same */
		at->place = fetch_follow(&at->place);
		has_type = follow_type(&plain, &plain) && peel(&plain, &plain);
	}
	if (!has_type || !is_aggregate(dwarf_tag(&plain))) {
		fetch_value_refuse(out, "'%.24s' is no struct: it has no member '%.24s'", at->name,
				   step->name);
		return false;
	}
	if (!at->place.is_memory) {
		fetch_value_refuse(out, "'%.24s' is in registers here: no member can be fetched",
				   at->name);
		return false;
	}
	type = dwarf_diename(&plain) ? dwarf_diename(&plain) : at->name;
	if (!find_member(&plain, step->name, &found, 0)) {
		fetch_value_refuse(out, "%.32s has no member '%.24s'", type, step->name);
		return false;
	}
	if (found.is_computed) {
		fetch_value_refuse(out, "'%.24s' has no fixed offset in %.24s: it is of a virtual "
				   "base", step->name, type);
		return false;
	}
	read_bits(at, &found);
	at->has_type = follow_type(&found.die, &at->type);
	at->name = step->name;
	return true;
}

/* Returns whether @array has several dimensions: int[2][3] is one type with two ranges, not an
 * array of int[3]. */
static bool is_of_arrays(Dwarf_Die *array)
{
	Dwarf_Die range;

	return dwarf_child(array, &range) == 0 && dwarf_siblingof(&range, &range) == 0;
}

static bool go_to_element(struct point_place *at, const struct value_step *step,
			  struct fetch_value *out)
{
	uint64_t bytes = 0;
	Dwarf_Die plain;
	int tag = at->has_type && peel(&at->type, &plain) ? dwarf_tag(&plain) : 0;

	if (tag == DW_TAG_array_type && is_of_arrays(&plain)) {
		fetch_value_refuse(out, "'%.40s' is an array of arrays: probes know those of one "
				   "dimension", at->name);
		return false;
	}
	if (tag == DW_TAG_pointer_type)
		at->place = fetch_follow(&at->place);
	if (tag == DW_TAG_pointer_type || (tag == DW_TAG_array_type && at->place.is_memory))
		at->has_type = follow_type(&plain, &at->type);
	else
		at->has_type = false;
	if (at->has_type)
		bytes = size_of(&at->type);
	if (!bytes || bytes > UINT32_MAX) {
		fetch_value_refuse(out, "'%.40s' is no array with elements of known size",
				   at->name);
		return false;
	}
	at->place.offset += (int64_t)(step->index * bytes);
	return true;
}

bool point_types_walk(struct point_place *at, const struct value_path *path,
		      struct fetch_value *out)
{
	for (uint32_t i = 0; i < path->step_count; i++) {
		const struct value_step *step = &path->steps[i];

		if (step->kind == VALUE_INDEX ? !go_to_element(at, step, out)
					      : !go_to_member(at, step, out))
			return false;
	}
	return true;
}

/* Returns whether @type is char; not uint8_t and the like, which are numbers and no text. */
static bool is_char(Dwarf_Die *type)
{
	uint64_t encoding;
	Dwarf_Die at = *type;

	for (int i = 0; i < DEPTH_MAX && is_qualifier(dwarf_tag(&at)); i++)
		if (!follow_type(&at, &at))
			return false;
	return dwarf_tag(&at) == DW_TAG_base_type && size_of(&at) == 1 &&
	       read_number(&at, DW_AT_encoding, &encoding) &&
	       (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char);
}

static bool is_of_chars(Dwarf_Die *type)
{
	Dwarf_Die element;

	return follow_type(type, &element) && is_char(&element);
}

static char letter_of(Dwarf_Die *type)
{
	uint64_t encoding = DW_ATE_unsigned;
	Dwarf_Die base;

	if (!read_number(type, DW_AT_encoding, &encoding) && follow_type(type, &base) &&
	    peel(&base, &base))
		read_number(&base, DW_AT_encoding, &encoding);	/* an enumeration's base type */
	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char ? 's' : 'u';
}

static void put_number(const struct point_place *at, Dwarf_Die *plain, struct fetch_value *out)
{
	char type[FETCH_TYPE_BYTES];

	if (at->bits)
		fetch_value_put_bits(out, &at->place, at->first_bit, at->bits, size_of(plain));
	else if (fetch_integer_type(type, letter_of(plain), size_of(plain)))
		fetch_value_put(out, &at->place, false, type);
	else
		fetch_value_refuse(out, "%llu bytes: probes fetch 1, 2, 4 or 8",
				   (unsigned long long)size_of(plain));
}

static void put_natural(const struct point_place *at, Dwarf_Die *plain, struct fetch_value *out)
{
	const int tag = dwarf_tag(plain);

	if (tag == DW_TAG_pointer_type && is_of_chars(plain))
		fetch_value_put(out, &at->place, true, "string");
	else if (is_pointer(tag) || tag == DW_TAG_unspecified_type)
		fetch_value_put(out, &at->place, true, "x64");
	else if (tag == DW_TAG_array_type && is_of_chars(plain) && at->place.is_memory)
		fetch_value_put(out, &at->place, false, "string");
	else if (tag == DW_TAG_array_type)
		fetch_value_refuse(out, "an array: take one element, %.40s[0]", at->name);
	else if (is_aggregate(tag))
		fetch_value_refuse(out, "a struct: take a member of it");
	else if (is_float(plain))
		fetch_value_refuse(out, "a floating point number: probes fetch integers only");
	else if (tag == DW_TAG_base_type || tag == DW_TAG_enumeration_type)
		put_number(at, plain, out);
	else
		fetch_value_refuse(out, "a type that probes can't fetch");
}

bool point_types_is_struct(const struct point_place *at)
{
	Dwarf_Die plain;

	return at->has_type && peel(&at->type, &plain) && is_aggregate(dwarf_tag(&plain));
}

void point_types_put(const struct point_place *at, const char *wanted, struct fetch_value *out)
{
	Dwarf_Die plain;
	bool has_type = at->has_type && peel(&at->type, &plain);

	if (at->has_type)
		write_name(&at->type, out->type, sizeof(out->type));
	if (wanted[0])
		fetch_value_put(out, &at->place, has_type && is_pointer(dwarf_tag(&plain)), wanted);
	else if (has_type)
		put_natural(at, &plain, out);
	else
		fetch_value_refuse(out, "void: there is nothing to fetch");
}
