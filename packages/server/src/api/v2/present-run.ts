import { PUBLIC_RUN_FIELDS, RUN_SELECTS, type RunSelect } from '@touchstone/contract'
import { presentField, type RunView } from '../../features/runs/index.ts'
import { FIELDS } from './run-fields.ts'

const KNOWN = new Set<string>(RUN_SELECTS)
const PUBLIC = new Set<string>(PUBLIC_RUN_FIELDS)

/** The names of a request that we know, or the id alone. */
export function selected(names: readonly string[]): readonly RunSelect[] {
  const known = [...new Set(names)].filter((name): name is RunSelect => KNOWN.has(name))
  return known.length > 0 ? known : ['ID']
}

/** The names without those made of what the public does not see. */
export function publicOnes(selects: readonly RunSelect[]): readonly RunSelect[] {
  return selects.filter((select) => PUBLIC.has(FIELDS[select].from))
}

/** v1 fields to read for a selection. */
export function fieldsBehind(selects: readonly RunSelect[]): Set<string> {
  return new Set(selects.map((select) => FIELDS[select].from))
}

/**
 * JSON text of a run with the selected fields and no other.
 *
 * @param origin  where users reach this server; URLs start with it
 */
export function presentRunV2(view: RunView, selects: readonly RunSelect[], origin: string): string {
  const parts: string[] = []
  for (const select of selects) {
    const { from, print } = FIELDS[select]
    const text = print(presentField(view, from), view, origin)
    if (text !== undefined) parts.push(`"${select.toLowerCase()}":${text}`)
  }
  return `{${parts.join(',')}}`
}
