/* process_code.c - code that a process made at run time, from its memory, see code_sources.h.
 *
 * A descriptor of /proc/PID, and of the memory opened below it, always refers to that process,
 * never to a later one with its pid.
 */
#include "code_sources.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/whole_io.h"
#include "elf/process_memory.h"

#define STAT_BYTES 1024

static bool read_stat(const struct code_process *process, struct process_stat *stat)
{
	char text[STAT_BYTES];
	int fd = openat(process->root.process, "stat", O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return false;
	len = whole_read(fd, text, sizeof(text) - 1);
	close(fd);
	if (len <= 0)
		return false;
	text[len] = '\0';
	return process_stat_parse(stat, text) && stat->state != 'Z' && stat->state != 'X';
}

void code_process_open(struct code_process *out, const struct code_request *request)
{
	struct process_stat stat;

	*out = (struct code_process){ .memory = -1, .pid = request->dso.pid,
				      .start_ticks = request->start_ticks };
	process_root_open(&out->root, request->dso.pid);
	diag_set(&out->why, -ESRCH, "no bytes: the process is gone");
	if (request->is_gone || out->root.process < 0 || !read_stat(out, &stat) ||
	    (out->start_ticks && out->start_ticks != stat.start_ticks))
		return;
	out->start_ticks = stat.start_ticks;
	out->is_alive = true;
	out->memory = openat(out->root.process, "mem", O_RDONLY | O_CLOEXEC);
	if (out->memory < 0 && errno != ENOENT && errno != ESRCH)
		diag_set(&out->why, -errno, "no bytes: no permission to read the process's memory; "
			 "run as root");
}

void code_process_close(struct code_process *process)
{
	process_root_close(&process->root);
	if (process->memory >= 0)
		close(process->memory);
}

/* In a 64-bit process the first word of the auxiliary vector is a small number; in a 32-bit one its
 * upper half is a value. Source: proc(5), auxv. */
enum machine code_process_machine(const struct code_process *process)
{
	uint64_t word = 0;
	ssize_t len;
	int fd;

	if (MACHINE_OWN != MACHINE_X86_64)
		return MACHINE_OWN;
	fd = openat(process->root.process, "auxv", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return MACHINE_X86_64;
	len = whole_read(fd, &word, sizeof(word));
	close(fd);
	return len == sizeof(word) && word > UINT32_MAX ? MACHINE_X86_32 : MACHINE_X86_64;
}

static int read_range(const struct code_process *process, struct sandbox *sandbox,
		      const struct code_range *range, unsigned char *out, struct diag *why)
{
	const uint64_t page = PROCESS_MEMORY_PAGE, end = range->address + range->bytes;
	const uint64_t start = range->address - range->address % page;
	struct sandbox_bytes pages;
	int err;

	if (end > INT64_MAX)
		return diag_set(why, -EINVAL, "no bytes: not an address of a process");
	err = process_memory_read(sandbox, process->memory, start, (end + page - 1) / page * page,
				  &pages, why);
	if (err)
		return err;
	memcpy(out, (const char *)pages.bytes + (range->address - start), range->bytes);
	sandbox_bytes_finish(&pages);
	return 0;
}

int code_process_read(const struct code_process *process, struct sandbox *sandbox,
		      const struct code_copy *copy, struct diag *why)
{
	struct process_stat stat;
	int err = 0;

	if (process->memory < 0) {
		*why = process->why;
		return why->err;
	}
	for (uint32_t i = 0; !err && i < copy->count; i++)
		err = read_range(process, sandbox, &copy->ranges[i],
				 copy->bytes + copy->ranges[i].offset, why);
	if (err != -EIO)
		return err;
	if (!read_stat(process, &stat))
		return diag_set(why, -ESRCH, "no bytes: the process is gone");
	return diag_set(why, -ENODATA, "no bytes: the process has unmapped this code");
}

struct kept_code {
	struct kept_code *next;
	struct code_key key;
	enum machine machine;
	struct code_range range;
	unsigned char bytes[];
};

void code_store_finish(struct code_store *store)
{
	while (store->first) {
		struct kept_code *next = store->first->next;

		free(store->first);
		store->first = next;
	}
	*store = (struct code_store){ .bytes = 0 };
}

static void append(struct code_store *store, struct kept_code *kept)
{
	kept->next = NULL;
	if (store->last)
		store->last->next = kept;
	else
		store->first = kept;
	store->last = kept;
}

static void drop_first(struct code_store *store)
{
	struct kept_code *first = store->first;

	store->first = first->next;
	if (!store->first)
		store->last = NULL;
	store->bytes -= sizeof(*first) + first->range.bytes;
	free(first);
}

int code_store_add(struct code_store *store, const struct code_key *key,
		   enum machine machine, const struct code_range *range,
		   const unsigned char *bytes)
{
	const size_t needed = sizeof(struct kept_code) + range->bytes;
	struct kept_code *kept = malloc(needed);

	if (!kept)
		return -ENOMEM;
	while (store->first && store->bytes + needed > CODE_KEPT_BYTES_MAX)
		drop_first(store);
	*kept = (struct kept_code){ .key = *key, .machine = machine, .range = *range };
	memcpy(kept->bytes, bytes, range->bytes);
	append(store, kept);
	store->bytes += needed;
	return 0;
}

static bool has_range(const struct kept_code *kept, const struct code_key *key,
		      const struct code_range *range)
{
	const uint64_t at = range->address - kept->range.address;

	return kept->key.pid == key->pid && kept->key.name_hash == key->name_hash &&
	       (!key->start_ticks || kept->key.start_ticks == key->start_ticks) &&
	       range->address >= kept->range.address && at <= kept->range.bytes &&
	       range->bytes <= kept->range.bytes - at;
}

const unsigned char *code_store_find(struct code_store *store, const struct code_key *key,
				     const struct code_range *range, enum machine *machine)
{
	struct kept_code **link = &store->first, *previous = NULL, *kept;

	while (*link && !has_range(*link, key, range)) {
		previous = *link;
		link = &previous->next;
	}
	kept = *link;
	if (!kept)
		return NULL;
	*link = kept->next;	/* it becomes the most recently used */
	if (store->last == kept)
		store->last = previous;
	append(store, kept);
	*machine = kept->machine;
	return kept->bytes + (range->address - kept->range.address);
}
