/* kernel.c - where kernel code is: the kernel, its modules and BPF programs.
 *
 * Live, kallsyms lists it, except for programs that are loaded while flametop runs (KSYMBOL). A
 * recording has the mappings of its kernel and modules. Their names come only from the kernel that
 * was recorded: from the list in the recording (--kcore), else from the running kernel if the
 * build-ids match, or, if no build-id was recorded, if the recording was made on this machine since
 * it booted and the kernel's address is unchanged.
 */
#include "kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ingest/losses.h"
#include "requests.h"

struct kernel *kernel_create(void)
{
	struct kernel *kernel = calloc(1, sizeof(*kernel));

	if (kernel && kernel_begin_recording(kernel)) {
		free(kernel);
		return NULL;
	}
	return kernel;
}

int kernel_begin_recording(struct kernel *kernel)
{
	struct process_maps *maps = process_maps_create(), *overlay = process_maps_create();

	if (!maps || !overlay) {
		process_maps_release(maps);
		process_maps_release(overlay);
		return -ENOMEM;
	}
	process_maps_release(kernel->maps);
	process_maps_release(kernel->overlay);
	kernel->maps = maps;
	kernel->overlay = overlay;
	return 0;
}

void kernel_destroy(struct kernel *kernel)
{
	if (!kernel)
		return;
	process_maps_release(kernel->maps);
	process_maps_release(kernel->overlay);
	free(kernel);
}

void kernel_look_at_config(struct ingest *ingest)
{
	const struct ingest_config *config = &ingest->config;
	bool is_any = false, is_running = false;

	for (size_t i = 0; i < config->build_id_count; i++) {
		if (!config->build_ids[i].is_kernel)
			continue;
		is_any = true;
		is_running |= build_id_is_equal(&config->build_ids[i].build_id,
						&config->running_kernel);
	}
	ingest->kernel->is_assumed = !is_any && config->is_this_boot;
	ingest->kernel->is_recorded = is_running || ingest->kernel->is_assumed;
}

static void ask_for_names(struct ingest *ingest, uint32_t kernel)
{
	struct open_request request = { .dso = kernel, .is_kernel = true,
					.names = ingest->config.kernel_names };

	if (!ingest->opener || ingest->config.only_records)
		return;
	ingest->dsos.dsos[kernel].state = DSO_LOADING;
	requests_send(ingest, &request);
}

void kernel_request_names(struct ingest *ingest)
{
	ask_for_names(ingest, DSO_KERNEL);
}

/* "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz" -> "[ext4]", as perf(1) and /proc/modules do. */
static size_t module_name(char *out, size_t cap, const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);
	const char *name = slash ? slash + 1 : path;
	size_t used = len - (size_t)(name - path), stem = 0;

	if (path[0] == '[') {
		snprintf(out, cap, "%.*s", (int)len, path);
		return strlen(out);
	}
	while (stem < used && memcmp(name + stem, ".ko", used - stem < 3 ? used - stem : 3))
		stem++;
	snprintf(out, cap, "[%.*s]", (int)stem, name);
	for (char *at = out; *at; at++)
		if (*at == '-')
			*at = '_';
	return strlen(out);
}

void kernel_share_table(struct ingest *ingest, uint32_t id_of_kernel)
{
	const struct dso *kernel = &ingest->dsos.dsos[id_of_kernel];

	if (kernel->state != DSO_READY)
		return;
	for (uint32_t id = DSO_FIXED_COUNT; id < ingest->dsos.count; id++) {
		struct dso *dso = &ingest->dsos.dsos[id];

		if (dso->kernel != id_of_kernel || dso->state != DSO_NO_TABLE)
			continue;
		dso->state = DSO_READY;
		dso->table = kernel->table;
		symbol_names_forget_dso(&ingest->names, &ingest->trie, id);
	}
}

/* Interns a DSO of the kernel. Without room: DSO_UNKNOWN_KERNEL. */
static uint32_t kernel_part(struct ingest *ingest, const struct dso_key *key, bool *is_new)
{
	const uint32_t id = dso_table_intern(&ingest->dsos, key, is_new);

	return id == DSO_UNKNOWN ? DSO_UNKNOWN_KERNEL : id;
}

/* The DSO of the recording's kernel: with a kernel_number it is one of its own, which gets names
 * from the recording or none, rather than those of another kernel. */
