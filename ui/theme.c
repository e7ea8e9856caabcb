/* theme.c - the themes. The default one keeps to colours of middle brightness on the terminal's own
 * background: they read on black and on white. */
#include "ui/theme.h"

#define PLAIN LOOK_DEFAULT_COLOR

const struct theme themes[] = {
	{
		.name = "default",
		.looks = {
			/*                    256    16     colours        mono */
			[ROLE_TEXT] =       { PLAIN, PLAIN, 0,             0 },
			[ROLE_DIM] =        { 244,   8,     0,             LOOK_DIM },
			[ROLE_NAME] =       { 172,   3,     LOOK_BOLD,     LOOK_BOLD },
			[ROLE_HEADING] =    { PLAIN, PLAIN, LOOK_BOLD,     LOOK_BOLD },
			[ROLE_HOT] =        { 167,   9,     LOOK_BOLD,     LOOK_BOLD },
			[ROLE_WARM] =       { 172,   3,     0,             0 },
			[ROLE_COOL] =       { 244,   8,     0,             LOOK_DIM },
			[ROLE_USER] =       { PLAIN, PLAIN, 0,             0 },
			[ROLE_KERNEL] =     { 32,    6,     0,             0 },
			[ROLE_GUEST] =      { 133,   5,     0,             0 },
			[ROLE_UNRESOLVED] = { 244,   8,     0,             LOOK_DIM },
			[ROLE_LOSS] =       { 167,   9,     LOOK_BOLD,     LOOK_BOLD },
			[ROLE_STATE] =      { 172,   3,     LOOK_BOLD,     LOOK_BOLD },
			[ROLE_KEY] =        { 32,    6,     LOOK_BOLD,     LOOK_BOLD },
			[ROLE_SELECTED] =   { PLAIN, PLAIN, LOOK_REVERSE,  LOOK_REVERSE },
		},
	},
};
const unsigned int theme_count = sizeof(themes) / sizeof(themes[0]);
