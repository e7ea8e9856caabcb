/* kernel_reader.h - the thread that reads the running kernel's names, or those of a recorded one.
 *
 * Problem: /proc/kallsyms takes 50-100 ms, on a busy machine several times that, and it is asked
 *          for first: in the opener's own thread all programs would wait behind it.
 * Crossings: as of a service, but its replies are announced at the eventfd of whoever asked.
 * Thread:  request and reply calls from one thread (the analyzer).
 */
#ifndef SYMBOLS_KERNEL_READER_H
#define SYMBOLS_KERNEL_READER_H

#include "base/service.h"
#include "symbols/object_opener.h"

#define KERNEL_READER_UNDER_WAY_MAX 8	/* no more requests than both queues can hold */

struct kernel_reader;

/* @announce: service_notify() is called for each reply; it is borrowed, and lives until the reader
 * is stopped. 0; -ENOMEM, -EMFILE, or as of pthread_create(3): *@out is NULL then. */
int kernel_reader_create(struct kernel_reader **out, struct service *announce);
/* As service_stop(). NULL is fine. */
bool kernel_reader_stop(struct kernel_reader *reader);
/* Once kernel_reader_stop() was true; its tables go with it. NULL is fine. */
void kernel_reader_destroy(struct kernel_reader *reader);

/* @request with is_kernel. At most KERNEL_READER_UNDER_WAY_MAX without a reply taken: false, and
 * nothing is asked. */
bool kernel_reader_request(struct kernel_reader *reader, const struct open_request *request);
/* Takes the next reply, false when there is none. Its table is valid as open_request.is_fresh says,
 * as long as the reader. */
bool kernel_reader_reply(struct kernel_reader *reader, struct open_reply *out);
/* Bytes of its tables. Any thread. */
size_t kernel_reader_bytes(const struct kernel_reader *reader);

#endif
