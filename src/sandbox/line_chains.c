/* line_chains.c - see sandbox/lines.h. The bytes come from a process that an untrusted file
 * may control: every number in them is checked before it is used. */
#include "sandbox/lines.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static int check_header(const struct line_header *header, size_t bytes_count,
			uint32_t address_count, struct diag *why)
{
	uint64_t fixed_bytes;

	if (bytes_count < sizeof(*header) || header->magic != LINE_CHAINS_MAGIC ||
	    header->version != LINE_CHAINS_VERSION)
		return diag_set(why, -EBADMSG, "source lines without their header");
	if (header->address_count != address_count)
		return diag_set(why, -EBADMSG, "source lines of %u addresses, %u were asked for",
				header->address_count, address_count);
	fixed_bytes = sizeof(*header) + ((uint64_t)address_count + 1) * sizeof(uint32_t) +
		      (uint64_t)header->frame_count * sizeof(struct line_frame);
	if (bytes_count > LINE_CHAINS_BYTES_MAX || header->string_bytes == 0 ||
	    fixed_bytes + header->string_bytes != bytes_count)
		return diag_set(why, -EBADMSG, "source lines of %zu bytes do not hold their frames",
				bytes_count);
	if (header->build_id.count > BUILD_ID_MAX_BYTES ||
	    header->alternate.count > BUILD_ID_MAX_BYTES)
		return diag_set(why, -EBADMSG, "source lines with a build-id of %u bytes",
				header->build_id.count);
	if (!memchr(header->alternate_name, '\0', sizeof(header->alternate_name)))
		return diag_set(why, -EBADMSG, "source lines whose debug file's name does not end");
	return 0;
}

static int check_chains(const struct line_chains *chains, struct diag *why)
{
	const struct line_header *header = chains->header;

	if (chains->first[0] != 0 || chains->first[header->address_count] != header->frame_count)
		return diag_set(why, -EBADMSG, "source lines whose chains leave frames out");
	for (uint32_t i = 0; i < header->address_count; i++)
		if (chains->first[i] > chains->first[i + 1] ||
		    chains->first[i + 1] - chains->first[i] > LINE_DEPTH_MAX)
			return diag_set(why, -EBADMSG, "source lines with a bad chain %u", i);
	for (uint32_t i = 0; i < header->frame_count; i++)
		if (chains->frames[i].function >= header->string_bytes ||
		    chains->frames[i].file >= header->string_bytes)
			return diag_set(why, -EBADMSG, "source lines with a text outside, frame %u",
					i);
	return 0;
}

int line_chains_check(struct line_chains *out, const void *bytes, size_t bytes_count,
		      uint32_t address_count, struct diag *why)
{
	int err;

	assert((uintptr_t)bytes % _Alignof(struct line_header) == 0);
	assert(address_count <= LINE_ADDRESSES_MAX);
	err = check_header(bytes, bytes_count, address_count, why);
	if (err)
		return err;
	out->header = bytes;
	out->first = (const void *)(out->header + 1);
	out->frames = (const void *)(out->first + address_count + 1);
	out->strings = (const void *)(out->frames + out->header->frame_count);
	if (out->strings[out->header->string_bytes - 1] != '\0')
		return diag_set(why, -EBADMSG, "source lines with texts that do not end");
	return check_chains(out, why);
}
