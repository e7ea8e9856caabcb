/* whole_io.c - see base/whole_io.h. */
#include "base/whole_io.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Adds the result of one call to the count. Returns false when it was the last. */
static bool goes_on(ssize_t now, size_t *done)
{
	if (now > 0)
		*done += (size_t)now;
	return now > 0 || (now < 0 && errno == EINTR);
}

ssize_t whole_read(int fd, void *out, size_t count)
{
	size_t done = 0;
	ssize_t now = 1;

	while (done < count && goes_on(now = read(fd, (char *)out + done, count - done), &done))
		;
	return now < 0 && done < count ? -1 : (ssize_t)done;
}

ssize_t whole_pread(int fd, void *out, size_t count, off_t at)
{
	size_t done = 0;
	ssize_t now = 1;

	while (done < count && goes_on(now = pread(fd, (char *)out + done, count - done,
						   at + (off_t)done), &done))
		;
	return now < 0 && done < count ? -1 : (ssize_t)done;
}

ssize_t whole_write(int fd, const void *bytes, size_t count)
{
	size_t done = 0;
	ssize_t now = 1;

	while (done < count && goes_on(now = write(fd, (const char *)bytes + done, count - done),
				       &done))
		;
	return now < 0 && done < count ? -1 : (ssize_t)done;
}

int whole_eventfd_write(int fd, uint64_t value)
{
	int result;

	do
		result = eventfd_write(fd, value);
	while (result < 0 && errno == EINTR);
	return result;
}
