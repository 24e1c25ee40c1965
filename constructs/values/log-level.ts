import { choice } from './build.ts';

export const logLevel = choice('Least severity that is logged.', ['debug', 'info', 'warn', 'error'], 'info');
