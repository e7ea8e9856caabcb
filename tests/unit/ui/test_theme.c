/* Every theme is readable on the background it is for, and says nothing by colour alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ui/theme.h"
#include "unit_tests.h"

#define TEXT_RATIO  4.5		/* WCAG 2.1, 1.4.3: text */
#define QUIET_RATIO 3.0		/* and 1.4.11: graphics; what is meant to be overlooked, and a theme
				 * for black and white at once, can't have more */

enum { ON_BLACK = 1, ON_WHITE = 2 };

struct light {
	double red, green, blue;	/* linear, 0..1 */
};

static double linear(int byte)
{
	const double value = byte / 255.0;

	return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* Of xterm's palette from 16 on: a cube of 6 x 6 x 6, then 24 greys. */
static struct light light_of(int color)
{
	static const int steps[] = { 0, 95, 135, 175, 215, 255 };
	const int cube = color - 16, grey = 8 + 10 * (color - 232);

	assert_in_range(color, 16, 255);
	if (color >= 232)
		return (struct light){ linear(grey), linear(grey), linear(grey) };
	return (struct light){ linear(steps[cube / 36]), linear(steps[cube / 6 % 6]),
			       linear(steps[cube % 6]) };
}

static double luminance(struct light light)
{
	return 0.2126 * light.red + 0.7152 * light.green + 0.0722 * light.blue;
}

static double contrast(double a, double b)
{
	return (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
}

static double contrast_of(const struct look *look, double background)
{
	if (look->back != LOOK_DEFAULT_COLOR)
		background = luminance(light_of(look->back));
	return contrast(luminance(light_of(look->color)), background);
}

static bool is_quiet(int role)
{
	return role == ROLE_DIM || role == ROLE_COOL || role == ROLE_UNRESOLVED ||
	       role == ROLE_BOX_DIM || role == ROLE_ACTIVITY || role == ROLE_ACTIVITY_HIGH ||
	       role == ROLE_SELECTED_BAR;
}

static void assert_readable(const char *name, int backgrounds, double text_ratio)
{
	const struct theme *theme = theme_find(name);

	assert_non_null(theme);
	for (int role = 0; role < ROLE_COUNT; role++) {
		const struct look *look = &theme->looks[role];
		const double wanted = is_quiet(role) ? QUIET_RATIO : text_ratio;

		if (look->color == LOOK_DEFAULT_COLOR) {	/* all is the user's own */
			assert_int_equal(look->back, LOOK_DEFAULT_COLOR);
			continue;
		}
		if ((backgrounds & ON_BLACK && contrast_of(look, 0) < wanted) ||
		    (backgrounds & ON_WHITE && contrast_of(look, 1) < wanted))
			fail_msg("%s: role %d: %.2f on black, %.2f on white", name, role,
				 contrast_of(look, 0), contrast_of(look, 1));
	}
}

static void test_the_measure_of_contrast_is_right(void **state)
{
	(void)state;
	assert_float_equal(contrast(luminance(light_of(231)), luminance(light_of(16))), 21, 1e-9);
	/* 243 is #767676, the lightest grey that WCAG lets stand as text on white */
	assert_float_equal(contrast(luminance(light_of(243)), 1), 4.54, 0.005);
}

static void test_themes_are_readable_on_their_background(void **state)
{
	(void)state;
	assert_readable("dark", ON_BLACK, TEXT_RATIO);
	assert_readable("light", ON_WHITE, TEXT_RATIO);
	assert_readable("default", ON_BLACK | ON_WHITE, QUIET_RATIO);
	assert_readable("colour-blind", ON_BLACK | ON_WHITE, QUIET_RATIO);
}

/* What stands beside or inside of another thing, and must be told from it without colours. */
static void test_without_colours_neighbours_differ_in_attributes(void **state)
{
	static const enum role neighbours[][2] = {
		{ ROLE_SELECTED, ROLE_TEXT },	     { ROLE_SELECTED, ROLE_DIM },
		{ ROLE_SELECTED, ROLE_HOT },	     { ROLE_MATCH, ROLE_TEXT },
		{ ROLE_MATCH, ROLE_SELECTED },	     { ROLE_MATCH, ROLE_BOX_CURSOR },
		{ ROLE_MATCH, ROLE_DIM },	     { ROLE_TAB, ROLE_TEXT },
		{ ROLE_TAB, ROLE_DIM },		     { ROLE_BOX_CURSOR, ROLE_BOX },
		{ ROLE_BOX_CURSOR, ROLE_BOX_DIM },   { ROLE_BOX, ROLE_BOX_DIM },
		{ ROLE_HEADING, ROLE_TEXT },	     { ROLE_HOT, ROLE_WARM },
		{ ROLE_WARM, ROLE_COOL },	     { ROLE_LOSS, ROLE_TEXT },
		{ ROLE_STATE, ROLE_TEXT },	     { ROLE_KEY, ROLE_TEXT },
		{ ROLE_ACTIVITY, ROLE_ACTIVITY_HIGH },     { ROLE_UNRESOLVED, ROLE_USER },
		{ ROLE_MORE, ROLE_LESS },	     { ROLE_MORE, ROLE_DIM },
		{ ROLE_LESS, ROLE_DIM },
		{ ROLE_FILL_SELECTED, ROLE_FILL_USER },
		{ ROLE_FILL_SELECTED, ROLE_FILL_USER_HOT },
		{ ROLE_FILL_SELECTED, ROLE_FILL_MATCH }, { ROLE_FILL_SELECTED, ROLE_FILL_QUIET },
		{ ROLE_FILL_MATCH, ROLE_FILL_QUIET },	 { ROLE_FILL_USER, ROLE_FILL_QUIET },
		{ ROLE_FILL_USER, ROLE_FILL_USER_HOT },	 { ROLE_FILL_USER, ROLE_TEXT },
	};
	const struct look *looks = theme_find("mono")->looks;

	(void)state;
	for (size_t i = 0; i < sizeof(neighbours) / sizeof(neighbours[0]); i++)
		assert_int_not_equal(looks[neighbours[i][0]].attributes,
				     looks[neighbours[i][1]].attributes);
	for (int role = 0; role < ROLE_COUNT; role++) {
		assert_int_equal(looks[role].color, LOOK_DEFAULT_COLOR);
		assert_int_equal(looks[role].back, LOOK_DEFAULT_COLOR);
	}
}

static void test_sixteen_colours_are_enough_for_the_theme_of_that_name(void **state)
{
	const struct look *looks = theme_find("16")->looks;

	(void)state;
	for (int role = 0; role < ROLE_COUNT; role++) {
		assert_in_range(looks[role].color + 1, 0, 16);
		assert_int_equal(looks[role].back, LOOK_DEFAULT_COLOR);
	}
	assert_true(looks[ROLE_SELECTED].attributes & LOOK_REVERSE);
	assert_true(looks[ROLE_BOX_CURSOR].attributes & LOOK_REVERSE);
	assert_true(looks[ROLE_MATCH].attributes & LOOK_REVERSE);
}

/* How a colour is seen without one of the three cones, complete loss. Source: Machado, Oliveira,
 * Fernandes 2009, "A Physiologically-based Model for Simulation of Color Vision Deficiency". */
static const double deuteranope[3][3] = {
	{ 0.367322, 0.860646, -0.227968 },
	{ 0.280085, 0.672501, 0.047413 },
	{ -0.011820, 0.042940, 0.968881 },
};
static const double protanope[3][3] = {
	{ 0.152286, 1.052583, -0.204868 },
	{ 0.114503, 0.786281, 0.099216 },
	{ -0.003882, -0.048116, 1.051998 },
};

static struct light seen_by(const double eye[3][3], struct light light)
{
	double seen[3];

	for (int i = 0; i < 3; i++)
		seen[i] = fmax(0, fmin(1, eye[i][0] * light.red + eye[i][1] * light.green +
						  eye[i][2] * light.blue));
	return (struct light){ seen[0], seen[1], seen[2] };
}

static double lab_curve(double t)
{
	return t > 0.008856 ? cbrt(t) : 7.787 * t + 16 / 116.0;
}

/* CIE 1976 difference (L*a*b*, D65); 2.3 is just noticeable side by side. */
static double difference(struct light a, struct light b)
{
	const struct light lights[] = { a, b };
	double lab[2][3];

	for (int i = 0; i < 2; i++) {
		const struct light *c = &lights[i];
		const double x = lab_curve((0.4124 * c->red + 0.3576 * c->green +
					    0.1805 * c->blue) / 0.9505);
		const double y = lab_curve(luminance(*c));
		const double z = lab_curve((0.0193 * c->red + 0.1192 * c->green +
					    0.9505 * c->blue) / 1.089);

		lab[i][0] = 116 * y - 16;
		lab[i][1] = 500 * (x - y);
		lab[i][2] = 200 * (y - z);
	}
	return sqrt(pow(lab[0][0] - lab[1][0], 2) + pow(lab[0][1] - lab[1][1], 2) +
		    pow(lab[0][2] - lab[1][2], 2));
}

#define CLEARLY_OTHER 20	/* nearly ten times what is just noticeable */

/* @plain: what the user's own text looks like. */
static void assert_told_apart(enum role role, enum role other, struct light plain)
{
	const struct look *looks = theme_find("colour-blind")->looks;
	const short a_color = looks[role].color, b_color = looks[other].color;
	const struct light a = a_color == LOOK_DEFAULT_COLOR ? plain : light_of(a_color);
	const struct light b = b_color == LOOK_DEFAULT_COLOR ? plain : light_of(b_color);
	const double deutan = difference(seen_by(deuteranope, a), seen_by(deuteranope, b));
	const double protan = difference(seen_by(protanope, a), seen_by(protanope, b));

	if (deutan < CLEARLY_OTHER || protan < CLEARLY_OTHER)
		fail_msg("roles %d and %d: %.0f, %.0f", role, other, deutan, protan);
}

static void test_the_colour_blind_theme_keeps_its_hues_apart(void **state)
{
	static const enum role told_apart[][2] = {
		{ ROLE_HOT, ROLE_WARM },     { ROLE_WARM, ROLE_COOL },	  { ROLE_HOT, ROLE_COOL },
		{ ROLE_KERNEL, ROLE_JIT },   { ROLE_KERNEL, ROLE_GUEST }, { ROLE_JIT, ROLE_GUEST },
		{ ROLE_KERNEL, ROLE_UNRESOLVED }, { ROLE_JIT, ROLE_UNRESOLVED },
		{ ROLE_GUEST, ROLE_UNRESOLVED },  { ROLE_ACTIVITY, ROLE_ACTIVITY_HIGH },
		{ ROLE_LOSS, ROLE_KEY },     { ROLE_STATE, ROLE_KEY },	  { ROLE_USER, ROLE_JIT },
		{ ROLE_USER, ROLE_KERNEL },  { ROLE_USER, ROLE_UNRESOLVED },
		{ ROLE_MORE, ROLE_LESS },    { ROLE_MORE, ROLE_DIM },	  { ROLE_LESS, ROLE_DIM },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(told_apart) / sizeof(told_apart[0]); i++) {
		assert_told_apart(told_apart[i][0], told_apart[i][1], (struct light){ 0, 0, 0 });
		assert_told_apart(told_apart[i][0], told_apart[i][1], (struct light){ 1, 1, 1 });
	}
}

static void test_the_colour_blind_theme_keeps_its_fills_apart(void **state)
{
	const struct look *looks = theme_find("colour-blind")->looks;

	(void)state;
	for (int role = ROLE_FILL_USER; role < ROLE_FILL_UNKNOWN; role += 2) {
		for (int other = role + 2; other < ROLE_FILL_HEAT; other += 2) {
			const struct light a = light_of(looks[role].back);
			const struct light b = light_of(looks[other].back);

			if (fmin(difference(seen_by(deuteranope, a), seen_by(deuteranope, b)),
				 difference(seen_by(protanope, a), seen_by(protanope, b))) <
			    CLEARLY_OTHER)
				fail_msg("fills %d and %d", role, other);
		}
	}
}

/* Half a cell at the end of a box is as dark as the box. */
static void test_edges_have_the_colour_of_their_fill(void **state)
{
	const struct look plain = { 16, 180, 0 };
	const struct look reversed = { 3, LOOK_DEFAULT_COLOR, LOOK_REVERSE };
	struct look edge = theme_edge(&plain);

	(void)state;
	assert_int_equal(edge.color, 180);
	assert_int_equal(edge.back, LOOK_DEFAULT_COLOR);
	edge = theme_edge(&reversed);
	assert_int_equal(edge.color, 3);
	assert_int_equal(edge.attributes, 0);
}

static struct light fill_of(const struct theme *theme, int role)
{
	return light_of(theme->looks[role].back);
}

/* Kinds of code beside each other, the path among its neighbours, what is found among the rest. */
static void test_fills_are_told_apart(void **state)
{
	static const char *const names[] = { "default", "dark", "light", "colour-blind" };

	(void)state;
	for (size_t t = 0; t < sizeof(names) / sizeof(names[0]); t++) {
		const struct theme *theme = theme_find(names[t]);

		for (int role = ROLE_FILL_USER; role < ROLE_FILL_UNKNOWN; role += 2) {
			for (int other = role + 2; other < ROLE_FILL_HEAT; other += 2)
				if (difference(fill_of(theme, role), fill_of(theme, other)) <
				    CLEARLY_OTHER)
					fail_msg("%s: %d and %d", names[t], role, other);
			if (difference(fill_of(theme, role), fill_of(theme, role + 1)) <
			    CLEARLY_OTHER)
				fail_msg("%s: %d is not stronger", names[t], role);
		}
		assert_true(difference(fill_of(theme, ROLE_FILL_MATCH),
				       fill_of(theme, ROLE_FILL_QUIET)) > CLEARLY_OTHER);
	}
}

/* More, less and the same: from each other, and a large change from a small one. */
static void test_fills_of_changes_are_told_apart(void **state)
{
	static const char *const names[] = { "default", "dark", "light", "colour-blind" };
	static const int fills[] = { ROLE_FILL_MORE_LARGE, ROLE_FILL_MORE, ROLE_FILL_UNKNOWN,
				     ROLE_FILL_LESS, ROLE_FILL_LESS_LARGE };
	static const size_t count = sizeof(fills) / sizeof(fills[0]);

	(void)state;
	for (size_t t = 0; t < sizeof(names) / sizeof(names[0]); t++)
		for (size_t i = 0; i < count; i++)
			for (size_t k = 0; k < i; k++)
				if (difference(fill_of(theme_find(names[t]), fills[i]),
					       fill_of(theme_find(names[t]), fills[k])) <
				    CLEARLY_OTHER)
					fail_msg("%s: %d and %d", names[t], fills[i], fills[k]);
	for (size_t i = 0; i < count; i++)	/* in 16 colours by which colour it is */
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(theme_find("16")->looks[fills[i]].color,
					     theme_find("16")->looks[fills[k]].color);
}

static void test_every_theme_has_a_name_to_be_found_by(void **state)
{
	(void)state;
	assert_string_equal(themes[0].name, "default");
	for (unsigned int i = 0; i < theme_count; i++) {
		assert_ptr_equal(theme_find(themes[i].name), &themes[i]);
		assert_true(strlen(themes[i].help) > 0);
	}
	assert_null(theme_find("Default"));
	assert_null(theme_find(""));
}

static void test_fewer_colours_have_a_theme_of_their_own(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < theme_count; i++) {
		assert_ptr_equal(theme_for_colors(&themes[i], 1 << 24), &themes[i]);
		assert_ptr_equal(theme_for_colors(&themes[i], 256), &themes[i]);
		assert_string_equal(theme_for_colors(&themes[i], 0)->name, "mono");
	}
	assert_string_equal(theme_for_colors(theme_find("light"), 88)->name, "16");
	assert_string_equal(theme_for_colors(theme_find("light"), 8)->name, "16");
	assert_string_equal(theme_for_colors(theme_find("mono"), 8)->name, "mono");
}

UNIT_TESTS(test_theme)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_measure_of_contrast_is_right),
		cmocka_unit_test(test_themes_are_readable_on_their_background),
		cmocka_unit_test(test_without_colours_neighbours_differ_in_attributes),
		cmocka_unit_test(test_sixteen_colours_are_enough_for_the_theme_of_that_name),
		cmocka_unit_test(test_the_colour_blind_theme_keeps_its_hues_apart),
		cmocka_unit_test(test_the_colour_blind_theme_keeps_its_fills_apart),
		cmocka_unit_test(test_edges_have_the_colour_of_their_fill),
		cmocka_unit_test(test_fills_are_told_apart),
		cmocka_unit_test(test_fills_of_changes_are_told_apart),
		cmocka_unit_test(test_every_theme_has_a_name_to_be_found_by),
		cmocka_unit_test(test_fewer_colours_have_a_theme_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
