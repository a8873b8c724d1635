"""The walk that every client does. The address comes from the description."""

import os
import re
from collections.abc import Callable

from openapi_client import ApiClient, Configuration, NewPlant, Plant, PlantsApi, StoredPlant
from openapi_client.exceptions import ApiException
from openapi_client.models.error import Error
from pydantic import ValidationError

GREATEST = 9223372036854775807
CURSOR = re.compile(r'[?&]after=([^&>]+)[^>]*>; *rel="next"')

plants = PlantsApi(ApiClient(Configuration(access_token=os.environ["TOKEN"])))
stranger = PlantsApi(ApiClient(Configuration()))


def status_of(request: Callable[[], object]) -> tuple[int | None, int | None]:
    """Returns the status of the response that the client raises, and the number of its Error."""
    try:
        request()
    except ApiException as raised:
        return raised.status, raised.data.error if isinstance(raised.data, Error) else None
    raise AssertionError("the request succeeded")


aloe = NewPlant(id=GREATEST, name="Aloe vera")
for _ in ("the create", "its replay"):
    created = plants.create_plant_with_http_info(aloe)
    assert created.status_code == 200 and created.data == Plant(name="Aloe vera"), created
    assert created.headers and created.headers["Location"].endswith(f"/plants/{GREATEST}"), created
ficus = NewPlant(id=GREATEST, name="Ficus")
assert status_of(lambda: plants.create_plant(ficus)) == (400, 40009)

read = plants.get_plant_with_http_info(GREATEST)
assert read.data == StoredPlant(id=GREATEST, name="Aloe vera"), read
etag = (read.headers or {})["ETag"]

for number in range(1, 251):
    plants.create_plant(NewPlant(id=number, name="Fern", tag="walk"))
ids: list[int] = []
after: str | None = None
while True:
    page = plants.list_plants_with_http_info(limit=100, tag="walk", after=after)
    ids += [plant.id for plant in page.data]
    found = CURSOR.search((page.headers or {}).get("Link", ""))
    if found is None:
        break
    after = found[1]
assert ids == list(range(1, 251)), ids

renamed = Plant(name="Aloe barbadensis")
replaced = plants.replace_plant_with_http_info(GREATEST, renamed, if_match=etag)
assert replaced.data == StoredPlant(id=GREATEST, name="Aloe barbadensis"), replaced
assert status_of(lambda: plants.replace_plant(GREATEST, renamed, if_match=etag)) == (412, 41200)
current = (replaced.headers or {})["ETag"]
assert status_of(lambda: plants.get_plant(GREATEST, if_none_match=current)) == (304, None)

assert plants.delete_plant_with_http_info(GREATEST).status_code == 204
assert status_of(lambda: plants.get_plant(GREATEST)) == (404, 40401)
assert status_of(lambda: stranger.get_plant(GREATEST)) == (401, 40100)

try:
    NewPlant(id=0, name="x" * 1025)
    raise SystemExit("a name that is too long was taken")
except ValidationError:
    pass  # Refused before it is sent. The service refuses it as well:
too_long = NewPlant.model_construct(id=0, name="x" * 1025)
assert status_of(lambda: plants.create_plant(too_long)) == (400, 40005)
