import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DATASET, FakeEvaluationServer } from '../../test/fake-evaluation-server.ts'
import { partsOf, type Recorded } from '../../test/recorder.ts'
import { Client } from '../client.ts'
import type { Example, KVMap, Run } from '../schemas.ts'
import { traceable } from '../tracing/traceable/traceable.ts'
import { evaluate } from './evaluate.ts'
import { exactMatch } from './evaluators/exact-match.ts'
import { ExperimentFailedError } from './experiment-failed-error.ts'
import { StringEvaluator } from './string-evaluator.ts'
import type { EvaluateOptions, EvaluatorArgs } from './types.ts'

const CAPITALS = [
  { inputs: { country: 'France' }, outputs: { capital: 'Paris' } },
  { inputs: { country: 'Peru' }, outputs: { capital: 'Lima' } },
  { inputs: { country: 'Chad' }, outputs: { capital: "N'Djamena" }, metadata: { dataset_split: ['base', 'hard'] } },
]
const KNOWN: Record<string, string> = { France: 'Paris', Peru: 'Lima' }

let server: FakeEvaluationServer
let client: Client
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

const lookUp = async ({ country }: { country: string }) => ({ capital: KNOWN[country] ?? 'unknown' })
const correct = ({ outputs, referenceOutputs }: EvaluatorArgs) => ({
  key: 'correct',
  score: outputs?.capital === referenceOutputs.capital,
})
const on = (more: Partial<EvaluateOptions> = {}): EvaluateOptions => ({
  data: 'capitals',
  client,
  progress: false,
  ...more,
})
/** Ids of the runs that a request brings feedback for. */
const judgedIn = (request: Recorded): string[] => {
  if (request.path === '/feedback' && request.method === 'POST') return [JSON.parse(request.body.toString()).run_id]
  if (request.path !== '/runs/multipart') return []
  const parts = partsOf(request).filter(({ name }) => name.startsWith('feedback.'))
  return parts.map(({ data }) => JSON.parse(data.toString()).run_id)
}
const lastExperiment = () => server.experiments.at(-1)!
const scoresOf = (rows: { evaluationResults: { results: { key: string; score?: unknown }[] } }[]) =>
  rows.map(({ evaluationResults }) => evaluationResults.results.map(({ key, score }) => [key, score]))

