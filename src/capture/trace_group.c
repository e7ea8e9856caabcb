/* trace_group.c - see capture/tracefs.h.
 *
 * Problem: a dynamic event has no owner: it stays when its maker dies, and the events of all
 * programs are in the same few files, where one truncating open removes them all.
 *
 * Idea: the name of an event's group identifies its owner, in a form that can be checked: process,
 * its start (pids are reused) and the pid namespace in which both mean something. A group of
 * our namespace whose process is gone is a leftover.
 *
 * Invariant: nothing is removed but our own group, and groups that are surely dead.
 */
#include "capture/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/whole_io.h"
#include "proc/process_stat.h"

#define GROUP_PREFIX  "flametop_"
#define COMMAND_BYTES 4096	/* limit of the kernel: WRITE_BUFSIZE */
#define ALL_EVENTS    "dynamic_events"

struct trace_group {
	int tracefs;
	char name[TRACE_NAME_BYTES];
	uint64_t made;		/* events made so far: numbers their names */
};

/* Owner of a group, parsed from its name. */
struct owner {
	unsigned long pid, namespace;
	uint64_t start_ticks;
};

/* Reads a whole file, terminated; NULL with errno. */
static char *read_file(int dir, const char *path)
{
	const int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	size_t room = 16384, used = 0;
	char *text = fd < 0 ? NULL : malloc(room);
	ssize_t got = -1;
	int err;

	while (text && (got = whole_read(fd, text + used, room - 1 - used)) > 0) {
		char *more;

		used += (size_t)got;
		if (used < room - 1)
			continue;
		room *= 2;
		more = realloc(text, room);
		if (!more)
			free(text);
		text = more;
	}
	err = errno;
	if (fd >= 0)
		close(fd);
	if (text && got == 0) {
		text[used] = '\0';
		return text;
	}
	free(text);
	errno = err;
	return NULL;
}

