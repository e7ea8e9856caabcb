/* theme.c - the themes.
 *
 * Problem: nobody tells the background. Asking the terminal for it is answered late or never.
 *
 * Idea: the default theme keeps to colours of middle brightness, which read on black and on white,
 * and where it needs a background it sets both colours. Who wants more contrast says which
 * background there is by the theme's name.
 *
 * The 16 ANSI colours are the user's own choice, so nothing is known of them but that each reads on
 * the background. Reversed, a colour reads as well as it does plain: that is how these themes mark
 * a row, where a pair of colours might be two shades of the same.
 */
#include "ui/theme.h"

#include <stddef.h>
#include <string.h>

#define PLAIN LOOK_DEFAULT_COLOR

const struct theme themes[] = {
	{
		.name = "default",
		.help = "on black and on white: colours of middle brightness",
		.colors = 256,
		.looks = {
			[ROLE_TEXT] =         { PLAIN, PLAIN, 0 },
			[ROLE_DIM] =          { 244,   PLAIN, 0 },
			[ROLE_NAME] =         { 136,   PLAIN, LOOK_BOLD },
			[ROLE_HEADING] =      { PLAIN, PLAIN, LOOK_BOLD },
			[ROLE_HOT] =          { 167,   PLAIN, LOOK_BOLD },
			[ROLE_WARM] =         { 136,   PLAIN, 0 },
			[ROLE_COOL] =         { 244,   PLAIN, 0 },
			[ROLE_USER] =         { PLAIN, PLAIN, 0 },
			[ROLE_KERNEL] =       { 32,    PLAIN, 0 },
			[ROLE_GUEST] =        { 133,   PLAIN, 0 },
			[ROLE_UNRESOLVED] =   { 244,   PLAIN, 0 },
			[ROLE_LOSS] =         { 167,   PLAIN, LOOK_BOLD },
			[ROLE_STATE] =        { 136,   PLAIN, LOOK_BOLD },
			[ROLE_KEY] =          { 32,    PLAIN, LOOK_BOLD },
			[ROLE_SELECTED] =     { 231,   24,    0 },
			[ROLE_SELECTED_BAR] = { 215,   24,    0 },
			[ROLE_JIT] =          { 65,    PLAIN, 0 },
			[ROLE_MATCH] =        { 16,    178,   0 },
			[ROLE_TAB] =          { 231,   240,   LOOK_BOLD },
			[ROLE_STRIP] =        { 67,    PLAIN, 0 },
			[ROLE_STRIP_HIGH] =   { 136,   PLAIN, 0 },
			[ROLE_BOX] =          { PLAIN, PLAIN, 0 },
			[ROLE_BOX_DIM] =      { 244,   PLAIN, 0 },
			[ROLE_BOX_CURSOR] =   { 231,   24,    0 },
		},
	},
	{
		.name = "dark",
		.help = "on black or nearly so: brighter, and richer in contrast",
		.colors = 256,
		.looks = {
			[ROLE_TEXT] =         { PLAIN, PLAIN, 0 },
			[ROLE_DIM] =          { 245,   PLAIN, 0 },
			[ROLE_NAME] =         { 179,   PLAIN, LOOK_BOLD },
			[ROLE_HEADING] =      { PLAIN, PLAIN, LOOK_BOLD },
			[ROLE_HOT] =          { 203,   PLAIN, LOOK_BOLD },
			[ROLE_WARM] =         { 179,   PLAIN, 0 },
			[ROLE_COOL] =         { 245,   PLAIN, 0 },
			[ROLE_USER] =         { PLAIN, PLAIN, 0 },
			[ROLE_KERNEL] =       { 75,    PLAIN, 0 },
			[ROLE_GUEST] =        { 176,   PLAIN, 0 },
			[ROLE_UNRESOLVED] =   { 245,   PLAIN, 0 },
			[ROLE_LOSS] =         { 203,   PLAIN, LOOK_BOLD },
			[ROLE_STATE] =        { 179,   PLAIN, LOOK_BOLD },
			[ROLE_KEY] =          { 75,    PLAIN, LOOK_BOLD },
			[ROLE_SELECTED] =     { 231,   238,   0 },
			[ROLE_SELECTED_BAR] = { 215,   238,   0 },
			[ROLE_JIT] =          { 114,   PLAIN, 0 },
			[ROLE_MATCH] =        { 16,    221,   0 },
			[ROLE_TAB] =          { 231,   240,   LOOK_BOLD },
			[ROLE_STRIP] =        { 67,    PLAIN, 0 },
			[ROLE_STRIP_HIGH] =   { 179,   PLAIN, 0 },
			[ROLE_BOX] =          { 252,   235,   0 },
			[ROLE_BOX_DIM] =      { 245,   235,   0 },
			[ROLE_BOX_CURSOR] =   { 231,   24,    0 },
		},
	},
	{
		.name = "light",
		.help = "on white or nearly so: darker",
		.colors = 256,
		.looks = {
			[ROLE_TEXT] =         { PLAIN, PLAIN, 0 },
			[ROLE_DIM] =          { 243,   PLAIN, 0 },
			[ROLE_NAME] =         { 130,   PLAIN, LOOK_BOLD },
			[ROLE_HEADING] =      { PLAIN, PLAIN, LOOK_BOLD },
			[ROLE_HOT] =          { 160,   PLAIN, LOOK_BOLD },
			[ROLE_WARM] =         { 130,   PLAIN, 0 },
			[ROLE_COOL] =         { 243,   PLAIN, 0 },
			[ROLE_USER] =         { PLAIN, PLAIN, 0 },
			[ROLE_KERNEL] =       { 25,    PLAIN, 0 },
			[ROLE_GUEST] =        { 90,    PLAIN, 0 },
			[ROLE_UNRESOLVED] =   { 243,   PLAIN, 0 },
			[ROLE_LOSS] =         { 160,   PLAIN, LOOK_BOLD },
			[ROLE_STATE] =        { 130,   PLAIN, LOOK_BOLD },
			[ROLE_KEY] =          { 25,    PLAIN, LOOK_BOLD },
			[ROLE_SELECTED] =     { 16,    153,   0 },
			[ROLE_SELECTED_BAR] = { 160,   153,   0 },
			[ROLE_JIT] =          { 28,    PLAIN, 0 },
			[ROLE_MATCH] =        { 16,    221,   0 },
			[ROLE_TAB] =          { 231,   241,   LOOK_BOLD },
			[ROLE_STRIP] =        { 67,    PLAIN, 0 },
			[ROLE_STRIP_HIGH] =   { 130,   PLAIN, 0 },
			[ROLE_BOX] =          { 235,   255,   0 },
			[ROLE_BOX_DIM] =      { 243,   255,   0 },
			[ROLE_BOX_CURSOR] =   { 16,    153,   0 },
		},
	},
	{
		.name = "colour-blind",
		.help = "on black and on white, without red against green",
		.colors = 256,
		.looks = {
			[ROLE_TEXT] =         { PLAIN, PLAIN, 0 },
			[ROLE_DIM] =          { 244,   PLAIN, 0 },
			[ROLE_NAME] =         { 136,   PLAIN, LOOK_BOLD },
			[ROLE_HEADING] =      { PLAIN, PLAIN, LOOK_BOLD },
			[ROLE_HOT] =          { 166,   PLAIN, LOOK_BOLD },
			[ROLE_WARM] =         { PLAIN, PLAIN, 0 },
			[ROLE_COOL] =         { 244,   PLAIN, 0 },
			[ROLE_USER] =         { PLAIN, PLAIN, 0 },
			[ROLE_KERNEL] =       { 32,    PLAIN, 0 },
			[ROLE_GUEST] =        { 63,    PLAIN, 0 },
			[ROLE_UNRESOLVED] =   { 244,   PLAIN, 0 },
			[ROLE_LOSS] =         { 166,   PLAIN, LOOK_BOLD },
			[ROLE_STATE] =        { 136,   PLAIN, LOOK_BOLD },
			[ROLE_KEY] =          { 32,    PLAIN, LOOK_BOLD },
			[ROLE_SELECTED] =     { 231,   24,    0 },
			[ROLE_SELECTED_BAR] = { 215,   24,    0 },
			[ROLE_JIT] =          { 136,   PLAIN, 0 },
			[ROLE_MATCH] =        { 16,    178,   0 },
			[ROLE_TAB] =          { 231,   240,   LOOK_BOLD },
			[ROLE_STRIP] =        { 67,    PLAIN, 0 },
			[ROLE_STRIP_HIGH] =   { 136,   PLAIN, 0 },
			[ROLE_BOX] =          { PLAIN, PLAIN, 0 },
			[ROLE_BOX_DIM] =      { 244,   PLAIN, 0 },
			[ROLE_BOX_CURSOR] =   { 231,   24,    0 },
		},
	},
	{
		.name = "16",
		.help = "in the terminal's own 16 colours, as its palette has them",
		.colors = 8,	/* bright ones are told by bold */
		.looks = {
			[ROLE_TEXT] =         { PLAIN, PLAIN, 0 },
			[ROLE_DIM] =          { 8,     PLAIN, 0 },
			[ROLE_NAME] =         { 3,     PLAIN, LOOK_BOLD },
			[ROLE_HEADING] =      { PLAIN, PLAIN, LOOK_BOLD },
			[ROLE_HOT] =          { 9,     PLAIN, LOOK_BOLD },
			[ROLE_WARM] =         { 3,     PLAIN, 0 },
			[ROLE_COOL] =         { 8,     PLAIN, 0 },
			[ROLE_USER] =         { PLAIN, PLAIN, 0 },
			[ROLE_KERNEL] =       { 6,     PLAIN, 0 },
			[ROLE_GUEST] =        { 5,     PLAIN, 0 },
			[ROLE_UNRESOLVED] =   { 8,     PLAIN, 0 },
			[ROLE_LOSS] =         { 9,     PLAIN, LOOK_BOLD },
			[ROLE_STATE] =        { 3,     PLAIN, LOOK_BOLD },
			[ROLE_KEY] =          { 6,     PLAIN, LOOK_BOLD },
			[ROLE_SELECTED] =     { PLAIN, PLAIN, LOOK_REVERSE },
			[ROLE_SELECTED_BAR] = { 9,     PLAIN, 0 },
			[ROLE_JIT] =          { 12,    PLAIN, 0 },
			[ROLE_MATCH] =        { 3,     PLAIN, LOOK_REVERSE },
			[ROLE_TAB] =          { 6,     PLAIN, LOOK_REVERSE },
			[ROLE_STRIP] =        { 6,     PLAIN, 0 },
			[ROLE_STRIP_HIGH] =   { 3,     PLAIN, 0 },
			[ROLE_BOX] =          { PLAIN, PLAIN, 0 },
			[ROLE_BOX_DIM] =      { 8,     PLAIN, 0 },
			[ROLE_BOX_CURSOR] =   { PLAIN, PLAIN, LOOK_REVERSE },
		},
	},
	{
		.name = "mono",
		.help = "without colours",
		.colors = 0,
		.looks = {
			[ROLE_TEXT] =         { PLAIN, PLAIN, 0 },
			[ROLE_DIM] =          { PLAIN, PLAIN, LOOK_DIM },
			[ROLE_NAME] =         { PLAIN, PLAIN, LOOK_BOLD },
			[ROLE_HEADING] =      { PLAIN, PLAIN, LOOK_BOLD },
			[ROLE_HOT] =          { PLAIN, PLAIN, LOOK_BOLD },
			[ROLE_WARM] =         { PLAIN, PLAIN, 0 },
			[ROLE_COOL] =         { PLAIN, PLAIN, LOOK_DIM },
			[ROLE_USER] =         { PLAIN, PLAIN, 0 },
			[ROLE_KERNEL] =       { PLAIN, PLAIN, 0 },
			[ROLE_GUEST] =        { PLAIN, PLAIN, 0 },
			[ROLE_UNRESOLVED] =   { PLAIN, PLAIN, LOOK_DIM },
			[ROLE_LOSS] =         { PLAIN, PLAIN, LOOK_BOLD },
			[ROLE_STATE] =        { PLAIN, PLAIN, LOOK_BOLD },
			[ROLE_KEY] =          { PLAIN, PLAIN, LOOK_BOLD },
			[ROLE_SELECTED] =     { PLAIN, PLAIN, LOOK_REVERSE },
			[ROLE_SELECTED_BAR] = { PLAIN, PLAIN, LOOK_DIM },
			[ROLE_JIT] =          { PLAIN, PLAIN, 0 },
			[ROLE_MATCH] =        { PLAIN, PLAIN, LOOK_UNDERLINE | LOOK_BOLD },
			[ROLE_TAB] =          { PLAIN, PLAIN, LOOK_REVERSE },
			[ROLE_STRIP] =        { PLAIN, PLAIN, 0 },
			[ROLE_STRIP_HIGH] =   { PLAIN, PLAIN, LOOK_BOLD },
			[ROLE_BOX] =          { PLAIN, PLAIN, 0 },
			[ROLE_BOX_DIM] =      { PLAIN, PLAIN, LOOK_DIM },
			[ROLE_BOX_CURSOR] =   { PLAIN, PLAIN, LOOK_REVERSE },
		},
	},
};
const unsigned int theme_count = sizeof(themes) / sizeof(themes[0]);

const struct theme *theme_find(const char *name)
{
	for (unsigned int i = 0; i < theme_count; i++)
		if (!strcmp(themes[i].name, name))
			return &themes[i];
	return NULL;
}

const struct theme *theme_for_colors(const struct theme *theme, int colors)
{
	if (colors >= theme->colors)
		return theme;
	return theme_find(colors >= 8 ? "16" : "mono");
}
