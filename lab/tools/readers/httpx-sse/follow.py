"""Prints a line for each event. Connects again whenever the stream ends, and continues after the last event."""

import os
import time

import httpx
from httpx_sse import connect_sse

headers = {"Authorization": f"Bearer {os.environ['TOKEN']}"}

# A stream may be silent for 15 seconds. The default timeout of httpx is 5 seconds.
with httpx.Client(timeout=httpx.Timeout(5, read=60)) as client:
    while True:
        try:
            with connect_sse(client, "GET", os.environ["URL"], headers=headers) as source:
                source.response.raise_for_status()
                for sse in source.iter_sse():
                    if not sse.data:
                        continue  # Only `retry`, or a comment.
                    print(sse.id, sse.event, sse.json()["data"]["id"], flush=True)
                    headers["Last-Event-ID"] = sse.id
        except httpx.TransportError:
            pass
        time.sleep(1)
