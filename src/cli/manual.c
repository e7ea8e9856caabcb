/* manual.c - prints flametop(8): fixed prose; options, keys and columns from their tables.
 * Source: mdoc(7); checked with mandoc -T lint. */
#include "cli/manual.h"

#include <stdbool.h>
#include <string.h>

#include "cli/option_table.h"
#include "ingest/loss_ledger.h"
#include "probe/probe_presets.h"
#include "ui/columns.h"
#include "ui/commands.h"
#include "ui/keymap.h"
#include "ui/theme.h"

#define PROSE_COLUMNS 72	/* mandoc wants lines of at most 80 */

static const char head[] =
".Dd November 21, 2026\n"
".Dt FLAMETOP 8\n"
".Os\n"
".Sh NAME\n"
".Nm flametop\n"
".Nd live profiler: which code is hot right now\n"
".Sh SYNOPSIS\n"
".Nm\n"
".Op Ar options\n"
".Op Fl - Ar command Op Ar argument ...\n"
".Nm\n"
".Fl -batch Ns Op = Ns Ar N\n"
".Op Ar options\n"
".Op Fl - Ar command Op Ar argument ...\n"
".Sh DESCRIPTION\n"
".Nm\n"
"samples what the CPUs of this machine execute and shows, live, the\n"
"functions in which the time goes, of the kernel and of all programs alike.\n"
"Sampling goes on while one looks, sorts and filters; every picture is\n"
"computed from the same history of exact counts.\n"
"With\n"
".Fl -batch\n"
"it prints tables or JSON instead of taking the screen.\n"
".Pp\n"
"Without privileges only the user's own processes are sampled, and only\n"
"their user code; the header of the screen says so, and the key\n"
".Ic \\&!\n"
"tells what would help.\n"
".Pp\n"
"The letters of the options are those of\n"
".Xr perf-top 1 .\n";

static const char beside_the_keys[] =
".Ss In a menu or a prompt\n"
"What is typed narrows a menu; Up and Down choose, Enter takes, Esc leaves.\n"
"In a prompt Up and Down recall what was entered before, and Ctrl-A, Ctrl-E,\n"
"Ctrl-W, Ctrl-U and Ctrl-K edit as in a shell.\n"
".Ss With the mouse\n"
"A click selects a row, sorts by a title (again: the other way round), goes to\n"
"a view or to a step of the way here, or does what the bottom line offers.\n"
"A double click opens a row, a right click is its menu, the wheel scrolls.\n"
"To select text, hold Shift or leave the mouse to the terminal.\n";

static const char probes_head[] =
".Sh PROBES\n"
"A probe is a line of a place, values to bring along, and a condition:\n"
".Dl place [[name=]value[:type] ...] [if condition]\n"
"The forms are those of\n"
".Xr perf-probe 1\n"
"and bpftrace, whose long names\n"
".Pq kprobe, uretprobe and so on\n"
"are the same as the short ones here.\n"
"Inside of double quotes, and behind a backslash, nothing has a meaning.\n"
".Ss Places\n"
".Bl -tag -width Ds\n";

struct probe_form {
	const char *form, *meaning;
};

static const struct probe_form places[] = {
	{ "k:[MODULE:]FUNC, kr:FUNC", "Entry, or return, of a kernel function." },
	{ "u:FILE:FUNC, ur:FILE:FUNC", "Of a function of a program or library: by path, or by "
	  "name as libc.so.6." },
	{ "t:GROUP:NAME", "A tracepoint of the kernel." },
	{ "U:FILE:[PROVIDER:]NAME", "A mark (USDT) in a program or library." },
	{ "lat:FUNC, lat:FILE:FUNC", "Entry and return: how long it takes." },
	{ "lat:t:GROUP:NAME->GROUP:NAME by FIELD,...", "From one tracepoint to the next in that "
	  "these fields are the same; without by, of the same thread. To itself: from each hit to "
	  "the next. lat:t:syscalls:sys_enter_X alone is one system call." },
	{ "FUNC", "Short for k:FUNC, as with perf." },
	{ "FUNC%return, FUNC+OFFSET, FUNC:LINE, FILE.c:LINE", "Instead of FUNC: the return; bytes "
	  "behind the begin; a line, counted from the function's first or in the file." },
	{ "u:FILE:0xADDRESS, u:FILE:fn_ADDRESS", "A function by the address where it begins, as "
	  "nm and objdump show it; fn_ADDRESS is how functions without a symbol are called here. "
	  "An unwind entry must begin there, find the return address on top of the stack, and the "
	  "code must begin with endbr64, push or sub from rsp: others may be parts of functions." },
	{ "FUNC*, {FUNC,FUNC}", "All that match; * is any text and ? any letter, and of names in "
	  "braces each is one." },
};

