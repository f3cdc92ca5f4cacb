import { StepBudget, TooManySteps, type Violation } from './json-schema/check.ts'
import { getCompiledSchema } from './parse-schema.ts'
import { parseTransformations, readTransformations, type SourceRun } from './transformations/transformations.ts'

/** What a dataset asks of its examples, as JSON texts. */
export interface Expectations {
  readonly inputs_schema: string | null
  readonly outputs_schema: string | null
  readonly transformations: string | null
}

/** JSON texts; outputs of null are not checked. */
export interface Payloads {
  readonly inputs: string
  readonly outputs: string | null
}

/** An example as it is to be stored, and why it may not be. */
export interface Prepared extends Payloads {
  readonly violations: readonly Violation[]
}

/** Steps that checking any example may take, besides one for each of its characters: 50 ns each. */
const STEPS_ALWAYS = 4_000
/** Steps that one example may take beyond, and all examples of one preparer together. */
const STEPS_PER_EXAMPLE = 1_000_000
const STEPS_TOGETHER = 50_000_000
/** Violations that are told in full; of the examples that follow, one each. */
const VIOLATIONS_TOGETHER = 10_000

export type Prepare = (example: Payloads, run?: SourceRun) => Prepared

/**
 * Transforms an example as its dataset asks, then checks it against the dataset's schemas. Without either it comes back
 * as the very text that was given.
 */
export function prepareExample(dataset: Expectations, example: Payloads, run?: SourceRun): Prepared {
  return openPreparer(dataset)(example, run)
}

/** The same for the many examples of one request, which share a budget of steps: hostile schemas cost each of them. */
export function openPreparer(dataset: Expectations): Prepare {
  const transform = readTransformations(dataset)
  let left = STEPS_TOGETHER
  let told = 0
  return (example, run) => {
    const { inputs, outputs, violations } = transformExample(transform, example, run)
    const allowed = STEPS_ALWAYS + inputs.length + (outputs?.length ?? 0)
    const steps = new StepBudget(Math.min(left, STEPS_PER_EXAMPLE) + allowed)
    if (dataset.inputs_schema !== null) check(dataset.inputs_schema, inputs, '/inputs', steps, violations)
    if (dataset.outputs_schema !== null && outputs !== null) {
      check(dataset.outputs_schema, outputs, '/outputs', steps, violations)
    }
    left -= Math.min(left, Math.max(0, steps.taken - allowed))
    told += violations.length
    return { inputs, outputs, violations: told > VIOLATIONS_TOGETHER ? violations.slice(0, 1) : violations }
  }
}

type Transform = ReturnType<typeof readTransformations>

function transformExample(transform: Transform, example: Payloads, run: SourceRun | undefined) {
  const violations: Violation[] = []
  try {
    return { ...transform(example, run), violations }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    violations.push({ path: '', message: 'could not be transformed: it is nested too deeply' })
    return { ...example, violations }
  }
}

function check(schema: string, text: string, path: string, steps: StepBudget, violations: Violation[]): void {
  const accepts = getCompiledSchema(schema)
  try {
    accepts(JSON.parse(text), path, { steps, violations, scopes: [] }, undefined)
  } catch (error) {
    // Comparing very deep values exhausts the stack before it exhausts the steps.
    if (!(error instanceof TooManySteps || error instanceof RangeError)) throw error
    const why = error instanceof TooManySteps ? error.message : 'it is nested too deeply'
    violations.push({ path, message: `could not be checked: ${why}` })
  }
}

/**
 * Whether a text is a JSON Schema that this server can check: drafts 2020-12 (the default), 2019-09, 7 and 6. A
 * reference is resolved inside the schema or to the public message and tool schemas, never over the network. `format`
 * is a remark; `pattern` has no look-around and no back-references.
 *
 * @throws ApiError INVALID_REQUEST naming the place of the first mistake
 */
export function assertSchema(text: string): void {
  getCompiledSchema(text)
}

/**
 * Whether a text is a list of transformations that this server knows.
 *
 * @throws ApiError INVALID_REQUEST naming the first that is none
 */
export function assertTransformations(text: string): void {
  parseTransformations(text)
}
