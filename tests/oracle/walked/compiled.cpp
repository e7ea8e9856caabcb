// Enough of the standard library to keep a compiler busy.
#include <functional>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <vector>

int main(int argc, char **argv)
{
	std::map<std::string, std::vector<std::function<int(int)>>> all;
	std::regex words("(\\w+)\\s+(\\d+)");

	for (int i = 0; i < argc; i++)
		all[argv[i]].push_back([=](int x) { return x + i; });
	for (auto &one : all)
		std::cout << std::regex_replace(one.first, words, "$2") << one.second[0](3);
}
