*** Settings ***
Documentation       Each operation without a token.

Library             OpenApiDriver
...                     source=%{PLANTSTORE_OPENAPI}
...                     origin=%{PLANTSTORE_URL}
...                     security_token=Bearer %{PLANTSTORE_TOKEN}
...                     mappings_path=${CURDIR}/mappings.py
...                     response_validation=STRICT
...                     invalid_data_default_response=400
...                     ignored_responses=${{ [200, 204, 304, 400, 403, 404, 412, 429, 500, 503] }}

Test Template       Send No Token


*** Test Cases ***
${method} ${path} ${status_code}


*** Keywords ***
Send No Token
    [Arguments]    ${path}    ${method}    ${status_code}
    Test Unauthorized    ${path}    ${method}
