/* probe_meaning.c - see probe/probe_meaning.h. */
#include "probe/probe_meaning.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* norm() makes texts equal that differ only in constants.
 *
 *   SELECT a FROM t1 WHERE id = 42 AND n = 'x''y'   ->  SELECT a FROM t1 WHERE id = ? AND n = ?
 *   INSERT INTO t VALUES (1, -2.5e3, "z")           ->  INSERT INTO t VALUES (?, ...)
 *
 * It recognizes constants without knowing the language: double quotes count as text, though some
 * dialects quote names with them. */
#define MASK '?'

struct mask {
	const char *at, *end;
	char *out;
	size_t room, used;
};

static void put(struct mask *mask, char byte)
{
	if (mask->used + 1 < mask->room)
		mask->out[mask->used++] = byte;
}

static void put_text(struct mask *mask, const char *text)
{
	while (*text)
		put(mask, *text++);
}

static bool is_name_byte(char byte)
{
	return isalnum((unsigned char)byte) || (byte && strchr("_$", byte)) || (byte & 0x80);
}

/* Skips a quoted text, which doubled quotes and escaped bytes do not end; the end of input does. */
static void skip_quoted(struct mask *mask)
{
	const char quote = *mask->at++;

	while (mask->at < mask->end) {
		const char byte = *mask->at++;

		if (byte == '\\' && mask->at < mask->end)
			mask->at++;
		else if (byte != quote)
			continue;
		else if (mask->at < mask->end && *mask->at == quote)
			mask->at++;
		else
			return;
	}
}

/* Skips digits, points, letters (0x1f, 1e9, 5ms) and the sign of an exponent. */
static void skip_number(struct mask *mask)
{
	const bool is_hex = mask->end - mask->at > 1 && (mask->at[1] | 32) == 'x';

	while (mask->at < mask->end) {
		const char byte = *mask->at;
		const bool is_exponent = (byte == '-' || byte == '+') && !is_hex &&
					 (mask->at[-1] | 32) == 'e' && mask->at + 1 < mask->end &&
					 isdigit((unsigned char)mask->at[1]);

		if (!isalnum((unsigned char)byte) && byte != '.' && byte != '_' && !is_exponent)
			return;
		mask->at++;
	}
}

/* True: a signed number; its sign follows no operand. */
static bool is_signed_number(const struct mask *mask)
{
	size_t at = mask->used;

	if ((*mask->at != '-' && *mask->at != '+') || mask->at + 1 >= mask->end ||
	    !isdigit((unsigned char)mask->at[1]))
		return false;
	while (at && mask->out[at - 1] == ' ')
		at--;
	return !at || strchr("(,=<>+-*/%|&^", mask->out[at - 1]);
}

/* True: ", CONSTANT" follows a "?"; then moves mask->at to the constant. */
static bool continues_list(struct mask *mask)
{
	const char *at = mask->at;

	while (at < mask->end && isspace((unsigned char)*at))
		at++;
	if (at == mask->end || *at++ != ',')
		return false;
	while (at < mask->end && isspace((unsigned char)*at))
		at++;
	if (at < mask->end && (*at == '-' || *at == '+'))
		at++;
	if (at == mask->end || (!isdigit((unsigned char)*at) && *at != '\'' && *at != '"'))
		return false;
	mask->at = at;
	return true;
}

static void skip_constant(struct mask *mask)
{
	if (*mask->at == '\'' || *mask->at == '"')
		skip_quoted(mask);
	else
		skip_number(mask);
}

static void put_constant(struct mask *mask)
{
	bool is_list = false;

	mask->at += *mask->at == '-' || *mask->at == '+';
	skip_constant(mask);
	put(mask, MASK);
	while (continues_list(mask)) {
		skip_constant(mask);
		is_list = true;
	}
	if (is_list)
		put_text(mask, ", ...");
}

/* A quote in a word ("don't") begins no text; after a single letter it does: E'..', x'..'. */
static void put_name(struct mask *mask)
{
	const char *begin = mask->at;

	while (mask->at < mask->end && is_name_byte(*mask->at))
		put(mask, *mask->at++);
	if (mask->at < mask->end && *mask->at == '\'' && mask->at - begin > 1)
		put(mask, *mask->at++);
}

