"""What a turn holds on to, gathered from settings, profile, conversation and request."""

from __future__ import annotations

from collections.abc import Callable

from playhead.conversation.requests import AppSettings, ConversationConfig, RunLimits
from playhead.session.model_choice import model_for, settings_for
from playhead.session.options import TurnOptions
from playhead.session.session_values import SessionPorts
from playhead.session.turn_values import TurnSettings


async def turn_settings(
    ports: SessionPorts,
    config: ConversationConfig,
    options: TurnOptions,
    folder: str,
    interpreter: str,
    fresh_after: Callable[[], int],
) -> TurnSettings:
    """The settings of one turn; `interpreter` is the conversation's own, '' for none."""
    settings = settings_for(ports.settings.current, ports.catalog, config)
    told = (settings.instructions, options.instructions) if options.offers_execute else ()
    return TurnSettings(
        model=await model_for(options.choice, ports.settings, ports.keys, ports.catalog, config),
        instructions="\n\n".join(part for part in told or (options.instructions,) if part),
        max_steps=settings.max_steps,
        folder=folder,
        interpreter=interpreter or settings.interpreter,
        fresh_after=fresh_after,
        tools=options.tools,
        offers_execute=options.offers_execute,
        must_call=options.must_call,
        stop_grace_s=options.stop_grace_s,
        has_input=options.has_input,
        limits=_limits(settings),
        shows_lines=settings.shows_running_line,
        times_lines=settings.times_lines,
        system_prompt=settings.system_prompt,
        budget=settings.budget,
    )


def _limits(settings: AppSettings) -> RunLimits:
    return RunLimits(
        settings.run_limit_s,
        settings.run_limit_mb * 1_000_000,
        settings.output_limit_mb * 1_000_000,
    )
