"""Sends requests to a Plant Store so that no failure of the network loses, repeats or overwrites a plant."""
import json, random, re, time
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

ATTEMPTS, PAUSE, MAY_SUCCEED_LATER = 6, 0.1, (408, 425, 429)  # The pause is in seconds.

def attempt(call, headers, timeout):
    """One attempt: its status, header fields and body. The status is 0 if no whole response arrived."""
    request = Request(call["url"], call.get("body", "").encode() or None, headers, method=call["method"])
    try:
        try:  # The time-out is for each wait, since urllib has none for the whole attempt.
            response = urlopen(request, timeout=timeout)
        except HTTPError as error:
            response = error
        with response:
            text = response.read().decode()
        if response.status < 300 and response.status != 204:
            json.loads(text)  # A proxy or a connection without a length may cut a body without an error.
        return response.status, response.headers, text
    except (OSError, HTTPException, ValueError):
        return 0, {}, ""

def send(call, timeout):
    """The belief and the last response. The belief is "unknown" if nobody can find out what happened."""
    headers, may_be_done = dict(call["headers"]), False
    look = lambda: send({"method": "GET", "url": address_of(call), "headers": call["headers"]}, timeout)[1]
    if call["method"] in ("PUT", "DELETE") and "If-Match" not in headers:
        # With If-Match a repetition cannot undo what another client does in between.
        if etag := look()[1].get("ETag"):
            headers["If-Match"] = etag
    for i in range(ATTEMPTS):
        response = status, fields, _ = attempt(call, headers, timeout)
        if 200 <= status < 300:
            return "done", response
        if 400 <= status < 500 and status not in MAY_SUCCEED_LATER:
            return find(call, status, look) if may_be_done else "failed", response
        may_be_done = may_be_done or status == 0 or status >= 500
        time.sleep(pause_of(fields.get("Retry-After"), i))
    return "unknown", response

def find(call, status, look):
    """An earlier attempt may have been carried out. The store shows it."""
    if call["method"] == "DELETE":
        return "done" if status == 404 else "unknown"
    wanted, (status, _, text) = json.loads(call["body"]), look()
    stored = json.loads(text) if status == 200 else {}
    return "done" if all(wanted.get(name) == stored.get(name) for name in ("name", "tag")) else "unknown"

def address_of(call):
    number = re.search(r'"id":\s*(-?\d+)', call.get("body", ""))
    return f'{call["url"]}/{number[1]}' if call["method"] == "POST" else call["url"]

def pause_of(after, attempts):
    """Retry-After has seconds or a date (RFC 9110, 10.2.3). Without it, each pause is longer than the one before."""
    if not after:
        return PAUSE * 2**attempts * random.uniform(0.5, 1.5)
    return int(after) if after.isdigit() else max(0, parsedate_to_datetime(after).timestamp() - time.time())
