import type { Client } from '@touchstone/sdk'
import type { Client as PublicClient } from 'langsmith'

/** Public members of the published client that ours does not have. */
export type Missing = Exclude<keyof PublicClient, keyof Client>
/** Public members that both have. */
export type Shared = Extract<keyof PublicClient, keyof Client>

type Arguments<F> = F extends (...args: infer Args) => unknown ? Args : never
/** Methods of both that, in their last overload, take something of the published client which ours would not compile. */
export type Stricter = {
  [Name in Shared]: Arguments<PublicClient[Name]> extends Arguments<Client[Name]> ? never : Name
}[Shared]

const V2 = 'a generated second client for `/api/v2`; the flat methods do the same, and the server answers its routes'

/** Why each of them is missing. A name more or less than there are does not compile. */
export const MISSING = {
  runs: `${V2} (\`listRuns\`, \`readRun\`, \`getRunUrl\`, \`shareRun\`)`,
  traces: `${V2} (\`listRuns\` with \`traceId\`, \`isRoot\`)`,
  threads: `${V2} (\`listThreads\`, \`readThread\`, \`listGroupRuns\`)`,
  datasets: `${V2} (\`listExamplesWithRuns\`)`,
  annotationQueues: `${V2} (\`listRunsFromAnnotationQueue\`, \`reviewRunOfAnnotationQueue\`)`,
  public: `${V2} (\`listSharedRuns\`, \`readSharedRun\`)`,
  evaluators:
    'ours are flat: `listEvaluators`, `createEvaluator`, `readEvaluator`, `updateEvaluator`, `deleteEvaluator`',
  sandboxes: 'rents machines of a cloud',
  debug: 'a field, not a method: it shows the option of the constructor, which ours has too',
  _logEvaluationFeedback: 'internal, of `logEvaluationFeedback`, which ours has',
  _selectEvalResults: 'internal, of `logEvaluationFeedback`, which ours has',
  _supportsSDBQuery: 'internal: asks which of two stores a cloud reads from',
} as const satisfies Record<Missing, string>

/** Why ours takes less. Each of these calls works; a caller who compiles against ours sees a mistake sooner, or writes less. */
export const STRICTER = {
  createProject: '`numExamples` and `numRepetitions` are left out rather than null',
  listExamples: 'needs a dataset: without one both throw',
  logEvaluationFeedback: 'types of runs are the known ones rather than any text',
  updateExample: 'the overloads stand in another order: TypeScript compares the last one only',
  updateFeedbackConfig: 'needs what to change',
  updatePrompt: 'needs what to change: without anything both throw',
} as const satisfies Record<Stricter, string>

/** What `langsmith` itself exports and ours does not, and why. */
export const MISSING_EXPORTS: Readonly<Record<string, string>> = {
  APIPromise: 'of the generated second client',
  Langsmith: 'the generated second client by itself',
  PagePromise: 'of the generated second client',
  default: 'the generated second client by itself',
  toFile: 'of the generated second client: uploads to a cloud',
  computeRunIdForSecondaryReplica: 'ours writes to one server at a time, so runs have one id',
}

const CLOUD = 'rents machines of a cloud'
const GENERATED = 'part of the generated second client'

/** Entry points of the published package that ours does not have, and why. */
export const MISSING_ENTRIES: Readonly<Record<string, string>> = {
  './langchain': 'LangChain finds the current run by itself: a chain inside a traced function needs no callbacks',
  './experimental/otel/setup':
    'deprecated there: makes a provider of OpenTelemetry, which our package does not depend on; pass our processor to one',
  './api-promise': GENERATED,
  './core/*': GENERATED,
  './error': GENERATED,
  './pagination': GENERATED,
  './resource': GENERATED,
  './resources': GENERATED,
  './resources/*': GENERATED,
  './streaming': GENERATED,
  './uploads': GENERATED,
  './index': 'another name of the package itself',
  './lib/*': 'where the package keeps its sources; the same is exported under shorter names',
  './version': 'the number that `package.json` has too',
  './sandbox': CLOUD,
  './experimental/sandbox': CLOUD,
}
