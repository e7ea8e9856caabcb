"""A load with known shares has its CPU by its priority, however busy the machine is."""
import contextlib
import os


def set_priority(pid, nice):
    """Without the right to do so (CAP_SYS_NICE) the load competes as it is."""
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, pid, nice)
