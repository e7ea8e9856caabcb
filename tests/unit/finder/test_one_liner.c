/* One-liners of bpftrace and ply are translated into specs that ask the same, or refused at their
 * column. The specs are worked out by hand from what bpftrace(8) and ply(1) say that each does.
 *
 * Source: the lessons of bpftrace's tutorial and the examples of its and ply's README, in short
 * forms. The tools of bpftrace are read where they are installed: oracle/check_one_liners. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "finder/one_liner.h"
#include "probe/probe_spec.h"
#include "unit_tests.h"

struct example {
	const char *text;
	const char *specs;	/* one or more, with " | " between them */
	const char *note;	/* NULL: none */
};

/* The tutorial's lessons that are of probes. */
static const struct example lessons[] = {
	{ "tracepoint:syscalls:sys_enter_openat { printf(\"%s %s\\n\", comm, "
	  "str(args.filename)); }",
	  "t:syscalls:sys_enter_openat filename:ustring : print \"%s\"", NULL },
	{ "tracepoint:raw_syscalls:sys_enter { @[comm] = count(); }",
	  "t:raw_syscalls:sys_enter by comm", NULL },
	{ "tracepoint:syscalls:sys_exit_read /pid == 18644/ { @bytes = hist(args.ret); }",
	  "t:syscalls:sys_exit_read if pid == 18644 : hist(ret)", NULL },
	{ "kretprobe:vfs_read { @bytes = lhist(retval, 0, 2000, 200); }",
	  "kr:vfs_read : lhist($retval, 0, 2000, 200)", NULL },
	{ "kprobe:vfs_read { @start[tid] = nsecs; } kretprobe:vfs_read /@start[tid]/ "
	  "{ @ns[comm] = hist(nsecs - @start[tid]); delete(@start[tid]); }",
	  "lat:vfs_read by comm : hist(lat)", NULL },
	{ "tracepoint:sched:sched* { @[probe] = count(); } interval:s:5 { exit(); }",
	  "t:sched:sched* by func", "exit(): --duration 5 ends the run" },
	{ "tracepoint:sched:sched_switch { @[kstack] = count(); }",
	  "t:sched:sched_switch by kstack", NULL },
	{ "tracepoint:block:block_rq_issue { @ = hist(args.bytes); }",
	  "t:block:block_rq_issue : hist(bytes)", NULL },
	{ "#ifndef BPFTRACE_HAVE_BTF\n#include <linux/path.h>\n#endif\n\nkprobe:vfs_open\n{\n\t"
	  "printf(\"open path: %s\\n\", str(((struct path *)arg0)->dentry->d_name.name));\n}\n",
	  "k:vfs_open $arg1->dentry->d_name.name:string : print \"open path: %s\"", NULL },
};

static const struct example readme[] = {
	{ "tracepoint:syscalls:sys_enter_open { printf(\"%s %s\\n\", comm, str(args->filename)); }",
	  "t:syscalls:sys_enter_open filename:ustring : print \"%s\"", NULL },
	{ "tracepoint:syscalls:sys_enter_* { @[probe] = count(); }",
	  "t:syscalls:sys_enter_* by func", NULL },
	{ "tracepoint:syscalls:sys_exit_read /args->ret/ { @[comm] = sum(args->ret); }",
	  "t:syscalls:sys_exit_read if ret != 0 by comm : sum(ret)", NULL },
	{ "tracepoint:syscalls:sys_exit_read { @[comm] = hist(args->ret); }",
	  "t:syscalls:sys_exit_read by comm : hist(ret)", NULL },
	{ "tracepoint:raw_syscalls:sys_enter { @ = count(); } "
	  "interval:s:1 { print(@); clear(@); }", "t:raw_syscalls:sys_enter", NULL },
	{ "tracepoint:block:block_rq_issue { printf(\"%d %s %d\\n\", pid, comm, args->bytes); }",
	  "t:block:block_rq_issue bytes : print \"%d\"", NULL },
	{ "tracepoint:syscalls:sys_enter_read { @start[tid] = nsecs; } "
	  "tracepoint:syscalls:sys_exit_read / @start[tid] / "
	  "{ @times = hist(nsecs - @start[tid]); delete(@start[tid]); }",
	  "lat:t:syscalls:sys_enter_read : hist(lat)", NULL },
	{ "kprobe:do_nanosleep { printf(\"PID %d sleeping\\n\", pid); }",
	  "k:do_nanosleep : print \"PID sleeping\"", NULL },
	{ "kprobe:[Ss]y[Ss]_* { @[func] = count() }", "k:{S,s}y{S,s}_* by func", NULL },
};

