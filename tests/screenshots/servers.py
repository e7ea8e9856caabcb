"""PostgreSQL under pgbench and nginx under ab: Debian's, in a directory of their own, with a load in
which there is something to find: documents are read that PostgreSQL keeps compressed."""
import glob
import os
import pwd
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

PORT = 18080
SESSION = "0123456789abcdef" * 300     # as large as cookies are nowadays
ROOT_RUNS_AS = "postgres"     # PostgreSQL refuses to run as root
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}

# Of three sizes, 30 KB to 1 MB, so that latencies have several peaks.
TABLES = """
CREATE TABLE documents (id int PRIMARY KEY, document jsonb);
SELECT setseed(0.5);
INSERT INTO documents
SELECT id, jsonb_build_object('title', 'Document ' || id, 'body',
       (SELECT string_agg(substr('the quick brown fox jumps over a lazy dog and runs', n % 40, 9) ||
                          (random() * 99)::int, ' ')
        FROM generate_series(1, (ARRAY[2500, 2500, 2500, 12000, 12000, 80000])[1 + id % 6]) n))
FROM generate_series(1, 300) id;
CREATE TABLE titles AS SELECT 'Document ' || n || ' of ' || md5(n::text) AS title
FROM generate_series(1, 3000) n;
CREATE TABLE stock (id int PRIMARY KEY, pieces int);
INSERT INTO stock VALUES (1, 1000000000);
CREATE EXTENSION fuzzystrmatch;
ANALYZE;
"""
READ_DOCUMENT = r"""
\set id random(1, 300)
SELECT document->>'title' FROM documents WHERE id = :id;
"""
SELL = r"""
\set id random(1, 300)
BEGIN;
UPDATE stock SET pieces = pieces - 1 WHERE id = 1;
SELECT document->>'title' FROM documents WHERE id = :id;
COMMIT;
"""
SEARCH = """
SELECT title FROM titles ORDER BY levenshtein(title, 'Documnet 77 of c4ca4238a0b923820dcc509') LIMIT 5;
"""
NGINX = """
daemon off;
pid {place}/nginx.pid;
error_log {place}/error.log;
worker_processes 1;
events {{ }}
http {{
    access_log off;
    client_body_temp_path {place}/body;
    proxy_temp_path {place}/proxy;
    fastcgi_temp_path {place}/fastcgi;
    uwsgi_temp_path {place}/uwsgi;
    scgi_temp_path {place}/scgi;
    server {{ listen 127.0.0.1:{port}; root {place}/pages; }}
}}
"""


class Servers:
    """Context manager: databases and pages are made, servers and their clients run until the end."""

    def __init__(self):
        self.started = []
        self.place = tempfile.mkdtemp(prefix="flametop-servers-")
        self.programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.user = None
        if os.geteuid() == 0:
            account = pwd.getpwnam(ROOT_RUNS_AS)
            self.user = account.pw_name
            os.chown(self.place, account.pw_uid, account.pw_gid)

    def __enter__(self):
        try:
            self.make_database()
            self.make_pages()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def command(self, program, *arguments):
        return [f"{self.programs}/{program}", *arguments]

    def run(self, program, *arguments, text=None):
        subprocess.run(self.command(program, *arguments), check=True, text=True, input=text,
                       user=self.user, cwd=self.place, stdout=subprocess.DEVNULL)

    def start(self, command, user=None):
        self.started.append(subprocess.Popen(command, cwd=self.place, user=user,
                                             start_new_session=True, **QUIET))

    def write(self, name, text):
        path = os.path.join(self.place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def make_database(self):
        data = os.path.join(self.place, "data")
        self.run("initdb", "-D", data, "-A", "trust", "--no-sync")
        self.start(self.command("postgres", "-D", data, "-k", self.place, "-h", "", "-F",
                                "-c", "shared_buffers=256MB", "-c", "max_wal_size=2GB",
                                "-c", "max_parallel_workers_per_gather=0"), self.user)
        for _ in range(600):
            if not subprocess.call(self.command("pg_isready", "-q", "-h", self.place), **QUIET):
                break
            time.sleep(0.1)
        self.run("pgbench", "-h", self.place, "-i", "-q", "-s", "5", "postgres")
        self.run("psql", "-q", "-h", self.place, "postgres", text=TABLES)
        self.write("read_document.sql", READ_DOCUMENT)
        self.write("search.sql", SEARCH)
        self.write("sell.sql", SELL)

    def make_pages(self):
        for number in range(20):
            self.write(f"pages/{number}.html", "<p>A page of the manual.</p>\n" * 90)
        os.chmod(self.place, 0o755)
        self.start(["/usr/sbin/nginx", "-e", f"{self.place}/error.log", "-c",
                    self.write("nginx.conf", NGINX.format(place=self.place, port=PORT))])

    def work(self):
        """The load of an ordinary day, until the end."""
        reads = shlex.join(self.command("pgbench", "-h", self.place, "-n", "-f",
                                        "read_document.sql@4", "-b", "select-only@8", "postgres"))
        pages = f"ab -q -k -n 40000 -c 4 -C session={SESSION} http://127.0.0.1:{PORT}/7.html"
        for seconds in (7, 4):
            self.start(["sh", "-c", f"while :; do {reads} -c 2 -T {seconds}; sleep 1.5; done"],
                       self.user)
        self.start(["sh", "-c", f"while :; do {pages}; sleep 2; done"])

    def search(self):
        """Somebody looks for a title that is not spelt right, again and again."""
        self.start(self.command("pgbench", "-h", self.place, "-n", "-c", "2", "-T", "3600", "-f",
                                "search.sql", "postgres"), self.user)

    def sell(self):
        """Six clients sell pieces of the same thing: they wait for the lock of its row."""
        self.start(self.command("pgbench", "-h", self.place, "-n", "-c", "6", "-T", "3600", "-f",
                                "sell.sql", "postgres"), self.user)

    def stop(self):
        for process in reversed(self.started):
            os.killpg(process.pid, signal.SIGINT)   # for PostgreSQL: a fast shutdown
        for process in self.started:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        shutil.rmtree(self.place)
