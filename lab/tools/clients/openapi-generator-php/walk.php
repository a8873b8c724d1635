<?php

/** The walk that every client does, with openapi-generator's client for PHP. Reads TOKEN from the environment. */

declare(strict_types=1);

use PlantStore\Api\PlantsApi;
use PlantStore\ApiException;
use PlantStore\Configuration;
use PlantStore\Model\NewPlant;
use PlantStore\Model\Plant;

require 'GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class): void {
    $file = getcwd() . '/client/lib/' . str_replace(['PlantStore\\', '\\'], ['', '/'], $class) . '.php';
    if (is_file($file)) {
        require $file;
    }
});

const CURSOR = '/[?&]after=([^&>]+)[^>]*>; *rel="next"/';

function expect(string $what, mixed $got, mixed $wanted): void
{
    if ($got !== $wanted) {
        fwrite(STDERR, $what . ': ' . var_export($got, true) . ' instead of ' . var_export($wanted, true) . "\n");
        exit(1);
    }
}

/** Expects the request to fail with this status, and with this error number if the response has a body. */
function expectFailure(string $what, int $status, ?int $number, callable $request): void
{
    try {
        $request();
    } catch (ApiException $e) {
        expect($what, $e->getCode(), $status);
        expect($what, $e->getResponseObject()?->getError(), $number);
        return;
    }
    expect($what, 'no failure', 'a failure');
}

$plants = new PlantsApi(config: (new Configuration())->setAccessToken(getenv('TOKEN')));
$aloe = new NewPlant(['id' => PHP_INT_MAX, 'name' => 'Aloe vera']);

foreach (['create', 'replay'] as $what) {
    [$created, $status, $headers] = $plants->createPlantWithHttpInfo($aloe);
    expect($what, $status, 200);
    expect($what, [$created->getName(), $created->getTag()], ['Aloe vera', null]);
    expect('Location', str_ends_with($headers['Location'][0], '/plants/9223372036854775807'), true);
}
$ferox = new NewPlant(['id' => PHP_INT_MAX, 'name' => 'Aloe ferox']);
expectFailure('taken id', 400, 40009, fn () => $plants->createPlant($ferox));

[$got, $status, $headers] = $plants->getPlantWithHttpInfo(PHP_INT_MAX);
expect('get', $status, 200);
expect('plant', [$got->getId(), $got->getName(), $got->getTag()], [PHP_INT_MAX, 'Aloe vera', null]);
$etag = $headers['ETag'][0];

foreach (range(1, 250) as $id) {
    $plants->createPlant(new NewPlant(['id' => $id, 'name' => 'Fern', 'tag' => 'walk']));
}
$seen = [];
$after = null;
do {
    [$page, , $headers] = $plants->listPlantsWithHttpInfo(100, 'walk', $after);
    foreach ($page as $plant) {
        $seen[] = $plant->getId();
    }
    $after = preg_match(CURSOR, $headers['Link'][0] ?? '', $match) === 1 ? $match[1] : null;
} while ($after !== null);
expect('plants listed', $seen, range(1, 250));

$renamed = new Plant(['name' => 'Aloe barbadensis']);
[$replaced, $status, $headers] = $plants->replacePlantWithHttpInfo(PHP_INT_MAX, $renamed, $etag);
expect('replace', $status, 200);
expect('new name', $replaced->getName(), 'Aloe barbadensis');
expectFailure('stale If-Match', 412, 41200, fn () => $plants->replacePlant(PHP_INT_MAX, $renamed, $etag));
expectFailure('If-None-Match', 304, null, fn () => $plants->getPlant(PHP_INT_MAX, $headers['ETag'][0]));

expect('delete', $plants->deletePlantWithHttpInfo(PHP_INT_MAX)[1], 204);
expectFailure('get deleted', 404, 40401, fn () => $plants->getPlant(PHP_INT_MAX));
$stranger = new PlantsApi(config: new Configuration());
expectFailure('no token', 401, 40100, fn () => $stranger->getPlant(PHP_INT_MAX));

// The client itself refuses the name before it sends the request.
try {
    (new NewPlant())->setName(str_repeat('a', 1025));
    expect('long name', 'accepted', 'refused');
} catch (InvalidArgumentException $e) {
    expect('long name', str_contains($e->getMessage(), '1024'), true);
}
echo "agrees\n";
