/* debuginfod.c - see symbols/debuginfod.h.
 *
 * Problem: a server may be slow, gone, or send anything, and each file of a listing is asked for:
 *          one that does not reply must not cost a timeout per file, nor a 404 be asked for again.
 * Idea:    what a server does not have is remembered, and after a failure or a key that stopped a
 *          transfer the servers are left alone for a while.
 */
#include "symbols/debuginfod.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sanitize.h"
#include "base/id_map.h"
#include "sandbox/fetcher.h"
#include "sandbox/file_text.h"
#include "sandbox/sandbox_protocol.h"

#define DEBUG_FILE_BYTES_MAX ((uint64_t)512 << 20)	/* libraries have some 100 MB */
#define TRANSFERS_MAX	     8
#define KEPT_MAX	     4		/* debug files in memory */
#define KEPT_BYTES_MAX	     DEBUG_FILE_BYTES_MAX	/* all of them */
#define MISSING_MAX	     256
#define REFUSED_MAX	     8
#define FAILED_NS	     (60 * CLOCK_NS_PER_S)
#define CANCELLED_NS	     (5 * CLOCK_NS_PER_S)

/* `fetcher` and `urls` are constant after the start; the rest is under `lock`. */
static struct {
	struct fetcher fetcher;
	const char *urls;
	pthread_mutex_t lock;
	struct {
		int socket;		/* fetcher_begin(); 0: the entry is free */
		bool is_cancelled;
		struct debuginfod_status status;
		uint64_t number;
	} transfers[TRANSFERS_MAX];
	uint64_t last_number;
	struct {
		struct build_id id;
		int memfd;
		uint64_t bytes;
		uint64_t number;	/* 0: the entry is free; the smallest is dropped first */
	} kept[KEPT_MAX];
	uint64_t missing[MISSING_MAX];	/* hashes of addresses; 0: free */
	uint32_t missing_count;
	struct {
		uint64_t server;	/* hash of its address; 0: all servers */
		uint64_t until_ns;
		struct diag why;
	} refused[REFUSED_MAX];
} servers = { .fetcher = { .socket = -1, .pid = -1 }, .lock = PTHREAD_MUTEX_INITIALIZER };

static bool is_address(const char *url, size_t bytes)
{
	if ((bytes < 8 || strncmp(url, "http://", 7) != 0) &&
	    (bytes < 9 || strncmp(url, "https://", 8) != 0))
		return false;
	for (size_t i = 0; i < bytes; i++)
		if (url[i] <= ' ' || url[i] > '~')
			return false;
	return true;
}

static int check_urls(const char *urls, struct diag *why)
{
	size_t count = 0;

	for (const char *url = urls + strspn(urls, " "); *url; count++) {
		const size_t bytes = strcspn(url, " ");

		if (!is_address(url, bytes))
			return diag_set(why, -EINVAL, "--debuginfod: a server begins with http:// "
					"or https://");
		url += bytes;
		url += strspn(url, " ");
	}
	return count ? 0 : diag_set(why, -EINVAL, "--debuginfod: name the servers, as in "
				    "--debuginfod=http://localhost:8002%s", geteuid() ?
				    ", or in DEBUGINFOD_URLS" : "");
}

int debuginfod_start(const char *urls, struct diag *why)
{
	const char *wanted = urls ? urls : secure_getenv("DEBUGINFOD_URLS");
	int err = check_urls(wanted ? wanted : "", why);

	if (err)
		return err;
	servers.urls = wanted;
	return fetcher_start(&servers.fetcher, why);
}

void debuginfod_stop(void)
{
	fetcher_stop(&servers.fetcher);
	for (size_t i = 0; i < KEPT_MAX; i++) {
		if (servers.kept[i].number)
			close(servers.kept[i].memfd);
		servers.kept[i].bytes = servers.kept[i].number = 0;
	}
	memset(servers.missing, 0, sizeof(servers.missing));
	memset(servers.refused, 0, sizeof(servers.refused));
}

pid_t debuginfod_pid(void)
{
	return servers.fetcher.pid;
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("-._~/+", c));
}

