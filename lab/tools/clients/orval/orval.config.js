/** The same as its command line, with int64 as bigint and the address from the description. */
export default {
  plants: {
    input: process.env.DESCRIPTION,
    output: {
      target: process.env.CLIENT,
      client: 'fetch',
      baseUrl: { getBaseUrlFromSpecification: true },
      override: { useBigInt: true },
    },
  },
};