static const struct example of_ply[] = {
	{ "kprobe:SyS_* { @syscalls[func] = count(); }", "k:SyS_* by func", NULL },
	{ "kretprobe:vfs_read { @[\"size\"] = quantize(retval); }",
	  "kr:vfs_read : hist($retval)", NULL },
	{ "kretprobe:vfs_read { @.quantize(retval) }", "kr:vfs_read : hist($retval)", NULL },
	{ "kretprobe:vfs_read if (retval < 0) { @[pid, comm, retval] = count(); }",
	  "kr:vfs_read if ret < 0 by pid,comm,retval", NULL },
	{ "kprobe:do_sys_open { printf(\"%v(%v): %s\\n\", comm, uid, str(arg1)); }",
	  "k:do_sys_open $arg2:ustring : print \"%s\"",
	  "uid is not in the lines: by uid counts by it" },
	{ "kprobe:dev_queue_xmit { @[stack] = count(); }", "k:dev_queue_xmit by kstack", NULL },
	{ "tracepoint:tcp/tcp_receive_reset { printf(\"saddr:%v port:%v->%v\\n\", data->saddr, "
	  "data->sport, data->dport); }",
	  "t:tcp:tcp_receive_reset saddr sport dport : print \"saddr:%d port:%d->%d\"", NULL },
	{ "kprobe:schedule { @start[kpid] = nsecs; } kretprobe:schedule /@start[kpid]/ "
	  "{ @[\"ns\"] = quantize(nsecs - @start[kpid]); delete @start[kpid]; }", NULL, NULL },
	{ "kprobe:schedule { @start[kpid] = nsecs; } kretprobe:schedule /@start[kpid]/ "
	  "{ @[\"ns\"] = quantize(nsecs - @start[kpid]); }", "lat:schedule : hist(lat)", NULL },
};

static const struct example points[] = {
	{ "k:f { @ = count() }", "k:f", NULL },
	{ "k:a* { @[func] = count() } k:b { @[func] = count() }", "k:a* by func | k:b", NULL },
	{ "kr:f{@++}", "kr:f", NULL },
	{ "u:/bin/bash:readline { @++; }", "u:/bin/bash:readline", NULL },
	{ "ur:/bin/bash:readline/pid==3/{ @++; }", "ur:/bin/bash:readline if pid == 3", NULL },
	{ "uprobe:\"/opt/My App/x\":f { @++ }", "u:\"/opt/My App/x\":f", NULL },
	{ "uprobe:./a.out:cpp:\"ns::f(int, char)\" { @++ }", "u:./a.out:\"ns::f(int, char)\"",
	  NULL },
	{ "uprobe:/bin/x:f+16 { @++ }", "u:/bin/x:f+16", NULL },
	{ "usdt:/bin/x:prov:name { @[arg1] = count(); }", "U:/bin/x:prov:name by $arg2", NULL },
	{ "U:/bin/x:name { @++ }", "U:/bin/x:name", NULL },
	{ "kprobe:xfs:xfs_file_open { @++ }", "k:xfs:xfs_file_open", NULL },
	{ "kfunc:vmlinux:vfs_read { @[args->count] = count() }", "k:vfs_read by count", NULL },
	{ "fentry:vfs_read { @ = hist(args.count) }", "k:vfs_read : hist(count)", NULL },
	{ "kretfunc:vfs_read { @ = hist(retval) }", "kr:vfs_read : hist($retval)", NULL },
	{ "fexit:vfs_read { @[args.count] = sum(retval) }", "lat:vfs_read by count : sum($retval)",
	  NULL },
	{ "kprobe:vfs_read,kprobe:vfs_write,\nkprobe:open { @[func] = count(); }",
	  "k:{vfs_read,vfs_write,open} by func", NULL },
	{ "t:syscalls:sys_enter_sync,t:syscalls:sys_enter_syncfs { @[probe]++ }",
	  "t:syscalls:sys_enter_sync{,fs} by func", NULL },
	{ "uprobe:libc:getaddrinfo,uprobe:libc:gethostbyname { @s[tid] = nsecs; @n[tid] = arg0; } "
	  "uretprobe:libc:getaddrinfo,uretprobe:libc:gethostbyname /@s[tid]/ "
	  "{ printf(\"%s\\n\", str(@n[tid])); }",
	  "lat:libc:get{addrinfo,hostbyname} $arg1:string : print \"%s\"",
	  "memory at a stored pointer is read when it is stored" },
	{ "k:f { @p[tid] = arg0 } kr:f /@p[tid]/ "
	  "{ $x = (struct x *)@p[tid]; @ = sum($x->n); @b = hist(retval) }",
	  "lat:f : sum($arg1->n), hist($retval)",
	  "memory at a stored pointer is read when it is stored" },
	{ "kprobe:a { @[func, probe] = count() "
	  "}", "k:a", NULL },	/* one function, one group */
};

