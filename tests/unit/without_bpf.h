/* without_bpf.h - for tests of what happens without the rights to load BPF programs. */
#ifndef TESTS_WITHOUT_BPF_H
#define TESTS_WITHOUT_BPF_H

#include <bpf/bpf.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* libbpf finds out once per process whether the kernel takes names of maps and programs, and would
 * find without the rights that it takes none. */
static inline void find_out_features(void)
{
	const int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "probe", 4, 8, 1, NULL);

	if (map >= 0)
		close(map);
}

/* Puts the rights to load BPF programs, if this thread may have them, in effect or out of it. */
static inline void permit_bpf(bool is_permitted)
{
	static const int rights[] = { CAP_SYS_ADMIN, CAP_BPF, CAP_PERFMON };
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2];

	find_out_features();
	memset(sets, 0, sizeof(sets));
	assert_int_equal(syscall(SYS_capget, &header, sets), 0);
	for (uint32_t i = 0; i < sizeof(rights) / sizeof(rights[0]); i++) {
		struct __user_cap_data_struct *set = &sets[rights[i] / 32];
		const uint32_t bit = 1u << rights[i] % 32;

		set->effective &= ~bit;
		if (is_permitted)
			set->effective |= set->permitted & bit;
	}
	assert_int_equal(syscall(SYS_capset, &header, sets), 0);
}

#endif
