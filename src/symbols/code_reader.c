/* code_reader.c - see symbols/code_bytes.h. */
#include "symbols/code_bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code_sources.h"
#include "elf/process_memory.h"
#include "sandbox/code_files.h"
#include "symbols/kallsyms.h"
#include "symbols/kernel_debug.h"

struct code_reader {
	struct sandbox *sandbox;	/* borrowed */
	struct kernel_core core;
	struct code_store kept;
};

int code_reader_create(struct code_reader **out, struct sandbox *sandbox, int kcore,
		       struct diag *why)
{
	struct code_reader *reader = calloc(1, sizeof(*reader));

	*out = reader;
	if (!reader) {
		if (kcore >= 0)
			close(kcore);
		return diag_set(why, -ENOMEM, "no memory for reading code");
	}
	reader->sandbox = sandbox;
	reader->core.fd = kcore;
	return 0;
}

void code_reader_destroy(struct code_reader *reader)
{
	if (!reader)
		return;
	if (reader->core.fd >= 0)
		close(reader->core.fd);
	code_store_finish(&reader->kept);
	free(reader);
}

void code_bytes_close(struct code_bytes *bytes)
{
	if (bytes->fd >= 0)
		close(bytes->fd);
	free(bytes->lines);
	*bytes = (struct code_bytes){ .fd = -1 };
}

static void set_origin(struct code_bytes *out, enum code_origin origin, const char *note)
{
	out->origin = origin;
	snprintf(out->note, sizeof(out->note), "%s", note);
}

/* Checks the ranges and makes room for their bytes; in @copy that is the caller's to free(). */
static int begin_copy(struct code_copy *copy, struct code_range *ranges, uint32_t count,
		      struct diag *why)
{
	*copy = (struct code_copy){ .ranges = ranges, .count = count };
	if (!count || count > CODE_RANGES_MAX)
		return diag_set(why, -EINVAL, "no bytes: code in %u pieces", count);
	for (uint32_t i = 0; i < count; i++) {
		if (!ranges[i].bytes || ranges[i].bytes > UINT64_MAX - ranges[i].address)
			return diag_set(why, -EINVAL, "no bytes: code without an end");
		if (ranges[i].bytes > CODE_RANGE_BYTES_MAX - copy->bytes_count)
			return diag_set(why, -E2BIG, "no bytes: code of more than %u KiB",
					CODE_RANGE_BYTES_MAX >> 10);
		ranges[i].offset = copy->bytes_count;
		copy->bytes_count += ranges[i].bytes;
	}
	copy->bytes = calloc(1, copy->bytes_count);	/* ranges may be cut */
	return copy->bytes ? 0 : diag_set(why, -ENOMEM, "no memory for code");
}

/* Moves the copied bytes into a sealed file. */
static int end_copy(struct code_copy *copy, struct code_bytes *out, int err, struct diag *why)
{
	if (!err) {
		out->fd = sandbox_seal("flametop-code", copy->bytes, copy->bytes_count);
		if (out->fd < 0) {
			out->fd = -1;
			err = diag_set(why, -ENOMEM, "no memory for code");
		}
	}
	free(copy->bytes);
	return err;
}

/* Returns 0 if the file has the build-id that was mapped. */
static int check_build_id(struct sandbox *sandbox, int fd, const struct build_id *mapped,
			  struct diag *why)
{
	const struct sandbox_request job = { .kind = SANDBOX_SEGMENTS, .inputs = { fd },
					     .input_count = 1 };
	struct sandbox_bytes bytes;
	struct elf_segments segments;
	int err = sandbox_run(sandbox, &job, &bytes, why);

	if (err)
		return err;
	err = elf_segments_check(&segments, bytes.bytes, bytes.count, why);
	sandbox_bytes_finish(&bytes);
	if (!err && !build_id_is_equal(&segments.build_id, mapped))
		err = diag_set(why, -ESTALE, "replaced: its path now holds another file");
	return err;
}

