/* source_reader.c - see symbols/source_file.h.
 *
 * As the target: the process may execute a set-user-ID program at any moment, and a stranger's
 * program may do so to have its files opened as root. So a process counts as the target only if it
 * still maps the DSO that names the file after its user was read, and if it is the same user
 * afterwards. A DSO that only root can write says nothing hostile: there the user alone decides.
 */
#include "symbols/source_file.h"

#include <errno.h>
#include <fcntl.h>
#include <md5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/privileges.h"
#include "base/sanitize.h"
#include "base/whole_io.h"
#include "source_search.h"
#include "symbols/debuginfod.h"

#define PATH_BYTES    (2 * OPENER_PATH_BYTES)
#define WARNING_BYTES 160
#define DIFFERS	      "differs from what was compiled (MD5)"
#define REFUSED_NS    (60 * CLOCK_NS_PER_S)	/* after a file system has not replied */
#define UNUSED_GROUP  65527			/* sandbox/confine.c: owns nothing */

static const struct source_paths *default_paths;	/* BORROWED; constant after the start */

void source_paths_set(const struct source_paths *paths)
{
	default_paths = paths;
}

int source_paths_add(struct source_paths *paths, const char *text, struct diag *why)
{
	const char *equals = strchr(text, '=');
	const struct source_path path = { text, equals ? (size_t)(equals - text) : 0,
					  equals ? equals + 1 : text };
	struct stat status;

	if (equals == text || !path.to[0])
		return diag_set(why, -EINVAL, "give FROM=TO, or a directory alone");
	if (stat(path.to, &status))
		return diag_set(why, -errno, "%.200s: %s", path.to, strerror(errno));
	if (!S_ISDIR(status.st_mode))
		return diag_set(why, -ENOTDIR, "%.200s: not a directory", path.to);
	if (paths->count == SOURCE_PATHS_MAX)
		return diag_set(why, -EINVAL, "more than %d paths", SOURCE_PATHS_MAX);
	paths->paths[paths->count++] = path;
	return 0;
}

struct whole_file {
	struct source_file file;	/* first: its address is the file's */
	char path[PATH_BYTES];
	char warning[WARNING_BYTES];
	uint32_t lines[];		/* then the text and a NUL */
};

static uint32_t count_lines(const char *text, size_t bytes)
{
	const char *end = text + bytes, *at = text;
	uint32_t count = 0;

	for (; at && at < end && count <= SOURCE_LINES_MAX; count++) {
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : NULL;
	}
	return count;
}

static void find_lines(struct whole_file *whole, const char *text, size_t bytes)
{
	const char *at = text;

	for (uint32_t i = 0; i < whole->file.line_count; i++) {
		whole->lines[i] = (uint32_t)(at - text);
		at = memchr(at, '\n', bytes - (size_t)(at - text));
		at = at ? at + 1 : NULL;
	}
}

int source_file_create(struct source_file **out, const char *text, size_t bytes, const char *path,
		       struct diag *why)
{
	struct whole_file *whole;
	uint32_t line_count;
	char *copy;

	*out = NULL;
	if (bytes > SOURCE_BYTES_MAX)
		return diag_set(why, -EFBIG, "larger than %zu MiB", SOURCE_BYTES_MAX >> 20);
	if (memchr(text, '\0', bytes))
		return diag_set(why, -EINVAL, "not text: it has NUL bytes");
	line_count = count_lines(text, bytes);
	if (line_count > SOURCE_LINES_MAX)
		return diag_set(why, -EFBIG, "more than %u lines", SOURCE_LINES_MAX);
	whole = calloc(1, sizeof(*whole) + line_count * sizeof(uint32_t) + bytes + 1);
	if (!whole)
		return diag_set(why, -ENOMEM, "no memory for a source file");
	copy = (char *)(whole->lines + line_count);
	memcpy(copy, text, bytes);
	snprintf(whole->path, sizeof(whole->path), "%s", path);
	whole->file = (struct source_file){
		.text = copy, .bytes = bytes, .lines = whole->lines, .line_count = line_count,
		.path = whole->path, .warning = whole->warning,
	};
	find_lines(whole, text, bytes);
	*out = &whole->file;
	return 0;
}

