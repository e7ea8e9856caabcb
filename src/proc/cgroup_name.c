/* cgroup_name.c - see proc/process_stat.h.
 *
 * Each directory of the path is parsed alone, or with its parent where that identifies it. All
 * container runtimes use ids of 64 hexadecimal digits, so unknown runtimes are recognised too.
 */
#include "proc/process_stat.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define ID_DIGITS	64
#define SHOWN_DIGITS	12	/* as docker ps */
#define POD_DIGITS_MIN	32	/* digits of a uid without dashes, as static pods have */

/* Part of a path. */
struct piece {
	const char *at;
	size_t len;
};

static bool is_text(struct piece piece, const char *text)
{
	return piece.len == strlen(text) && !memcmp(piece.at, text, piece.len);
}

static bool begins_with(struct piece piece, const char *text)
{
	const size_t len = strlen(text);

	return piece.len >= len && !memcmp(piece.at, text, len);
}

static bool ends_with(struct piece piece, const char *text)
{
	const size_t len = strlen(text);

	return piece.len >= len && !memcmp(piece.at + piece.len - len, text, len);
}

static struct piece without_end(struct piece piece, const char *text)
{
	if (ends_with(piece, text))
		piece.len -= strlen(text);
	return piece;
}

static struct piece without_begin(struct piece piece, const char *text)
{
	if (begins_with(piece, text)) {
		piece.at += strlen(text);
		piece.len -= strlen(text);
	}
	return piece;
}

static void copy(char *out, struct piece piece)
{
	const size_t len = piece.len < CGROUP_NAME_BYTES ? piece.len : CGROUP_NAME_BYTES - 1;

	memcpy(out, piece.at, len);
	out[len] = '\0';
}

