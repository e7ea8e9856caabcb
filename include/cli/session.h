/* session.h - creates, starts and ends all stages of one run in the right order.
 *
 *   source (capture or recording) -> queue -> analyzer <- opener <- sandbox
 *                                                      <- process reader
 *                                                      <- demangler <- sandbox
 *                                                      <- line server <- sandbox
 *                                                      <- rare server <- sandbox
 *   screen, command line --orders--> probe engine ------->           <- sandbox
 *   screen --what is typed--> target finder <- sandbox
 * Thread: main.
 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "analyzer/analyzer.h"
#include "capture/cpu_sockets.h"
#include "cli/options.h"
#include "cli/retarget.h"
#include "cli/session_recordings.h"
#include "ingest/source.h"
#include "probe/guardian.h"
#include "proc/command.h"
#include "proc/command_output.h"
#include "symbols/line_server.h"
#include "ui/finder.h"
#include "ui/probe_control.h"

/* A sandbox for each thread with jobs: a name must not wait for a symtab, nor a symtab for the
 * source lines of a large file. */
enum {
	SANDBOX_OF_OBJECTS, SANDBOX_OF_NAMES, SANDBOX_OF_LINES, SANDBOX_OF_CALLERS,
	SANDBOX_OF_PROBES, SANDBOX_OF_TARGETS,
	SESSION_SANDBOXES,
	SANDBOX_OF_RECORDINGS = SANDBOX_OF_PROBES	/* recordings have no probes */
};

struct session {
	struct guardian *guardian;
	uint32_t own_pids[2 + SESSION_SANDBOXES];	/* main, the guardian, the zygotes */
	size_t own_pid_count;
	struct sandbox *sandboxes[SESSION_SANDBOXES];
	struct command *command;
	struct command_output *command_output;	/* with a screen */
	struct capture *capture;	/* live; owned by `retarget` while that exists */
	struct session_recordings recordings;	/* replay */
	struct object_opener *opener;
	struct process_reader *reader;
	struct line_server *line_server;
	struct rare_server *rare_server;
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
	struct cpu_sockets sockets;	/* live */
	char host[65];
};

/* Forks the helper processes before the first thread, opens the source, starts everything.
 * @has_screen: guard the terminal and keep the command's output.
 * 0 or -errno with the reason; session_finish() is needed in every case. */
int session_start(struct session *session, struct options *options, bool has_screen,
		  struct diag *why);

/* Stops the source: no more records follow, and the analyzer publishes its last snapshot. */
void session_stop_source(struct session *session);
/* Returns the command if it shall outlive session_finish(): the caller then owns it and calls
 * command_outlive(). NULL: there is none, or it has ended, or it ends with the session. */
struct command *session_release_command(struct session *session);
/* Ends and frees everything, in any state. */
void session_finish(struct session *session);

#endif
