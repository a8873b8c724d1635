/**
 * Makes JSON exact for generated clients, which use only JSON.parse and JSON.stringify. JSON.parse rounds an id beyond
 * 2^53, and JSON.stringify refuses a BigInt. With this file ids are BigInts. `node --import` loads it before a walk.
 */
const { parse } = JSON;
const keepId = (key, value, { source }) => (key === 'id' && /^-?\d+$/.test(source) ? BigInt(source) : value);

JSON.parse = (text, reviver = keepId) => parse(text, reviver);
Response.prototype.json = async function () {
  return JSON.parse(await this.text());
};
BigInt.prototype.toJSON = function () {
  return JSON.rawJSON(String(this));
};
