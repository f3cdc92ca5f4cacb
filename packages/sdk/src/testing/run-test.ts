import type { KVMap } from '../schemas.ts'
import type { RunTree } from '../tracing/run-tree.ts'
import { traceable } from '../tracing/traceable/traceable.ts'
import { ROOT } from '../tracing/traceable/types.ts'
import { isTracked, logFeedback, type RunningTest, runInTestContext } from './context.ts'
import { toExampleId } from './examples.ts'
import type { OpenSuite, Suite } from './suite.ts'
import { writeRecord } from './test-records.ts'
import type { TestFunction, TestParams } from './types.ts'

export interface TestToRun {
  suite: Suite
  name: string
  params: TestParams
  fn: TestFunction
  repetition: number
  /** First argument that the runner passes to a test. */
  runnerContext: unknown
}

/**
 * Runs one test: stores its example in the dataset, runs the test inside a run of the experiment, and records whether it
 * passed as feedback on that run. Errors of the test reach the runner unchanged.
 */
export async function runTest(testToRun: TestToRun): Promise<void> {
  const { suite, params } = testToRun
  const open = isTracked(params.config?.enableTestTracking, suite.config.enableTestTracking)
    ? await suite.open()
    : undefined
  const test = createRunningTest(params)
  if (open) {
    test.exampleId = await syncTestExample(suite, open, params)
    test.experimentId = open.experiment.id
  }
  let status: 'pass' | 'fail' = 'fail'
  try {
    await (open
      ? runRecorded(testToRun, test, open)
      : runInTestContext({ suite, test }, () => callTestFunction(testToRun, test, undefined)))
    status = 'pass'
  } finally {
    const { inputs, referenceOutputs, outputs, feedback } = test
    writeRecord({
      suite: suite.name,
      test: testToRun.name,
      status,
      inputs,
      referenceOutputs,
      outputs,
      feedback,
      url: open?.url,
    })
  }
}

function createRunningTest(params: TestParams): RunningTest {
  return {
    inputs: params.inputs,
    referenceOutputs: getReferenceOutputs(params),
    exampleId: undefined,
    experimentId: undefined,
    runTree: undefined,
    outputs: undefined,
    feedback: [],
  }
}

/** Older suites use the name `outputs`. */
function getReferenceOutputs({ referenceOutputs, ...rest }: TestParams & { outputs?: KVMap }): KVMap {
  return referenceOutputs ?? rest.outputs ?? {}
}

async function syncTestExample(suite: Suite, { dataset }: OpenSuite, params: TestParams): Promise<string> {
  const { inputs, metadata, split } = params
  const outputs = getReferenceOutputs(params)
  const id = params.id ?? toExampleId(dataset.id, inputs, outputs)
  const splits = split === undefined ? undefined : [split].flat()
  // Before the test, so that the run is not older than its example.
  await suite.sync({ id, dataset_id: dataset.id, inputs, outputs, metadata, split: splits })
  return id
}

async function runRecorded(testToRun: TestToRun, test: RunningTest, open: OpenSuite): Promise<void> {
  const { suite, params, name } = testToRun
  const { repetitions, enableTestTracking, metadata, ...config } = params.config ?? {}
  let failure: { error: unknown } | undefined
  const traced = traceable(
    async (runTree: RunTree) => {
      test.runTree = runTree
      try {
        await runInTestContext({ suite, test }, () => callTestFunction(testToRun, test, open))
      } catch (error) {
        failure = { error }
        runTree.outputs = test.outputs
        throw toPlainError(error)
      }
      return test.outputs
    },
    {
      ...config,
      name,
      metadata: { ...metadata, repetition: testToRun.repetition },
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
    throw failure ? failure.error : error
  }
}

async function callTestFunction(testToRun: TestToRun, test: RunningTest, open: OpenSuite | undefined): Promise<void> {
  const { params, fn, repetition, runnerContext } = testToRun
  const { id, config, inputs, split, metadata, referenceOutputs, ...rest } = params
  const testMetadata = {
    exampleId: test.exampleId,
    experimentId: test.experimentId,
    datasetId: open?.dataset.id,
    testTrackingEnabled: open !== undefined,
    repetition,
    split,
  }
  const testArgs = { ...rest, inputs, referenceOutputs: test.referenceOutputs, testMetadata }
  const args =
    typeof runnerContext === 'object' && runnerContext !== null ? Object.assign(runnerContext, testArgs) : testArgs
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

/** Copy of an assertion error without the terminal colors that runners add to messages. */
function toPlainError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const copy = new Error(stripColors(error.message))
  copy.name = error.name
  if (error.stack) copy.stack = stripColors(error.stack)
  return copy
}

function stripColors(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  return text.replaceAll(/\u001b\[[0-9;]*m/g, '')
}