void source_file_destroy(struct source_file *file)
{
	free(file);
}

const char *source_file_line(const struct source_file *file, uint32_t line, size_t *bytes)
{
	const char *begin;
	size_t end;

	if (line == 0 || line > file->line_count)
		return NULL;
	begin = file->text + file->lines[line - 1];
	end = line == file->line_count ? file->bytes : file->lines[line];
	*bytes = end - file->lines[line - 1];
	if (*bytes && begin[*bytes - 1] == '\n')
		--*bytes;
	if (*bytes && begin[*bytes - 1] == '\r')
		--*bytes;
	return begin;
}

/* Where one step of the search looks, and as whom. */
struct opening {
	int directory;			/* O_PATH, owned */
	uint64_t refused_as;		/* key in source_reader.refused */
	enum file_text_identity identity;
	bool needs_public;
	struct process_identity user;
};

/* What a search has found so far. */
struct found {
	struct source_file *file;	/* owned; NULL: none */
	bool is_wanted;			/* nothing better can come */
	struct diag first;		/* why the first file that exists was not read */
};

static bool is_refused(const struct source_reader *reader, uint64_t key)
{
	const uint64_t now_ns = clock_now_ns();

	for (size_t i = 0; i < SOURCE_READER_REFUSED; i++)
		if (reader->refused[i].key == key && reader->refused[i].until_ns > now_ns)
			return true;
	return false;
}

/* Replaces the entry that expires first. */
static void refuse(struct source_reader *reader, uint64_t key)
{
	size_t oldest = 0;

	for (size_t i = 1; i < SOURCE_READER_REFUSED; i++)
		if (reader->refused[i].until_ns < reader->refused[oldest].until_ns)
			oldest = i;
	reader->refused[oldest].key = key;
	reader->refused[oldest].until_ns = clock_now_ns() + REFUSED_NS;
}

static void become_user(struct opening *opening, uint32_t uid, uint32_t gid)
{
	opening->identity = FILE_TEXT_AS_USER;
	opening->user.uid = uid;
	opening->user.gid = gid;
	opening->user.group_count = 0;
}

/* Opens the directory of --source-path, which the user has named: as its owner. */
static int open_directory(struct opening *out, const char *path, uint64_t key, struct diag *why)
{
	struct stat status;

	out->refused_as = key;
	out->directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (out->directory < 0 || fstat(out->directory, &status))
		return diag_set(why, -errno, "--source-path %s: %s", path, strerror(errno));
	become_user(out, status.st_uid, status.st_gid);
	return 0;
}

static bool is_same_user(const struct process_identity *a, const struct process_identity *b)
{
	return a->uid == b->uid && a->gid == b->gid && a->group_count == b->group_count &&
	       !memcmp(a->groups, b->groups, a->group_count * sizeof(a->groups[0]));
}

/* Returns whether the process behind @process may be meant by what the DSO of @place says. */
static bool is_target(const struct source_wanted *place, int process,
		      const struct process_identity *user)
{
	const struct open_request *dso = place->dso;
	struct process_identity after;

	if (place->author.is_known && (place->author.uid == 0 || place->author.uid == user->uid))
		return true;
	return process_root_has_mapped(process, dso->dev_major, dso->dev_minor, dso->inode,
				       dso->path) &&
	       !process_root_identity(process, &after) && is_same_user(user, &after);
}

/* Opens the root directory of the process; false: it has exited, or may not be looked at. */
static bool open_target(struct opening *out, const struct source_wanted *place)
{
	struct process_root root;

	if (!place->dso || !place->dso->pid)
		return false;
	process_root_open(&root, place->dso->pid);
	out->refused_as = place->dso->pid;
	out->needs_public = true;
	if (root.root >= 0 && !process_root_identity(root.process, &out->user) &&
	    is_target(place, root.process, &out->user))
		out->identity = FILE_TEXT_AS_USER;
	out->directory = root.root;
	root.root = -1;
	process_root_close(&root);
	return out->directory >= 0;
}

