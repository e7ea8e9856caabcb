"""What a test waits for on the screen."""


class Looks:
    """A question to the screen. A text that lacks the line or the row that it is about, as the part
    of a frame does, is none that it is true of."""

    def __init__(self, is_true):
        self.is_true = is_true
        self.error = None   # why the last text has no reply

    def has(self, text):
        self.error = None
        try:
            return self.is_true(text)
        except (AttributeError, LookupError, TypeError, ValueError, StopIteration) as error:
            self.error = error
            return False

    def reason(self):
        return f" ({self.error!r})" if self.error else ""
