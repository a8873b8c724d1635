/** The same as its command line, with int64 as bigint. */
export default {
  output: { path: process.env.CLIENT, module: { extension: '.js' } },
  plugins: [
    '@hey-api/typescript',
    '@hey-api/client-fetch',
    { name: '@hey-api/transformers', bigInt: true },
    { name: '@hey-api/sdk', transformer: true },
  ],
};