static const struct probe_form values[] = {
	{ "name, a->b.c, arr[1]", "Arguments and local variables, by debug information or the "
	  "kernel's BTF; fields of a tracepoint." },
	{ "$arg1, %di, $stack0, @symbol, +8(%di), +u0(%si)", "By the calling convention: an "
	  "argument, a register, a word of the stack, memory (u: of the user)." },
	{ "$retval", "What is returned; its name is ret." },
	{ ":u8 to :u64, :s8 .., :x8 .., :u8[4] .., :b3@4/32", "Type, where none is known or "
	  "another is wanted: unsigned, signed, hexadecimal, an array, 3 bits from the 4th on "
	  "of 32." },
	{ ":string, :ustring", "Text, text of the user. Of some texts a tracepoint's record has "
	  "only the address: then a probe that brings them is named." },
	{ ":symbol", "Name of an address, in the kernel or in the process." },
	{ ":ipv4, :ipv6, :port, :sockaddr, :mac, :uuid", "Addresses of the network, from the bytes "
	  "as they are sent; a port is in network order unless its type says otherwise." },
	{ ":errno, :syscall", "Name of an error, as a system call or the kernel returns it; of a "
	  "system call." },
	{ "norm(VALUE)", "A text with ? for numbers and quoted texts: SQL statements that differ "
	  "in constants only are one." },
};

static const char conditions[] =
".Ss Conditions\n"
"Comparisons of values with numbers or texts, joined by\n"
".Cm and , or , not\n"
"and parentheses:\n"
".Dl if count > 64k and comm == nginx\n"
".Dl if lat > 5ms or ret < 0\n"
"Besides the values there are\n"
".Cm comm , pid , tid , cpu , lat\n"
"and\n"
".Cm ret .\n"
".Cm ==\n"
"and\n"
".Cm !=\n"
"take texts, too,\n"
".Cm ~\n"
"a pattern of text,\n"
".Cm &\n"
"any of some bits.\n"
"Numbers that have names compare with those, too:\n"
".Dl if id == futex and ret == EAGAIN\n"
".Dl if newstate == TCP_SYN_SENT\n"
"A text that a tracepoint has but the address of is compared by the kernel\n"
"(Linux 5.18 and later):\n"
".Dl t:syscalls:sys_enter_openat if filename ~ \\(dq*passwd*\\(dq\n"
"k, M and G are 1024 each; times have ns, us, ms or s.\n"
".Ss Single hits\n"
"The log of a probe has its last 1000 hits, and L in the list of probes shows\n"
"the last 1000 hits of all of them in one time order.\n"
"Enter on a line shows that hit with each value in full and its stack.\n"
"The newest 50 hits of a probe and its 20 slowest keep their stacks, the others\n"
"have them as long as history does.\n"
"A hit that leaves the log before it is read is shown with what its line had.\n"
".Ss Presets\n"
"The finder lists them first,\n"
"also by the names of tools that answer the same question\n"
"and by other words for it,\n"
"which are in parentheses here.\n"
".Bl -tag -width Ds\n";

static const char losses_head[] =
".Sh LOSSES\n"
"Nothing is lost in silence: what the kernel has dropped, what came too late\n"
"or had no room is counted, each cause apart.\n"
"The header says so, the key\n"
".Ic $\n"
"lists all causes with their counts since start and in the window, and with\n"
".Fl -format Cm json\n"
"they are in\n"
".Ql losses :\n"
".Bl -tag -width Ds\n";

