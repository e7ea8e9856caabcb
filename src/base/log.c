/* log.c - a ring of the newest lines, and a file with --log. Each has a lock, so that reading the
 * ring for the screen does not wait for a slow disk. */
#include "base/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/privileges.h"
#include "base/sanitize.h"
#include "base/whole_io.h"

static struct {
	pthread_mutex_t lock;
	struct log_line lines[LOG_LINES];
	size_t written;		/* lines in total; the newest is lines[(written - 1) % LOG_LINES] */
	pthread_mutex_t file_lock;	/* taken first: the file has the ring's order */
	int fd;
} log_state = {
	.lock = PTHREAD_MUTEX_INITIALIZER, .file_lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1,
};

/* Checks an existing file: in a directory like /tmp it may belong to another user, who could read
 * it, or be a hard link to an unrelated file. */
static int check_file(int fd, const char *path, struct diag *why)
{
	struct stat found;

	if (fstat(fd, &found))
		return diag_set(why, -errno, "cannot look at the log file %s: %s", path,
				strerror(errno));
	if (!S_ISREG(found.st_mode))
		return diag_set(why, -EINVAL, "the log %s is no file: give another name", path);
	if (found.st_uid != geteuid() && !inherited_is_from(found.st_uid))
		return diag_set(why, -EPERM, "the log file %s belongs to user %u: "
				"give another name", path, found.st_uid);
	if (found.st_nlink != 1)
		return diag_set(why, -EPERM, "the log file %s has other names: give another one",
				path);
	return 0;
}

int log_open(const char *path, struct diag *why)
{
	const char *name;
	const int directory = new_file_place(path, &name, why);
	int fd, err;

	if (directory < 0)
		return directory;
	/* O_NONBLOCK: a pipe is refused, not waited for */
	fd = openat(directory, name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC |
		    O_NONBLOCK | O_NOCTTY, 0600);
	err = fd >= 0 ? check_file(fd, path, why)
		      : diag_set(why, -errno, "cannot open the log file %s: %s", path,
				 strerror(errno));
	close(directory);
	if (!err)
		log_state.fd = fd;
	else if (fd >= 0)
		close(fd);
	return err;
}

void log_close(void)
{
	if (log_state.fd >= 0)
		close(log_state.fd);
	log_state.fd = -1;
}

static struct log_line add_line(bool is_warning, const char *text)
{
	struct log_line added = { .time_ns = clock_now_ns(), .wall_s = time(NULL),
				  .is_warning = is_warning };

	sanitize_text(added.text, sizeof(added.text), text, strlen(text));
	pthread_mutex_lock(&log_state.lock);
	added.number = log_state.written + 1;
	log_state.lines[log_state.written++ % LOG_LINES] = added;
	pthread_mutex_unlock(&log_state.lock);
	return added;
}

static void write_line(bool is_warning, const char *format, va_list args)
{
	char raw[LOG_LINE_BYTES], file_line[LOG_LINE_BYTES + 64];
	struct log_line added;
	ssize_t done;
	int used;

	vsnprintf(raw, sizeof(raw), format, args);
	pthread_mutex_lock(&log_state.file_lock);
	added = add_line(is_warning, raw);
	if (log_state.fd >= 0) {
		used = snprintf(file_line, sizeof(file_line), "%10.3f %s %s\n",
				(double)added.time_ns / 1e9, is_warning ? "warn" : "note",
				added.text);
		done = whole_write(log_state.fd, file_line, (size_t)used);
		(void)done;	/* a full disk must not stop a profiler */
	}
	pthread_mutex_unlock(&log_state.file_lock);
}

void log_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(false, format, args);
	va_end(args);
}

void log_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(true, format, args);
	va_end(args);
}

size_t log_tail(struct log_line *out, size_t cap)
{
	size_t count, first;

	pthread_mutex_lock(&log_state.lock);
	count = log_state.written < LOG_LINES ? log_state.written : LOG_LINES;
	if (count > cap)
		count = cap;
	first = log_state.written - count;
	for (size_t i = 0; i < count; i++)
		out[i] = log_state.lines[(first + i) % LOG_LINES];
	pthread_mutex_unlock(&log_state.lock);
	return count;
}

