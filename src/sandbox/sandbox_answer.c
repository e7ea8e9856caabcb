/* sandbox_answer.c - see sandbox_answer.h.
 *
 * Trust: the verdict comes from the zygote. The answer may come from a worker that its input file
 * has compromised: it can decide no more than whether that one file has a table.
 */
#include "sandbox_answer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sanitize.h"

int sandbox_answer_cancelled(struct diag *why)
{
	return diag_set(why, -ECANCELED, "nobody waits for it any more");
}

static int judge_signal(int signal_number, uint32_t cpu_s, struct diag *why)
{
	if (signal_number == SIGSYS)
		return diag_set(why, -EPIPE, "its parser was ended: it gave up (abort), or made "
				"a system call that is forbidden there");
	if (signal_number == SIGXCPU)
		return diag_set(why, -ETIMEDOUT, "not done after %u s of CPU time",
				cpu_s);
	return diag_set(why, -EPIPE, "its parser died of signal %d (%s)",
			signal_number, strsignal(signal_number));
}

int sandbox_answer_judge(const struct sandbox_verdict *verdict, uint32_t deadline_ms,
			 uint32_t cpu_s, struct diag *why)
{
	if (verdict->status < 0)
		return diag_set(why, verdict->status, "no process for the symbol compiler: %s",
				strerror(-verdict->status));
	if (verdict->end == SANDBOX_CANCELLED)
		return sandbox_answer_cancelled(why);
	if (verdict->end == SANDBOX_AT_DEADLINE)
		return diag_set(why, -ETIMEDOUT, "not done after %u ms", deadline_ms);
	if (WIFSIGNALED(verdict->status))
		return judge_signal(WTERMSIG(verdict->status), cpu_s, why);
	if (WEXITSTATUS(verdict->status) != 0)
		return diag_set(why, -EPIPE, "its parser failed with status %d",
				WEXITSTATUS(verdict->status));
	return 0;
}

/* Fails with the worker's reason, which is untrusted text. */
static int refuse(struct sandbox_answer *answer, struct diag *why)
{
	char clean[sizeof(why->text)];
	size_t len = strnlen(answer->reason, sizeof(answer->reason));

	sanitize_text(clean, sizeof(clean), answer->reason, len);
	if (answer->err > 0 || answer->err < -4095)	/* the range of errno: MAX_ERRNO */
		answer->err = -EBADMSG;
	return diag_set(why, answer->err, "%s", clean);
}

static int map_answer(int memfd, uint64_t bytes_max, struct sandbox_bytes *out, struct diag *why)
{
	const int wanted = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	struct stat status;
	void *mapping;
	int seals = fcntl(memfd, F_GET_SEALS);

	if (seals < 0 || fstat(memfd, &status) || !S_ISREG(status.st_mode))
		return diag_set(why, -EBADMSG, "its parser sent no memory file");
	if ((seals & wanted) != wanted)
		return diag_set(why, -EBADMSG, "its table could still be changed");
	if ((uint64_t)status.st_size > bytes_max)
		return diag_set(why, -E2BIG, "its table is larger than %u MiB",
				(unsigned int)(bytes_max >> 20));
	if (status.st_size == 0)
		return diag_set(why, -EBADMSG, "its table is empty");
	mapping = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, memfd, 0);
	if (mapping == MAP_FAILED)
		return diag_set(why, -errno, "no memory for a symbol table");
	*out = (struct sandbox_bytes){ mapping, (size_t)status.st_size };
	return 0;
}

static bool has_another_answer(int reply)
{
	struct sandbox_answer answer;
	int memfd;
	int err = sandbox_protocol_receive(reply, &answer, sizeof(answer), &memfd, 1, MSG_DONTWAIT);

	if (memfd >= 0)
		close(memfd);
	return err != -EPIPE && err != -EAGAIN;
}

int sandbox_answer_take(int reply, uint64_t bytes_max, struct sandbox_bytes *out, struct diag *why)
{
	struct sandbox_answer answer;
	int memfd;
	int err = sandbox_protocol_receive(reply, &answer, sizeof(answer), &memfd, 1, MSG_DONTWAIT);

	if (err == -EPIPE || err == -EAGAIN)
		return diag_set(why, -EBADMSG, "its parser ended without an answer");
	if (err)
		return diag_set(why, -EBADMSG, "its parser's answer is malformed");
	if (has_another_answer(reply))
		err = diag_set(why, -EBADMSG, "its parser answered twice");
	else if (answer.err)
		err = refuse(&answer, why);
	else if (memfd < 0)
		err = diag_set(why, -EBADMSG, "its parser answered without a table");
	else
		err = map_answer(memfd, bytes_max, out, why);
	if (memfd >= 0)
		close(memfd);
	return err;
}