static int open_root(struct opening *out, const struct source_wanted *place, struct diag *why)
{
	if (open_target(out, place))
		return 0;
	out->identity = FILE_TEXT_AS_NOBODY;
	out->needs_public = true;
	out->refused_as = 0;
	out->directory = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (out->directory < 0)
		return diag_set(why, -errno, "cannot open /: %s", strerror(errno));
	if (place->author.is_known)
		become_user(out, place->author.uid, UNUSED_GROUP);
	return 0;
}

/* Writes the query into a sealed memfd. */
static int make_query(const struct opening *opening, const struct source_wanted *place,
		      const struct source_step *step)
{
	const size_t group_bytes = opening->user.group_count * sizeof(opening->user.groups[0]);
	const size_t bytes = sizeof(struct file_text_query) + group_bytes + step->path_bytes;
	struct file_text_query *query = calloc(1, bytes);
	int fd;

	if (!query)
		return -ENOMEM;
	query->identity = opening->identity;
	query->uid = opening->user.uid;
	query->gid = opening->user.gid;
	query->group_count = opening->user.group_count;
	query->path_count = step->path_count;
	query->needs_public = opening->needs_public && geteuid() == 0;
	query->has_md5 = place->has_md5;
	memcpy(query->md5, place->md5, sizeof(query->md5));
	memcpy(query + 1, opening->user.groups, group_bytes);
	memcpy((char *)(query + 1) + group_bytes, step->paths, step->path_bytes);
	fd = sandbox_seal("flametop-source", query, bytes);
	free(query);
	return fd;
}

static const char *path_at(const struct source_step *step, uint32_t index)
{
	const char *path = step->paths;

	while (index--)
		path += strlen(path) + 1;
	return path;
}

/* Makes the file of a worker's reply; it replaces a file that was found before only if it is the
 * one that was compiled. */
static int take_text(struct found *found, const struct file_text *text,
		     const struct source_wanted *place, const struct source_step *step,
		     struct diag *why)
{
	const struct file_text_reply *reply = text->reply;
	const bool is_same = place->has_md5 && reply->has_md5 &&
			     !memcmp(place->md5, reply->md5, sizeof(reply->md5));
	char path[PATH_BYTES];
	struct source_file *file;
	int err;

	if (found->file && !is_same)
		return 0;
	snprintf(path, sizeof(path), "%s%s%s", step->directory ? step->directory : "",
		 step->directory ? "/" : "", path_at(step, reply->path));
	err = source_file_create(&file, text->text, reply->text_bytes, path, why);
	if (err)
		return err;
	file->mtime_ns = reply->mtime_ns;
	if (place->has_md5 && !is_same)
		strcpy(((struct whole_file *)file)->warning, DIFFERS);
	else if (!place->has_md5 && place->built_ns && reply->mtime_ns > place->built_ns)
		strcpy(((struct whole_file *)file)->warning, "newer than the program");
	source_file_destroy(found->file);
	found->file = file;
	found->is_wanted = is_same || !place->has_md5;
	return 0;
}

static int run_job(struct source_reader *reader, const struct opening *opening,
		   const struct source_wanted *place, const struct source_step *step,
		   struct found *found, struct diag *why)
{
	struct sandbox_request request = { .kind = SANDBOX_SOURCE, .input_count = 2 };
	const int query = make_query(opening, place, step);
	struct sandbox_bytes bytes;
	struct file_text text;
	int err;

	if (query < 0)
		return diag_set(why, query, "no memory to ask for a source file");
	request.inputs[0] = query;
	request.inputs[1] = opening->directory;
	err = sandbox_run(reader->sandbox, &request, &bytes, why);
	close(query);
	if (err == -ETIMEDOUT) {
		refuse(reader, opening->refused_as);
		return diag_set(why, -EBUSY, "its file system does not reply");
	}
	if (err)
		return err;
	err = file_text_check(&text, bytes.bytes, bytes.count, step->path_count, why);
	if (!err)
		err = take_text(found, &text, place, step, why);
	sandbox_bytes_finish(&bytes);
	return err;
}

