import type { Client } from '../client.ts'
import type { EvaluationResult } from '../resources/feedback.ts'
import type { CreateProjectParams } from '../resources/projects.ts'
import type { KVMap } from '../schemas.ts'
import type { RunTreeConfig } from '../tracing/run-tree.ts'

// biome-ignore lint/suspicious/noExplicitAny: signatures of test runners, narrowed where they are exported
export type Any = any
export type AnyMethod = (...args: Any[]) => Any

/** A runner's `describe` or `test` with its variants. Using a variant that the runner lacks throws. */
export type RunnerMethod = AnyMethod & {
  only?: RunnerMethod
  skip?: RunnerMethod
  concurrent?: RunnerMethod
}

/** The functions of Jest, Vitest or a compatible runner that the integration needs. */
export interface JestlikeMethods {
  describe: RunnerMethod
  test: RunnerMethod
  expect: AnyMethod
  afterAll: (fn: () => Promise<void>, timeout?: number) => unknown
}

/** Options of a suite and its experiment. */
export interface SuiteConfig extends Partial<Omit<CreateProjectParams, 'referenceDatasetId' | 'upsert'>> {
  /** @default a client created on first use, so that the environment may still be set after the import */
  client?: Client | undefined
  /** Name of the dataset. @default the name of the suite */
  testSuiteName?: string | undefined
  /** Whether to record the suite; overrides the environment. */
  enableTestTracking?: boolean | undefined
}

export interface TestConfig extends Partial<Omit<RunTreeConfig, 'name'>> {
  /** How often the test runs, each time as a separate run. @default 1 */
  repetitions?: number | undefined
  enableTestTracking?: boolean | undefined
}

/** One example: the test runs on it, and it is stored in the dataset of the suite. */
export interface TestParams<Inputs = KVMap, Reference = KVMap> {
  inputs: Inputs
  referenceOutputs?: Reference | undefined
  /** @default derived from the contents, so that an unchanged test finds its example again */
  id?: string | undefined
  split?: string | string[] | undefined
  metadata?: KVMap | undefined
  config?: TestConfig | undefined
}

export interface TestMetadata {
  /** The three ids are absent when the test is not recorded. */
  exampleId: string | undefined
  experimentId: string | undefined
  datasetId: string | undefined
  testTrackingEnabled: boolean
  /** Starts at 0. */
  repetition: number
  split: string | string[] | undefined
}

/** Arguments of a test function, in addition to the runner's own. */
export interface TestArgs<Inputs = KVMap, Reference = KVMap> {
  inputs: Inputs
  referenceOutputs: Reference
  testMetadata: TestMetadata
}

/** Returns the outputs to record, or nothing. */
export type TestFunction<Inputs = KVMap, Reference = KVMap> = {
  test(args: TestArgs<Inputs, Reference> & Record<string, Any>): unknown
}['test']

export interface TestFeedback extends Omit<EvaluationResult, 'key'> {
  key: string
}

interface DefineTest {
  <Inputs = KVMap, Reference = KVMap>(
    name: string,
    params: TestParams<Inputs, Reference>,
    fn: TestFunction<Inputs, Reference>,
    timeout?: number,
  ): void
  /** Defines a test for each row. */
  each<Inputs = KVMap, Reference = KVMap>(
    table: readonly TestParams<Inputs, Reference>[],
    config?: TestConfig,
  ): (name: string, fn: TestFunction<Inputs, Reference>, timeout?: number) => void
}

export interface TestMethod extends DefineTest {
  only: DefineTest
  skip: DefineTest
  concurrent: DefineTest & { only: DefineTest; skip: DefineTest }
}

type DefineSuite = (name: string, fn: () => unknown, config?: SuiteConfig) => void

export interface DescribeMethod extends DefineSuite {
  only: DefineSuite
  skip: DefineSuite
  concurrent: DefineSuite
}
