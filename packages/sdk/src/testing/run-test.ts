import type { KVMap } from '../schemas.ts'
import type { RunTree } from '../tracing/run-tree.ts'
import { traceable } from '../tracing/traceable/traceable.ts'
import { ROOT } from '../tracing/traceable/types.ts'
import { inTestContext, isTracked, type RunningTest } from './context.ts'
import { exampleIdOf } from './example-id.ts'
import { leaveRecord } from './hand-off.ts'
import { logFeedback } from './log.ts'
import type { OpenSuite, Suite } from './suite.ts'
import type { TestFunction, TestParams } from './types.ts'

export interface TestToRun {
  suite: Suite
  name: string
  params: TestParams
  fn: TestFunction
  repetition: number
  /** What the runner gives a test. */
  runnerContext: unknown
}

/**
 * Runs one test: its example is put into the dataset first, then the test runs inside a run of the experiment, and whether
 * it passed is feedback on that run. What the test throws reaches the runner untouched.
 */
export async function runTest(given: TestToRun): Promise<void> {
  const { suite, params } = given
  const open = isTracked(params.config?.enableTestTracking, suite.config.enableTestTracking)
    ? await suite.open()
    : undefined
  const test = newTest(params)
  if (open) {
    test.exampleId = await putExample(suite, open, params)
    test.experimentId = open.experiment.id
  }
  let status: 'pass' | 'fail' = 'fail'
  try {
    await (open ? recorded(given, test, open) : inTestContext({ suite, test }, () => call(given, test, undefined)))
    status = 'pass'
  } finally {
    const { inputs, referenceOutputs, outputs, feedback } = test
    leaveRecord({
      suite: suite.name,
      test: given.name,
      status,
      inputs,
      referenceOutputs,
      outputs,
      feedback,
      url: open?.url,
    })
  }
}

function newTest(params: TestParams): RunningTest {
  return {
    inputs: params.inputs,
    referenceOutputs: referenceOf(params),
    exampleId: undefined,
    experimentId: undefined,
    runTree: undefined,
    outputs: undefined,
    feedback: [],
  }
}

/** `outputs` is what older suites call it. */
function referenceOf({ referenceOutputs, ...rest }: TestParams & { outputs?: KVMap }): KVMap {
  return referenceOutputs ?? rest.outputs ?? {}
}

async function putExample(suite: Suite, { dataset }: OpenSuite, params: TestParams): Promise<string> {
  const { inputs, metadata, split } = params
  const outputs = referenceOf(params)
  const id = params.id ?? exampleIdOf(dataset.id, inputs, outputs)
  const splits = split === undefined ? undefined : [split].flat()
  // Before the test: a run that is older than its example would be hard to place.
  await suite.sync({ id, dataset_id: dataset.id, inputs, outputs, metadata, split: splits })
  return id
}

async function recorded(given: TestToRun, test: RunningTest, open: OpenSuite): Promise<void> {
  const { suite, params, name } = given
  const { repetitions, enableTestTracking, metadata, ...config } = params.config ?? {}
  let thrown: { error: unknown } | undefined
  const traced = traceable(
    async (runTree: RunTree) => {
      test.runTree = runTree
      try {
        await inTestContext({ suite, test }, () => call(given, test, open))
      } catch (error) {
        thrown = { error }
        runTree.outputs = test.outputs
        throw readable(error)
      }
      return test.outputs
    },
    {
      ...config,
      name,
      metadata: { ...metadata, repetition: given.repetition },
      client: suite.client,
      project_name: open.experiment.name,
      reference_example_id: test.exampleId,
      tracingEnabled: true,
      processInputs: () => test.inputs,
    },
  )
  try {
    await traced(ROOT)
  } catch (error) {
    throw thrown ? thrown.error : error
  }
}

async function call(given: TestToRun, test: RunningTest, open: OpenSuite | undefined): Promise<void> {
  const { params, fn, repetition, runnerContext } = given
  const { id, config, inputs, split, metadata, referenceOutputs, ...rest } = params
  const testMetadata = {
    exampleId: test.exampleId,
    experimentId: test.experimentId,
    datasetId: open?.dataset.id,
    testTrackingEnabled: open !== undefined,
    repetition,
    split,
  }
  const own = { ...rest, inputs, referenceOutputs: test.referenceOutputs, testMetadata }
  const args = typeof runnerContext === 'object' && runnerContext !== null ? Object.assign(runnerContext, own) : own
  try {
    const returned = await fn(args)
    if (returned != null) setOutputs(test, returned)
    logFeedback({ key: 'pass', score: true })
  } catch (error) {
    logFeedback({ key: 'pass', score: false })
    throw error
  }
}

function setOutputs(test: RunningTest, returned: unknown): void {
  if (test.outputs !== undefined) {
    console.warn('[WARN]: Returned value from test function will override output set by previous "logOutputs()" call.')
  }
  test.outputs = typeof returned === 'object' ? (returned as KVMap) : { result: returned }
}

/** What is recorded of an assertion error: without the colours that runners put into messages. */
function readable(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const copy = new Error(withoutColours(error.message))
  copy.name = error.name
  if (error.stack) copy.stack = withoutColours(error.stack)
  return copy
}

function withoutColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  return text.replaceAll(/\u001b\[[0-9;]*m/g, '')
}