static int open_file(struct code_reader *reader, const struct open_request *request,
		     struct code_bytes *out, struct diag *why)
{
	const bool is_vdso = strcmp(request->path, "[vdso]") == 0;
	struct dso_file file;
	int err = dso_file_find(&file, request, reader->sandbox, why);

	if (!err && !file.is_certain && !is_vdso)
		err = check_build_id(reader->sandbox, file.fd, &request->build_id, why);
	if (err) {
		diag_prefix(why, "no bytes");
		if (file.fd >= 0)
			close(file.fd);
		return err;
	}
	out->fd = file.fd;
	out->machine = MACHINE_UNKNOWN;
	out->build_id = request->build_id;
	set_origin(out, is_vdso ? CODE_FROM_VDSO : CODE_FROM_FILE,
		   is_vdso ? "bytes of the vdso" :
		   file.is_certain ? "bytes of the mapped file"
				   : "bytes of a file with the build-id of the mapped one");
	return 0;
}

static int open_code_of_file(struct code_reader *reader, const struct open_request *request,
			     struct code_range *ranges, uint32_t count, struct code_bytes *out,
			     struct diag *why)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < count; i++) {
		if (vdso_image_is_vsyscall(ranges[i].address))
			err = diag_set(why, -ENODATA, "no bytes: the kernel does what the vsyscall "
				       "page is called for, its code is not run");
		ranges[i].offset = ranges[i].address;
	}
	return err ? err : open_file(reader, request, out, why);
}

/* Says why nobody has the bytes; @why says it of /proc/kcore. The remedy comes first: a narrow
 * screen cuts the end. */
static int no_kernel_code(const char *module, const struct diag *of_bpf,
			  const struct diag *of_image, struct diag *why)
{
	const struct diag of_core = *why;

	if (of_image->err != -ENOENT)
		return diag_set(why, -ENODATA, "no bytes: %s", of_image->text);
	if (of_bpf->err == -ENODATA)	/* no function is there */
		return diag_set(why, -ENODATA, "%s", of_bpf->text);
	return diag_set(why, -ENODATA, "no bytes: %s; %s, and there is no %s", of_bpf->text,
			of_core.text, module[0] ? "file of the module" : "image of the kernel");
}

/* For want of the kernel's memory: @why says it of /proc/kcore. */
static int read_file_of_running(struct code_reader *reader, const struct code_copy *copy,
				const struct diag *of_bpf, struct code_bytes *out,
				struct diag *why)
{
	struct diag of_image = { .err = 0 };
	struct kernel_layout layout;
	char module[KERNEL_MODULE_BYTES] = "";
	int err;

	if (!kernel_core_find_module(&copy->ranges[0], module))
		module[0] = '\0';
	err = kernel_layout_read(&layout, module, &of_image);
	if (!err)
		err = kernel_image_read(reader->sandbox, &layout, copy, out, &of_image);
	return err ? no_kernel_code(module, of_bpf, &of_image, why) : 0;
}

/* Reads code of the running kernel, from where it is now. */
static int read_running(struct code_reader *reader, const struct code_copy *copy,
			struct code_bytes *out, struct diag *why)
{
	struct diag of_bpf = { .err = 0 };
	int err = bpf_code_read(copy, out, why);

	out->machine = MACHINE_OWN;
	if (!err) {
		set_origin(out, CODE_FROM_BPF, "bytes of the BPF program");
		return 0;
	}
	out->build_id = kallsyms_build_id();
	err = kernel_core_read(&reader->core, copy, why);
	if (!err)
		set_origin(out, CODE_FROM_KCORE, "bytes of the kernel's memory");
	if (!err || err == -ENODATA)
		return err;
	if (kernel_core_read_by_bpf(&reader->core, copy, &of_bpf))
		return read_file_of_running(reader, copy, &of_bpf, out, why);
	set_origin(out, CODE_FROM_KERNEL_READ,
		   "bytes of the kernel's memory, read by a BPF program");
	return 0;
}

