// Enough of the standard library to keep a compiler busy.
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

int main(int argc, char **argv)
{
	std::map<std::string, std::vector<std::function<int(int)>>> all;
	int sum = 0;

	for (int i = 0; i < argc; i++)
		all[argv[i]].push_back([=](int x) { return x + i; });
	for (auto &one : all) {
		std::vector<int> numbers(one.first.begin(), one.first.end());

		std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return b < a; });
		sum += one.second[0](numbers[0]);
	}
	return sum;
}
