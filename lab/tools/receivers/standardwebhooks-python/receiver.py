"""Receives webhooks with the official library. It stores each message once."""

import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook

webhook = Webhook(os.environ["PLANTSTORE_SECRET"])
stored = set()
lock = threading.Lock()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        size = int(self.headers.get("Content-Length", "0"))
        if size > 1_048_576:
            return self.answer(413)
        body = self.rfile.read(size)
        try:
            webhook.verify(body, dict(self.headers), json_parse=False)
        except Exception:  # Not only WebhookVerificationError.
            return self.answer(401)
        with lock:
            if self.headers["webhook-id"] not in stored:
                with open(os.environ["PLANTSTORE_REPORT"], "ab") as report:
                    report.write(body + b"\n")
                stored.add(self.headers["webhook-id"])
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PLANTSTORE_PORT"])), Receiver).serve_forever()
