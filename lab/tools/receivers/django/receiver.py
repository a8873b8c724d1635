"""Django, as https://docs.svix.com/receiving/verifying-payloads/how/ shows it."""

import os
import sys

from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from svix.webhooks import Webhook, WebhookVerificationError

settings.configure(DEBUG=False, ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="unused")


@csrf_exempt
def webhook_handler(request):
    headers = request.headers
    payload = request.body
    try:
        Webhook(os.environ["PLANTSTORE_SECRET"]).verify(payload, headers)
    except WebhookVerificationError:
        return HttpResponse(status=400)
    with open(os.environ["PLANTSTORE_REPORT"], "ab") as report:
        report.write(payload + b"\n")
    return HttpResponse(status=204)


urlpatterns = [path("", webhook_handler)]

if __name__ == "__main__":
    execute_from_command_line(sys.argv)
