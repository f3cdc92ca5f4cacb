import type { ClientConfig, Redact } from '../config/client-config.ts'
import { envIsTrue } from '../config/env.ts'
import { isThenable } from '../guards.ts'
import type { BaseRun, KVMap } from '../schemas.ts'
import { toPlainCopy } from './serialize.ts'

/** Redaction rule per part of a run: `true` removes it, a function replaces it, `false` keeps it. */
export interface Redaction {
  inputs: boolean | Redact
  outputs: boolean | Redact
  metadata: boolean | Redact
  error: Redact | undefined
}

/** The option of the part, or else the anonymizer, or else the environment. */
export function resolveRedaction({ hideInputs, hideOutputs, hideMetadata, anonymizer }: ClientConfig): Redaction {
  return {
    inputs: hideInputs ?? anonymizer ?? envIsTrue('HIDE_INPUTS'),
    outputs: hideOutputs ?? anonymizer ?? envIsTrue('HIDE_OUTPUTS'),
    metadata: hideMetadata ?? anonymizer ?? envIsTrue('HIDE_METADATA'),
    error: anonymizer,
  }
}

/**
 * Applies the redaction rules. Each rule is called once, with a copy of its part, never with the user's object.
 *
 * @returns a promise only when a rule returned one
 */
export function redact<R extends BaseRun>(run: R, rules: Redaction): R | Promise<R> {
  if (!rules.inputs && !rules.outputs && !rules.metadata && !rules.error) return run
  const { extra, error } = run
  const metadata: KVMap | undefined = extra?.metadata
  const redacted: Partial<BaseRun> = {}
  const pending: Promise<void>[] = []
  const put = (value: unknown, keep: (value: KVMap) => void) => {
    if (value instanceof Promise) pending.push(value.then(keep))
    else keep(value as KVMap)
  }
  for (const part of ['inputs', 'outputs'] as const) {
    const payload = run[part]
    if (payload) put(applyRule(payload, rules[part], part), (value) => (redacted[part] = value))
  }
  if (metadata) {
    put(applyRule(metadata, rules.metadata, 'metadata'), (value) => (redacted.extra = { ...extra, metadata: value }))
  }
  if (error && rules.error) {
    put(applyRule({ error }, rules.error, 'error'), (value) => (redacted.error = getErrorText(value, error)))
  }
  const result = (): R => ({ ...run, ...redacted })
  return pending.length > 0 ? Promise.all(pending).then(result) : result()
}

/** Replaces a part whose rule failed: the run is kept, the payload is not. */
export function toFailureMarker(part: string, rule: string): KVMap {
  return { ls_error: `Processing failed; ${part} dropped (${rule})` }
}

function applyRule(value: KVMap, rule: boolean | Redact, part: keyof typeof RULE_NAMES): KVMap | Promise<KVMap> {
  if (rule === false) return value
  if (rule === true) {
    // Without outputs, nothing else in a run has the numbers of tokens.
    const { usage_metadata } = value
    return usage_metadata && part === 'metadata' ? { usage_metadata } : {}
  }
  const failed = () => toFailureMarker(part, RULE_NAMES[part])
  try {
    const redacted = rule(toPlainCopy(value))
    return isThenable(redacted) ? Promise.resolve(redacted).catch(failed) : redacted
  } catch {
    return failed()
  }
}

const RULE_NAMES = {
  inputs: 'hideInputs',
  outputs: 'hideOutputs',
  metadata: 'hideMetadata',
  error: 'anonymizer',
} as const

function getErrorText(value: KVMap, original: string): string {
  if (typeof value.ls_error === 'string') return value.ls_error
  return typeof value.error === 'string' ? value.error : original
}