bool debuginfod_format_url(char *out, size_t cap, const char *server, size_t server_bytes,
			   const struct build_id *id, const char *kind, const char *path)
{
	char hex[BUILD_ID_HEX_BYTES];
	size_t used;

	while (server_bytes && server[server_bytes - 1] == '/')
		server_bytes--;
	used = (size_t)snprintf(out, cap, "%.*s/buildid/%s/%s", (int)server_bytes, server,
				build_id_format(id, hex), kind);
	for (; *path && used + 4 <= cap; path++)
		used += (size_t)snprintf(out + used, cap - used, is_plain(*path) ? "%c" : "%%%02X",
					 (unsigned char)*path);
	return !*path && used < cap;
}

static uint64_t hash_of(const char *url, size_t bytes)
{
	uint64_t hash = 1;

	for (size_t i = 0; i < bytes; i++)
		hash = id_map_mix(hash ^ (unsigned char)url[i]);
	return hash ? hash : 1;
}

/* The lock is held. */
static bool is_known_missing(uint64_t hash)
{
	for (size_t i = 0; i < MISSING_MAX; i++)
		if (servers.missing[i] == hash)
			return true;
	return false;
}

/* Returns why the server is left alone now; NULL: it is not. The lock is held. */
static const struct diag *refusal_of(uint64_t server)
{
	const uint64_t now_ns = clock_now_ns();

	for (size_t i = 0; i < REFUSED_MAX; i++)
		if (now_ns < servers.refused[i].until_ns &&
		    (!servers.refused[i].server || servers.refused[i].server == server))
			return &servers.refused[i].why;
	return NULL;
}

/* What a transfer is about. */
struct wanted {
	uint64_t server, url;	/* hashes */
	const char *file;
};

/* Returns an entry for a transfer, or -errno with the reason why there is none. */
static int enter(const struct wanted *wanted, struct diag *why)
{
	const struct diag *refusal;
	int entry = -1, err = 0;

	pthread_mutex_lock(&servers.lock);
	for (int i = 0; i < TRANSFERS_MAX; i++)
		if (!servers.transfers[i].number)
			entry = i;
	refusal = refusal_of(wanted->server);
	if (refusal) {
		*why = *refusal;
		err = why->err;
	} else if (is_known_missing(wanted->url)) {
		err = diag_set(why, -ENOENT, "the server does not have it");
	} else if (entry < 0) {
		err = diag_set(why, -EBUSY, "too many transfers at once");
	} else {
		memset(&servers.transfers[entry], 0, sizeof(servers.transfers[entry]));
		servers.transfers[entry].socket = -1;
		servers.transfers[entry].number = ++servers.last_number;
		snprintf(servers.transfers[entry].status.file,
			 sizeof(servers.transfers[entry].status.file), "%s", wanted->file);
	}
	pthread_mutex_unlock(&servers.lock);
	return err ? err : entry;
}

/* Refuses transfers from @server, 0: from all, for @ns with the reason @why. The lock is held. */
static void refuse(uint64_t server, uint64_t ns, const struct diag *why)
{
	size_t oldest = 0;

	for (size_t i = 1; i < REFUSED_MAX; i++)
		if (servers.refused[i].until_ns < servers.refused[oldest].until_ns)
			oldest = i;
	servers.refused[oldest].server = server;
	servers.refused[oldest].until_ns = clock_now_ns() + ns;
	servers.refused[oldest].why = *why;
}

/* Frees the entry and closes its socket. Returns @err, or -ECANCELED if that is why. */
static int leave(int entry, int err, const struct wanted *wanted, struct diag *why)
{
	const int socket = servers.transfers[entry].socket;

	pthread_mutex_lock(&servers.lock);
	if (servers.transfers[entry].is_cancelled)
		err = diag_set(why, -ECANCELED, "stopped");
	else if (err == -ENOENT)
		servers.missing[servers.missing_count++ % MISSING_MAX] = wanted->url;
	else if (err == -ETIMEDOUT || err == -EIO)
		refuse(wanted->server, FAILED_NS, why);
	servers.transfers[entry].number = 0;
	pthread_mutex_unlock(&servers.lock);
	if (socket >= 0)
		close(socket);
	return err;
}

