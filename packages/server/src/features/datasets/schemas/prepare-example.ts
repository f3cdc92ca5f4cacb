import { StepBudget, TooManySteps, type Violation } from './json-schema/check.ts'
import { getCompiledSchema } from './parse-schema.ts'
import { parseTransformations, readTransformations, type SourceRun } from './transformations/transformations.ts'

/** Schemas and transformations of a dataset, as JSON texts. */
export interface Expectations {
  readonly inputs_schema: string | null
  readonly outputs_schema: string | null
  readonly transformations: string | null
}

/** JSON texts; null outputs are not checked. */
export interface Payloads {
  readonly inputs: string
  readonly outputs: string | null
}

/** An example to store, and the reasons that forbid it. */
export interface Prepared extends Payloads {
  readonly violations: readonly Violation[]
}

/** Base number of steps for an example, in addition to one per character: 50 ns each. */
const STEPS_ALWAYS = 4_000
/** Additional steps for one example, and for all examples of one preparer. */
const STEPS_PER_EXAMPLE = 1_000_000
const STEPS_TOGETHER = 50_000_000
/** Violations that are reported in full; each later example reports one. */
const VIOLATIONS_TOGETHER = 10_000

export type Prepare = (example: Payloads, run?: SourceRun) => Prepared

/**
 * Applies the transformations of a dataset to an example, then checks it against the schemas. Without either, returns
 * the given text unchanged.
 */
export function prepareExample(dataset: Expectations, example: Payloads, run?: SourceRun): Prepared {
  return openPreparer(dataset)(example, run)
}

/**
 * The same for the examples of one request, which share a budget of steps, because hostile schemas cost time for each.
 */
export function openPreparer(dataset: Expectations): Prepare {
  const transform = readTransformations(dataset)
  let left = STEPS_TOGETHER
  let reported = 0
  return (example, run) => {
    const { inputs, outputs, violations } = transformExample(transform, example, run)
    const allowed = STEPS_ALWAYS + inputs.length + (outputs?.length ?? 0)
    const steps = new StepBudget(Math.min(left, STEPS_PER_EXAMPLE) + allowed)
    if (dataset.inputs_schema !== null) check(dataset.inputs_schema, inputs, '/inputs', steps, violations)
    if (dataset.outputs_schema !== null && outputs !== null) {
      check(dataset.outputs_schema, outputs, '/outputs', steps, violations)
    }
    left -= Math.min(left, Math.max(0, steps.taken - allowed))
    reported += violations.length
    return { inputs, outputs, violations: reported > VIOLATIONS_TOGETHER ? violations.slice(0, 1) : violations }
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
    // Comparing very deep values may exhaust the stack before the budget.
    if (!(error instanceof TooManySteps || error instanceof RangeError)) throw error
    const why = error instanceof TooManySteps ? error.message : 'it is nested too deeply'
    violations.push({ path, message: `could not be checked: ${why}` })
  }
}

/**
 * Checks that a text is a supported JSON Schema: drafts 2020-12 (the default), 2019-09, 7 and 6. References are
 * resolved inside the schema or to the public message and tool schemas, never over the network. `format` is ignored;
 * `pattern` supports no look-around and no back-references.
 *
 * @throws ApiError INVALID_REQUEST with the position of the first mistake
 */
export function assertSchema(text: string): void {
  getCompiledSchema(text)
}

/**
 * Checks that a text is a list of supported transformations.
 *
 * @throws ApiError INVALID_REQUEST with the first invalid one
 */
export function assertTransformations(text: string): void {
  parseTransformations(text)
}
