"""The settings of one turn: the options of its request and the values derived from them."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec import Struct

from playhead.domain.execution import RunLimits
from playhead.domain.model import DIRECT_MODEL, ModelChoice, ModelSettings, ToolOffer
from playhead.domain.settings import AppSettings, ConversationConfig
from playhead.domain.trust import Policy
from playhead.session.model_choice import model_for, settings_for
from playhead.session.ports import SessionPorts


class TurnOptions(Struct, frozen=True, kw_only=True):
    """Options of one turn.

    `instructions` are added after the user's. `tools` are a client's: the turn ends with their
    calls because the client carries them out; its own `execute` may be among them.
    `must_call`: the first answer has to be a call.
    `offers_execute` is whether the model may have code run at all; `auto_run` None leaves that
    to the conversation. `stop_grace_s` is the time between the interrupt and the kill.
    `has_input` is whether the user can type what the code asks for. `typed` is the text that a
    person typed letter for letter and sent by a key: that approves it as code for Direct mode.
    `follows_policy`: code that the policy does not ask about runs; else all of it waits.
    """

    choice: ModelChoice = msgspec.field(default_factory=ModelChoice)
    instructions: str = ""
    tools: tuple[ToolOffer, ...] = ()
    offers_execute: bool = True
    must_call: bool = False
    auto_run: bool | None = None
    stop_grace_s: float = 2.0
    has_input: bool = True
    typed: str = ""
    follows_policy: bool = True


class TurnSettings(Struct, frozen=True, kw_only=True):
    """Settings of a turn, unchanged from its first question to its end but for the `policy`.

    `policy` returns what code may do at this moment, `fresh_after` the number of code runs whose
    kernel has ended, `survivors` which of their variables came back, or will; "" if none. `tools`
    are a client's own (the turn ends with their calls), `offers_execute` is whether the model may
    have code run, `stop_grace_s` is the time between the interrupt and the kill. Without
    `has_input` standard input ends where a run begins. `system_prompt` replaces the default one,
    `budget` is in US dollars, 0 for no limit. `typed` is code that runs without a question if
    Direct mode proposes it letter for letter.
    `follows_policy`: code that the policy does not ask about runs.
    """

    model: ModelSettings
    instructions: str
    max_steps: int
    folder: str
    interpreter: str
    fresh_after: Callable[[], int]
    policy: Callable[[], Policy] = Policy
    survivors: Callable[[], str] = lambda: ""
    tools: tuple[ToolOffer, ...] = ()
    offers_execute: bool = True
    must_call: bool = False
    stop_grace_s: float = 2.0
    has_input: bool = True
    limits: RunLimits = msgspec.field(default_factory=RunLimits)
    shows_lines: bool = True
    times_lines: bool = False
    keeps_values: bool = True
    system_prompt: str = ""
    budget: float = 0.0
    typed: str = ""
    follows_policy: bool = True


async def turn_settings(
    ports: SessionPorts,
    config: ConversationConfig,
    options: TurnOptions,
    folder: str,
    interpreter: str,
    fresh_after: Callable[[], int],
    policy: Callable[[], Policy],
    survivors: Callable[[], str],
) -> TurnSettings:
    """Return the settings of one turn; `interpreter` is the conversation's own, '' for none."""
    settings = settings_for(ports.settings.current, ports.catalog, config)
    model = await model_for(options.choice, ports.settings, ports.keys, ports.catalog, config)
    is_approved = model.model == DIRECT_MODEL and not settings.asks_typed_code
    told = (settings.instructions, options.instructions) if options.offers_execute else ()
    return TurnSettings(
        model=model,
        instructions="\n\n".join(part for part in told or (options.instructions,) if part),
        max_steps=settings.max_steps,
        folder=folder,
        interpreter=interpreter or settings.interpreter,
        fresh_after=fresh_after,
        policy=policy,
        survivors=survivors,
        tools=options.tools,
        offers_execute=options.offers_execute,
        must_call=options.must_call,
        stop_grace_s=options.stop_grace_s,
        has_input=options.has_input,
        limits=limits_of(settings),
        shows_lines=settings.shows_running_line,
        times_lines=settings.times_lines,
        keeps_values=settings.keeps_values,
        system_prompt=settings.system_prompt,
        budget=settings.budget,
        typed=options.typed.strip() if is_approved else "",
        follows_policy=options.follows_policy,
    )


def limits_of(settings: AppSettings) -> RunLimits:
    """Return the limits of runs that the settings say."""
    return RunLimits(
        settings.run_limit_s,
        settings.run_limit_mb * 1_000_000,
        settings.output_limit_mb * 1_000_000,
    )
