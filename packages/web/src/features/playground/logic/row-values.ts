import { readValuePath } from '@touchstone/formats/templates'
import { printJson } from '#features/prompts/print-json.ts'
import type { VariableRow } from './variables.ts'
import { toFields } from './variant.ts'

/** Fields of a row of a dataset. */
export interface RowFields {
  readonly inputs: unknown
  readonly outputs: unknown
  readonly metadata: unknown
}

const toPath = (side: string, key: string) => (/^\w+$/.test(key) ? `${side}.${key}` : `${side}[${JSON.stringify(key)}]`)

/** The field of the inputs with the name of the variable; nothing if the page has a value for it. */
export function suggestPath({ name, text }: Pick<VariableRow, 'name' | 'text'>, inputs: unknown): string {
  if (Object.hasOwn(toFields(inputs), name)) return toPath('inputs', name)
  return text.trim() === '' ? `inputs.${name}` : ''
}

/** Paths of all fields of a row. */
export function listPaths(row: RowFields): string[] {
  return Object.entries(row).flatMap(([side, value]) => Object.keys(toFields(value)).map((key) => toPath(side, key)))
}

/** Texts of the variables that a row has values for: fields of its inputs with their names. */
export function readRowValues(variables: readonly Pick<VariableRow, 'name' | 'text'>[], row: RowFields) {
  return Object.fromEntries(
    variables.flatMap((variable): [string, string][] => {
      const path = suggestPath({ ...variable, text: '' }, row.inputs)
      const found = readValuePath({ ...row }, path)
      if (!('value' in found)) return []
      return [[variable.name, typeof found.value === 'string' ? found.value : printJson(found.value)]]
    }),
  )
}
