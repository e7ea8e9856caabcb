/* The sandbox against real files, real signals and a worker that ptrace(2) stops at its first read:
 * what main does when it dies, lies, is late or is not wanted any more. What a worker has given up:
 * test_confine.c. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "need_root.h"
#include "sandbox/sandbox.h"
#include "sandbox/sandbox_protocol.h"
#include "sandbox/zygote.h"
#include "unit_tests.h"
#include "worker_tracer.h"

static int start(void **state)
{
	struct sandbox *sandbox;

	if (sandbox_start(&sandbox, worker_run, NULL))
		return -1;
	*state = sandbox;
	return 0;
}

static int stop(void **state)
{
	sandbox_stop(*state);
	return 0;
}

static int open_self(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_in_range(fd, 0, 1 << 20);
	return fd;
}

static void expect_works(struct sandbox *sandbox)
{
	struct sandbox_table table;
	struct diag why = { .err = 0 };
	int fd = open_self();

	assert_int_equal(sandbox_compile(sandbox, fd, -1, &table, &why), 0);
	assert_in_range(table.table.header->row_count, 10, 1 << 20);
	sandbox_table_finish(&table);
	close(fd);
}

static void expect_fails(struct sandbox *sandbox, int fd, int wanted, const char *part)
{
	struct sandbox_table table;
	struct diag why = { .err = 0 };

	assert_int_equal(sandbox_compile(sandbox, fd, -1, &table, &why), wanted);
	if (!strstr(why.text, part))
		fail_msg("\"%s\" is not in \"%s\"", part, why.text);
	assert_null(table.bytes.bytes);
}

static void kill_worker(struct worker_tracer *tracer)
{
	kill(tracer->worker, SIGKILL);
}

static void test_a_worker_that_is_killed_fails_its_job_only(void **state)
{
	struct worker_tracer tracer = { .at_first_read = kill_worker };
	struct diag why = { .err = 0 };

	assert_int_equal(worker_tracer_run(&tracer, *state, 0, &why), -EPIPE);
	assert_non_null(strstr(why.text, "signal 9"));
	expect_works(*state);
}

static void crash_worker(struct worker_tracer *tracer)
{
	kill(tracer->worker, SIGSEGV);
}

/* cmocka's handler for it, or flametop's own, would go on in the worker. */
static void test_a_worker_that_crashes_dies_of_it(void **state)
{
	struct worker_tracer tracer = { .at_first_read = crash_worker };
	struct diag why = { .err = 0 };

	assert_int_equal(worker_tracer_run(&tracer, *state, 0, &why), -EPIPE);
	assert_string_equal(why.text, "its parser died of signal 11 (Segmentation fault)");
	expect_works(*state);
}

/* What a worker that was taken over says in place of its reply. */
struct lie {
	void (*tell)(int socket);
	int err;
	const char *reason;	/* a part of it */
};

static void send_reply(int socket, int err, const char *reason, int memfd)
{
	struct sandbox_reply reply = { .err = err };

	snprintf(reply.reason, sizeof(reply.reason), "%s", reason);
	sandbox_protocol_send(socket, &reply, sizeof(reply), &memfd, memfd >= 0);
	if (memfd >= 0)
		close(memfd);
}

static int sealed_file(off_t size, int seals)
{
	int fd = memfd_create("lie", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && (ftruncate(fd, size) || fcntl(fd, F_ADD_SEALS, seals))) {
		close(fd);
		return -1;
	}
	return fd;
}

#define ALL_SEALS (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static void say_nothing(int socket)
{
	(void)socket;
}

static void reply_twice(int socket)
{
	send_reply(socket, -ENOEXEC, "first", -1);
	send_reply(socket, -ENOEXEC, "second", -1);
}

static void reply_too_long(int socket)
{
	char bytes[sizeof(struct sandbox_reply) + 1] = "";

	sandbox_protocol_send(socket, bytes, sizeof(bytes), NULL, 0);
}

static void reply_without_table(int socket)
{
	send_reply(socket, 0, "", -1);
}

static void reply_unsealed(int socket)
{
	send_reply(socket, 0, "", sealed_file(4096, ALL_SEALS & ~F_SEAL_WRITE));
}

static void reply_too_large(int socket)
{
	send_reply(socket, 0, "", sealed_file(FLAT_BYTES_MAX + 1, ALL_SEALS));
}

