// Generated from package.json by npm run generate. Do not edit.
export const version = '1.0.0';
