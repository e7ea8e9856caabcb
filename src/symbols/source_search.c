/* source_search.c - see source_search.h. */
#include "source_search.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES     OPENER_PATH_BYTES
#define TEXT_BYTES     ((size_t)512 << 10)	/* fits into the query of a worker */
#define RUST_PREFIX    "/rustc/"
#define RUST_SOURCES   "lib/rustlib/src/rust"
#define CARGO_HOME     ".rustup/toolchains"

_Static_assert(TEXT_BYTES + sizeof(struct file_text_query) + FILE_TEXT_GROUPS_MAX * 4 <=
	       FILE_TEXT_QUERY_BYTES_MAX, "all paths fit into one query");

void source_search_normalize(char *out, const char *path)
{
	const bool is_absolute = path[0] == '/';
	char *begin = out + is_absolute, *end = begin;

	if (is_absolute)
		*out = '/';
	while (*path) {
		const size_t bytes = strcspn(path, "/");

		if (bytes == 2 && memcmp(path, "..", 2) == 0) {
			while (end > begin && *--end != '/')
				continue;
		} else if (bytes && !(bytes == 1 && *path == '.')) {
			if (end > begin)
				*end++ = '/';
			memcpy(end, path, bytes);
			end += bytes;
		}
		path += bytes;
		path += *path == '/';
	}
	*end = '\0';
}

struct list {
	struct source_search *search;
	size_t used;		/* bytes of search->text */
	const char *path;	/* normalized */
	const struct source_context *context;
};

static void begin_step(struct list *list, const char *directory)
{
	list->search->steps[list->search->count] = (struct source_step){
		.directory = directory, .paths = list->search->text + list->used,
	};
}

static void end_step(struct list *list)
{
	struct source_step *step = &list->search->steps[list->search->count];

	step->path_bytes = (uint32_t)(list->search->text + list->used - step->paths);
	list->search->count += step->path_count != 0;
}

