/** Express and better-sqlite3: `PLANTSTORE_TOKEN=… PORT=… DATABASE=… node express.ts`. */
import express, { type ErrorRequestHandler, type Response } from 'express';
import { ZodError } from 'zod';
import { openPlants } from './better-sqlite.ts';
import { always, type Fields, JSON_TYPE, NO_STORE, ofNewPlant, ofPage, ofPlant } from './fields.ts';
import { newPlantJson, parseJson, plantJson, plantsJson } from './json.ts';
import { listParameters, newPlant, pathParameters } from './schemas.ts';
import { announce, DATABASE, HOST, PORT, TOKEN } from './settings.ts';

const plants = openPlants(DATABASE, TOKEN);
const app = express();
app.disable('x-powered-by');
app.disable('etag');

app.use((request, response, next) => {
  const scope = request.method === 'GET' ? 'plants:read' : 'plants:write';
  if (plants.mayUse(request.headers.authorization, scope)) next();
  else problem(response, 401, 'no valid token', { 'WWW-Authenticate': 'Bearer realm="plants"' });
});
app.use(express.text({ type: 'application/json' }));

app.post('/plants', (request, response) => {
  const plant = newPlant.parse(parseJson(request.body));
  if (plants.create(plant)) send(response, 200, newPlantJson(plant), ofNewPlant(plant.id));
  else problem(response, 400, `id ${plant.id} is already taken`);
});

app.get('/plants', (request, response) => {
  const { limit, tag, after } = listParameters.parse(request.query);
  const page = plants.list(limit, tag, after);
  send(response, 200, plantsJson(page.plants), ofPage(page, limit, tag));
});

app.get('/plants/:id', (request, response) => {
  const plant = plants.get(pathParameters.parse(request.params).id);
  if (plant === undefined) return problem(response, 404, 'no such plant');
  const fields = ofPlant(plant);
  if (request.headers['if-none-match'] !== fields.ETag) return send(response, 200, plantJson(plant), fields);
  response
    .status(304)
    .set({ ...always(), ...fields })
    .end();
});

const respondToError: ErrorRequestHandler = (error, _request, response, _next) => {
  const status = error instanceof ZodError || error.name === 'SyntaxError' ? 400 : (error.status ?? 500);
  problem(response, status, status === 500 ? 'internal error' : error.message);
};
app.use(respondToError);

app.listen(PORT, HOST, announce);

function send(response: Response, status: number, body: string, fields: Fields): void {
  response
    .status(status)
    .set({ ...always(), ...JSON_TYPE, ...fields })
    .send(body);
}

function problem(response: Response, status: number, message: string, fields: Fields = {}): void {
  send(response, status, JSON.stringify({ error: status, message }), { ...NO_STORE, ...fields });
}