/* Problem: the handler runs in a process whose memory may be damaged, on any thread, and may call
 * async-signal-safe functions only.
 *
 * Idea: all that needs the loader or the sanitizer is done beforehand: the modules of the process
 * and the text that names the log. The callers are found by frame pointers, which our own code
 * keeps, and below libraries, which do not, by return addresses on the stack. process_vm_readv(2)
 * on ourselves reads them, and fails where a pointer leads nowhere.
 *
 * Rejected: backtrace(3) and libunwind, which allocate and take the loader's lock; the guardian as
 * the writer, which would have to keep our stderr open: whoever reads a pipe must see its end when
 * we end.
 */

#define MODULES_MAX  64		/* 25 are linked */
#define FRAMES_MAX   32
#define STACK_BYTES  (8u << 20)	/* two frames of a chain are not further apart */
#define SEARCHED_BYTES 32768	/* the part of the stack where a frame is searched */
#define NAME_BYTES   40
#define FUNCTION_BYTES 4096	/* code searched backwards from the crash for its start */
#define REPORT_BYTES 4096	/* PIPE_BUF: a pipe takes all of it or nothing */
#define UNREAD_MS    1000	/* timeout for a stderr that is not read */

static const int crash_signals[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL };
#define SIGNAL_COUNT (sizeof(crash_signals) / sizeof(crash_signals[0]))

struct module {
	uintptr_t base, end;	/* base: where address 0 of the file is loaded */
	char name[NAME_BYTES];
};

/* Only the flag is written after crash_catch(). */
static struct {
	volatile sig_atomic_t is_reported;
	pid_t pid;
	int log_fd;
	char log_text[1024];	/* the part of the first line about the log */
	struct module modules[MODULES_MAX];
	size_t module_count;
	unsigned char stack[CRASH_STACK_BYTES];
} crash;

struct report {
	char text[REPORT_BYTES];
	size_t used;
};

static void put_text(struct report *report, const char *text)
{
	while (*text && report->used < sizeof(report->text))
		report->text[report->used++] = *text++;
}

static void put_number(struct report *report, uintptr_t number, unsigned int base)
{
	char digits[2 * sizeof(number) * 2 + 1];
	char *at = digits + sizeof(digits);

	*--at = '\0';
	do {
		*--at = "0123456789abcdef"[number % base];
	} while ((number /= base));
	put_text(report, at);
}

static const struct module *module_of(uintptr_t address)
{
	for (size_t i = 0; i < crash.module_count; i++)
		if (address >= crash.modules[i].base && address < crash.modules[i].end)
			return &crash.modules[i];
	return NULL;
}

static void put_frame(struct report *report, uintptr_t address)
{
	const struct module *module = module_of(address);

	put_text(report, "  ");
	put_text(report, module ? module->name : "[unknown]");
	put_text(report, "+0x");
	put_number(report, module ? address - module->base : address, 16);
	put_text(report, "\n");
}

static bool read_memory(uintptr_t address, void *out, size_t bytes)
{
	const struct iovec to = { out, bytes }, from = { (void *)address, bytes };

	return process_vm_readv(crash.pid, &to, 1, &from, 1, 0) == (ssize_t)bytes;
}

struct registers {
	uintptr_t code, frame, stack;
	uintptr_t link;		/* aarch64: where the last call returns to; else 0 */
};

static struct registers registers_of(const ucontext_t *context)
{
#if defined(__x86_64__)
	const greg_t *list = context->uc_mcontext.gregs;

	return (struct registers){ (uintptr_t)list[REG_RIP], (uintptr_t)list[REG_RBP],
				   (uintptr_t)list[REG_RSP], 0 };
#elif defined(__aarch64__)
	return (struct registers){ context->uc_mcontext.pc, context->uc_mcontext.regs[29],
				   context->uc_mcontext.sp, context->uc_mcontext.regs[30] };
#else
	(void)context;
	return (struct registers){ 0 };
#endif
}

