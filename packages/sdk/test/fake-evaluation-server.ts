import { randomUUID } from 'node:crypto'
import { partsOf, type Recorded, type RecordedRun, Recorder } from './recorder.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
type Record_ = Record<string, any>

export const DATASET = '11111111-1111-4111-8111-111111111111'
export const TENANT = '22222222-2222-4222-8222-222222222222'

/**
 * A server that knows one dataset, and keeps experiments, runs and feedback as ours does: enough to run an experiment,
 * to read it back and to go on with it.
 */
export class FakeEvaluationServer {
  readonly recorder: Recorder
  readonly experiments: Record_[] = []
  readonly feedback: Record_[] = []
  readonly examples: Record_[]
  dataset: Record_ = { id: DATASET, tenant_id: TENANT, name: 'capitals', baseline_experiment_id: null }
  /** Answer of the statistics route. */
  statistics: Record_ = { results: [] }

  static async start(examples: { inputs: object; outputs?: object; metadata?: object }[]) {
    const recorder = await Recorder.start()
    const server = new FakeEvaluationServer(recorder, examples)
    recorder.respond((request) => server.#refusal(request) ?? server.#answer(request))
    return server
  }

  private constructor(recorder: Recorder, examples: { inputs: object; outputs?: object; metadata?: object }[]) {
    this.recorder = recorder
    this.examples = examples.map((example, at) => ({
      id: `33333333-3333-4333-8333-${String(at).padStart(12, '0')}`,
      dataset_id: DATASET,
      outputs: null,
      metadata: { dataset_split: ['base'] },
      created_at: '2026-01-01T00:00:00.000Z',
      modified_at: `2026-01-0${at + 1}T00:00:00.000Z`,
      ...example,
    }))
  }

  get url(): string {
    return this.recorder.url
  }

  #refusal: (request: Recorded) => { status: number; body?: unknown } | undefined = () => undefined

  /** Answers some requests otherwise. */
  refuse(refusal: (request: Recorded) => { status: number; body?: unknown } | undefined): void {
    this.#refusal = refusal
  }

  stop(): Promise<void> {
    return this.recorder.stop()
  }

  /** Runs of a project, in the order of their arrival. */
  runsOf(project: string): RecordedRun[] {
    return this.recorder.runs.filter(({ session_name }) => session_name === project)
  }

  /** `METHOD path` of what was sent, ids left out. */
  get lines(): string[] {
    return this.recorder.calls.map(({ method, path }) => `${method} ${path.replaceAll(/[0-9a-f-]{36}/g, '{id}')}`)
  }

  /** An experiment that exists already, with its runs by example and feedback. */
  given(experiment: Record_): Record_ {
    const complete = { id: randomUUID(), tenant_id: TENANT, reference_dataset_id: DATASET, extra: {}, ...experiment }
    this.experiments.push(complete)
    return complete
  }

  #answer(request: Recorded) {
    const { method, path, query } = request
    const body = () => JSON.parse(request.body.toString())
    if (path.startsWith('/sessions')) return this.#answerSessions(request)
    if (path === '/examples') return { body: this.#page(this.#examplesOf(query), query) }
    if (path === '/runs/multipart') {
      const parts = partsOf(request).filter(({ name }) => name.startsWith('feedback.'))
      this.feedback.push(...parts.map(({ data }) => JSON.parse(data.toString())))
      return undefined
    }
    if (path === '/feedback' && method === 'POST') {
      this.feedback.push(body())
      return { body: body() }
    }
    if (path === '/feedback') return { body: this.#page(this.#feedbackOf(query.getAll('run')), query) }
    if (path === '/runs/query') return { body: { runs: this.#query(body()), cursors: { next: null } } }
    if (path === '/datasets/comparative') return { body: { tenant_id: TENANT, ...body() } }
    if (path.endsWith('/statistics')) return { body: this.statistics }
    if (path === '/datasets') return { body: query.get('name') === this.dataset.name ? [this.dataset] : [] }
    if (path === `/datasets/${DATASET}`) return { body: this.dataset }
    return undefined
  }

  #answerSessions(request: Recorded) {
    const { method, path, query } = request
    const id = path.split('/')[2]
    if (method === 'GET' && !id) {
      const name = query.get('name')
      const found = this.experiments.filter((one) => name === null || one.name === name)
      return { body: found.map((one) => this.#withFigures(one)) }
    }
    const said = method === 'GET' ? {} : JSON.parse(request.body.toString())
    if (method === 'POST') {
      if (this.experiments.some(({ name }) => name === said.name)) return { status: 409, body: { detail: 'taken' } }
      return { body: this.given(said) }
    }
    const known = this.experiments.find((one) => one.id === id)
    if (!known) return { status: 404, body: { detail: 'Session not found' } }
    if (method === 'PATCH') Object.assign(known, said)
    return { body: this.#withFigures(known) }
  }

  #withFigures(experiment: Record_) {
    const roots = this.runsOf(experiment.name).filter(({ parent_run_id }) => !parent_run_id)
    const scores = new Map<string, number[]>()
    for (const { session_id, run_id, key, score } of this.feedback) {
      if (session_id === experiment.id && run_id) scores.set(key, [...(scores.get(key) ?? []), Number(score)])
    }
    const feedback_stats = Object.fromEntries(
      [...scores].map(([key, all]) => [key, { n: all.length, avg: all.reduce((a, b) => a + b, 0) / all.length }]),
    )
    const error_rate = roots.length && roots.filter(({ error }) => error).length / roots.length
    return { ...experiment, run_count: roots.length, error_rate, feedback_stats }
  }

  #examplesOf(query: URLSearchParams): Record_[] {
    const ids = query.getAll('id')
    return this.examples.filter(({ id }) => ids.length === 0 || ids.includes(id))
  }

  #feedbackOf(runIds: string[]): Record_[] {
    return [...this.feedback].reverse().filter(({ run_id }) => runIds.length === 0 || runIds.includes(run_id))
  }

  #query(query: { session: string[]; is_root?: boolean }): RecordedRun[] {
    const asked = this.experiments.filter(({ id }) => query.session.includes(id))
    return asked.flatMap(({ id, name }) =>
      this.runsOf(name)
        .filter(({ parent_run_id }) => !query.is_root || !parent_run_id)
        .map((run) => ({ ...run, session_id: id })),
    )
  }

  #page<Item>(items: Item[], query: URLSearchParams): Item[] {
    const from = Number(query.get('offset') ?? 0)
    return items.slice(from, from + Number(query.get('limit') ?? 100))
  }
}
