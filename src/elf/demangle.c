/* demangle.c - see elf/demangle.h.
 *
 * Problem: 260 bytes of mangled C++ can expand to a gigabyte of text, because a part that was named
 * once is afterwards referred to by two bytes.
 *
 * Idea: libiberty delivers its text piece by piece; the first piece that does not fit ends it with
 * a longjmp(). The memory that it allocated until then leaks until the process exits.
 *
 * D names are delivered as a whole, so 200 bytes can exhaust memory, or nearly so and take a
 * second. A list with a slow name is given up; the caller finds out which name it is.
 *
 * Clone suffixes are split off here: libiberty drops the suffix in one of its modes and rejects the
 * name in another.
 */
#include "elf/demangle.h"

#include <errno.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/whole_io.h"
#include "sandbox/sandbox.h"

#define ELLIPSIS     "\xe2\x80\xa6"
#define LIST_BYTES_MAX (64u << 20)
#define PLT_SUFFIX   "@plt"
/* CPU time: a hundred times what the slowest name in the wild took; sanitizers slow that down. */
#define NAME_NS_MAX  (SANITIZER_BUILD ? 500000000 : 100000000)

/* Disables libiberty's own limit of 2048 components, which rejects names of more than 1 KB. The
 * limit here is the name's length, and the stack is large enough for what 4 KB can nest. */
#define CXX_OPTIONS (DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT)

struct writer {
	char *out;		/* DEMANGLE_TEXT_MAX + 1 bytes */
	size_t used;
	jmp_buf full;		/* leaves libiberty when `out` is full */
};

static bool begins_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Returns whether @name is a Go name: has a package path, or is a method of a pointer. */
static bool is_go(const char *name)
{
	return strchr(name, '/') || strstr(name, ".(*");
}

bool demangle_is_mangled(const char *name)
{
	const bool has_prefix = begins_with(name, "_Z") || begins_with(name, "_R") ||
				begins_with(name, "_D");

	return has_prefix && strnlen(name, DEMANGLE_NAME_MAX + 1) <= DEMANGLE_NAME_MAX &&
	       !is_go(name);
}

/* Appends @text; if it does not fit, cuts it, ends it with an ellipsis, and returns false. */
static bool put(struct writer *writer, const char *text, size_t len)
{
	size_t room = DEMANGLE_TEXT_MAX - writer->used;

	if (len <= room) {
		memcpy(writer->out + writer->used, text, len);
		writer->used += len;
		return true;
	}
	memcpy(writer->out + writer->used, text, room);
	writer->used = DEMANGLE_TEXT_MAX - strlen(ELLIPSIS);
	while (writer->used > 0 && ((unsigned char)writer->out[writer->used] & 0xc0) == 0x80)
		writer->used--;		/* not in the middle of a character */
	memcpy(writer->out + writer->used, ELLIPSIS, strlen(ELLIPSIS));
	writer->used += strlen(ELLIPSIS);
	return false;
}

static void take_piece(const char *text, size_t len, void *opaque)
{
	struct writer *writer = opaque;

	if (len && !put(writer, text, len))	/* @text may be NULL if @len is 0 */
		longjmp(writer->full, 1);
}

static bool demangle_d(const char *stem, struct writer *writer)
{
	char *text = dlang_demangle(stem, DMGL_DLANG);

	if (!text)
		return false;
	put(writer, text, strlen(text));
	free(text);
	return true;
}

static bool demangle_stem(const char *stem, struct writer *writer)
{
	if (setjmp(writer->full))
		return true;	/* as much as there is room for */
	if (begins_with(stem, "_D"))
		return demangle_d(stem, writer);
	/* Rust first: a legacy Rust name is a valid C++ name, too. */
	if (rust_demangle_callback(stem, 0, take_piece, writer))
		return true;
	writer->used = 0;	/* discard a partial result */
	return begins_with(stem, "_Z") &&
	       cplus_demangle_v3_callback(stem, CXX_OPTIONS, take_piece, writer);
}

/* Returns the end of a legacy Rust name, "17h", 16 hash digits and "E" (dots before that belong to
 * the name); NULL: it is none. */
static const char *end_of_legacy_rust(const char *name)
{
	static const char digits[] = "0123456789abcdef";
	const char *hash = name;

	while ((hash = strstr(hash, "17h"))) {
		hash += 3;
		if (strspn(hash, digits) >= 16 && hash[16] == 'E' && (!hash[17] || hash[17] == '.'))
			return hash + 17;
	}
	return NULL;
}

/* Returns the start of a clone suffix, or the end of @name. */
static char *find_suffix(char *name)
{
	const char *end = begins_with(name, "_ZN") ? end_of_legacy_rust(name) : NULL;

	return name + (end ? (size_t)(end - name) : strcspn(name, "."));
}

