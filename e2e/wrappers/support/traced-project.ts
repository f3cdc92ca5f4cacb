import { Client, type ClientConfig } from '@touchstone/sdk'
import type { Run } from '@touchstone/sdk/schemas'
import { afterAll, beforeAll, expect } from 'vitest'
import { FAKE_TOKENS, type FakeProvider, startFakeProvider } from '../../support/fake-provider.ts'
import { type SharedServer, shareServer } from '../../support/share-server.ts'

/** A project of its own, with the client that sends to it. */
export interface TracedProject {
  readonly client: Client
  readonly name: string
  /** For a wrapper: its client and its project, and tracing is on. */
  readonly settings: { readonly client: Client; readonly project_name: string; readonly tracingEnabled: true }
  /** The runs of the project in the order of their trace, after the client has sent them. */
  runs(): Promise<Run[]>
}

/** Starts the built server, where `fake-model` has a price, and a provider. The suite stops them. */
export function useServerAndProvider() {
  const started = {} as { server: SharedServer; provider: FakeProvider }
  beforeAll(async () => {
    const [server, provider] = await Promise.all([shareServer(), startFakeProvider()])
    Object.assign(started, { server, provider })
    await new Client({ apiUrl: server.url, apiKey: 'any' }).createModelPrice({
      name: 'fake-model',
      match_pattern: '^fake-model$',
      prompt_cost: '0.001',
      completion_cost: '0.002',
      prompt_cost_details: { cache_read: '0.0001' },
    })
  })
  afterAll(async () => {
    await Promise.all([started.provider?.close(), started.server?.stop()])
  })
  return started
}

export function aProject(server: SharedServer, options: ClientConfig = {}): TracedProject {
  const client = new Client({ apiUrl: server.url, apiKey: 'any', ...options })
  const name = `wrapped ${crypto.randomUUID()}`
  return {
    client,
    name,
    settings: { client, project_name: name, tracingEnabled: true },
    async runs() {
      await client.flush()
      return await listRuns(client, name)
    },
  }
}

export async function listRuns(client: Client, projectName: string): Promise<Run[]> {
  const found: Run[] = []
  for await (const run of client.listRuns({ projectName })) found.push(run)
  return found.sort((a, b) => (String(a.dotted_order) < String(b.dotted_order) ? -1 : 1))
}

/** `chain answer > llm ChatOpenAI` for each run, so that one assertion shows the whole tree. */
export function drawTree(runs: readonly Run[]): string[] {
  const nameOf = (run: Run) => `${run.run_type} ${run.name}`
  const pathOf = (run: Run): string => {
    const parent = runs.find(({ id }) => id === run.parent_run_id)
    return parent ? `${pathOf(parent)} > ${nameOf(run)}` : nameOf(run)
  }
  return runs.map(pathOf)
}

export const metadataOf = (run: Run | undefined) => run?.extra?.metadata as Record<string, unknown> | undefined
export const costOf = (run: Run | undefined) => Number((run as { total_cost?: unknown } | undefined)?.total_cost)

/** What the provider counted for a call: 15 tokens at the full price, 5 from the cache, 10 of the answer. */
export const USAGE = {
  input_tokens: FAKE_TOKENS.prompt,
  output_tokens: FAKE_TOKENS.completion,
  total_tokens: FAKE_TOKENS.prompt + FAKE_TOKENS.completion,
  input_token_details: expect.objectContaining({ cache_read: FAKE_TOKENS.cached }) as unknown,
  output_token_details: expect.objectContaining({ reasoning: FAKE_TOKENS.reasoning }) as unknown,
}
export const COST = 0.001 * 15 + 0.0001 * 5 + 0.002 * 10
