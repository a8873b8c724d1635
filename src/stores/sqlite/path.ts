/** Checks the path of a database file: another program's spelling of an address must not become the name of a file. */

const DATABASES = 'file|jdbc|libsql|mariadb|mongodb|mysql|postgres(?:ql)?|sqlite3?|sqlserver|url';
const SCHEME = new RegExp(String.raw`^(?:[a-z][a-z\d+.-]*://|(?:${DATABASES})(?:\+\w+)?:)`, 'i');

const RULES: readonly (readonly [pattern: RegExp, rule: string])[] = [
  // A database in memory exists for a single connection, but the writer has its own connection.
  [/^:|:memory:/i, 'its path means a database in memory, which is not supported; use --database temporary with serve'],
  [/^\/\//, 'its path must not begin with //; write sqlite:/data/plants.db or sqlite:plants.db'],
  [SCHEME, 'its path is the address of another program; write only the path of a file, such as data/plants.db'],
  [/\?(?:[\w-]*=|$)|;[\w -]+=|^data source=/i, 'its path must not have parameters; write only the path of a file'],
  [/^-$/, 'its path is -, which means standard output elsewhere; write ./- for a file of this name'],
  [/^["'`]/, 'its path is in quotes; remove them'],
  [
    /^~|\$[({]|\{\{|(?:^|[\\/])\$\w|%\w+%/,
    'its path has a ~ or a variable, which no shell replaces here; write the whole path',
  ],
  [/(?:^|[\\/])\.{0,2}$/, 'its path is a folder; add the name of the file'],
];
/** Elsewhere `C:\data\plants.db` would be the name of a file in the current folder. */
const WINDOWS = /^[a-z]:[\\/]|\\/i;

/** Throws an Error with the rule that the path violates. A path that begins with ./ may have an unusual name. */
export function checkPath(path: string, platform: NodeJS.Platform = process.platform): void {
  const rule = RULES.find(([pattern]) => pattern.test(path))?.[1];
  if (rule !== undefined) throw new Error(rule);
  if (platform !== 'win32' && WINDOWS.test(path)) {
    throw new Error('its path is a path of Windows; separate folders with /');
  }
}
