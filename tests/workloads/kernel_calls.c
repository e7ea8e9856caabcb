/* kernel_calls WHAT N [PATH] - has the kernel do a thing N times:
 *
 *   tcp        connects to 127.0.0.1:2000 and to [::1]:2001, where "kernel_server" accepts; each
 *              connection carries 5000 bytes there and 3000 back; connects to closed port 2009
 *   udp        datagrams of 100 bytes to closed port 2009
 *   retransmit connects to 10.9.0.2:2010 and to [fd00:9::2]:2011, whence nothing comes, once each,
 *              until the kernel has sent N segments again; prints how many it sent: "retransmits N"
 *   disk       direct reads of 12288 bytes and direct writes of 20480 of the device PATH
 *   files      in a file PATH: writes of 1000 bytes, reads of 100, and each way to sync
 *   chroot     chroot("/")
 *   wakeups    sleeps of 10 ms by a process "kernel_sleeper"
 *   memory     processes "kernel_eater" of the cgroup PATH that use memory until they are killed
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	TO_SERVER = 5000,
	TO_CLIENT = 3000,
	PAGE = 4096,
	READ = 3 * PAGE,
	WRITE = 5 * PAGE,
	CLOSED_PORT = 2009,
};

static char bytes[1 << 20] __attribute__((aligned(PAGE)));

static void check(int is_true, const char *what)
{
	if (is_true)
		return;
	fprintf(stderr, "kernel_calls: %s: %s\n", what, strerror(errno));
	exit(1);
}

static struct sockaddr_storage address_of(const char *text, uint16_t port)
{
	struct sockaddr_storage address = { .ss_family = strchr(text, ':') ? AF_INET6 : AF_INET };
	struct sockaddr_in6 *six = (void *)&address;
	struct sockaddr_in *four = (void *)&address;

	four->sin_port = htons(port);	/* in the same place in both */
	check(inet_pton(address.ss_family, text, address.ss_family == AF_INET
			? (void *)&four->sin_addr : (void *)&six->sin6_addr) == 1, text);
	return address;
}

static int connect_to(const char *text, uint16_t port, int type)
{
	struct sockaddr_storage address = address_of(text, port);
	int fd = socket(address.ss_family, type, 0);

	check(fd >= 0, "socket");
	if (connect(fd, (void *)&address, sizeof(address)) && errno != EINPROGRESS) {
		close(fd);
		return -1;
	}
	return fd;
}

static int listen_at(const char *text, uint16_t port)
{
	struct sockaddr_storage address = address_of(text, port);
	int fd = socket(address.ss_family, SOCK_STREAM, 0);
	int one = 1;

	check(fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	      !bind(fd, (void *)&address, sizeof(address)) && !listen(fd, 8), text);
	return fd;
}

/* Reads @want bytes, or to the end if there are fewer. */
static void read_all(int fd, size_t want)
{
	while (want > 0) {
		ssize_t n = read(fd, bytes, want);

		check(n >= 0, "read");
		if (n == 0)
			return;
		want -= (size_t)n;
	}
}

static void serve(int listener)
{
	int fd = accept(listener, NULL, NULL);

	check(fd >= 0, "accept");
	read_all(fd, TO_SERVER);
	check(write(fd, bytes, TO_CLIENT) == TO_CLIENT, "write");
	close(fd);
}

static void call(const char *text, uint16_t port)
{
	int fd = connect_to(text, port, SOCK_STREAM);

	check(fd >= 0, text);
	check(write(fd, bytes, TO_SERVER) == TO_SERVER, "write");
	read_all(fd, TO_CLIENT + 1);
	close(fd);
}

/* Forks; the child has @name. */
static pid_t start(const char *name)
{
	pid_t pid = fork();

	check(pid >= 0, "fork");
	if (pid == 0)
		prctl(PR_SET_NAME, name);
	return pid;
}

static void connect_tcp(int times)
{
	int four = listen_at("127.0.0.1", 2000);
	int six = listen_at("::1", 2001);
	int status;

	if (start("kernel_server") == 0) {
		for (int i = 0; i < times; i++) {
			serve(four);
			serve(six);
		}
		_exit(0);
	}
	close(four);
	close(six);
	for (int i = 0; i < times; i++) {
		call("127.0.0.1", 2000);
		call("::1", 2001);
		check(connect_to("127.0.0.1", CLOSED_PORT, SOCK_STREAM) < 0, "open port");
	}
	check(wait(&status) > 0 && status == 0, "server");
}

