#!/usr/bin/env python3
"""A study through Slurm on one machine, whose only node is killed in the middle; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_slurm.py NORMSCOPE_CLI

Debian's slurm-wlm with munge, in folders and on ports of their own.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from test_cli import CLI, PATIENCE_S, Skip, main
from test_study import LONG, Folder, cells_of, ended, study, until, whole

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "scontrol", "scancel", "squeue"]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def processes_of(words):
    """Those whose command line has all of these words, by number."""
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                line = file.read().replace(b"\0", b" ").decode(errors="replace")
        except (OSError, NotADirectoryError):
            continue
        if entry.isdigit() and int(entry) != os.getpid() and all(word in line for word in words):
            yield int(entry)


def parent_of(number):
    with open(f"/proc/{number}/stat", encoding="utf-8") as file:
        return int(file.read().rpartition(")")[2].split()[1])


class Cluster:
    """munged, slurmctld and one slurmd, all children of this process."""

    def __init__(self, folder):
        if os.getuid() != 0:
            raise Skip("Slurm's daemons need root")
        self.path = "/usr/sbin:/sbin:" + os.environ["PATH"]
        missing = [name for name in PROGRAMS if not shutil.which(name, path=self.path)]
        if missing:
            raise Skip(f"{', '.join(missing)}: not installed (Debian: slurm-wlm, munge)")
        self.folder, self.running = folder, []
        self.environment = dict(os.environ, PATH=self.path, SLURM_CONF=os.path.join(folder, "slurm.conf"))
        self.host = socket.gethostname().split(".")[0]

    def __enter__(self):
        os.chmod(self.folder, 0o755)
        for name in ("munge", "state", "spool"):
            os.mkdir(os.path.join(self.folder, name), 0o755)
        key = os.path.join(self.folder, "munge", "key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(os.urandom(1024))
        self.configure()
        part = {name: os.path.join(self.folder, "munge", name) for name in ("socket", "pid", "log", "seed")}
        try:
            self.start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={part['socket']}",
                       f"--pid-file={part['pid']}", f"--log-file={part['log']}", f"--seed-file={part['seed']}")
            until(lambda: os.path.exists(part["socket"]))
            self.start("slurmctld", "-D", "-c")
            self.node = self.start("slurmd", "-D")
            until(lambda: "idle" in self.run("sinfo", "-h", "-o", "%T"))
        except BaseException:
            self.__exit__()
            raise
        return self

    def configure(self):
        with open(self.environment["SLURM_CONF"], "w", encoding="utf-8") as file:
            file.write(f"""ClusterName=test
SlurmctldHost={self.host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={self.folder}/munge/socket,cred_expire=5
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=10
NodeName={self.host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
""")

    def __exit__(self, *_):
        for process in reversed(self.running):
            if process.poll() is None:
                process.kill()
            process.wait()

    def start(self, name, *arguments):
        with open(os.path.join(self.folder, name + ".log"), "ab") as log:
            process = subprocess.Popen([shutil.which(name, path=self.path), *arguments], stdout=log, stderr=log,
                                       env=self.environment)
        self.running.append(process)
        return process

    def run(self, *arguments):
        return subprocess.run(arguments, env=self.environment, capture_output=True, text=True,
                              timeout=PATIENCE_S).stdout

    def lose_node(self, folder):
        """Everything on it dies at once: the daemon, the watch over every job, and the jobs."""
        tasks = []
        until(lambda: tasks.extend(processes_of(["study.study", folder, "--cells"])) or tasks)
        watches = [parent_of(task) for task in tasks]
        self.node.kill()
        self.node.wait()
        for number in watches + tasks:
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def return_node(self):
        self.node = self.start("slurmd", "-D", "-b")


def parts_ended(folder):
    return sum(ended(os.path.join(folder, name)) for name in os.listdir(folder)
               if name.endswith(".nsstudy")) if os.path.isdir(folder) else 0


def test_node_is_killed():
    with tempfile.TemporaryDirectory() as place, Cluster(place) as cluster, Folder(LONG) as folder:
        expected = whole(folder)
        command = [CLI, "study", folder("a.study"), "--slurm", "--chunk", "4", "--lease", "1"]
        with subprocess.Popen(command, env=cluster.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            until(lambda: parts_ended(folder("a.parts")) > 2, process)
            cluster.lose_node(folder("a.parts"))
            before = parts_ended(folder("a.parts"))
            assert 0 < before < len(expected), before
            cluster.return_node()
            out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0 and f"{len(expected)} of {len(expected)} cells".encode() in out, (out, err)
        assert cells_of(folder("a.nsstudy")) == expected
        # All is there: nothing is submitted any more, and the table is that of one machine.
        again = study(folder("a.study"), env=cluster.environment)
        assert again == study("show", folder("whole.nsstudy")) == out.decode()


def test_canceled_tasks_come_again():
    with tempfile.TemporaryDirectory() as place, Cluster(place) as cluster, Folder(LONG) as folder:
        expected = whole(folder)
        command = [CLI, "study", folder("a.study"), "--slurm", "--chunk", "2", "--lease", "1"]
        with subprocess.Popen(command, env=cluster.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            until(lambda: parts_ended(folder("a.parts")) > 0, process)
            cluster.run("scancel", "--name", "normscope-study")
            out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, (out, err)
        assert cells_of(folder("a.nsstudy")) == expected


def runs_of(folder):
    """How often a cell was run: every task appends a line to its log."""
    parts = folder("a.parts")
    return sum(line.count(" cells of ") for name in os.listdir(parts) if name.endswith(".log")
               for line in open(os.path.join(parts, name), encoding="utf-8"))


def test_submitted_twice():
    """A second command, with other parts at that, joins the first: no cell is submitted twice."""
    with tempfile.TemporaryDirectory() as place, Cluster(place) as cluster, Folder(LONG) as folder:
        expected = whole(folder)
        command = [CLI, "study", folder("a.study"), "--slurm", "--lease", "60", "--chunk"]
        with subprocess.Popen([*command, "4"], env=cluster.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as one:
            until(lambda: parts_ended(folder("a.parts")) > 0, one)
            with subprocess.Popen([*command, "3"], env=cluster.environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as other:
                said = [process.communicate(timeout=PATIENCE_S) for process in (one, other)]
                assert [one.returncode, other.returncode] == [0, 0], said
        assert b"no cell is submitted twice" in said[1][1] and b"jobs of Slurm" not in said[1][1], said
        assert said[0][0] == said[1][0] and b"16 of 16 cells" in said[0][0], said
        assert cells_of(folder("a.nsstudy")) == expected
        assert sorted(name for name in os.listdir(folder("a.parts")) if name.endswith(".nsstudy")) == [
            f"4-{part}.nsstudy" for part in range(4)]
        assert runs_of(folder) == 4


def test_submitted_in_the_same_instant():
    with tempfile.TemporaryDirectory() as place, Cluster(place) as cluster, Folder(LONG) as folder:
        expected = whole(folder)
        command = [CLI, "study", folder("a.study"), "--slurm", "--lease", "60", "--chunk"]
        commands = [subprocess.Popen([*command, chunk], env=cluster.environment, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE) for chunk in ("4", "3", "2")]
        said = [process.communicate(timeout=PATIENCE_S) for process in commands]
        assert [process.returncode for process in commands] == [0, 0, 0], said
        assert sum(b"jobs of Slurm" in err for _, err in said) == 1, said
        assert cells_of(folder("a.nsstudy")) == expected


if __name__ == "__main__":
    sys.exit(main(globals()))
