import { contract, PlaygroundEvent, type PlaygroundJob, uuid7 } from '@touchstone/contract'
import { expect } from 'vitest'
import type { AWorkspace } from './a-workspace.ts'
import type { FakeProvider } from './fake-provider.ts'
import type { StartedApp } from './start-app.ts'

/** The playground of one workspace, with a fake provider. */
export interface APlayground {
  readonly providerId: string
  /** A variant that calls `fake-model`. */
  variant(more?: object): Record<string, unknown>
  /** Runs variants and reads all events. */
  run(body: object): Promise<PlaygroundEvent[]>
  /** A dataset with rows `{ question: "question n" }`. */
  dataset(rows: number, inputs?: (n: number) => object): Promise<string>
  /** The body of a job of one variant over a dataset. */
  job(datasetId: string, more?: object): Record<string, unknown>
  start(body: object): Promise<PlaygroundJob>
  read(id: string): Promise<PlaygroundJob>
  /** Waits until a job is in a state. */
  reach(id: string, state: PlaygroundJob['state']): Promise<PlaygroundJob>
  /** Root runs of a project. */
  runs(projectId: string): Promise<Record<string, unknown>[]>
}

export const PLAYGROUND_KEY = 'sk-playground-secret-0123456789-LAST'

export async function aPlayground(app: StartedApp, as: AWorkspace, fake: FakeProvider): Promise<APlayground> {
  const { headers } = as
  const { modelProviders, playgroundJobs, datasets, examples } = contract
  const body = {
    name: `Fake ${uuid7()}`,
    kind: 'openai-chat',
    base_url: fake.url,
    key: PLAYGROUND_KEY,
    provider: 'fake',
  }
  const added = await app.call(modelProviders.create, { headers, body })
  expect(added.status, added.text).toBe(200)
  const providerId = added.body.id
  const variant = (more: object = {}) => ({
    name: 'a',
    provider_id: providerId,
    model: 'fake-model',
    template_format: 'f-string',
    messages: [{ role: 'user', content: 'Say {question}' }],
    ...more,
  })
  const read = async (id: string) => {
    const answer = await app.call(playgroundJobs.read, { headers, params: { job_id: id } })
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  return {
    providerId,
    variant,
    read,
    async run(given) {
      const answer = await app.fetch('/api/v1/playground/runs', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(given),
      })
      const text = await answer.text()
      expect(answer.status, text).toBe(200)
      return readEvents(text)
    },
    async dataset(rows, inputs = (n) => ({ question: `question ${n}` })) {
      const { id } = (await app.call(datasets.create, { headers, body: { name: `d ${uuid7()}` } })).body
      const list = Array.from({ length: rows }, (_, n) => ({
        dataset_id: id,
        inputs: inputs(n),
        outputs: { answer: n },
      }))
      const made = await app.call(examples.createMany, { headers, body: list })
      expect(made.status, made.text.slice(0, 500)).toBe(200)
      return id
    },
    job: (datasetId, more = {}) => ({ dataset_id: datasetId, name: `job ${uuid7()}`, variants: [variant()], ...more }),
    async start(given) {
      const answer = await app.call(playgroundJobs.create, { headers, body: given })
      expect(answer.status, answer.text).toBe(200)
      return answer.body
    },
    async reach(id, state) {
      await expect.poll(async () => (await read(id)).state, { timeout: 120_000 }).toBe(state)
      return read(id)
    },
    async runs(projectId) {
      const list: Record<string, unknown>[] = []
      let cursor: string | undefined
      do {
        const body: object = { session: [projectId], is_root: true, limit: 100, cursor }
        const answer = await app.fetch('/api/v1/runs/query', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        })
        const page = (await answer.json()) as { runs: Record<string, unknown>[]; cursors?: { next?: string | null } }
        list.push(...page.runs)
        cursor = page.cursors?.next ?? undefined
      } while (cursor !== undefined)
      return list
    },
  }
}

/** The events of a stream. Comments are left out. */
export function readEvents(text: string): PlaygroundEvent[] {
  return text
    .split('\n\n')
    .filter((part) => part.startsWith('data: '))
    .map((part) => PlaygroundEvent.parse(JSON.parse(part.slice('data: '.length))))
}
