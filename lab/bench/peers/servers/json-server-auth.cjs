/** The token check of json-server, which loads middleware with require. */

const expected = `Bearer ${process.env.PLANTSTORE_TOKEN}`;

module.exports = (request, response, next) => {
  if (request.headers.authorization === expected) next();
  else response.status(401).json({ error: 401, message: 'no valid token' });
};
