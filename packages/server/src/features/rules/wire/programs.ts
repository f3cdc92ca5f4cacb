import type { JavascriptDefinition, RuleCodeEvaluator } from '@touchstone/contract'
import { JavascriptDefinition as Definition } from '@touchstone/contract'
import { parseOwn, unprocessable } from './problems.ts'

/** Begins what is added to a program of a public client; the program is the text before it. */
const MARKER = '\n\n// Added: calls the program above as public clients expect it.\n'

/**
 * Public clients define `performEval(run, example)`, which returns feedback by key: `{ correct: 1 }`, or `{ key, score }`.
 */
const ADAPTER = `function evaluate({ inputs, outputs, reference_outputs, run, steps, turns }) {
  const toScore = ([key, value]) => {
    if (typeof value === 'number' || typeof value === 'boolean') return { key, score: value }
    return value !== null && typeof value === 'object' ? { key, ...value } : { key, value }
  }
  const toScores = (result) => {
    if (result === null || typeof result !== 'object' || 'key' in result) return result
    if (Array.isArray(result)) return result.flatMap(toScores)
    return Object.entries(result).filter(([, value]) => value !== null && value !== undefined).map(toScore)
  }
  const program = typeof performEval === 'function' ? performEval : perform_eval
  const example = reference_outputs == null ? undefined : { inputs, outputs: reference_outputs }
  return Promise.resolve(program({ ...run, inputs, outputs, steps, turns }, example)).then(toScores)
}
`

/** A program as the sandbox runs it. @throws ApiError UNPROCESSABLE */
export function toProgram(
  { code, language }: Pick<RuleCodeEvaluator, 'code' | 'language'>,
  path: readonly (string | number)[],
): JavascriptDefinition {
  if (language !== 'javascript') {
    throw unprocessable(
      [...path, 'language'],
      'This server runs JavaScript, not Python. Write the program as function performEval(run, example) and send language "javascript".',
    )
  }
  if (isOwn(code)) return parseOwn(Definition, { kind: 'javascript', source: code }, path)
  if (!/\bperform_?[eE]val\b/.test(code)) {
    throw unprocessable(
      [...path, 'code'],
      'The program must define performEval(run, example), or evaluate({ inputs, outputs }).',
    )
  }
  return parseOwn(Definition, { kind: 'javascript', source: code + MARKER + ADAPTER }, path)
}

const isOwn = (code: string) => /\bfunction\s+evaluate\s*\(|\bevaluate\s*=/.test(code)

/** The program as the client wrote it. */
export function toCode(source: string): string {
  const at = source.indexOf(MARKER)
  return at < 0 ? source : source.slice(0, at)
}
