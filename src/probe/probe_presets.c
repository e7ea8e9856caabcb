/* probe_presets.c - see probe/targets.h. Uses tracepoints where they exist: they cost least,
 * need no debug information and stay the same over kernel versions. Fields are those of Linux 6.1
 * and later. */
#include "probe/targets.h"

/* Only x86 has tracepoints for page faults. The kernel function also runs for faults of the kernel
 * itself; FAULT_FLAG_USER, 0x40, tells them apart (include/linux/mm_types.h). */
#ifdef __x86_64__
#define PAGE_FAULTS "t:exceptions:page_fault_user address ip error_code"
#else
#define PAGE_FAULTS "k:handle_mm_fault address=$arg2:x64 flags=$arg3:x32 if flags & 0x40"
#endif

const struct probe_preset probe_presets[] = {
	{
		"new processes", "t:sched:sched_process_exec filename",
		"each program that is started, with its file",
		"execsnoop",
	},
	{
		"new processes with arguments",
		"u:libc.so.6:execve path=$arg1:string arg1=$arg2[1]:string arg2=$arg2[2]:string "
		"arg3=$arg2[3]:string",
		"each attempt to start a program through libc, with its first arguments",
		"execsnoop",
	},
	{
		"new processes by system call",
		"lat:t:syscalls:sys_enter_execve filename:ustring argv:ustring ret",
		"each attempt of anybody to start a program: arguments, error (BPF)",
		"execsnoop",
	},
	{
		"forks", "t:sched:sched_process_fork parent_comm child_comm child_pid",
		"each process and thread that is made, and by whom",
		NULL,
	},
	{
		"ended processes", "t:sched:sched_process_exit comm",
		"each thread that ends",
		"exitsnoop",
	},
	{
		"file opens", "lat:libc.so.6:open64 path=$arg1:string $retval:s32",
		"files opened through libc: path, result, how long it took",
		"opensnoop",
	},
	{
		"file opens by openat", "lat:libc.so.6:openat64 path=$arg2:string $retval:s32",
		"files opened below a directory, through libc",
		"opensnoop",
	},
	{
		"file opens in the kernel", "lat:do_sys_openat2 path=$arg2:ustring $retval:errno",
		"files opened by anybody: path, result, how long it took (kprobes)",
		"opensnoop",
	},
	{
		"file opens by system call", "lat:t:syscalls:sys_enter_openat filename:ustring ret",
		"files opened by anybody: path, result, how long it took (BPF)",
		"opensnoop",
	},
	{
		"failed file opens",
		"lat:libc.so.6:open64 path=$arg1:string $retval:s32 if ret == -1",
		"files that somebody looked for in vain, or may not read",
		"opensnoop",
	},
	{
		"file reads", "lat:t:syscalls:sys_enter_read fd count ret",
		"read(2): sizes, results, how long it took",
		NULL,
	},
	{
		"file writes", "lat:t:syscalls:sys_enter_write fd count ret",
		"write(2): sizes, results, how long it took",
		NULL,
	},
	{
		"fsync latency",
		"lat:t:syscalls:sys_enter_{fsync,fdatasync,sync_file_range,msync} ret",
		"how long programs wait until their files are on the disk, by system call",
		"syncsnoop",
	},
	{
		"block I/O latency",
		"lat:t:block:block_rq_issue->block:block_rq_complete bytes rwbs "
		"if nr_sector > 0 on dev,sector",
		"from the request to the device until its reply, whoever takes that; sizes, reads "
		"or writes; without empty flushes",
		"biolatency biosnoop iolatency iosnoop disk",
	},
	{
		"TCP connects",
		"t:sock:inet_sock_set_state daddr daddr_v6 dport:port "
		"if protocol == IPPROTO_TCP and newstate == TCP_SYN_SENT",
		"connections that this machine begins: address and port of the other side",
		"tcpconnect",
	},
	{
		"TCP accepts",
		"t:sock:inet_sock_set_state daddr daddr_v6 sport:port if protocol == IPPROTO_TCP "
		"and oldstate == TCP_SYN_RECV and newstate == TCP_ESTABLISHED",
		"connections that others made to this machine: their address, its own port",
		"tcpaccept",
	},
	{
		"connect latency", "lat:t:syscalls:sys_enter_connect fd ret",
		"how long connect(2) takes; EINPROGRESS: it goes on without waiting",
		"soconnlat",
	},
	{
		"connects by address", "lat:libc.so.6:connect to=$arg2:sockaddr $retval:s32",
		"whom programs connect to through libc: TCP, UDP, local sockets",
		"tcpconnect",
	},
	{
		"connects by system call",
		"lat:t:syscalls:sys_enter_connect uservaddr:sockaddr ret",
		"whom anybody connects to, and the error; local sockets, too (BPF)",
		"tcpconnect",
	},
	{
		"TCP retransmits", "t:tcp:tcp_retransmit_skb daddr dport:port state",
		"segments that were sent again",
		"tcpretrans",
	},
	{
		"dropped packets", "t:skb:kfree_skb reason location",
		"packets that the kernel threw away, where and why",
		"dropwatch",
	},
	{
		"DNS latency",
		"lat:libc.so.6:{getaddrinfo,gethostbyname_r,gethostbyname2_r} host=$arg1:string "
		"$retval:s32",
		"names that programs look up, and how long they wait for the address; the old "
		"gethostbyname ends in gethostbyname_r",
		"gethostlatency",
	},
	{
		"malloc sizes", "u:libc.so.6:malloc bytes=$arg1:u64",
		"how much memory programs ask for; often hot: choose one process",
		NULL,
	},
	{
		"malloc latency", "lat:libc.so.6:malloc bytes=$arg1:u64",
		"how long malloc takes; often hot: choose one process",
		NULL,
	},
	{
		"mutex waits", "lat:libc.so.6:pthread_mutex_lock mutex=$arg1:x64",
		"how long threads take to get a lock; often hot: choose one process",
		"pmlock",
	},
	{
		"futex waits",
		"lat:t:syscalls:sys_enter_futex op uaddr ret "
		"if op == 0 or op == 128 or op == 9 or op == 137 or op == 393",
		"how long threads sleep for a lock, a condition or another thread",
		"futexctn",
	},
	{
		"kernel lock waits", "lat:t:lock:contention_begin->lock:contention_end flags",
		"how long code in the kernel waits for another's lock",
		NULL,
	},
	{
		"page faults", PAGE_FAULTS,
		"which code touches memory that is not there yet",
		NULL,
	},
	{
		"memory reclaim",
		"lat:t:vmscan:mm_vmscan_direct_reclaim_begin->vmscan:mm_vmscan_direct_reclaim_end "
		"order",
		"how long threads must free memory before they get some",
		"drsnoop",
	},
	{
		"kernel allocations", "t:kmem:kmalloc bytes_req call_site",
		"how much memory the kernel asks for, and where",
		NULL,
	},
	{
		"out of memory kills", "t:oom:mark_victim",
		"processes that are killed for want of memory",
		"oomkill",
	},
	{
		"system call latency", "lat:t:raw_syscalls:sys_enter->raw_syscalls:sys_exit id ret",
		"every system call by name; hot: choose one process",
		"syscount syscalls",
	},
	{
		"slow system calls",
		"lat:t:raw_syscalls:sys_enter->raw_syscalls:sys_exit id ret if lat > 10ms",
		"system calls that take longer than 10 ms; as costly as all of them",
		"syscalls",
	},
	{
		"failed system calls",
		"t:raw_syscalls:sys_exit id ret if ret < 0 and ret >= -4095",
		"by name and error",
		"errinfo syscalls",
	},
	{
		"signals", "t:signal:signal_generate sig comm pid",
		"each signal that is sent, and to whom",
		"sigsnoop killsnoop",
	},
	{
		"shell commands", "ur:/bin/bash:readline line=$retval:string",
		"what is typed at the prompts of bash",
		"bashreadline",
	},
};
const size_t probe_preset_count = sizeof(probe_presets) / sizeof(probe_presets[0]);
