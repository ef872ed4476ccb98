# SPDX-License-Identifier: MIT
"""A student who takes the first look and goes through lessons 1 to 4 from outside, by what assistive
technology sees.

Usage: student.py DESKTOP LESSONS [PATIENCE]

DESKTOP is the program, LESSONS the folder of its lessons, PATIENCE for how many seconds nothing may
happen that is waited for; as long as a run makes steps, it is waited for.  Needs a display and a session bus of its own, python3-gi, gir1.2-atspi-2.0
and at-spi2-core.  Speaks TAP, one case a lesson.

Every control is found by its role and its name and used by its own action; what a card asks for is
done at the controls of the settings, not with the card's button.  So the script is also an audit:
a control without a name cannot be found.
"""

import pathlib
import shutil
import subprocess
import sys
import time

try:
    import gi
    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi, GLib
except (ImportError, ValueError):
    Atspi = None

PATIENCE_S = float(sys.argv[3]) if len(sys.argv) > 3 else 120.0  # enough on a busy machine
LOOK_EVERY_S = 0.1
TABS_MOST = 200
LESSONS = 5  # with the first look, which stands there for who is new
LABELS = {"layers": "Layers", "warmup": "Warm-up"}  # of the settings that these lessons change
LIVE = ("warmup",)  # those of them that act while a run goes on; the others wait for a restart


class Lost(Exception):
    """The student does not find something, or waits in vain."""


def read_lesson(path):
    """Title and cards; a card is a list of (key, value)."""
    head, cards = {}, []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() == "[card]":
            cards.append([])
        elif "=" in line and not line.startswith("#"):
            key, value = (part.strip() for part in line.split("=", 1))
            if cards:
                cards[-1].append((key, value))
            else:
                head[key] = value
    return head["title"], cards


def role_of(node):
    """By the names of AT-SPI before 2.54, which calls a push button a button."""
    name = node.get_role_name()
    return "push button" if name == "button" else name


def key(name):
    subprocess.run(["xdotool", "key", name], check=True)
    return True


class Desktop:
    def __init__(self, program):
        self.top = None
        self.moves = 0  # of the focus
        self.listener = Atspi.EventListener.new(self.on_focus)
        self.listener.register("object:state-changed:focused")
        self.process = subprocess.Popen([program])
        self.top = self.wait(self.find_program, "the program on the accessibility bus")

    def on_focus(self, event):
        self.moves += event.detail1  # 1 where it comes, 0 where it goes

    def close(self):
        self.process.terminate()
        self.process.wait(30)

    def wait(self, condition, what):
        end, step = time.monotonic() + PATIENCE_S, None
        while True:
            while GLib.MainContext.default().iteration(False):
                pass
            if time.monotonic() > end:
                before, step = step, self.step()
                if step == before:
                    break
                end = time.monotonic() + PATIENCE_S
            if self.process.poll() is not None:
                raise Lost(f"the program ended with status {self.process.returncode}")
            try:
                found = condition()
            except GLib.Error:  # an object that went away while it was looked at
                found = None
            if found:
                return found
            time.sleep(LOOK_EVERY_S)
        raise Lost(f"waited in vain for {what}")

    @staticmethod
    def text_of(node):
        return Atspi.Text.get_text(node, 0, Atspi.Text.get_character_count(node))

    def step(self):
        """The newest step that the foot of the window shows."""
        node = self.top and self.look("text", "Step")
        return node and self.text_of(node)

    def find_program(self):
        desktop = Atspi.get_desktop(0)
        for i in range(desktop.get_child_count()):
            child = desktop.get_child_at_index(i)
            if child and child.get_process_id() == self.process.pid and child.get_child_count():
                return child
        return None

    def walk(self):
        """All that is visible; GTK 4.8 does not say what is showing."""
        waiting = [self.top]
        while waiting:
            node = waiting.pop()
            yield node
            for i in range(node.get_child_count() - 1, -1, -1):
                child = node.get_child_at_index(i)
                if child and child.get_state_set().contains(Atspi.StateType.VISIBLE):
                    waiting.append(child)

    def look(self, role, name, exact=True):
        """The first one that is visible."""
        for node in self.walk():
            said = node.get_name() or ""
            if role_of(node) != role or not (said == name if exact else name in said):
                continue
            return node
        return None

    def find(self, role, name, exact=True):
        return self.wait(lambda: self.look(role, name, exact), f"the {role} “{name}”")

    @staticmethod
    def sensitive(node):
        return node.get_state_set().contains(Atspi.StateType.SENSITIVE)

    def press(self, name, exact=True, roles=("push button",)):
        def try_it():
            found = (self.look(role, name, exact) for role in roles)
            return next((node for node in found if node and self.sensitive(node)), None)
        node = self.wait(try_it, f"the {roles[0]} “{name}”, ready to be pressed")
        if role_of(node) == "push button":
            done = Atspi.Action.do_action(node, 0)
        else:  # GTK 4.8 gives the others no action
            self.focus(node)
            done = key("Return")
        if not done:
            raise Lost(f"the {roles[0]} “{name}” could not be pressed")

    def focus(self, node):
        """By the keyboard, as GTK 4.8 lets nobody else move the focus."""
        for _ in range(TABS_MOST):
            if node.get_state_set().contains(Atspi.StateType.FOCUSED):
                return
            before = self.moves
            key("Tab")
            # Another Tab that comes before this one has acted would lead beyond the goal.
            self.wait(lambda moves=before: self.moves > moves, "the focus to move on")
        raise Lost(f"Tab does not lead to “{node.get_name()}”")

    def type(self, name, text):
        entry = self.find("text", name)
        self.focus(entry)
        key("ctrl+a")
        subprocess.run(["xdotool", "type", text], check=True)
        self.wait(lambda: self.text_of(entry) == text, f"{text} in “{name}”")
        key("Return")


