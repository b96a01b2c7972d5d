"""What a packaged program is asked to do, wherever it was installed."""

from __future__ import annotations

import base64
import io
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from playhead.execution.processes import all_processes, descendants
from tests.packaging import inside
from tests.support.driver import App
from tests.support.model_server import ModelServer, Reply, Request, default_script, text
from tests.support.waiting import until_now

QUESTION = "What's 34/24?"
ABOUT_PICTURE = "What colour is this?"
SEEING_MODEL = "openai/gpt-4o"
"""One of those that are known to take pictures."""
COLD_START_S = 240
"""The worker's files have never been read, and the machine may be busy."""
PICTURE_SIZE = (3000, 2000)


def answers(request: Request) -> Reply:
    """The scripted model, which has an eye for pictures too."""
    return text("Red, I see.") if ABOUT_PICTURE in request.user_text else default_script(request)


def working_folder(home: Path) -> Path:
    """Where code runs; of the rest of the home it may see nothing."""
    folder = home / "work"
    folder.mkdir(exist_ok=True)
    return folder


def run_the_dialogue(app: App) -> None:
    """The one of the golden data: the worker with a call of a tool, a kernel, a click."""
    app.type(QUESTION)
    app.press("Return")
    app.click(app.wait_for_run_button(COLD_START_S))
    app.wait_for_message("computer", "console", "1.4166666666666667")
    app.wait_for_message("assistant", "message", "approximately 1.42.")


def run_code(app: App, code: str, expected: str) -> None:
    """Type code into Direct mode, which runs it at once, and wait for what it prints."""
    app.point_elsewhere()
    app.type(code)
    app.press("Return")
    app.wait_for_message("computer", "console", expected)


def stop_code(app: App) -> None:
    """Stop a run that would last, with a program that it has started."""
    sign = working_folder(app.home) / "began"
    app.type(f"!touch {sign}; sleep 3600")
    app.press("Return")
    app.wait_for("the run", sign.exists)
    app.press("Escape")
    app.wait_for_message("computer", "run", '"interrupted"')


def close(app: App) -> None:
    """Close the window as a person does: nothing is complained of, and no process is left."""
    started = descendants(app.process.pid)
    assert app.close() == 0
    until_now(lambda: not started & all_processes().keys())
    assert not app.complaints(), app.log


def put_script_inside(home: Path) -> None:
    """The script for the frozen kernel, with the list of what it has to find, where code runs."""
    folder = working_folder(home)
    script = Path(inside.__file__)
    shutil.copyfile(script, folder / script.name)
    # Not that of our environment, where setuptools stands in for some of it.
    base: str = sys._base_executable  # type: ignore[attr-defined]
    asking = [base, "-I", "-S", "-W", "ignore", script]
    done = subprocess.run(asking, capture_output=True, text=True, check=True)
    (folder / inside.LIST).write_text(done.stdout.splitlines()[-1], "utf-8")


def check_bundle(app: App) -> None:
    """Have the program's own kernel import all that must lie in the bundle."""
    run_code(app, "import inside; inside.check()", " modules, ")
    said = app.wait_for_message("computer", "console", "bundle: ").content
    assert " modules, 0 problems" in said, said


def draw_picture(path: Path) -> Path:
    """A picture that is larger than models take."""
    Image.new("RGB", PICTURE_SIZE, "red").save(path)
    return path


def check_open_with(app: App, server: ModelServer, picture: Path, opener: Sequence[str]) -> None:
    """A second start hands the picture to the open window; the model is sent it, made smaller."""
    done = subprocess.run(opener, capture_output=True, text=True, check=False, timeout=COLD_START_S)
    assert done.returncode == 0, done.stderr
    app.wait_for("the picture's chip", lambda: has_thumbnail(app))
    app.type(ABOUT_PICTURE)
    app.press("Return")
    app.wait_for_message("assistant", "message", "Red, I see.")
    sent = picture_in(server.requests[-1])
    assert sent.convert("RGB").getpixel((5, 5))[0] > 200  # pyright: ignore
    assert max(sent.size) < max(PICTURE_SIZE), sent.size


def has_thumbnail(app: App) -> bool:
    """Whether the picture's red is on the screen."""
    colours = app.picture().getcolors(1 << 24) or []
    return any(count > 100 and colour == (255, 0, 0) for count, colour in colours)


def picture_in(request: Request) -> Image.Image:
    """What the last message carries."""
    parts = request.messages[-1]["content"]
    (url,) = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return Image.open(io.BytesIO(base64.b64decode(url.partition("base64,")[2])))
