import { describe, expect, it, vi } from 'vitest'
import {
  client,
  correct,
  judgedIn,
  lastExperiment,
  lookUp,
  on,
  scoresOf,
  serveCapitals,
  server,
} from '../../test/capitals.ts'
import type { Example, Run } from '../schemas.ts'
import { traceable } from '../tracing/traceable/traceable.ts'
import { evaluate } from './evaluate.ts'
import type { EvaluatorArgs } from './types.ts'

serveCapitals()

describe('evaluators', () => {
  it('of every form are asked', async () => {
    const forms: unknown[] = []
    const note = (form: string, value: unknown) => {
      forms.push([form, value])
      return { score: 1 }
    }
    const results = await evaluate(
      lookUp,
      on({
        data: server.examples.slice(0, 1) as never,
        evaluators: [
          function byArgs({ run, example, inputs, outputs, referenceOutputs }: EvaluatorArgs) {
            return note('args', [run.outputs, example.id, inputs, outputs, referenceOutputs])
          },
          function byRun(run: Run, example?: Example) {
            return note('run', [run.outputs, run.id.length, example?.outputs])
          },
          { evaluateRun: async (run: Run) => ({ key: 'whole', ...note('object', run.outputs) }) },
          async function several() {
            return [{ key: 'a', score: 0.123456 }, { value: 'x' }]
          },
          () => ({ results: [{ key: 'c', score: false }] }),
          traceable(async () => ({ score: 0 }), { name: 'traced' }),
        ],
      }),
    )
    const france = { capital: 'Paris' }
    expect(forms).toEqual([
      ['args', [france, server.examples[0]!.id, { country: 'France' }, france, france]],
      ['run', [france, 36, france]],
      ['object', france],
    ])
    expect(scoresOf(results.results)[0]).toEqual([
      ['byArgs', 1],
      ['byRun', 1],
      ['whole', 1],
      ['a', 0.123456],
      ['several', undefined],
      ['c', false],
      ['traced', 0],
    ])
    expect(server.feedback.map(({ key, score }) => [key, score])).toContainEqual(['a', 0.1235])
  })

  it('without a name are named by their position', async () => {
    const { results } = await evaluate(
      lookUp,
      on({ evaluators: [() => ({ score: 1 }), correct, () => ({ score: 2 })] }),
    )
    expect(scoresOf(results)[0]).toEqual([
      ['evaluator', 1],
      ['correct', true],
      ['evaluator 2', 2],
    ])
  })

  it('leave feedback that links to a run of their own', async () => {
    const { experimentId, results } = await evaluate(lookUp, on({ evaluators: [correct] }))

    const judged = server.runsOf('evaluators')
    expect(judged).toHaveLength(3)
    expect(judged[0]).toMatchObject({
      name: 'correct',
      reference_example_id: server.examples[0]!.id,
      inputs: {
        inputs: { country: 'France' },
        outputs: { capital: 'Paris' },
        referenceOutputs: { capital: 'Paris' },
      },
      outputs: { key: 'correct', score: true },
      extra: { metadata: { target_run_id: results[0]!.run.id, experiment_id: experimentId } },
    })
    expect(server.feedback.find(({ run_id }) => run_id === results[0]!.run.id)).toMatchObject({
      trace_id: results[0]!.run.id,
      session_id: experimentId,
      key: 'correct',
      score: true,
      feedback_source: { type: 'model', metadata: { __run: { run_id: judged[0]!.id }, evaluator: 'correct' } },
    })
  })

  it('go untraced, or into another project, when asked to', async () => {
    const inner = traceable(async () => 1, { name: 'inner', client })
    const judge = async () => ({ score: await inner() })
    vi.stubEnv('TOUCHSTONE_TRACING', 'true')
    await evaluate(lookUp, on({ evaluators: [judge], disableEvaluatorTracing: true }))
    expect(server.recorder.runs.map(({ session_name }) => session_name)).toEqual(Array(3).fill(lastExperiment().name))
    expect(server.feedback[0]!.feedback_source.metadata).toEqual({ evaluator: 'judge' })

    await evaluate(lookUp, on({ evaluators: [judge], evaluatorProject: 'judges' }))
    expect(server.runsOf('judges').map(({ name }) => name)).toEqual(Array(3).fill(['judge', 'inner']).flat())
  })

  it('that throw, or return no object, are reported by name and skipped', async () => {
    const breaks = () => {
      throw new Error('out of order')
    }
    const { errors, results } = await evaluate(
      lookUp,
      on({
        progress: true,
        evaluators: [
          breaks,
          function mute() {
            return undefined as never
          },
          correct,
        ],
      }),
    )
    expect(errors.map(({ evaluator, error }) => [evaluator, String(error)]).slice(0, 2)).toEqual([
      ['breaks', 'Error: out of order'],
      ['mute', 'Error: Evaluator function must return an object.'],
    ])
    expect(results[0]!.evaluationResults.results).toMatchObject([{ key: 'correct' }])
    expect(vi.mocked(console.error).mock.calls.flat().join('\n')).toContain('Error running evaluator breaks on example')
    expect(server.runsOf('evaluators').filter(({ error }) => error)).toHaveLength(3)
  })

  it('do not wait for their feedback, but the experiment does, and tells what was refused', async () => {
    const many = function many() {
      return Array.from({ length: 200 }, (_, at) => ({ key: `k${at}`, score: at }))
    }
    server.refuse(({ path, body }) => {
      if (path !== '/runs/multipart' || !body.includes('"key":"k7"') || !body.includes('"feedback.')) return undefined
      const id = /"id":"([^"]+)","run_id":"[^"]+","trace_id":"[^"]+","key":"k7"/.exec(body.toString())![1]
      return { status: 202, body: { errors: [{ run_id: `feedback.${id}`, error: 'k7 is not liked' }] } }
    })
    const { errors, results } = await evaluate(
      lookUp,
      on({ data: server.examples.slice(0, 1) as never, evaluators: [many] }),
    )
    expect(results[0]!.evaluationResults.results).toHaveLength(200)
    expect(errors.map(({ evaluator, error }) => [evaluator, String(error)])).toEqual([
      ['many', expect.stringContaining('k7 is not liked')],
    ])
    const requests = server.lines.filter((line) => line === 'POST /runs/multipart' || line === 'POST /feedback')
    expect(requests.length).toBeLessThan(12)
  })

  it('leave once the run they judge is delivered, so that an interrupted run never carries a score', async () => {
    const early: string[] = []
    server.refuse((request) => {
      const ended = server.recorder.runs.filter(({ end_time }) => end_time).map(({ id }) => id)
      early.push(...judgedIn(request).filter((id) => !ended.includes(id)))
      return undefined
    })
    await evaluate(lookUp, on({ evaluators: [correct] }))
    expect(early).toEqual([])
    expect(server.feedback).toHaveLength(3)
  })

  it('of the whole experiment see all of it, and use the client that was given', async () => {
    vi.stubEnv('TOUCHSTONE_ENDPOINT', 'http://127.0.0.1:9/api/v1')
    const { summaryResults, experimentId } = await evaluate(
      lookUp,
      on({
        summaryEvaluators: [
          function share({ outputs, referenceOutputs }) {
            const hits = outputs.filter((output, at) => output.capital === referenceOutputs[at]!.capital)
            return { score: hits.length / outputs.length }
          },
          (runs: Run[], examples: unknown[]) => ({ key: 'count', score: runs.length + examples.length }),
          () => {
            throw new Error('no')
          },
        ],
      }),
    )
    expect(summaryResults.results).toMatchObject([
      { key: 'share', score: 2 / 3 },
      { key: 'count', score: 6 },
    ])
    expect(server.feedback.sort((a, b) => (a.key < b.key ? -1 : 1))).toMatchObject([
      { run_id: null, session_id: experimentId, key: 'count' },
      { run_id: null, session_id: experimentId, key: 'share', score: 0.6667 },
    ])
    expect(server.runsOf('evaluators').map(({ name, inputs }) => [name, inputs.runs])[0]).toEqual([
      'share',
      'Runs[] (Length=3)',
    ])
  })
})