static const char events[] =
".Sh EVENTS\n"
"With\n"
".Fl -format Cm events\n"
"or\n"
".Cm events-json\n"
"each hit of a probe and each sample is a line, in the order of time over all\n"
"events and probes, live or of a recording.\n"
"A line comes about 0.1 s after its hit, and up to a second later while the\n"
"symbols of a file are read.\n"
"It ends with\n"
".Fl -duration ,\n"
"with the command, at a signal (what is on its way is still printed), or\n"
"when nobody reads its output any more.\n"
".Pp\n"
".Fl -fields\n"
"says what is printed, and in which order.\n"
"Fields are\n"
".Cm time\n"
"(as\n"
".Xr perf-script 1\n"
"has it: seconds of CLOCK_MONOTONIC, or of the recording's clock),\n"
".Cm cpu , comm , pid , tid , event , period\n"
"(of samples),\n"
".Cm latency\n"
"(of probes on entry and return; such a hit has the time of the return),\n"
".Cm symbol\n"
"and\n"
".Cm dso\n"
"(where it was),\n"
".Cm values\n"
"and\n"
".Cm stack\n"
"(functions, the innermost first, with semicolons between).\n"
"What a line does not have is\n"
".Li - ,\n"
"in JSON null; there times are\n"
".Li time_ns\n"
"and\n"
".Li latency_ns ,\n"
"values an object, and stacks an array.\n"
"Values of tracepoints come with\n"
".Fl -probe Li t:GROUP:NAME ,\n"
"not with\n"
".Fl e .\n"
".Fl -match , K\n"
"and\n"
".Fl U\n"
"leave lines by command and innermost function; idle samples come with\n"
".Fl -idle .\n"
".Pp\n"
"What is not printed is counted: on standard error the last line says how\n"
"many events found the kernel's buffers full, were dropped as the output was\n"
"not read in time, and which probes were stopped, and why.\n";

static const char columns_head[] =
".Sh COLUMNS\n"
"Shares are of the summed period of the window, without idle; SAMPLES is a\n"
"count.\n"
"Recursion counts once in TOTAL%.\n"
"A filter leaves the shares what they are: those of everything that was\n"
"sampled, unless they are relative to what it leaves\n"
".Pq Fl -percentage Cm relative .\n"
".Bl -tag -width \"COMMAND LINE\"\n";

static const char comparison[] =
".Sh COMPARISON\n"
"A window is compared with a baseline, A: what was counted in another window,\n"
"or, with\n"
".Fl -diff ,\n"
"in the recording of\n"
".Fl i .\n"
"A keeps its counts when the time that it is of leaves the history.\n"
"It is forgotten when other events or processes are sampled.\n"
"A time in the past that is compared while nothing is marked has the rest of\n"
"history as its baseline.\n"
".Pp\n"
"Lengths need not be equal: shares are compared in points, each of its own\n"
"window's 100 %, and counts as samples a second.\n"
"A decaying window is compared with A as it was counted.\n"
"A row that is only in the window is new, one that is only in A is gone.\n"
"Functions of two builds of one file are one row, if they have the same name\n"
"and each build has that name once; a name of code that was made at run time\n"
"is one row.\n"
"The build that is no more at its path has names if\n"
".Xr perf-record 1\n"
"kept a copy of it in\n"
".Pa ~/.debug ,\n"
"as it does unless it is told otherwise.\n"
".Pp\n"
"Events of two recordings belong together by name.\n"
"The kernel's functions have names in both recordings only if it was the\n"
"kernel that runs now.\n"
".Pp\n"
"Without a screen tables have the columns of both, what has changed most\n"
"first, in the share of the function itself or, with\n"
".Fl -children ,\n"
"of all that it calls.\n"
"JSON rows have the fields\n"
".Li base_self , base_total\n"
"and so on, and\n"
".Li change :\n"
".Li new , gone\n"
"or null.\n"
"Folded stacks have two counts, A's and the window's, as those of\n"
"difffolded.pl; both are as counted, whatever the lengths, and a program\n"
"for flame graphs draws the second in the colours of the difference:\n"
".Dl $ flametop -i A --diff B --batch --format folded | flamegraph.pl >d.svg\n";

