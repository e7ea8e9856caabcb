/* event_pmu.c - see capture/event.h. */
#include "capture/event.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sanitize.h"
#include "base/whole_io.h"

#define SYSFS_TEXT_BYTES 4096	/* a sysfs file is at most a page */

struct pmu {
	const char *devices, *name;
	struct perf_event_attr *attr;
	char *event_name;	/* buffer for the name= term */
	size_t event_name_bytes;
};

/* Reads a file of the PMU, without the newline at its end. Returns 0 or -errno. */
static int read_pmu_file(const struct pmu *pmu, const char *dir, const char *file, char *text)
{
	char path[512];
	ssize_t got;
	int fd;

	if (strchr(file, '/') || *file == '.' || *pmu->name == '.' || strchr(pmu->name, '/'))
		return -ENOENT;
	if (snprintf(path, sizeof(path), "%s/%s/%s%s", pmu->devices, pmu->name, dir, file) >=
	    (int)sizeof(path))
		return -ENOENT;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = whole_read(fd, text, SYSFS_TEXT_BYTES - 1);
	close(fd);
	if (got < 0)
		return -EIO;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

/* Writes the names of the files in one directory of the PMU as "a, b, c", cut with "...". */
static void list_pmu_files(const struct pmu *pmu, const char *dir, char *out, size_t room)
{
	char path[512];
	const struct dirent *entry;
	size_t used = 0;
	DIR *files;

	snprintf(out, room, "none");
	snprintf(path, sizeof(path), "%s/%s/%s", pmu->devices, pmu->name, dir);
	files = opendir(path);
	if (!files)
		return;
	while ((entry = readdir(files)) != NULL) {
		if (entry->d_name[0] == '.' || strchr(entry->d_name, '.'))	/* NAME.unit */
			continue;
		if (used + strlen(entry->d_name) + 8 > room) {
			snprintf(out + used, room - used, ", ...");
			break;
		}
		used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "",
					 entry->d_name);
	}
	closedir(files);
}

static __u64 *find_config(struct perf_event_attr *attr, const char *name, size_t len)
{
	if (len == 6 && !strncmp(name, "config", len))
		return &attr->config;
	if (len == 7 && !strncmp(name, "config1", len))
		return &attr->config1;
	if (len == 7 && !strncmp(name, "config2", len))
		return &attr->config2;
	return NULL;
}

/* Moves the low bits of *@value into one range "LOW[-HIGH]" of *@config; the rest stays in *@value.
 * Returns the text after the range, or NULL. */
static const char *put_range(const char *range, __u64 *config, uint64_t *value)
{
	char *end;
	unsigned long low, high;
	uint64_t mask;

	if (!isdigit((unsigned char)*range))
		return NULL;
	low = high = strtoul(range, &end, 10);
	if (*end == '-')
		high = strtoul(end + 1, &end, 10);
	if (low > high || high > 63)
		return NULL;
	mask = high - low == 63 ? UINT64_MAX : ((uint64_t)1 << (high - low + 1)) - 1;
	*config = (*config & ~(mask << low)) | (*value & mask) << low;
	*value = high - low == 63 ? 0 : *value >> (high - low + 1);
	return end;
}

/* @format as in sysfs: "config:0-7,32-35". The value's low bits fill the first range. */
static int put_field(const char *format, uint64_t value, struct perf_event_attr *attr)
{
	const char *at = strchr(format, ':');
	__u64 *config = at ? find_config(attr, format, (size_t)(at - format)) : NULL;

	if (!config)
		return -ENOTSUP;	/* config3, or a newer form */
	do {
		at = put_range(at + 1, config, &value);
		if (!at)
			return -ENOTSUP;
	} while (*at == ',');
	return value ? -ERANGE : 0;
}

static int parse_terms(const struct pmu *pmu, const char *terms, bool from_sysfs,
		       struct diag *why);

