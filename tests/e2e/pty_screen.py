"""flametop on a pseudo terminal of our own: the bytes as they come and the frame they make.

tmux (terminal.py) is a terminal as users have it. Here a test decides when each byte is sent, sees
each byte that comes back, and may leave them unread.
"""
import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import pyte

from looks import Looks

PATIENCE_S = 60     # for a hang, not for speed
CLEAR = b"\033[H\033[2J"


class Frame(pyte.Screen):
    """pyte's screen with what ncurses sends to an xterm besides: REP, SU and SD."""

    def repeat(self, count=1):
        """The character before the cursor again."""
        line = self.buffer[self.cursor.y]
        self.draw(line[self.cursor.x - 1].data * (count or 1))

    def scroll_up(self, count=1):
        self._in_first_line(self.delete_lines, count)

    def scroll_down(self, count=1):
        self._in_first_line(self.insert_lines, count)

    def _in_first_line(self, change, count):
        """Inserting or deleting in the first line of the scrolled part moves the whole part."""
        before = self.cursor.x, self.cursor.y
        self.cursor.y = self.margins.top if self.margins else 0
        change(count)
        self.cursor.x, self.cursor.y = before

    def cells(self):
        """What is seen: (text, foreground, background, bold, reverse...) of each cell."""
        return [[tuple(self.buffer[y][x]) for x in range(self.columns)] for y in range(self.lines)]

    def text(self):
        return "\n".join(line.rstrip() for line in self.display)


class Stream(pyte.ByteStream):
    csi = dict(pyte.ByteStream.csi, b="repeat", S="scroll_up", T="scroll_down")


def set_size(terminal, width, height):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))


class PtyScreen:
    """Use as a context: `with PtyScreen([FLAMETOP, "-d", "0.5"]) as screen`."""

    def __init__(self, command, width=100, height=24, term="xterm-256color", locale="C.UTF-8"):
        self.terminal, self.program_side = pty.openpty()
        set_size(self.terminal, width, height)
        os.set_blocking(self.terminal, False)
        self.cooked = termios.tcgetattr(self.program_side)
        self.modes = {}     # DEC private modes as they are now: number -> set?
        self.tail = b""     # of the bytes: a sequence may be cut
        self.held = None    # bytes that are not drawn yet: see hold()
        self.frame = Frame(width, height)
        self.stream = Stream(self.frame)
        self.process = subprocess.Popen(
            command, stdin=self.program_side, stdout=self.program_side, stderr=self.program_side,
            start_new_session=True, env=dict(os.environ, TERM=term, LC_ALL=locale),
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.terminal)
        os.close(self.program_side)

    def read(self):
        """The bytes that are there, b"" if none; they are not in the frame yet."""
        with contextlib.suppress(BlockingIOError):
            found = os.read(self.terminal, 1 << 16)
            self.note_modes(found)
            return found
        return b""

    def note_modes(self, found):
        text = self.tail + found
        for modes, how in re.findall(rb"\033\[\?([\d;]+)([hl])", text):
            for mode in modes.split(b";"):
                self.modes[int(mode)] = how == b"h"
        begun = text.rfind(b"\033", -16)
        self.tail = text[begun:] if begun >= 0 else b""

    def hold(self):
        """From now on only what a frame needs is kept: drawing all would slow the program down,
        which waits for us to read. Whatever came before a clear screen is gone by it."""
        self.held = b""

    def release(self):
        """Draws what was held."""
        held, self.held = self.held, None
        self.stream.feed(held)

    def take(self):
        """Draws what is there; False if that is nothing."""
        found = self.read()
        if self.held is None:
            self.stream.feed(found)
        else:
            self.held += found
            self.held = self.held[max(0, self.held.rfind(CLEAR)):]
        return bool(found)

    def look(self, seconds):
        """Takes in what comes within that time; False if that is nothing."""
        end = time.monotonic() + seconds
        is_found = False
        while (left := end - time.monotonic()) > 0:
            if select.select([self.terminal], [], [], left)[0]:
                is_found |= self.take()
        return is_found

    def send(self, data):
        """Never blocks for ever: what comes back meanwhile is taken in."""
        while data:
            readable, writable, _ = select.select([self.terminal], [self.terminal], [])
            if readable:
                self.take()
            if writable:
                with contextlib.suppress(BlockingIOError):
                    data = data[os.write(self.terminal, data):]

    def unread(self):
        """Bytes that were sent and that the program has not read yet."""
        count = fcntl.ioctl(self.program_side, termios.FIONREAD, struct.pack("i", 0))
        return struct.unpack("i", count)[0]

    def resize(self, width, height):
        set_size(self.terminal, width, height)
        self.frame.resize(height, width)

    def text(self):
        return self.frame.text()

    def wait(self, is_true, what):
        """The screen's text, once @is_true(text) of a frame to which nothing is added: a part of
        one may show new rows above an old bottom line."""
        end = time.monotonic() + PATIENCE_S
        looks = Looks(is_true)
        while not (looks.has(text := self.text()) and not self.look(0.05)):
            if time.monotonic() > end or self.process.poll() is not None:
                raise TimeoutError(f"waited for {what}{looks.reason()}; the screen is:\n{text}")
            self.look(0.05)
        return text

    def press(self, key, *parts):
        self.send(key)
        return self.wait(lambda text: all(part in text for part in parts), " and ".join(parts))

    def status(self):
        """The exit status as a shell would say it, once the program has ended."""
        end = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            if time.monotonic() > end:
                raise TimeoutError(f"does not end; the screen is:\n{self.text()}")
            self.look(0.05)
        while self.take():
            pass
        status = self.process.returncode
        return 128 - status if status < 0 else status

    def broken_modes(self):
        """What an ended program should have given back; empty if all is well."""
        left = {mode for mode, is_set in self.modes.items() if is_set != (mode in (7, 25))}
        broken = [f"private mode {mode}" for mode in sorted(left - {12})]
        if termios.tcgetattr(self.program_side) != self.cooked:
            broken.append("line modes")
        return broken


def children_of(pid):
    """Of the main thread: the guardian, the zygote, a command."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]