static void put_blank(struct mask *mask)
{
	while (mask->at < mask->end && isspace((unsigned char)*mask->at))
		mask->at++;
	if (mask->used && mask->at < mask->end)
		put(mask, ' ');
}

/* Writes @text[@bytes] to @out[@room], terminated. Replaces each number that is no part of a name
 * and each quoted text by ?, a list of these by its first one and "...", blanks by one. Cuts off
 * what does not fit. Returns the length. */
static size_t mask_statement(const char *text, size_t bytes, char *out, size_t room)
{
	struct mask mask = { .at = text, .end = text + bytes, .out = out, .room = room };

	while (mask.at < mask.end) {
		const char byte = *mask.at;

		if (isspace((unsigned char)byte))
			put_blank(&mask);
		else if (byte == '\'' || byte == '"' || isdigit((unsigned char)byte) ||
			 is_signed_number(&mask))
			put_constant(&mask);
		else if (is_name_byte(byte))
			put_name(&mask);
		else
			put(&mask, *mask.at++);
	}
	if (room)
		out[mask.used] = '\0';
	return mask.used;
}

#define ERRNO_MAX  4095	/* the kernel's MAX_ERRNO: a larger magnitude is an address or a size */
#define MAC_BYTES  6
#define UUID_BYTES 16

static const struct {
	const char *type;
	enum probe_meaning meaning;
	const char *fetched_as;
} types[] = {
	{ "ipv4", MEANING_IPV4, "u32" },
	{ "ipv6", MEANING_IPV6, "u8[16]" },
	{ "port", MEANING_PORT, "u16" },
	{ "sockaddr", MEANING_SOCKET_ADDRESS, "u8[28]" },
	{ "mac", MEANING_MAC, "u8[6]" },
	{ "uuid", MEANING_UUID, "u8[16]" },
	{ "errno", MEANING_ERRNO, "s32" },
	{ "syscall", MEANING_SYSCALL, "s32" },
};
#define TYPES (sizeof(types) / sizeof(types[0]))

bool probe_meaning_of_type(const char *type, enum probe_meaning *out)
{
	for (size_t i = 0; i < TYPES; i++)
		if (strcmp(types[i].type, type) == 0) {
			*out = types[i].meaning;
			return true;
		}
	return false;
}

const char *probe_meaning_fetched_as(const char *type)
{
	for (size_t i = 0; i < TYPES; i++)
		if (strcmp(types[i].type, type) == 0)
			return types[i].fetched_as;
	return strcmp(type, "symbol") == 0 ? "x64" : type;	/* uprobes have no symbols */
}

static enum probe_meaning of_array(const struct raw_fields *fields, const struct raw_field *field)
{
	switch (raw_fields_print(fields, field)) {
	case PRINT_IPV4:	   return MEANING_IPV4;
	case PRINT_IPV6:	   return MEANING_IPV6;
	case PRINT_SOCKET_ADDRESS: return MEANING_SOCKET_ADDRESS;
	case PRINT_UUID:	   return MEANING_UUID;
	case PRINT_MAC:		   return MEANING_MAC;
	default:		   break;
	}
	return field->element_size > 1 ? MEANING_LIST : MEANING_BYTES;
}

enum probe_meaning probe_meaning_of(const struct raw_fields *fields, const struct raw_field *field,
				    const char *group, const char *name)
{
	const bool is_raw = strcmp(group, "raw_syscalls") == 0;

	if (field->is_text)
		return MEANING_PLAIN;
	if (field->is_array)
		return of_array(fields, field);
	if (raw_fields_print(fields, field) == PRINT_IPV4)
		return MEANING_IPV4;
	if (is_raw || strcmp(group, "syscalls") == 0) {
		if (strcmp(field->name, is_raw ? "id" : "__syscall_nr") == 0)
			return MEANING_SYSCALL;
		if (strcmp(field->name, "ret") == 0 && strncmp(name, "sys_exit", 8) == 0)
			return MEANING_ERRNO;
	}
	return raw_fields_has_names(fields, field) ? MEANING_WORDS : MEANING_PLAIN;
}

bool probe_meaning_is_text(enum probe_meaning meaning)
{
	return meaning >= MEANING_IPV4;
}

