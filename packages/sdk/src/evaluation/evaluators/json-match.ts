import type { EvaluationResult } from '../types.ts'
import { isSame, type KeyedEvaluator, keyed, type Selection, selected } from './selection.ts'

/** A tolerance for numbers, or a judge of its own: a score from 0 to 1. */
export type MemberComparison = number | ((actual: unknown, expected: unknown) => number | boolean)

export interface JsonMatchOptions extends Selection {
  /** The only members to compare. @default all of the reference */
  members?: readonly string[] | undefined
  /** Members that equality would judge too hard. */
  compare?: Readonly<Record<string, MemberComparison>> | undefined
  /** Counts members that the reference does not have as wrong. @default false */
  refuseExtra?: boolean | undefined
}

/**
 * Compares two JSON objects member by member. Text is parsed first; text that is no JSON object scores 0 throughout.
 *
 * @returns an evaluator of the key `json_match`, the mean over the members, and of `json_match.{member}` for each
 */
export function jsonMatch(options: JsonMatchOptions = {}): KeyedEvaluator<EvaluationResult[]> {
  const key = options.key ?? 'json_match'
  const { members, compare = {}, refuseExtra = false } = options
  return keyed(key, (args) => {
    // The whole is meant unless a field is named: its members are what is scored.
    const whole = { expected: () => args.referenceOutputs, actual: () => args.outputs }
    const { actual, expected } = selected(args, options.field === undefined ? { ...whole, ...given(options) } : options)
    const [found, wanted] = [recordOf(actual), recordOf(expected)]
    if (!wanted) throw new Error('The reference is no JSON object.')
    const names = members ?? Object.keys(wanted)
    const scores = names.map((name) => ({ name, score: scoreOf(found?.[name], wanted[name], compare[name]) }))
    const extra = refuseExtra && found ? Object.keys(found).filter((name) => !Object.hasOwn(wanted, name)) : []
    const total = scores.length + extra.length
    const sum = scores.reduce((all, { score }) => all + score, 0)
    const comment = commentOf(found !== undefined, extra)
    return [
      { key, score: total === 0 ? 1 : sum / total, ...(comment && { comment }) },
      ...scores.map(({ name, score }) => ({ key: `${key}.${name}`, score })),
    ]
  })
}

function given({ actual, expected }: JsonMatchOptions) {
  return { ...(actual && { actual }), ...(expected && { expected }) }
}

function scoreOf(actual: unknown, expected: unknown, comparison: MemberComparison | undefined): number {
  if (typeof comparison === 'function') return Number(comparison(actual, expected))
  if (comparison !== undefined && typeof actual === 'number' && typeof expected === 'number') {
    return Math.abs(actual - expected) <= comparison ? 1 : 0
  }
  return isSame(actual, expected) ? 1 : 0
}

function commentOf(isObject: boolean, extra: readonly string[]): string | undefined {
  if (!isObject) return 'The output is no JSON object.'
  return extra.length > 0 ? `Not in the reference: ${extra.join(', ')}` : undefined
}

function recordOf(value: unknown): Record<string, unknown> | undefined {
  let parsed = value
  if (typeof value === 'string') {
    try {
      parsed = JSON.parse(value)
    } catch {
      return undefined
    }
  }
  const isRecord = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
  return isRecord ? (parsed as Record<string, unknown>) : undefined
}
