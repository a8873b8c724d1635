"""Flask, as https://docs.svix.com/receiving/verifying-payloads/how/ shows it."""

import os

from flask import Flask, request
from svix.webhooks import Webhook, WebhookVerificationError

app = Flask(__name__)


@app.post("/")
def webhook_handler():
    headers = request.headers
    payload = request.get_data(as_text=True)
    try:
        Webhook(os.environ["PLANTSTORE_SECRET"]).verify(payload, headers)
    except WebhookVerificationError:
        return "", 400
    with open(os.environ["PLANTSTORE_REPORT"], "a") as report:
        report.write(payload + "\n")
    return "", 204