static uint32_t kernel_dso(struct ingest *ingest)
{
	const struct dso_key key = {
		.path = "[kernel.kallsyms]", .path_len = sizeof("[kernel.kallsyms]") - 1,
		.mode = MODE_KERNEL, .place = ingest->config.kernel_number,
	};
	bool is_new;
	uint32_t id;

	if (!ingest->config.kernel_number)
		return DSO_KERNEL;
	id = kernel_part(ingest, &key, &is_new);
	if (id == DSO_UNKNOWN_KERNEL || !is_new)
		return id;	/* DSO_UNKNOWN_KERNEL keeps its name: several share it */
	ingest->dsos.dsos[id].name = ingest->dsos.dsos[DSO_KERNEL].name;
	if (ingest->config.kernel_names.recording)
		ask_for_names(ingest, id);
	else
		dso_table_set_unreadable(&ingest->dsos, id, "another kernel was recorded");
	return id;
}

/* Sets `shift`: after a reboot (KASLR) the addresses of the kernel and its modules differ. */
static void look_where_text_is(struct ingest *ingest, uint64_t text_address)
{
	if (!ingest->kernel->text_address)
		ingest->kernel->text_address = text_address;
	ingest->kernel->shift = ingest->kernel->text_address - text_address;
}

/* The kernel's list of names has those of its modules, at the addresses where they were loaded. */
static void begin_module(struct ingest *ingest, uint32_t id, uint64_t place)
{
	const struct ingest_config *config = &ingest->config;

	if (place && !(config->kernel_number && config->kernel_names.recording))
		dso_table_set_unreadable(&ingest->dsos, id,
					 "its kernel was another, or started again");
	else
		ingest->dsos.dsos[id].kernel = kernel_dso(ingest);
}

static void see_kernel(struct ingest *ingest, uint64_t text_address)
{
	const bool is_named = ingest->kernel->is_recorded || ingest->config.kernel_names.recording;

	if (ingest->config.kernel_number)
		return;		/* another kernel, which is a DSO of its own */
	look_where_text_is(ingest, text_address);
	if (is_named && ingest->dsos.dsos[DSO_KERNEL].state == DSO_NO_TABLE)
		ask_for_names(ingest, DSO_KERNEL);
}

/* dso_key.place of modules that tells them apart from the other recording's; 0: none needed. */
static uint64_t module_place(const struct ingest *ingest)
{
	return ingest->config.kernel_number ? ingest->config.kernel_number
					    : ingest->kernel->shift;
}

void kernel_mmap(struct ingest *ingest, const struct event_record *record)
{
	const struct record_mmap *mmap = &record->mmap;
	struct mapping row = { .start = mmap->start, .end = mmap->start + mmap->bytes,
			       .is_absolute = true, .dso = DSO_KERNEL };
	const struct dso_key key = { .path = mmap->path.bytes, .path_len = mmap->path.len,
					.mode = MODE_KERNEL, .place = module_place(ingest) };
	char name[256];
	size_t len;
	bool is_new;

	if (mmap->path.len >= 16 && !memcmp(mmap->path.bytes, "[kernel.kallsyms", 16)) {
		if (!row.start && !mmap->bytes)
			row.end = UINT64_MAX;	/* old perf: wherever no module is */
		row.dso = kernel_dso(ingest);
		see_kernel(ingest, mmap->file_offset);
	} else if (mmap->path.len && (mmap->path.bytes[0] == '/' || mmap->path.bytes[0] == '[')) {
		len = module_name(name, sizeof(name), mmap->path.bytes, mmap->path.len);
		row.dso = kernel_part(ingest, &key, &is_new);
		if (is_new)	/* else, where there is no room, [unknown] would be called so */
			ingest->dsos.dsos[row.dso].name =
				strpool_intern_passing(ingest->strings, name, len);
		if (is_new)
			begin_module(ingest, row.dso, key.place);
		kernel_share_table(ingest, kernel_dso(ingest));
	} else {
		return;
	}
	if (row.end < row.start)
		row.end = UINT64_MAX;
	losses_count_mapping(ingest, process_maps_insert(&ingest->kernel->maps, &row));
}

/* A program that the kernel made at run time (BPF, trampolines): a DSO of one symbol, which is
 * its path. */
