/** Sends bodies that are generated from the description's schema, valid or broken in one place. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { character } from '../harness/character.ts';
import { toJson } from '../harness/client.ts';
import { startTestService } from '../harness/service.ts';

interface Property {
  readonly $ref: string;
}
const { components } = parse(readFileSync(new URL('../../contract/openapi.yaml', import.meta.url), 'utf8'), {
  intAsBigInt: true,
});
const { NewPlant, PlantId, PlantName } = components.schemas;
const required: readonly string[] = NewPlant.required;
const fields = Object.entries(NewPlant.properties as Record<string, Property>);

const maxLength = Number(PlantName.maxLength);
const unit = character.filter((one) => one !== '\0' && one.isWellFormed());
const text = fc.oneof(
  fc.string({ unit, maxLength: 40 }),
  unit.map((one) => one.repeat(maxLength)),
);
const id = fc.bigInt({ min: PlantId.minimum, max: PlantId.maximum });
const valuesOf = ({ $ref }: Property): fc.Arbitrary<unknown> => ($ref.endsWith('/PlantId') ? id : text);
const valid = fc.record(Object.fromEntries(fields.map(([name, property]) => [name, valuesOf(property)])), {
  requiredKeys: [...required],
});

const anyType = fc.oneof(fc.constant(null), fc.boolean(), fc.constant([]), fc.constant({}));
const brokenId = fc.oneof(
  anyType,
  text,
  fc.bigInt({ min: PlantId.maximum + 1n, max: 2n ** 80n }),
  fc.bigInt({ min: -(2n ** 80n), max: PlantId.minimum - 1n }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value)),
);
const brokenText = fc.oneof(
  anyType,
  fc.integer(),
  unit.map((one) => one.repeat(maxLength + 1)),
  fc.tuple(text, fc.constantFrom('\0', '\ud800', '\udfff')).map(([behind, bad]) => bad + behind.slice(0, 9)),
);
/** The name of a member and its new value; undefined leaves a required member out. */
const wrong = fc.constantFrom(...fields).chain(([name, { $ref }]) => {
  const broken: fc.Arbitrary<unknown> = $ref.endsWith('/PlantId') ? brokenId : brokenText;
  return fc.tuple(fc.constant(name), required.includes(name) ? fc.oneof(broken, fc.constant(undefined)) : broken);
});

describe('createPlant with generated bodies', async () => {
  const service = await startTestService();
  after(() => service[Symbol.asyncDispose]());

  test('returns 200 with exactly the name and tag of a valid body, or 40009', async () => {
    const seen = new Map<unknown, string>();
    await fc.assert(
      fc.asyncProperty(valid, async (body) => {
        const { id: key, ...plant } = body;
        const response = await service.client.send('POST', '/plants', { body });
        const first = seen.get(key) ?? toJson(plant);
        if (first !== toJson(plant)) return assert.equal((response.json() as { error: number }).error, 40009);
        seen.set(key, first);
        assert.equal(response.status, 200, response.text);
        assert.deepEqual(response.json(), { ...plant });
      }),
      { numRuns: 300 },
    );
  });

  test('returns 40005 for a body that is broken in one place, and names only that field', async () => {
    await fc.assert(
      fc.asyncProperty(valid, wrong, async (body, [name, value]) => {
        const response = await service.client.send('POST', '/plants', { body: { ...body, [name]: value } });
        const { error, message } = response.json() as { error: number; message: string };
        assert.equal(error, 40005, message);
        assert.match(message, new RegExp(`^${name} (is missing|must be)`));
        for (const [other] of fields) if (other !== name) assert.doesNotMatch(message, new RegExp(`; ${other} `));
      }),
      { numRuns: 300 },
    );
  });
});
