import { describe, expect, it, vi } from 'vitest'
import {
  client,
  correct,
  KNOWN,
  lastExperiment,
  lookUp,
  on,
  scoresOf,
  serveCapitals,
  server,
} from '../../test/capitals.ts'
import { DATASET } from '../../test/fake-evaluation-server.ts'
import { Client } from '../client.ts'
import type { KVMap } from '../schemas.ts'
import { traceable } from '../tracing/traceable/traceable.ts'
import { evaluate } from './evaluate.ts'
import { exactMatch } from './evaluators/match.ts'
import { StringEvaluator } from './string-evaluator.ts'
import type { EvaluateOptions, EvaluatorArgs } from './types.ts'

serveCapitals()

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

  it('records a traceable target in the experiment, whatever its own config contains', async () => {
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

  it('validates the options before it sends anything', async () => {
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

describe('concurrency', () => {
  const watch = () => {
    let running = 0
    const seen = { most: 0 }
    const during = async <T>(result: T): Promise<T> => {
      seen.most = Math.max(seen.most, ++running)
      // Pause: calls overlap only while each takes some time.
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

  it('prints nothing when quiet', async () => {
    await evaluate(lookUp, on({ evaluators: [correct] }))
    expect(console.error).not.toHaveBeenCalled()
  })
})