static const struct example conditions[] = {
	{ "k:f /comm == \"bash\"/ { @++ }", "k:f if comm == \"bash\"", NULL },
	{ "k:f /123 < pid && tid != 0x10/ { @++ }", "k:f if pid > 123 and tid != 16", NULL },
	{ "t:a:b /args.x > 3 && args->ret < 0/ { @++ }", "t:a:b if x > 3 and ret < 0", NULL },
	{ "t:a:b /args.pid == 3/ { @++ }", "t:a:b if args.pid == 3", NULL },
	{ "kr:f /retval < -1/ { @++ }", "kr:f if ret < -1", NULL },
	{ "kr:f /(int32)retval < 0/ { @++ }", "kr:f $retval:s32 if ret < 0", NULL },
	{ "k:f /pid/ { @++ }", "k:f if pid != 0", NULL },
	{ "k:f /!arg0/ { @++ }", "k:f if $arg1 == 0", NULL },
	{ "k:f /(arg0 == 1 || arg1 == 2) && arg2/ { @++ }",
	  "k:f if ($arg1 == 1 or $arg2 == 2) and $arg3 != 0", NULL },
	{ "k:f /!(arg0 == 1 && arg1 < 2)/ { @++ }", "k:f if $arg1 != 1 or $arg2 >= 2", NULL },
	{ "k:f /arg0 & 4/ { @++ }", "k:f if $arg1 & 4", NULL },
	{ "k:f /(arg0 & 4) == 0/ { @++ }", "k:f if not ($arg1 & 4)", NULL },
	{ "k:f /arg0 > 2 * 1024/ { @++ }", "k:f if $arg1 > 2048", NULL },
	{ "k:f /arg0 > 1e6/ { @++ }", "k:f if $arg1 > 1000000", NULL },
	{ "k:f /strncmp(\"ab\", comm, 2) == 0/ { @++ }", "k:f if comm ~ \"ab*\"", NULL },
	{ "t:syscalls:sys_enter_openat /str(args.filename) == \"/etc/hosts\"/ { @++ }",
	  "t:syscalls:sys_enter_openat filename:ustring if filename == \"/etc/hosts\"", NULL },
	{ "k:f /arg0 == 1 || arg1 == 2/ { if (arg2 > 3) { @++ } }",
	  "k:f if ($arg1 == 1 or $arg2 == 2) and $arg3 > 3", NULL },
	{ "k:f { if (arg0 > 5) { @a = count(); } else if (arg1) { @b = sum(arg1) } else { @c++ } }",
	  "k:f if $arg1 > 5 | k:f if $arg1 <= 5 and $arg2 != 0 : sum($arg2) | "
	  "k:f if $arg1 <= 5 and $arg2 == 0", NULL },
	{ "k:f { $n = arg2; if ($n > 5) { @ = sum($n) } }", "k:f if $arg3 > 5 : sum($arg3)", NULL },
	{ "k:f { @s[tid] = nsecs } kr:f /@s[tid] && (nsecs - @s[tid]) / 1000000 > 5/ { @++ }",
	  "lat:f if lat > 5ms", NULL },
	{ "k:f /arg0 > 3/ { @s[tid] = nsecs } kr:f /@s[tid] != 0/ { @ = avg(nsecs - @s[tid]) }",
	  "lat:f if $arg1 > 3 : avg(lat)", NULL },
};

