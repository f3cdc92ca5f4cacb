/**
 * `npm run bench evaluate [examples] [compared]`: a dataset uploaded, listed to its end, searched and compared between versions;
 * two experiments over some of its examples, three repetitions each, recorded and compared. @default 100000, 10000
 */
import { uuid7 } from '@touchstone/contract'
import { startServer } from '../e2e/support/start-server.ts'
import { percentile, printTable } from './support/figures.ts'
import { prose } from './support/make-runs.ts'
import { formBody, type Part } from './support/multipart.ts'

const examples = Number(process.argv[2] ?? 100_000)
const compared = Number(process.argv[3] ?? 10_000)
const REPETITIONS = 3
const CHUNK = 1_000

const server = await startServer()
const rows: (readonly [string, string | number, string | number])[] = []
try {
  const dataset = (await call('POST', '/datasets', { name: 'bench' })).id as string
  const ids = await uploadExamples(dataset)
  await listToEnd(dataset)
  await compareVersions(dataset, ids)
  const question = { question: prose(60) }
  await measure('similar examples', 20, () =>
    call('POST', `/datasets/${dataset}/search`, { inputs: question, limit: 5 }),
  )
  const sample = ids.slice(0, compared)
  const sessions = [await record(dataset, 'A', sample), await record(dataset, 'B', sample)]
  await measure('comparison page of 50', 40, () =>
    call('POST', `/datasets/${dataset}/runs`, {
      session_ids: sessions,
      limit: 50,
      offset: anyOf(compared - 50),
      preview: true,
    }),
  )
  await measure('the same, whole payloads', 40, () =>
    call('POST', `/datasets/${dataset}/runs`, { session_ids: sessions, limit: 50, offset: anyOf(compared - 50) }),
  )
  await measure('the same, sorted by score', 20, () =>
    call('POST', `/datasets/${dataset}/runs`, {
      session_ids: sessions,
      limit: 50,
      offset: anyOf(compared - 50),
      preview: true,
      sort_params: { sort_by: 'feedback.correctness', sort_order: 'ASC' },
    }),
  )
  const [baseline_session_id, ...comparison_session_ids] = sessions
  await measure(`deltas of ${compared.toLocaleString('en-US')}`, 20, () =>
    call('POST', `/datasets/${dataset}/runs/delta`, {
      baseline_session_id,
      comparison_session_ids,
      feedback_key: 'correctness',
    }),
  )
  await measure(`statistics over ${compared.toLocaleString('en-US')} pairs`, 20, () =>
    call('POST', `/datasets/${dataset}/experiments/statistics`, { baseline_session_id, comparison_session_ids }),
  )
  printTable([`${examples.toLocaleString('en-US')} examples`, 'p50 ms', 'p95 ms'], rows)
  console.log(`\nresident: ${Math.round((await server.residentBytes()) / 1e6)} MB`)
} finally {
  await server.stop()
}

async function uploadExamples(dataset: string): Promise<string[]> {
  const ids: string[] = []
  const began = performance.now()
  const times: number[] = []
  while (ids.length < examples) {
    const chunk = Array.from({ length: Math.min(CHUNK, examples - ids.length) }, () => uuid7())
    const form = formBody(chunk.flatMap((id, at) => exampleParts(id, ids.length + at)))
    times.push(await timed(() => call('POST', `/v1/platform/datasets/${dataset}/examples`, form)))
    ids.push(...chunk)
  }
  const seconds = (performance.now() - began) / 1000
  console.log(`uploaded: ${Math.round(examples / seconds).toLocaleString('en-US')} examples/s, making them included`)
  add(`upload of ${CHUNK.toLocaleString('en-US')}`, times)
  return ids
}

function exampleParts(id: string, at: number): Part[] {
  return [
    { name: id, json: { metadata: { level: at % 10 }, split: at % 5 === 0 ? 'test' : 'train' } },
    { name: `${id}.inputs`, json: { question: prose(300) } },
    { name: `${id}.outputs`, json: { answer: prose(150) } },
  ]
}

