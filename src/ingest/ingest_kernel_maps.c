/* ingest_kernel_maps.c - where kernel code is: the kernel, its modules and BPF programs.
 *
 * Live, kallsyms lists it, except for programs that are loaded while flametop runs (KSYMBOL). A
 * recording has the mappings of its kernel and modules. Their names come only from the kernel that
 * was recorded: from the list in the recording (--kcore), else from the running kernel if the
 * build-ids match, or, if no build-id was recorded, if the recording was made on this machine since
 * it booted and the kernel's address is unchanged.
 */
#include <stdio.h>
#include <string.h>

#include "ingest/ingest.h"

static void ask_for_names(struct ingest *ingest, uint32_t kernel)
{
	struct open_request request = { .object = kernel, .is_kernel = true,
					.names = ingest->config.kernel_names };

	if (!ingest->opener)
		return;
	ingest->objects.objects[kernel].state = OBJECT_LOADING;
	ingest_request_open(ingest, &request);
}

void ingest_ask_kernel(struct ingest *ingest)
{
	ask_for_names(ingest, OBJECT_KERNEL);
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

void ingest_share_kernel_table(struct ingest *ingest, uint32_t id_of_kernel)
{
	const struct object *kernel = &ingest->objects.objects[id_of_kernel];

	if (kernel->state != OBJECT_READY)
		return;
	for (uint32_t id = OBJECT_FIXED_COUNT; id < ingest->objects.count; id++) {
		struct object *object = &ingest->objects.objects[id];

		if (object->kernel != id_of_kernel || object->state != OBJECT_NO_TABLE)
			continue;
		object->state = OBJECT_READY;
		object->table = kernel->table;
		symbol_names_forget_object(&ingest->names, &ingest->trie, id);
	}
}

/* Interns an object of the kernel. Without room: OBJECT_UNKNOWN_KERNEL. */
static uint32_t kernel_part(struct ingest *ingest, const struct object_key *key, bool *is_new)
{
	const uint32_t id = object_table_intern(&ingest->objects, key, is_new);

	return id == OBJECT_UNKNOWN ? OBJECT_UNKNOWN_KERNEL : id;
}

/* The object of the recording's kernel: with a kernel_number it is one of its own, which gets names
 * from the recording or none, rather than those of another kernel. */
static uint32_t kernel_object(struct ingest *ingest)
{
	const struct object_key key = {
		.path = "[kernel.kallsyms]", .path_len = sizeof("[kernel.kallsyms]") - 1,
		.mode = MODE_KERNEL, .place = ingest->config.kernel_number,
	};
	bool is_new;
	uint32_t id;

	if (!ingest->config.kernel_number)
		return OBJECT_KERNEL;
	id = kernel_part(ingest, &key, &is_new);
	if (id == OBJECT_UNKNOWN_KERNEL || !is_new)
		return id;	/* OBJECT_UNKNOWN_KERNEL keeps its name: several share it */
	ingest->objects.objects[id].name = ingest->objects.objects[OBJECT_KERNEL].name;
	if (ingest->config.kernel_names.recording)
		ask_for_names(ingest, id);
	else
		object_table_set_unreadable(&ingest->objects, id, "another kernel was recorded");
	return id;
}

/* Sets kernel_shift: after a reboot (KASLR) the kernel's address differs, its modules' as well. */
static void look_where_text_is(struct ingest *ingest, uint64_t text_address)
{
	if (!ingest->recorded_text_address)
		ingest->recorded_text_address = text_address;
	ingest->kernel_shift = ingest->recorded_text_address - text_address;
}

/* The kernel's list of names has those of its modules, at the addresses where they were loaded. */
static void begin_module(struct ingest *ingest, uint32_t id, uint64_t place)
{
	const struct ingest_config *config = &ingest->config;

	if (place && !(config->kernel_number && config->kernel_names.recording))
		object_table_set_unreadable(&ingest->objects, id,
					    "its kernel was another, or started again");
	else
		ingest->objects.objects[id].kernel = kernel_object(ingest);
}

static void see_kernel(struct ingest *ingest, uint64_t text_address)
{
	const bool is_named = ingest->is_kernel_recorded || ingest->config.kernel_names.recording;

	if (ingest->config.kernel_number)
		return;		/* another kernel, which is an object of its own */
	look_where_text_is(ingest, text_address);
	if (is_named && ingest->objects.objects[OBJECT_KERNEL].state == OBJECT_NO_TABLE)
		ask_for_names(ingest, OBJECT_KERNEL);
}

/* object_key.place of modules that tells them apart from the other recording's; 0: none needed. */
static uint64_t module_place(const struct ingest *ingest)
{
	return ingest->config.kernel_number ? ingest->config.kernel_number
					    : ingest->kernel_shift;
}

void ingest_kernel_mmap(struct ingest *ingest, const struct event_record *record)
{
	const struct record_mmap *mmap = &record->mmap;
	struct mapping row = { .start = mmap->start, .end = mmap->start + mmap->bytes,
			       .is_absolute = true, .object = OBJECT_KERNEL };
	const struct object_key key = { .path = mmap->path.bytes, .path_len = mmap->path.len,
					.mode = MODE_KERNEL, .place = module_place(ingest) };
	char name[256];
	size_t len;
	bool is_new;

	if (mmap->path.len >= 16 && !memcmp(mmap->path.bytes, "[kernel.kallsyms", 16)) {
		if (!row.start && !mmap->bytes)
			row.end = UINT64_MAX;	/* old perf: wherever no module is */
		row.object = kernel_object(ingest);
		see_kernel(ingest, mmap->file_offset);
	} else if (mmap->path.len && (mmap->path.bytes[0] == '/' || mmap->path.bytes[0] == '[')) {
		len = module_name(name, sizeof(name), mmap->path.bytes, mmap->path.len);
		row.object = kernel_part(ingest, &key, &is_new);
		if (is_new)	/* else, where there is no room, [unknown] would be called so */
			ingest->objects.objects[row.object].name =
				strpool_intern_passing(ingest->strings, name, len);
		if (is_new)
			begin_module(ingest, row.object, key.place);
		ingest_share_kernel_table(ingest, kernel_object(ingest));
	} else {
		return;
	}
	if (row.end < row.start)
		row.end = UINT64_MAX;
	ingest_insert_mapping(ingest, &ingest->kernel_maps, &row);
}

/* A program that the kernel made at run time (BPF, trampolines): an object of one symbol, which is
 * its path. */
void ingest_ksymbol(struct ingest *ingest, const struct event_record *record)
{
	const struct record_ksymbol *ksymbol = &record->ksymbol;
	const struct object_key key = {
		.path = ksymbol->name.bytes, .path_len = ksymbol->name.len, .mode = MODE_KERNEL,
		.device = 1, .inode = ksymbol->start,
	};
	struct mapping row = {
		.start = ksymbol->start, .end = ksymbol->start + ksymbol->bytes,
		.is_absolute = true, .since_ns = record->time_ns,
	};
	bool is_new;

	if (ksymbol->is_unregister) {
		if (!address_map_find(ingest->kernel_overlay, ksymbol->start))
			return;
		/* The memory may be used again by code without a name. */
		row.object = ingest->config.is_replay ? OBJECT_UNKNOWN_KERNEL : OBJECT_KERNEL;
	} else {
		if (ingest->config.is_replay &&
		    address_map_find(ingest->kernel_maps, ksymbol->start))
			return;
		row.object = kernel_part(ingest, &key, &is_new);
		if (is_new)
			ingest->objects.objects[row.object].state = OBJECT_IS_SYMBOL;
	}
	ingest_insert_mapping(ingest, &ingest->kernel_overlay, &row);
}

static void refuse_slid(struct ingest *ingest)
{
	object_table_set_unreadable(&ingest->objects, OBJECT_KERNEL,
				    "no build-id of the kernel recorded, which lay elsewhere");
	symbol_names_forget_object(&ingest->names, &ingest->trie, OBJECT_KERNEL);
}

bool ingest_slide_kernel(struct ingest *ingest, const struct open_reply *reply)
{
	struct open_request request = { .object = OBJECT_KERNEL, .is_kernel = true,
					.names = reply->names };

	if (!ingest->config.is_replay || ingest->is_kernel_slid ||
	    !ingest->recorded_text_address || !reply->kernel_text_address ||
	    reply->kernel_text_address == ingest->recorded_text_address)
		return false;
	if (ingest->is_kernel_assumed && !reply->names.recording) {
		refuse_slid(ingest);
		return true;
	}
	ingest->is_kernel_slid = true;
	request.kernel_slide = ingest->recorded_text_address - reply->kernel_text_address;
	ingest_request_open(ingest, &request);
	return true;
}
