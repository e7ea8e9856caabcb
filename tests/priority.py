"""A load with known shares has its CPU by its priority, however busy the machine is."""
import contextlib
import os


def set_priority(pid, nice):
    """Without the right to do so (CAP_SYS_NICE) the load competes as it is. Where sessions are
    groups that share the CPUs, that of its group counts: sched(7), "The autogroup feature"."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, nice)
        with open(f"/proc/{pid}/autogroup", "w", encoding="ascii") as file:
            file.write(str(nice))
