/** A successful call of each operation, for the defects that vary by operation. */
import { ALOE, create, curl, type OperationId, replace, request } from './defect.ts';

interface Call {
  readonly title: string;
  /** Where the description has the operation, as a JSON pointer. */
  readonly at: string;
  readonly show: string;
  readonly clean: string;
}

const PLANTS = '#/paths/~1plants';
const PLANT = '#/paths/~1plants~1{id}';

export const CALLS: Readonly<Record<OperationId, Call>> = {
  createPlant: { title: 'POST /plants', at: `${PLANTS}/post`, show: curl(create(ALOE)), clean: '200' },
  getPlant: {
    title: 'GET /plants/{id}',
    at: `${PLANT}/get`,
    show: curl(create(ALOE), request('/plants/12')),
    clean: '200, then 200',
  },
  listPlants: {
    title: 'GET /plants',
    at: `${PLANTS}/get`,
    show: curl(create(ALOE), request('/plants')),
    clean: '200, then 200',
  },
  replacePlant: {
    title: 'PUT /plants/{id}',
    at: `${PLANT}/put`,
    show: curl(create(ALOE), replace(12, '{"name": "Agave"}')),
    clean: '200, then 200',
  },
  deletePlant: {
    title: 'DELETE /plants/{id}',
    at: `${PLANT}/delete`,
    show: curl(create(ALOE), request('/plants/12', '-X DELETE')),
    clean: '200, then 204',
  },
};
