/* diag.h - the sentence that a user reads when something fails: cause and remedy.
 *
 * Use:    a function that can fail takes `struct diag *why`, returns -errno and fills @why. The
 *         caller either returns it to its own caller or prints it (only main and ui print).
 * Thread: a diag belongs to the thread that passed it.
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

struct diag {
	int err;	/* -errno of the failure, 0 when nothing was set */
	char text[480];	/* one line, no newline at the end; cut when longer */
};

/* Writes the sentence and returns @err, so that `return diag_set(why, -EINVAL, ...)` works.
 * @why may be NULL: then only @err is returned. */
int diag_set(struct diag *why, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Prepends a formatted prefix and ": " to the sentence (which DSO, which CPU). @why may be NULL. */
void diag_prefix(struct diag *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
