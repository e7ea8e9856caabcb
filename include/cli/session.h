/* session.h - creates, starts and ends all parts of one run in the right order.
 *
 *   source (capture or recording) -> queue -> analyzer <- DSO opener <- sandbox
 *                                                      <- process reader
 *                                                      <- demangler <- sandbox
 *                                                      <- line server <- sandbox
 *                                                      <- code reader <- sandbox
 *                                                      <- slow unwinder <- sandbox
 *                                                      <- probe engine <- sandbox
 *   screen, command line --requests--> probe engine; screen --text--> target finder <- sandbox
 * Thread: main.
 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "analyzer/analyzer.h"
#include "analyzer/analyzer_config.h"
#include "base/diag.h"
#include "capture/scope.h"
#include "capture/perf_data.h"
#include "capture/thread_reader.h"
#include "cli/options.h"
#include "ingest/source.h"
#include "probe/probe_spec.h"
#include "proc/command.h"
#include "proc/guardian.h"
#include "record/recording.h"
#include "sandbox/packed_records.h"
#include "share/shared_file.h"
#include "symbols/code_bytes.h"
#include "symbols/line_server.h"
#include "ui/probe_control.h"

/* The recordings of a session: one that is shown (-i), or two, of which the second (--diff) is
 * shown beside the counts of the first. Thread: main. */

struct session_recording {
	struct perf_data *reader;
	const struct event_desc **events;	/* owned */
	struct ingest_build_id *build_ids;	/* owned */
	struct sandbox *sandbox;	/* BORROWED; used by the unpacker */
	struct record_unpacker *unpacker;	/* reads a compressed recording; else NULL */
	uint32_t number;		/* 1 or 2 */
	uint64_t jobs;			/* number of the last unpack job */
	char name[128];		/* base name of the file */
	char text[160];		/* description for the header */
	char notice[320];	/* missing parts of another machine's recording; "": none */
};

struct session_recordings {
	/* Set before they are opened: off-cpu is the only event shown; the range that is read */
	bool shows_waits;
	struct perf_data_time begin, end;
	struct session_recording first, other;	/* other.reader NULL: there is no other */
	struct second_recording second;		/* description of `other` for the analyzer */
	char notice[sizeof(((struct session_recording *)0)->notice) * 2];	/* both of them */
};

/* Opens @path, and @diff_path unless that is NULL. Compressed ones are unpacked in @sandbox, which
 * is BORROWED and must not be used otherwise meanwhile. 0 or -errno with the reason;
 * session_recordings_close() is needed in every case. */
int session_recordings_open(struct session_recordings *recordings, const char *path,
			    const char *diff_path, struct sandbox *sandbox, struct diag *why);
/* Closes the recordings; zeroed ones are fine, too. The DSO opener must have ended, as it reads
 * kernel names from them. */
void session_recordings_close(struct session_recordings *recordings);

/* Sets the members of @config that describe the recordings. */
void session_recordings_configure(struct session_recordings *recordings,
				  struct analyzer_config *config);

/* The sandboxes, all of one zygote: a name must not wait for a symtab, nor a symtab for the source
 * lines of a large file. */
enum {
	SANDBOX_OF_DSOS, SANDBOX_OF_NAMES, SANDBOX_OF_CALLERS,
	THREAD_SANDBOXES,	/* threads_now.c has its own of those above */
	SANDBOX_OF_LINES = THREAD_SANDBOXES, SANDBOX_OF_PROBES, SANDBOX_OF_TARGETS,
	SANDBOX_OF_CODE,
	SANDBOX_OF_THREADS,
	SESSION_SANDBOXES = SANDBOX_OF_THREADS + THREAD_SANDBOXES,
	SANDBOX_OF_RECORDINGS = SANDBOX_OF_PROBES,	/* recordings have no probes */
	SANDBOX_OF_TRACES = SANDBOX_OF_THREADS	/* a screen looks at threads, batch prints */
};

struct keep;
struct retarget;
struct record_owner;

