/* pointed_text.c - see pointed_text.h.
 *
 * A system call's tracepoint has the arguments in their order, after __syscall_nr. The libc
 * function mostly has the name of the call and the same arguments.
 */
#include "pointed_text.h"

#include <stdio.h>
#include <string.h>

#define PREFIX "sys_enter_"

/* Returns the libc function for @call, whose name may differ on 64-bit systems. */
static const char *libc_name(const char *call)
{
	static const struct { const char *call, *function; } others[] = {
		{ "open", "open64" }, { "openat", "openat64" }, { "creat", "creat64" },
		{ "newstat", "stat64" }, { "newlstat", "lstat64" }, { "newfstatat", "fstatat64" },
		{ "truncate", "truncate64" }, { "statfs", "statfs64" }, { "umount", "umount2" },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(others[i].call, call) == 0)
			return others[i].function;
	return call;
}

/* Writes a kernel probe that fetches argument @number, from 1, from regs, the only parameter. */
static bool kernel_way(const char *call, unsigned int number, char *out, size_t room)
{
#if defined(__x86_64__)
	static const char *const registers[] = { "di", "si", "dx", "r10", "r8", "r9" };

	if (number > sizeof(registers) / sizeof(registers[0]))
		return false;
	snprintf(out, room, "k:__x64_sys_%s regs->%s:ustring", call, registers[number - 1]);
	return true;
#elif defined(__aarch64__)
	snprintf(out, room, "k:__arm64_sys_%s regs->regs[%u]:ustring", call, number - 1);
	return number <= 6;
#else
	(void)call;
	(void)number;
	(void)out;
	(void)room;
	return false;
#endif
}

/* Returns the number, from 1, of the system call's argument; 0: the field is none. */
static unsigned int argument_number(const struct raw_fields *fields, int index)
{
	const int call = raw_fields_find(fields, "__syscall_nr");

	return call < 0 || index <= call ? 0 : (unsigned int)(index - call);
}

static bool points_to_pointers(const struct raw_field *field)
{
	return strchr(field->type, '*') != strrchr(field->type, '*');
}

bool pointed_text_is(const struct raw_field *field)
{
	return field->is_address && strstr(field->type, "char") && !points_to_pointers(field);
}

void pointed_text_refuse(const char *group, const char *name, const struct raw_fields *fields,
			 int index, char *out, size_t room)
{
	const unsigned int number = argument_number(fields, index);
	const char *call = name + sizeof(PREFIX) - 1;
	char kernel[96];
	size_t used = (size_t)snprintf(out, room, "the record has only the address of this text");

	if (strcmp(group, "syscalls") != 0 || strncmp(name, PREFIX, sizeof(PREFIX) - 1) != 0 ||
	    !number || used >= room)
		return;
	if (points_to_pointers(&fields->list[index])) {	/* argv: first string after argv[0] */
		snprintf(out + used, room - used, "; u:libc.so.6:%s $arg%u[1]:string brings one of "
			 "them", libc_name(call), number);
		return;
	}
	used += (size_t)snprintf(out + used, room - used, "; u:libc.so.6:%s %s=$arg%u:string "
				 "brings it", libc_name(call), fields->list[index].name, number);
	if (used < room && kernel_way(call, number, kernel, sizeof(kernel)))
		snprintf(out + used, room - used, ", or with kprobes %s", kernel);
}
