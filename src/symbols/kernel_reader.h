/* kernel_reader.h - a thread that reads the names of the running kernel, or of a recorded one.
 *
 * Problem: /proc/kallsyms takes 50-100 ms, on a busy machine several times that, and it is asked
 *          for first: in the opener's own thread all programs would wait for it.
 * Crossings: those of base/service.h, but replies are announced at another service's eventfd.
 * Thread:  request and reply calls from one thread (the analyzer).
 */
#ifndef SYMBOLS_KERNEL_READER_H
#define SYMBOLS_KERNEL_READER_H

#include "base/service.h"
#include "symbols/dso_file.h"

#define KERNEL_READER_UNDER_WAY_MAX 8	/* no more requests than both queues can hold */

struct kernel_reader;

/* Starts the thread. It calls service_notify() of @announce for each reply; @announce is BORROWED
 * until the reader is stopped. 0; -ENOMEM, -EMFILE, or an error of pthread_create(3): *@out is NULL
 * then. */
int kernel_reader_create(struct kernel_reader **out, struct service *announce);
/* Stops the thread, see service_stop(). NULL is fine. */
bool kernel_reader_stop(struct kernel_reader *reader);
/* Frees the reader and its tables, after kernel_reader_stop() was true. NULL is fine. */
void kernel_reader_destroy(struct kernel_reader *reader);

/* Queues @request, which has is_kernel. False, and nothing is queued, while
 * KERNEL_READER_UNDER_WAY_MAX replies have not been taken. */
bool kernel_reader_request(struct kernel_reader *reader, const struct open_request *request);
/* Takes the next reply, false when there is none. Its table is valid as open_request.is_fresh says,
 * at most as long as the reader. */
bool kernel_reader_reply(struct kernel_reader *reader, struct open_reply *out);
/* Returns the size of its tables. Any thread. */
size_t kernel_reader_bytes(const struct kernel_reader *reader);

#endif