static void send_datagrams(int times)
{
	struct sockaddr_storage address = address_of("127.0.0.1", CLOSED_PORT);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	for (int i = 0; i < times; i++)
		check(sendto(fd, bytes, 100, 0, (void *)&address, sizeof(address)) == 100,
		      "sendto");
}

/* How many segments the kernel has sent again. */
static long retransmits(void)
{
	FILE *file = fopen("/proc/net/snmp", "r");
	char line[1024];
	long count = -1;

	check(file != NULL, "/proc/net/snmp");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Tcp: %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %ld",
			   &count) == 1)
			break;
	fclose(file);
	check(count >= 0, "RetransSegs");
	return count;
}

static void retransmit(int times)
{
	const struct timespec nap = { .tv_nsec = 20000000 };
	long before = retransmits();
	int four = connect_to("10.9.0.2", 2010, SOCK_STREAM | SOCK_NONBLOCK);
	int six = connect_to("fd00:9::2", 2011, SOCK_STREAM | SOCK_NONBLOCK);

	check(four >= 0 && six >= 0, "no route");
	while (retransmits() < before + times)
		nanosleep(&nap, NULL);
	close(four);
	close(six);
	printf("retransmits %ld\n", retransmits() - before);
}

static void use_disk(int times, const char *path)
{
	int fd = open(path, O_RDWR | O_DIRECT);

	check(fd >= 0, path);
	for (int i = 0; i < times; i++) {
		check(pread(fd, bytes, READ, (off_t)i << 20) == READ, "pread");
		check(pwrite(fd, bytes, WRITE, ((off_t)i << 20) + 65536) == WRITE, "pwrite");
	}
	close(fd);
}

static void use_file(int times, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	char *map;

	check(fd >= 0, path);
	for (int i = 0; i < times; i++)
		check(write(fd, bytes, 1000) == 1000, "write");
	for (int i = 0; i < times; i++)
		check(pread(fd, bytes, 100, 1000L * i) == 100, "pread");
	map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	check(map != MAP_FAILED, "mmap");
	for (int i = 0; i < times; i++) {
		map[0]++;
		check(!fsync(fd) && !fdatasync(fd) && !sync_file_range(fd, 0, PAGE, 0) &&
		      !msync(map, PAGE, MS_SYNC) && !syncfs(fd), "sync");
		sync();
	}
	munmap(map, PAGE);
	close(fd);
}

static void change_root(int times)
{
	for (int i = 0; i < times; i++)
		check(!chroot("/"), "chroot");
}

static void sleep_often(int times)
{
	const struct timespec nap = { .tv_nsec = 10000000 };

	if (start("kernel_sleeper") == 0) {
		for (int i = 0; i < times; i++)
			nanosleep(&nap, NULL);
		_exit(0);
	}
	wait(NULL);
}

static void eat_memory(const char *cgroup)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	file = fopen(path, "w");
	check(file && fprintf(file, "0\n") > 0 && !fclose(file), path);
	for (;;) {
		char *more = malloc(sizeof(bytes));

		check(more != NULL, "malloc");
		memset(more, 1, sizeof(bytes));
	}
}

static void use_memory(int times, const char *cgroup)
{
	for (int i = 0; i < times; i++) {
		int status;

		if (start("kernel_eater") == 0)
			eat_memory(cgroup);
		check(wait(&status) > 0 && WIFSIGNALED(status), "not killed");
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	int times = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(what, "tcp"))
		connect_tcp(times);
	else if (!strcmp(what, "udp"))
		send_datagrams(times);
	else if (!strcmp(what, "retransmit"))
		retransmit(times);
	else if (!strcmp(what, "disk") && argc > 3)
		use_disk(times, argv[3]);
	else if (!strcmp(what, "files") && argc > 3)
		use_file(times, argv[3]);
	else if (!strcmp(what, "chroot"))
		change_root(times);
	else if (!strcmp(what, "wakeups"))
		sleep_often(times);
	else if (!strcmp(what, "memory") && argc > 3)
		use_memory(times, argv[3]);
	else
		return 2;
	return 0;
}
