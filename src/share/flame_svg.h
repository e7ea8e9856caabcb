/* flame_svg.h - a window as a flame graph in SVG: one file that needs no other, or its element for
 * a page.
 *
 * Script: makes it zoom and search; without it all frames and their names can be read.
 * Errors: those of the stream stay in it (ferror(3)).
 * Thread: any.
 */
#ifndef SHARE_FLAME_SVG_H
#define SHARE_FLAME_SVG_H

#include <stdint.h>
#include <stdio.h>

#include "analyzer/snapshot.h"
#include "export/print.h"

#define FLAME_SVG_FRAMES 10000	/* in a file; with names of C++ these are 2.5 MB */

/* Writes a whole SVG file: what was sampled and how to repeat it, then the graph, with style and
 * script. The tree of @snapshot has all callees. @command: command line that prints the same
 * window, or "". 0 or -ENOMEM. */
int flame_svg_write(FILE *out, const struct snapshot *snapshot,
		    const struct export_options *options, const char *command);

/* Writes the graph alone, with legend and what was left out: <svg class="flame-graph">, valid in
 * HTML and in XML, without style, script, style attributes or event handlers. At most @max_frames
 * frames, the widest. The page has the style in a <style> and, after the element, the script in a
 * <script>; the script's keys work while the element has the focus. 0 or -ENOMEM. */
int flame_svg_write_part(FILE *out, const struct snapshot *snapshot, uint32_t max_frames);

/* Write the texts of flame_svg.css.in and flame_svg.js.in, without comments: the content of
 * <style> and of <script>, always the same. All names of the style begin with .flame-graph; neither
 * has "</" or "]]>". */
void flame_svg_write_style(FILE *out);
void flame_svg_write_script(FILE *out);

/* Writes @text, one of our own files: its lines without indentation, and none that begin a comment.
 */
void flame_svg_write_own(FILE *out, const char *text);

#define FLAME_SVG_NAME_BYTES 512	/* longer names are cut */
/* Writes a name as the graph has it. */
void flame_svg_write_name(FILE *out, const char *name);

#endif