/* Sends a command in one write(2), as the files require. 0 or -errno. */
static int write_command(int tracefs, const char *file, const char *command)
{
	const int fd = openat(tracefs, file, O_WRONLY | O_APPEND | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (whole_write(fd, command, strlen(command)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* Returns the inode of our pid namespace; 0: unknown. */
static unsigned long own_namespace(void)
{
	struct stat status;

	return stat("/proc/self/ns/pid", &status) ? 0 : (unsigned long)status.st_ino;
}

int trace_group_name(char out[TRACE_NAME_BYTES], struct diag *why)
{
	char *text = read_file(AT_FDCWD, "/proc/self/stat");
	const unsigned long namespace = own_namespace();
	struct process_stat self;
	const bool is_known = text && namespace && process_stat_parse(&self, text);

	free(text);
	out[0] = '\0';
	if (!is_known)
		return diag_set(why, -ENOENT, "probes need /proc, which says since when this"
				" process runs: mount it");
	snprintf(out, TRACE_NAME_BYTES, GROUP_PREFIX "%ld_%" PRIu64 "_%lu", (long)getpid(),
		 self.start_ticks, namespace);
	return 0;
}

/* Returns true when /proc has the pids of our own pid namespace: NSpid lists only that one. */
static bool is_proc_ours(void)
{
	char *text = read_file(AT_FDCWD, "/proc/self/status");
	const char *pids = text ? strstr(text, "\nNSpid:") : NULL;
	bool is_ours = false;

	if (pids) {
		pids += strlen("\nNSpid:");
		pids += strspn(pids, "\t ");
		is_ours = strtol(pids, NULL, 10) == getpid() &&
			  strcspn(pids, "\t ") > strcspn(pids, "\n");
	}
	free(text);
	return is_ours;
}

static bool parse_owner(struct owner *out, const char *group)
{
	int end = 0;

	return sscanf(group, GROUP_PREFIX "%lu_%" SCNu64 "_%lu%n", &out->pid, &out->start_ticks,
		      &out->namespace, &end) == 3 && end > 0 && group[end] == '\0';
}

static bool is_stale(const char *group, bool is_proc_known)
{
	struct process_stat stat;
	struct owner owner;
	int err;

	if (!is_proc_known || !parse_owner(&owner, group) || owner.pid > UINT32_MAX ||
	    owner.namespace != own_namespace())
		return false;
	err = process_stat_read(&stat, (uint32_t)owner.pid, 0);
	if (err)
		return err == -ESRCH;
	return stat.start_ticks != owner.start_ticks || stat.state == 'Z' || stat.state == 'X';
}

/* Reads the group from "p:GROUP/NAME ...", "r16:GROUP/NAME ...". */
static bool read_group(const char *line, char out[TRACE_NAME_BYTES])
{
	const char *colon = strchr(line, ':'), *slash = colon ? strchr(colon, '/') : NULL;

	if (!slash || slash - colon > TRACE_NAME_BYTES ||
	    strcspn(line, " ") < (size_t)(slash - line))
		return false;
	snprintf(out, TRACE_NAME_BYTES, "%.*s", (int)(slash - colon - 1), colon + 1);
	return true;
}

typedef void line_visit(void *context, const char *line, const char *group);

static int visit_events(int tracefs, line_visit *visit, void *context)
{
	char *text = read_file(tracefs, ALL_EVENTS);
	char *rest = text, *line, group[TRACE_NAME_BYTES];
	int count = 0;

	if (!text)
		return -errno;
	while ((line = strsep(&rest, "\n")) != NULL) {
		if (!*line)
			continue;
		if (!read_group(line, group))
			group[0] = '\0';
		visit(context, line, group);
		count++;
	}
	free(text);
	return count;
}

struct sweep {
	int tracefs;
	bool is_proc_known;
	char last[TRACE_NAME_BYTES];	/* last group seen: events of a group are adjacent */
	bool last_is_stale, last_is_gone;
	uint32_t found, removed;	/* number of events */
	struct diag *why;
};

static int remove_group(int tracefs, const char *name)
{
	char command[TRACE_NAME_BYTES + 8];
	int err;

	if (strncmp(name, GROUP_PREFIX, strlen(GROUP_PREFIX)) != 0)
		return -EINVAL;
	snprintf(command, sizeof(command), "-:%s/", name);
	err = write_command(tracefs, ALL_EVENTS, command);
	return err == -ENOENT ? 0 : err;
}

static bool remove_dead(const struct sweep *sweep, const char *group)
{
	const int err = remove_group(sweep->tracefs, group);

	if (err) {
		diag_set(sweep->why, err, "probes that a dead flametop left (%s) stay: %s", group,
			 err == -EBUSY ? "somebody has one open" : strerror(-err));
		log_warn("probes that a dead flametop left (%s) stay: %s", group, strerror(-err));
	} else {
		log_note("removed the probes that a dead flametop left: %s", group);
	}
	return !err;
}

static void sweep_line(void *context, const char *line, const char *group)
{
	struct sweep *sweep = context;

	(void)line;
	if (strncmp(group, GROUP_PREFIX, strlen(GROUP_PREFIX)) != 0)
		return;
	if (strcmp(group, sweep->last) != 0) {
		snprintf(sweep->last, sizeof(sweep->last), "%s", group);
		sweep->last_is_stale = is_stale(group, sweep->is_proc_known);
		sweep->last_is_gone = sweep->last_is_stale && remove_dead(sweep, group);
	}
	sweep->found += sweep->last_is_stale;
	sweep->removed += sweep->last_is_gone;
}

static struct sweep sweep_dead(int tracefs, struct diag *why)
{
	struct sweep sweep = { .tracefs = tracefs, .is_proc_known = is_proc_ours(), .why = why };

	visit_events(tracefs, sweep_line, &sweep);
	return sweep;
}

int trace_group_open(struct trace_group **out, struct diag *why)
{
	struct trace_group *group = calloc(1, sizeof(*group));
	int err;

	*out = NULL;
	if (!group)
		return diag_set(why, -ENOMEM, "no memory for probes");
	group->tracefs = tracefs_open(why);
	err = group->tracefs < 0 ? group->tracefs : trace_group_name(group->name, why);
	if (err) {
		trace_group_close(group);
		return err;
	}
	sweep_dead(group->tracefs, NULL);
	*out = group;
	return 0;
}

uint32_t trace_group_sweep(struct trace_group *group, uint32_t *all, struct diag *why)
{
	const struct sweep sweep = sweep_dead(group->tracefs, why);

	*all = sweep.found;
	return sweep.removed;
}

void trace_group_close(struct trace_group *group)
{
	int err = 0;

	if (!group)
		return;
	if (group->tracefs >= 0 && group->made)
		err = remove_group(group->tracefs, group->name);
	if (err)	/* the next start will remove it */
		log_warn("probes of %s stay: %s", group->name, strerror(-err));
	if (group->tracefs >= 0)
		close(group->tracefs);
	free(group);
}

static bool is_kernel_type(enum trace_type type)
{
	return type == TRACE_KPROBE || type == TRACE_KRETPROBE;
}

static const char *definitions_file(enum trace_type type)
{
	return is_kernel_type(type) ? "kprobe_events" : "uprobe_events";
}

/* Reads the kernel's message about @command from error_log: "The symbol is not unique". The file
 * has the last few errors of everybody, so only one for exactly this command counts. */
static bool read_kernel_sentence(int tracefs, const char *command, char *out, size_t room)
{
	static const char error[] = ": error: ", of[] = "\n  Command: ";
	char *text = read_file(tracefs, "error_log");
	const char *at = text, *begin = NULL, *found = NULL;

	while (at && (at = strstr(at, error)) != NULL) {
		const char *end = strchr(at, '\n');

		at += strlen(error);
		if (end && strncmp(end, of, strlen(of)) == 0 &&
		    strncmp(end + strlen(of), command, strlen(command)) == 0 &&
		    end[strlen(of) + strlen(command)] == '\n') {
			begin = at;
			found = end;
		}
	}
	if (found)
		snprintf(out, room, "%.*s", (int)(found - begin), begin);
	free(text);
	return found;
}

static const char *shown_site(const struct trace_definition *definition)
{
	return definition->shown ? definition->shown : definition->site;
}

static int explain_refusal(const struct trace_group *group, int err, const char *command,
			   const struct trace_definition *definition, struct diag *why)
{
	const char *file = definitions_file(definition->type);
	char sentence[160];

	if (err == -ENOENT && faccessat(group->tracefs, file, F_OK, AT_EACCESS) != 0)
		return diag_set(why, -EOPNOTSUPP, "this kernel has no %s: it was built without %s",
				file, is_kernel_type(definition->type) ? "CONFIG_KPROBE_EVENTS"
								       : "CONFIG_UPROBE_EVENTS");
	if (err == -EACCES || err == -EPERM)
		return diag_set(why, err, "probes may not be defined here (%s: %s): run as root,"
				" and without lockdown=confidentiality", file, strerror(-err));
	if (read_kernel_sentence(group->tracefs, command, sentence, sizeof(sentence)))
		return diag_set(why, err, "the kernel refuses a probe at %s: %s (%s)",
				shown_site(definition), sentence, strerror(-err));
	return diag_set(why, err, "the kernel refuses a probe at %s: %s", shown_site(definition),
			strerror(-err));
}

/* Reads id and fields of an event; @out has its name and type. */
static int describe(int tracefs, const char *system, struct trace_event *out, struct diag *why)
{
	const int err = tracefs_read_id(tracefs, system, out->name, &out->id);

	if (err)
		return diag_set(why, err, "cannot read the number of %s:%s: %s", system, out->name,
				strerror(-err));
	return tracefs_read_fields(tracefs, system, out->name, &out->fields, why);
}

/* Gives the event a name that is unique on the machine: kprobe_profile does not show the group. */
static void name_event(struct trace_group *group, struct trace_event *event)
{
	snprintf(event->name, sizeof(event->name), "p%s_%" PRIu64,
		 group->name + strlen(GROUP_PREFIX) - 1, ++group->made);
}

static int write_definition(const struct trace_group *group, const struct trace_event *event,
			    const struct trace_definition *definition, struct diag *why)
{
	const bool is_return = definition->type == TRACE_KRETPROBE ||
			       definition->type == TRACE_URETPROBE;
	char command[COMMAND_BYTES], active[16] = "";
	int err, len;

	if (definition->type == TRACE_KRETPROBE && definition->max_active)
		snprintf(active, sizeof(active), "%u", definition->max_active);
	len = snprintf(command, sizeof(command), "%c%s:%s/%s %s%s%s", is_return ? 'r' : 'p', active,
		       group->name, event->name, definition->site,
		       *definition->fetch_args ? " " : "", definition->fetch_args);
	if (len >= (int)sizeof(command))
		return diag_set(why, -E2BIG, "the values of a probe at %s are more than the kernel"
				" takes", shown_site(definition));
	err = write_command(group->tracefs, definitions_file(definition->type), command);
	return err ? explain_refusal(group, err, command, definition, why) : 0;
}

int trace_group_add(struct trace_group *group, const struct trace_definition *definition,
		    struct trace_event *out, struct diag *why)
{
	int err;

	*out = (struct trace_event){ .type = definition->type };
	name_event(group, out);
	err = write_definition(group, out, definition, why);
	if (err)
		return err;
	err = describe(group->tracefs, group->name, out, why);
	if (err)
		trace_group_remove(group, out, NULL);
	return err;
}

int trace_group_remove(struct trace_group *group, struct trace_event *event, struct diag *why)
{
	char command[2 * TRACE_NAME_BYTES + 8];
	int err;

	snprintf(command, sizeof(command), "-:%s/%s", group->name, event->name);
	err = write_command(group->tracefs, ALL_EVENTS, command);
	if (err && err != -ENOENT)
		return diag_set(why, err, "cannot remove the probe %s/%s: %s", group->name,
				event->name, err == -EBUSY ? "somebody has it open"
							   : strerror(-err));
	raw_fields_finish(&event->fields);
	return 0;
}

uint64_t trace_group_missed(struct trace_group *group, const struct trace_event *event)
{
	char *text = is_kernel_type(event->type)
		? read_file(group->tracefs, "kprobe_profile") : NULL;
	char *rest = text, *line, name[TRACE_NAME_BYTES];
	uint64_t missed = 0;

	while (text && (line = strsep(&rest, "\n")) != NULL)
		if (sscanf(line, " %63s %*u %" SCNu64, name, &missed) == 2 &&
		    strcmp(name, event->name) == 0)
			break;
		else
			missed = 0;
	free(text);
	return missed;
}

int trace_group_find(struct trace_group *group, const char *system, const char *name,
		     struct trace_event *out, struct diag *why)
{
	int err;

	*out = (struct trace_event){ 0 };
	err = tracefs_event_id(system, name, &out->id, why);
	if (err)
		return err;
	if (strlen(name) >= sizeof(out->name))
		return diag_set(why, -ENAMETOOLONG, "\"%s\" is too long for a tracepoint", name);
	snprintf(out->name, sizeof(out->name), "%s", name);
	return describe(group->tracefs, system, out, why);
}

int trace_group_remove_named(const char *name)
{
	const int tracefs = tracefs_open(NULL);
	int err;

	if (tracefs < 0)
		return tracefs;
	err = remove_group(tracefs, name);
	close(tracefs);
	return err;
}

void trace_group_leftovers(struct guardian_leftovers *out)
{
	_Static_assert(sizeof(out->name) == TRACE_NAME_BYTES, "a group's name fits");
	*out = (struct guardian_leftovers){ .remove = NULL };
	if (!trace_group_name(out->name, NULL))	/* else nothing can be probed */
		out->remove = trace_group_remove_named;
}

struct listing {
	trace_list_sink *sink;
	void *context;
	char own[TRACE_NAME_BYTES];
	bool is_proc_known;
};

static void list_line(void *context, const char *line, const char *group)
{
	const struct listing *listing = context;

	listing->sink(listing->context, line, *group && strcmp(group, listing->own) == 0,
		      is_stale(group, listing->is_proc_known));
}

int trace_group_list_all(trace_list_sink *sink, void *context, struct diag *why)
{
	struct listing listing = { .sink = sink, .context = context,
				   .is_proc_known = is_proc_ours() };
	int tracefs = tracefs_open(why), count;

	if (tracefs < 0)
		return tracefs;
	trace_group_name(listing.own, NULL);
	count = visit_events(tracefs, list_line, &listing);
	close(tracefs);
	if (count < 0)
		diag_set(why, count, "cannot read which probes there are: %s", strerror(-count));
	return count;
}