static const struct example values[] = {
	{ "k:f { @[ustack] = sum(arg0 * 512) }", "k:f by ustack : sum($arg1 * 512)", NULL },
	{ "k:f { @ = sum((arg0 + 1) * 2) }", "k:f : sum(($arg1 + 1) * 2)", NULL },
	{ "k:f { @ = sum(arg0 - (arg1 - arg2)) }", "k:f : sum($arg1 - ($arg2 - $arg3))", NULL },
	{ "k:f { @ = sum(arg0 + arg1 - arg2) }", "k:f : sum($arg1 + $arg2 - $arg3)", NULL },
	{ "k:f { @ = avg(arg2 / 1024) }", "k:f : avg($arg3 / 1024)", NULL },
	{ "k:f { @ = min(arg0); @b = max(arg0); }", "k:f : min($arg1), max($arg1)", NULL },
	{ "k:f { @ = stats(arg0) }", "k:f : count, avg($arg1), sum($arg1)", NULL },
	{ "k:f { @a = hist(arg0); @b = count(); }", "k:f : hist($arg1), count", NULL },
	{ "k:f { @a[comm] = count(); @b[pid] = sum(arg0); }", "k:f by comm | k:f by pid : "
	  "sum($arg1)",
	  NULL },
	{ "k:f { @ += arg1 }", "k:f : sum($arg2)", NULL },
	{ "k:f { @ = sum(1) }", "k:f", NULL },
	{ "k:f { time(\"%H:%M:%S \"); printf(\"%d\\n\", pid); @ = count() }", "k:f", NULL },
	{ "k:f { @[cpu, uid, cgroup, tid] = count() }", "k:f by cpu,uid,cgroup,tid", NULL },
	{ "k:f { @[((struct task_struct *)curtask)->real_parent->tgid] = count() }", "k:f by ppid",
	  NULL },
	{ "k:f { @[kstack(3)] = count() }", "k:f by kstack",
	  "stacks are whole: kstack(...) cut them" },
	{ "k:f { @[ksym(arg0)] = count() }", "k:f by $arg1:symbol", NULL },
	{ "k:f { @[ntop(((struct sock *)arg0)->__sk_common.skc_daddr)] = sum(arg2) }",
	  "k:f by $arg1->__sk_common.skc_daddr:ipv4 : sum($arg3)", NULL },
	{ "t:tcp:tcp_probe { @[ntop(AF_INET6, args.daddr_v6)] = count() }",
	  "t:tcp:tcp_probe by daddr_v6:ipv6", NULL },
	{ "t:sched:sched_wakeup { @[args->comm, args->pid] = count() }",
	  "t:sched:sched_wakeup by args.comm,args.pid", NULL },
	{ "k:f { @[str(arg0), str(arg1)] = count() }",
	  "k:f by $arg1:string,$arg2:string", NULL },
	{ "k:f { @[*(int32 *)arg1] = count() }", "k:f by +0($arg2):s32", NULL },
	{ "k:f { @ = hist(*kaddr(\"avenrun\")) }", "k:f @avenrun : hist(avenrun)", NULL },
	{ "k:f { @[reg(\"di\")] = count() }", "k:f by %di", NULL },
	{ "u:/bin/x:f { printf(\"%s %08llx%%\\n\", str(arg0), arg1) }",
	  "u:/bin/x:f $arg1:string $arg2 : print \"%s %x%%\"", NULL },
	{ "u:/bin/x:f { printf(\"a \\\"%d\\\"\\t\", arg0); printf(\"b %d\\n\", arg0) }",
	  "u:/bin/x:f $arg1 arg1_2=$arg1 : print \"a \\\"%d\\\" b %d\"", NULL },
	{ "t:syscalls:sys_enter_exec* { join(args->argv) }",
	  "t:syscalls:sys_enter_exec* argv:ustring : print \"%s\"", NULL },
	{ "k:f { @s[tid] = nsecs } kr:f /@s[tid]/ "
	  "{ @ = lhist((nsecs - @s[tid]) / 1000, 0, 1000, 200) }",
	  "lat:f : lhist(lat, 0, 1000us, 200us)", NULL },
	{ "k:f { @s[tid] = nsecs } kr:f /@s[tid]/ "
	  "{ $us = (nsecs - @s[tid]) / 1000; @ = lhist($us / 1000, 0, 10, 1); @b = sum($us * 2) }",
	  "lat:f : lhist(lat, 0, 10ms, 1ms), sum((lat / 1000) * 2)", NULL },
	{ "t:block:block_rq_issue { @s[args.dev, args.sector] = nsecs } "
	  "t:block:block_rq_complete /@s[args.dev, args.sector]/ "
	  "{ @us = hist((nsecs - @s[args.dev, args.sector]) / 1000); "
	  "delete(@s[args.dev, args.sector]); } END { clear(@s); }",
	  "lat:t:block:block_rq_issue->t:block:block_rq_complete on dev,sector : hist(lat)", NULL },
	{ "t:block:block_rq_issue { @s[args.sector] = nsecs; @c[args.sector] = comm } "
	  "t:block:block_rq_complete /@s[args.sector]/ "
	  "{ @[@c[args.sector]] = avg(nsecs - @s[args.sector]) }",
	  "lat:t:block:block_rq_issue->t:block:block_rq_complete on sector by comm : avg(lat)",
	  NULL },
	{ "k:a { @s[tid] = nsecs; @k[tid] = kstack } k:b /@s[tid]/ "
	  "{ @[@k[tid], comm] = avg(nsecs - @s[tid]) }", "lat:k:a->k:b by kstack,comm : avg(lat)",
	  NULL },
	{ "t:sched:sched_wakeup { @q[args->pid] = nsecs } t:sched:sched_switch "
	  "{ $ns = @q[args->next_pid]; if ($ns) { @us = hist((nsecs - $ns) / 1000) } "
	  "delete(@q[args->next_pid]); }",
	  "lat:t:sched:sched_wakeup->t:sched:sched_switch on pid=next_pid : hist(lat)", NULL },
	{ "k:a { @s[tid] = nsecs; @n[tid] = arg1 } u:/bin/x:b /@s[tid]/ "
	  "{ @[@n[tid]] = avg(nsecs - @s[tid]) }", "lat:k:a->u:/bin/x:b by $arg2 : avg(lat)",
	  NULL },
};

