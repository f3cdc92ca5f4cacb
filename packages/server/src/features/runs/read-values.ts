import {
  RUN_VALUE_CHARS,
  type RunValue,
  type RunValuePath,
  type RunValues,
  type RunValuesQuery,
} from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type Fragment, join, literal, sql, text, uint, uuid } from '../../storage/analytics/sql.ts'
import { whereRunIds } from './where.ts'

/** The engine truncates values to this length: enough for the sent characters if all of them are escaped. */
const RAW_CHARS = RUN_VALUE_CHARS * 6 + 2

/** Reads single values of payloads without sending the payloads. */
export async function readValues(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  { id, paths }: RunValuesQuery,
): Promise<RunValues> {
  if (paths.length === 0) return { runs: id.map((one) => ({ id: one, values: [] })) }
  const rows = await analytics.query<{ id: string; found: string[] }>(sql`
    select id, [${join(paths.map(extractRaw), ', ')}] as found
    from runs final
    where tenant_id = ${uuid(tenantId)} and ${whereRunIds(tenantId, id)}`)
  return { runs: rows.map((row) => ({ id: row.id, values: row.found.map(readRaw) })) }
}

/** SQL of the JSON text at a path, '' when the path does not exist. */
function extractRaw([payload, ...steps]: RunValuePath): Fragment {
  const whole = literal(payload)
  // The engine counts from 1.
  const keys = steps.map((step) => (typeof step === 'number' ? sql`${uint(step + 1)}` : sql`${text(step)}`))
  const found = keys.length === 0 ? whole : sql`JSONExtractRaw(${whole}, ${join(keys, ', ')})`
  return sql`substringUTF8(${found}, 1, ${uint(RAW_CHARS + 1)})`
}

function readRaw(raw: string): RunValue | null {
  if (raw === '' || raw === 'null') return null
  const isWhole = raw.length <= RAW_CHARS
  const whole = raw.startsWith('"') ? parseString(raw, isWhole) : raw
  const is_cut = !isWhole || whole.length > RUN_VALUE_CHARS
  return { text: is_cut ? whole.slice(0, RUN_VALUE_CHARS).toWellFormed() : whole, is_cut }
}

/** Parses a JSON string; for a truncated one, its beginning. */
function parseString(raw: string, isWhole: boolean): string {
  // The cut may be inside an escape sequence, which has at most six characters.
  const ends = isWhole ? [raw] : Array.from({ length: 7 }, (_, less) => `${raw.slice(0, raw.length - less)}"`)
  for (const candidate of ends) {
    try {
      return JSON.parse(candidate) as string
    } catch {}
  }
  return raw
}
