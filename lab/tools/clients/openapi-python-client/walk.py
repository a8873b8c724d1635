"""The walk that every client does. These clients contain no address, so the walk sets it."""

import os
import re
from typing import TypeVar

from httpx import Client
from plant_store_client import AuthenticatedClient
from plant_store_client.api.plants import create_plant, delete_plant, get_plant, list_plants, replace_plant
from plant_store_client.models import Error, NewPlant, Plant, StoredPlant
from plant_store_client.types import UNSET, Response

T = TypeVar("T")

GREATEST = 9223372036854775807
CURSOR = re.compile(r'[?&]after=([^&>]+)[^>]*>; *rel="next"')

client = AuthenticatedClient(base_url=os.environ["URL"], token=os.environ["TOKEN"])


def seen(response: Response[T | Error], status: int, kind: type[T]) -> T:
    assert response.status_code == status, response
    assert isinstance(response.parsed, kind), response
    return response.parsed


def refused(response: Response[T | Error], error: int) -> None:
    assert response.status_code == error // 100, response
    assert isinstance(response.parsed, Error) and response.parsed.error == error, response


aloe = NewPlant(id=GREATEST, name="Aloe vera")
for _ in ("the create", "its replay"):
    created = create_plant.sync_detailed(client=client, body=aloe)
    assert seen(created, 200, Plant) == Plant(name="Aloe vera", tag=UNSET)
    assert created.headers["Location"].endswith(f"/plants/{GREATEST}")
refused(create_plant.sync_detailed(client=client, body=NewPlant(id=GREATEST, name="Ficus")), 40009)

read = get_plant.sync_detailed(GREATEST, client=client)
assert seen(read, 200, StoredPlant) == StoredPlant(id=GREATEST, name="Aloe vera")
etag = read.headers["ETag"]

for number in range(1, 251):
    created = create_plant.sync_detailed(client=client, body=NewPlant(id=number, name="Fern", tag="walk"))
    seen(created, 200, Plant)
ids: list[int] = []
after: str | None = None
while True:
    page = list_plants.sync_detailed(client=client, limit=100, tag="walk", after=after or UNSET)
    plants: list[StoredPlant] = seen(page, 200, list)
    ids += [plant.id for plant in plants]
    found = CURSOR.search(page.headers.get("Link", ""))
    if found is None:
        break
    after = found[1]
assert ids == list(range(1, 251)), ids

renamed = Plant(name="Aloe barbadensis")
replaced = replace_plant.sync_detailed(GREATEST, client=client, body=renamed, if_match=etag)
assert seen(replaced, 200, StoredPlant) == StoredPlant(id=GREATEST, name="Aloe barbadensis")
refused(replace_plant.sync_detailed(GREATEST, client=client, body=renamed, if_match=etag), 41200)
current = replaced.headers["ETag"]
assert get_plant.sync_detailed(GREATEST, client=client, if_none_match=current).status_code == 304

assert delete_plant.sync_detailed(GREATEST, client=client).status_code == 204
refused(get_plant.sync_detailed(GREATEST, client=client), 40401)

stranger = AuthenticatedClient(base_url=os.environ["URL"], token="").set_httpx_client(Client(base_url=os.environ["URL"]))
refused(get_plant.sync_detailed(GREATEST, client=stranger), 40100)
refused(create_plant.sync_detailed(client=client, body=NewPlant(id=0, name="x" * 1025)), 40005)
