"""`python -m tests.support.gallery FOLDER`: the window in many scripts, scales and sizes.

Each scale is a process of its own: Qt reads it once, at its start.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

SCALES = ("0.8", "1", "1.25", "1.5", "2")
SIZES = ((800, 600), (1440, 900), (3840, 2160))
"""In pixels of the screen."""
RIGHT_TO_LEFT = (
    "مرحبا! احسب لي متوسط العمود `price` في الملف **بيانات المبيعات.csv** من فضلك.\n\n"
    "שלום, זה משפט בעברית עם `code` באמצע ומספרים 34/24.\n\n"
    "| الاسم | עיר | value |\n| --- | --- | --- |\n| محمد | ירושלים | 12.5 |\n| Anna | Berlin | 7 |"
)
EASTERN = (
    "这是一个没有空格的很长的句子用来检查换行是否正确因为中文文本在任何字符之间"
    "都可以换行而不需要空格并且应该保持在列宽之内。"
    "日本語の文章も同じように折り返されるはずです。한국어 문장은 띄어쓰기에서 줄이 바뀝니다.\n\n"
    "Emoji: 👩‍👩‍👧‍👦 👍🏽 🇩🇪 🇯🇵 ❤️ 1️⃣ e\u0301 and text after it."
)
CODE = (
    "# تعليق بالعربية ثم code\n# הערה בעברית\nناتج = 34 / 24\n"
    'print("数据", "👩‍👩‍👧‍👦", ناتج)\n名前 = "東京"  # 全角の注釈\n'
)
TITLES = (
    "مرحبا بالعالم: تحليل البيانات",
    "数据分析与可视化的一个很长的标题放在侧边栏里",
    "👩‍👩‍👧‍👦 family 🇩🇪 plan",
)


@dataclass(frozen=True, slots=True)
class Shot:
    """One run: a scale, a size in pixels, a theme and a language."""

    scale: str
    width: int
    height: int
    mode: str
    language: str = ""

    @property
    def name(self) -> str:
        """As a file's beginning."""
        return f"{self.scale}x-{self.width}x{self.height}-{self.mode}{self.language}"


def main() -> int:
    """Take all, or with more words one in this process."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    if len(sys.argv) > 2:
        shoot(folder, Shot(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), *sys.argv[5:]))
        return 0
    shots = [Shot(scale, *size, "light") for scale in SCALES for size in SIZES]
    shots += [Shot("1", 1440, 900, "dark"), Shot("1", 1440, 900, "light", "ar")]
    for shot in shots:
        take(folder, shot)
    return 0


def take(folder: Path, shot: Shot) -> None:
    """One run in a process of its own."""
    words = [shot.scale, str(shot.width), str(shot.height), shot.mode, shot.language]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": shot.scale}
    command = [sys.executable, "-m", "tests.support.gallery", str(folder), *filter(None, words)]
    subprocess.run(command, env=environment, check=True)


def shoot(folder: Path, shot: Shot) -> None:
    """Open the window in this process and take its pictures."""
    from PySide6.QtWidgets import QApplication

    from playhead.event_loop import run

    app = QApplication([sys.argv[0]])
    run(_shoot(app, folder, shot), app)


async def _shoot(app: object, folder: Path, shot: Shot) -> int:
    from PySide6.QtWidgets import QApplication

    from playhead.ui.widgets.theme import Theme
    from playhead.ui.widgets.wording import install_translation
    from tests.support.ports import coded, said
    from tests.support.pseudo import write_pseudo_language
    from tests.support.waiting import until
    from tests.support.window import opened

    assert isinstance(app, QApplication)
    mode = "dark" if shot.mode == "dark" else "light"
    theme = Theme(Path(__file__).parents[2] / "resources", mode)
    theme.apply(app)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        home = Path(place)
        if shot.language:
            write_pseudo_language(home, shot.language)
            install_translation(app, home, [shot.language])
        answers = (said(RIGHT_TO_LEFT), said(EASTERN), coded(CODE))
        async with opened(theme, home, *answers) as bench:
            window = bench.window
            scale = float(shot.scale)
            window.resize(round(shot.width / scale), round(shot.height / scale))
            await asyncio.sleep(0.3)
            window.grab().save(str(folder / f"{shot.name}-start.png"))
            for title in TITLES:
                bench.parts.composer.text_edit.setPlainText(title)
                bench.send("")
                await until(lambda: bench.window.view.session is not None)
                await (bench.asked() if title == TITLES[-1] else bench.rests())
            await asyncio.sleep(0.5)
            window.grab().save(str(folder / f"{shot.name}-asked.png"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