/* Makes the transfer one that debuginfod_cancel() ends. Returns false if it did already. */
static bool watch(int entry, int socket)
{
	bool is_cancelled;

	pthread_mutex_lock(&servers.lock);
	servers.transfers[entry].socket = socket;
	is_cancelled = servers.transfers[entry].is_cancelled;
	pthread_mutex_unlock(&servers.lock);
	return !is_cancelled;
}

static void publish(int entry, const struct fetch_message *message)
{
	pthread_mutex_lock(&servers.lock);
	servers.transfers[entry].status.bytes = message->bytes;
	servers.transfers[entry].status.of = message->of;
	pthread_mutex_unlock(&servers.lock);
}

/* Returns the memfd, or -errno. */
static int wait_for_end(int entry, int socket, struct diag *why)
{
	struct fetch_message message;
	char clean[sizeof(message.reason)];
	int memfd, err;

	do {
		err = fetcher_receive(socket, &message, &memfd);
		if (err)
			return diag_set(why, -EIO, "the transfer broke off");
		publish(entry, &message);
	} while (!message.is_end);
	if (memfd >= 0)
		return memfd;
	sanitize_text(clean, sizeof(clean), message.reason, strlen(message.reason));
	if (message.err >= 0 || message.err < -4095)
		message.err = -EIO;
	return diag_set(why, message.err, "%s", clean);
}

static int transfer(const struct fetch_request *request, const struct wanted *wanted,
		    struct diag *why)
{
	const int entry = enter(wanted, why);
	int socket, result;

	if (entry < 0)
		return entry;
	socket = fetcher_begin(&servers.fetcher, request, why);
	if (socket < 0)
		return leave(entry, socket, wanted, why);
	result = watch(entry, socket) ? wait_for_end(entry, socket, why) : -ECANCELED;
	if (result >= 0) {
		leave(entry, 0, wanted, why);
		return result;
	}
	return leave(entry, result, wanted, why);
}

static int check(int memfd, struct diag *why)
{
	if (memfd < 0 || sandbox_is_sealed(memfd))
		return memfd;
	close(memfd);
	return diag_set(why, -EBADMSG, "the network process sent no sealed file");
}

static int ask(const char *server, size_t bytes, struct fetch_request *request,
	       const struct build_id *id, const char *kind, const char *path, const char *file,
	       struct diag *why)
{
	struct wanted wanted = { .server = hash_of(server, bytes), .file = file };

	if (!debuginfod_format_url(request->url, sizeof(request->url), server, bytes, id, kind,
				   path))
		return diag_set(why, -ENAMETOOLONG, "the path is too long");
	wanted.url = hash_of(request->url, strlen(request->url));
	return transfer(request, &wanted, why);
}

/* Asks one server after the other. */
static int get(const struct build_id *id, const char *kind, const char *path, const char *file,
	       uint64_t bytes_max, struct diag *why)
{
	struct fetch_request *request;
	struct diag ignored;
	int result = -EIO;

	if (servers.fetcher.socket < 0)
		return -ENOSYS;
	if (!why)
		why = &ignored;
	if (!id->count)
		return diag_set(why, -ENOENT, "a program without a build-id is not asked for");
	request = calloc(1, sizeof(*request));
	if (!request)
		return diag_set(why, -ENOMEM, "no memory for a transfer");
	request->bytes_max = bytes_max;
	for (const char *url = servers.urls + strspn(servers.urls, " "); *url && result < 0;) {
		const size_t bytes = strcspn(url, " ");

		result = ask(url, bytes, request, id, kind, path, file, why);
		if (result == -ECANCELED)
			break;
		url += bytes;
		url += strspn(url, " ");
	}
	free(request);
	result = check(result, why);
	if (result < 0)
		diag_prefix(why, "debuginfod");
	return result;
}

