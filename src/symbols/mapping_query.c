/* mapping_query.c - see mapping_query.h.
 *
 * Problem: on some file systems (btrfs, older overlayfs) a mapping shows another device and inode
 * than stat(2) does of its file, so that the two cannot be compared.
 *
 * Idea: map the file and look. The page is never touched: nobody can make us take a SIGBUS.
 */
#include "mapping_query.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* As the kernel lays it out; linux/fs.h of Debian 12 does not have it yet. */
struct procmap_query {
	uint64_t size;
	uint64_t query_flags, query_addr;
	uint64_t vma_start, vma_end, vma_flags, vma_page_size, vma_offset;
	uint64_t inode;
	uint32_t dev_major, dev_minor;
	uint32_t vma_name_size, build_id_size;
	uint64_t vma_name_addr, build_id_addr;
};
_Static_assert(sizeof(struct procmap_query) == 104, "the kernel's layout");

#define QUERY_MAPPING	  _IOWR('f', 17, struct procmap_query)
#define QUERY_FILE_BACKED 0x20u

static int query(int maps, uint64_t address, struct build_id *build_id, struct mapped_file *out)
{
	struct procmap_query query = {
		.size = sizeof(query), .query_flags = QUERY_FILE_BACKED, .query_addr = address,
	};

	if (build_id) {
		query.build_id_addr = (uintptr_t)build_id->bytes;
		query.build_id_size = sizeof(build_id->bytes);
	}
	if (ioctl(maps, QUERY_MAPPING, &query))
		return -errno;
	out->dev_major = query.dev_major;
	out->dev_minor = query.dev_minor;
	out->inode = query.inode;
	if (build_id && query.build_id_size <= BUILD_ID_MAX_BYTES)
		build_id->count = (uint8_t)query.build_id_size;
	return 0;
}

int mapping_query(int process, uint64_t address, struct mapped_file *out)
{
	int maps = openat(process, "maps", O_RDONLY | O_CLOEXEC);
	int err;

	*out = (struct mapped_file){ .inode = 0 };
	if (maps < 0)
		return -errno;
	err = query(maps, address, &out->build_id, out);
	close(maps);
	return err;
}

int mapping_query_file(int fd, struct mapped_file *out)
{
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC), err;
	void *page;

	*out = (struct mapped_file){ .inode = 0 };
	if (maps < 0)
		return -errno;
	page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE, fd, 0);
	err = page == MAP_FAILED ? -errno : query(maps, (uintptr_t)page, NULL, out);
	if (page != MAP_FAILED)
		munmap(page, 1);
	close(maps);
	return err;
}