describe('an experiment', () => {
  it('runs the target on each example, judges it, and comes back with rows in order', async () => {
    const results = await evaluate(lookUp, on({ evaluators: [correct], experimentPrefix: 'first' }))

    expect(results.experimentName).toMatch(/^first-[0-9a-f]{8}$/)
    expect(results).toMatchObject({ length: 3, processedCount: 3, errors: [], experimentId: lastExperiment().id })
    expect(results.results.map(({ run, example }) => [example.inputs.country, run.outputs?.capital])).toEqual([
      ['France', 'Paris'],
      ['Peru', 'Lima'],
      ['Chad', 'unknown'],
    ])
    expect(scoresOf(results.results)).toEqual([[['correct', true]], [['correct', true]], [['correct', false]]])
    const seen: string[] = []
    for (let round = 0; round < 2; round++) for await (const { example } of results) seen.push(example.inputs.country)
    expect(seen).toEqual(['France', 'Peru', 'Chad', 'France', 'Peru', 'Chad'])
    expect(results.experimentUrl).toContain(`/datasets/${DATASET}/compare?selectedSessions=${results.experimentId}`)
  })

  it('tells the server what it is, what it ran on and who judges', async () => {
    vi.stubEnv('TOUCHSTONE_REVISION_ID', 'r7')
    await evaluate(
      lookUp,
      on({
        evaluators: [
          correct,
          exactMatch(),
          new StringEvaluator({ evaluationName: 'alike', gradingFunction: () => ({}) }),
        ],
        summaryEvaluators: [
          function whole() {
            return { score: 1 }
          },
        ],
        metadata: { model: 'm1' },
        description: 'the first try',
        numRepetitions: 2,
      }),
    )

    expect(lastExperiment()).toMatchObject({
      description: 'the first try',
      reference_dataset_id: DATASET,
      num_examples: 3,
      num_repetitions: 2,
      evaluator_keys: ['correct', 'exact_match', 'alike', 'whole'],
      extra: {
        metadata: {
          model: 'm1',
          revision_id: 'r7',
          num_repetitions: 2,
          dataset_version: '2026-01-03T00:00:00.000Z',
          dataset_splits: ['base', 'hard'],
          git: { commit: expect.stringMatching(/^[0-9a-f]{40}$/), dirty: expect.any(Boolean) },
        },
      },
    })
    expect(Object.keys(lastExperiment().extra.metadata.git).join()).not.toMatch(/author|mail/)
    expect(lastExperiment().name).toMatch(/^[a-z]+-[a-z]+-\d\d$/)
  })

  it('records each target call as a root run of the experiment, linked to its example', async () => {
    const inner = traceable(async (country: string) => KNOWN[country], { name: 'inner' })
    const target = async ({ country }: { country: string }) => ({ capital: await inner(country) })

    const { experimentName } = await evaluate(target, on({ metadata: { model: 'm1' } }))

    const runs = server.runsOf(experimentName)
    expect(runs.map(({ name }) => name)).toEqual(['target', 'inner', 'target', 'inner', 'target', 'inner'])
    expect(runs[0]).toMatchObject({
      inputs: { country: 'France' },
      outputs: { capital: 'Paris' },
      reference_example_id: server.examples[0]!.id,
      extra: { metadata: { model: 'm1', example_version: '2026-01-01T00:00:00.000Z' } },
    })
    expect(runs[0]!.parent_run_id).toBeUndefined()
    expect(runs[1]).toMatchObject({ parent_run_id: runs[0]!.id, trace_id: runs[0]!.id })
  })

  it('makes a traceable target part of the experiment, whatever its own config says', async () => {
    const target = traceable(lookUp, {
      name: 'mine',
      project_name: 'elsewhere',
      client: new Client({ apiUrl: 'http://127.0.0.1:9/api/v1', apiKey: 'k', callerOptions: { maxRetries: 0 } }),
      metadata: { own: 1 },
      tags: ['t'],
      processOutputs: async (outputs) => ({ ...outputs, seen: true }),
    })

    const { experimentName, results } = await evaluate(target, on({ evaluators: [correct] }))

    const [run] = server.runsOf(experimentName)
    expect(run).toMatchObject({
      name: 'mine',
      reference_example_id: server.examples[0]!.id,
      tags: ['t'],
      extra: { metadata: { own: 1, example_version: expect.any(String) } },
    })
    expect(results[0]!.run.outputs).toEqual({ capital: 'Paris', seen: true })
    expect(server.feedback.map(({ score }) => score).sort()).toEqual([false, true, true])
  })

  it('is a root even when called inside a trace, and reads streams to their end', async () => {
    const stream = async function* ({ country }: { country: string }) {
      yield 'The '
      yield country
    }
    const outer = traceable(() => evaluate(stream, on({ data: server.examples.slice(0, 1) as never })), {
      client,
      tracingEnabled: true,
    })
    const { results } = await outer()
    expect(results[0]!.run).toMatchObject({ outputs: { outputs: ['The ', 'France'] } })
    expect(server.runsOf(lastExperiment().name).map(({ parent_run_id }) => parent_run_id)).toEqual([undefined])
  })

  it('invokes what has an invoke method', async () => {
    class Chain {
      async invoke({ country }: { country: string }) {
        return { capital: KNOWN[country] }
      }
    }
    await evaluate(new Chain(), on())
    expect(server.runsOf(lastExperiment().name).map(({ name }) => name)).toEqual(['Chain', 'Chain', 'Chain'])
  })

  it('goes through the list again for each repetition', async () => {
    const seen: string[] = []
    const { results } = await evaluate(({ country }) => void seen.push(country), on({ numRepetitions: 2 }))
    expect(seen).toEqual(['France', 'Peru', 'Chad', 'France', 'Peru', 'Chad'])
    expect(results).toHaveLength(6)
  })

  it('takes another name when its own is taken, ten times at most', async () => {
    server.recorder.respond(({ path, method }) =>
      path === '/sessions' && method === 'POST' ? { status: 409 } : undefined,
    )
    const data = server.examples as never
    await expect(evaluate(lookUp, on({ data, experimentPrefix: 'x' }))).rejects.toThrow(
      'Could not generate a unique experiment name within 10 attempts. Please try again with a different name.',
    )
    const names = server.recorder.calls
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => JSON.parse(`${body}`).name)
    expect(names).toHaveLength(10)
    expect(names[1]).toMatch(/^x-[0-9a-f]{8}-[0-9a-f]{6}$/)
  })

  it('gives attachments to targets and evaluators that ask for them, without recording them', async () => {
    const attachments = { photo: { presigned_url: 'http://x/1', mime_type: 'image/png' } }
    const data = [{ ...server.examples[0]!, attachments }] as never
    const seen: unknown[] = []
    const target = (_: KVMap, config?: KVMap) => void seen.push(config?.attachments)
    const look = (args: EvaluatorArgs) => {
      seen.push(args.attachments)
      return { score: 1 }
    }
    await evaluate(target, on({ data, includeAttachments: true, evaluators: [look] }))
    await evaluate(target, on({ data }))
    expect(seen).toEqual([attachments, attachments, undefined])
    expect(server.runsOf(lastExperiment().name)[0]!.inputs).toEqual({ country: 'France' })
  })

  it('says what is wrong before it sends anything', async () => {
    const wrong = (more: Partial<EvaluateOptions>) => evaluate(lookUp, on(more))
    await expect(wrong({ numRepetitions: 0 })).rejects.toThrow('numRepetitions')
    await expect(wrong({ maxConcurrency: -1 })).rejects.toThrow('maxConcurrency must be a positive number.')
    await expect(wrong({ failIf: 'correct' })).rejects.toThrow('Cannot read the condition')
    await expect(wrong({ resume: true })).rejects.toThrow('name the experiment')
    expect(server.recorder.calls).toEqual([])
    await expect(wrong({ data: [] })).rejects.toThrow('No examples found in the dataset.')
    await expect(wrong({ data: undefined })).rejects.toThrow('Data not provided in this experiment.')
  })

  it('fails loudly when the target refuses to be traced', async () => {
    const target = traceable(lookUp, { tracingEnabled: false })
    await expect(evaluate(target, on())).rejects.toThrow('Run not created by target function.')
  })
})

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

  it('without a name are told apart by their place', async () => {
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

  it('that throw, or return no object, are told by name and skipped', async () => {
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

describe('what goes wrong', () => {
  const fragile = async ({ country }: { country: string }) => {
    if (country === 'Peru') throw new TypeError('no such country')
    return { capital: KNOWN[country] }
  }

  it('in a target is kept in its run, told, and judged as no outputs', async () => {
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

describe('concurrency', () => {
  const watch = () => {
    let running = 0
    const seen = { most: 0 }
    const during = async <T>(result: T): Promise<T> => {
      seen.most = Math.max(seen.most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 5))
      running--
      return result
    }
    return { seen, during }
  }

  it.each([
    [{}, 1, 1],
    [{ maxConcurrency: 3 }, 3, 3],
    [{ targetConcurrency: 2, evaluationConcurrency: 3 }, 2, 3],
    [{ maxConcurrency: 3, targetConcurrency: 1 }, 1, 3],
  ])('%j runs that many at a time', async (options, targets, judges) => {
    const [target, judge] = [watch(), watch()]
    await evaluate(
      () => target.during({}),
      on({
        ...options,
        numRepetitions: 4,
        evaluators: [() => judge.during({ score: 1 }), () => judge.during({ score: 1 })],
      }),
    )
    expect([target.seen.most, judge.seen.most]).toEqual([targets, judges])
  })

  it('one after the other judges each row before the next is run', async () => {
    const order: string[] = []
    await evaluate(
      ({ country }) => void order.push(`run ${country}`),
      on({ evaluators: [({ inputs }) => ({ score: order.push(`judge ${inputs.country}`) })] }),
    )
    expect(order.slice(0, 4)).toEqual(['run France', 'judge France', 'run Peru', 'judge Peru'])
  })
})

describe('an experiment that was interrupted', () => {
  it('goes on where it stopped: finished runs are kept, missing verdicts are given', async () => {
    const stop = new AbortController()
    let judged = 0
    const first = evaluate(lookUp, {
      ...on({ numRepetitions: 2, experimentPrefix: 'long', signal: stop.signal }),
      evaluators: [
        function correct_(args: EvaluatorArgs) {
          if (++judged === 4) stop.abort(new Error('killed'))
          return correct(args)
        },
      ],
    })
    await expect(first).rejects.toThrow('killed')
    const { name } = lastExperiment()
    expect(server.runsOf(name)).toHaveLength(4)

    const ran: string[] = []
    const target = async (inputs: { country: string }) => {
      ran.push(inputs.country)
      return await lookUp(inputs)
    }
    const asked: string[] = []
    const results = await evaluate(
      target,
      on({
        data: undefined,
        experiment: name,
        resume: true,
        numRepetitions: 2,
        evaluators: [
          function correct_(args: EvaluatorArgs) {
            asked.push(`correct ${args.inputs.country}`)
            return correct(args)
          },
          function length({ inputs, outputs }: EvaluatorArgs) {
            asked.push(`length ${inputs.country}`)
            return { score: outputs.capital.length }
          },
        ],
      }),
    )

    expect(ran).toEqual(['Peru', 'Chad'])
    expect(asked).toEqual([
      'length France',
      'length Peru',
      'length Chad',
      'length France',
      'correct Peru',
      'length Peru',
      'correct Chad',
      'length Chad',
    ])
    expect(server.experiments.filter((one) => one.name === name)).toHaveLength(1)
    expect(server.runsOf(name)).toHaveLength(6)
    expect(
      results.results.map(({ evaluationResults }) => evaluationResults.results.map(({ key }) => key).sort()),
    ).toEqual(Array(6).fill(['correct', 'length']))
    expect(server.feedback).toHaveLength(12)
  })

  it('may also be added to, from the start', async () => {
    const before = server.given({ name: 'grown', extra: { metadata: { model: 'm1' } } })
    await evaluate(lookUp, on({ experiment: before as never, metadata: { more: true } }))
    await evaluate(lookUp, on({ experiment: before.id }))
    expect(server.runsOf('grown')).toHaveLength(6)
    expect(server.experiments).toHaveLength(1)
    expect(before.extra.metadata).toMatchObject({ model: 'm1', more: true, num_repetitions: 1 })
  })
})

describe('runs that exist', () => {
  it('are judged where they are', async () => {
    const { experimentId, experimentName } = await evaluate(lookUp, on())
    const sent = server.lines.length

    const results = await evaluate(
      client.listRuns({ projectId: experimentId, isRoot: true }),
      on({ evaluators: [correct] }),
    )

    expect(results).toMatchObject({ experimentName, experimentId, length: 3 })
    expect(scoresOf(results.results)).toEqual([[['correct', true]], [['correct', true]], [['correct', false]]])
    expect(server.lines.slice(sent).filter((line) => /^(POST|PATCH) \/sessions/.test(line))).toEqual([])
    expect(server.feedback.map(({ run_id }) => run_id).sort()).toEqual(results.results.map(({ run }) => run.id).sort())
  })
})

describe('standard error', () => {
  it('shows where the results will be, and what they were, in a table', async () => {
    const { experimentName, experimentUrl } = await evaluate(
      lookUp,
      on({ progress: true, evaluators: [correct], summaryEvaluators: [() => ({ key: 'all', score: 0.5 })] }),
    )
    const lines = vi.mocked(console.error).mock.calls.flat().join('\n').split('\n')
    expect(lines).toEqual([
      `Starting evaluation of experiment: ${experimentName}`,
      `View results at ${experimentUrl}`,
      expect.stringMatching(/^3 of 3 done, \d+\.\d s$/),
      'key          n    mean   stdev',
      '───────────  ─  ──────  ──────',
      'correct      3  0.6667  0.5774',
      'all (whole)  1     0.5       –',
      `View results at ${experimentUrl}`,
    ])
  })

  it('stays silent when told to', async () => {
    await evaluate(lookUp, on({ evaluators: [correct] }))
    expect(console.error).not.toHaveBeenCalled()
  })
})
