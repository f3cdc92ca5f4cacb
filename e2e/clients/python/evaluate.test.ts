import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedServer, shareServer } from '../../support/share-server.ts'
import { aProjectName } from '../javascript/a-client.ts'
import { PYTHON_CLIENTS, python, runScript } from './run-script.ts'

let server: SharedServer
beforeAll(async () => {
  if (python !== undefined) server = await shareServer()
})
afterAll(() => server?.stop())

const ROWS = [
  ['France', 'Paris', 'easy'],
  ['Peru', 'Lima', 'easy'],
  ['Chad', "N'Djamena", 'hard'],
  ['Atlantis', 'Poseidonis', 'hard'],
] as const

interface Row {
  example: string
  run: string
  outputs: object | null
  error: string | null
  scores: Record<string, number | boolean | null>
}
interface Experiment {
  name: string
  said: string
  local: Row[]
  remote: {
    rows: Row[]
    feedback: Record<string, object>
    run_stats: object
    metadata: object
    description: string | null
    reference_dataset_id: string
  }
}
interface Report {
  dataset: string
  tenant: string
  first: Experiment
  second: Experiment
  experiments: Record<string, { id: string; run_count: number }>
  table: { country: string; capital: string | null; correct: number; length: number }[]
  added: number
  pair_said: string
  pair: Record<string, number>[]
  judged: string[]
}

/** As the server keeps them: scores of 4 decimals, booleans as 1 and 0. */
const asKept = (rows: Row[]) =>
  rows.map(({ error, scores, ...row }) => ({
    ...row,
    failed: error !== null,
    scores: Object.fromEntries(
      Object.entries(scores).map(([key, score]) => [key, score === null ? null : Number(Number(score).toFixed(4))]),
    ),
  }))
const inOrder = <Item extends { run: string }>(rows: Item[]) => rows.sort((a, b) => (a.run < b.run ? -1 : 1))

describe.skipIf(python === undefined).each(PYTHON_CLIENTS)(
  'experiments of the public Python client $version',
  (client) => {
    let report: Report
    beforeAll(async () => {
      const task = { dataset: aProjectName('capitals'), rows: ROWS, known: { France: 'Paris', Peru: 'Lima' } }
      report = await runScript<Report>('experiments', task, server.url, client.env)
    })

    it.each(['first', 'second'] as const)('are read back as they were computed: the %s', (which) => {
      const { local, remote } = report[which]
      expect(local).toHaveLength(which === 'first' ? 8 : 4)
      const kept = remote.rows.map(({ scores: { later, ...scores }, ...row }) => ({ ...row, scores }))
      expect(inOrder(asKept(kept))).toEqual(inOrder(asKept(local)))
    })

    it('have figures, metadata and a place', () => {
      const { remote } = report.first
      expect(remote).toMatchObject({
        reference_dataset_id: report.dataset,
        description: 'the first',
        metadata: { model: 'm1', num_repetitions: 2, dataset_splits: expect.arrayContaining(['easy', 'hard']) },
        run_stats: { run_count: 8, error_rate: 0.25 },
        feedback: {
          correct: { n: 8, avg: 0.5 },
          a: { n: 8, avg: 0.5 },
          b: { n: 8, values: { label: 8 } },
          accuracy: { n: 1, avg: 0.5 },
        },
      })
      const { id } = report.experiments[report.first.name]!
      expect(report.first.said).toContain(`View the evaluation results for experiment: '${report.first.name}' at:`)
      expect(report.first.said).toContain(
        `/o/${report.tenant}/datasets/${report.dataset}/compare?selectedSessions=${id}`,
      )
      expect(report.second.said).toContain(`selectedSessions=${report.experiments[report.second.name]!.id}`)
      expect(report.experiments[report.second.name]!.run_count).toBe(4)
      expect(new Set(report.judged)).toEqual(
        new Set(['correct', 'length', 'several', 'accuracy', '<lambda>', 'prefer']),
      )
    })

    it('come as a table', () => {
      const rows = report.table.map(
        ({ country, capital, correct, length }) => `${country} ${capital} ${correct} ${length}`,
      )
      expect(rows.sort()).toEqual(
        ['Atlantis null 0 0', 'Chad unknown 0 2.3333', 'France Paris 1 1.6667', 'Peru Lima 1 1.3333'].flatMap((row) => [
          row,
          row,
        ]),
      )
    })

    it('can be judged again, later', () => {
      expect(report.added).toBe(4)
      expect(report.second.remote.feedback).toMatchObject({ later: { n: 4, avg: 1 } })
    })

    it('are compared with each other', () => {
      expect(report.pair_said).toContain('comparativeExperiment=')
      expect(report.pair).toHaveLength(4)
      const wins = report.pair.flatMap((scores) => Object.values(scores))
      expect(wins.filter((score) => score === 1)).toHaveLength(6)
      // A score of a pair is none of the experiment's own.
      expect(Object.keys(report.first.remote.feedback).sort()).toEqual(['a', 'accuracy', 'b', 'correct', 'length'])
    })
  },
)
