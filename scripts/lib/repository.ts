import path from 'node:path';

/** Root folder of this repository. */
export const REPOSITORY = path.resolve(import.meta.dirname, '../..');
