"""The walk for events: change a plant, and read its events on two pages."""

import os
import re

import httpx
from plant_store_events_client import AuthenticatedClient
from plant_store_events_client.api.events import list_events
from plant_store_events_client.models import Error, PlantCreated, PlantDeleted, PlantReplaced
from plant_store_events_client.types import UNSET

GREATEST = 9223372036854775807
CURSOR = re.compile(r'[?&]after=([^&>]+)[^>]*>; *rel="next"')
URL = os.environ["URL"]

client = AuthenticatedClient(base_url=URL, token=os.environ["TOKEN"])

with httpx.Client(base_url=URL, headers={"Authorization": f"Bearer {os.environ['TOKEN']}"}) as plants:
    plants.post("/plants", json={"id": GREATEST, "name": "Aloe vera"}).raise_for_status()
    plants.put(f"/plants/{GREATEST}", json={"name": "Aloe ferox", "tag": "succulent"}).raise_for_status()
    plants.delete(f"/plants/{GREATEST}").raise_for_status()

first = list_events.sync_detailed(client=client, limit=2)
assert isinstance(first.parsed, list), first
created, replaced = first.parsed
assert isinstance(created, PlantCreated) and isinstance(replaced, PlantReplaced)
assert (created.data.id, created.data.name, created.data.tag) == (GREATEST, "Aloe vera", UNSET)
assert (replaced.data.id, replaced.data.tag) == (GREATEST, "succulent")
assert (replaced.data.previous_name, replaced.data.previous_tag) == ("Aloe vera", None)

found = CURSOR.search(first.headers["Link"])
assert found is not None and found[1] == replaced.id
second = list_events.sync_detailed(client=client, after=found[1])
assert isinstance(second.parsed, list), second
(deleted,) = second.parsed
assert isinstance(deleted, PlantDeleted)
assert (deleted.data.id, deleted.data.tag, deleted.sequence) == (GREATEST, "succulent", 3)
assert deleted.timestamp >= created.timestamp

foreign = list_events.sync(client=client, after="A" * 40)
assert isinstance(foreign, Error) and foreign.error == 40006, foreign
stranger = AuthenticatedClient(base_url=URL, token="").set_httpx_client(httpx.Client(base_url=URL))
refused = list_events.sync(client=stranger)
assert isinstance(refused, Error) and refused.error == 40100, refused
