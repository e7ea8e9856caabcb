# Interpreted frames, the C functions below them, and what they call back.
import json
import re
import sys
import time


def deeper(left):
    if left:
        return deeper(left - 1) + 1
    return sum(number * number for number in range(200))


while time.process_time() < float(sys.argv[1]):
    deeper(10)
    json.dumps({str(number): number for number in range(100)})
    sorted(range(500), key=lambda number: number * 7919 % 1009)
    re.sub("a+", lambda found: found.group().upper(), "caat" * 50)
