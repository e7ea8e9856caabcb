/* What is left of long names in narrow columns. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ui/widgets/symbol_fold.h"
#include "unit_tests.h"

static const struct canvas canvas;
static char out[SYMBOL_FOLD_BYTES];

static void folds(const char *name, const char *arguments, const char *all)
{
	assert_ptr_equal(symbol_fold(&canvas, name, canvas_text_width(&canvas, name), out), name);
	assert_string_equal(symbol_fold(&canvas, name, canvas_text_width(&canvas, arguments), out),
			    arguments);
	assert_string_equal(symbol_fold(&canvas, name, 1, out), all);
}

static void test_arguments_go_before_templates(void **state)
{
	(void)state;
	folds("std::vector<int, std::allocator<int> >::push_back(int const&)",
	      "std::vector<int, std::allocator<int> >::push_back(…)",
	      "std::vector<…>::push_back(…)");
	folds("shop::Cart<std::map<int, long> >::sum<true>(int, std::vector<int> const&) const",
	      "shop::Cart<std::map<int, long> >::sum<true>(…) const",
	      "shop::Cart<…>::sum<…>(…) const");
}

static void test_what_is_no_list_stays(void **state)
{
	(void)state;
	folds("(anonymous namespace)::foo(int)", "(anonymous namespace)::foo(…)",
	      "(anonymous namespace)::foo(…)");
	folds("std::function<void (int)>::operator()(int) const",
	      "std::function<void (int)>::operator()(…) const",
	      "std::function<…>::operator()(…) const");
	folds("foo(int)::{lambda(char)#1}::operator()(char) const [.cold]",
	      "foo(…)::{lambda(…)#1}::operator()(…) const [.cold]",
	      "foo(…)::{lambda(…)#1}::operator()(…) const [.cold]");
	folds("f()", "f()", "f()");
	folds("read[abi:cxx11](int)", "read[abi:cxx11](…)", "read[abi:cxx11](…)");
}

static void test_operators_are_names(void **state)
{
	(void)state;
	folds("bool operator< <int, char>(A<int> const&, A<char> const&)",
	      "bool operator< <int, char>(…)", "bool operator< <…>(…)");
	folds("std::ostream& std::operator<< <char>(std::ostream&, char)",
	      "std::ostream& std::operator<< <char>(…)", "std::ostream& std::operator<< <…>(…)");
	folds("A<int>::operator->(int) const", "A<int>::operator->(…) const",
	      "A<…>::operator->(…) const");
	folds("A<int>::operator std::vector<int>() const",
	      "A<int>::operator std::vector<int>() const",
	      "A<…>::operator std::vector<…>() const");
	folds("A<&B::operator(), (1>2)>::f(int)", "A<&B::operator(), (1>2)>::f(…)", "A<…>::f(…)");
	folds("my_operator<int>(int)", "my_operator<int>(…)", "my_operator<…>(…)");
	folds("operators<int>(int)", "operators<int>(…)", "operators<…>(…)");
}

static void test_rust_keeps_who_implements_what(void **state)
{
	(void)state;
	folds("<alloc::vec::Vec<u8> as core::fmt::Write>::write_str",
	      "<alloc::vec::Vec<u8> as core::fmt::Write>::write_str",
	      "<alloc::vec::Vec<…> as core::fmt::Write>::write_str");
	folds("core::ptr::drop_in_place::<alloc::vec::Vec<u8>>",
	      "core::ptr::drop_in_place::<alloc::vec::Vec<u8>>",
	      "core::ptr::drop_in_place::<…>");
	folds("names::takes::<fn(u8) -> u8>", "names::takes::<fn(…) -> u8>", "names::takes::<…>");
	folds("<(i32, &str) as names::Visit>::visit", "<(i32, &str) as names::Visit>::visit",
	      "<(i32, &str) as names::Visit>::visit");
}

static void test_d_keeps_its_mark(void **state)
{
	(void)state;
	folds("std.stdio.writeln!(immutable(char)[]).writeln(immutable(char)[])",
	      "std.stdio.writeln!(…).writeln(…)", "std.stdio.writeln!(…).writeln(…)");
}

static void test_what_has_no_end_is_left_alone(void **state)
{
	(void)state;
	folds("f(a", "f(a", "f(a");
	folds("f<a(bc)", "f<a(…)", "f<a(bc)");
	folds("f)a(", "f)a(", "f)a(");
	folds("f<a)>(xy)", "f<a)>(…)", "f<a)>(xy)");
	folds("operator", "operator", "operator");
	folds("operator(", "operator(", "operator(");
	folds("operator<", "operator<", "operator<");
}

/* Ten thousand openings: each is looked at once, or this takes minutes. */
static void test_a_long_name_is_gone_through_once(void **state)
{
	static char name[400001];

	(void)state;
	for (size_t i = 0; i < sizeof(name) - 1; i += 2)
		memcpy(name + i, "a(", 2);
	symbol_fold(&canvas, name, 1, out);
	assert_int_equal(strlen(out), SYMBOL_FOLD_BYTES - 1);
	assert_memory_equal(out, "a(a(a(", 6);
}

UNIT_TESTS(test_symbol_fold)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments_go_before_templates),
		cmocka_unit_test(test_what_is_no_list_stays),
		cmocka_unit_test(test_operators_are_names),
		cmocka_unit_test(test_rust_keeps_who_implements_what),
		cmocka_unit_test(test_d_keeps_its_mark),
		cmocka_unit_test(test_what_has_no_end_is_left_alone),
		cmocka_unit_test(test_a_long_name_is_gone_through_once),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