struct session {
	struct guardian *guardian;
	uint32_t own_pids[4];	/* main, the guardian, the zygote, the network process if any */
	size_t own_pid_count;
	struct sandbox *sandboxes[SESSION_SANDBOXES];
	struct code_reader *code_reader;	/* uses SANDBOX_OF_CODE */
	struct command *command;
	struct command_output *command_output;	/* with a screen */
	struct capture *capture;	/* live; owned by `retarget` while that exists */
	struct session_recordings recordings;	/* replay */
	struct thread_reader *threads;	/* --threads-now; then there is no capture */
	const struct event_desc *thread_event;	/* the event of `threads`, BORROWED */
	struct dso_opener *opener;
	struct process_reader *reader;
	struct line_server *line_server;
	struct listing_server *listing_server;
	struct slow_unwinder *slow_unwinder;
	struct demangler *demangler;
	struct analyzer *analyzer;
	struct stack_ends *stack_ends;	/* live; written by the analyzer, read by the sampler */
	struct spsc queue;
	bool has_queue;
	struct source *source;		/* live; the first source */
	struct retarget *retarget;	/* live */
	struct probe_engine *probes;	/* live */
	struct probe_control probe_control;	/* the screen's interface to `probes` */
	struct target_finder *finder;	/* live, with a screen; NULL if unavailable */
	struct finder_control finder_control;	/* the screen's interface to `finder` */
	struct record_owner *records;	/* src/cli/record_control.h */
	bool has_started;		/* session_start() has succeeded */
	struct shared_outputs outputs;	/* other files of -o, written by batch or screen */
	struct keep *keep;		/* live; NULL: nothing is watched or kept */
	struct cpu_sockets sockets;	/* live */
	struct core_pmus pmus;		/* live */
	char host[65];
};

/* Forks the helper processes before the first thread, opens the source, starts everything.
 * @has_screen: guard the terminal and keep the command's output.
 * 0 or -errno with the reason; session_finish() is needed in every case. */
int session_start(struct session *session, struct options *options, bool has_screen,
		  struct diag *why);

/* Blocks SIGINT, SIGTERM and SIGHUP, for batch mode; call it before the first thread. Then
 * session_signal_fd() returns a descriptor, owned by the caller, that is readable once one of these
 * signals came, or -errno, and session_take_signal() consumes a pending signal n and returns 128+n,
 * or 0. */
void session_block_signals(void);
int session_signal_fd(void);
int session_take_signal(void);
/* Lets SIGINT and SIGTERM do again what they do to other programs: the output is complete. Those
 * that came until now are dropped. */
void session_unblock_signals(void);

/* Stops the source: no more records follow, and the analyzer publishes its last snapshot. */
void session_stop_source(struct session *session);
/* Returns the command if it shall outlive session_finish(): the caller then owns it and calls
 * command_outlive(). NULL: there is none, or it has ended, or it ends with the session. */
struct command *session_release_command(struct session *session);
/* Returns the screen's control of the source, BORROWED while the session lives; NULL: it is a
 * recording. */
const struct source_control *session_source_control(const struct session *session);

/* What was recorded, once it is written. */
struct session_recorded {
	char path[PATH_MAX];		/* "": nothing was being recorded at the end */
	struct recorder_status status;
	struct diag why;		/* err 0, or why the recording ended early */
};

/* Returns what says that a condition has fired, BORROWED while the session lives; NULL: none is
 * watched. */
const struct keep_control *session_keep_control(const struct session *session);

/* Returns the screen's interface to recordings, BORROWED until session_finish(). */
const struct record_control *session_record_control(const struct session *session);

/* Ends and frees everything, in any state. @recorded: filled in, unless NULL. Returns NULL, or the
 * name of a thread that hangs: then nothing of flametop is left in the kernel, but the thread goes
 * on using the session and what it was started with, so the process must end without freeing
 * that. */
const char *session_finish(struct session *session, struct session_recorded *recorded);

/* Batch mode: prints refreshes as text or JSON lines on standard output. */

#define BATCH_OUTPUT_FAILED 1
#define BATCH_HAS_GROWN	    10	/* a row grew by more than --fail-above allows */

/* Prints until the count, the duration, the data, the command or a signal ends it. Call
 * session_block_signals() before.
 * Returns 0; BATCH_OUTPUT_FAILED or BATCH_HAS_GROWN, @why set (a closed pipe is 0); 128+n: signal
 * n, also while the output blocks; < 0: -errno, @why set. */
int batch_run(struct session *session, const struct options *options, struct diag *why);

/* --threads-now: prints where every thread is, once. Call session_block_signals() before.
 * Returns 0; BATCH_OUTPUT_FAILED, @why set; 128+n: signal n; < 0: -errno, @why set: -ETIMEDOUT: a
 * thread's memory does not respond. */
