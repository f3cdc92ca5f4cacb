import { readSpanCost, readSpanUsage, USAGE_OBJECTS } from '@touchstone/formats/usage'
import type { JsonObject } from '../mapped-span.ts'
import type { OtlpSpan } from '../span.ts'
import type { SpanAttributes } from './attributes.ts'

const RAW_USAGE =
  /^(gen_ai\.(aggregated_)?usage\.|llm\.(token_count|usage|cost)\.|ai\.usage\.|opencode\.llm\.(tokens|cost)|langfuse\.observation\.(usage|cost)_details$|mlflow\.(chat\.tokenUsage|llm\.cost)$|braintrust\.metrics(\.|$)|gen_ai\.cost\.(total|input|output)_cost$|metadata\.usage_object$|operation\.cost$)/

export interface MappedUsage {
  /** For `usage_metadata`: totals that include cached and reasoning tokens, with their parts. */
  readonly usage?: JsonObject | undefined
  /** Every attribute with a number of tokens, as it came. */
  readonly raw?: JsonObject | undefined
  readonly reportedCost?: JsonObject | undefined
}

/** Reads the usage of a span, and keeps its attributes as they came. */
export function mapUsage(span: OtlpSpan, attributes: SpanAttributes): MappedUsage {
  const keys = attributes.keysThat(isRawUsage)
  const hasObject = USAGE_OBJECTS.some(([key]) => attributes.has(key))
  // Every number that is read has such a key.
  if (keys.length === 0 && !hasObject && !attributes.has('langsmith.usage_metadata')) return {}
  const raw = Object.fromEntries(keys.map((key) => [key, attributes.get(key)]))
  return {
    usage: readSpanUsage(attributes, span.scope),
    raw: keys.length === 0 ? undefined : raw,
    reportedCost: readSpanCost(attributes),
  }
}

const isRawUsage = (key: string) => RAW_USAGE.test(key)
