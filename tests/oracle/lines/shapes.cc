#include <cstdio>
#include <string>
#include <vector>

namespace shapes {

template <typename T> inline __attribute__((always_inline)) T twice(T value)
{
	return value + value;
}

class Shape {
public:
	explicit Shape(int size) : size_(size) {}
	virtual ~Shape() = default;
	virtual int area() const { return twice(size_) * size_; }
	static int count(const std::vector<Shape *> &all);

protected:
	int size_;
};

namespace {
struct Square final : Shape {
	explicit Square(int size) : Shape(size) {}
	int area() const override { return size_ * size_; }
};
}

int Shape::count(const std::vector<Shape *> &all)
{
	int sum = 0;

	for (const Shape *each : all)
		sum += each->area();
	return sum;
}

}

int main(int argc, char **argv)
{
	struct Local {
		static __attribute__((noinline)) int grow(int x) { return shapes::twice(x) + 3; }
	};
	auto add = [argc](int x) __attribute__((noinline)) { return x + argc; };
	std::vector<shapes::Shape *> all;
	std::string text(argv[0]);

	for (int i = 0; i < argc; i++)
		all.push_back(i & 1 ? new shapes::Shape(i) : new shapes::Square(i));
	std::printf("%d %d %zu\n", shapes::Shape::count(all), add(Local::grow(argc)), text.size());
	return 0;
}
