"""HTML: a page is shown, nothing of it is run."""

from __future__ import annotations

import os

from ..driver import Driver, Job, Outcome


class Html(Driver):
    """Passes a page on as a result; it needs no program."""

    word = "html"
    name = "HTML"
    aliases = ("htm", "xhtml")
    only_shows = True

    def start(self) -> str:
        """Return "": there is nothing to start."""
        return ""

    def execute(self, job: Job) -> Outcome:
        """Show the block."""
        name = "%s.html" % self.context.channel.run
        with open(os.path.join(self.context.spool, name), "wb") as file:
            file.write(job.code.encode("utf-8", "replace"))
        self.context.channel.send("show", kind="html", file=name)
        return Outcome("finished")