static void reply_empty(int socket)
{
	send_reply(socket, 0, "", sealed_file(0, ALL_SEALS));
}

static void reply_directory(int socket)
{
	send_reply(socket, 0, "", open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static void reply_foreign_file(int socket)
{
	send_reply(socket, 0, "", open("/etc/passwd", O_RDONLY | O_CLOEXEC));
}

static void reply_escapes(int socket)
{
	send_reply(socket, 77, "\033]0;owned\007", -1);	/* no errno at that */
}

static void tell_lie(struct worker_tracer *tracer)
{
	const struct lie *lie = tracer->argument;
	int socket = worker_tracer_reply(tracer);

	lie->tell(socket);
	close(socket);
	worker_tracer_replace(tracer, SYS_exit_group, (const uint64_t[]){ 0 }, 1);
}

static void test_a_worker_that_lies_fails_its_job_only(void **state)
{
	static const struct lie lies[] = {
		{ say_nothing, -EBADMSG, "its parser ended without a reply" },
		{ reply_twice, -EBADMSG, "its parser replied twice" },
		{ reply_too_long, -EBADMSG, "reply is malformed" },
		{ reply_without_table, -EBADMSG, "replied without a table" },
		{ reply_unsealed, -EBADMSG, "its table could still be changed" },
		{ reply_too_large, -E2BIG, "its table is larger than 256 MiB" },
		{ reply_empty, -EBADMSG, "its table is empty" },
		{ reply_directory, -EBADMSG, "its parser sent no memory file" },
		{ reply_foreign_file, -EBADMSG, "its parser sent no memory file" },
		{ reply_escapes, -EBADMSG, "\\x1b]0;owned\\x07" },
	};

	need_root();	/* for its memory and descriptors */
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct worker_tracer tracer = { .at_first_read = tell_lie,
						.argument = (void *)&lies[i] };
		struct diag why = { .err = 0 };

		assert_int_equal(worker_tracer_run(&tracer, *state, 0, &why), lies[i].err);
		if (!strstr(why.text, lies[i].reason))
			fail_msg("\"%s\" is not in \"%s\"", lies[i].reason, why.text);
	}
	expect_works(*state);
}

static void test_a_job_over_its_deadline_is_ended(void **state)
{
	int fd = open_self();

	sandbox_set_deadline(*state, 0);
	expect_fails(*state, fd, -ETIMEDOUT, "not done after 0 ms");
	sandbox_set_deadline(*state, SANDBOX_DEADLINE_MS);
	expect_works(*state);
	close(fd);
}

static int memory_file(const void *bytes, size_t count, off_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_in_range(fd, 0, 1 << 20);
	assert_int_equal(write(fd, bytes, count), count);
	if (size)
		assert_int_equal(ftruncate(fd, size), 0);
	return fd;
}

static void test_a_worker_that_loops_is_ended_at_its_deadline(void **state)
{
	struct worker_tracer tracer = { .at_first_read = worker_tracer_spin };
	struct diag why = { .err = 0 };

	need_root();	/* for its memory and descriptors */
	sandbox_set_deadline(*state, 300);
	assert_int_equal(worker_tracer_run(&tracer, *state, 0, &why), -ETIMEDOUT);
	assert_string_equal(why.text, "not done after 300 ms");
	sandbox_set_deadline(*state, SANDBOX_DEADLINE_MS);
	expect_works(*state);
}

static void spin_and_cancel(struct worker_tracer *tracer)
{
	worker_tracer_spin(tracer);
	sandbox_cancel_job(tracer->argument, 7);
}

static void test_a_running_job_can_be_cancelled_and_the_next_one_is_done(void **state)
{
	struct worker_tracer tracer = { .at_first_read = spin_and_cancel, .argument = *state };
	struct worker_tracer later = { .at_first_read = NULL };
	struct sandbox_request request = { .kind = SANDBOX_SYMBOLS, .input_count = 1,
					   .inputs = { open_self() }, .number = 7 };
	pid_t zygote = sandbox_pid(*state);
	struct sandbox_bytes bytes;
	struct diag why = { .err = 0 };

	need_root();	/* for its memory and descriptors */
	assert_int_equal(worker_tracer_run(&tracer, *state, 7, &why), -ECANCELED);
	assert_string_equal(why.text, "nobody waits for it any more");
	assert_int_equal(worker_tracer_run(&later, *state, 8, NULL), 0);
	assert_int_equal(sandbox_run(*state, &request, &bytes, NULL), -ECANCELED);
	expect_works(*state);	/* has no number */
	assert_int_equal(sandbox_pid(*state), zygote);
	close(request.inputs[0]);
}

static void spin_and_end_zygote(struct worker_tracer *tracer)
{
	worker_tracer_spin(tracer);
	kill(tracer->zygote, SIGKILL);
}

static void test_a_worker_ends_with_its_zygote(void **state)
{
	struct worker_tracer tracer = { .at_first_read = spin_and_end_zygote };
	struct diag why = { .err = 0 };

	need_root();	/* for its memory and descriptors */
	/* Comes back when the worker has ended, never if it loops on. */
	assert_int_equal(worker_tracer_run(&tracer, *state, 0, &why), -EPIPE);
	assert_non_null(strstr(why.text, "has ended"));
}

static void cancel_an_older_one(struct worker_tracer *tracer)
{
	sandbox_cancel_job(tracer->argument, 7);
}

static void test_cancelling_a_job_that_has_ended_does_nothing(void **state)
{
	struct worker_tracer tracer = { .at_first_read = cancel_an_older_one, .argument = *state };

	assert_int_equal(worker_tracer_run(&tracer, *state, 8, NULL), 0);
}

/* What the zygote sees when a job ends while it is being cancelled. */
static void test_a_cancel_that_comes_too_late_does_not_end_the_next_job(void **state)
{
	int sockets[2], fds[SANDBOX_JOB_FDS] = { open_self() }, socket[2];
	struct sandbox_job job = { .kind = SANDBOX_SYMBOLS, .deadline_ms = SANDBOX_DEADLINE_MS,
				   .input_count = 1 };
	struct sandbox_verdict verdict;
	pid_t self = getpid(), zygote;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socket), 0);
	zygote = fork();
	if (zygote == 0)
		zygote_run(&sockets[1], 1, self, worker_run);
	close(sockets[1]);
	for (int i = 1; i < SANDBOX_JOB_FDS; i++)
		fds[i] = socket[1];
	assert_int_equal(sandbox_protocol_send(sockets[0], &job, sizeof(job), NULL, 0), 0);
	assert_int_equal(sandbox_protocol_send(sockets[0], &job, sizeof(job), fds,
					       SANDBOX_JOB_FDS), 0);
	assert_int_equal(sandbox_protocol_receive(sockets[0], &verdict, sizeof(verdict), NULL, 0,
						  0), 0);
	assert_int_equal(verdict.end, SANDBOX_BY_ITSELF);
	assert_int_equal(verdict.status, 0);
	close(sockets[0]);
	assert_int_equal(waitpid(zygote, NULL, 0), zygote);
	close(socket[0]);
	close(socket[1]);
	close(fds[0]);
}

