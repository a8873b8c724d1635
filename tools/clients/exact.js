/**
 * Makes JSON exact for generated clients, which read and write it by JSON.parse and JSON.stringify alone: the first
 * rounds an id beyond 2^53, the second refuses a BigInt. Here ids are BigInts. Loaded before a walk by `node --import`.
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
