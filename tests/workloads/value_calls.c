/* value_calls opens N | connects N PORT4 PORT6 | execs N | pipes N | statements N - does a thing
 * with known values N times: opens /etc/passwd and, below /etc, group, and in vain /no/such/file;
 * connects to 127.0.0.1 and to ::1; starts /bin/true with two arguments; makes pipes; says
 * statements that differ in constants only, and calls functions by their addresses. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void say_statement(const char *text)
{
	__asm__ volatile("" : : "r"(text) : "memory");
}

__attribute__((noinline)) void first_callback(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) void second_callback(void)
{
	__asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) void call_back(void (*function)(void))
{
	function();
	__asm__ volatile("" : : : "memory");
}

static int open_files(int times)
{
	int etc = open("/etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; i < times && etc >= 0; i++) {
		int one = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
		int other = openat(etc, "group", O_RDONLY | O_CLOEXEC);

		if (one < 0 || other < 0 || open("/no/such/file", O_RDONLY | O_CLOEXEC) >= 0)
			return 1;
		close(one);
		close(other);
	}
	return etc < 0;
}

static int connect_to(const void *address, socklen_t bytes, int family)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int err = fd < 0 || connect(fd, address, bytes);

	if (fd >= 0)
		close(fd);
	return err;
}

static int connect_sockets(int times, uint16_t port4, uint16_t port6)
{
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons(port4) };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(port6) };

	inet_pton(AF_INET, "127.0.0.1", &four.sin_addr);
	inet_pton(AF_INET6, "::1", &six.sin6_addr);
	for (int i = 0; i < times; i++)
		if (connect_to(&four, sizeof(four), AF_INET) ||
		    connect_to(&six, sizeof(six), AF_INET6))
			return 1;
	return 0;
}

static int start_programs(int times)
{
	static char name[] = "/bin/true", one[] = "one", two[] = "two words";
	static char *arguments[] = { name, one, two, NULL };
	static char *environment[] = { NULL };
	int status;
	pid_t pid;

	for (int i = 0; i < times; i++)
		if (posix_spawn(&pid, name, NULL, NULL, arguments, environment) ||
		    waitpid(pid, &status, 0) != pid || status)
			return 1;
	return 0;
}

static int make_pipes(int times)
{
	int ends[2];

	for (int i = 0; i < times; i++) {
		if (pipe2(ends, O_CLOEXEC))
			return 1;
		close(ends[0]);
		close(ends[1]);
	}
	return 0;
}

static int say_statements(int times)
{
	char text[128];

	for (int i = 0; i < times; i++) {
		snprintf(text, sizeof(text), "SELECT name FROM t1 WHERE id = %d", 1000 + i);
		say_statement(text);
		snprintf(text, sizeof(text), "INSERT INTO t1 VALUES (%d, 'name %d')", i, i * i);
		say_statement(text);
		call_back(i % 4 ? first_callback : second_callback);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	const int times = argc > 2 ? atoi(argv[2]) : 0;

	if (strcmp(what, "opens") == 0)
		return open_files(times);
	if (strcmp(what, "connects") == 0 && argc > 4)
		return connect_sockets(times, (uint16_t)atoi(argv[3]), (uint16_t)atoi(argv[4]));
	if (strcmp(what, "execs") == 0)
		return start_programs(times);
	if (strcmp(what, "pipes") == 0)
		return make_pipes(times);
	return strcmp(what, "statements") == 0 ? say_statements(times) : 2;
}
