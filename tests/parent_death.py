"""What a test or a benchmark starts does not outlive it, however that ends."""
import ctypes
import signal
import sys

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)    # loaded before any fork


def die_with_parent():
    """For preexec_fn. The kernel kills the process when the thread that started it is gone."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def end_by_signals():
    """SIGTERM and SIGHUP leave all blocks as they should be left."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda got, _: sys.exit(128 + got))
