"""Sends requests to a Plant Store so that no failure of the network loses, repeats or overwrites a plant."""
import json, random, time
from email.utils import parsedate_to_datetime
from http.client import HTTPException

ATTEMPTS, PAUSE, MAY_SUCCEED_LATER = 6, 0.1, (408, 425, 429)  # The pause is in seconds.

def send(connection, call):
    """The belief and the last response. The belief is "unknown" if nobody can find out what happened.

    `connection` is an HTTPConnection or HTTPSConnection of http.client, whose timeout limits each wait. A call has
    `method`, `path`, `headers`, perhaps `body`, and for PUT, POST and DELETE `plant`, the path of the plant.
    """
    headers, may_be_done = dict(call["headers"]), False
    if call["method"] in ("PUT", "DELETE") and "If-Match" not in headers:
        # With If-Match a repetition cannot undo what another client does in between.
        if etag := look(connection, call)[1].get("ETag"):
            headers["If-Match"] = etag
    for i in range(ATTEMPTS):
        response = status, fields, _ = attempt(connection, call, headers)
        if 200 <= status < 300:
            return "done", response
        if 400 <= status < 500 and status not in MAY_SUCCEED_LATER:
            return find(connection, call) if may_be_done else "failed", response
        may_be_done = "plant" in call and (may_be_done or status == 0 or status >= 500)
        time.sleep(pause_of(fields.get("Retry-After"), i))
    return "unknown", response

def attempt(connection, call, headers):
    """One attempt: its status, header fields and body. The status is 0 if no whole response arrived."""
    try:
        connection.request(call["method"], call["path"], call.get("body", "").encode() or None, headers)
        response = connection.getresponse()
        text = response.read().decode()
        if response.status == 200:
            json.loads(text)  # A body without a length may be cut without an error.
        return response.status, response.headers, text
    except (OSError, HTTPException, ValueError):
        connection.close()  # The next request opens it again.
        return 0, {}, ""

def look(connection, call):
    headers = {"Authorization": call["headers"]["Authorization"]}
    return send(connection, {"method": "GET", "path": call["plant"], "headers": headers})[1]

def find(connection, call):
    """An earlier attempt may have been carried out. The store shows it."""
    status, _, text = look(connection, call)
    if call["method"] == "DELETE":
        return "done" if status == 404 else "unknown"
    wanted, stored = json.loads(call["body"]), json.loads(text) if status == 200 else {}
    return "done" if all(wanted.get(name) == stored.get(name) for name in ("name", "tag")) else "unknown"

def pause_of(after, attempts):
    """Retry-After has seconds or a date (RFC 9110, 10.2.3). Without it, each pause is longer than the one before."""
    if not after:
        return PAUSE * 2**attempts * random.uniform(0.5, 1.5)
    return int(after) if after.isdigit() else max(0, parsedate_to_datetime(after).timestamp() - time.time())