struct refusal {
	const char *text;
	const char *why;	/* the whole sentence */
};

static const struct refusal refusals[] = {
	/* Lessons and examples that are of no probe. */
	{ "BEGIN { printf(\"hello\\n\"); }",
	  "column 1: nothing is counted or printed at a hit: BEGIN, END and interval: are no "
	  "events, "
	  "and a map that is only set is none" },
	{ "profile:hz:99 { @[kstack] = count(); }",
	  "column 1: sampling is flametop itself: flametop -F 99" },
	{ "profile:hz:99 /pid == 189/ { @[ustack] = count(); }",
	  "column 1: sampling is flametop itself: flametop -F 99 -p 189" },
	{ "profile:ms:10 { @ = count(); }",
	  "column 1: sampling is flametop itself: flametop -F 100" },
	{ "software:faults:1 { @[comm] = count(); }",
	  "column 1: an event that samples is no probe: flametop -e page-faults -c 1" },
	{ "hardware:cache-misses:1000000 { @[comm, pid] = count(); }",
	  "column 1: an event that samples is no probe: flametop -e cache-misses -c 1000000" },
	{ "tracepoint:syscalls:sys_enter_openat /cgroup == cgroupid(\"/sys/fs/cgroup/mycg\")/ "
	  "{ printf(\"%s\\n\", str(args->filename)); }",
	  "column 49: cgroupid: a condition has no cgroup; by cgroup counts by it; the nearest "
	  "spec: lat:t:syscalls:sys_enter_openat filename:ustring ret" },
	{ "rawtracepoint:sched_switch { @++ }",
	  "column 1: rawtracepoint has arguments without names: t:GROUP:NAME is the same "
	  "tracepoint "
	  "with its fields" },
	{ "w:0x1000:8:w { @++ }",
	  "column 1: a watchpoint samples: flametop -e mem:ADDRESS:w" },
	/* Places. */
	{ "k:a,u:/bin/x:b { @++ }",
	  "column 5: one spec has points of one kind in one file or group: ask for u:/bin/x:b in "
	  "another one" },
	{ "t:sched { @++ }",
	  "column 1: a point of that kind is written tracepoint:GROUP:NAME" },
	{ "k:a,interval:s:1 { @++ }",
	  "column 5: a block is of probes or of times, not of both" },
	{ "k:a { @ = hist(arg0) } k:b { @ = hist(arg0) }",
	  "column 7: @: one map of several points: a spec is of one, so ask for each, or for a "
	  "pattern of names" },
	/* Conditions. */
	{ "k:f /uid == 3/ { @++ }",
	  "column 6: uid: a condition has no user; by uid counts by it" },
	{ "k:f /pid == $1/ { @++ }",
	  "column 13: $1: an argument of the program: write what it is" },
	{ "k:f /arg0 == arg1/ { @++ }",
	  "column 11: a condition compares a value with a number or a text, not with another "
	  "value" },
	{ "k:f /arg0 + 1 > 3/ { @++ }",
	  "column 15: a condition compares a value as it is recorded: bring the arithmetic to the "
	  "number" },
	{ "t:sched:sched_switch /args.prev_state == TASK_DEAD/ { @++ }",
	  "column 42: TASK_DEAD: a constant of the kernel's headers is not known here: write its "
	  "number" },
	{ "k:f { if (arg0) { @a++ } else { @a++ } }",
	  "column 33: @a: one map under several conditions or keys: a spec has one of each" },
	{ "k:f { @a[comm]++; @a[pid]++; }",
	  "column 19: @a: one map under several conditions or keys: a spec has one of each" },
	{ "k:f { @s[tid] = nsecs } kr:f { if (@s[tid]) { @a++ } else { @b++ } }",
	  "column 54: else: a latency that did not begin is none" },
	{ "k:f { time(\"%H:%M dropped\\n\"); }",
	  "column 7: time: each line has its time: printf prints the words" },
	{ "k:f { while (1) { @++ } }", "column 7: a loop has no counterpart in a spec" },
	/* Values. */
	{ "kr:f { @ = hist(arg0) }",
	  "column 17: arg0: at the return the arguments are gone: store it at the entry, or lat: "
	  "brings what was there" },
	{ "k:f { @ = hist(retval) }",
	  "column 16: retval: it is known at the return: kretprobe or uretprobe" },
	{ "t:a:b { @ = hist(arg0) }", "column 18: arg0: a tracepoint has fields: args.NAME" },
	{ "t:syscalls:sys_enter_nanosleep { @ = hist(args->rqtp->tv_sec) }",
	  "column 55: tv_sec: a tracepoint's record has what its fields are, not what they point "
	  "to" },
	{ "k:f { @[arg0 / 2] = count() }",
	  "column 14: a key is a value as it is recorded; hist(x) and lhist(x, from, to, step) "
	  "count "
	  "by ranges" },
	{ "k:f { @[nsecs / 1000000000] = count() }",
	  "column 15: a key is a value as it is recorded; hist(x) and lhist(x, from, to, step) "
	  "count "
	  "by ranges" },
	{ "k:f { @[gid] = count() }",
	  "column 9: gid: hits have no group; by uid counts by user" },
	{ "k:f { @[strftime(\"%M\", nsecs)] = count() }",
	  "column 9: strftime: each hit has its time; the table is of the last seconds" },
	{ "k:f { printf(\"%d\", arg0 * 2) }",
	  "column 25: a printed value is as it is recorded: print it without arithmetic" },
	{ "k:f { @ = hist(arg0 > 3 ? 1 : 0) }",
	  "column 25: a choice has no counterpart in a spec: take the value itself" },
	{ "k:f { @ = hist(buf(arg0, 3)) }",
	  "column 16: buf: bytes of a length that is known at the hit have no type; :u8[64] has "
	  "64 of "
	  "them" },
	/* Statements. */
	{ "k:f { @x = arg0; }",
	  "column 12: arg0: a map that is set shows its last value: a spec counts, as by x, or "
	  "sums" },
	{ "k:f { @-- }", "column 8: a spec counts and sums, it takes nothing away" },
	{ "k:f { $x = 1; $x = 2; @[$x] = count() }",
	  "column 18: $x is set again: a value of a spec is the same for all hits" },
	{ "k:f { system(\"rm\") }",
	  "column 7: system: a spec counts, sums and prints at a hit: it does nothing to the "
	  "system" },
	{ "k:f { exit() }",
	  "column 7: exit: a hit does not end the run: --duration does after a time" },
	/* Pairs. */
	{ "k:f { @s[pid] = nsecs } kr:f /@s[pid]/ { @ = hist(nsecs - @s[pid]) }",
	  "column 34: pid: threads of one process would be mixed: write tid" },
	{ "t:block:block_rq_issue { @s[args.sector] = nsecs } "
	  "t:block:block_rq_complete /@s[args.sector]/ { @[comm] = avg(nsecs - @s[args.sector]) }",
	  "column 100: comm: a latency that is joined by fields has the task of where it begins: "
	  "store it there" },
	{ "k:a { @s[tid] = nsecs } k:b /@s[tid]/ { @[kstack] = avg(nsecs - @s[tid]) }",
	  "column 43: kstack: a latency has the stack of where it begins: store it there" },
	{ "k:f { @s = nsecs } kr:f /@s/ { @ = hist(nsecs - @s) }",
	  "column 26: @s: one time of all threads: write it by thread, [tid]" },
	{ "k:a { @s[arg0] = nsecs } k:b /@s[arg0]/ { @ = hist(nsecs - @s[arg0]) }",
	  "column 34: arg0: two points are joined by tid, or by fields of tracepoints" },
	{ "t:sched:sched_wakeup,t:sched:sched_wakeup_new { @q[args.pid] = nsecs } "
	  "t:sched:sched_switch /@q[args.next_pid]/ { @ = hist(nsecs - @q[args.next_pid]) }",
	  "column 1: a latency between two points has one at each end: ask for each pair, as "
	  "lat:A->B; the nearest spec: lat:t:sched:sched_wakeup->t:sched:sched_switch on "
	  "pid=next_pid : hist(lat)" },
	{ "k:blk_account_io_start { @s[arg0] = nsecs } k:blk_account_io_done /@s[arg0]/ "
	  "{ @ = hist(nsecs - @s[arg0]) }",
	  "column 71: arg0: two points are joined by tid, or by fields of tracepoints; the nearest "
	  "spec: lat:t:block:block_rq_issue->t:block:block_rq_complete bytes rwbs on dev,sector : "
	  "hist(lat)" },
	/* Syntax. */
	{ "k:f", "column 4: a { is missing" },
	{ "k:f { @ = count(", "column 17: the program ends too early: a value or a } is missing" },
	{ "k:f { @ = count() @b = count() }", "column 19: a ; or } is missing here" },
	{ "k:f /pid == 3 { @++ }", "column 15: the filter does not end: a / is missing before "
	  "the {" },
	{ "k:f { printf(\"x) }", "column 14: the quote does not end" },
};

