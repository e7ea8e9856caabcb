#include "elf_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/symtab_builder.h"

#define PATHS_KEPT 8

static char directory[] = "/tmp/test_elf.XXXXXX";

static const char source[] =
	"int alpha(int x) { return x * 3 + 1; }\n"
	"static __attribute__((noinline)) int beta(int x) { return alpha(x) - 7; }\n"
	"__attribute__((weak)) int gamma_weak(int x) { return beta(x) + beta(x + 1); }\n"
	"int delta(int x) __attribute__((alias(\"gamma_weak\")));\n"
	"__attribute__((section(\".far\"))) int far_away(int x) { return gamma_weak(x) * 5; }\n"
	"__attribute__((section(\".far\"))) int farther(int x) { return far_away(x) + 2; }\n"
	"int variable = 4;\n"
	"__asm__(\".text\\n.globl sizeless\\nsizeless: nop\\nnop\\nret\\n\");\n"
	"int main(void) { return delta(variable) + farther(2); }\n";

int elf_fixture_make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	elf_fixture_write("source.c", source, sizeof(source) - 1);
	return 0;
}

int elf_fixture_remove_directory(void **state)
{
	(void)state;
	return elf_fixture_run("rm -r %s", directory) ? 0 : -1;
}

const char *elf_fixture_path(const char *name)
{
	static char paths[PATHS_KEPT][256];
	static unsigned int used;
	char *path = paths[used++ % PATHS_KEPT];

	snprintf(path, sizeof(paths[0]), "%s/%s", directory, name);
	return path;
}

void elf_fixture_write(const char *name, const void *bytes, size_t count)
{
	FILE *file = fopen(elf_fixture_path(name), "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
}

bool elf_fixture_run(const char *format, ...)
{
	char command[2048], in_directory[2200];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	snprintf(in_directory, sizeof(in_directory), "cd %s && { %s; } 2>errors", directory,
		 command);
	return system(in_directory) == 0;
}

const char *elf_fixture_build(const char *name, const char *flags)
{
	if (!elf_fixture_run("cc -O1 -o %s %s source.c", name, flags))
		skip();
	return elf_fixture_path(name);
}

struct elf_bytes_copy elf_fixture_read(const char *path)
{
	struct elf_bytes_copy bytes = { .at = NULL };
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(fstat(fd, &status), 0);
	bytes.count = (size_t)status.st_size;
	bytes.at = malloc(bytes.count);
	assert_int_equal(read(fd, bytes.at, bytes.count), status.st_size);
	close(fd);
	return bytes;
}

struct flat_table elf_fixture_compile(const char *path, const char *debug_path)
{
	struct flat_table table;
	struct diag why = { .err = 0 };
	void *bytes;
	size_t count;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int debug_fd = debug_path ? open(debug_path, O_RDONLY | O_CLOEXEC) : -1;

	assert_in_range(fd, 0, 1 << 20);
	if (symtab_builder_build(fd, debug_fd, &bytes, &count, &why))
		fail_msg("%s: %s", path, why.text);
	assert_int_equal(flat_table_check(&table, bytes, count, &why), 0);
	if (debug_fd >= 0)
		close(debug_fd);
	close(fd);
	return table;
}

static int open_bytes(const struct elf_bytes_copy *bytes)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	assert_int_equal(write(fd, bytes->at, bytes->count), bytes->count);
	return fd;
}

int elf_fixture_compile_pair(const struct elf_bytes_copy *main, const struct elf_bytes_copy *debug,
			     struct flat_table *out)
{
	int fd = open_bytes(main), debug_fd = debug ? open_bytes(debug) : -1, err;
	struct diag why = { .err = 0 };
	void *table;
	size_t count;

	err = symtab_builder_build(fd, debug_fd, &table, &count, &why);
	close(fd);
	if (debug_fd >= 0)
		close(debug_fd);
	if (!err) {
		if (flat_table_check(out, table, count, &why))
			fail_msg("%s", why.text);
		return 0;
	}
	assert_int_equal(why.err, err);
	assert_null(table);
	assert_true(err == -ENOEXEC || err == -EBADMSG || err == -E2BIG || err == -ENOMEM);
	return err;
}

int elf_fixture_compile_bytes(const void *bytes, size_t count, struct flat_table *out)
{
	struct elf_bytes_copy main = { (unsigned char *)bytes, count };

	return elf_fixture_compile_pair(&main, NULL, out);
}

