import { describe, expect, it } from 'vitest'
import { correct, KNOWN, lastExperiment, lookUp, on, serveCapitals, server } from '../../test/capitals.ts'
import { evaluate } from './evaluate.ts'
import { ExperimentFailedError } from './experiment-results.ts'
import type { EvaluateOptions, EvaluatorArgs } from './types.ts'

serveCapitals()

describe('what goes wrong', () => {
  const fragile = async ({ country }: { country: string }) => {
    if (country === 'Peru') throw new TypeError('no such country')
    return { capital: KNOWN[country] }
  }

  it('in a target is recorded in its run, reported, and evaluated without outputs', async () => {
    const seen: unknown[] = []
    const { errors, results } = await evaluate(
      fragile,
      on({ evaluators: [({ outputs }: EvaluatorArgs) => ({ score: seen.push(outputs) })] }),
    )
    expect(errors).toMatchObject([{ exampleId: server.examples[1]!.id, evaluator: undefined }])
    expect(results[1]!.run.error).toContain('TypeError: no such country')
    expect(seen[1]).toBeUndefined()
    expect(server.runsOf(lastExperiment().name)[1]!.error).toContain('TypeError: no such country')
  })

  it('fails the call when asked to, after everything is recorded', async () => {
    const failed = await evaluate(fragile, on({ failOnError: true, evaluators: [correct] })).catch((error) => error)
    expect(failed).toBeInstanceOf(ExperimentFailedError)
    expect(failed.message).toContain('the target failed on 1 of 3 rows')
    expect(failed.results.results).toHaveLength(3)
    expect(server.feedback).toHaveLength(3)
  })
})

describe('the gate', () => {
  it('fails when a mean is too low, and passes when not', async () => {
    const run = (failIf: string | string[]) => evaluate(lookUp, on({ evaluators: [correct], failIf }))
    await expect(run(['correct.mean<0.6', 'error_rate>0'])).resolves.toMatchObject({ length: 3 })
    await expect(run(['correct.mean<0.7', 'correct.n!=3'])).rejects.toMatchObject({
      name: 'ExperimentFailedError',
      failures: [{ condition: 'correct.mean<0.7' }],
    })
    await expect(run('typo.mean<0.7')).rejects.toThrow('there is no figure typo.mean')
  })

  it('counts the failures of evaluators', async () => {
    const picky = ({ inputs }: EvaluatorArgs) => {
      if (inputs.country === 'Peru') throw new Error('not there')
      return { score: 1 }
    }
    await expect(evaluate(lookUp, on({ evaluators: [picky], failIf: 'picky.errors>0' }))).rejects.toThrow(
      'picky.errors>0: it is 1',
    )
  })

  it('compares with the baseline that was named, or that of the dataset', async () => {
    const baseline = server.given({ name: 'before' })
    server.statistics = {
      results: [
        {
          feedback_key: 'correct',
          pair_count: 3,
          wins: 0,
          losses: 2,
          ties: 1,
          difference: { mean: -0.5, interval: { low: -0.9, high: -0.1 } },
          p_value_adjusted: 0.01,
          minimum_detectable_effect: 0.2,
          verdict: 'worse',
        },
      ],
    }
    const run = (more: Partial<EvaluateOptions>) =>
      evaluate(lookUp, on({ evaluators: [correct], failIf: 'correct.verdict=worse', ...more }))

    await expect(run({ baseline: 'before' })).rejects.toThrow('correct.verdict=worse: it is worse')
    const asked = server.recorder.calls.find(({ path }) => path.endsWith('/statistics'))!
    expect(JSON.parse(`${asked.body}`)).toMatchObject({
      baseline_session_id: baseline.id,
      comparison_session_ids: [lastExperiment().id],
    })
    const before = server.experiments.length
    await expect(run({})).rejects.toThrow('neither the option `baseline` nor the dataset names one')
    expect(server.experiments).toHaveLength(before)
    server.dataset.baseline_experiment_id = baseline.id
    await expect(run({ failIf: ['correct.losses>1', 'correct.wins>0'] })).rejects.toThrow('correct.losses>1: it is 2')
  })
})