/* What comes out is a spec as it is written. */
static void check_spec(const char *text, const char *spec)
{
	struct probe_spec parsed;
	struct diag why;

	if (probe_spec_parse(&parsed, spec, &why))
		fail_msg("%s\n%s\n%s", text, spec, why.text);
	assert_string_equal(parsed.text, spec);
}

static void check_example(const struct example *example)
{
	struct one_liner made;
	char specs[ONE_LINER_SPECS_MAX * (PROBE_SPEC_BYTES + 3)] = "";
	struct diag why = { .text = "" };

	if (!example->specs) {	/* ply's old statement without parentheses */
		assert_int_equal(one_liner_translate(&made, example->text, &why), -EINVAL);
		return;
	}
	assert_true(one_liner_is(example->text));
	if (one_liner_translate(&made, example->text, &why))
		fail_msg("%s\n%s", example->text, why.text);
	for (uint32_t i = 0; i < made.count; i++) {
		snprintf(specs + strlen(specs), sizeof(specs) - strlen(specs), "%s%s",
			 i ? " | " : "", made.specs[i]);
		check_spec(example->text, made.specs[i]);
	}
	if (strcmp(specs, example->specs) != 0)
		fail_msg("%s\n%s\n%s", example->text, specs, example->specs);
	assert_string_equal(made.note, example->note ? example->note : "");
}

