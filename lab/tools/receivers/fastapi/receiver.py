"""FastAPI, as https://docs.svix.com/receiving/verifying-payloads/how/ shows it."""

import os

from fastapi import FastAPI, Request, Response, status
from svix.webhooks import Webhook, WebhookVerificationError

app = FastAPI()


@app.post("/", status_code=status.HTTP_204_NO_CONTENT)
async def webhook_handler(request: Request, response: Response):
    headers = request.headers
    payload = await request.body()
    try:
        Webhook(os.environ["PLANTSTORE_SECRET"]).verify(payload, headers)
    except WebhookVerificationError:
        response.status_code = status.HTTP_400_BAD_REQUEST
        return
    with open(os.environ["PLANTSTORE_REPORT"], "ab") as report:
        report.write(payload + b"\n")
