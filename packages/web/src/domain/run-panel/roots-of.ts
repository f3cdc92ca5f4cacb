import type { JsonHost } from '#lib/json/json-host.ts'
import type { OutlineRoot } from '#lib/json/json-row.ts'

/** The members of a run's document to show, by name, in the order of the document; nulls are left out. */
export function selectRoots(json: JsonHost, names: readonly string[]): (OutlineRoot & { end: number })[] {
  return json.fields
    .filter(({ key, kind }) => names.includes(key) && kind !== 'null')
    .map(({ key, start, end }) => ({ key, start, end }))
}
