/* code_files.c - see sandbox/code_files.h. The bytes come from a process that an untrusted file may
 * control. */
#include "sandbox/code_files.h"

#include <errno.h>
#include <string.h>

static int check_rows(const struct elf_segments *segments, struct diag *why)
{
	for (uint32_t i = 0; i < segments->count; i++) {
		const struct elf_segment_row *row = &segments->rows[i];

		if (row->bytes > UINT64_MAX - row->address || row->offset > INT64_MAX ||
		    row->bytes > (uint64_t)INT64_MAX - row->offset)
			return diag_set(why, -EBADMSG, "segment %u wraps", i);
		if (i && row->address < segments->rows[i - 1].address)
			return diag_set(why, -EBADMSG, "segment %u is not in order", i);
	}
	return 0;
}

int elf_segments_check(struct elf_segments *out, const void *bytes, size_t bytes_count,
		       struct diag *why)
{
	if (bytes_count != sizeof(*out))
		return diag_set(why, -EBADMSG, "segments of %zu bytes", bytes_count);
	memcpy(out, bytes, sizeof(*out));
	if (out->magic != ELF_SEGMENTS_MAGIC)
		return diag_set(why, -EBADMSG, "segments without their header");
	if (out->build_id.count > BUILD_ID_MAX_BYTES)
		return diag_set(why, -EBADMSG, "segments with a build-id of %u bytes",
				out->build_id.count);
	if (out->count > ELF_SEGMENTS_MAX)
		return diag_set(why, -EBADMSG, "%u segments", out->count);
	return check_rows(out, why);
}

bool elf_segments_find_code(const struct elf_segments *segments, uint64_t address, uint64_t bytes,
			    uint64_t *offset)
{
	for (uint32_t i = 0; i < segments->count; i++) {
		const struct elf_segment_row *row = &segments->rows[i];
		const uint64_t at = address - row->address;

		if (!row->is_code || address < row->address || at > row->bytes ||
		    bytes > row->bytes - at)
			continue;
		*offset = row->offset + at;
		return true;
	}
	return false;
}

int jit_code_check(struct jit_code *out, const void *bytes, size_t bytes_count,
		   uint64_t code_bytes, struct diag *why)
{
	const struct jit_code_header *header = bytes;

	if (bytes_count < sizeof(*header) || header->magic != JIT_CODE_MAGIC)
		return diag_set(why, -EBADMSG, "code of a jitdump without its header");
	if (header->machine == MACHINE_UNKNOWN || header->machine >= MACHINES)
		return diag_set(why, -EBADMSG, "code of a jitdump for machine %u",
				header->machine);
	if (header->is_later > 1)
		return diag_set(why, -EBADMSG, "code of a jitdump with a bad flag");
	if (header->bytes != code_bytes || bytes_count < jit_code_lines_at(code_bytes) ||
	    bytes_count - jit_code_lines_at(code_bytes) != header->lines_bytes)
		return diag_set(why, -EBADMSG, "%zu bytes of a jitdump, %llu were asked for",
				bytes_count - sizeof(*header), (unsigned long long)code_bytes);
	out->header = header;
	out->code = (const void *)(header + 1);
	out->lines = (const char *)bytes + jit_code_lines_at(code_bytes);
	return 0;
}