static int hex_value(char digit)
{
	const char *digits = "0123456789abcdef";
	const char *at = digit ? strchr(digits, tolower((unsigned char)digit)) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Copies @piece and decodes systemd's "\x2d": a plain dash in the name of a slice means a slash. */
static void copy_unescaped(char *out, struct piece piece)
{
	size_t used = 0;

	for (size_t i = 0; i < piece.len && used < CGROUP_NAME_BYTES - 1; i++) {
		const char *at = piece.at + i;

		if (piece.len - i >= 4 && at[0] == '\\' && at[1] == 'x' && hex_value(at[2]) >= 0 &&
		    hex_value(at[3]) >= 0 && (at[2] != '0' || at[3] != '0')) {
			out[used++] = (char)(hex_value(at[2]) << 4 | hex_value(at[3]));
			i += 3;
		} else {
			out[used++] = *at;
		}
	}
	out[used] = '\0';
}

static bool is_id(struct piece piece)
{
	if (piece.len != ID_DIGITS)
		return false;
	for (size_t i = 0; i < piece.len; i++)
		if (hex_value(piece.at[i]) < 0)
			return false;
	return true;
}

/* Finds the id in "ID", "docker-ID.scope", "libpod-ID", "kubepods-....slice:cri-containerd:ID".
 * Refuses conmon, which monitors a container and is named after it. */
static bool find_id(struct piece piece, struct piece *id)
{
	struct piece before;

	piece = without_end(piece, ".scope");
	if (piece.len < ID_DIGITS)
		return false;
	*id = (struct piece){ piece.at + piece.len - ID_DIGITS, ID_DIGITS };
	before = (struct piece){ piece.at, piece.len - ID_DIGITS };
	return is_id(*id) && !ends_with(before, "conmon-") &&
	       (!before.len || ends_with(before, "-") || ends_with(before, ":"));
}

/* Returns true when @parent says that @piece is the name of a container that is no id. */
static bool is_named_below(struct piece parent, struct piece piece)
{
	static const char *const parents[] = { "lxc", "lxc.payload", "garden", "buildkit" };

	for (size_t i = 0; i < sizeof(parents) / sizeof(parents[0]); i++)
		if (is_text(parent, parents[i]))
			return true;
	/* AWS Fargate: TASK/TASK-NUMBER */
	return parent.len == 32 && piece.len > parent.len && piece.at[parent.len] == '-' &&
	       !memcmp(piece.at, parent.at, parent.len);
}

/* Returns true when the directory is a container's and not a unit's, too. */
static bool take_container(struct cgroup_name *out, struct piece parent, struct piece piece)
{
	struct piece id;

	if (find_id(piece, &id)) {
		id.len = SHOWN_DIGITS;
		copy(out->container, id);
		return true;
	}
	if (begins_with(piece, "machine-") && ends_with(piece, ".scope")) {
		copy_unescaped(out->container,
			       without_end(without_begin(piece, "machine-"), ".scope"));
		return true;
	}
	if (begins_with(piece, "lxc.payload.")) {
		copy(out->container, without_begin(piece, "lxc.payload."));
		return true;
	}
	if (is_named_below(parent, piece)) {
		copy(out->container, piece);
		return true;
	}
	/* A container that is a service too: use both names. */
	if (begins_with(piece, "systemd-nspawn@") && ends_with(piece, ".service"))
		copy_unescaped(out->container,
			       without_end(without_begin(piece, "systemd-nspawn@"), ".service"));
	return false;
}

/* Parses "pod2712a1e7-...", "kubepods-burstable-pod2712a1e7_....slice", also followed by ":...". */
static void take_pod(struct cgroup_name *out, struct piece piece, bool is_in_kubepods)
{
	const char *at = memmem(piece.at, piece.len, "-pod", 4);
	struct piece uid = { .len = 0 };

	if (begins_with(piece, "pod") && is_in_kubepods)
		uid = without_begin(piece, "pod");
	else if (at && memmem(piece.at, (size_t)(at - piece.at), "kubepods", 8))
		uid = (struct piece){ at + 4, piece.len - (size_t)(at + 4 - piece.at) };
	for (size_t i = 0; i < uid.len; i++)
		if (hex_value(uid.at[i]) < 0 && uid.at[i] != '-' && uid.at[i] != '_')
			uid.len = i;
	if (uid.len < POD_DIGITS_MIN)
		return;
	copy(out->pod, uid);
	for (char *letter = out->pod; *letter; letter++)
		if (*letter == '_')
			*letter = '-';
}

/* The kinds of units that processes are in. */
static void take_unit(struct cgroup_name *out, struct piece piece)
{
	static const char *const kinds[] = { ".service", ".scope", ".socket", ".mount", ".swap" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (ends_with(piece, kinds[i]) && piece.len > strlen(kinds[i])) {
			/* systemd puts it before names that the kernel would take for files */
			copy(out->unit, without_begin(piece, "_"));
			return;
		}
}

void cgroup_name_parse(struct cgroup_name *out, const char *path, size_t len)
{
	const char *end = path + len;
	struct piece parent = { path, 0 };
	bool is_in_kubepods = false;

	*out = (struct cgroup_name){ .unit = "" };
	for (const char *at = path; at < end;) {
		const char *slash = memchr(at, '/', (size_t)(end - at));
		const struct piece piece = { at, (size_t)((slash ? slash : end) - at) };

		take_pod(out, piece, is_in_kubepods);
		if (!take_container(out, parent, piece))
			take_unit(out, piece);
		is_in_kubepods |= memmem(piece.at, piece.len, "kubepods", 8) != NULL;
		parent = piece;
		at = slash ? slash + 1 : end;
	}
}

/* Hierarchies by preference. On a machine with both versions a container may still be in the cgroup
 * of the program that created it in version 2. */
enum { HIERARCHY_SYSTEMD, HIERARCHY_CPU, HIERARCHY_UNIFIED, HIERARCHY_COUNT };

static bool has_controller(struct piece list, const char *name)
{
	const char *end = list.at + list.len;

	for (const char *at = list.at; at < end;) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const struct piece piece = { at, (size_t)((comma ? comma : end) - at) };

		if (is_text(piece, name))
			return true;
		at = comma ? comma + 1 : end;
	}
	return false;
}

/* Parses "1:name=systemd:/init.scope", "4:cpu,cpuacct:/", "0::/init.scope". Returns the hierarchy;
 * HIERARCHY_COUNT: another one, or no valid line. */
static int read_line(struct piece line, struct piece *path)
{
	const char *first = memchr(line.at, ':', line.len), *second;
	struct piece list;

	if (!first)
		return HIERARCHY_COUNT;
	second = memchr(first + 1, ':', line.len - (size_t)(first + 1 - line.at));
	if (!second || second[1] != '/')
		return HIERARCHY_COUNT;
	list = (struct piece){ first + 1, (size_t)(second - first - 1) };
	*path = (struct piece){ second + 1, line.len - (size_t)(second + 1 - line.at) };
	*path = without_end(*path, " (deleted)");
	if (!list.len && is_text((struct piece){ line.at, (size_t)(first - line.at) }, "0"))
		return HIERARCHY_UNIFIED;
	if (has_controller(list, "name=systemd"))
		return HIERARCHY_SYSTEMD;
	return has_controller(list, "cpu") || has_controller(list, "cpuacct") ||
	       has_controller(list, "perf_event") ? HIERARCHY_CPU : HIERARCHY_COUNT;
}

const char *cgroup_name_find_path(const char *text, size_t *len)
{
	struct piece paths[HIERARCHY_COUNT] = { { NULL, 0 } }, best = { NULL, 0 };

	for (const char *at = text; *at; at += at[0] == '\n') {
		const struct piece line = { at, strcspn(at, "\n") };
		struct piece path;
		const int hierarchy = read_line(line, &path);

		at += line.len;
		if (hierarchy != HIERARCHY_COUNT && paths[hierarchy].len <= 1)
			paths[hierarchy] = path;
	}
	for (int i = 0; i < HIERARCHY_COUNT; i++)
		if (paths[i].at && (!best.at || (best.len <= 1 && paths[i].len > 1)))
			best = paths[i];
	*len = best.len;
	return best.at;
}