static const char levels[] =
".Pp\n"
"Levels of code:\n"
".Li [k]\n"
"kernel,\n"
".Li [.]\n"
"user,\n"
".Li [g]\n"
"guest kernel,\n"
".Li [u]\n"
"guest user,\n"
".Li \"[H]\"\n"
"hypervisor,\n"
".Li \"[?]\"\n"
"unknown, which is\n"
".Li \"[H]\"\n"
"without a screen.\n";

static const char configuration[] =
".Sh CONFIGURATION\n"
"The file has three sections, each with lines\n"
".Ql name = value .\n"
"Lines that begin with\n"
".Ql #\n"
"or\n"
".Ql \\&; ,\n"
"and what follows a blank and\n"
".Ql \\&;\n"
"in a line, are comments.\n"
".Bl -tag -width \"[columns]\"\n"
".It Bq options\n"
"Long names of options, without the dashes, and their values; flags are\n"
".Li true\n"
"or\n"
".Li false .\n"
"The command line wins.\n"
"What is about one run\n"
".Pq Fl p , Fl i , Fl -batch No and the like\n"
"can't stand there.\n"
".It Bq keys\n"
"Names of commands and the keys they have, a comma between:\n"
".Dl quit = q, Ctrl-C\n"
"They replace all keys of the command, and are taken from the one that\n"
"had them.\n"
".It Bq columns\n"
"Names of views and the columns that they show:\n"
".Dl symbols = self, total, object, symbol\n"
"Columns that are hidden or shown on the screen are remembered in a file\n"
"of their own, which wins.\n"
".El\n"
".Pp\n"
".Fl -print-config\n"
"prints all names, with help and defaults.\n"
"Every mistake in the file is told with its line, and\n"
".Nm\n"
"does not start;\n"
".Fl -config Cm none\n"
"starts without the file.\n";

static const char files[] =
".Sh ENVIRONMENT\n"
".Bl -tag -width \"XDG_CONFIG_HOME\"\n"
".It Ev NO_COLOR\n"
"If set and not empty, there are no colours unless\n"
".Fl -color Cm always\n"
"is given.\n"
".It Ev TERM\n"
"The kind of terminal.\n"
".It Ev LC_ALL , LC_CTYPE , LANG\n"
"Where the encoding is not UTF-8 the screen is ASCII.\n"
".It Ev XDG_CONFIG_HOME\n"
"Where configurations are, instead of\n"
".Pa ~/.config .\n"
"Not looked at as root.\n"
"The user database says where\n"
".Pa ~\n"
"is, not\n"
".Ev HOME .\n"
".El\n"
".Sh FILES\n"
".Bl -tag -width Ds\n"
".It Pa ~/.config/flametop/config\n"
"The configuration.\n"
"It is read only if it, and the directories\n"
".Pa flametop\n"
"and\n"
".Pa .config ,\n"
"belong to root or the user and nobody else may write them; else\n"
".Nm\n"
"says why and starts without it.\n"
".It Pa ~/.config/flametop/state\n"
"The columns that were hidden or shown on the screen.\n"
".It Pa ~/.cache/flametop\n"
"Symbol tables, at most 256 MiB; see\n"
".Fl -no-cache .\n"
".It Pa ~/.debug\n"
"Copies that\n"
".Xr perf-record 1\n"
"kept of programs and libraries, for recordings.\n"
".It Pa /usr/lib/debug\n"
"Debug files, by build-id or by the name that a file gives;\n"
"also in the root of the process that has the file mapped.\n"
".It Pa /tmp/perf-PID.map\n"
"Names of code that a process made while it runs, in the root of\n"
"the process, if it belongs to the user of the process or to root.\n"
"Such code is also named by the jitdump file that its process has mapped.\n"
".El\n"
".Sh EXIT STATUS\n"
".Bl -tag -width \"128+n\" -compact\n"
".It 0\n"
"ok\n"
".It 1\n"
"the output could not be written\n"
".It 2\n"
"usage, or there is no terminal\n"
".It 3\n"
"data or resources\n"
".It 4\n"
"permission\n"
".It 5\n"
"internal error: no memory, or no process or thread of its own could be started\n"
".It 128+n\n"
"ended by signal n\n"
".El\n"
".Pp\n"
"With a\n"
".Ar command\n"
"its own status, 126 or 127 when it can't be started, and 125 for a failure of\n"
".Nm .\n"
".Sh EXAMPLES\n"
"Everything on this machine:\n"
".Dl # flametop\n"
".Pp\n"
"One process, its threads and what it starts:\n"
".Dl # flametop -p 4121\n"
".Pp\n"
"Start a program and look at it:\n"
".Dl $ flametop -\\&- ./server --port 80\n"
".Pp\n"
"Who faults memory in?\n"
".Dl # flametop -e page-faults\n"
".Pp\n"
"A recording of\n"
".Xr perf-record 1\n"
"on the same screen:\n"
".Dl $ flametop -i perf.data\n"
".Pp\n"
"What has become of it since another recording?\n"
".Dl $ flametop -i before.data --diff after.data\n"
".Pp\n"
"One table of five seconds, without a screen:\n"
".Dl # flametop --batch=1 -d 5\n"
".Pp\n"
"A configuration to begin with:\n"
".Dl $ mkdir -p ~/.config/flametop\n"
".Dl $ flametop --print-config > ~/.config/flametop/config\n"
".Sh SEE ALSO\n"
".Xr perf-list 1 ,\n"
".Xr perf-record 1 ,\n"
".Xr perf-top 1 ,\n"
".Xr perf_event_open 2\n"
".Sh SECURITY CONSIDERATIONS\n"
"Root sees all processes; other users see what\n"
".Pa /proc/sys/kernel/perf_event_paranoid\n"
"allows.\n"
".Nm\n"
"reads the symbols of programs in processes without rights, one for each\n"
"file.\n"
"Names of functions, files and commands are made harmless before they\n"
"reach the terminal.\n"
"Nothing is executed but the\n"
".Ar command\n"
"that was asked for, and no socket is opened.\n";

