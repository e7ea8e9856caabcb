/* mapping_query.h - asks the kernel what is mapped where: PROCMAP_QUERY, since Linux 6.11.
 *
 * Source: Documentation/filesystems/proc.rst; uapi linux/fs.h, struct procmap_query.
 * Thread: any; the kernel may read the file for its build-id.
 */
#ifndef SYMBOLS_MAPPING_QUERY_H
#define SYMBOLS_MAPPING_QUERY_H

#include <stdint.h>

#include "base/build_id.h"

struct mapped_file {
	uint32_t dev_major, dev_minor;	/* as in /proc/PID/maps: not always those of stat(2) */
	uint64_t inode;
	struct build_id build_id;	/* count 0: none */
};

/* Returns in @out the file mapped at @address in the process behind @process, O_PATH of its
 * directory in /proc. 0; -ENOENT: no file there; -ENOTTY: an older kernel; -ESRCH, -EACCES... */
int mapping_query(int process, uint64_t address, struct mapped_file *out);

/* Returns in @out what a mapping of the regular file behind @fd would show, without build-id. 0 or
 * -errno. */
int mapping_query_file(int fd, struct mapped_file *out);

#endif