/* Reads where the call before @after goes to. Source: the machines' manuals, CALL rel32 and BL. */
static bool read_call(uintptr_t after, uintptr_t *target)
{
#ifdef __aarch64__
	uint32_t call;

	if (!read_memory(after - sizeof(call), &call, sizeof(call)) || call >> 26 != 0x25)
		return false;
	/* 26 bits with a sign: a distance in instructions. */
	*target = after - sizeof(call) + (uintptr_t)(((int32_t)(call << 6) >> 6) * (intptr_t)4);
#else
	unsigned char call[5];
	int32_t distance;

	if (!read_memory(after - sizeof(call), call, sizeof(call)) || call[0] != 0xe8)
		return false;
	memcpy(&distance, call + 1, sizeof(distance));
	*target = after + (uintptr_t)distance;
#endif
	return true;
}

/* Returns true when the instruction before @after calls a function that begins at most
 * FUNCTION_BYTES before @code. */
static bool is_called_from(uintptr_t after, uintptr_t code)
{
	uintptr_t target;

	return read_call(after, &target) && code - target < FUNCTION_BYTES;
}

/* Finds the caller of code without a frame of its own, whose return address is on top of the stack
 * or in the link register: leaf functions of flametop, assembly of libc, and a call of an address
 * that is not code. */
static void put_frameless_caller(struct report *report, const struct registers *registers)
{
	const struct module *program = &crash.modules[0];
	uintptr_t after = registers->link;

	if ((after || read_memory(registers->stack, &after, sizeof(after))) &&
	    module_of(after) == program &&
	    (module_of(registers->code) != program || is_called_from(after, registers->code)))
		put_frame(report, after - 1);
}

/* Puts the callers from @frame on, which lies above *@above on the stack, and sets *@above to the
 * end of the last frame. A return address minus one belongs to the line of the call.
 * @budget: how many more may be put. */
static void put_callers(struct report *report, uintptr_t frame, uintptr_t *above,
			unsigned int *budget)
{
	uintptr_t words[2];	/* the caller's frame, the return address */

	while (frame - *above < STACK_BYTES && frame % sizeof(frame) == 0 && *budget &&
	       read_memory(frame, words, sizeof(words)) && module_of(words[1])) {
		put_frame(report, words[1] - 1);
		--*budget;
		*above = frame + sizeof(words);
		frame = words[0];
	}
}

/* Returns the first word from *@at on, below @end, that is a return address of the program, and
 * sets *@at to its place. @caller: 0, or a return address: the word has to lie in the function that
 * is called before it. 0: there is none. */
static uintptr_t search_return(uintptr_t *at, uintptr_t end, uintptr_t caller)
{
	uintptr_t word, target;

	for (; *at < end && read_memory(*at, &word, sizeof(word)); *at += sizeof(word))
		if (module_of(word) == &crash.modules[0] && read_call(word, &target) &&
		    (!caller || is_called_from(caller, word)))
			return word;
	return 0;
}

/* Functions of libraries use the register of frame pointers for other values, which ends the chain
 * of frames. Searches the stack from @begin for the first frame of the program, and below it for
 * the call of the library, as such a function may have left return addresses of others there.
 * Without a frame any return address has to do. Returns that frame; 0: there is none. */
static uintptr_t search_frame(struct report *report, uintptr_t begin, unsigned int *budget)
{
	const uintptr_t end = begin + SEARCHED_BYTES;
	uintptr_t at = begin, frame = 0, call = 0, outer, back;

	while (!frame && (back = search_return(&at, end, 0))) {
		frame = at - sizeof(frame);	/* its first word is the caller's frame */
		at += sizeof(back);
		if (frame < begin || !read_memory(frame, &outer, sizeof(outer)) ||
		    outer <= frame || outer - frame > SEARCHED_BYTES)
			frame = 0;
		else
			call = back;
	}
	at = begin;
	back = search_return(&at, frame ? frame : end, call);
	if (back) {
		put_frame(report, back - 1);
		--*budget;
	}
	return frame;
}

