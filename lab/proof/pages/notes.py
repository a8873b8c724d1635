"""Reads a list of requests as JSON on standard input. Writes REDbot's notes about each response as JSON."""

import json
import sys
from configparser import ConfigParser

import thor
from redbot.resource import HttpResource

config = ConfigParser()
config.read_dict({"redbot": {"enable_local_access": "True"}})
requests = json.load(sys.stdin)
resources = [HttpResource(config["redbot"]) for _ in requests]
waiting = iter(zip(resources, requests))
running = len(requests)


def check_next() -> None:
    resource, request = next(waiting, (None, None))
    if resource is not None:
        resource.on("check_done", done)
        resource.set_request(request["url"], headers=request["headers"])
        resource.check()


def done() -> None:
    global running
    running -= 1
    if running == 0:
        thor.stop()
    else:
        check_next()


def flat(notes: list) -> list:
    return [one for note in notes for one in [note, *flat(note.subnotes)]]


def described(note) -> dict:
    return {"level": note.level.name, "note": type(note).__name__, "summary": str(note.summary)}


for _ in range(8):
    check_next()
thor.run()
json.dump([[described(note) for note in flat(resource.response.notes)] for resource in resources], sys.stdout)