/* Reads code of a kernel that does not run. */
static int read_recorded(struct code_reader *reader, const struct code_request *request,
			 const struct code_copy *copy, struct code_bytes *out, struct diag *why)
{
	struct kernel_layout layout;
	int err;

	if (!request->dso.build_id.count || !request->kernel_text)
		return diag_set(why, -ENODATA, "no bytes: which kernel was recorded is unknown");
	memset(&layout, 0, sizeof(layout));
	layout.build_id = request->dso.build_id;
	layout.text_address = request->kernel_text;
	err = kernel_image_read(reader->sandbox, &layout, copy, out, why);
	return err == -ENOENT ? diag_set(why, -ENODATA, "no bytes: there is no image of the "
					 "kernel that was recorded") : err;
}

/* A recording's kernel may be the running one, if not at the same addresses. */
static int read_kernel(struct code_reader *reader, const struct code_request *request,
		       const struct code_copy *copy, struct code_bytes *out, struct diag *why)
{
	const struct open_request *dso = &request->dso;
	const struct build_id running = kallsyms_build_id();
	struct code_range ranges[CODE_RANGES_MAX];
	struct code_copy moved = *copy;
	int err;

	if (dso->names.recording ||
	    (dso->build_id.count && !build_id_is_equal(&dso->build_id, &running)))
		return read_recorded(reader, request, copy, out, why);
	memcpy(ranges, copy->ranges, copy->count * sizeof(*ranges));
	for (uint32_t i = 0; i < copy->count; i++)
		ranges[i].address -= dso->kernel_slide;
	moved.ranges = ranges;
	err = read_running(reader, &moved, out, why);
	for (uint32_t i = 0; i < copy->count; i++)
		copy->ranges[i].bytes = ranges[i].bytes;	/* some may have been cut */
	return err;
}

/* Lines are worth less than the bytes: no memory for them is no error. */
static void take_lines(const struct jit_code *code, struct code_bytes *out)
{
	if (!code->header->lines_bytes)
		return;
	out->lines = malloc(code->header->lines_bytes);
	if (!out->lines)
		return;
	memcpy(out->lines, code->lines, code->header->lines_bytes);
	out->lines_bytes = code->header->lines_bytes;
}

static int read_jitdump(struct code_reader *reader, const struct code_request *request,
			const struct code_copy *copy, struct code_bytes *out, struct diag *why)
{
	struct jit_code_query query = {
		.time_ns = request->time_ns ? request->time_ns : UINT64_MAX,
		.range_count = copy->count,
	};
	struct sandbox_request job = { .kind = SANDBOX_JIT_CODE, .input_count = 2 };
	struct sandbox_bytes bytes;
	struct jit_code code;
	struct dso_file file;
	int err = dso_file_find(&file, &request->dso, reader->sandbox, why);

	if (err)
		return err;
	memcpy(query.ranges, copy->ranges, copy->count * sizeof(*copy->ranges));
	job.inputs[0] = file.fd;
	job.inputs[1] = sandbox_seal("flametop-query", &query, sizeof(query));
	err = job.inputs[1] < 0 ? diag_set(why, -ENOMEM, "no memory to ask for code")
				: sandbox_run(reader->sandbox, &job, &bytes, why);
	close(file.fd);
	if (job.inputs[1] >= 0)
		close(job.inputs[1]);
	if (err)
		return err;
	err = jit_code_check(&code, bytes.bytes, bytes.count, copy->bytes_count, why);
	if (!err) {
		memcpy(copy->bytes, code.code, copy->bytes_count);
		out->machine = (enum machine)code.header->machine;
		take_lines(&code, out);
		set_origin(out, CODE_FROM_JITDUMP, code.header->is_later
			   ? "bytes of the jitdump, which were written there after the sample"
			   : "bytes of the jitdump at the time of the sample");
	}
	sandbox_bytes_finish(&bytes);
	return err;
}

static struct code_key key_of(const struct code_process *process,
			      const struct code_request *request)
{
	return (struct code_key){ process->pid, process->start_ticks, request->name_hash };
}

/* Replaces bytes by those that were kept. Returns how many ranges have kept bytes; sets
 * out->has_changed if they differ from the present ones, @has_present. */