#define CHECK_EXAMPLES(table)                                                                      \
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)                              \
		check_example(&table[i])

static void test_lessons_of_the_tutorial_are_translated(void **state)
{
	(void)state;
	CHECK_EXAMPLES(lessons);
}

static void test_examples_of_the_readme_are_translated(void **state)
{
	(void)state;
	CHECK_EXAMPLES(readme);
}

static void test_examples_of_ply_are_translated(void **state)
{
	(void)state;
	CHECK_EXAMPLES(of_ply);
}

static void test_points_become_targets(void **state)
{
	(void)state;
	CHECK_EXAMPLES(points);
}

static void test_filters_become_conditions(void **state)
{
	(void)state;
	CHECK_EXAMPLES(conditions);
}

static void test_maps_become_keys_and_aggregates(void **state)
{
	(void)state;
	CHECK_EXAMPLES(values);
}

static void test_what_has_no_counterpart_is_refused_at_its_column(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		struct one_liner made;
		struct diag why = { .text = "" };

		if (one_liner_translate(&made, refusals[i].text, &why) != -EINVAL)
			fail_msg("%s: %s", refusals[i].text, made.specs[0]);
		if (strcmp(why.text, refusals[i].why) != 0)
			fail_msg("%s\n%s\n%s", refusals[i].text, why.text, refusals[i].why);
		assert_int_equal(made.count, 0);
	}
}

