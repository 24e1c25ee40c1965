/**
 * The least of a DNS server (RFC 1035 section 4): answers A questions from a table. Written out so that the server is
 * visibly not the cluster's own resolver, and needs no package in the image.
 */

const HEADER_BYTES = 12;
const TYPE_A = 1;
const CLASS_IN = 1;
const NAME_ERROR = 3;
/** A response, authoritative, that repeats the question. */
const RESPONSE_FLAGS = 0x8400;
const RECURSION_DESIRED = 0x0100;

/** Returns the answer to one query message; undefined when it is not a query that can be answered at all. */
export function answerDns(query: Buffer, records: Readonly<Record<string, string>>): Buffer | undefined {
  const question = readQuestion(query);
  if (question === undefined) return undefined;
  const address = records[question.name];
  const isAnswered = address !== undefined && question.type === TYPE_A;
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  const code = address === undefined ? NAME_ERROR : 0;
  header.writeUInt16BE(RESPONSE_FLAGS | (query.readUInt16BE(2) & RECURSION_DESIRED) | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(isAnswered ? 1 : 0, 6);
  const parts = [header, query.subarray(HEADER_BYTES, question.end)];
  return Buffer.concat(isAnswered ? [...parts, addressRecord(address)] : parts);
}

interface Question {
  /** In lower case, without the final dot. */
  readonly name: string;
  readonly type: number;
  /** Offset after the question. */
  readonly end: number;
}

function readQuestion(query: Buffer): Question | undefined {
  if (query.length < HEADER_BYTES || query.readUInt16BE(4) !== 1) return undefined;
  const labels: string[] = [];
  let offset = HEADER_BYTES;
  for (;;) {
    const length = query[offset];
    if (length === undefined || length > 63 || offset + 1 + length > query.length) return undefined;
    offset += 1;
    if (length === 0) break;
    labels.push(query.toString('latin1', offset, offset + length));
    offset += length;
  }
  if (offset + 4 > query.length) return undefined;
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(offset), end: offset + 4 };
}

/** The name is a pointer to the question's; time to live is 5 s. */
function addressRecord(address: string): Buffer {
  const record = Buffer.alloc(16);
  record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(CLASS_IN, 4);
  record.writeUInt32BE(5, 6);
  record.writeUInt16BE(4, 10);
  for (const [index, part] of address.split('.').entries()) record.writeUInt8(Number(part), 12 + index);
  return record;
}