static void test_what_is_not_elf_is_refused(void **state)
{
	static const char script[] = "#!/bin/sh\necho \033[31mhello\n";
	int text = memory_file(script, sizeof(script), 0), empty = memory_file("", 0, 0);

	expect_fails(*state, text, -ENOEXEC, "unreadable: not an ELF file");
	expect_fails(*state, empty, -ENOEXEC, "not an ELF file");
	close(text);
	close(empty);
}

static void test_a_file_over_two_gigabytes_is_refused(void **state)
{
	int fd = memory_file(ELFMAG, SELFMAG, ((off_t)2 << 30) + 1);

	expect_fails(*state, fd, -E2BIG, "2 GiB");
	close(fd);
}

/* A file of two sections: nothing and 4,000,001 symbols, all zero and sparse, their own names. */
static void test_a_file_with_too_many_symbols_is_refused(void **state)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Shdr sections[2];
	} file = {
		.header = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			.e_ehsize = sizeof(Elf64_Ehdr), .e_shentsize = sizeof(Elf64_Shdr),
			.e_shoff = sizeof(Elf64_Ehdr), .e_shnum = 2,
		},
		.sections[1] = {
			.sh_type = SHT_SYMTAB, .sh_link = 1, .sh_offset = 4096,
			.sh_entsize = sizeof(Elf64_Sym),
			.sh_size = 4000002 * sizeof(Elf64_Sym),
		},
	};
	int fd = memory_file(&file, sizeof(file), 4096 + 4000002 * (off_t)sizeof(Elf64_Sym));

	expect_fails(*state, fd, -E2BIG, "more than 4000000 symbols");
	close(fd);
}

