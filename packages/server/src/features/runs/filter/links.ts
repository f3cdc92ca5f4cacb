import type { Comparison, FilterScalar } from '@touchstone/contract'
import { type Fragment, join, sql, uuid } from '../../../storage/analytics/sql.ts'
import { danglingExamples, examplesOfDatasets, runsInDatasets } from '../uses/index.ts'
import { type FilterContext, scopeOf } from './context.ts'
import { any, FALSE, not, TRUE } from './logic.ts'
import { column, compareScalar } from './scalars.ts'

type Clause = Pick<Comparison, 'op' | 'value'>
type Compare = (clause: Clause, context: FilterContext) => Fragment

/** Fields that do not stand in the row of a run, but in what refers to it or what it refers to. */
const LINKS: Readonly<Record<string, Compare>> = {
  attachments: compareAttachments,
  in_dataset: compareInDataset,
  reference_dataset_id: compareDataset,
}

/** @returns `undefined` when the field is none of these */
export function linkOf(field: string): Compare | undefined {
  return Object.hasOwn(LINKS, field) ? complemented(LINKS[field]!) : undefined
}

/** The negative operators are exact complements, and a list is any of its values, which are compared at once. */
function complemented(compare: Compare): Compare {
  return function complete({ op, value }, context): Fragment {
    if (op === 'neq') return not(complete({ op: 'eq', value }, context))
    if (op === 'nin') return not(complete({ op: 'in', value }, context))
    if (op === 'notlike') return not(complete({ op: 'like', value }, context))
    if (op !== 'in') return compare({ op, value }, context)
    const list = value as readonly FilterScalar[]
    const values = list.filter((one) => one !== null)
    const conditions = values.length < list.length ? [compare({ op: 'eq', value: null }, context)] : []
    if (values.length > 0) conditions.push(compare({ op: 'in', value: values }, context))
    return any(conditions)
  }
}

/** The names of its attachments, of which one has to satisfy the clause. */
function compareAttachments({ op, value }: Clause, { tenantId }: FilterContext): Fragment {
  const owner = sql`tenant_id = ${uuid(tenantId)}`
  if (value === null) return sql`id not in (select run_id from run_attachments final where ${owner})`
  const isMeant = compareScalar(column('name', 'text', 'never'), { op: op === 'has' ? 'eq' : op, value })
  return sql`id in (select run_id from run_attachments final where ${join([owner, isMeant])})`
}

function compareInDataset({ value }: Clause, { tenantId }: FilterContext): Fragment {
  if (value === null) return FALSE
  const isIn = sql`id in ${runsInDatasets(tenantId)}`
  const wanted = new Set([value].flat())
  if (wanted.size > 1) return TRUE
  return wanted.has(true) ? isIn : not(isIn)
}

function compareDataset({ value }: Clause, context: FilterContext): Fragment {
  const { tenantId } = context
  if (value !== null) return isOn(sql`${examplesOfDatasets(tenantId, [value].flat().map(String))}`)
  return any([sql`reference_example_id is null`, isOn(sql`${danglingExamples(tenantId, scopeOf(context))}`)])
}

const isOn = (examples: Fragment) => sql`ifNull(reference_example_id in ${examples}, false)`
