*** Settings ***
Documentation       Each response of the description.

Library             OpenApiDriver
...                     source=%{PLANTSTORE_OPENAPI}
...                     origin=%{PLANTSTORE_URL}
...                     security_token=Bearer %{PLANTSTORE_TOKEN}
...                     mappings_path=${CURDIR}/mappings.py
...                     response_validation=STRICT
...                     invalid_data_default_response=400
...                     ignored_responses=${{ [304, 401, 403, 429, 500, 503] }}

Test Template       Get The Response


*** Test Cases ***
${method} ${path} ${status_code}


*** Keywords ***
Get The Response
    [Arguments]    ${path}    ${method}    ${status_code}
    Test Endpoint    ${path}    ${method}    ${status_code}