def draw(desktop):
    """Raises a few layers of the curve that is to be drawn, by keys."""
    chart = desktop.find("image", "Your prediction", exact=False)
    desktop.focus(chart)
    for name in ("Up", "Right") * 12:
        key(name)
    desktop.press("Compare")


def do_card(desktop, card, begun):
    """What one card asks for; `begun`: a card before has made steps."""
    title = dict(card)["title"]
    desktop.find("label", title)
    choices = [(key, value) for key, value in card if key in ("choice", "right")]
    for key, value in card:
        if key == "right" and choices:
            desktop.press(value, roles=("radio button", "check box"))
        elif key == "do":
            for assignment in value.split():
                setting, text = assignment.split("=")
                desktop.type(LABELS[setting], text)
                if begun and setting not in LIVE:
                    desktop.press("Restart")
        elif key == "draw":
            draw(desktop)
    steps = dict(card).get("run")
    if steps:
        desktop.press(f"Run to step {steps}")


def do_lesson(desktop, number, path):
    title, cards = read_lesson(path)
    if number:  # after a lesson the list is there
        desktop.press(f"{number}  {title}", exact=False)
    for i, card in enumerate(cards):
        do_card(desktop, card, any("run" in dict(before) for before in cards[:i]))
        desktop.press("Finish" if i + 1 == len(cards) else "Next")


def main():
    print(f"1..{LESSONS}")
    lacking = ("gir1.2-atspi-2.0 or python3-gi" if not Atspi else
               "xdotool" if not shutil.which("xdotool") else None)
    if lacking:
        for number in range(1, LESSONS + 1):
            print(f"ok {number} - lesson {number - 1} # SKIP {lacking} is not installed")
        return 0
    Atspi.init()
    lessons = sorted(pathlib.Path(sys.argv[2]).glob("*.lesson"))[:LESSONS]
    desktop = Desktop(sys.argv[1])
    try:
        for number, path in enumerate(lessons, start=1):
            started = time.monotonic()
            try:
                do_lesson(desktop, number - 1, path)
            except Lost as reason:
                print(f"not ok {number} - lesson {number - 1}\n# {reason}", flush=True)
                desktop.press("Close the lessons")
                desktop.press("Learn")
                continue
            print(f"ok {number} - lesson {number - 1}\n# {time.monotonic() - started:.0f} s", flush=True)
    finally:
        desktop.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
