// A library that is stripped: what it exports has a name, the rest only unwind entries. 75 % of the
// time is in hidden::Work<std::vector<int>>::run(), 25 % in exported_hot().
#include <vector>

#include "../../workloads/hot_loop.h"

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
	const long rounds = static_cast<long>(vary(500000));

	return hidden::Work<std::vector<int>>().run(3 * rounds, {}) + exported_hot(rounds);
}