/* Returns false when the search cannot go on. */
static bool look(struct source_reader *reader, const struct source_wanted *place,
		 const struct source_step *step, uint64_t key, struct found *found)
{
	struct opening opening = { .directory = -1 };
	struct diag why = { .err = 0 };
	int err = step->directory ? open_directory(&opening, step->directory, key, &why)
				  : open_root(&opening, place, &why);

	if (!err && is_refused(reader, opening.refused_as))
		err = diag_set(&why, -EBUSY, "its file system does not reply");
	if (!err)
		err = run_job(reader, &opening, place, step, found, &why);
	if (opening.directory >= 0)
		close(opening.directory);
	if (err && err != -ENOENT && !found->first.err) {
		found->first = why;
		found->first.err = err;
	}
	return err != -ECANCELED && err != -EPIPE && err != -ENOMEM;
}

/* The user's who wrote the DSO, or else runs it. Only about our own user, or who called sudo, a
 * directory service is asked: it may be on another machine, and a DSO may have any owner. */
static void find_home(struct user *out, const struct source_wanted *place)
{
	const uid_t uid = place->author.is_known ? place->author.uid : geteuid();
	const bool is_ours = uid == geteuid() || inherited_is_from(uid);

	if (is_ours ? user_find(uid, out) : user_find_in_file(uid, out))
		out->home[0] = '\0';
}

/* Takes the text that a debuginfod server sent. */
static int take_fetched(struct found *found, const struct source_wanted *place, int memfd,
			struct diag *why)
{
	struct source_file *file;
	struct stat status;
	MD5_CTX context;
	uint8_t md5[16];
	char *text;
	int err;

	if (fstat(memfd, &status) || status.st_size > (off_t)SOURCE_BYTES_MAX)
		return diag_set(why, -EFBIG, "debuginfod: larger than a source file");
	text = malloc((size_t)status.st_size + 1);
	if (!text)
		return diag_set(why, -ENOMEM, "no memory for a source file");
	err = whole_pread(memfd, text, (size_t)status.st_size, 0) == status.st_size ? 0 : -EIO;
	if (!err)
		err = source_file_create(&file, text, (size_t)status.st_size, place->path, why);
	if (!err) {
		MD5Init(&context);
		MD5Update(&context, (const uint8_t *)text, (size_t)status.st_size);
		MD5Final(md5, &context);
		if (place->has_md5 && memcmp(md5, place->md5, sizeof(md5)) != 0)
			strcpy(((struct whole_file *)file)->warning, DIFFERS);
		source_file_destroy(found->file);
		found->file = file;
	}
	free(text);
	return err;
}

/* Asks the debuginfod servers, if the user allowed that. */
static void fetch(struct found *found, const struct source_wanted *place)
{
	struct diag why = { .err = 0 };
	const int memfd = debuginfod_get_source(&place->build_id, place->path, &why);

	if (memfd == -ENOSYS)
		return;
	if (memfd >= 0) {
		take_fetched(found, place, memfd, &why);
		close(memfd);
	}
	if (why.err && !found->first.err)
		found->first = why;
}

static int not_found(const struct found *found, const struct source_wanted *place,
		     struct diag *why)
{
	char name[256];

	sanitize_text(name, sizeof(name), place->path, strlen(place->path));
	if (found->first.err)
		return diag_set(why, found->first.err, "%s: %s", name, found->first.text);
	return diag_set(why, -ENOENT, "%s: not found: name the directory of the sources with "
			"--source-path", name);
}

int source_file_read(struct source_reader *reader, struct source_file **out,
		     const struct source_wanted *place, struct diag *why)
{
	struct found found = { .file = NULL };
	struct source_search search;
	struct utsname kernel = { .release = "" };
	struct user user;
	int err;

	*out = NULL;
	find_home(&user, place);
	if (place->is_kernel)
		uname(&kernel);
	err = source_search_list(&search, place->path,
				 reader->paths ? reader->paths : default_paths,
				 &(struct source_context){ user.home, kernel.release });
	for (uint32_t i = 0; i < search.count && !err && !found.is_wanted; i++)
		if (!look(reader, place, &search.steps[i], (uint64_t)(i + 1) << 32, &found))
			break;
	source_search_finish(&search);
	if (!err && !found.is_wanted && (!found.file || place->has_md5))
		fetch(&found, place);
	if (err)
		return diag_set(why, err, "a source file: %s", strerror(-err));
	*out = found.file;
	return found.file ? 0 : not_found(&found, place, why);
}