static void put_all_callers(struct report *report, const struct registers *registers)
{
	unsigned int budget = FRAMES_MAX;
	uintptr_t frame = registers->frame;
	uintptr_t above = registers->stack - registers->stack % sizeof(above);

	do {
		put_callers(report, frame, &above, &budget);
		frame = budget ? search_frame(report, above, &budget) : 0;
	} while (frame);
}

static void put_report(struct report *report, int signal, const ucontext_t *context)
{
	const struct registers registers = registers_of(context);

	put_text(report, "flametop crashed: signal ");
	put_number(report, (uintptr_t)signal, 10);
	put_text(report, crash.log_text);
	put_text(report, "\n");
	put_frame(report, registers.code);
	put_frameless_caller(report, &registers);
	put_all_callers(report, &registers);
}

static void send_report(const struct report *report)
{
	struct pollfd reader = { .fd = STDERR_FILENO, .events = POLLOUT };
	ssize_t done = 0;

	if (crash.log_fd >= 0)
		done = write(crash.log_fd, report->text, report->used);
	if (poll(&reader, 1, UNREAD_MS) == 1)
		done = write(STDERR_FILENO, report->text, report->used);
	(void)done;	/* there is nowhere to report an error */
}

static void tell_crash(int signal, siginfo_t *what, void *context)
{
	static const struct sigaction none = { .sa_handler = SIG_DFL };
	static struct report report;
	const bool is_ours = getpid() == crash.pid;

	(void)what;
	while (is_ours && crash.is_reported)
		poll(NULL, 0, -1);	/* another thread reports, and ends the process */
	if (is_ours) {
		crash.is_reported = 1;
		put_report(&report, signal, context);
		send_report(&report);
	}
	sigaction(signal, &none, NULL);
	raise(signal);		/* blocked until we return: it ends the process where it crashed */
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The first is the program itself, whose name the loader leaves out. */
static int add_module(struct dl_phdr_info *found, size_t size, void *unused)
{
	struct module *module = &crash.modules[crash.module_count];
	const char *name = crash.module_count ? base_name(found->dlpi_name) : "flametop";

	(void)size;
	(void)unused;
	if (crash.module_count == MODULES_MAX)
		return 1;
	*module = (struct module){ .base = found->dlpi_addr };
	for (int i = 0; i < found->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &found->dlpi_phdr[i];
		const uintptr_t end = module->base + part->p_vaddr + part->p_memsz;

		if (part->p_type == PT_LOAD && end > module->end)
			module->end = end;
	}
	sanitize_text(module->name, sizeof(module->name), name, strlen(name));
	crash.module_count++;
	return 0;
}

static void name_log(const char *path)
{
	static const char see[] = "; see ";

	if (!path) {
		strcpy(crash.log_text, "; with --log FILE there is a log of what came before");
		return;
	}
	strcpy(crash.log_text, see);
	sanitize_text(crash.log_text + sizeof(see) - 1, sizeof(crash.log_text) - sizeof(see), path,
		      strlen(path));
}

void crash_use_stack(unsigned char stack[CRASH_STACK_BYTES])
{
	const stack_t own = { .ss_sp = stack, .ss_size = CRASH_STACK_BYTES };
	stack_t before;

	if (sigaltstack(NULL, &before) == 0 && before.ss_flags & SS_DISABLE)
		sigaltstack(&own, NULL);
}

void crash_catch(const char *log_path)
{
	struct sigaction action = { .sa_sigaction = tell_crash,
				    .sa_flags = SA_ONSTACK | SA_SIGINFO };
	struct sigaction before;

	crash.pid = getpid();
	crash.log_fd = log_state.fd;
	name_log(log_path);
	crash.module_count = 0;
	dl_iterate_phdr(add_module, NULL);
	crash_use_stack(crash.stack);
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		sigaddset(&action.sa_mask, crash_signals[i]);
	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		if (sigaction(crash_signals[i], NULL, &before) == 0 &&
		    before.sa_handler == SIG_DFL)
			sigaction(crash_signals[i], &action, NULL);
}
