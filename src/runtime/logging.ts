import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Fields of every line, for example the component. */
  readonly base?: Readonly<Record<string, string>> | undefined;
  /** Standard output unless told. */
  readonly destination?: DestinationStream | undefined;
}

/** Names under which a credential could reach a log line by mistake; each is censored at the top and one or two levels down. */
const CREDENTIAL_FIELDS = ['authorization', 'Authorization', 'token', 'password', 'secret', 'cookie'];

/** JSON lines with ISO times. */
export function createLogger(options: LoggerOptions): PinoLogger {
  const settings = {
    level: options.level,
    base: options.base ?? {},
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: CREDENTIAL_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
      censor: '[redacted]',
    },
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}

export function isLogLevel(text: string): text is LogLevel {
  return (LOG_LEVELS as readonly string[]).includes(text);
}
