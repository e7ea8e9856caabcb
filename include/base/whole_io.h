/* whole_io.h - read(2), pread(2) and write(2) that go on after a signal or a short transfer.
 *
 * Use:    for regular files, /proc, /sys, tracefs, and descriptors read in one piece, such as those
 *         of perf events. Not for pipes and terminals, which would block for more.
 * Return: the number of bytes, less than @count only at the end of the file; -1 with errno on an
 *         error, even after a part was transferred.
 * Thread: any.
 */
#ifndef BASE_WHOLE_IO_H
#define BASE_WHOLE_IO_H

#include <stdint.h>
#include <sys/types.h>

ssize_t whole_read(int fd, void *out, size_t count);
ssize_t whole_pread(int fd, void *out, size_t count, off_t at);
ssize_t whole_write(int fd, const void *bytes, size_t count);
/* Calls eventfd_write(3), as a wake-up. A counter at its limit is no error: the eventfd is readable
 * already. */
int whole_eventfd_write(int fd, uint64_t value);

#endif
