import type { ClientConfig, Redact } from '../config/client-config.ts'
import { envIsTrue } from '../config/env.ts'
import type { BaseRun, KVMap } from '../schemas.ts'
import { plainCopy } from './serialise.ts'

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
  const { inputs, outputs, extra, error } = run
  const metadata: KVMap | undefined = extra?.metadata
  const shown: Partial<BaseRun> = {}
  const pending: Promise<void>[] = []
  const put = (value: unknown, keep: (value: KVMap) => void) => {
    if (value instanceof Promise) pending.push(value.then(keep))
    else keep(value as KVMap)
  }
  if (inputs) put(hidden(inputs, rules.inputs, 'inputs'), (value) => (shown.inputs = value))
  if (outputs) put(hidden(outputs, rules.outputs, 'outputs'), (value) => (shown.outputs = value))
  if (metadata) {
    put(hidden(metadata, rules.metadata, 'metadata'), (value) => (shown.extra = { ...extra, metadata: value }))
  }
  if (error && rules.error) {
    put(hidden({ error }, rules.error, 'error'), (value) => (shown.error = textOf(value, error)))
  }
  const result = (): R => ({ ...run, ...shown })
  return pending.length > 0 ? Promise.all(pending).then(result) : result()
}

/** Replaces a part whose rule failed: the run is kept, the payload is not. */
export function processingFailed(part: string, rule: string): KVMap {
  return { ls_error: `Processing failed; ${part} dropped (${rule})` }
}

function hidden(value: KVMap, rule: boolean | Redact, part: string): KVMap | Promise<KVMap> {
  if (rule === false) return value
  if (rule === true) return {}
  const failed = () => processingFailed(part, RULE_NAMES[part]!)
  try {
    const shown = rule(plainCopy(value))
    return isThenable(shown) ? Promise.resolve(shown).catch(failed) : shown
  } catch {
    return failed()
  }
}

const RULE_NAMES: Record<string, string> = {
  inputs: 'hideInputs',
  outputs: 'hideOutputs',
  metadata: 'hideMetadata',
  error: 'anonymizer',
}

function textOf(value: KVMap, original: string): string {
  if (typeof value.ls_error === 'string') return value.ls_error
  return typeof value.error === 'string' ? value.error : original
}

function isThenable(value: unknown): value is PromiseLike<KVMap> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
