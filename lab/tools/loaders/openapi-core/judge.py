"""Validates recorded exchanges against the description: judge.py DESCRIPTION EXCHANGES."""

import json
import sys

from openapi_core import OpenAPI
from openapi_core.exceptions import OpenAPIError
from openapi_core.testing import MockRequest, MockResponse

openapi = OpenAPI.from_file_path(sys.argv[1])
server = openapi.spec["servers"][0]["url"]
exchanges = json.load(open(sys.argv[2]))
for each in exchanges:
    what = f"{each['method']} {each['path']} -> {each['status']}"
    path, _, query = each["path"].partition("?")
    headers = each["requestHeaders"]
    request = MockRequest(
        server,
        each["method"].lower(),
        path,
        args=dict(pair.split("=") for pair in query.split("&") if pair),
        headers=headers,
        data=each["requestBody"].encode(),
        content_type=headers.get("Content-Type", ""),
    )
    try:
        openapi.validate_request(request)
        refusal = None
    except OpenAPIError as error:
        refusal = error
    if (refusal is None) != each["isValid"]:
        sys.exit(f"{what}: the request is valid: {each['isValid']}; {refusal!r} {refusal.__cause__!r}")
    body = each["body"].encode() or None
    response = MockResponse(body, each["status"], each["headers"], each["headers"].get("content-type"))
    try:
        openapi.validate_response(request, response)
    except OpenAPIError as error:
        sys.exit(f"{what}: {error!r} {error.__cause__!r}")
print(len(exchanges), "exchanges agree")
