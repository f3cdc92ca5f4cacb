import { isRecord } from '../../guards.ts'
import type { EvaluationResult } from '../types.ts'
import { isJsonEqual, type KeyedEvaluator, type Selection, selectParts, withKey } from './selection.ts'

export interface ExactMatchOptions extends Selection {
  /** Ignores case in texts. @default false */
  ignoreCase?: boolean | undefined
  /** Ignores white space at the ends of texts. @default false */
  trim?: boolean | undefined
}

/** Scores 1 when outputs and reference are equal as JSON (the order of members does not matter), else 0. */
export function exactMatch(options: ExactMatchOptions = {}): KeyedEvaluator<EvaluationResult> {
  const key = options.key ?? 'exact_match'
  const plain = (value: unknown) => {
    if (typeof value !== 'string') return value
    const text = options.trim ? value.trim() : value
    return options.ignoreCase ? text.toLowerCase() : text
  }
  return withKey(key, (args) => {
    const { actual, expected } = selectParts(args, options)
    return { key, score: isJsonEqual(plain(actual), plain(expected)) ? 1 : 0 }
  })
}

/** A tolerance for numbers, or a function that returns a score from 0 to 1. */
export type MemberComparison = number | ((actual: unknown, expected: unknown) => number | boolean)

export interface JsonMatchOptions extends Selection {
  /** Compares only these members. @default all members of the reference */
  members?: readonly string[] | undefined
  /** Comparisons for members where equality is too strict. */
  compare?: Readonly<Record<string, MemberComparison>> | undefined
  /** Counts members that the reference lacks as wrong. @default false */
  refuseExtra?: boolean | undefined
}

/**
 * Compares two JSON objects member by member. Text is parsed first; text that is not a JSON object scores 0.
 *
 * @returns an evaluator for the key `json_match` (the mean over all members) and one key `json_match.{member}` each
 */
export function jsonMatch(options: JsonMatchOptions = {}): KeyedEvaluator<EvaluationResult[]> {
  const key = options.key ?? 'json_match'
  const { members, compare = {}, refuseExtra = false } = options
  return withKey(key, (args) => {
    // Without `field`, the whole object is compared, so that its members are scored.
    const whole = { expected: () => args.referenceOutputs, actual: () => args.outputs }
    const { actual, expected } = selectParts(
      args,
      options.field === undefined ? { ...whole, ...getSelectors(options) } : options,
    )
    const [found, wanted] = [toRecord(actual), toRecord(expected)]
    if (!wanted) throw new Error('The reference is no JSON object.')
    const names = members ?? Object.keys(wanted)
    const scores = names.map((name) => ({ name, score: scoreMember(found?.[name], wanted[name], compare[name]) }))
    const extra = refuseExtra && found ? Object.keys(found).filter((name) => !Object.hasOwn(wanted, name)) : []
    const total = scores.length + extra.length
    const sum = scores.reduce((all, { score }) => all + score, 0)
    const comment = formatComment(found !== undefined, extra)
    return [
      { key, score: total === 0 ? 1 : sum / total, ...(comment && { comment }) },
      ...scores.map(({ name, score }) => ({ key: `${key}.${name}`, score })),
    ]
  })
}

function getSelectors({ actual, expected }: JsonMatchOptions) {
  return { ...(actual && { actual }), ...(expected && { expected }) }
}

function scoreMember(actual: unknown, expected: unknown, comparison: MemberComparison | undefined): number {
  if (typeof comparison === 'function') return Number(comparison(actual, expected))
  if (comparison !== undefined && typeof actual === 'number' && typeof expected === 'number') {
    return Math.abs(actual - expected) <= comparison ? 1 : 0
  }
  return isJsonEqual(actual, expected) ? 1 : 0
}

function formatComment(isObject: boolean, extra: readonly string[]): string | undefined {
  if (!isObject) return 'The output is no JSON object.'
  return extra.length > 0 ? `Not in the reference: ${extra.join(', ')}` : undefined
}

function toRecord(value: unknown): Record<string, unknown> | undefined {
  let parsed = value
  if (typeof value === 'string') {
    try {
      parsed = JSON.parse(value)
    } catch {
      return undefined
    }
  }
  return isRecord(parsed) ? parsed : undefined
}