static size_t write_socket_address(const unsigned char *bytes, size_t count, char *out, size_t room)
{
	char address[INET6_ADDRSTRLEN];
	struct sockaddr_in6 six = { 0 };
	struct sockaddr_in four;

	memcpy(&six, bytes, count < sizeof(six) ? count : sizeof(six));
	if (six.sin6_family == AF_INET && count >= 8) {
		memcpy(&four, &six, sizeof(four));
		inet_ntop(AF_INET, &four.sin_addr, address, sizeof(address));
		return (size_t)snprintf(out, room, "%s:%u", address, ntohs(four.sin_port));
	}
	if (six.sin6_family == AF_INET6 && count >= 24) {
		inet_ntop(AF_INET6, &six.sin6_addr, address, sizeof(address));
		return (size_t)snprintf(out, room, "[%s]:%u", address, ntohs(six.sin6_port));
	}
	if (six.sin6_family == AF_UNIX && count > 3)	/* an abstract name begins with a 0 */
		return (size_t)snprintf(out, room, "unix:%s%.*s", bytes[2] ? "" : "@",
					(int)count - (bytes[2] ? 2 : 3),
					(const char *)bytes + (bytes[2] ? 2 : 3));
	return (size_t)snprintf(out, room, "family %u", six.sin6_family);
}

/* Bytes in hex, with @separator between them. */
static size_t write_hex(const unsigned char *bytes, size_t count, const char *separator, char *out,
			size_t room)
{
	size_t used = 0;

	for (size_t i = 0; i < count && used + 4 < room; i++)
		used += (size_t)snprintf(out + used, room - used, "%s%02x", i ? separator : "",
					 bytes[i]);
	return used;
}

static size_t write_uuid(const unsigned char *bytes, char *out, size_t room)
{
	size_t used = 0;

	for (size_t i = 0; i < UUID_BYTES && used + 4 < room; i++)
		used += (size_t)snprintf(out + used, room - used, "%s%02x",
					 i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
					 bytes[i]);
	return used;
}

static size_t write_list(const struct raw_field *field, const struct raw_value *value, char *out,
			 size_t room)
{
	const size_t size = field->element_size;
	size_t used = (size_t)snprintf(out, room, "{");

	for (size_t at = 0; at + size <= value->text_bytes && used + 24 < room; at += size) {
		uint64_t number = 0;

		memcpy(&number, value->text + at, size);
		if (field->is_signed && size < 8 && number >> (8 * size - 1))
			number |= UINT64_MAX << 8 * size;
		used += (size_t)snprintf(out + used, room - used,
					 field->is_signed ? "%s%" PRId64 :
					 number > UINT16_MAX ? "%s0x%" PRIx64 : "%s%" PRIu64,
					 at ? ", " : "", number);
	}
	return used + (size_t)snprintf(out + used, room - used, "}");
}

static size_t write_address(int family, const void *bytes, char *out, size_t room)
{
	return inet_ntop(family, bytes, out, (socklen_t)room) ? strlen(out) : 0;
}

static size_t write_bytes(enum probe_meaning meaning, const struct raw_field *field,
			  const struct raw_value *value, char *out, size_t room)
{
	const uint32_t word = (uint32_t)value->number;
	const unsigned char *bytes = (const unsigned char *)value->text;
	const size_t count = value->text ? value->text_bytes : 0;

	out[0] = '\0';
	switch (meaning) {
	case MEANING_IPV4:
		return write_address(AF_INET, count >= sizeof(word) ? (const void *)bytes : &word,
				     out, room);
	case MEANING_IPV6:
		return count < 16 ? 0 : write_address(AF_INET6, bytes, out, room);
	case MEANING_SOCKET_ADDRESS:
		return count < 2 ? 0 : write_socket_address(bytes, count, out, room);
	case MEANING_UUID:
		return count < UUID_BYTES ? 0 : write_uuid(bytes, out, room);
	case MEANING_MAC:
		return count < MAC_BYTES ? 0 : write_hex(bytes, MAC_BYTES, ":", out, room);
	case MEANING_BYTES:
		return write_hex(bytes, count, " ", out, room);
	case MEANING_LIST:
		return write_list(field, value, out, room);
	case MEANING_STATEMENT:
		return count ? mask_statement(value->text, count, out, room) : 0;
	default:
		return 0;
	}
}

size_t probe_meaning_write(enum probe_meaning meaning, const struct raw_field *field,
			   const struct raw_value *value, char *out, size_t room)
{
	const size_t bytes = write_bytes(meaning, field, value, out, room);

	return bytes < room ? bytes : room - 1;	/* it was cut */
}

