/* probe_pmu.c - see probe_pmu.h.
 *
 * Idea: values are described as fields of the record, with the names that a definition in tracefs
 * would give them, so later code can't tell the difference. A value that tracefs would fetch from a
 * register is in the interrupted registers; so is the return address on aarch64, while on x86 it is
 * on top of the copied stack.
 */
#include "probe_pmu.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/scope.h"
#include "capture/event.h"
#include "capture/stack_copy.h"
#include "sandbox/probe_points.h"

#define NOWHERE_FILE   "/proc/self/flametop_nowhere"
#define NOWHERE_SYMBOL "flametop_nowhere"
#define WORD_BYTES     8
#define FUNCTION_AT    8	/* offset in a return's raw record, after the common fields */

int probe_pmu_point_at(struct probe_link_config *config, const struct probe_pmu_site *point,
		       struct diag *why)
{
	struct perf_event_attr attr = { 0 };
	char terms[80], name[8];
	int err;

	snprintf(terms, sizeof(terms), "retprobe=%d", point->is_return);
	if (point->semaphore)
		snprintf(terms, sizeof(terms), "retprobe=%d,ref_ctr_offset=%" PRIu32,
			 point->is_return, point->semaphore);
	err = event_pmu_parse(EVENT_PMU_DEVICES, point->is_user ? "uprobe" : "kprobe", terms, &attr,
			      name, sizeof(name), why);
	if (err)
		return err;
	config->type = attr.type;
	config->config = attr.config;
	config->config1 = (uint64_t)(uintptr_t)point->name;
	config->config2 = point->offset;
	return 0;
}

int probe_pmu_try(bool is_user, struct diag *why)
{
	const struct probe_pmu_site point = { .is_user = is_user, .name = is_user
					       ? NOWHERE_FILE : NOWHERE_SYMBOL };
	const char *name = is_user ? "uprobe" : "kprobe";
	struct probe_link_config config = { 0 };
	struct perf_event_attr attr = { .size = sizeof(attr), .disabled = 1 };
	int err, fd;

	err = probe_pmu_point_at(&config, &point, NULL);
	if (err)
		return diag_set(why, err, "this kernel has no PMU \"%s\": it was built without"
				" CONFIG_%s_EVENTS", name, is_user ? "UPROBE" : "KPROBE");
	attr.type = config.type;
	attr.config1 = config.config1;
	fd = event_open(&attr, -1, cpu_list_first_online());
	if (fd >= 0)
		close(fd);
	if (fd >= 0 || fd == -ENOENT)
		return 0;
	return diag_set(why, fd, "the PMU \"%s\" is not permitted (%s): run as root, or with"
			" CAP_PERFMON", name, strerror(-fd));
}

/* Returns the byte offset of a register, "%di", in the interrupted registers; -1: it has none. */
static int point_of_register(const char *name, size_t length)
{
	const char *known;

	for (unsigned int number = 0;
	     (known = fetch_dwarf_register(MACHINE_OWN, number)) != NULL; number++)
		if (strlen(known) == length && strncmp(known, name, length) == 0)
			return user_registers_place(MACHINE_OWN, user_registers_mask(), number) *
			       WORD_BYTES;
	return -1;
}

static void add_field(struct raw_fields *fields, const char *name, enum raw_area area, int offset,
		      uint16_t bytes)
{
	struct raw_field *field = &fields->list[fields->count++];

	*field = (struct raw_field){ .area = area, .offset = (uint16_t)offset, .size = bytes,
				     .element_size = bytes };
	snprintf(field->name, sizeof(field->name), "%s", name);
}

/* Returns the bytes of a number's type, "u32", "s64", "x8", "symbol"; 0: it is none of these. */
static uint16_t bytes_of_type(const char *type)
{
	char *end;
	long bits;

	if (strcmp(type, "symbol") == 0)
		return WORD_BYTES;
	if (!strchr("usx", type[0]) || !type[0])
		return 0;
	bits = strtol(type + 1, &end, 10);
	return *end || (bits != 8 && bits != 16 && bits != 32 && bits != 64)
	       ? 0 : (uint16_t)(bits / 8);
}

