"""Receives the webhooks of a Plant Store: stores each right message once, and refuses every other.

PORT=8081 WEBHOOK_SECRET=whsec_… EVENTS=events.ndjson python3 careful.py
"""
import base64, hmac, os, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
MAX_BYTES = 1_048_576
stored = set()  # A real receiver keeps the ids in its database, in the transaction that stores the event.
lock = threading.Lock()  # The same message may arrive twice at the same time.

def is_right(headers, body):
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body  # The bytes as they came.
    wanted = "v1," + base64.b64encode(hmac.digest(KEY, signed, "sha256")).decode()
    # There are two signatures while a secret is rotated. compare_digest takes the same time for each wrong one.
    found = headers.get("webhook-signature", "").split(" ")
    return message_id and any(hmac.compare_digest(one.encode(), wanted.encode()) for one in found)

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        size = int(self.headers.get("Content-Length", "0"))
        body = self.rfile.read(max(0, min(size, MAX_BYTES)))  # A negative size would read without end.
        if size > MAX_BYTES or not is_right(self.headers, body):
            return self.answer(413 if size > MAX_BYTES else 401)
        with lock:
            if self.headers["webhook-id"] not in stored:
                with open(os.environ["EVENTS"], "ab") as events:
                    events.write(body + b"\n")
                stored.add(self.headers["webhook-id"])
        self.answer(204)  # Also for unknown types: any other status would make the service send the event again.

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
