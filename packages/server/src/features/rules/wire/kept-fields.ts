import { eq, inArray } from 'drizzle-orm'
import type { Deps } from '../../../deps.ts'
import { seal, unseal } from '../../../storage/relational/server-secret.ts'
import { runRuleFields } from '../../../storage/relational/tables/rules.ts'

/** What a client said of a rule and what the rule itself does not have. */
export interface KeptFields {
  /** Fields by name, as they were given. */
  readonly given: Readonly<Record<string, unknown>>
  /** Inline evaluators as they were given, by the id of the evaluator that they became. */
  readonly evaluators: Readonly<Record<string, KeptEvaluator>>
}

export interface KeptEvaluator {
  /** The version that it became; a later one is another evaluator. */
  readonly version: number
  readonly type: 'llm' | 'code' | 'decision_model'
  readonly given: Readonly<Record<string, unknown>>
}

/** Fields with secrets: keys of PagerDuty, headers of webhooks. */
const SECRET_FIELDS = ['webhooks', 'alerts'] as const

export const NOTHING_KEPT: KeptFields = { given: {}, evaluators: {} }

/** Stores what is kept of a rule, in place of what was kept. */
export async function writeKept(
  { relational }: Pick<Deps, 'relational'>,
  { id, tenantId }: { readonly id: string; readonly tenantId: string },
  { given, evaluators }: KeptFields,
): Promise<void> {
  const isSecret = ([name]: readonly [string, unknown]) => SECRET_FIELDS.some((one) => one === name)
  const secrets = Object.entries(given).filter(isSecret)
  const open = Object.fromEntries(Object.entries(given).filter((entry) => !isSecret(entry)))
  const fields = JSON.stringify({ given: open, evaluators })
  const sealed = secrets.length === 0 ? null : await seal(relational, id, JSON.stringify(Object.fromEntries(secrets)))
  await relational.db
    .insert(runRuleFields)
    .values({ rule_id: id, tenant_id: tenantId, fields, sealed })
    .onConflictDoUpdate({ target: runRuleFields.rule_id, set: { fields, sealed } })
}

/** What is kept of rules, by their ids; rules of which nothing is kept are left out. */
export async function readKept(
  { relational }: Pick<Deps, 'relational'>,
  ids: readonly string[],
): Promise<Map<string, KeptFields>> {
  if (ids.length === 0) return new Map()
  const rows = await relational.db
    .select()
    .from(runRuleFields)
    .where(ids.length === 1 ? eq(runRuleFields.rule_id, ids[0]!) : inArray(runRuleFields.rule_id, [...ids]))
  const read = rows.map(async ({ rule_id, fields, sealed }): Promise<[string, KeptFields]> => {
    const kept = JSON.parse(fields) as KeptFields
    if (sealed === null) return [rule_id, kept]
    const secrets = JSON.parse(await unseal(relational, rule_id, sealed)) as Record<string, unknown>
    return [rule_id, { ...kept, given: { ...kept.given, ...secrets } }]
  })
  return new Map(await Promise.all(read))
}

/** The same fields for readers who may not change rules: values of headers and keys are stars. */
export function hideSecrets(given: KeptFields['given']): KeptFields['given'] {
  const { webhooks, alerts } = given
  const hidden = (value: unknown, hide: (one: Record<string, unknown>) => Record<string, unknown>) =>
    Array.isArray(value) ? value.map((one: Record<string, unknown>) => hide(one)) : value
  return {
    ...given,
    ...(webhooks !== undefined && {
      webhooks: hidden(webhooks, (one) => ({ ...one, headers: hideValues(one.headers) })),
    }),
    ...(alerts !== undefined && { alerts: hidden(alerts, (one) => ({ ...one, routing_key: STARS })) }),
  }
}

const STARS = '***'

const hideValues = (headers: unknown) =>
  headers === null || typeof headers !== 'object'
    ? headers
    : Object.fromEntries(Object.keys(headers).map((name) => [name, STARS]))
