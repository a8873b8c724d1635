"""A tea shop that can be wrong in three ways. `plantstore grade --manifest` grades API testers on it.

It needs only the standard library of Python 3.8 or newer. docs/manifest.md explains the channel.
"""

import json
import os
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "tea-token"
TEA = {
    "type": "object",
    "required": ["name", "grams"],
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 50},
        "grams": {"type": "integer", "minimum": 1, "maximum": 1000},
    },
}
BODY = {"application/json": {"schema": {"$ref": "#/components/schemas/Tea"}}}
NAME = {"name": "name", "in": "path", "required": True, "schema": {"type": "string", "pattern": "^[a-z]{1,50}$"}}
EMPTY = {"description": "No such tea, or no valid token."}
DESCRIPTION = {
    "openapi": "3.1.0",
    "info": {"title": "Tea shop", "version": "1.0.0"},
    "servers": [{"url": "/"}],
    "security": [{"bearer": []}],
    "paths": {
        "/teas/{name}": {
            "parameters": [NAME],
            "get": {
                "operationId": "getTea",
                "responses": {"200": {"description": "The tea.", "content": BODY}, "401": EMPTY, "404": EMPTY},
            },
            "put": {
                "operationId": "putTea",
                "description": "Stores a tea. GET then returns it.",
                "requestBody": {"required": True, "content": BODY},
                "responses": {"204": {"description": "It is stored."}, "400": EMPTY, "401": EMPTY, "404": EMPTY},
            },
        }
    },
    "components": {"schemas": {"Tea": TEA}, "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
}


class Grader:
    """The channel to the grader, and the counts of this service."""

    def __init__(self):
        descriptor = int(os.environ["GRADE_CHANNEL"])
        self.reader = os.fdopen(descriptor, "r", encoding="utf-8")
        self.writer = os.fdopen(os.dup(descriptor), "w", encoding="utf-8")
        self.lock = threading.Lock()
        self.defect = json.loads(self.reader.readline())["defect"]
        self.counts = {"requests": 0, "succeeded": 0, "credentials": 0, "candidates": 0, "triggered": 0, "reached": []}
        self.began = None

    def send(self, message):
        self.writer.write(json.dumps(message) + "\n")
        self.writer.flush()

    def count(self, operation, status, has_credential, is_candidate, is_wrong):
        """Counts a request and its response. `is_wrong`: the clean service would behave differently."""
        with self.lock:
            counts, now = self.counts, time.monotonic()
            self.began = self.began or now
            counts["requests"] += 1
            counts["credentials"] += has_credential
            counts["candidates"] += is_candidate
            counts["triggered"] += is_wrong
            if operation is not None:
                counts["succeeded"] += status < 300
                counts["reached"] = sorted({*counts["reached"], f"{operation} {status}"})
            if is_wrong and "first" not in counts:
                milliseconds = round((now - self.began) * 1000)
                counts["first"] = {"requests": counts["requests"], "milliseconds": milliseconds}
            self.send({"counts": counts})


def is_tea(value):
    if not isinstance(value, dict) or not isinstance(value.get("name"), str) or type(value.get("grams")) is not int:
        return False
    return 1 <= len(value["name"]) <= 50 and 1 <= value["grams"] <= 1000


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    grader = Grader()
    teas = {}

    def handle_request(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        name = re.fullmatch(r"/teas/([a-z]{1,50})", self.path)
        operation = {"GET": "getTea", "PUT": "putTea"}[self.command] if name else None
        status, content = self.perform(operation, name and name.group(1), body)
        right = status, content
        defect = self.grader.defect
        if defect == "grams-as-text" and operation == "getTea" and status == 200:
            content = {**content, "grams": str(content["grams"])}
        elif defect == "no-token-needed" and operation == "getTea" and status == 401:
            status, content = (200, self.teas[name.group(1)]) if name.group(1) in self.teas else (404, None)
        elif defect == "put-forgets" and operation == "putTea" and status == 204:
            self.teas.pop(name.group(1))
        is_wrong = (status, content) != right or (defect == "put-forgets" and right[0] == 204)
        wrong_in = {"grams-as-text": "getTea", "no-token-needed": "getTea", "put-forgets": "putTea"}.get(defect)
        is_candidate = operation is not None and operation == wrong_in
        self.grader.count(operation, status, "Authorization" in self.headers, is_candidate, is_wrong)
        self.respond(status, content)

    do_GET = do_PUT = handle_request

    def perform(self, operation, name, body):
        """What the clean service does. Returns the status and the content."""
        if operation is None:
            return (200, DESCRIPTION) if self.path == "/openapi.json" and self.command == "GET" else (404, None)
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return 401, None
        if operation == "getTea":
            return (200, self.teas[name]) if name in self.teas else (404, None)
        try:
            tea = json.loads(body)
        except ValueError:
            return 400, None
        if not is_tea(tea):
            return 400, None
        self.teas[name] = tea
        return 204, None

    def respond(self, status, content):
        text = b"" if content is None else json.dumps(content).encode()
        self.send_response(status)
        if content is not None:
            self.send_header("Content-Type", "application/json")
        if status != 204:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
Handler.grader.send({"url": f"http://127.0.0.1:{server.server_port}"})
# The grader closes the channel at the end of the run.
Handler.grader.reader.read()
