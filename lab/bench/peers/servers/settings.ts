/** The settings of every server in this directory. */

export const TOKEN = required('PLANTSTORE_TOKEN');
export const PORT = Number(required('PORT'));
export const DATABASE = required('DATABASE');
export const HOST = '127.0.0.1';

export function announce(): void {
  console.log(`ready at http://${HOST}:${PORT}`);
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
