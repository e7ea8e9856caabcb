/* sandbox_protocol.c - packets with descriptors: sendmsg(2), unix(7) SCM_RIGHTS. */
#include "sandbox/sandbox_protocol.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/whole_io.h"

#define FDS_MAX SANDBOX_JOB_FDS

union control {
	struct cmsghdr header;	/* for its alignment */
	char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
};

int sandbox_protocol_send(int socket, const void *message, size_t bytes, const int *fds,
			  size_t fd_count)
{
	struct iovec part = { .iov_base = (void *)message, .iov_len = bytes };
	struct msghdr packet = { .msg_iov = &part, .msg_iovlen = 1 };
	union control control = { .bytes = { 0 } };
	ssize_t sent;

	assert(fd_count <= FDS_MAX);
	if (fd_count) {
		packet.msg_control = &control;
		packet.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(fd_count * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, fd_count * sizeof(int));
	}
	do
		sent = sendmsg(socket, &packet, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	return (size_t)sent == bytes ? 0 : -EBADMSG;
}

/* Moves the descriptors of @packet into @out; returns how many there were. */
static size_t take_fds(struct msghdr *packet, int *out)
{
	struct cmsghdr *header;
	size_t count = 0;

	for (header = CMSG_FIRSTHDR(packet); header; header = CMSG_NXTHDR(packet, header)) {
		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		assert(count <= FDS_MAX);	/* the kernel's own bookkeeping */
		memcpy(out, CMSG_DATA(header), count * sizeof(int));
	}
	return count;
}

int sandbox_protocol_receive(int socket, void *message, size_t bytes, int *fds, size_t fd_count,
			     int flags)
{
	struct iovec part = { .iov_base = message, .iov_len = bytes };
	union control control;
	struct msghdr packet = {
		.msg_iov = &part, .msg_iovlen = 1,
		/* Not the buffer's size: its padding has room for one more descriptor. */
		.msg_control = &control, .msg_controllen = CMSG_LEN(FDS_MAX * sizeof(int)),
	};
	int taken[FDS_MAX];	/* the rest is dropped by the kernel, which sets MSG_CTRUNC */
	size_t taken_count;
	ssize_t got;

	for (size_t i = 0; i < fd_count; i++)
		fds[i] = -1;
	do
		got = recvmsg(socket, &packet, flags | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	taken_count = take_fds(&packet, taken);
	if (got == 0 && !taken_count)
		return -EPIPE;
	if ((size_t)got == bytes && !(packet.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) &&
	    (taken_count == 0 || taken_count == fd_count)) {
		for (size_t i = 0; i < taken_count; i++)
			fds[i] = taken[i];
		return 0;
	}
	while (taken_count)
		close(taken[--taken_count]);
	return -EBADMSG;
}

int sandbox_seal(const char *name, const void *bytes, size_t count)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int err;

	if (fd < 0)
		return -errno;
	err = whole_write(fd, bytes, count) == (ssize_t)count ? 0 : -errno;
	if (!err && fcntl(fd, F_ADD_SEALS,
			  F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}

bool sandbox_is_sealed(int fd)
{
	const int wanted = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	const int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & wanted) == wanted;
}