void elf_fixture_free(const struct flat_table *table)
{
	free((void *)table->header);
}

Elf64_Shdr *elf_fixture_section(const struct elf_bytes_copy *bytes, const char *name)
{
	const Elf64_Ehdr *header = (const void *)bytes->at;
	Elf64_Shdr *sections = (void *)(bytes->at + header->e_shoff);
	const char *names = (const char *)bytes->at + sections[header->e_shstrndx].sh_offset;

	for (int i = 0; i < header->e_shnum; i++)
		if (strcmp(names + sections[i].sh_name, name) == 0)
			return &sections[i];
	fail_msg("no section %s", name);
	return NULL;
}

static FILE *start(const char *command)
{
	FILE *out = popen(command, "re");

	assert_non_null(out);
	return out;
}

struct elf_loads elf_fixture_loads(const char *path)
{
	struct elf_loads loads = { .count = 0 };
	char command[512], line[512], flags[8];
	FILE *out;

	snprintf(command, sizeof(command), "readelf -lW %s 2>/dev/null", path);
	out = start(command);
	while (fgets(line, sizeof(line), out)) {
		struct elf_load *load = &loads.rows[loads.count];

		if (sscanf(line, " LOAD %" SCNx64 " %" SCNx64 " %*x %" SCNx64 " %*x %7[RWE ]",
			   &load->offset, &load->vaddr, &load->bytes, flags) == 4 &&
		    strchr(flags, 'E'))
			loads.count++;
	}
	pclose(out);
	assert_in_range(loads.count, 1, 31);
	return loads;
}

bool elf_fixture_to_offset(const struct elf_loads *loads, uint64_t vaddr, uint64_t *offset)
{
	for (size_t i = 0; i < loads->count; i++) {
		const struct elf_load *load = &loads->rows[i];

		if (vaddr >= load->vaddr && vaddr < load->vaddr + load->bytes) {
			*offset = vaddr - load->vaddr + load->offset;
			return true;
		}
	}
	return false;
}

FILE *elf_fixture_start_nm(const char *path, const char *flags)
{
	char command[512];

	snprintf(command, sizeof(command), "nm -n -S --defined-only %s %s 2>/dev/null", flags,
		 path);
	return start(command);
}

/* "address [size] type name" */
bool elf_fixture_read_listed(const char *line, struct elf_listed *out)
{
	out->size = 0;
	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c %1023s", &out->vaddr, &out->size, &out->type,
		   out->name) != 4 &&
	    sscanf(line, "%" SCNx64 " %c %1023s", &out->vaddr, &out->type, out->name) != 3)
		return false;
	out->name[strcspn(out->name, "@")] = '\0';
	return strchr("TtWwi", out->type) != NULL;
}

uint64_t elf_fixture_vaddr(const char *path, const char *symbol)
{
	FILE *nm = elf_fixture_start_nm(path, "");
	struct elf_listed listed;
	char line[2048];
	bool was_found = false;

	while (!was_found && fgets(line, sizeof(line), nm))
		was_found = elf_fixture_read_listed(line, &listed) &&
			    strcmp(listed.name, symbol) == 0;
	pclose(nm);
	assert_true(was_found);
	return listed.vaddr;
}

enum flat_kind elf_fixture_expect(const struct flat_table *table, const char *nm_path,
				  const char *symbol, uint64_t into, const char *wanted)
{
	struct elf_loads loads = elf_fixture_loads(nm_path);
	uint64_t offset = 0;
	uint32_t row;

	assert_true(elf_fixture_to_offset(&loads, elf_fixture_vaddr(nm_path, symbol), &offset));
	row = flat_table_find(table, offset + into);
	if (!wanted) {
		assert_int_equal(row, FLAT_NONE);
		return FLAT_KINDS;
	}
	assert_int_not_equal(row, FLAT_NONE);
	assert_string_equal(flat_table_name(table, row), wanted);
	return table->rows[row].kind;
}

uint32_t elf_fixture_find(const struct flat_table *table, const char *name)
{
	for (uint32_t i = 0; i < table->header->row_count; i++)
		if (strcmp(flat_table_name(table, i), name) == 0)
			return i;
	return FLAT_NONE;
}