static void test_a_descriptor_that_is_no_regular_file_is_refused(void **state)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	expect_fails(*state, ends[0], -EINVAL, "not a regular file");
	expect_fails(*state, -1, -EINVAL, "not a regular file");
	close(ends[0]);
	close(ends[1]);
}

static void test_a_zygote_that_is_gone_fails_every_job_and_hangs_none(void **state)
{
	int fd = open_self();

	kill(sandbox_pid(*state), SIGKILL);
	expect_fails(*state, fd, -EPIPE, "has ended");
	expect_fails(*state, fd, -EPIPE, "has ended");
	assert_int_equal(sandbox_pid(*state), -1);
	close(fd);
}

static void test_the_keys_of_a_terminal_do_not_end_the_zygote(void **state)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		kill(sandbox_pid(*state), signals[i]);
	expect_works(*state);	/* by now it has set its session up */
	assert_int_not_equal(getpgid(sandbox_pid(*state)), getpgrp());
}

static void test_a_cancelled_sandbox_refuses_work(void **state)
{
	int fd = open_self();

	sandbox_cancel(*state);
	expect_fails(*state, fd, -ECANCELED, "ended before");
	close(fd);
}

/* Sandboxes of one zygote, whose workers loop at lists of names and do any other job. */
static int loop_or_work(const struct sandbox_request *job, void **bytes, size_t *count,
			struct diag *why)
{
	volatile bool goes_on = job->kind == SANDBOX_NAMES;

	while (goes_on)
		continue;
	return worker_run(job, bytes, count, why);
}

static int start_two(void **state)
{
	static struct sandbox *two[2];

	*state = two;
	return sandbox_start_all(two, 2, loop_or_work, NULL);
}

static int stop_two(void **state)
{
	struct sandbox **two = *state;

	sandbox_stop(two[0]);
	sandbox_stop(two[1]);
	return 0;
}

static void submit_loop(struct sandbox *sandbox, uint64_t number)
{
	struct sandbox_request loop = { .kind = SANDBOX_NAMES, .input_count = 1,
					.inputs = { open_self() }, .number = number };

	assert_int_equal(sandbox_submit(sandbox, &loop, NULL), 0);
	close(loop.inputs[0]);
}

static bool is_ready(struct sandbox *sandbox, int wait_ms)
{
	struct pollfd ready = { .fd = sandbox_fd(sandbox), .events = POLLIN };

	return poll(&ready, 1, wait_ms) == 1;
}

static void expect_taken(struct sandbox *sandbox, int wanted, const char *reason)
{
	struct sandbox_bytes bytes;
	struct diag why = { .err = 0 };
	int err = 0;

	assert_true(is_ready(sandbox, 30000));
	assert_true(sandbox_take(sandbox, &bytes, &err, &why));
	assert_int_equal(err, wanted);
	assert_string_equal(why.text, reason);
	assert_null(bytes.bytes);
	assert_false(is_ready(sandbox, 0));
	assert_false(sandbox_take(sandbox, &bytes, &err, &why));
}

static void test_a_submitted_job_is_taken_when_its_descriptor_is_readable(void **state)
{
	struct sandbox_request request = { .kind = SANDBOX_SYMBOLS, .input_count = 1,
					   .inputs = { open_self() } };
	struct sandbox *sandbox = *(struct sandbox **)*state;
	struct sandbox_bytes bytes;
	int err = -1;

	assert_false(is_ready(sandbox, 0));
	assert_false(sandbox_take(sandbox, &bytes, &err, NULL));
	assert_int_equal(sandbox_submit(sandbox, &request, NULL), 0);
	close(request.inputs[0]);
	assert_true(is_ready(sandbox, 30000));
	assert_true(sandbox_take(sandbox, &bytes, &err, NULL));
	assert_int_equal(err, 0);
	assert_in_range(bytes.count, 1000, FLAT_BYTES_MAX);
	sandbox_bytes_finish(&bytes);
	assert_false(is_ready(sandbox, 0));
}