static void test_specs_are_no_one_liners(void **state)
{
	static const char *const specs[] = {
		"vfs_read", "k:vfs_{read,write} count", "t:sched:sched_{wakeup,switch}",
		"k:f if comm == \"{ }\"", "k:schedule;if (rq) { x }", "lat:vfs_read", "",
		"u:/bin/x:f{a,b}", "u:./a.out:\"{lambda(int, char)#1}\"", "name=k:f { @++ }",
		"x:f { @++ }", "kprobe:f",
	};
	static const char *const programs[] = {
		"kprobe:f {", "kprobe:f { @", "k:f{@++}", "BEGIN { }", "u:/bin/x:f { exit() }",
		"  // a comment\nkprobe:f { }", "profile:hz:99 { @++ }", "BEGIN{}", "k:f {}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
		if (one_liner_is(specs[i]))
			fail_msg("%s", specs[i]);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (!one_liner_is(programs[i]))
			fail_msg("%s", programs[i]);
}

/* A value that has another one twice, which has another one twice, would take hours. */
static void test_variables_in_variables_end(void **state)
{
	char text[2000] = "k:f { $x0 = arg0 + 1; ";
	struct one_liner made;

	(void)state;
	for (int i = 1; i < 31; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "$x%d = $x%d + $x%d; ",
			 i, i - 1, i - 1);
	strcat(text, "@ = sum($x30); }");
	assert_int_equal(one_liner_translate(&made, text, NULL), -EINVAL);
}

UNIT_TESTS(test_one_liner)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lessons_of_the_tutorial_are_translated),
		cmocka_unit_test(test_examples_of_the_readme_are_translated),
		cmocka_unit_test(test_examples_of_ply_are_translated),
		cmocka_unit_test(test_points_become_targets),
		cmocka_unit_test(test_filters_become_conditions),
		cmocka_unit_test(test_maps_become_keys_and_aggregates),
		cmocka_unit_test(test_what_has_no_counterpart_is_refused_at_its_column),
		cmocka_unit_test(test_specs_are_no_one_liners),
		cmocka_unit_test(test_variables_in_variables_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
