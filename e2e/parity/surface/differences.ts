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
  evaluators: 'manages evaluators that a cloud runs; ours run in the caller’s process (`evaluate`)',
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
