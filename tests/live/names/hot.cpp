// A library that is stripped: what it exports has a name, the rest only unwind entries. 75 % of the
// time is in hidden::Work<std::vector<int>>::run(), 25 % in exported_hot().
#include <vector>

#define HOT_LOOP(rounds)                                                                          \
	__asm__ volatile(".p2align 6\n1:\n\tadd $1, %%rax\n\tdec %0\n\tjnz 1b"                     \
			 : "+r"(rounds) : : "rax", "cc")

namespace hidden
{
template <class T> struct Work {
	__attribute__((noinline, aligned(64))) long run(long rounds, const T &) const
	{
		HOT_LOOP(rounds);
		return rounds;
	}
};
}

extern "C" __attribute__((visibility("default"), noinline, aligned(64))) long exported_hot(long rounds)
{
	HOT_LOOP(rounds);
	return rounds;
}

__attribute__((visibility("default"))) long turn()
{
	return hidden::Work<std::vector<int>>().run(1500000, {}) + exported_hot(500000);
}
