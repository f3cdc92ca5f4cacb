import { gzipSync } from 'node:zlib'
import type { StallCase, StallIds } from './case.ts'

/**
 * Bodies that once blocked, or may block, the event loop: shapes of JSON, encodings and forms for every kind of route.
 */
export function worstBodies(): readonly StallCase[] {
  return [...publicCases(), ...memberCases(), ...datasetCases()]
}

type Make = () => Buffer | string

const MB = 1_000_000
const times = (text: string, count: number) => text.repeat(count)
const gz = (make: Make) => once(() => gzipSync(make(), { level: 9 }))

/** Created on first use and kept. */
function once(make: Make): () => Buffer {
  let made: Buffer | undefined
  return () => {
    made ??= Buffer.from(make())
    return made
  }
}

const keys = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":${at}`).join(',')}}`
const shapes = (count: number) => `[${Array.from({ length: count }, (_, at) => `{"k${at}":1}`).join(',')}]`
const nested = (levels: number) => times('[', levels) + times(']', levels)
const objects = (levels: number) => `${times('{"a":', levels)}1${times('}', levels)}`

/** Texts of about the given size, each slow to parse in one way. */
function textsOf(bytes: number): Readonly<Record<string, Make>> {
  return {
    'open brackets': () => times('[', bytes),
    'nested lists': () => nested(Math.min(bytes >> 1, 1 * MB)),
    'nested objects': () => objects(Math.min(Math.floor(bytes / 6), 1 * MB)),
    'different keys': () => keys(Math.floor(bytes / 13)),
    'different shapes': () => shapes(Math.floor(bytes / 14)),
    'empty objects': () => `[${times('{},', Math.floor(bytes / 3) - 1)}{}]`,
    numbers: () => `[${times('1,', (bytes >> 1) - 1)}1]`,
    'one string': () => `"${times('x', bytes - 2)}"`,
    escapes: () => `"${times('\\u00e9', Math.floor(bytes / 6))}"`,
    spaces: () => `{${times(' ', bytes - 2)}}`,
    'an error at the end': () => `[${times('1,', (bytes >> 1) - 1)}x`,
  }
}

function publicCases(): StallCase[] {
  const routes: Readonly<Record<string, (ids: StallIds) => string>> = {
    login: () => '/auth/login',
    'set-up': () => '/auth/setup',
    invite: () => '/auth/invites/none',
    'feedback token': () => '/feedback/tokens/none',
    'shared run': ({ publicRunToken }) => `/public/${publicRunToken}/runs/query`,
    'shared dataset': ({ publicDatasetToken }) => `/public/${publicDatasetToken}/datasets/runs/query`,
  }
  const small = textsOf(64_000)
  const cases = Object.entries(routes).flatMap(([route, path]) => [
    ...Object.entries(small).map(
      ([text, make]): StallCase => aCase(`${route}: 64 kB of ${text}`, 'public', path, make),
    ),
    aCase(`${route}: 104 MB of open brackets, gzip`, 'public', path, brackets, 'gzip'),
    aCase(`${route}: 42 MB of open brackets`, 'public', path, plainBrackets),
  ])
  return [
    ...cases,
    aCase('login: 500,000 empty zstd frames', 'public', routes.login!, zstdFrames(500_000), 'zstd'),
    aCase('login: 1,500 empty zstd frames', 'public', routes.login!, zstdFrames(1_500), 'zstd'),
    aCase('login: 700 gzip members', 'public', routes.login!, gzipMembers(700), 'gzip'),
    aCase('login: zstd of 4 GB', 'public', routes.login!, zstdBomb(4_000 * MB), 'zstd'),
  ]
}

const brackets = gz(() => Buffer.alloc(104 * MB, '['))
const plainBrackets = once(() => Buffer.alloc(42 * MB, '['))

