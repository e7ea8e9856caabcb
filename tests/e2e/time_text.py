"""What the header and the activity graph say of the time that is shown."""
import re
from fractions import Fraction

BARS = "▁▂▃▄▅▆▇█"
DAY_S = 24 * 3600


def seconds_of(clock):
    """Of "14:02:11.350" or "1:40", in seconds, exactly."""
    seconds = Fraction(0)
    for part in clock.split(":"):
        seconds = seconds * 60 + Fraction(part)
    return seconds


def window_of(text):
    """(begin, end) in seconds of the day, of a recording from its begin; None: live, or on its way.
    """
    found = re.search(r"(\d+:\d\d[\d:.]*)–(\d+:\d\d[\d:.]*)(…?)", text)
    if not found or found[3]:
        return None
    return seconds_of(found[1]), seconds_of(found[2])


def activity_graph_of(text):
    """The activity graph's line and its number: it ends in "live" or "all"."""
    for number, line in enumerate(text.splitlines()):
        if found := re.search(rf"^[ ‹│[\]{BARS}›]*(?=\[?(live|all))", line):
            return found[0], number
    raise ValueError(f"there is no activity graph:\n{text}")


def marked_columns(text):
    """The first and the last column between the activity graph's brackets; None: there are none."""
    line, _ = activity_graph_of(text)
    found = re.search(r"\[([^\]]*)\]", line)
    return (found.start(1), found.end(1) - 1) if found else None


def newest_column(text):
    """The column of the newest point."""
    line, _ = activity_graph_of(text)
    return max(line.rfind(bar) for bar in BARS)


def point_count(text):
    return sum(activity_graph_of(text)[0].count(bar) for bar in BARS)
