/* json_text.c - see export/json_text.h. */
#include "export/json_text.h"

void json_put_string(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', out);
		if ((unsigned char)*text < 0x20)
			fprintf(out, "\\u%04x", (unsigned int)(unsigned char)*text);
		else
			putc(*text, out);
	}
	putc('"', out);
}
