<?php
// Does the tasks of `plantstore grade client` with libcurl, through PHP's extension curl.
declare(strict_types=1);

// One handle for all requests, so that libcurl keeps the connection.
$curl = curl_init();

/** Returns the status, the body and the next page. Throws a RuntimeException with the error of libcurl. */
function send(CurlHandle $curl, array $call): array
{
    $next = null;
    curl_reset($curl);
    $headers = [];
    foreach ($call['headers'] as $name => $value) {
        $headers[] = "$name: $value";
    }
    curl_setopt_array($curl, [
        CURLOPT_URL => $call['url'],
        CURLOPT_CUSTOMREQUEST => $call['method'],
        CURLOPT_HTTPHEADER => $headers,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT_MS => (int) getenv('PLANTSTORE_TIMEOUT_MS'),
        CURLOPT_HEADERFUNCTION => function (CurlHandle $_, string $line) use (&$next): int {
            if (preg_match('/^Link: .*<([^>]*)>; rel="next"/i', $line, $match)) {
                $next = $match[1];
            }
            return strlen($line);
        },
    ]);
    if (isset($call['body'])) {
        curl_setopt($curl, CURLOPT_POSTFIELDS, $call['body']);
    }
    $body = curl_exec($curl);
    if ($body === false) {
        throw new RuntimeException(curl_error($curl));
    }
    return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $body, $next];
}

/** Reads all pages. */
function readAll(CurlHandle $curl, array $call): array
{
    $plants = [];
    $base = preg_replace('#^(\w+://[^/]*).*#', '$1', $call['url']);
    while (true) {
        [$status, $body, $next] = send($curl, $call);
        if ($status !== 200) {
            return ['status' => $status];
        }
        foreach (json_decode($body, true, flags: JSON_THROW_ON_ERROR) as $plant) {
            $plants[] = ['id' => (string) $plant['id']] + $plant;
        }
        if ($next === null) {
            return ['status' => 200, 'plants' => $plants];
        }
        $call['url'] = str_starts_with($next, '/') ? $base . $next : $next;
    }
}

foreach (file(getenv('PLANTSTORE_TASKS')) as $line) {
    $call = json_decode($line, true);
    try {
        if ($call['kind'] === 'list') {
            $report = readAll($curl, $call);
        } else {
            [$status, $body] = send($curl, $call);
            $report = ['status' => $status, 'body' => $body];
        }
    } catch (RuntimeException | JsonException $error) {
        $report = ['error' => $error->getMessage()];
    }
    $text = json_encode(['task' => $call['task']] + $report, JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR);
    file_put_contents(getenv('PLANTSTORE_REPORT'), "$text\n", FILE_APPEND);
}
