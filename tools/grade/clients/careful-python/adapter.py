"""Does the tasks of `plantstore grade client` with the careful client of the guide."""
import json
import os
import re
from urllib.parse import urljoin

from careful import send

TIMEOUT = int(os.environ["PLANTSTORE_TIMEOUT_MS"]) / 1000  # seconds


def read_all(call):
    """Reads all pages. The ids are reported as texts."""
    plants, url = [], call["url"]
    while url:
        belief, (_, fields, body) = send({**call, "url": url}, TIMEOUT)
        if belief != "done":
            return {"belief": belief}
        plants += [{**plant, "id": str(plant["id"])} for plant in json.loads(body)]
        following = re.search(r'<([^>]*)>; rel="next"', fields.get("Link", ""))
        url = following and urljoin(url, following[1])
    return {"belief": "done", "plants": plants}


def do(kind, call):
    if kind == "list":
        return read_all(call)
    belief, (status, _, body) = send(call, TIMEOUT)
    return {"belief": belief, **({"status": status, "body": body} if status else {})}


with open(os.environ["PLANTSTORE_TASKS"], encoding="utf-8") as tasks:
    for call in map(json.loads, tasks):
        result = {"task": call.pop("task"), **do(call.pop("kind"), call)}
        with open(os.environ["PLANTSTORE_REPORT"], "a", encoding="utf-8") as report:
            print(json.dumps(result), file=report)
