"""Does the tasks of `plantstore grade client` with one of Python's HTTP libraries: adapter.py LIBRARY."""
import asyncio
import json
import os
import re
import sys
from urllib.parse import urljoin

TIMEOUT = int(os.environ["PLANTSTORE_TIMEOUT_MS"]) / 1000  # seconds

# Each function opens a client. It returns a function that sends a request with the arguments method, url, headers and
# data, and returns the status, the header fields and the bytes of the body.


def open_requests(retries=0):
    import requests
    from requests.adapters import HTTPAdapter

    session = requests.Session()
    session.mount("http://", HTTPAdapter(max_retries=retries))

    def send(**request):
        response = session.request(**request, timeout=TIMEOUT)
        return response.status_code, response.headers, response.content

    return send


def open_requests_retry():
    from urllib3.util import Retry

    return open_requests(Retry(total=3, backoff_factor=0.1, status_forcelist=[502, 503, 504]))


def open_urllib3():
    import urllib3

    pool = urllib3.PoolManager(timeout=TIMEOUT)

    def send(method, url, headers, data):
        response = pool.request(method, url, headers=headers, body=data)
        return response.status, response.headers, response.data

    return send


def open_httpx(transport=None):
    import httpx

    client = httpx.Client(transport=transport, timeout=TIMEOUT)

    def send(method, url, headers, data):
        response = client.request(method, url, headers=headers, content=data)
        return response.status_code, response.headers, response.content

    return send


def open_httpx_retries():
    from httpx_retries import RetryTransport

    return open_httpx(RetryTransport())


def open_tenacity():
    import httpx
    from tenacity import retry, stop_after_attempt, wait_random_exponential

    client = httpx.Client(timeout=TIMEOUT)

    @retry(reraise=True, stop=stop_after_attempt(3), wait=wait_random_exponential(multiplier=0.1, max=60))
    def request(method, url, headers, data):
        return client.request(method, url, headers=headers, content=data).raise_for_status()

    def send(**call):
        try:
            response = request(**call)
        except httpx.HTTPStatusError as error:
            response = error.response
        return response.status_code, response.headers, response.content

    return send


def open_aiohttp(wrap=lambda session: session):
    import aiohttp

    loop = asyncio.new_event_loop()

    async def start():
        return wrap(aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=TIMEOUT)))

    session = loop.run_until_complete(start())

    async def request(**call):
        async with session.request(**call) as response:
            return response.status, response.headers, await response.read()

    return lambda **call: loop.run_until_complete(request(**call))


def open_aiohttp_retry():
    from aiohttp_retry import ExponentialRetry, RetryClient

    return open_aiohttp(lambda session: RetryClient(session, retry_options=ExponentialRetry(attempts=3)))


def open_openapi_python_client():
    from urllib.parse import parse_qs, urlsplit

    from plant_store_client import AuthenticatedClient
    from plant_store_client.api.plants import create_plant, delete_plant, get_plant, list_plants, replace_plant
    from plant_store_client.models import NewPlant, Plant

    address, token = os.environ["PLANTSTORE_URL"], os.environ["PLANTSTORE_TOKEN"]
    client = AuthenticatedClient(base_url=address, token=token, timeout=TIMEOUT)

    def request(method, path, query, if_match, data):
        plant = int(path[8:] or 0)  # The digits after /plants/.
        if method == "POST":
            return create_plant.sync_detailed(client=client, body=NewPlant.from_dict(json.loads(data)))
        if method == "PUT":
            body = Plant.from_dict(json.loads(data))
            return replace_plant.sync_detailed(plant, client=client, body=body, **if_match)
        if method == "DELETE":
            return delete_plant.sync_detailed(plant, client=client, **if_match)
        if plant:
            return get_plant.sync_detailed(plant, client=client)
        return list_plants.sync_detailed(client=client, **query)

    def send(method, url, headers, data):
        address = urlsplit(url)
        query = {name: values[0] for name, values in parse_qs(address.query).items() if name == "after"}
        if_match = {"if_match": headers["If-Match"]} if "If-Match" in headers else {}
        response = request(method, address.path, query, if_match, data)
        return response.status_code, response.headers, response.content

    return send


def do(send, method, url, headers, body=None):
    data = body if body is None else body.encode()
    status, _, content = send(method=method, url=url, headers=headers, data=data)
    return {"status": status, "body": content.decode()}


def do_list(send, method, url, headers):
    plants = []
    while url:
        status, fields, content = send(method=method, url=url, headers=headers, data=None)
        if status != 200:
            return {"status": status}
        plants += [{**plant, "id": str(plant["id"])} for plant in json.loads(content)]
        following = re.search(r'<([^>]*)>; rel="next"', fields.get("Link", ""))
        url = following and urljoin(url, following[1])
    return {"status": 200, "plants": plants}


def main():
    send = globals()["open_" + sys.argv[1].replace("-", "_")]()
    with open(os.environ["PLANTSTORE_TASKS"], encoding="utf-8") as tasks:
        calls = [json.loads(line) for line in tasks]
    with open(os.environ["PLANTSTORE_REPORT"], "a", encoding="utf-8") as report:
        for call in calls:
            task, kind = call.pop("task"), call.pop("kind")
            try:
                result = (do_list if kind == "list" else do)(send, **call)
            except Exception as error:  # Each library has its own.
                result = {"error": repr(error)}
            print(json.dumps({"task": task, **result}), file=report, flush=True)


main()
