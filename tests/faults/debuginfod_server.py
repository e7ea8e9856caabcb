#!/usr/bin/python3
"""debuginfod_server.py [ROOT] - stands in for a debuginfod server: says its port, then serves the
files below ROOT until its input ends, and prints each path that is asked for. Other paths are
answered by what the build-id begins with: 00 a text; 01 a text that comes slowly and does not end;
02 less than was promised; 03 a file of 4 GiB; 04 a text without an end, as fast as it goes; 05 an
error; 06 a file of this machine; 07 nothing at all; others are not found."""
import contextlib
import http.server
import os
import sys
import threading
import time

TEXT = b"int main;\n"


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def begin(self, status, length=None, **headers):
        self.send_response(status)
        if length is not None:
            self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def send_whole(self, content):
        self.begin(200, len(content))
        self.wfile.write(content)

    def send_endlessly(self, piece, pause_s):
        self.begin(200)
        while True:
            self.wfile.write(piece)
            time.sleep(pause_s)

    def reply(self, kind):
        if kind == "00":
            self.send_whole(TEXT)
        elif kind == "01":
            self.send_endlessly(TEXT, 0.05)
        elif kind == "02":
            self.begin(200, 1000)
            self.wfile.write(TEXT)
        elif kind == "03":
            self.begin(200, 4 << 30)
            self.wfile.write(TEXT)
        elif kind == "04":
            self.send_endlessly(b"x" * (1 << 16), 0)
        elif kind == "05":
            self.begin(503)
        elif kind == "06":
            self.begin(302, Location="file:///etc/passwd")
        elif kind == "07":
            time.sleep(600)
        else:
            self.begin(404)

    def do_GET(self):   # pylint: disable=invalid-name
        print(self.path, flush=True)
        path = sys.argv[1] + self.path if len(sys.argv) > 1 else ""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    self.send_whole(file.read())
            else:
                self.reply(self.path.removeprefix("/buildid/")[:2])


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()


main()