static int add_value(struct raw_fields *fields, const struct probe_fetch *value, uint32_t index,
		     struct diag *why)
{
	const size_t length = strcspn(value->fetch, ":");
	const char *type = value->fetch[length] ? value->fetch + length + 1 : "x64";
	const bool is_result = strncmp(value->fetch, "$retval", length) == 0;
	/* %ax and %x0 both have the number 0. */
	const char *result = fetch_dwarf_register(MACHINE_OWN, 0);
	const int offset = is_result ? point_of_register(result, strlen(result))
				     : point_of_register(value->fetch, length);
	const uint16_t bytes = bytes_of_type(type);
	char name[16];

	if (offset < 0 || !bytes)
		return diag_set(why, -ENOTSUP, "%s lies in memory, which only tracefs can fetch:"
				" leave it out, or run as root", value->name);
	snprintf(name, sizeof(name), "a%u", index);
	add_field(fields, name, AREA_REGISTERS, offset, bytes);
	fields->list[fields->count - 1].is_signed = type[0] == 's' && type[1] != 'y';
	return 0;
}

/* Adds the field with the address to which a function returns that has just been entered. */
static void add_return_address(struct raw_fields *fields, struct probe_link_config *config)
{
	if (MACHINE_OWN == MACHINE_AARCH64) {
		add_field(fields, "ra", AREA_REGISTERS, point_of_register("%x30", 4), WORD_BYTES);
		return;
	}
	add_field(fields, "ra", AREA_STACK, 0, WORD_BYTES);
	config->with_stack_top = true;
}

/* Adds the fields that pair entries and returns, and the one with the function that returned. */
static void add_frame(struct raw_fields *fields, struct probe_link_config *config,
		      const struct probe_point *points, bool is_at_return)
{
	add_field(fields, "sp", AREA_REGISTERS, point_of_register("%sp", 3), WORD_BYTES);
	if (is_at_return)
		add_field(fields, "__probe_func", AREA_RAW, FUNCTION_AT, WORD_BYTES);
	else if (points->spec.kind != PROBE_KERNEL && points->spec.edge == PROBE_LATENCY &&
		 !points->spec.end.function[0])
		add_return_address(fields, config);
}

static int point_at(struct probe_pmu_definition *out, struct probe_link_config *config,
		    const struct probe_point *points, const struct probe_site *site,
		    bool is_return, struct diag *why)
{
	const struct probe_point *point = probe_point_of_edge(points, is_return);
	const bool is_at_return = probe_point_is_at_return(points, is_return);
	struct probe_pmu_site pmu_site = {
		.is_user = point->spec.kind != PROBE_KERNEL, .is_return = is_at_return,
		.name = out->name, .offset = site->offset,
		.semaphore = is_at_return ? 0 : (uint32_t)site->semaphore,
	};

	if (point->spec.kind == PROBE_TRACEPOINT)
		return diag_set(why, -ENOTSUP, "tracepoints need tracefs: run as root");
	if (!pmu_site.is_user && points->spec.edge == PROBE_RETURN)
		return diag_set(why, -ENOTSUP, "without tracefs nobody knows which returns the"
				" kernel misses: probe entry and return (lat:%s)", site->symbol);
	if (pmu_site.is_user)
		snprintf(out->name, sizeof(out->name), "/proc/self/fd/%d", point->file);
	else
		snprintf(out->name, sizeof(out->name), "%s", site->symbol);
	return probe_pmu_point_at(config, &pmu_site, why);
}

int probe_pmu_define(struct probe_pmu_definition *out, struct probe_link_config *config,
		     const struct probe_point *points, const struct probe_site *site,
		     bool is_return, struct diag *why)
{
	int err;

	*out = (struct probe_pmu_definition){ .name = "" };
	err = point_at(out, config, points, site, is_return, why);
	if (err)
		return err;
	out->fields.list = calloc(site->value_count + 3, sizeof(*out->fields.list));
	if (!out->fields.list)
		return diag_set(why, -ENOMEM, "no memory for a probe");
	config->with_registers = true;
	add_frame(&out->fields, config, points, probe_point_is_at_return(points, is_return));
	for (uint32_t i = 0; i < site->value_count && !err; i++)
		if (site->values[i].is_return == is_return && site->values[i].fetch[0])
			err = add_value(&out->fields, &site->values[i], i, why);
	if (err)
		raw_fields_finish(&out->fields);
	return err;
}
