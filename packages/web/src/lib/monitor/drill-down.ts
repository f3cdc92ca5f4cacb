import type { RunGrouping } from '@touchstone/contract'
import { parseFilter } from '@touchstone/contract/filter'
import { addClauses, toClause } from '#lib/filter/chips.ts'

/** A group as the API names it; null gathers the runs that lack the attribute. */
export type Group = string | null

/** The filter that finds exactly the runs of a group. */
export function filterOfGroup({ attribute, path }: RunGrouping, group: Group): string {
  const value = JSON.stringify(group)
  if (attribute === 'tag') return group === null ? 'eq(tags, null)' : `has(tags, ${value})`
  if (attribute !== 'metadata') return `eq(${attribute}, ${value})`
  const key = JSON.stringify(path ?? '')
  if (group === null) return `neq(metadata_key, ${key})`
  // A group does not say whether its value was text or a number; both print alike and are one group.
  const values = isJsonScalar(group) ? `in(metadata_value, [${value}, ${group}])` : `eq(metadata_value, ${value})`
  return `and(eq(metadata_key, ${key}), ${values})`
}

/** Adds conditions to a filter, each keeping to itself; undefined ones are left out. */
export function narrow(filter: string | undefined, ...conditions: readonly (string | undefined)[]): string | undefined {
  const clauses = conditions.flatMap((text) => {
    const parsed = text === undefined ? undefined : parseFilter(text)
    return parsed === undefined ? [] : [toClause(parsed)]
  })
  return clauses.length === 0 ? filter : addClauses(filter, clauses)
}

function isJsonScalar(text: string): boolean {
  return text === 'true' || text === 'false' || /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)
}