static void test_jobs_of_one_zygote_do_not_wait_for_one_another(void **state)
{
	struct sandbox **two = *state;
	const pid_t zygote = sandbox_pid(two[0]);

	sandbox_set_deadline(two[0], 1000);
	submit_loop(two[0], 0);
	expect_works(two[1]);
	assert_false(is_ready(two[0], 0));
	expect_taken(two[0], -ETIMEDOUT, "not done after 1000 ms");
	submit_loop(two[0], 3);
	expect_works(two[1]);
	sandbox_cancel_job(two[0], 3);
	expect_taken(two[0], -ECANCELED, "nobody waits for it any more");
	submit_loop(two[0], 4);
	sandbox_cancel(two[0]);
	expect_taken(two[0], -ECANCELED, "ended before it was read");
	expect_works(two[1]);
	assert_int_equal(sandbox_pid(two[1]), zygote);
}

static void test_a_zygote_that_hangs_is_ended_for_all_its_sandboxes(void **state)
{
	struct sandbox **two = *state;
	int fd = open_self();

	sandbox_set_deadline(two[0], 0);
	submit_loop(two[1], 0);
	kill(sandbox_pid(two[0]), SIGSTOP);
	expect_fails(two[0], fd, -ETIMEDOUT,
		     "the symbolizer hangs and was ended: restart flametop");
	expect_taken(two[1], -EPIPE, "the symbolizer has ended: restart flametop");
	expect_fails(two[1], fd, -EPIPE, "the symbolizer has ended: restart flametop");
	assert_int_equal(sandbox_pid(two[1]), -1);
	close(fd);
}

/* As many descriptors as a packet of ours has at most, and one more: a control message is padded,
 * so there is room for it. */
static void send_too_many(int socket, int fd)
{
	struct sandbox_reply reply = { .err = 0 };
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE((SANDBOX_JOB_FDS + 1) * sizeof(int))];
	} control = { .bytes = { 0 } };
	struct iovec part = { .iov_base = &reply, .iov_len = sizeof(reply) };
	struct msghdr packet = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	int *fds = (void *)CMSG_DATA(&control.header);

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN((SANDBOX_JOB_FDS + 1) * sizeof(int));
	for (int i = 0; i <= SANDBOX_JOB_FDS; i++)
		fds[i] = fd;
	assert_int_equal(sendmsg(socket, &packet, 0), sizeof(reply));
}

#define SENT_BY_OTHERS 32	/* more than a worker may have open */
#define WORKERS	       65527

/* Sends descriptors as the user of workers, as those of other instances do, says so, and takes them
 * back by its end when a worker may have tried. */
static _Noreturn void send_as_workers(int ready)
{
	int pair[2], fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) ||
	    setresuid(WORKERS, WORKERS, WORKERS))
		_exit(1);
	for (int i = 0; i < SENT_BY_OTHERS; i++)
		if (sandbox_protocol_send(pair[0], "", 1, &fd, 1))
			_exit(1);
	if (write(ready, "", 1) != 1)
		_exit(1);
	poll(NULL, 0, 300);
	_exit(0);
}

