import { describe, expect, it } from 'vitest'
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
import { runsOf } from '../../test/recorder.ts'
import type { Example } from '../schemas.ts'
import { traceable } from '../tracing/traceable/traceable.ts'
import { evaluate } from './evaluate.ts'

serveCapitals()

const sentRuns = () => server.recorder.calls.flatMap(runsOf).filter(({ kind }) => kind === 'post')
const sentFeedback = () => server.recorder.calls.flatMap(judgedIn)
const writes = () =>
  server.recorder.calls.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`)
const whole = () => ({ key: 'whole', score: 1 })

describe('an experiment that is not uploaded', () => {
  it('runs and judges here, and sends nothing', async () => {
    const inner = traceable(async (country: string) => country.length, { name: 'inner', client })
    const target = traceable(async ({ country }: { country: string }) => ({ capital: await inner(country) }), {
      client,
    })
    const options = on({
      evaluators: [correct],
      summaryEvaluators: [whole],
      uploadRuns: false,
      experimentPrefix: 'here',
    })
    const results = await evaluate(target, options)
    await client.flush()

    expect(writes()).toEqual([])
    expect(results.experimentName).toMatch(/^here-/)
    expect(results.experimentUrl).toBeUndefined()
    expect(results.results.map(({ run }) => run.outputs)).toEqual([{ capital: 6 }, { capital: 4 }, { capital: 4 }])
    expect(scoresOf(results.results)).toEqual([[['correct', false]], [['correct', false]], [['correct', false]]])
    expect(results.summaryResults.results).toMatchObject([{ key: 'whole', score: 1 }])
  })

  it('cannot be one that exists, nor be measured by what the server computes', async () => {
    await expect(evaluate(lookUp, on({ uploadRuns: false, experiment: 'x' }))).rejects.toThrow('makes no experiment')
    await expect(evaluate(lookUp, on({ uploadRuns: false, failIf: 'a.mean<1' }))).rejects.toThrow('makes no experiment')
  })
})

describe('an experiment of which a function selects what is uploaded', () => {
  it('sends the runs and feedback of those examples, and judges all', async () => {
    const uploadRuns = ({ inputs }: Example) => {
      if (inputs.country === 'Chad') throw new Error('no idea')
      return inputs.country === 'France'
    }
    const results = await evaluate(lookUp, on({ evaluators: [correct], summaryEvaluators: [whole], uploadRuns }))
    await client.flush()

    const [france] = results.results
    expect(scoresOf(results.results)).toEqual([[['correct', true]], [['correct', true]], [['correct', false]]])
    const targets = sentRuns().filter(({ session_name }) => session_name === results.experimentName)
    expect(targets.map(({ id }) => id)).toEqual([france!.run.id])
    expect(
      sentRuns()
        .filter(({ session_name }) => session_name === 'evaluators')
        .map(({ name }) => name),
    ).toEqual(['correct', 'whole'])
    // The summary is about no run.
    expect(sentFeedback().filter((id) => id != null)).toEqual([france!.run.id])
    expect(sentFeedback().filter((id) => id == null).length).toBe(1)
    expect(results.experimentId).toBe(lastExperiment().id)
  })

  it('is refused for runs and experiments that exist', async () => {
    const uploadRuns = () => true
    await expect(evaluate(['a', 'b'] as never, on({ uploadRuns }) as never)).rejects.toThrow('only when evaluating')
    async function* none() {}
    await expect(evaluate(none() as never, on({ uploadRuns }))).rejects.toThrow('only when evaluating')
  })
})
