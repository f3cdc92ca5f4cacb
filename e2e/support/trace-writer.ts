import { randomUUID } from 'node:crypto'

export interface WrittenRun {
  id: string
  trace_id: string
  dotted_order: string
  name: string
}

/** A run in a test: its parent, milliseconds since the start of the trace, and other relevant fields. */
export interface RunToWrite {
  parent?: WrittenRun | undefined
  name: string
  type?: string
  /** No end: the run is still running. */
  at?: [number, number?]
  [field: string]: unknown
}

/** Collects the runs of a trace of any shape and sends them in batches. */
export class TraceWriter {
  #runs: object[] = []

  constructor(
    readonly url: string,
    readonly project: string,
    readonly startMs = Date.now() - 60_000,
  ) {}

  get size(): number {
    return this.#runs.length
  }

  add({ parent, name, type = 'chain', at = [0, 100], ...rest }: RunToWrite): WrittenRun {
    const id = randomUUID()
    const [start, end] = at
    const segment = iso(this.startMs + start).replaceAll(/[-:.]/g, '') + id
    const run = {
      id,
      trace_id: parent?.trace_id ?? id,
      dotted_order: parent ? `${parent.dotted_order}.${segment}` : segment,
      name,
    }
    this.#runs.push({
      ...run,
      ...(parent ? { parent_run_id: parent.id } : {}),
      run_type: type,
      session_name: this.project,
      start_time: iso(this.startMs + start),
      ...(end === undefined ? {} : { end_time: iso(this.startMs + end) }),
      inputs: { step: name },
      ...(end === undefined || 'error' in rest ? {} : { outputs: { ok: true } }),
      ...rest,
    })
    return run
  }

  async send(): Promise<void> {
    for (let from = 0; from < this.#runs.length; from += 1_000) {
      const answer = await fetch(`${this.url}/api/v1/runs/batch`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ post: this.#runs.slice(from, from + 1_000) }).replaceAll(LONG_NUMBER, '$1'),
      })
      if (!answer.ok) throw new Error(`/runs/batch answered ${answer.status}: ${await answer.text()}`)
    }
    this.#runs = []
  }
}

/** An agent's loop: steps of ten runs with model calls and tools below a root; one run in 997 fails. */
export async function writeLargeTrace(url: string, project: string, size: number): Promise<WrittenRun> {
  const writer = new TraceWriter(url, project)
  const root = writer.add({ name: 'agent_loop', at: [0, size] })
  while (writer.size < size) {
    const begin = writer.size
    const step = writer.add({ parent: root, name: `step ${begin}`, at: [begin, begin + 10] })
    for (let i = 0; i < 9 && writer.size < size; i++) {
      const at: [number, number] = [begin + i, begin + i + 0.7]
      const number = writer.size
      const failure = number % 997 === 0 ? { error: `Boom ${number}` } : {}
      if (i % 3 === 0) writer.add({ parent: step, name: 'ChatModel', type: 'llm', at, ...ANSWERED, ...failure })
      else writer.add({ parent: step, name: `tool ${number % 7}`, type: 'tool', at, ...failure })
    }
  }
  await writer.send()
  return root
}

/** Id of a project by its name. */
export async function projectIdOf(url: string, name: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/sessions?name=${encodeURIComponent(name)}`)
  const [project] = (await answer.json()) as { id: string }[]
  if (!project) throw new Error(`There is no project ${name}`)
  return project.id
}

/** `'number:12345678901234567890'` sends digits that JavaScript numbers cannot represent. */
const LONG_NUMBER = /"number:(\d+)"/g

const ANSWERED = {
  inputs: { messages: [{ role: 'user', content: 'Next?' }] },
  outputs: {
    choices: [{ message: { role: 'assistant', content: 'Go on.' } }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  },
  extra: { metadata: { ls_provider: 'openai', ls_model_name: 'gpt-4o-mini' } },
}

const iso = (ms: number) => `${new Date(Math.floor(ms)).toISOString().slice(0, 23)}${micros(ms)}Z`
const micros = (ms: number) => String(Math.round((ms - Math.floor(ms)) * 1000)).padStart(3, '0')
