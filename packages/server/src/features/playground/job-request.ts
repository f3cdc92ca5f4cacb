import type { PlaygroundJobCreate, PlaygroundVariant } from '@touchstone/contract'
import { listOptionalVariables, listVariables, readValuePath } from '@touchstone/formats/templates'
import type { ModelJobRow } from '../../storage/relational/tables/model-jobs.ts'
import type { ExampleRow } from '../datasets/examples/index.ts'
import type { EvaluatorReference } from '../evaluators/index.ts'

/** What a job calls, as stored with it. It contains no keys: providers are named by their ids. */
export type JobRequest = Pick<PlaygroundJobCreate, 'variants' | 'mapping' | 'variables'>

/** What lists show of a job, as stored with it. */
export interface JobSummary {
  readonly variants: readonly {
    readonly name: string
    readonly provider_id: string
    readonly model: string
    readonly experiment_id: string
    readonly experiment_name: string
  }[]
  readonly repeats: number
  readonly concurrency: number
  readonly evaluators: readonly EvaluatorReference[]
}

export const readRequest = ({ request }: Pick<ModelJobRow, 'request'>) => JSON.parse(request) as JobRequest
export const readSummary = ({ summary }: Pick<ModelJobRow, 'summary'>) => JSON.parse(summary) as JobSummary

/** A call of a job by its number: all variants of a row, then its next repetition, then the next row. */
export interface CallPosition {
  readonly number: number
  readonly variant: number
  readonly repeat: number
  readonly row: number
}

export function toPosition(
  number: number,
  { variants, repeats }: Pick<JobSummary, 'variants' | 'repeats'>,
): CallPosition {
  const ofRow = Math.floor(number / variants.length)
  return { number, variant: number % variants.length, repeat: ofRow % repeats, row: Math.floor(ofRow / repeats) }
}

/** A row of a dataset in the form that paths read. */
export interface RowValues {
  readonly inputs: unknown
  readonly outputs: unknown
  readonly metadata: unknown
}

export function toRowValues({ inputs, outputs, metadata }: ExampleRow): RowValues {
  return {
    inputs: JSON.parse(inputs) as unknown,
    outputs: outputs === null ? null : (JSON.parse(outputs) as unknown),
    metadata: JSON.parse(metadata) as unknown,
  }
}

/** Names of variables and message lists that the variants use, each once. */
export function listJobVariables(variants: readonly PlaygroundVariant[]): { name: string; isOptional: boolean }[] {
  const found = new Map<string, boolean>()
  const add = (name: string, isOptional: boolean) => found.set(name, isOptional && (found.get(name) ?? true))
  for (const { messages, template_format } of variants) {
    for (const message of messages) {
      if (message.role === 'placeholder') add(message.variable, message.optional)
      else if (template_format !== 'none') {
        for (const text of listTexts(message.content)) {
          for (const name of listVariables(text, template_format)) add(name, false)
          for (const name of listOptionalVariables(text, template_format)) add(name, true)
        }
      }
    }
  }
  return [...found].map(([name, isOptional]) => ({ name, isOptional }))
}

function listTexts(content: unknown): string[] {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return content.flatMap((part: { text?: unknown; image_url?: { url: string } }) =>
    typeof part.text === 'string' ? [part.text] : (part.image_url?.url ?? []),
  )
}

/** Where a variable is read from; undefined when it has the same value in all rows. */
export function findPath(name: string, { mapping, variables }: Pick<JobRequest, 'mapping' | 'variables'>) {
  if (Object.hasOwn(mapping, name)) return mapping[name]
  return Object.hasOwn(variables, name) ? undefined : `inputs[${JSON.stringify(name)}]`
}

/** The values of variables in one row; those without a value are left out. */
export function toValues(
  names: readonly string[],
  request: Pick<JobRequest, 'mapping' | 'variables'>,
  row: RowValues,
): Record<string, unknown> {
  const values: Record<string, unknown> = { ...request.variables }
  for (const name of names) {
    const path = findPath(name, request)
    if (path === undefined) continue
    const found = readValuePath(row, path)
    if ('value' in found) values[name] = found.value
  }
  return values
}
