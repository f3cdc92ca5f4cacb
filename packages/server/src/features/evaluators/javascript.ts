import {
  type EvaluatorProblem,
  type EvaluatorScore,
  FeedbackKey,
  type FeedbackValue,
  type JavascriptDefinition,
  MAX_EVALUATOR_KEYS,
  toStorable,
} from '@touchstone/contract'
import { isRecord } from '@touchstone/formats/guards'
import type { Outcome } from '../../outcome.ts'
import { aProblem, describe, type EvaluatorRow } from './judge.ts'
import type { JavascriptSandbox, SandboxOwner } from './sandbox/javascript-sandbox.ts'

/** Characters of the JSON of a row. */
const MAX_ROW = 4_000_000

type JavascriptResult = { readonly scores: EvaluatorScore[] } | { readonly problem: EvaluatorProblem }

/**
 * Runs a JavaScript evaluator over one row. Mistakes of the program are problems and not thrown.
 *
 * @param owner  of the program: programs of different owners share nothing
 * @param defaultKey  of a number or boolean, when the definition names no key
 */
export async function runJavascript(
  sandbox: JavascriptSandbox,
  { source, keys, timeout_ms }: JavascriptDefinition,
  row: EvaluatorRow,
  {
    owner,
    defaultKey,
    signal,
  }: { readonly owner: SandboxOwner; readonly defaultKey: string; readonly signal?: AbortSignal | undefined },
): Promise<JavascriptResult> {
  const { inputs, outputs, reference_outputs, run = null, steps, turns } = row
  const text = JSON.stringify({ inputs, outputs, reference_outputs, run, steps, turns })
  if (text.length > MAX_ROW) {
    return {
      problem: aProblem('too_large', `The row has ${text.length} characters of JSON, at most ${MAX_ROW} are run.`),
    }
  }
  const outcome = await sandbox.run(owner, { source, row: text, timeoutMs: timeout_ms }, signal)
  if ('failure' in outcome) {
    const { code, message, line } = outcome.failure
    const where = line === null ? '' : ` (line ${line})`
    return { problem: aProblem(code, `${message}${where}`, { line }) }
  }
  const read = readScores(JSON.parse(outcome.result), keys[0] ?? defaultKey, keys)
  return 'ok' in read ? { scores: read.ok } : { problem: aProblem('invalid_result', read.problem) }
}

/** Reads what a program returned: a number, a boolean, `{ key, score, value, comment }` or a list of those. */
export function readScores(result: unknown, defaultKey: string, keys: readonly string[]): Outcome<EvaluatorScore[]> {
  const list = Array.isArray(result) ? result : [result]
  if (list.length > MAX_EVALUATOR_KEYS) {
    return { problem: `It returned ${list.length} scores, at most ${MAX_EVALUATOR_KEYS} are stored.` }
  }
  const scores: EvaluatorScore[] = []
  for (const [at, one] of list.entries()) {
    const score = readScore(one, defaultKey)
    const place = Array.isArray(result) ? `Item ${at} of the result` : 'The result'
    if ('problem' in score) return { problem: `${place} ${score.problem}.` }
    const { key } = score.ok
    if (keys.length > 0 && !keys.includes(key)) {
      return { problem: `${place} has the key "${key}"; the keys of the evaluator are ${keys.join(', ')}.` }
    }
    if (scores.some((other) => other.key === key)) return { problem: `The result has the key "${key}" twice.` }
    scores.push(score.ok)
  }
  return { ok: scores }
}

function readScore(given: unknown, defaultKey: string): Outcome<EvaluatorScore> {
  if (typeof given === 'number' || typeof given === 'boolean') {
    return { ok: { key: defaultKey, score: Number(given), value: null, comment: null } }
  }
  if (!isRecord(given)) {
    return {
      problem: `is ${describe(given)}, not a number, a boolean, { key, score, value, comment } or a list of those`,
    }
  }
  const { key = defaultKey, score = null, value = null, comment = null } = given
  const parsedKey = FeedbackKey.safeParse(key)
  if (!parsedKey.success) return { problem: `has the key ${describe(key)}, not a text of 1 to 180 characters` }
  if (score !== null && typeof score !== 'number' && typeof score !== 'boolean') {
    return { problem: `has the score ${describe(score)}, not a number or a boolean` }
  }
  if (comment !== null && typeof comment !== 'string') {
    return { problem: `has the comment ${describe(comment)}, not a text` }
  }
  if (Array.isArray(value)) return { problem: 'has a value that cannot be stored: a list' }
  if (score === null && value === null) return { problem: 'has neither a score nor a value' }
  return {
    ok: {
      key: parsedKey.data,
      score: score === null ? null : Number(score),
      value: (typeof value === 'string' ? toStorable(value) : value) as FeedbackValue,
      comment: comment === null ? null : toStorable(comment),
    },
  }
}