/* System calls that libseccomp 2.5 does not know: new calls have one number on all machines. */
static const char *const newer_calls[] = {
	"cachestat", "fchmodat2", "map_shadow_stack", "futex_wake", "futex_wait", "futex_requeue",
	"statmount", "listmount", "lsm_get_self_attr", "lsm_set_self_attr", "lsm_list_modules",
	"mseal", "setxattrat", "getxattrat", "listxattrat", "removexattrat", "open_tree_attr",
	"file_getattr", "file_setattr",
};
#define NEWER_FIRST 451
#define NEWER_CALLS (sizeof(newer_calls) / sizeof(newer_calls[0]))

/* Returns libseccomp's number for @machine; 0: its system calls are unknown. */
static uint32_t seccomp_machine(enum machine machine)
{
	switch (machine) {
	case MACHINE_X86_64:
		return SCMP_ARCH_X86_64;
	case MACHINE_X86_32:
		return SCMP_ARCH_X86;
	case MACHINE_AARCH64:
		return SCMP_ARCH_AARCH64;
	default:
		return 0;
	}
}

static bool name_syscall(enum machine machine, uint64_t number, char *out, size_t room)
{
	const uint32_t calls_of = seccomp_machine(machine);
	bool is_known;
	char *name;

	if (number >= NEWER_FIRST && number < NEWER_FIRST + NEWER_CALLS) {
		snprintf(out, room, "%s", newer_calls[number - NEWER_FIRST]);
		return true;
	}
	if (number > INT32_MAX || !calls_of)
		return false;
	name = seccomp_syscall_resolve_num_arch(calls_of, (int)number);
	is_known = name != NULL;
	if (is_known)
		snprintf(out, room, "%s", name);
	free(name);
	return is_known;
}

static bool number_syscall(const char *name, uint64_t *number)
{
	const int found = seccomp_syscall_resolve_name(name);

	for (size_t i = 0; i < NEWER_CALLS; i++)
		if (strcmp(newer_calls[i], name) == 0) {
			*number = NEWER_FIRST + i;
			return true;
		}
	*number = (uint64_t)found;
	return found >= 0;	/* negative: unknown, or of another architecture */
}

/* Error numbers internal to the kernel, seen only by tracers. */
static const struct { int number; const char *name; } kernel_errors[] = {
	{ 512, "ERESTARTSYS" }, { 513, "ERESTARTNOINTR" }, { 514, "ERESTARTNOHAND" },
	{ 515, "ENOIOCTLCMD" }, { 516, "ERESTART_RESTARTBLOCK" }, { 517, "EPROBE_DEFER" },
	{ 521, "EBADHANDLE" }, { 524, "ENOTSUPP" }, { 529, "EIOCBQUEUED" },
};

static const char *error_name(int number)
{
	for (size_t i = 0; i < sizeof(kernel_errors) / sizeof(kernel_errors[0]); i++)
		if (kernel_errors[i].number == number)
			return kernel_errors[i].name;
	return strerrorname_np(number);
}

static bool name_error(uint64_t number, char *out, size_t room)
{
	const uint64_t magnitude = 0 - number;
	const char *name;

	if (!magnitude || magnitude > ERRNO_MAX)
		return false;
	name = error_name((int)magnitude);
	if (name)
		snprintf(out, room, "%s", name);
	return name;
}

static bool number_error(const char *name, uint64_t *number)
{
	name += name[0] == '-';
	for (int i = 1; i <= ERRNO_MAX && name[0] == 'E'; i++) {
		const char *known = error_name(i);

		if (!known || strcmp(known, name) != 0)
			continue;
		*number = 0 - (uint64_t)i;
		return true;
	}
	return false;
}

bool probe_meaning_name(enum probe_meaning meaning, enum machine machine, uint64_t number,
			char *out, size_t room)
{
	if (meaning == MEANING_SYSCALL)
		return name_syscall(machine, number, out, room);
	return meaning == MEANING_ERRNO && name_error(number, out, room);
}

bool probe_meaning_number(enum probe_meaning meaning, const char *name, uint64_t *number)
{
	if (meaning == MEANING_SYSCALL)
		return number_syscall(name, number);
	return meaning == MEANING_ERRNO && number_error(name, number);
}