/* Data, not markup. */
static void print_escaped(FILE *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\\')
			fputs("\\e", out);
		else if (text[i] == '"')
			fputs("\\(dq", out);
		else
			fputc(text[i], out);
	}
}

/* The words of @text, in lines of their own; a sentence begins one. */
static void print_prose(FILE *out, const char *text)
{
	bool is_first = true;
	size_t column = 0;

	while (*(text += strspn(text, " \n"))) {
		const size_t length = strcspn(text, " \n");

		if (column > 0 && column + 1 + length > PROSE_COLUMNS)
			column = 0;
		fputs(column ? " " : is_first ? "" : "\n", out);
		if (column == 0 && (*text == '.' || *text == '\''))
			fputs("\\&", out);
		print_escaped(out, text, length);
		column = text[length - 1] == '.' ? 0 : column + length + (column > 0);
		text += length;
		is_first = false;
	}
}

/* As an argument of a macro: \& keeps it from being one itself, or punctuation. */
static void print_argument(FILE *out, const char *text)
{
	fputs(" \"\\&", out);
	print_escaped(out, text, strlen(text));
	fputc('"', out);
}

static void print_item(FILE *out, const struct option_row *row)
{
	fputs(".It", out);
	if (!row->name) {
		print_argument(out, row->argument);
		fputc('\n', out);
		return;
	}
	if (row->letter)
		fprintf(out, " Fl %c ,", row->letter);
	fprintf(out, " Fl -%s", row->name);
	if (option_table_is_value_optional(row)) {
		fputs(" Ns Op = Ns Ar N", out);
	} else if (row->argument) {
		fputs(" Ar", out);
		print_argument(out, row->argument);
	}
	fputc('\n', out);
}

static void print_themes(FILE *out)
{
	fputs(".Bl -tag -width colour-blind -compact\n", out);
	for (unsigned int i = 0; i < theme_count; i++)
		fprintf(out, ".It Cm %s\n%s\n", themes[i].name, themes[i].help);
	fputs(".El\n", out);
}