static uint32_t take_kept(struct code_store *store, const struct code_key *key,
			  const struct code_copy *copy, bool has_present, struct code_bytes *out)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < copy->count; i++) {
		const struct code_range *range = &copy->ranges[i];
		const unsigned char *kept = code_store_find(store, key, range, &out->machine);

		if (!kept)
			continue;
		if (has_present && memcmp(copy->bytes + range->offset, kept, range->bytes) != 0)
			out->has_changed = true;
		memcpy(copy->bytes + range->offset, kept, range->bytes);
		found++;
	}
	return found;
}

static int read_memory(struct code_reader *reader, const struct code_request *request,
		       const struct code_copy *copy, struct code_bytes *out, struct diag *why)
{
	struct code_process process;
	struct code_key key;
	uint32_t kept;
	int err;

	code_process_open(&process, request);
	err = code_process_read(&process, reader->sandbox, copy, why);
	out->machine = code_process_machine(&process);
	key = key_of(&process, request);
	kept = take_kept(&reader->kept, &key, copy, !err, out);
	code_process_close(&process);
	if (err && kept < copy->count)
		return err;
	if (err)
		set_origin(out, CODE_FROM_MEMORY_KEPT, err == -ESRCH
			   ? "bytes when the code became hot: the process is gone"
			   : "bytes when the code became hot: it can't be read any more");
	else if (out->has_changed)
		set_origin(out, CODE_FROM_MEMORY_KEPT,
			   "bytes when the code became hot: it has changed since");
	else
		set_origin(out, CODE_FROM_PROCESS, "bytes of the process's memory");
	return 0;
}

static int read_process(struct code_reader *reader, const struct code_request *request,
			const struct code_copy *copy, struct code_bytes *out, struct diag *why)
{
	struct diag of_dump = { .err = 0 };

	if (request->dso.path[0] &&
	    !read_jitdump(reader, request, copy, out, &of_dump))
		return 0;
	if (!request->dso.pid)
		return diag_set(why, -ENODATA, "no bytes: recorded code that was made at run time");
	return read_memory(reader, request, copy, out, why);
}

int code_bytes_open(struct code_reader *reader, const struct code_request *request,
		    struct code_range *ranges, uint32_t count, struct code_bytes *out,
		    struct diag *why)
{
	struct code_copy copy;
	int err;

	*out = (struct code_bytes){ .fd = -1 };
	err = begin_copy(&copy, ranges, count, why);
	if (err)
		return err;
	if (request->place == CODE_IN_FILE) {
		free(copy.bytes);
		err = open_code_of_file(reader, &request->dso, ranges, count, out, why);
	} else {
		err = request->place == CODE_IN_KERNEL
			? read_kernel(reader, request, &copy, out, why)
			: read_process(reader, request, &copy, out, why);
		err = end_copy(&copy, out, err, why);
	}
	if (err)
		code_bytes_close(out);
	return err;
}

static int remember(struct code_reader *reader, const struct code_process *process,
		    const struct code_key *key, struct code_range range, struct diag *why)
{
	enum machine machine;
	struct code_copy copy;
	int err;

	if (code_store_find(&reader->kept, key, &range, &machine))
		return 0;
	err = begin_copy(&copy, &range, 1, why);
	if (!err)
		err = code_process_read(process, reader->sandbox, &copy, why);
	if (!err && code_store_add(&reader->kept, key, code_process_machine(process), &range,
				   copy.bytes))
		err = diag_set(why, -ENOMEM, "no memory to keep code");
	free(copy.bytes);
	return err;
}

int code_bytes_remember(struct code_reader *reader, const struct code_request *request,
			const struct code_range *ranges, uint32_t count, struct diag *why)
{
	struct code_process process;
	struct code_key key;
	int err = 0;

	code_process_open(&process, request);
	key = key_of(&process, request);
	for (uint32_t i = 0; !err && i < count; i++)
		err = remember(reader, &process, &key, ranges[i], why);
	code_process_close(&process);
	return err;
}
