import { describe, expect, it } from 'vitest';
import { createLogger, isLogLevel, type LogLevel } from './logging.ts';

function logged(level: LogLevel, write: (logger: ReturnType<typeof createLogger>) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  write(createLogger({ level, base: { component: 'test' }, destination: { write: (line) => lines.push(line) } }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('a log line', () => {
  it('is one JSON object with level, time and component', () => {
    const [line] = logged('info', (logger) => logger.info({ count: 1 }, 'two\nlines'));
    expect(line).toMatchObject({ level: 'info', component: 'test', count: 1, msg: 'two\nlines' });
    expect(line?.time).toMatch(/^\d{4}-.*Z$/);
  });

  it('is written from its level up', () => {
    const lines = logged('warn', (logger) => {
      logger.info('no');
      logger.warn('yes');
    });
    expect(lines.map((line) => line.msg)).toEqual(['yes']);
  });

  it('never shows a credential', () => {
    const lines = logged('info', (logger) => {
      logger.info({ token: 'canary', headers: { authorization: 'canary' }, a: { b: { password: 'canary' } } }, 'x');
    });
    expect(JSON.stringify(lines)).not.toContain('canary');
  });
});

describe('isLogLevel', () => {
  it('knows the levels', () => {
    expect(['debug', 'error', 'verbose', ''].map(isLogLevel)).toEqual([true, true, false, false]);
  });
});