function memberCases(): StallCase[] {
  const inField = (text: string) => `{"post":[{"inputs":{"a":${text}}}]}`
  const editing = { project: '/sessions', query: '/runs/query', 'run stats': '/runs/stats', dashboard: '/dashboards' }
  const runs = (count: number) => `{"post":[${times('{},', count - 1)}{}]}`
  return [
    ...Object.entries(editing).flatMap(([route, path]) =>
      Object.entries(textsOf(1 * MB)).map(([text, make]) =>
        aCase(
          `${route}: 1 MB of ${text}`,
          'member',
          () => path,
          () => `{"name":${make()}}`,
        ),
      ),
    ),
    ...Object.entries(textsOf(19 * MB)).map(([text, make]) =>
      aCase(
        `batch: 19 MB of ${text} in inputs`,
        'member',
        () => '/runs/batch',
        () => inField(String(make())),
      ),
    ),
    ...Object.entries(textsOf(19 * MB)).map(([text, make]) =>
      aCase(
        `example: 19 MB of ${text}`,
        'member',
        () => '/examples',
        ({ datasetId }) => `{"dataset_id":"${datasetId}","inputs":{"a":${make()}}}`,
      ),
    ),
    ...Object.entries(textsOf(5 * MB)).map(([text, make]) =>
      aCase(
        `run: 5 MB of ${text} in metadata`,
        'member',
        () => '/runs',
        () => `{"name":"x","extra":{"metadata":{"a":${make()}}}}`,
      ),
    ),
    ...Object.entries(textsOf(1 * MB)).map(([text, make]) =>
      aCase(
        `batch: 1 MB of ${text} in tags`,
        'member',
        () => '/runs/batch',
        () => `{"post":[{"tags":[${make()}]}]}`,
      ),
    ),
    aCase(
      'batch: 51 MB of 5 M keys',
      'member',
      () => '/runs/batch',
      () => inField(keys(4_300_000)),
    ),
    aCase(
      'batch: 95 MB in one field',
      'member',
      () => '/runs/batch',
      () => inField(`"${times('x', 95 * MB)}"`),
    ),
    aCase(
      'batch: 60 MB of open brackets',
      'member',
      () => '/runs/batch',
      () => Buffer.alloc(60 * MB, '['),
    ),
    aCase('batch: 104 MB of open brackets, gzip', 'member', () => '/runs/batch', brackets, 'gzip'),
    aCase(
      'batch: 20,000 empty runs',
      'member',
      () => '/runs/batch',
      () => runs(20_000),
    ),
    aCase(
      'batch: 200,000 empty runs',
      'member',
      () => '/runs/batch',
      () => runs(200_000),
    ),
    aCase(
      'batch: nested 20,000 deep in tags',
      'member',
      () => '/runs/batch',
      () => `{"post":[{"tags":${nested(20_000)}}]}`,
    ),
    form('100,000 parts', () => times(`--b\r\ncontent-disposition: form-data; name="x"\r\n\r\n1\r\n`, 100_000)),
    form('19,000 feedback parts', () =>
      times(`--b\r\ncontent-disposition: form-data; name="feedback.x"\r\n\r\n{}\r\n`, 19_000),
    ),
    form('5 MB of part headers', () => `--b\r\nx: ${times('a;name=', 700_000)}\r\n\r\n1\r\n`),
    form(
      '60 MB of almost boundaries',
      () => `--b\r\ncontent-disposition: form-data; name="x"\r\n\r\n${times('\r\n--', 15 * MB)}\r\n`,
    ),
  ]
}

/** Files and lists that become examples. */
function datasetCases(): StallCase[] {
  const cell = times('x', 900)
  const inBulk = (count: number, datasetId: string) =>
    `[${times(`{"dataset_id":"${datasetId}","inputs":{"a":"${cell}"}},`, count - 1)}{"dataset_id":"${datasetId}","inputs":{}}]`
  const file = (name: string, rows: () => string) => {
    const field = (key: string, value: string) =>
      `--b\r\ncontent-disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`
    const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="rows.csv"\r\n\r\n'
    return form(
      `dataset of ${name}`,
      () => `${field('input_keys', 'a')}${field('name', name)}${head}a\n${rows()}\r\n`,
      '/datasets/upload',
    )
  }
  const results = (count: number) =>
    times(`{"inputs":{"a":"${cell}"},"start_time":"2026-02-03T04:05:06Z","end_time":"2026-02-03T04:05:08Z"},`, count)
  return [
    ...[10_000, 90_000].map((count) =>
      aCase(
        `examples: ${count} of 1 kB at once`,
        'member',
        () => '/examples/bulk',
        ({ datasetId }) => inBulk(count, datasetId),
      ),
    ),
    file('90,000 rows of CSV', () => times(`${cell}\n`, 90_000)),
    file('1,000,000 empty rows of CSV', () => times('""\n', 1_000_000)),
    file('one cell of 19 MB', () => times('x', 19 * MB)),
    file('a quote that never ends', () => `"${times('x', 60 * MB)}`),
    aCase(
      'experiment of 10,000 results',
      'member',
      () => '/datasets/upload-experiment',
      () =>
        `{"experiment_name":"stall","dataset_name":"stall of results","experiment_start_time":"2026-02-03T04:05:06Z","experiment_end_time":"2026-02-03T05:00:00Z","results":[${results(10_000).slice(0, -1)}]}`,
    ),
  ]
}

function form(name: string, parts: () => string, path = '/runs/multipart'): StallCase {
  return {
    name: `multipart: ${name}`,
    caller: 'member',
    method: 'POST',
    path: () => path,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: once(() => `${parts()}--b--\r\n`),
  }
}

function aCase(
  name: string,
  caller: StallCase['caller'],
  path: StallCase['path'],
  body: NonNullable<StallCase['body']>,
  encoding?: string,
): StallCase {
  const packing = encoding === undefined ? {} : { 'content-encoding': encoding }
  return { name, caller, method: 'POST', path, headers: { 'content-type': 'application/json', ...packing }, body }
}

/** Empty zstd frames: a magic number, a header and one empty last block. */
const zstdFrames = (count: number) =>
  once(() => Buffer.alloc(count * 9, Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38, 0x01, 0x00, 0x00])))

const gzipMembers = (count: number) => once(() => Buffer.concat(Array.from({ length: count }, () => gzipSync(''))))

/** Blocks of 128 kB of one byte, four bytes each. */
function zstdBomb(bytes: number) {
  return once(() => {
    const count = Math.ceil(bytes / 131_072)
    const blocks = Buffer.alloc(count * 4)
    for (let at = 0; at < count; at++) blocks.writeUIntLE((131_072 << 3) | 2 | (at === count - 1 ? 1 : 0), at * 4, 3)
    return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]), blocks])
  })
}