static void print_option(FILE *out, const struct option_row *row)
{
	print_item(out, row);
	print_prose(out, row->help);
	if (row->default_text && row->argument)
		fprintf(out, " (%s)", row->default_text);
	fputs(".\n", out);
	if (row->more) {
		print_prose(out, row->more);
		fputc('\n', out);
	}
	if (row->value == VALUE_THEME)
		print_themes(out);
}

static void print_options(FILE *out)
{
	fputs(".Sh OPTIONS\n", out);
	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];
		const char *title = option_table_title(row->group);

		if (i == 0 || row->group != option_rows[i - 1].group)
			fprintf(out, "%s.Ss %s\n.Bl -tag -width Ds\n", i ? ".El\n" : "",
				title[0] ? title : "Other");
		print_option(out, row);
	}
	fputs(".El\n", out);
}

static void print_keys(FILE *out)
{
	char keys[KEYMAP_TEXT_BYTES];
	struct keymap keymap;

	keymap_init(&keymap);
	fputs(".Sh KEYS\n"
	      "Behind the keys is the name of the command, for the palette and the\n"
	      "configuration.\n"
	      ".Ic :command\n"
	      "shows the command line that prints the present view without a screen, and says\n"
	      "what of it no option says; there\n"
	      ".Ic y\n"
	      "copies the line by OSC 52, which the terminal may have to be told to allow.\n"
	      ".Bl -tag -width Ds\n", out);
	for (size_t i = 0; i < command_count; i++) {
		fputs(".It Ic", out);
		print_argument(out, keymap_format(&keymap, &commands[i], keys));
		fprintf(out, " Pq %s\n", commands[i].name);
		print_prose(out, commands[i].help);
		fputs(".\n", out);
	}
	fputs(".El\n", out);
}

static void print_forms(FILE *out, const struct probe_form *forms, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		fputs(".It", out);
		print_argument(out, forms[i].form);
		fputc('\n', out);
		print_prose(out, forms[i].meaning);
		fputc('\n', out);
	}
	fputs(".El\n", out);
}

static void print_probes(FILE *out)
{
	fputs(probes_head, out);
	print_forms(out, places, sizeof(places) / sizeof(places[0]));
	fputs(".Ss Values\n.Bl -tag -width Ds\n", out);
	print_forms(out, values, sizeof(values) / sizeof(values[0]));
	fputs(conditions, out);
	for (size_t i = 0; i < probe_preset_count; i++) {
		fprintf(out, ".It %s\n", probe_presets[i].name);
		print_prose(out, probe_presets[i].description);
		if (probe_presets[i].aliases)
			fprintf(out, "\n(%s)", probe_presets[i].aliases);
		fputs(":\n.Dl", out);
		print_argument(out, probe_presets[i].spec);
		fputc('\n', out);
	}
	fputs(".El\n", out);
}

static void print_columns(FILE *out)
{
	fputs(columns_head, out);
	for (size_t i = 0; i < COL_COUNT; i++) {
		fputs(".It", out);
		print_argument(out, columns_name((enum column_id)i));
		fputc('\n', out);
		print_prose(out, columns[i].help);
		fputc('\n', out);
	}
	fputs(".El\n", out);
}

static void print_losses(FILE *out)
{
	fputs(events, out);
	fputs(losses_head, out);
	for (size_t cause = 0; cause < LOSS_CAUSES; cause++) {
		const struct loss_description *text = &loss_descriptions[cause];

		fputs(".It", out);
		print_argument(out, text->name);
		fputc('\n', out);
		print_prose(out, text->meaning);
		if (text->remedy[0]) {
			fputs(".\nHelps:\n", out);
			print_prose(out, text->remedy);
		}
		fputs(".\n", out);
	}
	fputs(".El\n", out);
}

void manual_print(FILE *out)
{
	fputs(head, out);
	print_options(out);
	print_probes(out);
	print_keys(out);
	fputs(beside_the_keys, out);
	print_columns(out);
	fputs(levels, out);
	print_losses(out);
	fputs(comparison, out);
	fputs(configuration, out);
	fputs(files, out);
}
