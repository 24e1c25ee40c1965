import { expect, test } from 'vitest';
import { answerDns } from './dns-answer.ts';

const RECORDS = { 'api.example.test': '10.89.0.201' };

function query(name: string, type = 1): Buffer {
  const labels = name.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]);
  const header = Buffer.from([0x12, 0x34, 0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([header, ...labels, Buffer.from([0, 0, type, 0, 1])]);
}

test('a known name is answered with its address, whatever its case', () => {
  const answer = answerDns(query('API.example.test'), RECORDS);
  expect(answer?.readUInt16BE(0)).toBe(0x1234);
  expect((answer?.readUInt16BE(2) ?? 15) & 0xf).toBe(0);
  expect(answer?.readUInt16BE(6)).toBe(1);
  expect([...(answer?.subarray(-4) ?? [])]).toEqual([10, 89, 0, 201]);
});

test('an unknown name does not exist', () => {
  const answer = answerDns(query('evil.example.test'), RECORDS);
  expect((answer?.readUInt16BE(2) ?? 0) & 0xf).toBe(3);
  expect(answer?.readUInt16BE(6)).toBe(0);
});

test('a known name has no IPv6 address, which is not the same as no such name', () => {
  const answer = answerDns(query('api.example.test', 28), RECORDS);
  expect((answer?.readUInt16BE(2) ?? 15) & 0xf).toBe(0);
  expect(answer?.readUInt16BE(6)).toBe(0);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['a header without a question', query('a').subarray(0, 12)],
  ['a label that runs past the end', Buffer.concat([query('a').subarray(0, 12), Buffer.from([40, 97])])],
  ['a question without its type', query('api.example.test').subarray(0, -3)],
])('%s is not answered', (_, message) => {
  expect(answerDns(message, RECORDS)).toBeUndefined();
});