bool demangle_name(const char *name, char *out)
{
	struct writer writer = { .out = out };
	const size_t len = strnlen(name, DEMANGLE_NAME_MAX + 1);
	char stem[DEMANGLE_NAME_MAX + 1], suffix[DEMANGLE_NAME_MAX + 4];
	bool is_plt, is_demangled;
	char *split;

	out[0] = '\0';
	if (!demangle_is_mangled(name))
		return false;
	memcpy(stem, name, len + 1);
	is_plt = len > strlen(PLT_SUFFIX) && !strcmp(stem + len - strlen(PLT_SUFFIX), PLT_SUFFIX);
	if (is_plt)
		stem[len - strlen(PLT_SUFFIX)] = '\0';
	split = find_suffix(stem);
	suffix[0] = '\0';
	if (*split)
		snprintf(suffix, sizeof(suffix), " [%s]", split);
	*split = '\0';
	is_demangled = demangle_stem(stem, &writer) && writer.used;
	if (is_demangled) {
		put(&writer, suffix, strlen(suffix));
		put(&writer, PLT_SUFFIX, is_plt ? strlen(PLT_SUFFIX) : 0);
	}
	out[is_demangled ? writer.used : 0] = '\0';
	return is_demangled;
}

/* Reads the whole file and adds a NUL. */
static int read_list(int fd, char **out, size_t *bytes, struct diag *why)
{
	struct stat status;
	size_t got = 0;
	ssize_t count;

	if (fstat(fd, &status))
		return diag_set(why, -errno, "names that can't be read");
	if (status.st_size > (off_t)LIST_BYTES_MAX)
		return diag_set(why, -E2BIG, "more than %u MiB of names", LIST_BYTES_MAX >> 20);
	*bytes = (size_t)status.st_size;
	*out = calloc(1, *bytes + 1);
	if (!*out)
		return diag_set(why, -ENOMEM, "no memory for names");
	while (got < *bytes) {
		count = whole_pread(fd, *out + got, *bytes - got, (off_t)got);
		if (count <= 0)
			return diag_set(why, -EBADMSG, "names that end too early");
		got += (size_t)count;
	}
	return 0;
}

/* Makes room for @more bytes after @used. */
static int reserve(char **bytes, size_t *room, size_t used, size_t more)
{
	char *bigger;

	if (*room - used >= more)
		return 0;
	bigger = realloc(*bytes, (used + more) * 2);
	if (!bigger)
		return -ENOMEM;
	*bytes = bigger;
	*room = (used + more) * 2;
	return 0;
}

static int64_t cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return used.tv_sec * INT64_C(1000000000) + used.tv_nsec;
}

static int demangle_in_time(const char *name, char *out, struct diag *why)
{
	const int64_t begin_ns = cpu_ns();

	demangle_name(name, out);
	if (cpu_ns() - begin_ns <= NAME_NS_MAX)
		return 0;
	return diag_set(why, -E2BIG, "a name that takes too long to read");
}

int demangle_list(int fd, void **bytes, size_t *count, struct diag *why)
{
	char *names = NULL, *reply = NULL;
	size_t names_bytes = 0, used = 0, room = 0;
	int err = read_list(fd, &names, &names_bytes, why);

	for (const char *name = names; !err && name < names + names_bytes;
	     name = name_list_next(name)) {
		if (reserve(&reply, &room, used, DEMANGLE_TEXT_MAX + 1)) {
			err = diag_set(why, -ENOMEM, "no memory for names");
		} else {
			err = demangle_in_time(name, reply + used, why);
			used += strlen(reply + used) + 1;
		}
	}
	free(names);
	if (err) {
		free(reply);
		return err;
	}
	*bytes = reply;
	*count = used;
	return 0;
}

/* Rejected: a header and offsets, as flat tables have. Names are read once, in order, so look-ups
 * are not needed, and there is less to validate.
 */

int name_list_check(const void *bytes, size_t bytes_count, uint32_t texts, size_t text_max,
		    struct diag *why)
{
	const char *text = bytes, *end = text + bytes_count;

	for (uint32_t i = 0; i < texts; i++) {
		const size_t left = (size_t)(end - text);
		const size_t len = strnlen(text, left < text_max + 1 ? left : text_max + 1);

		if (len == left)
			return diag_set(why, -EBADMSG, "%u names where %u were asked for", i,
					texts);
		if (len > text_max)
			return diag_set(why, -EBADMSG, "a name of more than %zu bytes", text_max);
		text += len + 1;
	}
	if (text != end)
		return diag_set(why, -EBADMSG, "more than the %u names asked for", texts);
	return 0;
}

const char *name_list_next(const char *text)
{
	return text + strlen(text) + 1;
}
