"""A real terminal (tmux, a server of our own) with a shell, in which flametop is run and looked at."""
import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from looks import Looks  # noqa: E402
from parent_death import die_with_parent  # noqa: E402
from priority import set_priority  # noqa: E402, F401

FLAMETOP, WORKLOADS = os.environ["FLAMETOP"], os.environ["WORKLOADS"]
PATIENCE_S = 60     # for a hang, not for speed
counts = {"passed": 0, "failed": 0, "skipped": 0}


def expect(name, is_true, detail=""):
    counts["passed" if is_true else "failed"] += 1
    print(f"{'ok' if is_true else 'FAILED'} {name}{'' if is_true else f': {detail}'}", flush=True)


def run_checks(*checks):
    """The main() of a test program; the totals are its last line."""
    if os.geteuid() != 0:
        print("SKIP: needs root")
        sys.exit(77)
    for check in checks:
        try:
            check()
        except Exception as error:   # a test that breaks has failed, and the others go on
            expect(check.__name__, False, f"{error!r}")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    sys.exit(1 if counts["failed"] else 0)


def flametop(*arguments):
    """The command line of every flametop that a test starts: the configuration of whoever runs the
    tests is neither read nor written."""
    return [FLAMETOP, "--config", "none", *arguments]


@contextlib.contextmanager
def busy(name="hot_ab", *arguments):
    """A load that runs as long as the block. Its command line is the same wherever it is built."""
    process = subprocess.Popen([name, *arguments, "600"],
                               executable=os.path.join(WORKLOADS, name), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, start_new_session=True,
                               preexec_fn=die_with_parent)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class Terminal:
    """Use as a context: `with Terminal(80, 24) as terminal`."""

    def __init__(self, width=100, height=24, term="xterm-256color", locale="C.UTF-8"):
        self.place = tempfile.TemporaryDirectory(prefix="flametop-test-")
        self.tmux_command = ["tmux", "-u", "-S", os.path.join(self.place.name, "socket"),
                             "-f", "/dev/null"]
        environment = dict(os.environ, LC_ALL="C.UTF-8", PS1="$ ", HISTFILE="")
        environment.pop("TMUX", None)
        subprocess.run([*self.tmux_command, "new-session", "-d", "-x", str(width),
                        "-y", str(height), "bash --norc --noprofile"], check=True, env=environment)
        self.tmux("set-option", "-g", "window-size", "manual")
        self.type(f"PS1='$ '; clear; export TERM={term} LC_ALL={locale}")

    def __enter__(self):
        try:
            self.wait(lambda text: text.strip() == "$", "the shell")
        except TimeoutError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.tmux("kill-server")
        self.place.cleanup()

    def tmux(self, *arguments):
        return subprocess.run([*self.tmux_command, *arguments], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    def capture(self):
        """The screen's text as it is at this moment, perhaps in the middle of a frame."""
        return self.tmux("capture-pane", "-p")

    def text(self):
        """The screen's text, not in the middle of a frame."""
        return self.standing(self.capture())

    def keys(self, *keys):
        """tmux's names: "q", "Space", "C-c", "Escape", "PageDown"..."""
        for key in keys:
            self.tmux("send-keys", key)

    def send(self, data):
        """Bytes as they are."""
        self.tmux("send-keys", "-H", *(f"{byte:x}" for byte in data))

    def keys_at_once(self, *keys):
        """All in one write."""
        self.tmux("send-keys", *keys)

    def type(self, line):
        self.tmux("send-keys", "-l", line)
        self.tmux("send-keys", "Enter")

    def resize(self, width, height):
        self.tmux("resize-window", "-x", str(width), "-y", str(height))

    def wait(self, is_true, what, patience_s=PATIENCE_S):
        """The screen's text, once @is_true(text) of a whole frame."""
        end = time.monotonic() + patience_s
        looks = Looks(is_true)
        while not (looks.has(text := self.capture()) and looks.has(text := self.standing(text))):
            if time.monotonic() > end:
                raise TimeoutError(f"waited for {what}{looks.reason()}; the screen is:\n{text}")
            time.sleep(0.05)
        return text

    def standing(self, text):
        """A frame comes in pieces: the screen's text once it is the same twice."""
        for _ in range(10):
            before, text = text, self.capture()
            if text == before:
                break
        return text

    def wait_for(self, *parts):
        """Waits until the screen has each part, and no row whose names are still to come: such a
        row becomes others, also while paused."""
        return self.wait(lambda text: all(part in text for part in parts) and
                         "(loading)" not in text, " and ".join(parts))

    def press(self, key, *parts):
        """Presses the key and waits until the screen has each part."""
        self.keys(key)
        return self.wait_for(*parts)

    def shell_output(self, command):
        """What a command of the shell prints, as seen by that terminal."""
        path = os.path.join(self.place.name, "output")
        done = path + ".done"
        self.type(f" {command} > {path} 2>&1; touch {done}")
        self.wait(lambda _: os.path.exists(done), command)
        os.unlink(done)
        with open(path, encoding="utf-8") as file:
            return file.read()

    def modes(self):
        return self.shell_output("stty -a")

    def start(self, *arguments):
        """Runs flametop; its exit status will be on the screen as "status N", and in $s."""
        self.type(" clear; " + shlex.join(flametop(*arguments)) + "; s=$?; echo status $s")

    def pid(self):
        """Of the flametop that runs in the shell of this terminal."""
        shell = int(self.tmux("display-message", "-p", "#{pane_pid}"))
        with open(f"/proc/{shell}/task/{shell}/children", encoding="ascii") as file:
            return int(file.read().split()[0])

    def status(self):
        """The exit status, once flametop has ended."""
        text = self.wait(lambda text: re.search(r"^status \d+.*\n\$", text, re.M), "flametop's end")
        return int(re.search(r"^status (\d+)", text, re.M)[1])


def mouse_flags(terminal):
    """Does the terminal report the mouse, and in the form that has no limit? "0 0": neither."""
    return terminal.tmux("display-message", "-p", "#{mouse_any_flag} #{mouse_sgr_flag}").strip()


def rows(text):
    """The lines of the table."""
    return [line for line in text.splitlines() if re.search(r"\[[k.guH]\] \S", line)]


def symbols(text):
    return [re.search(r"\[[k.guH]\] (\S+)", row)[1] for row in rows(text)]


def cursor_symbol(text):
    """The symbol of the row with the cursor."""
    marked = [row for row in rows(text) if row[0] in "▸>"]
    return symbols(marked[0])[0] if len(marked) == 1 else None


def samples(text):
    """The number of samples in the header; thousands are rounded by it."""
    found = re.search(r"([\d.]+)(k?) samples", text)
    return float(found[1]) * (1000 if found[2] else 1) if found else 0
