"""Does the tasks of `plantstore grade client` with the careful client of the guide."""
import json
import os
import re
from http.client import HTTPConnection
from urllib.parse import urljoin, urlsplit

from careful import send

TIMEOUT = int(os.environ["PLANTSTORE_TIMEOUT_MS"]) / 1000  # seconds
connection = HTTPConnection(urlsplit(os.environ["PLANTSTORE_URL"]).netloc, timeout=TIMEOUT)


def read_all(call):
    """Reads all pages. The ids are reported as texts."""
    plants = []
    while call:
        belief, (_, fields, body) = send(connection, call)
        if belief != "done":
            return {"belief": belief}
        plants += [{**plant, "id": str(plant["id"])} for plant in json.loads(body)]
        following = re.search(r'<([^>]*)>; rel="next"', fields.get("Link", ""))
        call = following and {**call, "path": urljoin(call["path"], following[1])}
    return {"belief": "done", "plants": plants}


def do(kind, call):
    if kind == "list":
        return read_all(call)
    if kind == "create":
        call["plant"] = f'{call["path"]}/{json.loads(call["body"])["id"]}'
    elif kind != "get":
        call["plant"] = call["path"]
    belief, (status, _, body) = send(connection, call)
    return {"belief": belief, **({"status": status, "body": body} if status else {})}


with open(os.environ["PLANTSTORE_TASKS"], encoding="utf-8") as tasks:
    for call in map(json.loads, tasks):
        call["path"] = urlsplit(call.pop("url")).path
        result = {"task": call.pop("task"), **do(call.pop("kind"), call)}
        with open(os.environ["PLANTSTORE_REPORT"], "a", encoding="utf-8") as report:
            print(json.dumps(result), file=report)
