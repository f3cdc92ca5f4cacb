import { afterEach, beforeEach, vi } from 'vitest'
import { Client } from '../src/client.ts'
import type { EvaluateOptions, EvaluatorArgs } from '../src/evaluation/types.ts'
import { FakeEvaluationServer } from './fake-evaluation-server.ts'
import { partsOf, type Recorded } from './recorder.ts'

const CAPITALS = [
  { inputs: { country: 'France' }, outputs: { capital: 'Paris' } },
  { inputs: { country: 'Peru' }, outputs: { capital: 'Lima' } },
  { inputs: { country: 'Chad' }, outputs: { capital: "N'Djamena" }, metadata: { dataset_split: ['base', 'hard'] } },
]
export const KNOWN: Record<string, string> = { France: 'Paris', Peru: 'Lima' }

export let server: FakeEvaluationServer
export let client: Client
/** Starts a new server with the capitals for each test of the calling file. */
export function serveCapitals(): void {
  beforeEach(async () => {
    server = await FakeEvaluationServer.start(CAPITALS)
    client = new Client({ apiUrl: server.url, apiKey: 'k' })
    vi.spyOn(console, 'error').mockImplementation(() => {})
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
    await server.stop()
  })
}

export const lookUp = async ({ country }: { country: string }) => ({ capital: KNOWN[country] ?? 'unknown' })
export const correct = ({ outputs, referenceOutputs }: EvaluatorArgs) => ({
  key: 'correct',
  score: outputs?.capital === referenceOutputs.capital,
})
export const on = (more: Partial<EvaluateOptions> = {}): EvaluateOptions => ({
  data: 'capitals',
  client,
  progress: false,
  ...more,
})
/** Ids of the runs that a request brings feedback for. */
export const judgedIn = (request: Recorded): string[] => {
  if (request.path === '/feedback' && request.method === 'POST') return [JSON.parse(request.body.toString()).run_id]
  if (request.path !== '/runs/multipart') return []
  const parts = partsOf(request).filter(({ name }) => name.startsWith('feedback.'))
  return parts.map(({ data }) => JSON.parse(data.toString()).run_id)
}
export const lastExperiment = () => server.experiments.at(-1)!
export const scoresOf = (rows: { evaluationResults: { results: { key: string; score?: unknown }[] } }[]) =>
  rows.map(({ evaluationResults }) => evaluationResults.results.map(({ key, score }) => [key, score]))
