/** The same as its command line, with file names that Node can import. */
export default {
  output: { path: 'client', module: { extension: '.ts' } },
  plugins: ['@hey-api/typescript', '@hey-api/client-fetch', '@hey-api/sdk'],
};
