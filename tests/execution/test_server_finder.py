"""Real servers, a gateway and a Hub are asked who they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from playhead.domain.execution import Place
from playhead.domain.places import server_place
from playhead.domain.secret import Secret
from playhead.errors import ExecutionError
from playhead.execution.environments.server_finder import ask_server
from tests.execution.test_jupyter_kernels import Runs
from tests.support.jupyter_servers import TOKEN, jupyter_hub, jupyter_server
from tests.support.kernels import executor, text_of


@pytest.mark.slow_group("jupyter")
async def test_a_gateway_says_what_runs_there_and_runs_it(tmp_path: Path) -> None:
    async def token_of(place: Place) -> Secret:
        return Secret(TOKEN)

    with jupyter_server(tmp_path, "kernel_gateway") as address:
        found = await ask_server(address, Secret(TOKEN))
        assert (found.kind, [one.name for one in found.specs]) == ("gateway", ["python3", "odd"])
        with pytest.raises(ExecutionError) as raised:
            await ask_server(address, Secret("another"))
        assert raised.value.code == "place_unauthorized"
        place = server_place(found.address, "gate", found.specs[0])
        async with executor(tmp_path, token_of=token_of) as made:
            runs = Runs(made, place, tmp_path)
            assert text_of(await runs.all("print(6 * 7)")) == "42\n"
            running = (await ask_server(address, Secret(TOKEN))).running
            assert [one.spec for one in running] == ["python3"]
        assert not (await ask_server(address, Secret(TOKEN))).running  # ended with the executor


@pytest.mark.slow_group("jupyter")
async def test_a_hub_starts_the_server_of_its_user(tmp_path: Path) -> None:
    with jupyter_hub(tmp_path) as (address, token):

        async def token_of(place: Place) -> Secret:
            return Secret(token)

        with pytest.raises(ExecutionError, match="wants a token"):
            await ask_server(address)
        said: list[str] = []
        found = await ask_server(address, Secret(token), said.append)
        assert (found.kind, found.user) == ("hub", "anna")
        assert found.address.endswith("/user/anna")
        assert "Starting the server of anna" in said[0]
        place = server_place(found.address, "hub", found.specs[0])
        async with executor(tmp_path, token_of=token_of) as made:
            assert text_of(await Runs(made, place, tmp_path).all("print(6 * 7)")) == "42\n"