int debuginfod_get_source(const struct build_id *id, const char *path, struct diag *why)
{
	const char *slash = strrchr(path, '/');

	if (path[0] != '/')
		return diag_set(why, -ENOENT, "debuginfod: only whole paths can be asked for");
	return get(id, "source", path, slash + 1, FILE_TEXT_BYTES_MAX, why);
}

int debuginfod_find_debug_file(const struct build_id *id)
{
	int fd = -ENOENT;

	pthread_mutex_lock(&servers.lock);
	for (size_t i = 0; i < KEPT_MAX; i++)
		if (servers.kept[i].number && build_id_is_equal(&servers.kept[i].id, id)) {
			servers.kept[i].number = ++servers.last_number;
			fd = fcntl(servers.kept[i].memfd, F_DUPFD_CLOEXEC, 0);
		}
	pthread_mutex_unlock(&servers.lock);
	return fd < 0 ? -ENOENT : fd;
}

/* Frees an entry for a file of @bytes, and more until all have room. The lock is held. */
static size_t free_entry(uint64_t bytes)
{
	for (;;) {
		uint64_t sum = bytes;
		size_t oldest = 0, entry = KEPT_MAX;

		for (size_t i = 0; i < KEPT_MAX; i++) {
			sum += servers.kept[i].bytes;
			if (!servers.kept[i].number)
				entry = i;
			else if (!servers.kept[oldest].number ||
				 servers.kept[i].number < servers.kept[oldest].number)
				oldest = i;
		}
		if (!servers.kept[oldest].number || (entry < KEPT_MAX && sum <= KEPT_BYTES_MAX))
			return entry;
		close(servers.kept[oldest].memfd);
		servers.kept[oldest].bytes = servers.kept[oldest].number = 0;
	}
}

static void keep(const struct build_id *id, int memfd)
{
	const int copy = fcntl(memfd, F_DUPFD_CLOEXEC, 0);
	struct stat status;
	size_t entry;

	if (copy < 0)
		return;
	if (fstat(copy, &status)) {
		close(copy);
		return;
	}
	pthread_mutex_lock(&servers.lock);
	entry = free_entry((uint64_t)status.st_size);
	servers.kept[entry].id = *id;
	servers.kept[entry].memfd = copy;
	servers.kept[entry].bytes = (uint64_t)status.st_size;
	servers.kept[entry].number = ++servers.last_number;
	pthread_mutex_unlock(&servers.lock);
}

int debuginfod_get_debug_file(const struct build_id *id, struct diag *why)
{
	int memfd = debuginfod_find_debug_file(id);
	char hex[BUILD_ID_HEX_BYTES];

	if (memfd >= 0)
		return memfd;
	memfd = get(id, "debuginfo", "", build_id_format(id, hex), DEBUG_FILE_BYTES_MAX, why);
	if (memfd >= 0)
		keep(id, memfd);
	return memfd;
}

bool debuginfod_status(struct debuginfod_status *out)
{
	uint64_t oldest = UINT64_MAX;

	if (servers.fetcher.socket < 0)
		return false;
	pthread_mutex_lock(&servers.lock);
	for (size_t i = 0; i < TRANSFERS_MAX; i++)
		if (servers.transfers[i].number && servers.transfers[i].number < oldest) {
			oldest = servers.transfers[i].number;
			*out = servers.transfers[i].status;
		}
	pthread_mutex_unlock(&servers.lock);
	return oldest != UINT64_MAX;
}

bool debuginfod_cancel(void)
{
	bool has_transfer = false;
	struct diag why;

	diag_set(&why, -ECANCELED, "stopped");
	pthread_mutex_lock(&servers.lock);
	for (size_t i = 0; i < TRANSFERS_MAX; i++) {
		if (!servers.transfers[i].number)
			continue;
		has_transfer = true;
		servers.transfers[i].is_cancelled = true;
		if (servers.transfers[i].socket >= 0)
			shutdown(servers.transfers[i].socket, SHUT_RDWR);
		refuse(0, CANCELLED_NS, &why);
	}
	pthread_mutex_unlock(&servers.lock);
	return has_transfer;
}
