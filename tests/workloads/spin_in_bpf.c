/* spin_in_bpf.c - runs a BPF program for ever, in which nearly all of its time goes.
 *
 * usage: spin_in_bpf
 *
 * It prints the name by which the kernel lists the program, "bpf_prog_TAG_spin_in_bpf". The program
 * counts down from 4000 in a loop; its source lines are 3 to 6 of "/src/spin.c", which is no file.
 *
 * Source: bpf(2); Linux, Documentation/bpf/btf.rst.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROUNDS	4000
#define REPEATS 5000	/* runs of the program for each system call: a few milliseconds */

static const char strings[] = "\0int\0spin_in_bpf\0/src/spin.c\0\tlong left = 4000, sum = 0;\0"
			      "\tdo {\0\t\tsum += left;\0\t} while (--left);\0\treturn sum;";

struct btf_file {
	struct btf_header header;
	struct btf_type integer;
	uint32_t integer_bits;
	struct btf_type prototype, function;
	char strings[sizeof(strings)];
};

#define TYPE_BYTES (offsetof(struct btf_file, strings) - sizeof(struct btf_header))

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* Returns the offset of the text that begins with @text. */
static uint32_t text(const char *text)
{
	const size_t bytes = strlen(text);

	for (uint32_t at = 1; at + bytes < sizeof(strings); at++)
		if (!strings[at - 1] && !memcmp(strings + at, text, bytes))
			return at;
	return 0;
}

static int load_btf(void)
{
	static struct btf_file btf;
	union bpf_attr attr = { .btf = (uintptr_t)&btf,
				.btf_size = offsetof(struct btf_file, strings) + sizeof(strings) };

	btf.header = (struct btf_header){
		.magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(btf.header),
		.type_len = TYPE_BYTES, .str_off = TYPE_BYTES, .str_len = sizeof(strings),
	};
	btf.integer = (struct btf_type){ .name_off = text("int"), .info = BTF_KIND_INT << 24,
					 .size = 4 };
	btf.integer_bits = BTF_INT_SIGNED << 24 | 32;
	btf.prototype = (struct btf_type){ .info = BTF_KIND_FUNC_PROTO << 24, .type = 1 };
	btf.function = (struct btf_type){ .name_off = text("spin_in_bpf"),
					  .info = BTF_KIND_FUNC << 24, .type = 2 };
	memcpy(btf.strings, strings, sizeof(strings));
	return bpf(BPF_BTF_LOAD, &attr);
}

static struct bpf_line_info line(uint32_t instruction, const char *source, uint32_t number)
{
	return (struct bpf_line_info){ instruction, text("/src"), text(source), number << 10 };
}

static int load_program(void)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 1, .imm = ROUNDS },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_X, .dst_reg = 0, .src_reg = 1 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 1, .imm = -1 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = 1, .off = -3, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const struct bpf_line_info lines[] = {
		line(0, "\tlong", 3), line(2, "\t\tsum", 5), line(3, "\t} while", 6),
		line(5, "\treturn", 7),
	};
	const struct bpf_func_info function = { .type_id = 3 };
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .prog_name = "spin_in_bpf",
		.insns = (uintptr_t)program, .insn_cnt = sizeof(program) / sizeof(program[0]),
		.license = (uintptr_t)"GPL", .prog_btf_fd = (uint32_t)load_btf(),
		.func_info = (uintptr_t)&function, .func_info_cnt = 1,
		.func_info_rec_size = sizeof(function), .line_info = (uintptr_t)lines,
		.line_info_cnt = sizeof(lines) / sizeof(lines[0]),
		.line_info_rec_size = sizeof(lines[0]),
	};

	return bpf(BPF_PROG_LOAD, &attr);
}

static void print_name(int program)
{
	struct bpf_prog_info about = { 0 };
	union bpf_attr attr = { .info = { .bpf_fd = (uint32_t)program, .info_len = sizeof(about),
					  .info = (uintptr_t)&about } };

	bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
	printf("bpf_prog_");
	for (size_t i = 0; i < sizeof(about.tag); i++)
		printf("%02x", about.tag[i]);
	printf("_%s\n", about.name);
	fflush(stdout);
}

int main(void)
{
	static unsigned char packet[64];
	const int program = load_program();
	union bpf_attr run = { .test = { .prog_fd = (uint32_t)program, .repeat = REPEATS,
					 .data_in = (uintptr_t)packet,
					 .data_size_in = sizeof(packet) } };

	if (program < 0) {
		perror("spin_in_bpf");
		return 1;
	}
	print_name(program);
	while (!bpf(BPF_PROG_TEST_RUN, &run))
		continue;
	perror("spin_in_bpf");
	return 1;
}
