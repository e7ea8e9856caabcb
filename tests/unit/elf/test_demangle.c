/* Names with their meaning, worked out by the rules of each language; and what is not mangled, too
 * long, or a bomb. Thousands of real names: tests/oracle/check_demangle.py. */
#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/demangle.h"
#include "unit_tests.h"

static char text[DEMANGLE_TEXT_MAX + 1];

static void expect(const char *name, const char *meaning)
{
	assert_true(demangle_name(name, text));
	assert_string_equal(text, meaning);
}

static void stays(const char *name)
{
	strcpy(text, "before");
	assert_false(demangle_name(name, text));
	assert_string_equal(text, "");
}

static void test_cxx_comes_with_its_parameters(void **state)
{
	(void)state;
	expect("_Z3foov", "foo()");
	expect("_ZNK4shop4Cart3sumEil", "shop::Cart::sum(int, long) const");
	expect("_ZN4shop4CartC1Ev", "shop::Cart::Cart()");
	expect("_Z3maxIiET_S0_S0_", "int max<int>(int, int)");
	expect("_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo()");
}

static void test_rust_comes_without_its_hash(void **state)
{
	(void)state;
	expect("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
	expect("_ZN50_$LT$T$u20$as$u20$core..convert..Into$LT$U$GT$$GT$4into17h0123456789abcdefE",
	       "<T as core::convert::Into<U>>::into");
	expect("_RNvC7mycrate3foo", "mycrate::foo");
	expect("_RNvCs1234_7mycrate3foo", "mycrate::foo");
	expect("_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<usize>");
}

static void test_d_is_known(void **state)
{
	(void)state;
	expect("_D8demangle4testFaZv", "demangle.test(char)");
	expect("_Dmain", "D main");
}

static void test_what_a_clone_is_stays(void **state)
{
	(void)state;
	expect("_ZN3FooC1Ev.cold", "Foo::Foo() [.cold]");
	expect("_Z3foov.part.0", "foo() [.part.0]");
	expect("_Z3foov.constprop.0.isra.1", "foo() [.constprop.0.isra.1]");
	expect("_ZN4core3fmt5write17h0123456789abcdefE.llvm.123", "core::fmt::write [.llvm.123]");
	expect("_ZN4core8a..b..fn5write17h0123456789abcdefE", "core::a::b::fn::write");
	expect("_RNvC7mycrate3foo.llvm.9876543210", "mycrate::foo [.llvm.9876543210]");
}

static void test_a_slot_of_the_plt_stays_one(void **state)
{
	(void)state;
	expect("_Z3foov@plt", "foo()@plt");
	expect("_RNvC7mycrate3foo@plt", "mycrate::foo@plt");
	stays("malloc@plt");
	stays("@plt");
}

static void test_what_is_not_mangled_stays(void **state)
{
	static const char *const names[] = {
		"", "_", "_Z", "_R", "_D", "main", "memcpy", "foo.constprop.0", "_Zero", "_Rest",
		"_DYNAMIC", "_ZN", "_ZN3foo", "_Z3foov$garbage", ".cold", "_Z.cold",
		"_RC0", "_RC0.cold",	/* valid, and nothing is left without the hash */
		"$s4main3fooyyF",	/* Swift */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		stays(names[i]);
}

static void test_go_names_are_never_demangled(void **state)
{
	static const char *const names[] = {
		"main.main", "runtime.mallocgc", "net/http.(*conn).serve", "_Z3foov/x",
		"_Z3foov.(*T).f", "type:.eq.main.T",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_false(demangle_is_mangled(names[i]));
		stays(names[i]);
	}
}

/* "_Z" LEN name "v" of that many bytes in all. */
static char *cxx_name(size_t bytes)
{
	char *name = malloc(bytes + 1);
	const int prefix = snprintf(name, bytes + 1, "_Z%zu", bytes - 7);

	assert_int_equal(prefix, 6);
	memset(name + prefix, 'n', bytes - 7);
	strcpy(name + bytes - 1, "v");
	return name;
}

static void test_a_name_is_as_long_as_4095_bytes_and_no_longer(void **state)
{
	char *longest = cxx_name(DEMANGLE_NAME_MAX), *longer = cxx_name(DEMANGLE_NAME_MAX + 1);

	(void)state;
	assert_true(demangle_is_mangled(longest));
	assert_true(demangle_name(longest, text));
	assert_int_equal(strlen(text), DEMANGLE_NAME_MAX - 7 + 2);
	assert_false(demangle_is_mangled(longer));
	stays(longer);
	free(longest);
	free(longer);
}

/* Every step says "a pair of what was before", so it doubles the text: 26 steps are a gigabyte. */
static void test_a_name_that_means_a_gigabyte_is_cut_at_once(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[512] = "_Z1f1AIiiE";
	size_t used = strlen(name);

	(void)state;
	for (int step = 0; step < 26; step++) {
		used += (size_t)snprintf(name + used, sizeof(name) - used, "S_IS%c_S%c_E",
					 digits[step], digits[step]);
	}
	assert_true(demangle_name(name, text));
	assert_int_equal(strlen(text), DEMANGLE_TEXT_MAX);
	assert_string_equal(text + DEMANGLE_TEXT_MAX - 3, "\u2026");
	assert_memory_equal(text, "f(A<int, int>, A<A<int, int>, A<int, int> >, ", 45);
}

static void test_text_is_never_cut_inside_of_a_character(void **state)
{
	char name[4096];

	(void)state;
	for (int filler = 1; filler <= 6; filler++) {
		size_t used = (size_t)snprintf(name, sizeof(name), "_Z1fI%d%.*s1A", filler, filler,
					       "xxxxxx");

		/* then ever again a name of four bytes, two of which are one character */
		used += (size_t)snprintf(name + used, sizeof(name) - used, "4y\xc3\xa4z");
		while (used < 3000)
			used += (size_t)snprintf(name + used, sizeof(name) - used, "S2_");
		snprintf(name + used, sizeof(name) - used, "Evv");
		assert_true(demangle_name(name, text));
		assert_int_not_equal(mbstowcs(NULL, text, 0), (size_t)-1);
		assert_string_equal(text + strlen(text) - 3, "\u2026");
	}
}

static void test_what_nests_deeply_ends_well(void **state)
{
	char name[DEMANGLE_NAME_MAX + 1] = "_Z1f";

	(void)state;
	memset(name + 4, 'P', sizeof(name) - 6);
	name[sizeof(name) - 2] = 'i';
	name[sizeof(name) - 1] = '\0';
	demangle_name(name, text);	/* too deep for the library, or not: the stack has room */
	memset(name, 'X', sizeof(name) - 1);
	memcpy(name, "_Z1fI", 5);
	demangle_name(name, text);
	memset(name, 'N', sizeof(name) - 1);
	memcpy(name, "_R", 2);
	stays(name);
	for (size_t i = 2; i + 3 < sizeof(name); i += 2)
		memcpy(name + i, "Nv", 2);
	stays(name);
	memset(name, 'A', sizeof(name) - 1);
	memcpy(name, "_D1fF", 5);
	stays(name);
}

static void test_bytes_of_no_language_do_no_harm(void **state)
{
	static const char *const names[] = {
		"_Z3\033[2", "_Z2\x9bm", "_Z4\xe2\x80\xaev", "_Z2\xff\xfev", "_RNvC3\033]0x",
		"_Z99999999999999999999v", "_Z-1v", "_R99999999999999999999",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		demangle_name(names[i], text);
}

static void test_a_list_has_a_reply_for_each_name(void **state)
{
	static const char names[] = "main\0_Z3foov\0\0_RNvC7mycrate3foo";
	int fd = memfd_create("test", MFD_CLOEXEC);
	const char *reply;
	size_t count;
	void *bytes;

	(void)state;
	assert_int_equal(write(fd, names, sizeof(names)), sizeof(names));
	assert_int_equal(demangle_list(fd, &bytes, &count, NULL), 0);
	assert_int_equal(name_list_check(bytes, count, 4, DEMANGLE_TEXT_MAX, NULL), 0);
	reply = bytes;
	assert_string_equal(reply, "");
	reply = name_list_next(reply);
	assert_string_equal(reply, "foo()");
	reply = name_list_next(reply);
	assert_string_equal(reply, "");
	assert_string_equal(name_list_next(reply), "mycrate::foo");
	free(bytes);
	close(fd);
}

/* Each tuple is two of the one before: four million, in memory. */
static void test_a_list_with_a_name_that_takes_long_is_given_up(void **state)
{
	static const char name[] =
		"_D1a1bFB2iiB2QgQiB2QiQkB2QiQkB2QiQkB2QiQkB2QiQkB2QiQkB2QiQkB2QiQkB2QiQkB2QiQ"
		"kB2QiQkB2QiQkB2QiQkB2QiQkB2QiQkB2QiQkB2QiQkB2QiQkB2QiQkB2QiQkB2QiQkZv";
	int fd = memfd_create("test", MFD_CLOEXEC);
	struct diag why;
	size_t count;
	void *bytes;

	(void)state;
	assert_int_equal(write(fd, name, sizeof(name)), sizeof(name));
	assert_int_equal(demangle_list(fd, &bytes, &count, &why), -E2BIG);
	assert_string_equal(why.text, "a name that takes too long to read");
	close(fd);
}

UNIT_TESTS(test_demangle)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cxx_comes_with_its_parameters),
		cmocka_unit_test(test_rust_comes_without_its_hash),
		cmocka_unit_test(test_d_is_known),
		cmocka_unit_test(test_what_a_clone_is_stays),
		cmocka_unit_test(test_a_slot_of_the_plt_stays_one),
		cmocka_unit_test(test_what_is_not_mangled_stays),
		cmocka_unit_test(test_go_names_are_never_demangled),
		cmocka_unit_test(test_a_name_is_as_long_as_4095_bytes_and_no_longer),
		cmocka_unit_test(test_a_name_that_means_a_gigabyte_is_cut_at_once),
		cmocka_unit_test(test_text_is_never_cut_inside_of_a_character),
		cmocka_unit_test(test_what_nests_deeply_ends_well),
		cmocka_unit_test(test_bytes_of_no_language_do_no_harm),
		cmocka_unit_test(test_a_list_has_a_reply_for_each_name),
		cmocka_unit_test(test_a_list_with_a_name_that_takes_long_is_given_up),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
