/** A successful call of each operation, for the defects that vary by operation. */
import { ALOE, create, curl, type OperationId, request, type Variable } from './defect.ts';

interface Call {
  readonly title: string;
  /** Where the description has the operation, as a JSON pointer. */
  readonly at: string;
  /** The request of the call, with any token. */
  readonly send: (token?: Variable | null) => string;
  /** A line with the call, after those that it needs. */
  readonly show: string;
  readonly clean: string;
}

const PLANTS = '#/paths/~1plants';
const PLANT = '#/paths/~1plants~1{id}';

/** A call that needs a stored plant. */
const afterCreate = (title: string, at: string, status: number, send: Call['send']): Call => {
  return { title, at, send, show: curl(create(ALOE), send()), clean: `200, then ${status}` };
};
const createAloe = (token?: Variable | null) => create(ALOE, token);

export const CALLS: Readonly<Record<OperationId, Call>> = {
  createPlant: {
    title: 'POST /plants',
    at: `${PLANTS}/post`,
    send: createAloe,
    show: curl(createAloe()),
    clean: '200',
  },
  getPlant: afterCreate('GET /plants/{id}', `${PLANT}/get`, 200, (token) => request('/plants/12', '', token)),
  listPlants: afterCreate('GET /plants', `${PLANTS}/get`, 200, (token) => request('/plants', '', token)),
  replacePlant: afterCreate('PUT /plants/{id}', `${PLANT}/put`, 200, (token) =>
    request('/plants/12', `-X PUT --json '{"name": "Agave"}'`, token),
  ),
  deletePlant: afterCreate('DELETE /plants/{id}', `${PLANT}/delete`, 204, (token) =>
    request('/plants/12', '-X DELETE', token),
  ),
};
