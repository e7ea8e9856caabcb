"""The mouse, as a terminal reports it to the program in it."""
from table_text import place_of

LEFT, RIGHT, WHEEL_UP, WHEEL_DOWN = 0, 2, 64, 65
HELD = 32       # added to a button that is down while the mouse moves


class Mouse:
    """On the terminal's screen; columns and lines from 0."""

    def __init__(self, terminal):
        self.terminal = terminal

    def report(self, *events):
        """Each (button, x, y, is_release), all in one write."""
        data = "".join(f"\033[<{button};{x + 1};{y + 1}{'m' if is_release else 'M'}"
                       for button, x, y, is_release in events)
        self.terminal.tmux("send-keys", "-H", *[f"{byte:02x}" for byte in data.encode()])

    def click(self, x, y, button=LEFT, times=1):
        self.report(*[(button, x, y, False), (button, x, y, True)] * times)

    def click_on(self, part, **how):
        """The middle of a text that is on the screen."""
        x, y = place_of(self.terminal.wait_for(part), part)
        self.click(x + len(part) // 2, y, **how)

    def press_and_move(self, start, end):
        """The button stays down; each place is (x, y)."""
        self.report((LEFT, *start, False), (LEFT + HELD, *end, False))

    def release(self, x, y):
        self.report((LEFT, x, y, True))

    def drag(self, start, end):
        """At once: nothing on the screen moves meanwhile."""
        self.report((LEFT, *start, False), (LEFT + HELD, *end, False), (LEFT, *end, True))

    def wheel(self, button, times):
        self.report(*[(button, 20, 10, False)] * times)
