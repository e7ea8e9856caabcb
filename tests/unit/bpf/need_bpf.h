/* need_bpf.h - for tests that load BPF programs. */
#ifndef TESTS_NEED_BPF_H
#define TESTS_NEED_BPF_H

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <unistd.h>

/* Skips the test where the kernel, or the rights of this user, permit no BPF at all. */
static inline void need_bpf(void)
{
	const int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "probe", 4, 8, 1, NULL);

	if (map >= 0) {
		close(map);
		return;
	}
	print_message("SKIP: needs BPF (errno %d)\n", errno);
	skip();
}

#endif
