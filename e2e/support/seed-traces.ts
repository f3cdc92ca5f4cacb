import { randomUUID } from 'node:crypto'

export interface SeedOptions {
  url: string
  project: string
  traces: number
  /** Epoch milliseconds of the newest trace. @default now */
  newestMs?: number
  /** Time between two traces. @default a minute */
  apartMs?: number
  key?: string
}

export interface SeededTrace {
  id: string
  name: string
  failed: boolean
}

/**
 * Sends traces of three runs each (a chain, a retriever, a model) and returns them newest first. Every tenth fails. The
 * n-th has the question `question n` and is named `rag_chain`, `support_agent` or `answer_question`.
 */
export async function seedTraces(options: SeedOptions): Promise<SeededTrace[]> {
  const { url, project, traces, newestMs = Date.now(), apartMs = 60_000, key } = options
  const seeded: SeededTrace[] = []
  for (let first = 0; first < traces; first += 100) {
    const post: object[] = []
    for (let at = first; at < Math.min(first + 100, traces); at++) {
      const id = randomUUID()
      const failed = at % 10 === 4
      const name = NAMES[at % NAMES.length]!
      post.push(...runsOf({ id, name, failed, at, project, startMs: newestMs - at * apartMs }))
      seeded.push({ id, name, failed })
    }
    await send(url, '/runs/batch', { post }, key)
  }
  return seeded
}

/** Sends one root run that has started and not ended; `finish` ends it. */
export async function startRun({
  url,
  project,
  name,
  key,
}: {
  url: string
  project: string
  name: string
  key?: string
}) {
  const id = randomUUID()
  const startMs = Date.now()
  const own = { id, trace_id: id, dotted_order: dotted(startMs, id) }
  const run = {
    ...own,
    name,
    run_type: 'chain',
    start_time: iso(startMs),
    inputs: { question: name },
    session_name: project,
  }
  await send(url, '/runs/batch', { post: [run] }, key)
  return {
    id,
    finish: () =>
      send(url, '/runs/batch', { patch: [{ ...own, end_time: iso(Date.now()), outputs: { answer: 'done' } }] }, key),
  }
}

async function send(url: string, path: string, body: object, key: string | undefined): Promise<void> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'x-api-key': key }) },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
}

interface Seed extends SeededTrace {
  at: number
  project: string
  startMs: number
}

function runsOf({ id, name, failed, at, project, startMs }: Seed): object[] {
  const latencyMs = 200 + ((at * 977) % 9_000)
  const question = `question ${at}`
  const root = {
    ...{ id, trace_id: id, dotted_order: dotted(startMs, id), name, run_type: 'chain', session_name: project },
    ...{ start_time: iso(startMs), end_time: iso(startMs + latencyMs), inputs: { question } },
    ...(failed ? { error: 'RateLimitError: 429\n  at call' } : { outputs: { answer: `answer ${at}` } }),
  }
  const child = (childName: string, type: string, afterMs: number, rest: object) => {
    const childId = randomUUID()
    const order = `${dotted(startMs, id)}.${dotted(startMs + afterMs, childId)}`
    return {
      ...{ id: childId, trace_id: id, parent_run_id: id, dotted_order: order, name: childName, run_type: type },
      ...{
        session_name: project,
        start_time: iso(startMs + afterMs),
        end_time: iso(startMs + latencyMs - 10),
        ...rest,
      },
    }
  }
  return [
    root,
    child('search_kb', 'retriever', 5, { inputs: { query: question }, outputs: { documents: [] } }),
    child('ChatModel', 'llm', 20, {
      inputs: { messages: [{ role: 'user', content: question }] },
      outputs: { usage_metadata: { input_tokens: 1000, output_tokens: 200, total_tokens: 1200 } },
      extra: { metadata: { ls_provider: 'openai', ls_model_name: 'gpt-4o-mini' } },
    }),
  ]
}

const NAMES = ['rag_chain', 'support_agent', 'answer_question']
const iso = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z')
const dotted = (ms: number, id: string) => iso(ms).replaceAll(/[-:.]/g, '') + id