static int put_number(const struct pmu *pmu, const char *term, const char *text, struct diag *why)
{
	char format[SYSFS_TEXT_BYTES], fields[160];
	char *end;
	uint64_t value = text ? strtoull(text, &end, 0) : 1;
	__u64 *config = find_config(pmu->attr, term, strlen(term));
	int err;

	if (text && (!isdigit((unsigned char)*text) || *end))
		return diag_set(why, -EINVAL, "%s/%s=%s/: \"%s\" is not a number", pmu->name, term,
				text, text);
	if (config) {
		*config = value;
		return 0;
	}
	if (read_pmu_file(pmu, "format/", term, format) != 0) {
		list_pmu_files(pmu, "format", fields, sizeof(fields));
		return diag_set(why, -ENOENT, "%s has no field%s \"%s\"; its fields: %s", pmu->name,
				text ? "" : " or event", term, fields);
	}
	err = put_field(format, value, pmu->attr);
	if (err == -ERANGE)
		return diag_set(why, -EINVAL, "%s/%s=%s/ has more bits than the field (%s)",
				pmu->name, term, text ? text : "1", format);
	if (err)
		return diag_set(why, err, "%s/%s/: the kernel's field \"%s\" is of an unknown form",
				pmu->name, term, format);
	return 0;
}

static int put_term(const struct pmu *pmu, char *term, bool from_sysfs, struct diag *why)
{
	char event[SYSFS_TEXT_BYTES];
	char *value = strchr(term, '=');

	if (value)
		*value++ = '\0';
	if (value && !strcmp(term, "name")) {
		if (!*value)
			return diag_set(why, -EINVAL, "%s/name=/: a name must follow", pmu->name);
		snprintf(pmu->event_name, pmu->event_name_bytes, "%s", value);
		return 0;
	}
	if (value && !strcmp(value, "?"))
		return diag_set(why, -EINVAL, "this event of %s needs %s=NUMBER besides", pmu->name,
				term);
	if (!value && !from_sysfs && read_pmu_file(pmu, "events/", term, event) == 0)
		return parse_terms(pmu, event, true, why);
	return put_number(pmu, term, value, why);
}

/* @from_sysfs: the text of an events/ file, which names fields only (so that it cannot recurse). */
static int parse_terms(const struct pmu *pmu, const char *terms, bool from_sysfs, struct diag *why)
{
	char *copy = strdup(terms);
	char *rest = copy, *term;
	int err = 0;

	if (!copy)
		return diag_set(why, -ENOMEM, "no memory for the terms of an event");
	while (!err && (term = strsep(&rest, ",")) != NULL)
		if (*term)
			err = put_term(pmu, term, from_sysfs, why);
	free(copy);
	return err;
}

/* Reads the files of @event. False: it has none. */
static bool read_unit(const struct pmu *pmu, const char *event, struct event_unit *out)
{
	char file[256], text[SYSFS_TEXT_BYTES], *end;

	snprintf(file, sizeof(file), "%s.scale", event);
	if (read_pmu_file(pmu, "events/", file, text) == 0) {
		out->scale = strtod(text, &end);
		if (end == text || !isfinite(out->scale) || out->scale < 0)
			out->scale = 0;
	}
	snprintf(file, sizeof(file), "%s.unit", event);
	if (read_pmu_file(pmu, "events/", file, text) == 0)
		sanitize_text(out->text, sizeof(out->text), text, strlen(text));
	return out->scale > 0 || out->text[0];
}

void event_pmu_read_unit(const char *devices, const char *pmu, const char *terms,
			 struct event_unit *out)
{
	const struct pmu unit = { .devices = devices, .name = pmu };
	char *copy = strdup(terms), *rest = copy, *term;

	*out = (struct event_unit){ .scale = 0 };
	while (copy && (term = strsep(&rest, ",")) != NULL)
		if (*term && !strchr(term, '=') && read_unit(&unit, term, out))
			break;
	free(copy);
}

size_t event_pmu_measure_unnumbered(const char *name)
{
	const size_t whole = strlen(name);
	size_t bytes = whole;

	while (bytes && isdigit((unsigned char)name[bytes - 1]))
		bytes--;
	return bytes && bytes < whole && name[bytes - 1] == '_' ? bytes - 1 : bytes;
}

int event_pmu_parse(const char *devices, const char *pmu, const char *terms,
		    struct perf_event_attr *attr, char *name, size_t name_bytes, struct diag *why)
{
	struct pmu unit = { .devices = devices, .name = pmu, .attr = attr,
			    .event_name = name, .event_name_bytes = name_bytes };
	char text[SYSFS_TEXT_BYTES], present[240];

	if (!*pmu || read_pmu_file(&unit, "", "type", text) != 0) {
		list_pmu_files(&(struct pmu){ .devices = devices, .name = "." }, "", present,
			       sizeof(present));
		return diag_set(why, -ENOENT, "no PMU \"%s\" here; there are: %s", pmu, present);
	}
	attr->type = (uint32_t)strtoul(text, NULL, 10);
	return parse_terms(&unit, terms, false, why);
}
