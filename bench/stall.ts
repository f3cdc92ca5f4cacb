/**
 * `npm run bench stall [words]`: sends about 270 of the most expensive bodies and filters one after another, and prints
 * how long each blocked the event loop. Limits: 100 ms for public callers, 250 ms for members.
 *
 * `silent ms` is the delay that another client observed, on a machine that also runs the benchmark. `turn ms` is the
 * processor time of the longest turn of the server's event loop, which is independent of other load.
 */
import { longestSilence } from '../e2e/support/longest-silence.ts'
import { send } from '../e2e/support/raw-ingest.ts'
import { freePort, startServer } from '../e2e/support/start-server.ts'
import { worstBodies } from './stall/bodies.ts'
import type { StallCase, StallIds } from './stall/case.ts'
import { worstFilters } from './stall/filters.ts'
import { printTable } from './support/figures.ts'

const LIMIT_MS = { public: 100, member: 250 } as const
const words = process.argv.slice(2)
const cases = [...worstBodies(), ...worstFilters].filter(({ name }) => words.every((word) => name.includes(word)))
const turnsPort = String(await freePort())
const server = await startServer({
  env: {
    TOUCHSTONE_MAX_BYTES_IN_FLIGHT: '1GB',
    TOUCHSTONE_BENCH_TURNS_PORT: turnsPort,
    NODE_OPTIONS: `--import=${new URL('./support/watch-turns.mjs', import.meta.url).href}`,
  },
})
try {
  const ids = await createIds(server.url)
  await longestSilence(server.url, () => send(`${server.url}/info`)) // the first request compiles code that all requests share
  const rows: Row[] = []
  for (const one of cases) {
    rows.push(await measure(one, ids))
    console.error(rows.at(-1)!.join('\t')) // the final table appears only minutes later
  }
  printTable(['case', 'caller', 'bytes', 'status', 'silent ms', 'turn ms'], rows)
  const worst = (caller: StallCase['caller']) =>
    Math.max(0, ...rows.filter((row) => row[1] === caller).map((row) => row[5]))
  const over = rows.filter(([, caller, , , , ms]) => ms > LIMIT_MS[caller as StallCase['caller']])
  console.log(
    `\n${rows.length} cases; longest turn for public callers ${worst('public')} ms, of members ${worst('member')} ms`,
  )
  console.log(`over the limit: ${over.map(([name, , , , , ms]) => `${name} (${ms} ms)`).join('; ') || 'none'}`)
  console.log(`resident ${Math.round((await server.residentBytes()) / 1e6)} MB`)
} finally {
  await server.stop()
}

type Row = [name: string, caller: string, bytes: number, status: number | string, silentMs: number, turnMs: number]

async function measure(one: StallCase, ids: StallIds): Promise<Row> {
  const body = one.body?.(ids)
  const bytes = body === undefined ? 0 : Buffer.byteLength(body)
  const init = {
    method: one.method,
    headers: one.headers ?? {},
    ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
  }
  const request = () =>
    send(`${server.url}${one.path(ids)}`, init).then(
      ({ status }) => status,
      () => 'reset',
    )
  await longestTurn()
  const { result, silenceMs } = await longestSilence(server.url, request)
  return [one.name, one.caller, bytes, result, Math.round(silenceMs), Math.round(await longestTurn())]
}

/** Milliseconds since the previous call. */
async function longestTurn(): Promise<number> {
  return Number((await send(`http://127.0.0.1:${turnsPort}/`)).text)
}

/** Creates a project with a shared run, and a shared dataset. */
async function createIds(url: string): Promise<StallIds> {
  const call = async <Answer>(method: string, path: string, body: unknown): Promise<Answer> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await send(`${url}${path}`, { method, headers, body: JSON.stringify(body) })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return JSON.parse(answer.text) as Answer
  }
  const project = await call<{ id: string }>('POST', '/sessions', { name: 'stall' })
  const dataset = await call<{ id: string }>('POST', '/datasets', { name: 'stall' })
  const id = crypto.randomUUID()
  await call('POST', '/runs', { id, name: 'shared', run_type: 'chain', session_id: project.id, inputs: { a: 1 } })
  const run = await call<{ share_token: string }>('PUT', `/runs/${id}/share`, { run_id: id })
  const shared = await call<{ share_token: string }>('PUT', `/datasets/${dataset.id}/share`, { dataset_id: dataset.id })
  return {
    sessionId: project.id,
    datasetId: dataset.id,
    publicRunToken: run.share_token,
    publicDatasetToken: shared.share_token,
  }
}
