# SPDX-License-Identifier: MIT
"""Opens a Normscope run file, *.nsrun, as NumPy arrays.

    from normscope_reader import open_run

    run = open_run("a.nsrun")            # also while the run is still being recorded
    one = run[0]                         # a lane with a seed; run.find(lane=2, seed=7) is another
    print(one.settings["placement"], one.steps[-1], one.loss[-1])
    norms = one["grad-w2"]               # float32 [steps, layers]; one.keys() lists all quantities
    print(norms[one.index(100), 2])      # step 100, third layer

    import matplotlib.pyplot as plt      # for example
    plt.semilogy(one.steps, norms)

    import numpy                         # everything as one archive for other programs
    numpy.savez("a.npz", **run.arrays())

A value that was not measured is NaN; one that was measured may be NaN or infinite too, if the run
diverged: one.measured("grad-w2") tells them apart.  A quantity of the layers has the shape [steps, layers],
of the hidden states [steps, layers + 1], where 0 is the embedding (encoder and decoder one after the other),
of the heads [steps, layers, heads], and of the model [steps, 1].  `normscope-cli list quantities` says what
each key means.  This file needs NumPy and Python's own sqlite3.
"""

import json
import pathlib
import sqlite3

import numpy

APPLICATION, SCHEMAS = 0x4e735275, (2, 3, 4)


class Record:
    """What was recorded of one lane with one seed.

    lane (from 1), seed; settings: a dict of all settings, by their names in snake case; head: the rest
    that is known of the model, such as its parameters; summary: a dict, or None while the run continues.
    steps: int64 [n]; loss, lr, grad_norm, seconds, probe_seconds: float64 [n], one value per step.
    validation_steps, validation_loss: of the evaluations on held-out text.
    events: a list of dicts with step, kind, layer (from 1, or None), what and text.
    """

    def __init__(self, db, lane, seed, settings, summary):
        self._db, self.lane, self.seed = db, lane, seed
        self.head = json.loads(settings)
        self.settings = self.head.pop("settings")
        self.summary = json.loads(summary)["summary"] if summary else None
        columns = ("step", "loss", "lr", "grad_norm", "seconds", "probe_seconds")
        rows = self._rows(f"SELECT {', '.join(columns)} FROM steps", "step")
        self.steps = numpy.array([row[0] for row in rows], numpy.int64)
        values = numpy.array([row[1:] for row in rows], numpy.float64).reshape(-1, len(columns) - 1)
        self.loss, self.lr, self.grad_norm, self.seconds, self.probe_seconds = values.T.copy()
        rows = self._rows("SELECT step, loss FROM evaluations", "rowid")
        self.validation_steps = numpy.array([row[0] for row in rows], numpy.int64)
        self.validation_loss = numpy.array([row[1] for row in rows], numpy.float64)
        names = ("step", "kind", "layer", "what", "text")
        self.events = [dict(zip(names, row))
                       for row in self._rows(f"SELECT {', '.join(names)} FROM events", "rowid")]
        self._quantities = {key: (number, size) for number, key, size in self._rows(
            "SELECT id, key, size FROM quantities", "id")}

    def _rows(self, select, order):
        return self._db.execute(f"{select} WHERE lane = ? AND seed = ? ORDER BY {order}",
                                (self.lane, self.seed)).fetchall()

    def keys(self):
        """The keys of the recorded quantities, such as "grad-w2" and "hidden-norm"."""
        return list(self._quantities)

    def index(self, step):
        """The index of a step in all arrays; KeyError if it was not recorded."""
        at = int(numpy.searchsorted(self.steps, step))
        if at == len(self.steps) or self.steps[at] != step:
            raise KeyError(f"step {step} was not recorded")
        return at

    def __getitem__(self, key):
        """A quantity, float32 [steps, ...]; NaN where it was not measured."""
        return self._read(key)[0]

    def measured(self, key):
        """Which values of a quantity were measured, as bool of the same shape."""
        return self._read(key)[1]

    def _read(self, key):
        number, size = self._quantities[key]
        values = numpy.full((len(self.steps), size), numpy.nan, numpy.float32)
        measured = numpy.zeros(values.shape, bool)
        for first, steps, data, present in self._db.execute(
                "SELECT first, steps, data, present FROM profiles WHERE quantity = ?", (number,)):
            found = numpy.frombuffer(data, "<f4", steps * size).reshape(steps, size)
            has = numpy.ones(found.shape, bool) if present is None else \
                numpy.frombuffer(present, numpy.uint8, steps * size).reshape(steps, size) != 0
            at = numpy.searchsorted(self.steps, first)
            n = min(steps, len(self.steps) - at)  # more may have been written since the steps were read
            values[at:at + n] = numpy.where(has, found, numpy.float32(numpy.nan))[:n]
            measured[at:at + n] = has[:n]
        heads = self.settings["heads"]
        shape = (-1, size // heads, heads) if key.startswith("head-") else (-1, size)
        return values.reshape(shape), measured.reshape(shape)


class Run(list):
    """The records of a file, ordered by lane and seed; program and experiment say where they are from."""

    def __init__(self, path):
        if not pathlib.Path(path).is_file():
            raise FileNotFoundError(path)
        self._db = sqlite3.connect(f"{pathlib.Path(path).resolve().as_uri()}?mode=ro", uri=True)
        (application,), (schema,) = (self._db.execute(f"PRAGMA {name}").fetchone()
                                     for name in ("application_id", "user_version"))
        if application != APPLICATION or schema not in SCHEMAS:
            raise ValueError(f"{path} is no run file of Normscope that this version can read")
        self.program, self.experiment = self._db.execute("SELECT program, experiment FROM run").fetchone()
        super().__init__(Record(self._db, *row) for row in self._db.execute(
            "SELECT lane, seed, settings, summary FROM lanes ORDER BY lane, seed").fetchall())

    def find(self, lane=1, seed=None):
        """The record of a lane, of its first seed unless one is given; KeyError if there is none."""
        for record in self:
            if record.lane == lane and seed in (None, record.seed):
                return record
        raise KeyError(f"the file has no lane {lane}" + ("" if seed is None else f" with seed {seed}"))

    def arrays(self):
        """{name: array} of everything; a name begins with "lane2/" and "seed7/" where there are several."""
        found = {}
        for one in self:
            prefix = f"lane{one.lane}/" * (len({r.lane for r in self}) > 1) + \
                f"seed{one.seed}/" * (len([r for r in self if r.lane == one.lane]) > 1)
            own = {"step": one.steps, "loss": one.loss, "lr": one.lr, "grad-norm": one.grad_norm,
                   "seconds": one.seconds, "probe-seconds": one.probe_seconds,
                   "validation-step": one.validation_steps, "validation-loss": one.validation_loss}
            for key in one.keys():
                own[key], measured = one[key], one.measured(key)
                if not measured.all():
                    own[key + "/measured"] = measured
            found.update((prefix + name, value) for name, value in own.items())
        return found


def open_run(path):
    """Opens a run file for reading; it is never changed.  FileNotFoundError, ValueError or sqlite3.Error."""
    return Run(path)
