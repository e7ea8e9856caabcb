/* whole_io.h - read(2), pread(2) and write(2) that go on after a signal and after a part.
 *
 * Use:    of regular files, /proc, /sys, tracefs, and what comes in one piece, as of an event's
 *         descriptor. Not for pipes and terminals, which may have no more for now.
 * Return: how many bytes; less than @count only at the end of the file. -1 with errno, whatever
 *         came before.
 * Thread: any.
 */
#ifndef BASE_WHOLE_IO_H
#define BASE_WHOLE_IO_H

#include <stdint.h>
#include <sys/types.h>

ssize_t whole_read(int fd, void *out, size_t count);
ssize_t whole_pread(int fd, void *out, size_t count, off_t at);
ssize_t whole_write(int fd, const void *bytes, size_t count);
/* eventfd_write(3). A sum that is full is readable already: that is no error of a wake-up. */
int whole_eventfd_write(int fd, uint64_t value);

#endif
