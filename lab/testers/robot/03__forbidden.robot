*** Settings ***
Documentation       Each operation that writes, with a token that may only read.

Library             OpenApiDriver
...                     source=%{PLANTSTORE_OPENAPI}
...                     origin=%{PLANTSTORE_URL}
...                     security_token=Bearer %{PLANTSTORE_READ_TOKEN}
...                     mappings_path=${CURDIR}/mappings.py
...                     response_validation=STRICT
...                     invalid_data_default_response=400
...                     ignored_responses=${{ [200, 204, 304, 400, 401, 404, 412, 429, 500, 503] }}
...                     ignored_testcases=${{ [('/plants', 'GET', 403), ('/plants/{id}', 'GET', 403)] }}

Test Template       Send A Token That May Only Read


*** Test Cases ***
${method} ${path} ${status_code}


*** Keywords ***
Send A Token That May Only Read
    [Arguments]    ${path}    ${method}    ${status_code}
    Test Forbidden    ${path}    ${method}