static void add(struct list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Leaves out what has no room. */
static void add(struct list *list, const char *format, ...)
{
	const size_t room = TEXT_BYTES - list->used;
	va_list values;
	int bytes;

	va_start(values, format);
	bytes = vsnprintf(list->search->text + list->used, room, format, values);
	va_end(values);
	if (bytes <= 0 || (size_t)bytes >= room)
		return;
	list->used += (size_t)bytes + 1;
	list->search->steps[list->search->count].path_count++;
}

static uint32_t count_components(const char *path)
{
	uint32_t count = path[0] && path[0] != '/';

	for (; *path; path++)
		count += *path == '/' && path[1];
	return count;
}

/* Adds the longest tails of the path below @directory, those of @shortest components or more. */
static void add_tails(struct list *list, const char *directory, uint32_t shortest)
{
	const char *tail = list->path + (list->path[0] == '/');
	uint32_t count = count_components(list->path);

	for (uint32_t i = 0; i < SOURCE_TAILS_MAX && count >= shortest && *tail; i++, count--) {
		add(list, "%s%s", directory, tail);
		tail += strcspn(tail, "/");
		tail += *tail == '/';
	}
}

/* Returns the rest of @path after the components of @from; NULL: it does not begin with them. */
static const char *rest_after(const char *path, const char *from)
{
	const size_t bytes = strlen(from);

	if ((from[0] == '/') != (path[0] == '/'))
		return NULL;
	if (bytes <= 1 && (!bytes || from[0] == '/'))	/* "." or "/" */
		return path + bytes;
	if (strncmp(path, from, bytes) != 0 || path[bytes] != '/')
		return NULL;
	return path + bytes + 1;
}

struct match {
	const char *to, *rest;
	size_t bytes;		/* length of FROM */
};

static int longest_first(const void *left, const void *right)
{
	const struct match *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return (a > b) - (a < b);
}

static int list_replaced(struct list *list, const struct source_paths *paths)
{
	struct match matches[SOURCE_PATHS_MAX] = { { NULL, NULL, 0 } };
	uint32_t count = 0;

	for (uint32_t i = 0; i < paths->count; i++) {
		const struct source_path *path = &paths->paths[i];
		char recorded[PATH_BYTES], from[PATH_BYTES + 2];
		const char *rest;

		if (!path->from_bytes)
			continue;
		if (path->from_bytes >= PATH_BYTES)
			return -ENAMETOOLONG;
		memcpy(recorded, path->from, path->from_bytes);
		recorded[path->from_bytes] = '\0';
		source_search_normalize(from, recorded);
		rest = rest_after(list->path, from);
		if (rest)
			matches[count++] = (struct match){ path->to, rest, strlen(from) };
	}
	qsort(matches, count, sizeof(matches[0]), longest_first);
	for (uint32_t i = 0; i < count; i++) {
		begin_step(list, matches[i].to);
		add(list, "%s", matches[i].rest);
		end_step(list);
	}
	return 0;
}

static void list_tails(struct list *list, const struct source_paths *paths)
{
	for (uint32_t i = 0; i < paths->count; i++) {
		if (paths->paths[i].from_bytes)
			continue;
		begin_step(list, paths->paths[i].to);
		add_tails(list, "", 1);
		end_step(list);
	}
}

/* "/rustc/HASH/library/std/src/io.rs" is what the standard library's own builds record. */
static void add_rust(struct list *list)
{
	static const char *const channels[] = { "stable", "beta", "nightly" };
	const char *rest = list->path + strlen(RUST_PREFIX);

	if (strncmp(list->path, RUST_PREFIX, strlen(RUST_PREFIX)) != 0)
		return;
	rest += strcspn(rest, "/");
	add(list, "/usr/" RUST_SOURCES "%s", rest);
	add(list, "/usr/local/" RUST_SOURCES "%s", rest);
	for (size_t i = 0; list->context->home[0] && i < sizeof(channels) / sizeof(*channels); i++)
#ifdef __aarch64__
		add(list, "%s/" CARGO_HOME "/%s-aarch64-unknown-linux-gnu/" RUST_SOURCES "%s",
		    list->context->home, channels[i], rest);
#else
		add(list, "%s/" CARGO_HOME "/%s-x86_64-unknown-linux-gnu/" RUST_SOURCES "%s",
		    list->context->home, channels[i], rest);
#endif
}

/* Go's module cache has "!x" for "X". */
static void escape_module(char *out, size_t cap, const char *path, const char *end)
{
	size_t used = 0;

	for (; path < end && used + 3 < cap; path++) {
		if (isupper((unsigned char)*path))
			out[used++] = '!';
		out[used++] = (char)tolower((unsigned char)*path);
	}
	out[used] = '\0';
}

/* With -trimpath Go records "runtime/proc.go", and "github.com/a/b@v1.0.0/c.go" of a module;
 * without it the place of GOROOT where it was built. */
static void add_go(struct list *list)
{
	static const char *const roots[] = { "/usr/local/go", "/usr/lib/go", "/usr/lib/golang",
					     "/usr/share/go" };
	const char *end = strrchr(list->path, '.'), *rest = list->path, *at;
	char module[PATH_BYTES];

	if (!end || (strcmp(end, ".go") != 0 && strcmp(end, ".s") != 0))
		return;
	if (rest[0] == '/') {
		at = strstr(rest, "/src/");
		if (!at)
			return;
		rest = at + strlen("/src/");
	}
	at = strchr(rest, '@');
	if (at && list->context->home[0]) {
		escape_module(module, sizeof(module), rest, at);
		add(list, "%s/go/pkg/mod/%s%s", list->context->home, module, at);
	}
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
		add(list, "%s/src/%s", roots[i], rest);
}

static void add_kernel(struct list *list)
{
	const char *release = list->context->kernel_release;
	char directory[512];
	int version = 0, end = 0;

	if (!release[0])
		return;
	snprintf(directory, sizeof(directory), "/lib/modules/%s/source/", release);
	add_tails(list, directory, 2);
	snprintf(directory, sizeof(directory), "/lib/modules/%s/build/", release);
	add_tails(list, directory, 2);
	if (sscanf(release, "%d.%*d%n", &version, &end) == 1 && end) {
		snprintf(directory, sizeof(directory), "/usr/src/linux-source-%.*s/", end, release);
		add_tails(list, directory, 2);
	}
	add_tails(list, "/usr/src/linux/", 2);
}

static void list_root(struct list *list, const char *recorded)
{
	begin_step(list, NULL);
	if (recorded[0] == '/') {
		add(list, "%s", recorded);
		if (strcmp(recorded, list->path) != 0)
			add(list, "%s", list->path);
	}
	add_rust(list);
	add_go(list);
	add_kernel(list);
	add_tails(list, "/usr/src/", 2);
	add_tails(list, "/usr/src/debug/", 2);
	end_step(list);
}

int source_search_list(struct source_search *out, const char *path,
		       const struct source_paths *paths, const struct source_context *context)
{
	char normalized[PATH_BYTES + 2];
	struct list list = { .search = out, .path = normalized, .context = context };
	int err;

	*out = (struct source_search){ .text = NULL };
	if (strlen(path) >= PATH_BYTES)
		return -ENAMETOOLONG;
	source_search_normalize(normalized, path);
	if (!normalized[0] || strcmp(normalized, "/") == 0)
		return 0;
	out->text = malloc(TEXT_BYTES);
	if (!out->text)
		return -ENOMEM;
	err = paths ? list_replaced(&list, paths) : 0;
	if (err)
		return err;
	if (paths)
		list_tails(&list, paths);
	list_root(&list, path);
	return 0;
}

void source_search_finish(struct source_search *search)
{
	free(search->text);
	*search = (struct source_search){ .text = NULL };
}
