import { contract, timeOfEpochMs, uuid7 } from '@touchstone/contract'
import type { StartedApp } from './start-app.ts'

/** A score, one per repetition, or none. */
type Given = number | readonly number[] | undefined

export interface ExperimentSetOptions {
  /** Number of examples, or the inputs of each. */
  readonly examples: number | readonly object[]
  /**
   * Key → per experiment → per example. The longest list sets the number of experiments. @default two without scores
   */
  readonly scores?: Readonly<Record<string, readonly (readonly Given[])[]>>
  /** Examples that an experiment did not run, by experiment. */
  readonly skipped?: readonly (readonly number[])[]
  /** Fields of a run, by experiment, example and repetition. */
  readonly run?: (experiment: number, example: number, repetition: number) => Record<string, unknown>
}

export interface ExperimentSet {
  readonly datasetId: string
  readonly exampleIds: readonly string[]
  readonly sessionIds: readonly string[]
  /** Per experiment: example by example, its repetitions one after the other. */
  readonly runIds: readonly (readonly string[])[]
}

/**
 * A dataset with experiments over it, their root runs and scores. An example has as many runs as scores, at least one.
 */
export async function anExperimentSet(app: StartedApp, options: ExperimentSetOptions): Promise<ExperimentSet> {
  const scores = Object.entries(options.scores ?? {})
  const count = Math.max(2, ...scores.map(([, sides]) => sides.length))
  const { id: datasetId } = (await app.call(contract.datasets.create, { body: { name: `d-${uuid7()}` } })).body
  const inputs =
    typeof options.examples === 'number'
      ? Array.from({ length: options.examples }, (_, at) => ({ at }))
      : options.examples
  const exampleIds = inputs.map(() => uuid7())
  await app.call(contract.examples.createMany, {
    body: inputs.map((one, at) => ({
      id: exampleIds[at],
      dataset_id: datasetId,
      inputs: one,
      outputs: { expected: at },
    })),
  })
  const sessionIds: string[] = []
  const runIds: string[][] = []
  for (let experiment = 0; experiment < count; experiment++) {
    const body = { name: `x-${uuid7()}`, reference_dataset_id: datasetId }
    const session = (await app.call(contract.projects.create, { body })).body.id
    const of = (example: number) => scores.map(([key, sides]) => [key, [sides[experiment]?.[example]].flat()] as const)
    const runs = exampleIds.flatMap((reference_example_id, example) => {
      if (options.skipped?.[experiment]?.includes(example)) return []
      const repetitions = Math.max(1, ...of(example).map(([, given]) => given.length))
      return Array.from({ length: repetitions }, (_, repetition) => {
        const start = Date.parse('2026-03-02T08:00:00Z') + 1000 * (example + repetition * exampleIds.length)
        const run = {
          id: uuid7(),
          name: 'target',
          run_type: 'chain',
          session_id: session,
          reference_example_id,
          start_time: timeOfEpochMs(start),
          end_time: timeOfEpochMs(start + 500),
          inputs: inputs[example],
          outputs: { answer: `${experiment}/${example}/${repetition}` },
          ...options.run?.(experiment, example, repetition),
        }
        return {
          run,
          scores: of(example).flatMap(([key, given]) =>
            given[repetition] === undefined ? [] : [{ key, score: given[repetition] }],
          ),
        }
      })
    })
    await app.call(contract.runs.batch, { body: { post: runs.map((one) => one.run) } })
    await Promise.all(
      runs.flatMap(({ run, scores: given }) =>
        given.map((one) => app.call(contract.feedback.create, { body: { run_id: run.id, ...one } })),
      ),
    )
    sessionIds.push(session)
    runIds.push(runs.map((one) => one.run.id))
  }
  return { datasetId, exampleIds, sessionIds, runIds }
}