void kernel_ksymbol(struct ingest *ingest, const struct event_record *record)
{
	const struct record_ksymbol *ksymbol = &record->ksymbol;
	const struct dso_key key = {
		.path = ksymbol->name.bytes, .path_len = ksymbol->name.len, .mode = MODE_KERNEL,
		.device = 1, .inode = ksymbol->start,
	};
	struct mapping row = {
		.start = ksymbol->start, .end = ksymbol->start + ksymbol->bytes,
		.is_absolute = true, .since_ns = record->time_ns,
	};
	bool is_new;

	if (ksymbol->is_unregister) {
		if (!process_maps_find(ingest->kernel->overlay, ksymbol->start))
			return;
		/* The memory may be used again by code without a name. */
		row.dso = ingest->config.is_replay ? DSO_UNKNOWN_KERNEL : DSO_KERNEL;
	} else {
		if (ingest->config.is_replay &&
		    process_maps_find(ingest->kernel->maps, ksymbol->start))
			return;
		row.dso = kernel_part(ingest, &key, &is_new);
		if (is_new)
			ingest->dsos.dsos[row.dso].state = DSO_IS_SYMBOL;
	}
	losses_count_mapping(ingest, process_maps_insert(&ingest->kernel->overlay, &row));
}

static void refuse_slid(struct ingest *ingest)
{
	dso_table_set_unreadable(&ingest->dsos, DSO_KERNEL,
				 "no build-id of the kernel recorded, which lay elsewhere");
	symbol_names_forget_dso(&ingest->names, &ingest->trie, DSO_KERNEL);
}

bool kernel_slide(struct ingest *ingest, const struct open_reply *reply)
{
	struct open_request request = { .dso = DSO_KERNEL, .is_kernel = true,
					.names = reply->names };

	if (!ingest->config.is_replay || ingest->kernel->is_slid ||
	    !ingest->kernel->text_address || !reply->kernel_text_address ||
	    reply->kernel_text_address == ingest->kernel->text_address)
		return false;
	if (ingest->kernel->is_assumed && !reply->names.recording) {
		refuse_slid(ingest);
		return true;
	}
	ingest->kernel->is_slid = true;
	request.kernel_slide = ingest->kernel->text_address - reply->kernel_text_address;
	requests_send(ingest, &request);
	return true;
}

/* The running kernel's names, read again when its code has changed.
 *
 * Problem: no record reports that a module was loaded, and the record of a BPF program may be lost;
 * their code stays without a name. But some kernel code has no name at all, and reading the list
 * takes the kernel 50 ms.
 *
 * Idea: read the list when code is hit for which a fold found no name; the interval between two
 * reads doubles, so that code that never has a name costs nothing in the end.
 */

#define FIRST_WAIT_NS (2 * CLOCK_NS_PER_S)
#define WAIT_MAX_NS   (1024 * CLOCK_NS_PER_S)

void kernel_note_frame(struct ingest *ingest, uint32_t frame)
{
	const struct symbol *symbol;

	if (frame == ID_SET_NONE || ingest->trie.frames.dso[frame] != DSO_KERNEL)
		return;
	symbol = symbol_names_cached(&ingest->names, &ingest->trie, frame);
	if (symbol && symbol->state == SYMBOL_UNKNOWN)
		ingest->kernel->is_wanted = true;
}

void kernel_poll(struct ingest *ingest)
{
	struct open_request request = { .dso = DSO_KERNEL, .is_kernel = true,
					.is_fresh = true };
	struct kernel *kernel = ingest->kernel;
	uint64_t now_ns;

	if (!kernel->is_wanted || kernel->is_asked || !ingest->opener ||
	    ingest->config.is_replay ||
	    ingest->dsos.dsos[DSO_KERNEL].state != DSO_READY)
		return;
	now_ns = clock_now_ns();
	if (now_ns < kernel->due_ns)
		return;
	kernel->is_wanted = false;
	kernel->is_asked = true;
	kernel->requests++;
	kernel->wait_ns = kernel->wait_ns ? kernel->wait_ns * 2 : FIRST_WAIT_NS;
	if (kernel->wait_ns > WAIT_MAX_NS)
		kernel->wait_ns = WAIT_MAX_NS;
	kernel->due_ns = now_ns + kernel->wait_ns;
	requests_send(ingest, &request);
}

bool ingest_has_running_kernel(const struct ingest *ingest)
{
	return !ingest->config.is_replay ||
	       (ingest->kernel->is_recorded && !ingest->kernel->is_slid);
}