async function listToEnd(dataset: string): Promise<void> {
  const times: number[] = []
  for (let offset = 0; ; offset += 100) {
    let length = 0
    times.push(
      await timed(async () => {
        length = (await call('GET', `/examples?dataset=${dataset}&limit=100&offset=${offset}`)).length
      }),
    )
    if (length === 0) break
  }
  add('page of 100, the first tenth', times.slice(0, times.length / 10))
  add('page of 100, the last tenth', times.slice(-times.length / 10))
}

async function compareVersions(dataset: string, ids: readonly string[]): Promise<void> {
  const versions = (await call('GET', `/datasets/${dataset}/versions?limit=1`)) as { as_of: string }[]
  const form = formBody(ids.slice(0, 10_000).map((id) => ({ name: id, json: { split: 'moved' } })))
  add('10,000 examples changed at once', [
    await timed(() => call('PATCH', `/v1/platform/datasets/${dataset}/examples`, form)),
  ])
  const query = new URLSearchParams({ from_version: versions[0]!.as_of, to_version: 'latest' })
  await measure('diff of two versions', 10, () => call('GET', `/datasets/${dataset}/versions/diff?${query}`))
}

/** Records an experiment as `evaluate` does: a project, root runs with their example, and a score for each run. */
async function record(dataset: string, name: string, ids: readonly string[]): Promise<string> {
  const session = (await call('POST', '/sessions', { name, reference_dataset_id: dataset })).id as string
  const pairs = Array.from({ length: REPETITIONS }, () => ids).flat()
  const began = performance.now()
  for (let from = 0; from < pairs.length; from += 500) {
    const form = formBody(pairs.slice(from, from + 500).flatMap((example) => runParts(session, example)))
    await call('POST', '/runs/multipart', form)
  }
  const seconds = (performance.now() - began) / 1000
  console.log(`experiment ${name}: ${Math.round(pairs.length / seconds).toLocaleString('en-US')} scored runs/s`)
  return session
}

function runParts(session_id: string, example: string): Part[] {
  const id = uuid7()
  const start = new Date().toISOString().replace('Z', '000Z')
  const run = {
    id,
    trace_id: id,
    dotted_order: `${start.replace(/[-:.]/g, '')}${id}`,
    name: 'target',
    run_type: 'chain',
    start_time: start,
    end_time: start,
    session_id,
    reference_example_id: example,
  }
  const score = Math.random() < 0.7 ? 1 : Math.random()
  const feedback = { id: uuid7(), run_id: id, trace_id: id, session_id, key: 'correctness', score }
  return [
    { name: `post.${id}`, json: run },
    { name: `post.${id}.inputs`, json: { question: prose(300) } },
    { name: `post.${id}.outputs`, json: { answer: prose(600) } },
    { name: `feedback.${feedback.id}`, json: feedback },
  ]
}

async function measure(name: string, rounds: number, read: () => Promise<unknown>): Promise<void> {
  for (let round = 0; round < 3; round++) await read()
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await timed(read))
  add(name, times)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

function add(name: string, times: readonly number[]): void {
  rows.push([name, percentile(times, 0.5), percentile(times, 0.95)])
}

function anyOf(count: number): number {
  return Math.floor(Math.random() * Math.max(1, count))
}

// biome-ignore lint/suspicious/noExplicitAny: a bench reads a few fields of answers whose shapes the tests hold
async function call(method: string, path: string, body?: object | FormBody): Promise<any> {
  const answer = await fetch(server.url + path, { method, ...(body && requestOf(body)) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`)
  return JSON.parse(text)
}

type FormBody = ReturnType<typeof formBody>

function requestOf(body: object | FormBody): RequestInit {
  if ('contentType' in body) return { body: body.bytes as BodyInit, headers: { 'content-type': body.contentType } }
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}
