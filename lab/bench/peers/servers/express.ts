/** Express and better-sqlite3: `PLANTSTORE_TOKEN=… PORT=… DATABASE=… node express.ts`. */
import express, { type ErrorRequestHandler } from 'express';
import { ZodError } from 'zod';
import { openPlants } from './better-sqlite.ts';
import { listParameters, newPlant, pathParameters } from './schemas.ts';
import { announce, DATABASE, HOST, PORT, TOKEN } from './settings.ts';

const plants = openPlants(DATABASE);
const app = express();

app.use((request, response, next) => {
  if (request.headers.authorization === `Bearer ${TOKEN}`) next();
  else response.status(401).json({ error: 401, message: 'no valid token' });
});
app.use(express.json());

app.post('/plants', (request, response) => {
  const plant = newPlant.parse(request.body);
  if (plants.create(plant)) response.json({ name: plant.name, tag: plant.tag });
  else response.status(400).json({ error: 400, message: `id ${plant.id} is already taken` });
});

app.get('/plants', (request, response) => {
  const { limit, tag } = listParameters.parse(request.query);
  response.json(plants.list(limit, tag));
});

app.get('/plants/:id', (request, response) => {
  const plant = plants.get(pathParameters.parse(request.params).id);
  if (plant === undefined) response.status(404).json({ error: 404, message: 'no such plant' });
  else response.json(plant);
});

const respondToError: ErrorRequestHandler = (error, _request, response, _next) => {
  const status = error instanceof ZodError ? 400 : (error.status ?? 500);
  response.status(status).json({ error: status, message: status === 500 ? 'internal error' : error.message });
};
app.use(respondToError);

app.listen(PORT, HOST, announce);