static void test_replies_wait_for_those_of_other_instances(void **state)
{
	int ready[2], status;
	char byte;
	pid_t other;

	need_root();
	assert_int_equal(pipe(ready), 0);
	other = fork();
	if (other == 0)
		send_as_workers(ready[1]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	expect_works(*state);
	close(ready[0]);
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(status, 0);
}

/* What a process that was taken over may send besides: each packet is refused and its descriptors
 * are closed. */
static void test_packets_of_another_form_are_refused(void **state)
{
	struct {
		struct sandbox_reply reply;
		char more[8];
	} longer = { .more = "" };
	struct sandbox_reply reply = { .err = 0 };
	int pair[2], fds[2] = { open_self(), open_self() }, taken;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	send_too_many(pair[0], fds[0]);
	sandbox_protocol_send(pair[0], &reply, sizeof(reply), fds, 2);		/* one too many */
	sandbox_protocol_send(pair[0], &reply, sizeof(reply) - 1, fds, 1);	/* too short */
	sandbox_protocol_send(pair[0], &longer, sizeof(longer), fds, 1);
	sandbox_protocol_send(pair[0], "", 0, fds, 1);				/* empty */
	sandbox_protocol_send(pair[0], &reply, sizeof(reply), NULL, 0);		/* right */
	for (int i = 0; i < 5; i++) {
		assert_int_equal(sandbox_protocol_receive(pair[1], &reply, sizeof(reply), &taken,
							  1, MSG_DONTWAIT), -EBADMSG);
		assert_int_equal(taken, -1);
	}
	assert_int_equal(sandbox_protocol_receive(pair[1], &reply, sizeof(reply), &taken, 1,
						  MSG_DONTWAIT), 0);
	assert_int_equal(taken, -1);
	assert_int_equal(sandbox_protocol_receive(pair[1], &reply, sizeof(reply), &taken, 1,
						  MSG_DONTWAIT), -EAGAIN);
	close(pair[0]);
	assert_int_equal(sandbox_protocol_receive(pair[1], &reply, sizeof(reply), &taken, 1,
						  MSG_DONTWAIT), -EPIPE);
	assert_int_equal(sandbox_protocol_send(pair[1], &reply, sizeof(reply), NULL, 0), -EPIPE);
	close(pair[1]);
	taken = dup(0);
	assert_int_equal(taken, pair[0] < pair[1] ? pair[0] : pair[1]);	/* nothing was left open */
	close(taken);
	close(fds[0]);
	close(fds[1]);
}

#define WITH_TWO(test)	   cmocka_unit_test_setup_teardown(test, start_two, stop_two)
#define WITH_SANDBOX(test) cmocka_unit_test_setup_teardown(test, start, stop)

/* What a process that was taken over may send in place of its result. */
static void test_only_a_sealed_memory_file_is_one(void **state)
{
	const int sealed = sandbox_seal("test", "abc", 3);
	const int open_file = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	const int device = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_true(sandbox_is_sealed(sealed));
	assert_false(sandbox_is_sealed(open_file));
	assert_int_equal(fcntl(open_file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL), 0);
	assert_false(sandbox_is_sealed(open_file));	/* it can be shrunk */
	assert_false(sandbox_is_sealed(device));
	assert_false(sandbox_is_sealed(file));
	assert_false(sandbox_is_sealed(ends[0]));
	assert_false(sandbox_is_sealed(-1));
	close(sealed);
	close(open_file);
	close(device);
	close(file);
	close(ends[0]);
	close(ends[1]);
}

UNIT_TESTS(test_sandbox)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_a_sealed_memory_file_is_one),
		WITH_SANDBOX(test_a_worker_that_is_killed_fails_its_job_only),
		WITH_SANDBOX(test_a_worker_that_crashes_dies_of_it),
		WITH_SANDBOX(test_a_worker_that_lies_fails_its_job_only),
		WITH_SANDBOX(test_a_job_over_its_deadline_is_ended),
		WITH_SANDBOX(test_a_worker_that_loops_is_ended_at_its_deadline),
		WITH_SANDBOX(test_a_running_job_can_be_cancelled_and_the_next_one_is_done),
		WITH_SANDBOX(test_a_worker_ends_with_its_zygote),
		WITH_SANDBOX(test_cancelling_a_job_that_has_ended_does_nothing),
		cmocka_unit_test(test_a_cancel_that_comes_too_late_does_not_end_the_next_job),
		WITH_SANDBOX(test_what_is_not_elf_is_refused),
		WITH_SANDBOX(test_a_file_over_two_gigabytes_is_refused),
		WITH_SANDBOX(test_a_file_with_too_many_symbols_is_refused),
		WITH_SANDBOX(test_a_descriptor_that_is_no_regular_file_is_refused),
		WITH_SANDBOX(test_a_zygote_that_is_gone_fails_every_job_and_hangs_none),
		WITH_SANDBOX(test_the_keys_of_a_terminal_do_not_end_the_zygote),
		WITH_SANDBOX(test_a_cancelled_sandbox_refuses_work),
		WITH_TWO(test_a_submitted_job_is_taken_when_its_descriptor_is_readable),
		WITH_TWO(test_jobs_of_one_zygote_do_not_wait_for_one_another),
		WITH_TWO(test_a_zygote_that_hangs_is_ended_for_all_its_sandboxes),
		cmocka_unit_test(test_packets_of_another_form_are_refused),
		WITH_SANDBOX(test_replies_wait_for_those_of_other_instances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