int threads_run(struct session *session, const struct options *options, struct diag *why);

/* Looks at where threads are, whenever the screen asks: a thread of its own does, with an analyzer
 * and services of its own. */
struct thread_looker;

/* Takes the sandboxes for it from the live @session, which is BORROWED and must outlive it. 0 or
 * -errno. */
int thread_looker_create(struct thread_looker **out, struct session *session,
			 const struct options *options, struct diag *why);
/* Waits at most 2 s; a thread that hangs is left with all that it uses. NULL is fine. */
void thread_looker_destroy(struct thread_looker *looker);
struct threads_control thread_looker_control(struct thread_looker *looker);

/* Parts of a session that only reads threads. */

/* Creates session->threads, which has listed none yet. 0 or -errno. */
int session_open_threads(struct session *session, const struct options *options,
			 struct diag *why);
/* Starts the services, and reads the threads that are listed. 0 or -errno. */
int session_start_threads(struct session *session, const struct options *options,
			  struct diag *why);
/* Describes the samples that the threads are read as. */
void session_describe_threads(struct session *session, struct ingest_config *out);

/* --stat: counts and prints, to standard error if there is a command, whose standard output must
 * stay its own, else to standard output.
 * Thread: main, after session_block_signals() and before any other thread.
 * Returns 0: *@status is the exit status, the command's or 128+n after signal n, and @why may say
 * why a command could not be started; BATCH_OUTPUT_FAILED or -errno, @why set. */
int stat_run(const struct options *options, int *status, struct diag *why);

/* --dry-run: prints what the probes of the command line would do, without attaching.
 * Thread: main. */

/* Prints @translations, the lines of one-liners and their specs (NULL: there are none); then each
 * probe's sites as the kernel would get them, its values and the verdict. @pid: process
 * whose files are meant; 0: none in particular. 0; -errno with the reason of the first probe that
 * can't be resolved; -EPERM: a probe would be refused, which is printed. */
int dry_run_print(FILE *out, const char *translations, const struct probe_spec *specs,
		  size_t count, pid_t pid, struct diag *why);

/* --list-targets, --list-events and --list-probes: the possible probes and events, and the present
 * probes.
 * Thread: main. */

/* Prints the finder's results for @pattern, best first, as lines "SPEC<tab>where or what it is" or
 * "SPEC<tab>cannot: reason": at most @max (0: TARGET_RESULTS_MAX), then the number of further ones
 * in a line that begins with "#". If a name equals the pattern, merely similar ones are left out.
 * Waits until all names are loaded. The files of process @pid (0: none) come first. @presets:
 * BORROWED.
 * 0; -ENOENT: nothing matches; or -errno of the finder. No thread may run yet. */
int probe_lists_print_targets(FILE *out, const char *pattern, size_t max, pid_t pid,
			      const struct presets *presets, struct diag *why);

/* --lines: prints the source lines of the function or source file that @text names as a probe does,
 * "u:FILE:FUNC" or "k:SOURCE.c", with :FROM, :FROM-TO or :FROM+COUNT after it (of a function
 * counted from its first line), and marks those that can be probed, as perf-probe(1) --line does.
 * Without readable source it prints only the marked lines, and the reason. @pid as in
 * probe_lists_print_targets(). 0 or -errno with the reason. No thread may run yet. */
int line_lists_print(FILE *out, const char *text, bool is_json, pid_t pid, struct diag *why);

/* --vars: prints the variables in scope at each site of the probe @text, with their types and what
 * a probe fetches there; @with_externs: also those that the functions of its source file share.
 * @pid as in probe_lists_print_targets(). 0 or -errno with the reason. No thread may run yet. */
int variable_lists_print(FILE *out, const char *text, bool with_externs, bool is_json, pid_t pid,
			 struct diag *why);

/* --list-events: prints what can be sampled or counted here, as perf-list(1) does, a line each:
 * name and other names, kind, cost, whether it opens, what it is and why it does not open.
 * @pattern: see event_entry_matches(); NULL: all. 0; -ENOENT: nothing matches; -EACCES ...: only
 * tracepoints could match, and they can't be listed. */
int event_lists_print(FILE *out, const char *pattern, bool is_json, struct diag *why);

/* Prints the definitions of all dynamic events in the system, a line each; those of flametop are
 * followed by a tab and their owner. 0 or -errno of trace_group_list_all(). */
int probe_lists_print_probes(FILE *out, struct diag *why);

#endif
